"""What points along a unit vector and vanishes with the length: slopes at rest, and beside."""

import mpmath
import numpy as np
import pytest

from egad import derive

pytestmark = pytest.mark.numbers


class Exact:
    """The functions that programs here take, with many digits."""

    sqrt, tanh, sin, cos, exp = mpmath.sqrt, mpmath.tanh, mpmath.sin, mpmath.cos, mpmath.exp
    hypot, arctan2, minimum = mpmath.hypot, mpmath.atan2, min


m = np  # or Exact


def named(x: float, y: float) -> float:
    length = m.hypot(x, y)
    unit = x / length
    return m.tanh(length) * unit


def used_twice(x: float, y: float) -> float:
    length = m.hypot(x, y)
    pull, unit = 1 - m.exp(-length), x / length
    return pull * unit + pull * pull * unit


def spring(x: float, y: float) -> float:
    length = m.sqrt(x * x + y * y)
    return -length * (x / length)


def spring_of_hypot(x: float, y: float) -> float:
    length = m.hypot(x, y)
    return -length * (x / length)


def quadratic_drag(x: float, y: float) -> float:
    speed = m.hypot(x, y)
    unit = x / speed
    return speed * speed * unit


def slack(x: float, y: float) -> float:
    length = m.hypot(x, y)
    unit = x / length
    return -2.0 * (length - 1.0) * unit if length > 1.0 else -3.0 * length * unit


def friction(x: float, y: float) -> float:
    speed = m.sqrt(x * x + y * y)
    return -m.minimum(speed / 0.125, 1.0) * x / speed


def friction_along(x: float, y: float) -> float:
    speed = m.hypot(x, y)
    return -m.minimum(speed / 0.125, 1.0) * (x / speed)


def polar(x: float, y: float) -> float:
    return m.sin(m.sqrt(x * x + y * y)) * m.cos(m.arctan2(y, x))


def distance(x: float, y: float) -> float:
    return m.hypot(x, y) * m.sin(m.arctan2(y, x))


def fisheye(x: float, y: float) -> float:
    theta, phi = m.arctan2(m.hypot(x, y), 1.5), m.arctan2(y, x)
    square = theta * theta
    return 2.0 * (theta * (1 + square * (0.25 - 0.0625 * square))) * m.cos(phi) + 3.0


PROGRAMS = [
    named,
    used_twice,
    spring,
    spring_of_hypot,
    quadratic_drag,
    slack,
    friction,
    friction_along,
    polar,
    distance,
    fisheye,
]
LIMITS = {"float32": 1e-5, "float64": 1e-12}
POINTS = [(0.0, 0.0), (1e-6, 2e-6), (0.375, -0.5), (3.0, 1.5)]


def slopes_of(f, point):
    """Differences with many digits, about points that are off by next to nothing: 0/0 is none."""
    with mpmath.workdps(120):
        step = mpmath.mpf(10) ** -40
        x, y = (mpmath.mpf(a) + step * step for a in point)
        return [
            float((f(x + step, y) - f(x - step, y)) / (2 * step)),
            float((f(x, y + step) - f(x, y - step)) / (2 * step)),
        ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["bwd", "jacobian"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_slopes_at_rest_and_beside(f, mode, dtype, monkeypatch):
    derived = derive(f, mode, dtype=dtype)
    given = [(p, tuple(float(np.dtype(dtype).type(a)) for a in p)) for p in POINTS]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "m", Exact)
        wanted = [slopes_of(f, point) for _, point in given]
    for (_, point), slopes in zip(given, wanted, strict=True):
        for run in (derived, derived.reference):
            found = [float(s) for s in run(*point, *([1.0] if mode == "bwd" else []))]
            scale = LIMITS[dtype] * max(map(abs, slopes)) + 1e-30  # the step's
            assert found == pytest.approx(slopes, rel=LIMITS[dtype], abs=scale)


def test_what_has_no_limit_stays():
    """A cosine alone is a number at 0, and so is what is not 0 with the distance."""

    def alone(x: float, y: float) -> float:
        return np.exp(-np.hypot(x, y)) * np.cos(np.arctan2(y, x))

    value, _ = derive(alone, "value_and_grad", dtype="float64")(0.0, 0.0)
    assert value == 1.0


def test_limits_are_shared_where_both_are_reached():
    """At the edge of the ramp both sides count by halves, over a length as elsewhere."""
    derived = derive(friction, "jacobian", dtype="float64")
    inside, edge, outside = (derived(x, 0.0).x for x in (0.0625, 0.125, 0.25))
    assert (inside, edge, outside) == (-8.0, -4.0, 0.0)


def test_a_side_counted_twice_is_another_length():
    def longer(x: float, y: float) -> float:
        length = np.sqrt(x * x + y * y + x * x)
        return np.sin(length) * np.cos(np.arctan2(y, x))

    value, _ = derive(longer, "value_and_grad", dtype="float64")(0.5, 0.75)
    assert value == pytest.approx(longer(0.5, 0.75), rel=1e-14)
