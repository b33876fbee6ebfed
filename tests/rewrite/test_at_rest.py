"""Cameras, maps and materials at rest, where a length that they divide by is 0, and beside."""

import numpy as np
import pytest
from at_rest import Exact, rounded, slopes_of

from egad import derive

pytestmark = pytest.mark.numbers

m = np  # or Exact


# Functions of functions over what the innermost is of.


def equisolid(x: float, y: float, z: float) -> float:
    length = m.sqrt(x * x + y * y)
    return 2 * m.sin(m.arctan2(length, z) / 2) * x / length


def stereographic(x: float, y: float, z: float) -> float:
    theta = m.arctan2(m.hypot(x, y), z)
    return 2 * m.tan(theta / 2) * m.cos(m.arctan2(y, x))


def equisolid_of_a_cosine(x: float, y: float, z: float) -> float:
    theta = m.arccos(z / m.sqrt(x * x + y * y + z * z))
    return 2 * m.sin(theta / 2) * y / m.hypot(x, y)


def distorted(x: float, y: float, z: float) -> float:
    length = m.hypot(x, y)
    theta = m.arctan2(length, z)
    return m.sin(theta * (1 + 0.125 * theta * theta)) * y / length


def nested(x: float, y: float, z: float) -> float:
    length = m.hypot(x, y)
    return m.tanh(m.sinh(length)) * x / length + z


def saturating(x: float, y: float, z: float) -> float:
    length = m.sqrt(x * x + y * y)
    return z * m.log1p(2 * m.tanh(length)) * x / length


# Sums that are 0 with the length, of which `hypot` is one way to write it.


def difference(x: float, y: float, z: float) -> float:
    length = m.hypot(x, y)
    return z * (2 * length - m.tanh(length)) * x / length


def langevin(x: float, y: float, z: float) -> float:
    length = m.hypot(x, y)
    unit = y / length
    return z * (length * (1 + 0.25 * length * length) - 0.5 * m.sin(length)) * unit


# Multiples of an angle in the plane, and angles that are turned.


def coma(x: float, y: float, z: float) -> float:
    radius = m.hypot(x, y)
    return z * (3 * radius**3 - 2 * radius) * m.cos(m.arctan2(y, x))


def trefoil(x: float, y: float, z: float) -> float:
    radius = m.hypot(x, y)
    return z * radius**3 * m.sin(3 * m.arctan2(y, x)) + x


def turned(x: float, y: float, z: float) -> float:
    radius = m.sqrt(x * x + y * y)
    return m.sin(radius) * m.sin(m.arctan2(y, x) - z)


def harmonic(x: float, y: float, z: float) -> float:
    cosine = z / m.sqrt(x * x + y * y + z * z)
    sine = m.sqrt(1 - cosine * cosine)
    return sine * cosine * m.sin(m.arctan2(y, x)) + sine * sine * m.cos(2 * m.arctan2(y, x))


def spherical(x: float, y: float, z: float) -> float:
    length = m.sqrt(x * x + y * y + z * z)
    theta, phi = m.arccos(z / length), m.arctan2(y / length, x / length)
    return m.sin(theta) * m.cos(phi) + m.sin(2 * theta) * m.sin(phi)


def anisotropic(x: float, y: float, z: float) -> float:
    length = m.sqrt(x * x + y * y + z * z)
    cosine, square = z / length, 1 - (z / length) ** 2
    along = x / length / m.sqrt(square)
    return (along * along / 0.25 + (1 - along * along) / 0.125) * square / cosine**2 + x


# Broken powers of a length.


def hertzian(x: float, y: float, z: float) -> float:
    length = m.hypot(x, y)
    return length**1.5 * x / length + z * y


def shear_thinning(x: float, y: float, z: float) -> float:
    rate = m.sqrt(x * x + y * y)
    return z * rate**1.25 * (y / rate) + x


# What is cut off.


def tether(x: float, y: float, z: float) -> float:
    length = m.hypot(x, y)
    return m.maximum(length - 1, 0.0) * x / length + z * x


def limited(x: float, y: float, z: float) -> float:
    length = m.sqrt(x * x + y * y)
    return z * m.clip(length / 0.75, -1.0, 1.0) * x / length


# Maps, and a camera whose angle of incidence is found by steps.


def gnomonic(x: float, y: float, z: float) -> float:
    radius = m.hypot(x, y)
    c = m.arctan(radius)
    return m.arctan2(x * m.sin(c), radius * m.cos(c)) + z * m.arcsin(y * m.sin(c) / radius)


def oblique(x: float, y: float, z: float) -> float:
    radius = m.hypot(x, y)
    c = 2 * m.arctan(radius / 2)
    return z * m.arctan2(x * m.sin(c), radius * m.cos(c) * 0.8 - y * m.sin(c) * 0.6)


def undistorted(x: float, y: float, z: float) -> float:
    distance = m.hypot(x, y)
    theta = distance
    for _ in range(6):
        theta -= (theta + 0.125 * theta**3 - distance) / (1 + 0.375 * theta * theta)
    return m.tan(theta) * x / distance + z * x


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", None) == __name__]
POINTS = [(0.0, 0.0, 1.25), (1e-6, 2e-6, 0.75), (0.375, -0.5, 1.5), (0.75, 0.25, 0.5)]
LIMITS = {"float32": 2e-5, "float64": 1e-12}


@pytest.mark.parametrize(("mode", "dtype"), [("bwd", "float32"), ("jacobian", "float64")])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_slopes_at_rest_and_beside(f, mode, dtype, monkeypatch):
    derived = derive(f, mode, dtype=dtype)
    points = [rounded(p, dtype) for p in POINTS]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "m", Exact)
        wanted = [slopes_of(f, point) for point in points]
    for point, slopes in zip(points, wanted, strict=True):
        for run in (derived, derived.reference):
            found = [float(s) for s in run(*point, *([1.0] if mode == "bwd" else []))]
            scale = LIMITS[dtype] * max(map(abs, slopes)) + 1e-30
            assert found == pytest.approx(slopes, rel=LIMITS[dtype], abs=scale)


def test_a_result_without_slopes_does_not_take_those_of_another():
    def push(x: float, y: float):
        length = np.hypot(x, y)
        unit = x / length
        return np.tanh(length) * unit, unit

    slopes, none = derive(push, "jacobian", dtype="float64")(0.0, 0.0)
    assert [float(s) for s in slopes] == [1.0, 0.0]
    assert np.isnan([float(s) for s in none]).any()


def test_entries_that_are_0_say_nothing_of_a_rotation():
    def rotated(x: float, y: float, z: float) -> float:
        v = np.array([x, y, z])
        angle = np.linalg.norm(v)
        k = v / angle
        cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
        turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        return turn[0, 1] + 2 * turn[1, 1]

    assert [float(s) for s in derive(rotated, "jacobian")(0.0, 0.0, 0.0)] == [0.0, 0.0, -1.0]
