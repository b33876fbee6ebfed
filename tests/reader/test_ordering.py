"""Tuples and lists compare as Python compares them: values and slopes, at ties too."""

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from egad import derive, diff_pair, struct
from egad.terms.errors import EgadError

POINTS = [*itertools.product((-1.0, 0.375, 1.0, 2.0, 2.5), repeat=2)]


@dataclass
class Dual:
    """A number with its slope: Python itself finds the branch that is taken."""

    p: float
    d: float = 0.0

    def __add__(self, other):
        other = dual(other)
        return Dual(self.p + other.p, self.d + other.d)

    def __mul__(self, other):
        other = dual(other)
        return Dual(self.p * other.p, self.d * other.p + self.p * other.d)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + dual(other) * -1.0

    def __rsub__(self, other):
        return dual(other) - self

    def __eq__(self, other):
        return self.p == dual(other).p

    def __lt__(self, other):
        return self.p < dual(other).p

    def __gt__(self, other):
        return self.p > dual(other).p

    def __le__(self, other):
        return self.p <= dual(other).p

    def __ge__(self, other):
        return self.p >= dual(other).p

    __radd__, __rmul__ = __add__, __mul__


def dual(value):
    return value if isinstance(value, Dual) else Dual(value)


class Pair(NamedTuple):
    a: float
    b: float


@dataclass(order=True)
class Level:
    a: float
    b: float


@struct
class Mass:
    m: float

    def __lt__(self, other):
        return self.m < other.m

    def __eq__(self, other):
        return self.m == other.m


def nearest(x: float, y: float) -> float:
    d, i = min(((x - k) * (x - k), k * y) for k in range(4))
    return d * y + i * x


def nearest_number(x: float, y: float) -> float:
    d, i = min(((x - k) * (x - k), k) for k in range(4))
    return d * y + (i + 1) * x


def as_arguments(x: float, y: float) -> float:
    (a, b), (c, d) = max((x, y), (1.0, x)), min((x, y, 3.0), (1.0, x, y))[1:]
    return a + 2 * b * y + 3 * c * c + 5 * d


def of_zip(x: float, y: float) -> float:
    xs, ys = [x, y, 1.0], [y, x, 3 * x]
    (a, b), (c, d) = max(zip(xs, ys, strict=False)), min(zip(xs, ys, strict=True))
    return a + 2 * b * y + 3 * c + 5 * d


def of_a_list(x: float, y: float) -> float:
    a, b = min([(x, 1.0), (1.0, x)])
    c, d = max(((x, y), (1.0, x), (x, x)))
    return a + 2 * b * y + 3 * c + 5 * d


def of_lists(x: float, y: float) -> float:
    found = max([[x, 1.0], [1.0, x], [x, y]])
    found[0] = found[0] * 2
    return found[0] + 3 * found[1] * y


def of_named_tuples(x: float, y: float) -> float:
    found = max(Pair(x, 1.0), Pair(1.0, y), Pair(x, y))
    return found.a + 2 * found.b * y + min([Pair(x, y), Pair(y, x)]).b


def of_nested(x: float, y: float) -> float:
    (a, (b, c)) = max((x, (y, 1.0)), (1.0, (x, 2.0)), (x, (x, y)))
    return a + 2 * b * y + 3 * c * x


def of_equals(x: float, y: float) -> float:
    a = max((x, x * y, 3.0), (x, y * x, 3.0), key=lambda t: t[:2])
    return a[0] * a[1] + a[2]


def kept_in_a_loop(x: float, y: float) -> float:
    best = (1e9, -1)
    for i in range(6):
        best = min(best, ((x - i) * (x - i) * y, i))
    return best[0] * x + best[1] * y


def kept_in_a_long_loop(x: float, y: float) -> float:
    best = (1e9, 0.0)
    for i in range(40):
        best = min(best, ((x - 0.25 * i) * (x - 0.25 * i), i * y))
    return best[0] * x + best[1] * y


def in_order(x: float, y: float) -> float:
    a, b, c = sorted([(x, 1.0), (1.0, y), (1.0, x)])
    d, e = sorted([[x, y], [y, x]], reverse=True)
    return a[0] + 2 * a[1] * b[0] + 3 * b[1] + c[0] * 5 * c[1] + 7 * d[0] * d[1] + 11 * e[1]


