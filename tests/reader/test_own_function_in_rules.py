"""A rule that calls its own function has derivatives, in which that call has the same rule: so an
implicit function, which no derivative passes through, has derivatives of every order.
"""

import math

import mpmath
import numpy as np
import pytest

from egad import custom_bwd, custom_fwd, derive, detach, diff_pair, max_iters, struct
from egad.terms.errors import DeriveError


def _solved(a):
    x = a
    for _ in range(40):
        x = x - (x**3 + x - a) / (3 * x * x + 1)
    return detach(x)


def _pair(x, a):
    """(3 x^2 + 1) dx = da."""
    return diff_pair(x, a.d / (3 * x * x + 1))


def backward_only(a, d):
    return d / (3 * by_backward(a) ** 2 + 1)


@custom_bwd(backward_only)
def by_backward(a: float) -> float:
    return _solved(a)


def forward_only(a):
    return _pair(by_forward(a.p), a)


@custom_fwd(forward_only)
def by_forward(a: float) -> float:
    return _solved(a)


def forward(a):
    return _pair(by_both(a.p), a)


def backward(a, d):
    return d / (3 * by_both(a) ** 2 + 1)


@custom_fwd(forward)
@custom_bwd(backward)
def by_both(a: float) -> float:
    return _solved(a)


FUNCTIONS = [by_backward, by_forward, by_both]


def _program(root):
    def program(a: float, b: float) -> float:
        return root(a * b) ** 2

    return program


def _truth(a, b):
    return mpmath.findroot(lambda x: x**3 + x - a * b, 0.5) ** 2


@pytest.mark.parametrize("root", FUNCTIONS)
@pytest.mark.parametrize("optimize", ["default", "fast"])
def test_second_derivatives(root, optimize):
    program = _program(root)
    found = derive(program, "hessian", dtype="float64", optimize=optimize)(0.7, 1.2)
    with mpmath.workdps(30):
        want = [[mpmath.diff(_truth, (0.7, 1.2), n) for n in row] for row in _SECOND]
    np.testing.assert_allclose(np.array(found, float), np.array(want, float), rtol=1e-12)
    along = derive(program, "hvp", dtype="float64", optimize=optimize)(0.7, 1.2, 1.0, -2.0)
    np.testing.assert_allclose(along, np.array(want, float) @ [1.0, -2.0], rtol=1e-12)


_SECOND = [[(2, 0), (1, 1)], [(1, 1), (0, 2)]]


@pytest.mark.parametrize("root", FUNCTIONS)
def test_third_derivatives_backwards(root):
    thrice = _program(root)
    for _ in range(3):
        thrice = derive(thrice, dtype="float64", optimize="fast")
    found = thrice(0.7, 1.2, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0).a
    with mpmath.workdps(30):
        want = mpmath.diff(_truth, (0.7, 1.2), (3, 0))
    assert found == pytest.approx(float(want), rel=1e-12)


def summed(a: float, n: int) -> float:
    total = 0.0
    max_iters(8)
    for k in range(n):
        total = total * 0.5 + by_backward(a * (k + 1) + total)
    return total


def test_calls_in_a_loop():
    def truth(a):
        total = mpmath.mpf(0)
        for k in range(4):
            step = a * (k + 1) + total
            total = total / 2 + mpmath.findroot(lambda x, a=step: x**3 + x - a, 1)
        return total

    found = derive(summed, "hvp", wrt="a", dtype="float64")(0.7, 4, 1.0)
    with mpmath.workdps(40):
        assert found.a == pytest.approx(float(mpmath.diff(truth, 0.7, 2)), rel=1e-12)


@struct
class Spring:
    k: float

    def force_bwd(self, x, d):
        return Spring(d * x**3), 3.0 * d * self.force(x) / x

    @custom_bwd(force_bwd)
    def force(self, x: float) -> float:
        return detach(self.k * x**3)


