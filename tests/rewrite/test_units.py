"""Rotation vectors of quaternions that are divided by their length, at rest and beside."""

import mpmath
import numpy as np
import pytest

from egad import derive


def of_both_lengths(w: float, x: float, y: float) -> float:
    v = np.sqrt(x * x + y * y)
    return 2 * np.arccos(w / np.sqrt(w * w + v * v)) / v * x


def of_both_hypot(w: float, x: float, y: float) -> float:
    v = np.hypot(x, y)
    return 2 * np.arccos(w / np.hypot(w, v)) / v * x


def of_a_sine(w: float, x: float, y: float) -> float:
    v = np.hypot(x, y)
    return 2 * np.arcsin(v / np.hypot(v, w)) / v * x


def of_unit(w: float, x: float, y: float) -> float:
    n = np.sqrt(w * w + x * x + y * y)
    w, x, y = w / n, x / n, y / n
    return 2 * np.arccos(w) / np.sqrt(1 - w * w) * x


def of_unit_vector(w: float, x: float, y: float) -> float:
    n = np.sqrt(w * w + x * x + y * y)
    w, x, y = w / n, x / n, y / n
    return 2 * np.arccos(w) / np.sqrt(x * x + y * y) * x


def of_normed(w: float, x: float, y: float) -> float:
    q = np.array([w, x, y])
    q = q / np.linalg.norm(q)
    return 2 * np.arctan2(np.linalg.norm(q[1:]), q[0]) / np.linalg.norm(q[1:]) * q[1]


def of_reciprocal(w: float, x: float, y: float) -> float:
    r = 1 / np.sqrt(w * w + x * x + y * y)
    return 2 * np.arccos(r * w) / np.sqrt((r * x) ** 2 + (r * y) ** 2) * (r * x)


def exactly(w, x, y):
    v = mpmath.sqrt(x * x + y * y)
    return 2 * mpmath.atan2(v, w) / v * x


PROGRAMS = [
    of_both_lengths,
    of_both_hypot,
    of_a_sine,
    of_unit,
    of_unit_vector,
    of_normed,
    of_reciprocal,
]
LIMITS = {"float32": 1e-5, "float64": 1e-13}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_rotation_vectors(f, dtype):
    """At rest x is 0, and so are the slopes by all but x: the limit of 2/w."""
    derived = derive(f, "value_and_grad", dtype=dtype)
    for run in (derived, derived.reference):
        value, slopes = run(2.0, 0.0, 0.0)
        assert (value, *slopes) == (0.0, 0.0, 1.0, 0.0)
    for point in ((0.75, 1e-3, 0.25), (1.0, 1e-6, 0.0), (1.0, 2e-9, -1e-9), (0.25, 0.5, 0.75)):
        point = [float(np.dtype(dtype).type(a)) for a in point]
        with mpmath.workdps(60):
            given = [mpmath.mpf(a) for a in point]
            wanted = [float(exactly(*given))]
            wanted += [float(mpmath.diff(exactly, given, n)) for n in np.eye(3, dtype=int).tolist()]
        for run in (derived, derived.reference):
            value, slopes = run(*point)
            found = [float(value), *map(float, slopes)]
            scale = LIMITS[dtype] * max(map(abs, wanted))
            assert found[0] == pytest.approx(wanted[0], rel=LIMITS[dtype])
            assert found[1:] == pytest.approx(wanted[1:], rel=LIMITS[dtype], abs=scale)


def with_one_more(w: float, x: float, y: float) -> float:
    """Squares of three sides, of which one is written otherwise."""
    v = np.sqrt(x * x + y * y)
    return np.arccos(w / np.sqrt(w * w + v * v + (x * y) ** 4))


def test_all_sides_count():
    point = (0.5, 0.75, -1.25)
    with mpmath.workdps(40):
        w, x, y = map(mpmath.mpf, point)
        wanted = float(mpmath.acos(w / mpmath.sqrt(w * w + x * x + y * y + (x * y) ** 4)))
    value, _ = derive(with_one_more, "value_and_grad", dtype="float64")(*point)
    assert float(value) == pytest.approx(wanted, rel=1e-14)