def by_two_keys(x: float, y: float) -> float:
    ps = [(x, 1.0), (1.0, y), (1.0, x)]
    p = max(ps, key=lambda p: (p[0], -p[1]))
    q = sorted(ps, key=lambda p: [p[1], p[0]])[1]
    return p[0] * 2 + p[1] * 3 * y + q[0] * 5 + q[1] * 7


def compared(x: float, y: float) -> float:
    found = x * (1.0 if [x, 1] < [x, 2] else 2.0) + y * (4.0 if [x, 1] >= [1, y, 3] else 8.0)
    found += 16.0 if (x, y) <= (x, y) else 32.0
    return found * (x if (x, [1.0, y]) > (1.0, [y, 1.0]) else y)


def of_structs(x: float, y: float) -> float:
    p, q = Level(x, 1.0), Level(1.0, y)
    found = max(p, q, Level(x, y))
    between = sorted([p, q, found])[1]
    return (2.0 if p < q else 3.0) * x + found.a + 4 * found.b + between.b * x + min(p, q).b


def of_structs_in_tuples(x: float, y: float) -> float:
    found = min((x, Mass(y)), (1.0, Mass(x)), (x, Mass(2.0)))
    return found[0] * 2 + found[1].m * y


PROGRAMS = [
    nearest,
    nearest_number,
    as_arguments,
    of_zip,
    of_a_list,
    of_lists,
    of_named_tuples,
    of_nested,
    of_equals,
    kept_in_a_loop,
    kept_in_a_long_loop,
    in_order,
    by_two_keys,
    compared,
    of_structs,
    of_structs_in_tuples,
]


def wanted(f, x, y):
    """The value and both slopes, as Python computes them."""
    of_x, of_y = dual(f(Dual(x, 1.0), Dual(y))), dual(f(Dual(x), Dual(y, 1.0)))
    return [of_x.p, of_x.d, of_y.d]


def flat(found):
    value, slopes = found
    return [value, *slopes]


@pytest.mark.numbers
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_slopes(f):
    backward = derive(f, "value_and_grad", dtype="float64")
    forward = derive(f, "fwd", dtype="float64")
    for x, y in POINTS:
        want = wanted(f, x, y)
        assert want[0] == pytest.approx(f(x, y))
        assert flat(backward.reference(x, y)) == pytest.approx(want, rel=1e-9), (x, y)
        seeds = [(1.0, 0.0), (0.0, 1.0)]
        pairs = [(diff_pair(x, a), diff_pair(y, b)) for a, b in seeds]
        slopes = [forward.reference(*pair).d for pair in pairs]
        assert slopes == pytest.approx(want[1:], rel=1e-9), (x, y)
    assert flat(backward(0.375, 2.5)) == pytest.approx(wanted(f, 0.375, 2.5))


def test_equal_numbers_still_share_the_slope():
    """Of two numbers that are equal, `max` has half the slope of each."""
    numbers = derive(lambda x, y: max(x, y), "bwd")
    tuples = derive(lambda x, y: max((x,), (y,))[0], "bwd")
    assert [*numbers.reference(2.0, 2.0, 1.0)] == [0.5, 0.5]
    assert [*tuples.reference(2.0, 2.0, 1.0)] == [1.0, 0.0]


def test_what_is_known_is_decided_while_reading():
    """No comparison is left where the first items differ already."""
    program = derive(lambda x: max((1, x), (2, x * x), (0, 3.0))[1], "primal")
    assert "?" not in program.source
    assert math.isclose(program.reference(3.0), 9.0)


def test_a_value_that_is_nowhere():
    """Python raises ValueError; a kernel that is checked says where."""

    def f(x: float, y: float) -> float:
        return [x, 1.0].index(y) * x

    checked = derive(f, "primal", check=True)
    assert checked.reference(0.5, 1.0) == 0.5
    with pytest.raises(EgadError, match=r"index\(\) finds no such value"):
        checked.reference(0.5, 0.25)
