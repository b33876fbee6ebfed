"""Integers without a sign give the numbers of NumPy's uint32, and of Python's own integers."""

import linecache
import pickle
import random

import numpy as np
import pytest

import egad
from egad import Array, InOut, derive, struct, uint, uint3

M = 0xFFFFFFFF


def pcg(seed: uint):
    state = seed * 747796405 + 2891336453
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737
    return (word >> 22) ^ word


def wang(s: np.uint32):
    s = (s ^ 61) ^ (s >> 16)
    s *= 9
    s = s ^ (s >> 4)
    s *= 0x27D4EB2D
    return s ^ (s >> 15)


def murmur(h: np.uint32):
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    large = np.uint32(3000000000)
    return h, h / 4294967296.0, h % 1000, h // 7, h % large, h // large, h > 2147483648, h < 5.0


def rotated(x: uint, r: int) -> uint:
    return (x << r) | (x >> (32 - r))


def xxhash(a: uint, b: uint):
    h = rotated(uint(374761393) + a * uint(2246822519), 13) * uint(2654435761)
    h = rotated(h + b * uint(3266489917), 17) * uint(668265263)
    h ^= h >> 15
    h *= uint(2246822519)
    h ^= h >> 13
    h *= uint(3266489917)
    return h ^ (h >> 16)


def xorshift(s: uint, n: int):
    total = 0.0
    for _ in range(n):
        s ^= s << 13
        s ^= s >> 17
        s ^= s << 5
        total += float(s) * 2.0**-32
    return s, total


def by_a_number(s: uint, n: int):
    return s % n, s // n, s >> (n & 63)


def compared(u: uint, i: int):
    return u < i, u <= i, u > i, u >= i, u == i, u != i, i < u, i >= u, u < 3e9, u >= 2.5


def all_kinds(u: uint, v: uint):
    larger = u if u > v else v
    bits = -u, ~u, u - v, u & v | 1, u << 3, u >> 0, u >> 31, u**3
    reals = float(u), u / v, u * 0.5, np.sqrt(u), np.hypot(u, 1.0), egad.lerp(u, v, 0.5)
    return min(u, v), max(u, v), abs(u), larger, bool(u), *divmod(u, v), *bits, *reals


def from_real(x: float):
    return uint(x), uint(x) >> 1, np.uint32(x * 0.5)


def to_integer(u: uint):
    return int(u) % 10, int(u) / 3, np.int32(u), int(u) - (int(u) & 1023) & M


TABLE = []
for number in range(256):
    for _ in range(8):
        number = (number >> 1) ^ (0xEDB88320 if number & 1 else 0)
    TABLE.append(number)
ARRAY = np.array(TABLE, np.uint32)


def checksum(a: uint):
    c = np.uint32(M)
    for k in range(4):
        c = ARRAY[(c ^ (a >> (8 * k))) & 0xFF] ^ (c >> 8)
    return ~c


def python_pcg(seed: int) -> int:
    state = (seed * 747796405 + 2891336453) & M
    word = (((state >> ((state >> 28) + 4)) ^ state) * 277803737) & M
    return (word >> 22) ^ word


def python_congruential(seed: int, n: int):
    s, total = seed & M, 0.0
    for _ in range(n):
        s = (1664525 * s + 1013904223) % 2**32
        total += s / 4294967296.0
    return s, total


def python_fnv(a: int, n: int):
    h = 2166136261
    for i in range(n):
        h ^= (a >> i) & 0xFF
        h = (h * 16777619) & M
    return h, (h & 255) - 128, 1 - 2 * (h & 1), h % 10, h >> 3, h % 2147483648


def python_djb(a: int, n: int):
    h = 5381
    for i in range(n):
        h = (h * 33 + ((a >> i) & 0xFF)) & M
    return h


def python_checksum(a: int, n: int) -> int:
    c = M
    for k in range(4):
        c = TABLE[(c ^ (a >> (8 * k))) & 0xFF] ^ (c >> 8)
    return c ^ M


def python_remainder(s: int, n: int):
    return ((s * 7919) & M) % n


