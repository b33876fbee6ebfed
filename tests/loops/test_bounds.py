"""Loops whose bound follows from a counter, names that get their value where they are left,
and names that their conditions assign.

Values as Python's, slopes as differences'.
"""

import re
from functools import cache

import bounds
import leaving
import named
import numpy as np
import pytest
from test_loops import differences, flat, kernel, plain

from egad import derive
from egad.rewrite.loops import unrolling
from egad.terms.errors import TraceError

ALL = {**bounds.POINTS, **leaving.POINTS, **named.POINTS}
CASES = [(f, point) for f, points in ALL.items() for point in points]


@cache
def derived(f, trips):
    """Value and gradient of a function whose loops of so many trips are written out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unrolling, "TRIPS", trips)
        primal = derive(f, "primal", dtype="float64")
        return primal, derive(f, "bwd", dtype="float64", check=True)


@pytest.mark.parametrize(("f", "point"), CASES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_value_and_slope(f, point):
    primal, back = derived(f, 0 if point is ALL[f][0] else unrolling.TRIPS)
    for value in (primal.reference(*point), kernel(primal, point)):
        np.testing.assert_allclose(flat(value), plain(f, point), rtol=1e-12, atol=1e-12)
    assert not re.search(r"\)\s*\{\s*\}", back.source)  # no loop is run for nothing
    for value in (back.reference(*point, 1.0), back(*point, 1.0)):
        np.testing.assert_allclose(flat(value), differences(f, point), rtol=2e-7, atol=2e-7)


def never_broken(x: float) -> float:
    for _ in range(3):
        x = x * x
        if x > 10.0:
            r = x
            break
    return r


def other_break(x: float) -> float:
    for _ in range(3):
        x = x * x
        if x > 10.0:
            r = x
            break
        if x > 5.0:
            break
    else:
        r = 1.0
    return r


def maybe_assigned(x: float) -> float:
    if x > 1.5 and (r := x * x) > 1.0:
        x = r
    return r


def in_a_comprehension(x: float) -> float:
    return sum((r := x * v) for v in (1.0, 2.0)) + r


@pytest.mark.parametrize("f", [never_broken, other_break, maybe_assigned, in_a_comprehension])
def test_without_value(f):
    words = "'r' has no value when the condition at line|:= in a comprehension is not in"
    with pytest.raises(TraceError, match=words):
        derive(f)
