"""Even functions of lengths, which are smooth where they are 0: rotations by vectors, waves."""

import math

import mpmath
import numpy as np
import pytest
from gaps import values_and_slopes_are_right

from egad import derive


def wave(x: float, y: float, z: float) -> float:
    r = math.sqrt(x * x + y * y + z * z)
    return math.sin(r) / r


def turned(x: float, y: float, z: float) -> float:
    """A component of what a rotation by a vector does to another one."""
    q = x * x + y * y + z * z
    r = math.sqrt(q)
    a, b = math.sin(r) / r, (1.0 - math.cos(r)) / q
    return 0.3 + a * (0.7 * z - 0.2 * y) + b * (x * (0.3 * x + 0.7 * y + 0.2 * z) - 0.3 * q)


def moved(x: float, y: float, z: float) -> float:
    """A component of where a screw motion leads."""
    q = x * x + y * y + z * z
    r = math.sqrt(q)
    a, b = (1.0 - math.cos(r)) / q, (r - math.sin(r)) / (q * r)
    return 0.3 + a * (0.7 * z - 0.2 * y) + b * x * (0.7 * y + 0.2 * z)


def quaternion(x: float, y: float, z: float) -> float:
    r = math.sqrt(x * x + y * y + z * z)
    return 0.4 * math.cos(0.5 * r) + x * math.sin(0.5 * r) / r


def into_a_ball(x: float, y: float, z: float) -> float:
    r = math.sqrt(x * x + y * y + z * z)
    return y * math.tanh(r) / r


def screened(x: float, y: float, z: float) -> float:
    r = math.sqrt(x * x + y * y + z * z)
    return (math.sinh(r) - r) / (r * r * r)


def soft(x: float, y: float, z: float) -> float:
    r = math.sqrt(x * x + y * y + z * z)
    return math.log(math.cosh(r)) / (r * r)


FUNCTIONS = (wave, turned, moved, quaternion, into_a_ball, screened, soft)
POINTS = [(0.0, 0.0, 0.0), (1e-9, -2e-9, 0.0), (0.1, 0.2, -0.1), (0.3, 0.4, -0.1), (1.0, -2.0, 0.5)]


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, POINTS, dtype, scaled=True)


@pytest.mark.numbers
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    d = derive(f, "hessian", dtype="float64")
    inside = type(f)(f.__code__, {"math": mpmath.mp})
    for point in ((1e-30, 2e-30, -1e-30), *POINTS[2:]):
        with mpmath.workdps(200):
            near = tuple(mpmath.mpf(x) for x in point)
            axes = np.eye(3, dtype=int)
            want = [[float(mpmath.diff(inside, near, tuple(a + b))) for a in axes] for b in axes]
        assert np.array(d(*point), float) == pytest.approx(np.array(want), rel=1e-10, abs=1e-12)


def sine_of(q: float) -> float:
    r = math.sqrt(q)
    return math.sin(r) / r


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_length_costs_what_its_square_does(dtype):
    """The slope by the square, and three components of that: nothing is divided by the length."""
    one, three = (derive(f, "bwd", dtype=dtype).report.cost_after for f in (sine_of, wave))
    assert three < one + 10
