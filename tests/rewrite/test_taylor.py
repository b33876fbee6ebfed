"""Series of terms by the slopes of rule files, and quotients that are 0/0 of a high order."""

import math

import mpmath
import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive
from egad.rewrite.derivation.taylor import Taylor
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar
from egad.terms.value import scalar

REAL = Scalar.F64
X = var("x", REAL)


def applied(rules, op: str, *args: Term) -> Term:
    return apply(rules, op, [scalar(a) for a in args], REAL).term


ONES = ("exp", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "asin", "asinh", "atanh", "erf")
OTHERS = {
    "expm1": mpmath.expm1,
    "log1p": lambda x: mpmath.log(1 + x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
}


@pytest.mark.parametrize("name", [*ONES, *OTHERS])
def test_series_of_functions(name):
    rules = load()
    inside = OTHERS.get(name) or getattr(mpmath, name)
    found = Taylor(rules, {X: [0, 1]}).of(applied(rules, name, X))
    with mpmath.workdps(120):
        want = [float(c) for c in mpmath.taylor(inside, 0, 20)]
    assert found is not None and len(found) > 40
    assert [float(c) for c in found[:21]] == pytest.approx(want, rel=1e-13, abs=1e-25)


def test_series_of_functions_of_one_another():
    rules = load()
    one = const(1.0, REAL)
    inner = applied(rules, "mul", X, applied(rules, "cos", X))
    power = applied(rules, "pow", applied(rules, "add", one, inner), const(0.3, REAL))
    term = applied(rules, "div", applied(rules, "erf", inner), applied(rules, "exp", power))
    found = Taylor(rules, {X: [0, 1]}).of(term)

    def inside(x):
        return mpmath.erf(x * mpmath.cos(x)) / mpmath.exp((1 + x * mpmath.cos(x)) ** 0.3)

    with mpmath.workdps(120):
        want = [float(c) for c in mpmath.taylor(inside, 0, 12)]
    assert [float(c) for c in found[:13]] == pytest.approx(want, rel=1e-13)


@pytest.mark.parametrize(
    "op, args",
    [("abs", (X,)), ("sqrt", (X,)), ("log", (X,)), ("max", (X, X)), ("mul", (X, var("y", REAL)))],
)
def test_what_has_no_series(op, args):
    rules = load()
    assert Taylor(rules, {X: [0, 1]}).of(applied(rules, op, *args)) is None


def screw(t: float) -> float:
    """From the Jacobian of motions, which turn and move."""
    return (2.0 * t - 3.0 * math.sin(t) + t * math.cos(t)) / (2.0 * t**5)


def screw_of_two(x: float, y: float) -> float:
    t2 = x * x + y * y
    t = math.sqrt(t2)
    return (2.0 * t - 3.0 * math.sin(t) + t * math.cos(t)) / (2.0 * t2 * t2 * t) * x


def motion(x: float, y: float) -> float:
    t2 = x * x + y * y
    return (t2 + 2.0 * math.cos(math.sqrt(t2)) - 2.0) / (2.0 * t2 * t2) * x


def damping(r: float) -> float:
    """Tang's and Toennies', of the fifth power."""
    terms = 1.0 + r + r**2 / 2.0 + r**3 / 6.0 + r**4 / 24.0
    return (1.0 - math.exp(-r) * terms) / r**5


def ewald(r: float) -> float:
    return (math.erf(r) / r - 2.0 / math.sqrt(math.pi) * math.exp(-r * r)) / (r * r)


def bessel(x: float) -> float:
    """The third spherical one."""
    return (15.0 / x**3 - 6.0 / x) * math.sin(x) / x - (15.0 / (x * x) - 1.0) * math.cos(x) / x


def chandrasekhar(x: float) -> float:
    """Dynamical friction; the number below the line stands above the differences of the series."""
    return (math.erf(x) - 2.0 * x / math.sqrt(math.pi) * math.exp(-x * x)) / (2.0 * x * x)


def scattered(e: float) -> float:
    """Of Klein's and Nishina's cross section, whose series is soon at its end."""
    return (1.0 + e) / (e * e) * (2.0 * (1.0 + e) / (1.0 + 2.0 * e) - math.log(1.0 + 2.0 * e) / e)


def demagnetized(e: float) -> float:
    """Along the axis of an ellipsoid."""
    return (1.0 - e * e) / e**3 * (math.atanh(e) - e)


def flat(e: float) -> float:
    return 1.0 / (e * e) * (1.0 - math.sqrt(1.0 - e * e) / e * math.asin(e))


def logarithm(x: float) -> float:
    return (math.log(x) - (x - 1.0) + 0.5 * (x - 1.0) ** 2) / (x - 1.0) ** 3


WIDE = [(0.0,), (1e-9,), (-1e-5,), (1e-3,), (0.1,), (-0.3,), (0.7,), (1.2,), (2.2,), (4.0,)]
NARROW = [(0.0,), (1e-9,), (-1e-5,), (1e-3,), (0.1,), (0.13,), (-0.3,), (0.7,)]
PLANE = [(0.0, 0.0), (1e-9, 0.0), (1e-3, -1e-3), (0.1, 0.2), (0.7, 0.5), (1.5, 1.4), (2.0, 3.0)]
CASES = {
    screw: WIDE,
    screw_of_two: PLANE,
    motion: PLANE,
    damping: WIDE,
    ewald: WIDE,
    chandrasekhar: WIDE,
    scattered: NARROW,
    bessel: WIDE,
    demagnetized: NARROW,
    flat: NARROW,
    logarithm: [(1.0 + x,) for (x,) in NARROW],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_quotients_of_a_high_order(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


@pytest.mark.numbers
@pytest.mark.parametrize("f", [screw, damping, ewald, bessel])
def test_second_derivatives_have_digits_where_the_series_ends(f):
    d = derive(f, "hessian", dtype="float64")
    slope = derive(f, "jacobian", dtype="float64")
    for x in (0.49, 0.51, 0.99, 1.01, 1.99, 2.01):
        h = 1e-4
        near = [np.ravel(slope(x + k * h))[0] for k in (-2, -1, 1, 2)]
        want = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * h)
        assert np.ravel(d(x))[0] == pytest.approx(want, rel=1e-6, abs=1e-11)


def turned(a: float, b: float, c: float, x: float, y: float, z: float) -> float:
    """A point turned about an axis, as bundle adjustment writes it: nothing where nothing turns."""
    angle = math.sqrt(a * a + b * b + c * c)
    cosine, sine = math.cos(angle), math.sin(angle)
    inverse = 1.0 / angle
    u, v, w = a * inverse, b * inverse, c * inverse
    along = (u * x + v * y + w * z) * (1.0 - cosine)
    left = x * cosine + (v * z - w * y) * sine + u * along
    return left / (z * cosine + (u * y - v * x) * sine + w * along)


def test_rotations_by_their_axis_and_angle():
    d = derive(turned, "value_and_grad", dtype="float64")
    points = [(t, s, 0.0, 1.0, 2.0, 3.0) for t, s in ((0, 0), (1e-9, 0), (1e-3, 2e-3), (0.4, 0.3))]
    for point in points:
        want = pytest.approx(wanted(turned, point), rel=1e-10, abs=1e-14)
        for value, gradient in (d(*point), d.reference(*point)):
            assert [value, *gradient] == want
    second_derivatives_are_numbers(turned, points)


def next_boys(x: float) -> float:
    """Constants that cancel but for their last digits: sqrt(pi)/2 times 2/sqrt(pi), less 1."""
    return (math.sqrt(math.pi) * math.erf(x) / (2.0 * x) - math.exp(-x * x)) / (2.0 * x * x)


def next_boys_of_root(t: float) -> float:
    f = 0.5 * math.sqrt(math.pi / t) * math.erf(math.sqrt(t))
    return (f - math.exp(-t)) / (2.0 * t)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "power"), [(next_boys, 2), (next_boys_of_root, 1)])
def test_constants_that_cancel(f, power, dtype):
    d = derive(f, "value_and_grad", dtype=dtype)

    def inside(x):
        t = x**power
        return mpmath.gammainc(1.5, 0, t) / (2 * t**1.5)

    for x in (1e-7, 1e-4, 0.1, 0.5, 1.5, 4.0):
        x = float(np.dtype(dtype).type(x))
        with mpmath.workdps(60):
            want = [float(inside(mpmath.mpf(x))), float(mpmath.diff(inside, mpmath.mpf(x)))]
        value, (slope,) = d.reference(x)
        assert [value, slope] == pytest.approx(want, rel=1e-5 if dtype == "float32" else 1e-12)
    value, (slope,) = d.reference(0.0)
    assert [value, slope] == pytest.approx([1 / 3, -0.2 * (power == 1)], rel=1e-6)
