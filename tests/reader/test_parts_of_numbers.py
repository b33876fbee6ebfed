"""`frexp` and `ldexp`: numbers and their powers of two, to the last bit, and their slopes."""

import math

import numpy as np
import pytest

from egad import derive

pytestmark = pytest.mark.numbers


def mantissa(x: float) -> float:
    return math.frexp(x)[0]


def exponent(x: float) -> float:
    return 1.0 * np.frexp(x)[1]


def both(x: float) -> float:
    m, n = math.frexp(x)
    return math.ldexp(m, n)


def scaled(x: float, n: int) -> float:
    return math.ldexp(x, n)


def of_an_array(x: np.ndarray) -> float:
    m, n = np.frexp(x)
    return np.sum(np.ldexp(m, n + 1) * m)


NUMBERS = [0.0, 0.5, -0.5, 1.0, -4.0, 3.7, 1 - 2.0**-53, 1023.9999, 1.9999999, 1e-30, -1e30]
EDGES = [math.inf, -math.inf, 5e-324, 1e-310, 1.7e308, 2.0**-1022, -(2.0**1023)]


@pytest.mark.parametrize("f", [mantissa, exponent, both], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_those_of_python_to_the_last_bit(f, dtype):
    kind = np.dtype(dtype).type
    numbers = np.array(NUMBERS + EDGES * (dtype == "float64") + [1e-42]).astype(kind)
    primal = derive(f, "primal", dtype=dtype)
    for way in (primal, primal.reference):
        assert list(way(numbers)) == [f(float(x)) for x in numbers]


@pytest.mark.parametrize(
    "x, n", [(0.9, 1024), (-0.75, 1000), (3.0, -1074), (1.0, -1074), (1.5, 3), (2.0**-1074, 2000)]
)
def test_a_power_may_overflow_where_the_product_does_not(x, n):
    primal = derive(scaled, "primal", dtype="float64")
    for way in (primal, primal.reference):
        assert way(x, n) == scaled(x, n)


def test_slopes():
    x = np.array([[3.7, 0.2], [1.0, -9.0]])
    found = derive(of_an_array, dtype="float64")
    for way in (found, found.reference):  # of 2 * m**2 * 2**n
        np.testing.assert_allclose(way(x, 1.0).x, 4.0 * x / 2.0 ** np.frexp(x)[1], rtol=1e-14)
    assert derive(mantissa, dtype="float64")(3.7, 1.0).x == 0.25
    assert derive(both, dtype="float64")(-3.7, 1.0).x == 1.0