def test_a_method():
    def energy(k: float, x: float) -> float:
        return Spring(k).force(x)

    found = derive(energy, "hessian", dtype="float64")(2.0, 0.5)
    assert np.array(found, float) == pytest.approx(np.array([[0.0, 0.75], [0.75, 6.0]]), rel=1e-14)


def meeting_bwd(a, b, x_bar, y_bar):
    x, y = meeting(a, b)
    slopes = np.array([[2.0 * x, 1.0], [y, x + 3.0 * y * y]])
    found = np.linalg.solve(slopes.T, np.array([x_bar, y_bar]))
    return found[0], found[1]


@custom_bwd(meeting_bwd)
def meeting(a: float, b: float) -> tuple[float, float]:
    """x*x + y = a, x*y + y**3 = b."""
    x, y = 1.0, 1.0
    for _ in range(20):
        rest = np.array([x * x + y - a, x * y + y**3 - b])
        step = np.linalg.solve(np.array([[2.0 * x, 1.0], [y, x + 3.0 * y * y]]), rest)
        x, y = x - step[0], y - step[1]
    return detach(x), detach(y)


def test_a_system_of_equations():
    def program(a: float, b: float) -> float:
        x, y = meeting(a, b)
        return x * y + math.sin(x)

    def truth(a, b):
        x, y = mpmath.findroot(lambda x, y: (x * x + y - a, x * y + y**3 - b), (1, 1))
        return x * y + mpmath.sin(x)

    found = derive(program, "hessian", dtype="float64")(2.0, 2.1)
    with mpmath.workdps(40):
        want = [[mpmath.diff(truth, (2.0, 2.1), n) for n in row] for row in _SECOND]
    np.testing.assert_allclose(np.array(found, float), np.array(want, float), rtol=1e-11)


def test_a_rule_at_tangents():
    """A linear function is its own derivative; the transpose of its rule is over its body."""

    def tripled_fwd(a):
        return diff_pair(tripled(a.p), tripled(a.d))

    @custom_fwd(tripled_fwd)
    def tripled(a: float) -> float:
        return 3.0 * a

    def squared(a: float) -> float:
        return tripled(a) ** 2

    assert derive(squared, dtype="float64")(-0.5, 1.0).a == -9.0
    assert derive(squared, "fwd", dtype="float64")(diff_pair(-0.5, 2.0)).d == -18.0
    assert derive(squared, "hessian", dtype="float64")(-0.5).a.a == 18.0


def test_a_rule_that_is_not_linear_is_that_of_the_body():
    """Clipped slopes have none that follow from the rule."""

    def clipped(a, d):
        return min(max(d * growth(a), -1.0), 1.0)

    @custom_bwd(clipped)
    def growth(a: float) -> float:
        return math.exp(a)

    def program(a: float) -> float:
        return growth(a)

    found = derive(program, "hessian", dtype="float64")
    assert found(-0.5).a.a == pytest.approx(math.exp(-0.5), rel=1e-15)
    assert found(0.5).a.a == 0.0
    with pytest.raises(DeriveError, match="only a backward rule"):
        derive(lambda a: growth(a) ** 2, "hessian")


def test_rules_that_call_each_other():
    """The sine's rule is over the cosine, and that over the sine; neither has a body to pass by."""

    def sine_fwd(x):
        return diff_pair(sine(x.p), cosine(x.p) * x.d)

    def cosine_fwd(x):
        return diff_pair(cosine(x.p), -sine(x.p) * x.d)

    @custom_fwd(sine_fwd)
    def sine(x: float) -> float:
        return detach(math.sin(x))

    @custom_fwd(cosine_fwd)
    def cosine(x: float) -> float:
        return detach(math.cos(x))

    def program(x: float) -> float:
        return sine(2.0 * x)

    fourth = program
    for _ in range(4):
        fourth = derive(fourth, dtype="float64", optimize="fast")
    seeds = [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    assert fourth(0.3, *seeds).x == pytest.approx(16.0 * math.sin(0.6), rel=1e-14)
