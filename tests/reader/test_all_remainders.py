"""Remainders of integers: a choice among all of them has a result on every path."""

import pytest

from egad import derive
from egad.terms.errors import TraceError

pytestmark = pytest.mark.numbers


def _sextants(h: float, s: float, v: float):
    i = int(h * 6.0)
    f = h * 6.0 - i
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    i = i % 6
    if i == 0:
        return v, t, p
    if i == 1:
        return q, v, p
    if i == 2:
        return p, v, t
    if i == 3:
        return p, q, v
    if i == 4:
        return t, p, v
    if i == 5:
        return v, p, q


def _negative_remainders(x: float):
    match int(x) % -3:
        case 0:
            return x
        case -1:
            return 2 * x
        case -2:
            return x * x


def _one_is_missing(x: float):
    match int(x) % 3:
        case 0:
            return x
        case 2:
            return 2 * x


@pytest.mark.parametrize("h", [-0.3, 0.05, 0.2, 0.45, 0.6, 0.72, 0.95, 3.4])
def test_all_remainders_are_all_ways(h):
    found = derive(_sextants, "primal", dtype="float64")
    for way in (found, found.reference):
        assert [*way(h, 0.7, 0.8)] == pytest.approx(_sextants(h, 0.7, 0.8), rel=1e-14)
    both = derive(_negative_remainders, "value_and_grad", dtype="float64")
    x, step = 7.3 * h, 1e-6
    slope = (_negative_remainders(x + step) - _negative_remainders(x - step)) / (2 * step)
    for way in (both, both.reference):
        value, gradients = way(x)
        assert value == pytest.approx(_negative_remainders(x), rel=1e-14)
        assert gradients.x == pytest.approx(slope, rel=1e-7)


def test_a_remainder_that_is_missing_is_a_way_without_a_result():
    with pytest.raises(TraceError, match="does not return on every path"):
        derive(_one_is_missing)
