"""Workloads with values at other powers of two: fewer operators, and the same bits."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.derivatives import derive
from bench.workloads import BY_NAME
from egad.codegen.host.reference import evaluate
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.scaling import rescaled
from egad.rules import load
from egad.terms.term import toposort

RULES = load()


@pytest.mark.parametrize("name", ["gaussian_splat", "lj8", "ggx", "double_sphere", "smooth_union"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_workload_has_the_same_bits(name, dtype):
    workload = BY_NAME[name]
    before = derive(workload, dtype, "fast").program
    found = rescaled(before.flat)
    after = before.with_flat([found.terms[t] for t in before.flat])
    assert len(toposort(after.flat)) < len(toposort(before.flat))
    for old, new in found.pairs:
        assert same_function(old, new)
    columns = workload.sample(64).astype(dtype).T
    leaves = [path for slot in before.params for path in slot.paths()]
    inputs = dict(zip(leaves, columns, strict=True))
    for a, b in zip(*[evaluate(p, RULES, inputs) for p in (before, after)], strict=True):
        np.testing.assert_array_equal(a, b)
