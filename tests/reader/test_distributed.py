"""Normal distributions of `statistics` compute what they compute there, and far out more."""

from statistics import NormalDist

import distributed_programs
import mpmath
import pytest
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

from egad import derive

pytestmark = pytest.mark.numbers


@pytest.mark.parametrize("f", functions(distributed_programs), ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, -0.4)])


@pytest.mark.parametrize("x", [-38.0, -10.0, -3.0, 0.25, 6.0])
def test_the_tails_have_all_their_digits(x):
    def below(x: float) -> float:
        return NormalDist().cdf(x)

    d = derive(below, "value_and_grad", dtype="float64")
    value, slope = d(x)
    with mpmath.workdps(40):
        assert value == pytest.approx(float(mpmath.ncdf(x)), rel=1e-13)
        assert slope.x == pytest.approx(float(mpmath.npdf(x)), rel=1e-13)
