"""A value and a root that nearly cancel: all digits of values and slopes, beside 200."""

import math

import numpy as np
import pytest
from gaps import no_digits_are_lost, wanted

from egad import derive


def larger(a: float, b: float, c: float) -> float:
    return (-b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)


def smaller(a: float, b: float, c: float) -> float:
    d = b**2 - 4.0 * (a * c)
    s = math.sqrt(d)
    return (-b - s) / a / 2.0


def half(a: float, b: float, c: float) -> float:
    inverse = 1.0 / a
    return (math.sqrt(b * b - c * a) - b) * inverse


def weighted(a: float, b: float, c: float) -> float:
    return 0.5 * c * (b - math.sqrt(b * b - 4.0 * a * c)) / a


def chosen(a: float, b: float, c: float) -> float:
    d = b * b - 4.0 * a * c
    if d < 0.0:
        return -1.0
    s = math.sqrt(d)
    near = (-b - s) / (2.0 * a)
    return near if near > 0.0 else (-b + s) / (2.0 * a)


def sphere(b: float, c: float) -> float:
    """Where a ray of a unit direction enters."""
    return -b - math.sqrt(b * b - c)


def reduced(b: float, c: float) -> float:
    return -b / 2.0 + math.sqrt((b / 2.0) ** 2 - c)


def root_less_one(x: float) -> float:
    return 3.0 * (math.sqrt(1.0 + x) - 1.0)


def sagitta(x: float) -> float:
    return 1.0 - math.sqrt(1.0 - x * x)


def bound(e: float, s: float, k: float) -> float:
    """Morrison's equation: what of an enzyme is bound."""
    b = e + s + k
    return (b - math.sqrt(b * b - 4.0 * e * s)) / (2.0 * e)


def complex_of_two(a: float, b: float, k: float) -> float:
    """How much of two is bound to one another, without a quotient."""
    return 0.5 * (a + b + k - math.sqrt((a + b + k) ** 2 - 4.0 * a * b))


def acid(k: float, c: float) -> float:
    """What a weak acid sets free."""
    return 0.5 * (-k + math.sqrt(k * k + 4.0 * k * c))


def limited(t: float, a: float, b: float) -> float:
    """A hyperbola between two limits, as of photosynthesis."""
    return (a + b - math.sqrt((a + b) ** 2 - 4.0 * t * a * b)) / (2.0 * t)


def reverting(s: float, k: float) -> float:
    """Of Heston's characteristic function."""
    return (k - math.sqrt(k * k + 2.0 * s * s)) / (s * s)


EQUATIONS = [
    (1.0, 3.0, 2.0),
    (1.0, -3.0, 2.0),
    (1.0, 1e3, 1e-6),
    (1.0, -1e3, 1e-6),
    (2.0, 1e3, -0.01),
    (-1e-5, 5.0, 3.0),
    (1e-6, -1.0, 1.0),
    (-2.0, -5.0, 3.0),
]
RAYS = [(3.0, 2.0), (-3.0, 2.0), (-1.0, 1e-7), (1.0, 1e-7), (1e4, 1.0), (-1e4, 1.0), (-1.0, 0.0)]
BOUND = [(1e-9, 1.0, 0.5), (1e-4, 2.0, 0.5), (0.5, 0.3, 0.2), (3.0, 0.01, 0.5)]
LIMITED = [(1e-9, 1.0, 2.0), (1e-4, 2.0, 0.5), (0.9, 1.0, 2.0)]
COMPLEX = [(1.0, 1e-9, 1.0), (2.0, 1e-5, 0.5), (1.0, 2.0, 0.5), (3.0, 0.01, 0.5)]
ACID = [(1e-5, 1.0), (1e-9, 2.0), (0.3, 0.2), (2.0, 0.7)]
REVERTING = [(1e-9, 1.5), (1e-4, 0.3), (0.3, 1.5), (0.3, -1.5)]
SMALL = [(0.0,), (1e-9,), (1e-5,), (1e-3,), (0.1,), (0.7,)]
POINTS = {
    **dict.fromkeys((larger, smaller, half, weighted, chosen), EQUATIONS),
    **dict.fromkeys((sphere, reduced), RAYS),
    **dict.fromkeys((root_less_one, sagitta), SMALL),
    **{complex_of_two: COMPLEX, acid: ACID},
    **{bound: BOUND, limited: LIMITED, reverting: REVERTING},
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_no_digits_are_lost(f, dtype):
    limit = 3e-6 if dtype == "float32" else 1e-14
    no_digits_are_lost(f, POINTS[f], dtype, limit, 1e-30)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("a", "b", "k"), [(1.0, 1.0, 1e6), (1e6, 1.0, 1.0), (1.0, 1e-6, 1e3)])
def test_little_that_is_bound(a, b, k, dtype):
    """Of the text as it is written nothing is left; slopes beside 1 have their digits."""
    value, slopes = derive(complex_of_two, "value_and_grad", dtype=dtype)(a, b, k)
    want = wanted(complex_of_two, [float(np.dtype(dtype).type(x)) for x in (a, b, k)])
    limit = 1e-6 if dtype == "float32" else 1e-14
    assert value == pytest.approx(want[0], rel=limit)
    assert [*slopes] == pytest.approx(want[1:], rel=limit, abs=limit * max(map(abs, want[1:])))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "b"), [(larger, 1.5), (smaller, -1.5), (half, 1.5), (weighted, 1.5)])
def test_where_the_equation_is_linear(f, b, dtype):
    want = wanted(f, (1e-30, b, 0.75))
    value, slopes = derive(f, "value_and_grad", dtype=dtype)(0.0, b, 0.75)
    assert [value, *slopes] == pytest.approx(want, rel=1e-6 if dtype == "float32" else 1e-14)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "point"),
    [(bound, (0.0, 1.5, 0.5)), (limited, (0.0, 1.0, 2.0)), (reverting, (0.0, 1.5))],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_where_nothing_is_divided_by(f, point, dtype):
    value, slopes = derive(f, "value_and_grad", dtype=dtype)(*point)
    want = pytest.approx(wanted(f, point), rel=1e-6 if dtype == "float32" else 1e-14, abs=1e-30)
    assert [value, *slopes] == want


def length(x: float, y: float) -> float:
    """Smith's masking: what is added to a root is a length."""
    return 1.0 / (x + math.sqrt(x * x + y - x * x * y))


def added(x: float, y: float) -> float:
    """What is added is not negative."""
    return abs(x) + math.sqrt(x * x + y)


def hidden(x: float, y: float) -> float:
    """A sum would hide the digits."""
    return y + (math.sqrt(1.0 + x) - 1.0)


@pytest.mark.parametrize("f", [length, added, hidden])
def test_what_stays_as_it_is(f):
    plain = derive(f, "value_and_grad", dtype="float64", math="strict")
    got = derive(f, "value_and_grad", dtype="float64")
    assert got.report.cost_after <= plain.report.cost_after
    assert not any(word in got.source for word in ("fabs(x)", "?")) or f is added
