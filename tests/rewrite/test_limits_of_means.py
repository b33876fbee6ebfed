"""Means and diversities by an exponent, where that is 0 or 1; powers beside logarithms at 0."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers


def power_mean(x: float, y: float, q: float) -> float:
    return ((x**q + y**q) / 2.0) ** (1.0 / q)


def production(a: float, k: float, n: float, r: float) -> float:
    """With a constant elasticity of substitution."""
    return (a * k**r + (1.0 - a) * n**r) ** (1.0 / r)


def by_elasticity(a: float, k: float, n: float, s: float) -> float:
    r = (s - 1.0) / s
    return (a * k**r + (1.0 - a) * n**r) ** (1.0 / r)


def atkinson(x: float, y: float, e: float) -> float:
    m = 0.5 * (x + y)
    return 1.0 - (0.5 * (x ** (1.0 - e) + y ** (1.0 - e))) ** (1.0 / (1.0 - e)) / m


def diversity(p: float, a: float) -> float:
    return (p**a + (1.0 - p) ** a) ** (1.0 / (1.0 - a))


def trowbridge(h: float, a: float, g: float) -> float:
    """The generalized distribution of normals, also of rough surfaces and at the exponent 1."""
    t = 1.0 + (a * a - 1.0) * h * h
    c = (g - 1.0) * (a * a - 1.0) / (math.pi * (1.0 - a ** (2.0 * (1.0 - g))))
    return c / t**g


def wide_camera(x: float, y: float, w: float) -> float:
    r = math.sqrt(x * x + y * y)
    return x * math.atan(2.0 * r * math.tan(w / 2.0)) / (r * w)


def squared_logarithm(x: float, c: float) -> float:
    return c * x * math.log(x) ** 2 + x


def above_one(x: float, c: float) -> float:
    return c * x**1.5 * math.log(x)


def in_parts(x: float) -> float:
    return x * math.sqrt(x) * math.log(x)


CASES = {
    power_mean: [(2.0, 3.0, 0.0), (2.0, 3.0, 1e-6), (2.0, 3.0, 1.0), (0.5, 3.0, -2.0)],
    production: [(0.3, 2.0, 3.0, 0.0), (0.3, 2.0, 3.0, -1e-5), (0.3, 2.0, 3.0, 0.5)],
    by_elasticity: [(0.3, 2.0, 3.0, 1.0), (0.3, 2.0, 3.0, 1.001), (0.3, 2.0, 3.0, 0.5)],
    atkinson: [(2.0, 3.0, 1.0), (2.0, 3.0, 0.999), (2.0, 3.0, 0.5), (2.0, 3.0, 2.0)],
    diversity: [(0.3, 1.0), (0.3, 1.0001), (0.3, 0.5), (0.3, 2.0)],
    trowbridge: [(0.8, 0.3, 1.0), (0.8, 1.0, 2.0), (0.8, 0.999, 1.5), (0.8, 0.3, 2.0)],
    wide_camera: [(0.3, 0.4, 0.0), (0.3, 0.4, 1e-4), (0.3, 0.4, 0.9), (0.0, 0.0, 0.9)],
    above_one: [(0.0, 2.0), (0.5, 2.0), (3.0, -1.0)],
    in_parts: [(0.0,), (1e-3,), (2.0,)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype, scaled=True)


@pytest.mark.parametrize("f", [power_mean, diversity, trowbridge], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


def test_a_mean_of_negative_numbers():
    """Where the exponent is whole, a power of a negative number is one."""
    d = derive(power_mean, "primal", dtype="float64")
    assert d(-2.0, -3.0, 1.0) == d.reference(-2.0, -3.0, 1.0) == -2.5


def of_size(x: float) -> float:
    return 2.0 * x * math.log(abs(x))


def of_root(x: float) -> float:
    return math.sqrt(x) * math.log(x)


@pytest.mark.parametrize(
    ("f", "slope"), [(of_size, -np.inf), (of_root, -np.inf), (squared_logarithm, np.inf)]
)
def test_infinite_slopes_at_0(f, slope):
    rest = () if f is not squared_logarithm else (1.0,)
    for d in (derive(f, "value_and_grad"), derive(f, "value_and_grad", dtype="float64")):
        for value, gradient in (d(0.0, *rest), d.reference(0.0, *rest)):
            assert value == 0.0 and gradient[0] == slope
