"""Limited values: min of max, in any spelling, is derived as one; at both edges by halves."""

import numpy as np
import pytest

import egad
from egad import clamp, exp, max, min

POINTS = np.array([-np.inf, -2.0, 0.0, 1e-300, 0.25, 1.0, 3.0, np.inf])
SLOPES = np.array([0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0])


def upper_last(x: float) -> float:
    return min(max(x, 0.0), 1.0)


def upper_first(x: float) -> float:
    return max(0.0, min(1.0, x))


def both_turned(x: float) -> float:
    return min(1.0, max(0.0, x))


def lower_last(x: float) -> float:
    return max(min(x, 1.0), 0.0)


SPELLINGS = [upper_last, upper_first, both_turned, lower_last]


@pytest.mark.numbers
@pytest.mark.parametrize("f", SPELLINGS)
@pytest.mark.parametrize("math", ["safe", "strict"])
def test_edges_share_the_derivative(f, math):
    """The same as min and max one after the other, which strict mode keeps."""
    derived = egad.derive(f, "bwd", math=math, dtype="float64")
    assert np.array_equal(derived.reference(POINTS, np.ones(8)).x, SLOPES)
    assert np.array_equal(derived(POINTS, np.ones(8)).x, SLOPES)


@pytest.mark.parametrize("f", SPELLINGS)
def test_one_choice_for_both_edges(f):
    counts = egad.derive(f, "bwd").report.counts_after
    assert counts.get("select", 0) == 2
    assert egad.derive(f, "bwd", math="strict").report.counts_after["select"] > 2


def test_a_nan_has_no_slope():
    derived = egad.derive(upper_last, "bwd", dtype="float64")
    assert derived.reference(np.nan, 1.0).x == 0.0


def moving(x: float, low: float, high: float) -> float:
    """The limits have known signs, and derivatives: those of min and max."""
    return min(max(x, -exp(low)), exp(high))


def test_limits_that_move():
    rng = np.random.default_rng(0)
    x, low, high = rng.normal(0, 3, 64), rng.normal(0, 1, 64), rng.normal(0, 1, 64)
    x[:8], x[8:16] = -np.exp(low[:8]), np.exp(high[8:16])
    one, other = [
        egad.derive(moving, "bwd", math=math, dtype="float64").reference(x, low, high, np.ones(64))
        for math in ("safe", "strict")
    ]
    for a, b in zip(one, other, strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=0)
    assert 0 < np.count_nonzero(one[1]) < 64 and 0 < np.count_nonzero(one[2]) < 64


def limits_in_no_order(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def test_limits_in_no_order_stay_as_written():
    """Where low may be above high, it is not a limit: min wins."""
    derived = egad.derive(limits_in_no_order, "bwd", dtype="float64")
    assert derived.reference(0.5, 2.0, 1.0, 1.0) == (0.0, 0.0, 1.0)


def saturated(x: float, y: float) -> float:
    return clamp(x * y, 0.0, 1.0) * y


def test_edges_of_clamp_are_inside():
    """As in Slang; where the value is computed anyway, one comparison says what is inside."""
    derived = egad.derive(saturated, "bwd", dtype="float64")
    found = derived.reference(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), np.ones(5), np.ones(5))
    assert np.array_equal(found[0], [0, 1, 1, 1, 0])
    assert np.array_equal(found[1], [0, 0, 1, 2, 1])
    counts = derived.report.counts_after
    assert counts.get("le", 0) + counts.get("ge", 0) == 0
    assert counts["eq"] == 1
