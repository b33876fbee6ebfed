"""Smooth functions of one number over a factor of what they are of, and at two points that meet."""

import math

import mpmath
import numpy as np
import pytest

import egad

pytestmark = pytest.mark.numbers

# What mpmath calls otherwise, or has not.
EXACT = {
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
}
NEAR_0 = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh")
NEAR_0 += ("exp", "expm1", "exp2", "log1p", "erf", "erfc", "sigmoid", "softplus")
NEAR_1 = ("log", "log2", "log10", "sqrt", "cbrt", "rsqrt")
BEYOND_1 = ("acosh",)
AT = {**dict.fromkeys(NEAR_0, 0.3), **dict.fromkeys(NEAR_1, 1.3), **dict.fromkeys(BEYOND_1, 1.7)}


def exact(name):
    return EXACT.get(name) or getattr(mpmath, name)


def program(lines, tmp_path, name):
    """A function of two numbers with source."""
    path = tmp_path / "program.py"
    path.write_text(f"import egad\n\n\ndef {name}(a: float, b: float) -> float:\n    {lines}\n")
    inside = {}
    exec(compile(path.read_text(), str(path), "exec"), inside)
    return inside[name]


def wanted(f, a, b):
    """Value and slopes, beside the point."""
    with mpmath.workdps(200):
        at = mpmath.mpf(a) + mpmath.mpf(10) ** -40, mpmath.mpf(b) + 3 * mpmath.mpf(10) ** -40
        slopes = [mpmath.diff(f, at, axis) for axis in ((1, 0), (0, 1))]
        return [float(f(*at)), *map(float, slopes)]


def is_right(derived, f, points, limit):
    for a, b in points:
        value, slopes = derived.reference(a, b)
        assert [value, *slopes] == pytest.approx(wanted(f, a, b), rel=limit, abs=limit)


@pytest.mark.parametrize("name", AT)
def test_two_points_that_meet(name, tmp_path):
    f, x = exact(name), AT[name]
    lines = f"return (egad.{name}(a) - egad.{name}(b)) / (a - b)"
    derived = egad.derive(program(lines, tmp_path, "chord"), "value_and_grad", dtype="float64")
    points = [(x, x), (x, x + 1e-9), (x + 1e-3, x), (x, x + 0.2), (x + 0.6, x)]
    if name not in NEAR_1 + BEYOND_1:
        points += [(-x, x), (0.0, 0.0), (-x, -x - 0.6)]
    is_right(derived, lambda a, b: (f(a) - f(b)) / (a - b), points, 2e-11)


@pytest.mark.parametrize("name", [*NEAR_0, *NEAR_1])
def test_a_function_less_what_it_starts_with(name, tmp_path):
    """f(0) is a number that is written as a function, log(2) or cos(0)."""
    f, start = exact(name), 0.0 if name in NEAR_0 else 2.0
    lines = f"return (egad.{name}({start} + a * b) - egad.{name}({start})) / a"
    derived = egad.derive(program(lines, tmp_path, "over"), "value_and_grad", dtype="float64")
    points = [(0.0, 1.3), (1e-9, 1.3), (1e-3, -0.7), (0.4, 1.3), (0.0, 0.0)]
    is_right(derived, lambda a, b: (f(start + a * b) - f(start)) / a, points, 2e-11)


def arc(a: float, x: float) -> float:
    """The length of a parabola."""
    return 0.5 * x * math.sqrt(1.0 + 4.0 * a * a * x * x) + math.asinh(2.0 * a * x) / (4.0 * a)


def test_the_length_of_a_parabola_that_is_a_line():
    value, slopes = egad.derive(arc, "value_and_grad", dtype="float64").reference(0.0, 1.3)
    assert [value, *slopes] == pytest.approx([1.3, 0.0, 1.0], rel=1e-14, abs=1e-14)
    hessian = egad.derive(arc, "hessian", dtype="float64").reference(0.0, 1.3)
    assert np.isfinite(np.array(hessian, float)).all()