RNG = np.random.default_rng(0)
EDGES = np.array([0, 1, 2, 31, 32, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1], np.uint32)
U = np.concatenate([RNG.integers(0, 2**32, 200, dtype=np.uint32), EDGES])
V = np.concatenate([RNG.integers(0, 2**32, 200, dtype=np.uint32), EDGES[::-1]])
INT = RNG.integers(-(2**31), 2**31, len(U)).astype(np.int32)
FEW = RNG.integers(0, 9, len(U)).astype(np.int32)
SMALL = RNG.integers(1, 999, len(U)).astype(np.int32)
HALF = RNG.integers(2**30, 2**31, len(U)).astype(np.int32)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (pcg, [U]),
        (wang, [U]),
        (murmur, [U]),
        (xxhash, [U, V]),
        (xorshift, [U, FEW]),
        (by_a_number, [U, SMALL]),
        (by_a_number, [U, HALF]),
        (compared, [U, INT]),
        (compared, [np.arange(len(U), dtype=np.uint32), FEW * 30 - 50]),
        (all_kinds, [U, V | np.uint32(1)]),
        (from_real, [RNG.random(len(U)) * 2**32]),
        (to_integer, [U]),
        (checksum, [U]),
        (python_pcg, [INT]),
        (python_congruential, [INT, FEW]),
        (python_fnv, [INT, FEW]),
        (python_djb, [INT, FEW]),
        (python_checksum, [INT, FEW]),
        (python_remainder, [HALF, SMALL]),
        (python_remainder, [HALF, -SMALL]),
        (python_remainder, [HALF, INT | 1]),
    ],
)
def test_the_numbers_are_those_of_numpy_and_python(f, args):
    check(f, args)


def check(f, args):
    d = derive(f, "primal", dtype="float64")
    wanted = plainly(f, args)
    for way in (d, d.reference):
        found = way(*args)
        for place, (got, want) in enumerate(zip(columns_of(found), wanted, strict=True)):
            same = np.isclose(np.broadcast_to(got, want.shape), want, rtol=1e-14, atol=0)
            wrong = np.flatnonzero(~same)
            where = [column[wrong[0]] for column in args] if len(wrong) else None
            assert not len(wrong), (place, where, got, want)


def columns_of(found):
    return [np.asarray(c, float) for c in (found if isinstance(found, tuple) else [found])]


def plainly(f, args):
    """What the function gives by itself, of NumPy's unsigned numbers or Python's integers."""
    kinds = {uint: np.uint32, np.uint32: np.uint32, int: int, float: float}
    to = [kinds[f.__annotations__[name]] for name in f.__code__.co_varnames[: len(args)]]
    rows = []
    with np.errstate(all="ignore"):
        for row in zip(*args, strict=True):
            found = f(*(kind(value) for kind, value in zip(to, row, strict=True)))
            rows.append(found if isinstance(found, tuple) else (found,))
    return [np.array([float(v) for v in column]) for column in zip(*rows, strict=True)]


