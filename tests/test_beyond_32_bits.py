"""Integers that leave 32 bits while a function is read: none becomes a real without being asked."""

import operator
from itertools import product

import numpy as np
import pytest

from egad import derive
from egad.codegen.host.reference import evaluate
from egad.terms.errors import TraceError

LEAST, MOST = -(2**31), 2**31 - 1


def wrap(number):
    """The low 32 bits of a number, as two's complement."""
    return (number + 2**31) % 2**32 - 2**31


def low_bits(n: int, x):
    return (n * 6364136223846793005 + 1442695040888963407) & 0xFFFF, x * ((n - 2**70) & 255)


def comparisons(n: int, x):
    big = 2**63
    return n < big, big < n, n >= -big, n == big, n != -big, min(n, big), max(-big, n), x < big


def beside_reals(n: int, x):
    return x * 10**12, 2**70 + x, n / 10**12, [0.5, 10**12][n & 1] * x, float(2**40) + x


def known_while_reading(n: int, x):
    t = 2147483647
    return (t * t) >> 31, (t * t) % 1021 + (n & 9), x * (-(t + 2) & 7)


@pytest.mark.parametrize("f", [low_bits, comparisons, beside_reals, known_while_reading])
def test_as_python_has_it(f):
    d = derive(f, "primal", dtype="float64")
    for n in (LEAST, -7, 0, 1, 5, MOST):
        want = [float(v) for v in f(n, 0.75)]
        for found in (d.reference(n, 0.75), d(n, 0.75)):
            np.testing.assert_allclose([float(v) for v in found], want, rtol=1e-15)


def squared(n: int):
    t = 2147483647
    for _ in range(n):
        t = t * t + 3
    return t


def counted_down(n: int):
    t = -2147483648
    for _ in range(n):
        t = t - 1
    return t


def counted_up(n: int):
    t = 2147483647
    for _ in range(n):
        t += 1
    return t


def seeded(n: int):
    s = 12345
    for _ in range(n):
        s = s * 1103515245 + 12345
    return s


def in_pairs(n: int):
    p = (MOST, 1)
    for _ in range(n):
        p = (p[1] * 3, p[0] * MOST)
    return p[0] ^ p[1]


@pytest.mark.parametrize("f", [squared, counted_down, counted_up, seeded, in_pairs])
def test_loops_wrap_around(f):
    d = derive(f, "primal")
    for n in range(6):
        assert d(n) == d.reference(n) == wrap(f(n))


def carried_as_reals(x, n: int):
    s = -(2**63)
    for _ in range(n):
        s = s * 0.5 + x
    return s


def masked_in_each_trip(x, n: int):
    h = 0xCBF29CE484222325
    for i in range(n):
        h = ((h ^ i) * 0x100000001B3) & 0xFFFFFFFF
    return x * (h & 0xFFFF)


@pytest.mark.parametrize("f", [carried_as_reals, masked_in_each_trip])
def test_loops_that_begin_beyond(f):
    d = derive(f, "primal", dtype="float64")
    for n in (0, 1, 5) if f is carried_as_reals else (1, 5):
        assert d(0.5, n) == d.reference(0.5, n) == f(0.5, n)


def from_beyond(x):
    for i in range(10**12, 10**12 + 5):
        x = 0.5 * x + (i & 7)
    return x


def test_range_beyond_32_bits():
    assert derive(from_beyond, "primal", dtype="float64")(0.5) == from_beyond(0.5)


def tabled(x, n: int):
    return x * [1, 10**12][n]


def chosen(x, n: int):
    return x * (10**12 if n > 3 else 1)


@pytest.mark.parametrize("f", [tabled, chosen])
def test_not_known_is_an_error(f):
    with pytest.raises(TraceError, match="beyond 32 bits"):
        derive(f, "primal")


BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floor_div": operator.floordiv,
    "floor_mod": operator.mod,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "min": min,
    "max": max,
}
SIGNS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floor_div": "{} // {}",
    "floor_mod": "{} % {}",
    "bit_and": "{} & {}",
    "bit_or": "{} | {}",
    "bit_xor": "{} ^ {}",
}
NUMBERS = (LEAST, LEAST + 1, -7, -1, 1, 2, 6, 65536, MOST - 1, MOST)


@pytest.mark.parametrize("name", BINARY)
def test_constants_that_meet_later(name, tmp_path, monkeypatch):
    """What the reader cannot see is a constant is folded later, as the kernel computes it."""
    text = SIGNS.get(name, name + "({}, {})")
    pairs = [p for p in product(NUMBERS, NUMBERS) if p != (LEAST, -1)]  # C leaves that open
    parts = [text.format(f"({a} ^ (n & 0))", f"({b} ^ (n & 0))") for a, b in pairs]
    lines = ["def f(n: int):", "    return [", *(f"        {p}," for p in parts), "    ]"]
    (tmp_path / f"constants_{name}.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    f = __import__(f"constants_{name}").f
    d = derive(f, "primal")
    want = [wrap(BINARY[name](a, b)) for a, b in pairs]
    read = [np.asarray(v).item() for v in evaluate(d.derivative, d.rules, {"n": np.array(5)})]
    assert read == want
    np.testing.assert_array_equal(np.ravel(d(5)), want)
