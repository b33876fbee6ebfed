"""Logarithms and exponentials to other bases have the forms of natural ones."""

import math

import numpy as np
import pytest

from egad import derive

pytestmark = pytest.mark.numbers


def decades(x: float) -> float:
    return math.log10(1.0 + x)


def octaves(x: float) -> float:
    return math.log2(1.0 - x)


def decades_of_sum(x: float) -> float:
    return math.log10(1.0 + 10.0**x)


def octaves_of_sum(a: float, b: float) -> float:
    return math.log2(2.0**a + 2.0**b)


def natural_of_octaves(a: float, b: float) -> float:
    return math.log(np.exp2(a) + np.exp2(b))


def three_octaves(a: float, b: float, c: float) -> float:
    return np.log2(np.exp2(a) + np.exp2(b) + np.exp2(c))


def smooth_minimum(a: float, b: float, k: float) -> float:
    return -k * np.log2(np.exp2(-a / k) + np.exp2(-b / k))


LN2, LN10 = math.log(2.0), math.log(10.0)
CASES = [
    (decades, (1e-12,), 1e-12 / LN10, (1 / LN10,)),
    (octaves, (1e-12,), -1e-12 / LN2, (-1 / LN2,)),
    (decades_of_sum, (3000.0,), 3000.0, (1.0,)),
    (decades_of_sum, (-20.0,), 1e-20 / LN10, (1e-20,)),
    (octaves_of_sum, (3000.0, 3000.0), 3001.0, (0.5, 0.5)),
    (natural_of_octaves, (3000.0, 2000.0), 3000.0 * LN2, (LN2, 0.0)),
    (three_octaves, (3000.0, 3000.0, -5000.0), 3001.0, (0.5, 0.5, 0.0)),
    (smooth_minimum, (1.0, 2.0, 2.0**-14), 1.0, (1.0, 0.0, 0.0)),
    (smooth_minimum, (-1.0, -1.0, 2.0**-14), -1.0 - 2.0**-14, (0.5, 0.5, -1.0)),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "point", "value", "slopes"), CASES)
def test_values_and_slopes(f, point, value, slopes, dtype):
    d = derive(f, "value_and_grad", dtype=dtype)
    limit = 2e-6 if dtype == "float32" else 1e-12
    for found in (d(*point), d.reference(*point)):
        assert found[0] == pytest.approx(value, rel=limit)
        assert list(found[1]) == pytest.approx(slopes, rel=limit, abs=limit)


def test_what_gains_nothing_stays_exact():
    def stops(x: float, y: float) -> float:
        return math.log2(x) + math.log10(y + 0.05)

    text = str(derive(stops, "primal", dtype="float64"))
    assert "log2(" in text and "log10(" in text
    assert derive(stops, "primal", dtype="float64")(8.0, 0.95) == 3.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_shares_that_are_nearly_all_keep_their_digits(dtype):
    def share(r: float) -> float:
        return math.log10(r / (1.0 + r))

    d = derive(share, "value_and_grad", dtype=dtype)
    for r in (2.0**-20, 0.5, 3.0, 2.0**30, 2.0**60):
        want = -math.log1p(1.0 / r) / LN10
        limit = 3e-6 if dtype == "float32" else 1e-14
        for value, slopes in (d(r), d.reference(r)):
            assert value == pytest.approx(want, rel=limit)
            assert slopes.r == pytest.approx(1.0 / (LN10 * r * (1.0 + r)), rel=limit)
