"""2,000 random programs over all operators, each judged in high precision.

What is checked stands in `program_checks.py`; `python tests/sweep.py` draws more of them.
"""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from random_programs import RULES, sample
from sweep import sweep

PROGRAMS, PARTS = 2_000, 25
# Values that no derivative passes, or parts of other operators' definitions.
UNDRAWN = frozenset()


@pytest.mark.parametrize("part", range(PARTS))
def test_programs(part):
    reports, tally = sweep(PROGRAMS // PARTS, seed=part, second=4)
    assert not reports, "\n".join(reports)
    assert tally.programs >= PROGRAMS // PARTS
    for kind in ("python", "fwd", "bwd", "inner product", "hvp", "bits float64"):
        assert tally.compared[kind] > tally.programs // 4, (kind, tally.compared)
    assert tally.ill <= tally.programs // 10
    assert tally.skipped["not drawn"] <= tally.programs
