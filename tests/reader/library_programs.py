"""Programs that use what Python's and NumPy's libraries have for lists of things.

Every public function takes two real numbers and gives numbers; Python runs them too.
"""

import enum
import functools
import itertools
import math
from functools import partial, reduce

import numpy as np

from egad import float2, struct


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3
    TOP = 3


class Way(enum.Enum):
    IN = 0
    OUT = 2


@struct
class Arrow:
    x: float
    y: float

    def __add__(self, other: "Arrow") -> "Arrow":
        return Arrow(self.x + other.x, self.y + other.y)

    def along(self, k: float) -> float:
        return self.x + k * self.y

    def across(self, k: float) -> float:
        return self.y - k * self.x

    def __lt__(self, other: "Arrow") -> bool:
        return self.x < other.x


def _three(a, b):
    return [Arrow(a, b), Arrow(b, a), Arrow(a * b, 0.5)]


def best_by_a_key(a, b):
    low, high = min(_three(a, b), key=lambda p: p.y), max(_three(a, b), key=lambda p: p.x)
    k = max(range(3), key=lambda i: (a, b, 1.0)[i])
    return low.x * high.y + k, max([], default=a), max((a, 1), (b, 2), key=lambda t: t[0])[0]


def best_by_its_order(a, b):
    ps = _three(a, b)
    max(ps).y = 7.0 * a
    return ps[0].y + 2.0 * ps[1].y + 3.0 * ps[2].y, min(ps[0], ps[2]).x


def sorted_by_a_key(a, b):
    ps = sorted(_three(a, b), key=lambda p: -p.y * p.x)
    ks = sorted(range(4), key=lambda k: (k - 2) ** 2, reverse=True)
    return ps[0].x + 2.0 * ps[1].x + 3.0 * ps[2].x, ks[0] * a + ks[3] * b


def summed_structs(a, b):
    total = sum(_three(a, b), Arrow(0.0, 1.0))
    twice = sum((p for p in _three(a, b)), start=total)
    return total.x * total.y, twice.x


def summed_from_a_start(a, b):
    """Numbers and vectors, from a number, a vector, or a parameter on."""
    pairs = [float2(a, b), float2(b, a * a)]
    return (
        sum([a, b * b], 0.5),
        sum((a * b, b), start=a),
        sum((v * a for v in (a, b)), b),
        sum(pairs, float2(1.0, 2.0)).y,
    )


def reduced(a, b):
    last = reduce(lambda p, q: p + q, _three(a, b))
    return reduce(lambda p, q: p * q + 1.0, [a, b, a * b], 1.0), last.x * last.y


def functions_of_libraries(a, b):
    part, whole = math.modf(a)
    near = 2.0 if math.isclose(b, 0.7, rel_tol=1e-3) else 3.0
    step = np.heaviside(a, 0.5)
    return (
        part * b + whole,
        near * a + step * b,
        np.interp(a, [-1.0, 0.0, 2.0], [b, a, 1.0]),
        np.mean([a, b, a * b]),
        np.trace(np.array([[a, b], [1.0, a * b]])),
        np.outer([a, 2.0], [b, a, 1.0])[1][0],
        math.hypot(a, b, 1.0),
        np.max([a, b]),
    )


def _square(x, k=2.0):
    return k * x * x


def _picked(k):
    if k > 1.0:
        return _square
    return math.cos


def functions_by_a_condition(a, b):
    f = math.cos if b > 1.0 else math.sin
    g = _square if a > 0.5 else (lambda x, k=3.0: x * b + k)
    if a < 0.0:
        f = g
    return f(a) * g(b) + g(a, k=b), _picked(a)(b) - _picked(b)(a), sum(map(f, [a, b]))


def functions_by_an_index(a, b):
    fs = [math.sin, _square, lambda x: x - a]
    return fs[int(abs(b))](a), fs[1](b)


def methods_by_a_condition(a, b):
    arrow = Arrow(a, b)
    f = arrow.along if b > 0.0 else arrow.across
    arrow.x = b * b
    total = 0.0
    for i in range(5):
        total += f(0.1 * i)
        if total > 4.0:
            break
    return total


def _largest(first, *others, scale=1.0):
    return max(first, *others) * scale + len(others) if others else first


def further_arguments(a, b):
    def total(*parts):
        t = 0.0
        for part in parts:
            t += part * part
        return t

    pick = lambda *parts: parts[0] * parts[-1]  # noqa: E731
    rest = _largest(a), _largest(a, b, a * b), _largest(*[b, a], scale=a)
    return total(a, b, 2.0), total(), total(*(b, a)), pick(a, 1.0, b), *rest


def partly_applied(a, b):
    def line(x, slope, offset=0.0):
        return slope * x + offset

    by_a = partial(line, slope=a, offset=b)
    squared = functools.partial(math.pow, b)
    moved = partial(Arrow(a, b).along, b)
    return (
        by_a(2.0),
        by_a(2.0, offset=1.0),
        squared(2.0),
        sum(map(partial(line, a), [b, a])),
        moved(),
    )


_SETTINGS = {"gain": 2.5, "offsets": [1.0, 2.0], 3: 0.5}


def settings(a, b):
    return _SETTINGS["gain"] * a + _SETTINGS[3] * b, _SETTINGS["offsets"][1] * a


def chained(a, b):
    xs = [a, b]
    total = 0.0
    for k, x in enumerate(itertools.chain(xs, (1.0, a), range(2), float2(b, a))):
        total = total + x * (k + 1.0)
        xs[1] = total * a
    return total, list(itertools.chain(zip(xs, xs, strict=True), [(a, b)]))[2][1]


def pairs_of_neighbours(a, b):
    xs = [a, b, a * b, 1.0]
    total = 0.0
    for k, (x, y) in enumerate(itertools.pairwise(xs)):
        total = total + x * y
        xs[(k + 2) % 4] = total
    return total, sum((y - x) ** 2 for x, y in itertools.pairwise((a, b, 2.0)))


def chained_in_a_long_loop(a, b):
    total = a
    for x, y in itertools.pairwise(itertools.chain([a] * 20, [b] * 20, [a, b])):
        total = total * 0.5 + x * y
    return total, len(list(itertools.pairwise([a]))) + len(list(itertools.chain()))


def over_members(a, b):
    total = 0.0
    for k, level in enumerate(Level):
        total += a * level * k
    for way in Way:
        total += b if way is Way.OUT else 0.5 * a
    return total, len(list(Way)) + sum(w.value for w in Way), max(Level) * b


def places_and_counts(a, b):
    xs = [a, b, 1.0, b]
    first, many = xs.index(b), xs.count(b) + (a, 1.0).count(1.0)
    return first * a, many * b, (a, b).index(a), (1, 2, 3).index(2) + ["x", "y"].index("y")


def place_of_a_pair(a, b):
    ps = [(a, b), (b, 1.0), (b, a)]
    return ps.index((b, 1.0)) * a + ps.count((b, a)) * b


def rests_and_scales(a, b):
    rest = math.remainder(2.9 * a, b) + 2.0 * math.remainder(b, 0.75)
    return rest, math.ldexp(a, 3) * b, math.ldexp(b, -2), np.ldexp(a, 1)
