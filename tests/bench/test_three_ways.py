"""The derivative, the optimized program and the kernel: the same numbers, however derived.

`python -m bench ways` does this for the long workloads with the most effort, too.
"""

import pytest

pytest.importorskip("pyopencl")

from bench import three_ways
from bench.__main__ import main
from bench.three_ways import LIMIT, Difference
from bench.workloads import BY_NAME

SHORT = ("poly", "fk6", "neohookean", "radtan", "quaternion", "harmonics", "polynomials")
NAMES = [name for name in BY_NAME if name not in ("chain100", "chain1000", "chain5000")]
CASES = [(name, effort) for name in NAMES for effort in ("fast", "default")]
CASES += [(name, "best") for name in SHORT]


@pytest.mark.parametrize("math", three_ways.MODES)
@pytest.mark.parametrize(("name", "effort"), CASES)
def test_three_ways_give_the_same_numbers(name, effort, math, device):
    found = three_ways.difference(BY_NAME[name], math, effort, device)
    assert found.program <= LIMIT and found.kernel <= LIMIT


def test_a_difference_is_told(monkeypatch, capsys, device):
    wrong = [Difference("poly", math, "fast", 0.0, 2 * LIMIT) for math in three_ways.MODES]
    monkeypatch.setattr(three_ways, "differences", lambda *_: iter(wrong))
    assert main(["ways", "--only", "poly", "--optimize", "fast"]) == 1
    out, err = capsys.readouterr()
    assert "2e-12" in out and "differs: Difference(workload='poly'" in err
