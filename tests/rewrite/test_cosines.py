"""Squares of cosines, and angles that are known by their tangents: no roots, and no choices."""

import math

import mpmath
import numpy as np
import pytest

from egad import derive
from egad.rewrite.regroup.quotients import without_roots
from egad.terms.term import Term, toposort, var
from egad.terms.types import Scalar


def improper(c: float, x: float, y: float, z: float, u: float, v: float, w: float) -> float:
    """An energy of the angle between two vectors."""
    lengths = math.sqrt(x * x + y * y + z * z) * math.sqrt(u * u + v * v + w * w)
    cosine = (x * u + y * v + z * w) / lengths
    return c * cosine * cosine


def slip(v: float, rear: float, front: float, steer: float) -> float:
    """How fast a car turns, by the angle at which its centre moves."""
    return v / rear * math.sin(math.atan2(rear * math.tan(steer), front + rear))


def slip_of_ratio(v: float, rear: float, front: float, steer: float) -> float:
    return v / rear * math.sin(math.atan(rear / (front + rear) * math.tan(steer)))


def heading(v: float, rear: float, front: float, steer: float) -> float:
    slip = math.atan(rear * math.tan(steer) / (front + rear))
    return v * math.cos(slip) * math.tan(steer) / (front + rear)


def sine_of_ratio(y: float, x: float) -> float:
    return math.sin(math.atan(y / x))


CARS = [slip, slip_of_ratio, heading]
POINT = (1.3, 0.7, 0.4, 0.9)


def slopes(f, point):
    """In 40 digits."""
    inside = type(f)(f.__code__, {"math": mpmath.mp})
    with mpmath.workdps(40):
        axes = np.eye(len(point), dtype=int)
        return [float(mpmath.diff(inside, tuple(map(mpmath.mpf, point)), tuple(a))) for a in axes]


@pytest.mark.numbers
@pytest.mark.parametrize("scale", [1e-11, 1.0, 1e11])
def test_a_square_of_a_cosine_is_right_as_long_as_squares_of_lengths_are(scale):
    """In single precision, where products of two such squares are 0 or infinite."""
    point = (2.0, *(scale * k for k in (1.0, 0.3, 0.2, -0.5, 1.0, 0.7)))
    assert float(derive(improper, "primal")(*point)) == pytest.approx(improper(*point), rel=1e-5)
    found = np.array(derive(improper, "bwd")(*point, 1.0), float)
    assert found == pytest.approx(np.array(slopes(improper, point)), rel=1e-4)


def test_a_square_of_a_cosine_needs_no_root():
    counts = derive(improper, "primal").report.counts_after
    assert not {"sqrt", "rsqrt"} & counts.keys()
    assert counts["div"] == 2


def test_a_square_of_a_root_stays_where_nothing_else_says_that_it_is_of_no_negative_number():
    a, x = var("a", Scalar.F64), var("x", Scalar.F64)

    def op(name, *args):
        return Term(name, args, None, Scalar.F64)

    for base, roots in ((a, {"sqrt"}), (op("mul", a, a), set())):
        quotient = op("div", x, op("sqrt", base))
        square = op("mul", quotient, quotient)
        pairs = dict(without_roots([square]))
        assert {t.op for t in toposort([pairs.get(square, square)])} & {"sqrt"} == roots


@pytest.mark.numbers
@pytest.mark.parametrize("f", CARS, ids=lambda f: f.__name__)
def test_how_a_car_turns(f):
    found = derive(f, "bwd", dtype="float64")(*POINT, 1.0)
    assert np.array(found, float) == pytest.approx(np.array(slopes(f, POINT)), rel=1e-13)


@pytest.mark.parametrize("f", CARS, ids=lambda f: f.__name__)
def test_how_a_car_turns_takes_no_trigonometry_but_the_tangent(f):
    found = derive(f, "bwd").report.counts_after
    assert "tan" in found
    assert not {"sin", "cos", "sincos", "atan", "atan2"} & found.keys()


def test_a_distance_from_1_needs_no_guard_at_0():
    assert "select" not in derive(slip_of_ratio, "bwd").report.counts_after


@pytest.mark.numbers
@pytest.mark.parametrize("y", [2.0, -3.0])
@pytest.mark.parametrize("x", [1.5, -0.5, 0.0, -0.0])
def test_the_sine_of_a_ratio_has_the_sign_of_zero(y, x):
    with np.errstate(divide="ignore"):
        want = np.sin(np.arctan(np.float64(y) / np.float64(x)))
    assert float(derive(sine_of_ratio, "primal", dtype="float64")(y, x)) == pytest.approx(want)
