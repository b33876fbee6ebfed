"""Programs as people write them: `functools`, `itertools`, `operator`, NumPy by keywords, enums.

Every public function takes two real numbers; Python runs them too.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import math
import operator
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from operator import attrgetter, itemgetter, methodcaller

import numpy as np


@dataclass
class _A:
    r: float

    def grown(self, k, plus=0.0):
        return _A(self.r * k + plus)


@dataclass
class _B(_A):
    h: float = 2.0


@dataclass
class _C:
    inner: _A
    w: float


@functools.singledispatch
def _area(s, k=1.0):
    return 0.0 * k


@_area.register
def _(s: _A, k=1.0):
    return math.pi * s.r**2 * k


@_area.register(_C)
def _(s, k=1.0):
    return _area(s.inner, k) + s.w


@_area.register(int)
@_area.register(float)
def _(s, k=1.0):
    return s * k + 1.0


@_area.register(list)
def _(s, k=1.0):
    return sum(_area(v, k) for v in s)


@_area.register(tuple)
def _(s, k=1.0):
    return 3.0


def dispatch(a, b):
    best = _A(a) if a > b else _A(b)
    known = _area(_A(a)) + _area(_B(b, 1.0), k=a) + _area(_C(_A(b), a)) + _area(a, 2.0)
    return known + _area([_A(a), b]) + _area("s") + _area((a,)) + _area(3) * a + _area(best, b)


def dispatch_of_one_or_another(a, b):
    best = _A(a) if a > b else _C(_A(b), a)
    return _area(best, b)


def getters(a, b):
    points = [(a, 1.0, b), (b, 2.0, a), (1.0, 0.5, 0.1)]
    smallest = min([_C(_A(a), b), _C(_A(b), a * b)], key=attrgetter("inner.r"))
    w, inner = attrgetter("w", "inner")(smallest)
    grow = methodcaller("grown", 2.0, plus=1.0)
    total = sorted(points, key=itemgetter(0))[0][2] * a + sum(map(itemgetter(1), points)) * b
    total += w * inner.r + grow(inner).r + itemgetter(0, 2)(points[0])[1]
    total += itemgetter(slice(0, 2))(points[1])[0] + itemgetter("k")({"k": a})
    return total + itemgetter(1)(np.array([a, b])) + operator.getitem({"k": b}, "k")


def chained(a, b):
    rows = [[a, b], [a * b], []]
    d = dict.fromkeys(["x", "y"], a)
    d["x"] += b
    e = collections.OrderedDict.fromkeys("ab")
    e["a"] = b
    flat = sum(itertools.chain.from_iterable(rows))
    return flat + d["x"] * d["y"] + e["a"] + (e["b"] is None) * a


def deleted_names(a, b):
    t = a * b
    u = t + 1.0
    del t
    t = u * 2
    s = 0.0
    for _ in range(6):
        tmp = s * 0.5 + a
        s = tmp * b
        del tmp
    del u
    return s + t


def places(a, b):
    m = np.array([[a, b], [1.0, a * b]])
    s = 0.0
    for (i, j), v in np.ndenumerate(m):
        s += v * i - j * b
    for index in np.ndindex(m.shape):
        s += m[index] ** 2
    for i, j in np.ndindex(2, 2):
        s += m[i, j] * i
    return s


def quantiles(a, b):
    x = np.array([a, b, 2.0, 0.3, a * b])
    s = np.quantile(x, 0.3) + np.percentile(x, 50) + np.percentile(x, q=90) * b
    s += np.gradient(x)[0] + np.gradient(x, 0.5)[2] + np.gradient(x)[-1]
    return s + np.float_power(abs(a), b) + np.quantile([a, b], 1.0) + np.float_power(x, 2)[1]


def grids(a, b):
    x, y = np.meshgrid(np.linspace(0, a, 3), [1.0, b])
    p = np.pad(x * y, 1)
    s = (p[1:, 1:] * p[:-1, :-1]).sum() + np.pad([a, b], (0, 2), mode="edge")[3]
    return s + np.pad([a, b], 1, constant_values=b)[0]


def by_keyword(a, b):
    x = np.array([a, b])
    s = np.full(fill_value=a, shape=3).sum() + np.linalg.norm(x=x) + np.argmax(a=x) * a
    s += np.interp(xp=[0.0, 1.0, 2.0], x=b, fp=[a, b, 1.0]) + np.expand_dims(axis=0, a=x)[0, 1]
    return s + np.nan_to_num(nan=2.0, x=x).sum()


def clipped(a, b):
    x = np.array([a, b, 2 * a])
    s = np.clip(x, a_max=1.0, a_min=0.6).sum() * a + np.clip(x, max=1.0).sum() * b
    s += x.clip(max=b).sum() + x.clip(0.8).sum() + np.clip(x, None, 1.0).sum()
    return s + np.clip(a, np.array([0.8, 0.1]), 1.5).sum()


def clipped_numbers(a, b):
    s = np.clip(a, a_max=1.0, a_min=0.6) * b + np.clip(b, 0.3, None) + np.clip(a * b, max=b)
    return s + np.clip(b, None, a) + np.clip(a, min=0.1) + np.clip(a * a, 0.0, 9.0)


def taken_apart(a, b):
    c = _C(_A(a), b)
    d = dataclasses.asdict(c)
    inner, w = dataclasses.astuple(c)
    s = 0.0
    for f in dataclasses.fields(_B(a, b)):
        s += getattr(_B(a, b), f.name) * len(f.name)
    return d["inner"]["r"] * d["w"] + inner[0] + w**2 + s + len(dataclasses.fields(_C)) * a


def removed(a, b):
    xs = [1, 2, 3, 2]
    xs.remove(2)
    names = ["x", "y"]
    names.remove("x")
    return xs[1] * a + len(xs) * b + len(names) + [a, b, 1.0][slice(1, None)][0]


class _Kind(Enum):
    LINEAR = "linear"
    QUAD = "quad"

    def apply(self, x):
        return x if self is _Kind.LINEAR else x * x


class _Unit(StrEnum):
    M = "m"
    KM = "km"


@dataclass(frozen=True)
class _Options:
    kind: _Kind = _Kind.QUAD
    k: float = 1.0


def _scaled(x: float, unit: _Unit = _Unit.M) -> float:
    return x * {"m": 1.0, "km": 1000.0}[unit.value]


def _loss(r: float, kind: _Kind, k: float = 3.0) -> float:
    match kind:
        case _Kind.LINEAR:
            return abs(r)
        case _Kind.QUAD:
            return 0.5 * r * r * k


def members_that_are_texts(a: float, b: float, kind: _Kind = _Kind.QUAD) -> float:
    s = _loss(a - b, _Kind.LINEAR) + _loss(a, kind=kind) + _scaled(b) + _scaled(a, _Unit.KM)
    s += sum(_loss(a * i, k) for i, k in enumerate(_Kind)) + _Kind("quad").apply(b)
    options = _Options(k=a)
    return s + _loss(b, options.kind, options.k) + (a if options.kind is _Kind.LINEAR else b)


@dataclass
class _Model:
    @dataclass
    class Weights:
        w: float
        c: float

    weights: Weights

    def __call__(self, x: float) -> float:
        return self.weights.w * x + self.weights.c


def classes_inside(a, b):
    return _Model(_Model.Weights(a, b))(a * b)


def series_with_factorials(a, b):
    s = 0.0
    for k in range(1, 12):
        s += a**k / math.factorial(k) * b
    for n in range(4):
        for m in range(n + 1):
            s += math.comb(n, m) * a**m * b + math.gcd(12, m) * a
    return s


def _terms(x: float, n: int) -> Iterator[float]:
    t = 1.0
    for k in range(n):
        yield t
        t *= x / (k + 1)


def _total(xs: Iterable[float], skip: set[int] = frozenset()) -> float:
    return sum(x for i, x in enumerate(xs) if i not in skip)


def _mean(q: deque[float]) -> float:
    return sum(q) / len(q)


def hints_of_containers(a: float, b: float) -> float:
    buffer: deque[float] = deque(maxlen=3)
    seen: set[int] = set()
    counts: Counter[str] = Counter("aab")
    d: defaultdict[str, float] = defaultdict(float)
    for k in range(5):
        buffer.append(a * k + b)
        seen.add(k % 3)
        d["x"] += a * k
    rest: Iterator[float] = iter([a, b])
    total = _total(_terms(a, 6)) + _total(_terms(b, 3), {0}) + _total([a, b])
    return total + _mean(buffer) * len(seen) + counts["a"] * a + d["x"] + next(rest)


class _Gear(IntEnum):
    LOW = 0
    MID = 1
    HIGH = 4

    def apply(self, x):
        return x if self == _Gear.LOW else x * x * self.value

    @property
    def gain(self):
        return 2.0 if self is _Gear.MID else 1.0

    @staticmethod
    def half(x):
        return x / 2

    @classmethod
    def first(cls):
        return cls.LOW


def methods_of_members(a, b):
    gear = _Gear.MID if a > b else _Gear.HIGH
    return gear.apply(a) * gear.gain + gear.half(b) + (a if gear.first() is _Gear.LOW else b)


def _five(a, b):
    return [a, b, a * b, a - b, 0.5]


def some_of_them(a, b):
    positive = sum((x for x in _five(a, b) if x > 0), start=b) + sum(
        [x * x for x in _five(a, b) if x > 0.6]
    )
    return (
        positive * math.prod(x for x in _five(a, b) if x > 0.6)
        + len([x for x in _five(a, b) if x > 0.6]) * a
    )


def the_best_of_some(a, b):
    most = max(x * x for x in _five(a, b) if x < 1)
    none = min((x * a for x in _five(a, b) if x > 99), default=b)
    known = max((x for x in (1.0, 2.0) if x > 1), default=a)
    return most + none * known + max([x for x in _five(a, b) if x > 0.8], default=0.0)


def the_first_of_some(a, b):
    first = next((x for x in _five(a, b) if x > 0.6), b) * a
    return (
        first + next(x for x in _five(a, b) if x > 0.4) + next(x for x in (1.0, 2.0) if x > 1) * b
    )


def of_as_many_as_there_are(a, b):
    n = min(int(a * 3), 8)
    most = max((a * k - b for k in range(n)), default=0.0)
    return (
        most + math.prod(a + k for k in range(n)) + next((k * a for k in range(n) if k * a > 1), b)
    )


def the_nearest_of_those_that_are_hit(a, b):
    def hit(z, r):
        d = a * 0.1 + z
        rest = d * d - (z * z - r * r)
        return d - math.sqrt(rest) if rest > 0 else None

    hits = (hit(z, r) for z, r in [(5.0, 1.0), (4.0, 0.7 * b), (0.2, 0.1)])
    return min((t for t in hits if t is not None and t > 0), default=-1.0)


def random_numbers_of_two_generators(a, b):
    """What is above 32 bits in a trip is known where the trips are written out."""
    seed, other, total = 12345, 1, 0.0
    for _ in range(3):
        pair = []
        for _ in range(2):
            seed = (1664525 * seed + 1013904223) & 0xFFFFFFFF
            pair.append((seed + 1) / 4294967297)
        z = math.sqrt(-2 * math.log(pair[0])) * math.cos(2 * math.pi * pair[1])
        total += max(a * math.exp(b * z) - 1.0, 0.0)
    trips = 0
    while trips < 4:
        other = other * 6364136223846793005 + 1442695040888963407
        total += a * (other % 1000) / 1000
        trips += 1
    return total


def the_first_trip_begins(a, b):
    """What only the first trip assigns is there in those that follow."""
    first, code = True, 0
    for i in range(4):
        v = math.sin(i * a) + b
        if first:
            first = False
            low = high = v
        else:
            low, high = min(low, v), max(high, v)
    for letter in b"ab":
        code = code * 31 + letter
    return high - low + code * a