class Writer:
    """Random functions of Python's integers; each part is small, wide, or known by its bits."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def small(self, depth):
        """In -2**20 .. 2**20."""
        if not depth:
            return self.random.choice(["(p & 255)", "(q >> 20)", "7", "(-3)"])
        wide, pick = self.wide(depth - 1), self.random.randrange(6)
        if pick == 0:
            return f"(({self.loose(depth - 1)}) & {self.random.choice([1, 255, 65535])})"
        if pick == 1:
            return f"({wide} >> {self.random.randrange(14, 32)})"
        if pick == 2:
            return f"({wide} % {self.random.choice([2, 10, 1000, 65536])})"
        if pick == 3:
            return f"(({self.small(depth - 1)} & 1023) - {self.random.randrange(600)})"
        if pick == 4:
            comparison = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
            return f"(1 if {wide} {comparison} {self.any(depth - 1)} else -1)"
        return f"({wide} // {self.random.choice([65536, 99999, 2**24])})"

    def wide(self, depth):
        """In 0 .. 2**32 - 1, and said so."""
        if not depth:
            return self.random.choice(["p", "q", "2654435769", "4294967295"])
        pick = self.random.randrange(6)
        if pick < 3:
            return f"(({self.loose(depth - 1)}) & 0xFFFFFFFF)"
        if pick == 3:
            return f"(({self.loose(depth - 1)}) % 2**32)"
        if pick == 4:
            return f"({self.wide(depth - 1)} {self.random.choice('^|&')} {self.wide(depth - 1)})"
        return f"{self.random.choice(['min', 'max'])}({self.wide(depth - 1)}, {self.wide(0)})"

    def loose(self, depth):
        """Anything that is a sum, a product, … of wide ones."""
        pick = self.random.randrange(6)
        if pick == 0:
            return f"({self.wide(depth)} << {self.random.randrange(32)})"
        if pick == 1:
            return f"(~{self.wide(depth)})"
        return f"({self.wide(depth)} {self.random.choice('+-*^')} {self.any(depth)})"

    def any(self, depth):
        return self.random.choice([self.small, self.wide])(depth)

    def function(self):
        parts = ", ".join([self.wide(4), self.small(4), f"{self.wide(3)} / 2.0**32"])
        return f"def f(a: int, b: int):\n    p, q = a & {M}, b & {M}\n    return {parts}\n"


@pytest.mark.parametrize("seed", range(40))
def test_random_functions_of_integers(seed):
    text = Writer(seed).function()
    name = f"<unsigned {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    check(scope["f"], [INT, INT[::-1]])


@struct
class Generator:
    state: uint
    drawn: int = 0

    def next(self) -> float:
        self.state = self.state * 747796405 + 2891336453
        self.drawn += 1
        word = ((self.state >> ((self.state >> 28) + 4)) ^ self.state) * 277803737
        return ((word >> 22) ^ word) * 2.0**-32


def drawn(g: InOut[Generator], x: float) -> float:
    return g.next() * x + g.next()


def test_fields_without_a_sign():
    d = derive(drawn, "primal", dtype="float64")
    plain = Generator(np.uint32(4000000000), 3)
    with np.errstate(over="ignore"):
        wanted = drawn(plain, 2.0)
    found = d(Generator(4000000000, 3), 2.0)
    assert found.out == wanted
    assert (found.g.state, found.g.drawn) == (plain.state, 5)
    records = np.zeros(2, [("state", "u4"), ("drawn", "i4")])
    records["state"] = 4000000000
    several = d(records, 2.0)
    assert several.g.dtype == records.dtype
    assert several.g["state"].tolist() == [plain.state] * 2
    assert several.out.tolist() == [wanted] * 2
    assert "uint state;" in d.source


def mixed(v: uint3) -> uint3:
    v = v * 1664525 + 1013904223
    v.x += v.y * v.z
    v.y += v.z * v.x
    v.z += v.x * v.y
    v ^= v >> 16
    return v


def chained(a: Array[uint, 9], i: int) -> uint:
    t = uint(0)
    for k in range(9):
        t = (t ^ a[(k + i) % 9]) * 16777619
        a[k] = t
    return t ^ a[t % 9]


def test_vectors_and_arrays():
    numbers = [(2654435761 * (k + 1)) % 2**32 for k in range(9)]
    with np.errstate(over="ignore"):
        wanted = [int(leaf) for leaf in mixed(uint3(*numbers[:3])).leaves]
        end = chained([np.uint32(n) for n in numbers], 4)
    vectors, arrays = derive(mixed, "primal"), derive(chained, "primal")
    for way in (vectors, vectors.reference):
        found = way(np.array(numbers[:3], np.uint32))
        assert found.dtype == np.uint32
        assert found.tolist() == wanted
    assert arrays(numbers, 4) == arrays.reference(np.array(numbers, np.uint32), 4) == end


def estimate(a: float, b: float, seed: uint) -> float:
    total = 0.0
    for _ in range(64):
        seed ^= seed << 13
        seed ^= seed >> 17
        seed ^= seed << 5
        total += np.sin(a * (seed * 2.0**-32)) * b
    return total / 64


def noise(x: float, y: float) -> float:
    def corner(i: int, j: int) -> float:
        h = (i * 374761393 + j * 668265263) & M
        h = ((h ^ (h >> 13)) * 1274126177) & M
        return (h ^ (h >> 16)) / 4294967295.0

    i, j = int(np.floor(x)), int(np.floor(y))
    u, v = x - i, y - j
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    low = corner(i, j) * (1 - u) + corner(i + 1, j) * u
    return low * (1 - v) + (corner(i, j + 1) * (1 - u) + corner(i + 1, j + 1) * u) * v


@pytest.mark.parametrize(
    ("f", "point", "rest"), [(estimate, (1.3, 0.7), [3000000007]), (noise, (-1.3, 2.7), [])]
)
def test_derivatives_beside_random_numbers(f, point, rest):
    plain = [np.uint32(n) for n in rest]
    d = derive(f, "bwd", dtype="float64")
    curvature = derive(f, "hessian", dtype="float64")(*point, *rest)
    for k in range(2):
        ends = [list(point), list(point)]
        ends[0][k] += 1e-6
        ends[1][k] -= 1e-6
        with np.errstate(over="ignore"):
            slope = (f(*ends[0], *plain) - f(*ends[1], *plain)) / 2e-6
        rows = [np.array(d(*end, *rest, 1.0)) for end in ends]
        for way in (d, d.reference):
            assert way(*point, *rest, 1.0)[k] == pytest.approx(slope, rel=1e-7)
        np.testing.assert_allclose(curvature[k], (rows[0] - rows[1]) / 2e-6, rtol=1e-7)


def test_a_generator_is_run_backwards_not_stored():
    assert "storage     0 bytes" in derive(estimate, "bwd").explain()


def test_what_goes_in_and_comes_out():
    def following(u: uint):
        return u + 1

    d = derive(following, "primal")
    assert d(M) == d.reference(M) == 0
    assert d(3000000000) == pickle.loads(pickle.dumps(d))(3000000000) == 3000000001
    assert d(np.array([M, 5], np.int64)).tolist() == [0, 6]
    assert d(np.array([255], np.uint8)).dtype == np.uint32
    assert "__global const uint *restrict u" in d.source
    for wrong in (-1, 2**32, 1.5, np.array([-1], np.int32)):
        with pytest.raises(egad.DeviceError, match="uint32"):
            d(wrong)


def test_single_precision_rounds_once():
    d = derive(lambda u: u * 1.0, "primal", types={"u": uint})
    with np.errstate(over="ignore"):
        wanted = U.astype(np.float32)
    assert d(U).dtype == np.float32
    assert np.array_equal(d(U), wanted)
    assert np.array_equal(d.reference(U), wanted)


def test_the_words_compute_with_them():
    v = uint3(1, 2, 4000000000)
    with np.errstate(over="ignore"):
        assert (v * 3).leaves == [3, 6, 3410065408]
    assert egad.max(np.uint32(4000000000), 5) == 4000000000
    assert derive(lambda x: x * uint(-1), "primal", dtype="float64")(1.0) == uint(-1) == M


@egad.custom_bwd(lambda x, h, bar: (2.0 * bar * (h % 7), None))
def marked(x: float, h: int) -> float:
    return x * (h % 7)


def through_a_mark(x: float, i: int) -> float:
    return marked(x, (i * 2654435761) & M)


def test_functions_with_rules_and_traced_ones():
    d = derive(through_a_mark, dtype="float64")
    assert derive(through_a_mark, "primal", dtype="float64")(2.0, 5) == through_a_mark(2.0, 5)
    assert d(2.0, 5, 1.0).x == through_a_mark(2.0, 5)
    traced = egad.traced(lambda x: (egad.select(x > 1, 3000000000, 5) * x, 3000000000))
    assert tuple(derive(traced, "primal", dtype="float64")(2.0)) == (6e9, 3000000000)
