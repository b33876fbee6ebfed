"""Powers of integers whose exponent a kernel alone knows: integers where Python's have 32 bits."""

import enum

import numpy as np
import pytest

from egad import derive, max_iters
from egad.terms.errors import TraceError


def signs(x: float, n: int) -> float:
    for k in range(n & 7):
        x = x + (-1) ** k * (0.5 + k)
    return x * (-1) ** (n & 1023) + 0 ** (n & 3) + 1 ** (n & 4095)


def bits(x: float, n: int) -> float:
    for k in range(5):
        if n & 2**k:
            x = x * 1.25 + (2**k & 6)
    return x


def bases(x: float, n: int) -> float:
    b = (n % 7) - 3
    return x * (b ** (n & 15)) + (3 ** (n & 15) >> 2) + [1.0, x, 2.0][(5 ** (n & 3)) % 3]


def reals(x: float, n: int) -> float:
    """What may have more than 32 bits, or be a fraction, is a real."""
    max_iters(60)
    for k in range(n):
        x = x + 2**k * 0.5**k + 2 ** (k - 3)
    return x


@pytest.mark.parametrize("f", [signs, bits, bases, reals])
def test_as_python_has_it(f):
    numbers = np.arange(50)
    want = [f(0.75, n) for n in numbers.tolist()]
    primal, backward = derive(f, "primal", dtype="float64"), derive(f, "bwd", dtype="float64")
    for found in (primal(0.75, numbers), primal.reference(0.75, numbers)):
        np.testing.assert_allclose(found, want, rtol=1e-12)
    x = np.full(numbers.shape, 0.75)
    slopes = [(f(1.75, n) - f(-0.25, n)) / 2 for n in numbers.tolist()]  # f is linear in x
    for found in (backward(x, numbers, 1.0), backward.reference(x, numbers, 1.0)):
        np.testing.assert_allclose(found.x, slopes, rtol=1e-12, atol=1e-9)


def test_a_power_that_may_be_anything_has_no_bits():
    with pytest.raises(TraceError, match=r"operations on bits need integers"):
        derive(lambda x, n: x * (n**n & 1), types={"n": int})


class Place(enum.Enum):
    FIRST, SECOND = 0, 1


def by_member(x: float) -> float:
    return [x, 2.0 * x][Place.SECOND]


def by_any_member(x: float, place: Place) -> float:
    return [x, 2.0 * x][place]


@pytest.mark.parametrize("f", [by_member, by_any_member])
def test_a_plain_member_is_no_index(f):
    with pytest.raises(TraceError, match="is a member of Place, which is no index in Python"):
        derive(f)


def table(x: float, i: int) -> float:
    return x * [1, 2**40, 3][i]


def test_the_number_beyond_32_bits_in_a_table_is_named():
    with pytest.raises(TraceError, match="beyond 32 bits: it is made of 1099511627776"):
        derive(table)
