"""`n &= n - 1` takes a bit away: such a loop has at most 32 trips, and needs no `max_iters`."""

import pytest

from egad import TraceError, derive, uint


def weight(x: float, n: int) -> float:
    g, count = n ^ (n >> 1), 0
    while g:
        g &= g - 1
        count += 1
    return x**2 * count


def unsigned(x: float, n: int) -> float:
    bits = uint(n)
    while bits != 0:
        bits = (bits - 1) & bits
        x = x * 1.25
    return x


def natural(x: float, n: int) -> float:
    k = abs(n) + 3
    while k > 0 and x < 1e6:
        k &= k - 1
        x = x * 1.5
    return x


def no_bit(x: float, n: int) -> float:
    while n:
        n &= n - 2
        x = x * 1.5
    return x


@pytest.mark.parametrize("f", [weight, unsigned, natural], ids=lambda f: f.__name__)
def test_lowest_bits(f):
    primal, back = (derive(f, mode, dtype="float64") for mode in ("primal", "bwd"))
    for n in (0, 1, 7, 40, 2**20 - 1, 2**31 - 1):
        if f is natural and n == 2**31 - 1:  # its n + 3 has more than 32 bits
            continue
        for way in (primal, primal.reference):
            assert float(way(1.3, n)) == pytest.approx(float(f(1.3, n)), rel=1e-12)
        slope = (float(f(1.3 + 1e-6, n)) - float(f(1.3 - 1e-6, n))) / 2e-6
        for way in (back, back.reference):
            assert float(way(1.3, n, 1.0).x) == pytest.approx(slope, rel=1e-6, abs=1e-9)


def test_all_32_bits():
    assert derive(unsigned, "primal", dtype="float64")(1.0, -1) == pytest.approx(1.25**32)


def test_other_bits_are_not_taken_away():
    with pytest.raises(TraceError, match="no bound that can be found"):
        derive(no_bit)
