"""Even functions of an angle, at the angle 0 of which the cosine is given."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive

pytestmark = pytest.mark.numbers


def slerp(d: float, t: float) -> float:
    """By how much of the first of two rotations one between them is."""
    a = math.acos(d)
    return math.sin((1.0 - t) * a) / math.sin(a)


def slerp_by_root(d: float, t: float, p: float, q: float) -> float:
    a = math.acos(d)
    s = math.sqrt(1.0 - d * d)
    return p * math.sin((1.0 - t) * a) / s + math.sin(t * a) / s * q


def logarithm(tr: float, v: float) -> float:
    """Of a rotation, by its trace."""
    a = math.acos((tr - 1.0) / 2.0)
    return a / (2.0 * math.sin(a)) * v


def logarithm_by_root(tr: float, v: float) -> float:
    c = 0.5 * (tr - 1.0)
    return v * math.acos(c) / (2.0 * math.sqrt(1.0 - c**2))


def distance(x: float, y: float, z: float) -> float:
    """Squared, along a sphere."""
    return math.acos(x * y + z) ** 2


def between_rotations(w: float) -> float:
    """Squared, by the real part of a quaternion."""
    return (2.0 * math.acos(abs(w))) ** 2


def hyperbolic(x: float, y: float) -> float:
    return math.acosh(x * y) ** 2


def spheroid(c: float) -> float:
    return 1.0 + math.acosh(c) / (c * math.sqrt(c * c - 1.0))


BELOW = {
    slerp: [(1.0, 0.3), (0.9999999, 0.3), (0.999, 0.8), (0.3, 0.5), (-0.5, 0.25)],
    slerp_by_root: [(1.0, 0.3, 1.5, 0.2), (0.99999, 0.3, 1.0, 2.0), (0.3, 0.5, 1.0, -1.0)],
    logarithm: [(3.0, 0.7), (2.999999, 0.7), (2.9, 0.7), (1.0, -2.0)],
    logarithm_by_root: [(3.0, 0.7), (2.999999, 0.7), (2.9, 0.7), (1.0, -2.0)],
    between_rotations: [(1.0,), (0.9999,), (0.3,), (-0.7,)],
    distance: [(0.5, 0.5, 0.75), (0.5, 0.5, 0.7499), (0.5, -0.5, 0.25)],
}
ABOVE = {
    hyperbolic: [(1.0, 1.0), (1.0, 1.0001), (2.0, 1.5)],
    spheroid: [(1.0,), (1.00001,), (1.2,), (30.0,)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", BELOW, ids=lambda f: f.__name__)
def test_angles(f, dtype):
    values_and_slopes_are_right(f, BELOW[f], dtype, side=-1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", ABOVE, ids=lambda f: f.__name__)
def test_areas(f, dtype):
    values_and_slopes_are_right(f, ABOVE[f], dtype)


@pytest.mark.parametrize("f", [*BELOW, *ABOVE], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, {**BELOW, **ABOVE}[f])


def test_modes_agree():
    for point in BELOW[slerp]:
        want = pytest.approx(wanted(slerp, point, side=-1)[1:], rel=1e-10, abs=1e-10)
        assert np.array(derive(slerp, "jacobian", dtype="float64")(*point)) == want
