"""Programs over Python's protocols: truth, length, items. Python runs them too.

Also over its words for types. Every public function takes two real numbers and gives numbers.
"""

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import Annotated, Final, Literal, NewType

from egad import exp, float3, max_iters, sin, struct


@struct
class Maybe:
    has: bool
    value: float

    def __bool__(self) -> bool:
        return self.has


@struct
class Stack:
    n: int
    value: float

    def __len__(self) -> int:
        return self.n

    def __contains__(self, x) -> bool:
        return x < self.value

    def __abs__(self):
        return abs(self.value)

    def __float__(self) -> float:
        return 3.0 * self.value

    def __int__(self) -> int:
        return self.n + 1

    def __iter__(self):
        return iter((self.value, 2.0 * self.value))


@struct
class Always:
    value: float


class Kind(Enum):
    NONE = 0
    SOME = 1


class Level(IntEnum):
    LOW = 0
    HIGH = 1


def in_if(a, b):
    m = Maybe(a > 1.0, a * b)
    if m:
        return m.value * a
    return b


def in_not_and_or(a, b):
    m, n = Maybe(a > 0.0, a), Maybe(b > 0.0, b)
    first = m and n
    second = m or n
    both = 1.0 if m and n else 2.0
    either = 3.0 if not m or not n else 4.0
    return first.value * a + second.value * b, both, either


def in_while(a, b):
    m = Maybe(True, a)
    max_iters(6)
    while m:
        m.value = m.value * 0.5 + 0.01 * b
        m.has = m.value > 0.37
    return m.value


def by_length(a, b):
    s, t = Stack(int(a > 0.5), a), Stack(2, b)
    x = s.value * len(t) if s else t.value * len(s)
    return x + (a if t else b), bool(s), len(s)


def of_either(a, b):
    m, s = Maybe(a > b, a), Always(b)
    found = m if a > 0.0 else s
    return a * b if found else a + b


def of_lists(a, b):
    empty, full = [], [a]
    x = a if empty else b
    y = a if full and (a, b) and not () else b
    return x * y * 1.5


def of_members(a, b):
    kind, level = Kind.NONE, Level.LOW
    x = a if kind else b
    return x * (2.0 if level else 3.0)


def through_methods(a, b):
    s = Stack(2, a)
    inside = b if b in s else a * b
    outside = b if b not in s else a
    return abs(s) * inside, float(s) + outside, int(s)


def items_of_a_struct(a, b):
    s = Stack(2, a * b)
    x, y = s
    total = 0.0
    for v in s:
        total += v * v
    return x * y, total, sum(s), max(*s), [v + b for v in s][1], list(s)[-1]


def items_of_a_vector(a, b):
    v = float3(a, b, a * b)
    xs = list(v)
    xs[1] = xs[1] ** 2
    w = float3(*xs)
    p, q, r = tuple(w)
    return p * q * r, sum(v), sum(list(v)), max(v), min(v), max(list(v))


def with_counts(a, b):
    total = 0.0
    for i, x in enumerate(float3(a, b, 1.0), start=1):
        total += i * x * x
    for i, x in enumerate([a, b], 3):
        total += i * x
    return total, sum(i * x for i, x in enumerate((a, b), 2))


def in_pairs(a, b):
    v, xs = float3(a, b, 2.0), [sin(a), b]
    total = sum(x * y for x, y in zip(v, xs, strict=False))
    rows = [[a, 1.0], [b, 2.0]]
    for row, k in zip(rows, range(2), strict=True):
        row[0] += k + 1.0
    return (
        total,
        rows[0][0] * rows[1][0],
        float3(*reversed(v)).x,
        list(zip(v, v, strict=True))[1][0],
    )


def mapped(a, b):
    v = float3(a, b, 0.5)
    squares = list(map(lambda x, y: x * y + b, v, v))
    kept = list(filter(lambda k: k % 2, range(5)))
    return sum(squares), sum(map(exp, (a, b))), len(kept) * a, kept[1]


def in_order(a, b):
    up = sorted([a, b, 1.0, a * b])
    down = sorted(float3(a, b, 0.0), reverse=True)
    return up[0] * 1.0 + up[1] * 2.0 + up[2] * 3.0 + up[3] * 4.0, down[0], down[2]


def members_of_lists(a, b):
    xs = [1.0, 2.5, a]
    x = a if 2.5 in xs else b
    y = b if a in (7.5, -9.0) else a * a
    z = a if int(abs(b)) in range(1, 3) else b
    return x, y, z, any([[], [a]]), all([Maybe(a > 0.0, b), Always(b)])


Metres = NewType("Metres", float)


@struct
class Segment:
    length: Annotated[float, "m"]
    kind: Literal[1, 2]
    slope: float | int = 2


def _along(s: Segment, at: Metres, ends: Sequence[float], mode: Literal["up", "down"]) -> float:
    sign: Final = 1.0 if mode == "up" else -1.0
    return sign * s.length * s.slope * at + sum(ends) * s.kind


def words_of_typing(a: Annotated[float, "m"], b: Metres) -> float | int:
    return _along(Segment(a, 2), b, (a, b), "up") * _along(Segment(b, 1, a), a, [a], mode="down")
