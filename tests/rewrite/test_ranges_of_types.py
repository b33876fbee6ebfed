"""Constants that egad makes are numbers of their type: what is beside an infinite one is lost."""

import mpmath
import numpy as np
import pytest

from egad import derive, diff_pair, log
from egad.rewrite.fold import has
from egad.terms.term import const_value
from egad.terms.types import Scalar


def friction(r: float) -> float:
    """Churchill's factor: 37530**16 is infinite in float32, (37530/r)**16 beyond 400 is not."""
    a = (2.457 * log(r / 7.0)) ** 16
    b = (37530.0 / r) ** 16
    return ((8.0 / r) ** 12 + 1.0 / (a + b) ** 1.5) ** (1.0 / 12.0)


def proportional(x: float) -> float:
    return (3e5 / x) ** 8 + (2.0 / x) ** 8


def small(x: float) -> float:
    return (x * 1e-7) ** 6 * (x * 1e-4) ** 6


def precise(f, x):
    with mpmath.workdps(50):
        scope = {**f.__globals__, "log": mpmath.log}
        one = type(f)(f.__code__, scope)
        return float(one(mpmath.mpf(x))), float(mpmath.diff(one, mpmath.mpf(x)))


@pytest.mark.parametrize("mode", ["value_and_grad", "fwd"])
@pytest.mark.parametrize("optimize", ["fast", "default", "best"])
@pytest.mark.parametrize(
    ("f", "at"),
    [(friction, (1e4, 1e5)), (proportional, (1e4, 1e6)), (small, (1e5, 1e6))],
)
def test_no_number_is_lost_to_a_constant(f, at, mode, optimize):
    derived = derive(f, mode, optimize=optimize)
    for term in derived.program.terms():
        if term.op == "const" and term.type is Scalar.F32:
            assert has(Scalar.F32, const_value(term))
    for x in at:
        want, slope = precise(f, float(np.float32(x)))
        found = (
            derived.reference(x)
            if mode == "value_and_grad"
            else derived.reference(diff_pair(x, 1.0))
        )
        value, (grad,) = found if mode == "value_and_grad" else (found.p, (found.d,))
        assert value == pytest.approx(want, rel=1e-4)
        if f is not friction:  # 1e-50 is on the way to that slope
            assert grad == pytest.approx(slope, rel=1e-4)
