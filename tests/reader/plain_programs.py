"""What plain numbers, texts, lists and libraries have, as Python has it."""

import enum
import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np


class _Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class _Spring:
    k: float

    @functools.cached_property
    def period(self):
        return 1.0 / (1.0 + self.k * self.k)


def parts_of_numbers(a, b):
    n = 3
    whole = (4.0).is_integer() + n.numerator + n.denominator + n.bit_length() + (2.5).imag
    return a.real * b.conjugate() + b.imag + whole * a + (a if (a * 0.0).is_integer() else b)


def texts(a, b):
    ps = {f"w{i}": a * i + b for i in range(3)}
    name = "{}{}".format("w", 1)  # what is tried
    unit = "mm" if len(name) == 2 else "km"
    total = ps[name] + ps["w%d" % 2] + ps["w" + str(0)] + ps[f"{'w'}{1:d}"]  # noqa: UP031
    total += a if unit.startswith("m") and unit.upper() == "MM" else 0.0
    return total * {"mm": 0.5, "km": 2.0}[unit] + len(f"{2.5!r:>6}") * b


def stars_in_comprehensions(a, b):
    heads = sum(x * len(rest) for x, *rest in [(a, 1, 2), (b, 3)])
    lasts = [last for *_, last in [(a, 1, 2), (b, a)]]
    inner = sum(c * first for (first, *_), c in [((a, 1, 2), b)])
    return heads + lasts[1] + inner + {k: sum(v) for k, *v in [("x", a, b)]}["x"]


def texts_in_texts(a, b):
    words = "mix red blue"
    total = a if "red" in words else 100.0
    total += b if "d b" in words and "" in words else 100.0
    return total * (2 - ("green" not in words)) + a * ("mx" in words) + ("r" in list("red"))


def parts_of_texts(a, b):
    colour = "#8040ff"
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    order = [int(f"{i:03b}"[::-1], 2) for i in range(8)]
    powers = {f"c{k}": k for k in range(4)}
    total = sum(n * a ** int(name[1:]) for name, n in powers.items())
    total += (a if colour[:1] + "x" == "#x" else b) + (b if colour[-2:] == "ff" else a)
    total += red * a + green * b + blue * a * b
    total += a * b if range(10)[2:5] == range(2, 5) and "".join(sorted("cab")) == "abc" else 0.0
    return total + sum(b**k * (i - 3) for i, k in enumerate(order)) + len(colour[::2]) * a


def items_as_functions(a, b):
    xs, named = [a, b, a * b], {1: a, 2: b}
    best = max(range(3), key=xs.__getitem__)
    least = min(range(3), key=(a, b, 1.0).__getitem__)
    return xs[best] * a + least * b + sum(map(named.__getitem__, [1, 2, 2]))


def members_by_value(a, b):
    return (a if _Colour("red") is _Colour.RED else b) + (b if _Colour("blue") == "blue" else a)


def digits(a, b):
    return round(a, 1) * b + round(a * 10, -1) + round(b, 0) + 7 * a + round(b, ndigits=2)


def one_argument(a, b):
    products = math.prod([a, b], start=3) + math.prod([a], start=b)
    return math.hypot(a) + math.dist([a], [b]) + products


def lists_in_place(a, b):
    xs, ys = [a, b, a * b, 0.5], [a, b, 1.0]
    xs.reverse()
    ys.sort()
    xs[1:2] = [b, b, a]
    zs = [3.0, 1.0, 2.0]
    zs.sort(key=lambda z: -z)
    xs[len(xs) :] = [a]
    return sum(x * (i + 1) for i, x in enumerate(xs)) + ys[1] * ys[2] + zs[0] * b


def sets_of_what_is_asked(a, b):
    mode = "rgb"
    return (a if mode in {"rgb", "xyz"} else b) + (b if mode not in {"hsv"} else a)


def longest(a, b):
    pairs = itertools.zip_longest([a, b, a], [b], fillvalue=2.0)
    return sum(x * y for x, y in pairs)


def of_numpy(a, b):
    line = np.trapezoid([a, b, a * b], [0.0, 1.0, 3.0]) + np.trapezoid([a, b, a * b], dx=0.5)
    return np.polyval([1.0, a, b], a) + np.sinc(a) + np.sinc(0.0 * b) + line


def kept_by_a_frozen_struct(a, b):
    s = _Spring(a)
    return s.period * b + s.period


def matrices_of_one_element(a, b):
    s = np.array([[a * a + 1.0]])
    gain = np.linalg.inv(s) @ np.array([[b]])
    return gain[0, 0] + np.linalg.det(s) + np.linalg.solve(s, np.array([b]))[0]


def quiet(a, b):
    total = 0.0
    for i in range(5):
        with np.errstate(divide="ignore", invalid="ignore"):
            if i * a > b:
                break
            total += a / (1.0 + i)
    return total * b


def last_trip_returns(a, b):
    for k in (1, 2, 3, 4):
        a = a * 0.5
        if a < 0.2:
            return a * k + b
        if k > 3:
            return a * b


def _numbers(n):
    return [float(k) for k in range(n)] if isinstance(n, int | float) else n


class _Ranked:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x < other.x

    def __le__(self, other):
        return self.x <= other.x


def ranked(a, b):
    p, q = _Ranked(a), _Ranked(b)
    kinds = isinstance({}, dict) + isinstance(p, _Ranked | dict) + isinstance(a, (dict, float))
    return kinds + (a if p < q else b * b if p <= q else a * b) + sum(_numbers(3)) * a


def nested_decorators(a, b):
    def twice(f):
        @functools.wraps(f)
        def inner(x, *args, **kw):
            return f(f(x, *args, **kw), *args, **kw)

        return inner

    def scaled(k):
        return lambda f: lambda x: k * f(x)

    @twice
    def g(x, k=2.0):
        return math.sin(x) * k

    @scaled(a)
    @scaled(2.0)
    def h(x):
        return x * x

    @functools.cache
    def fib(n):
        return a if n == 0 else b if n == 1 else fib(n - 1) + 0.5 * fib(n - 2)

    return g(a) + g(b, k=a) + h(b) + fib(6)


def numbers_of_texts(a, b):
    return int("12") * a + float("1.5") * b + len(bin(5)) + ord("a")


def cheapest_path(a, b):
    cost = [[a * i + b * j for j in range(4)] for i in range(4)]
    best = [[0.0] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(4):
            if i == 0 and j == 0:
                best[i][j] = cost[0][0]
            elif i == 0:
                best[i][j] = best[i][j - 1] + cost[i][j]
            elif j == 0:
                best[i][j] = best[i - 1][j] + cost[i][j]
            else:
                best[i][j] = min(best[i - 1][j], best[i][j - 1]) + cost[i][j] ** 2
    return best[-1][-1]


def first_row_apart(a, b):
    g = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            if i == 0:
                g[i][j] = b
            else:
                g[i][j] = g[i - 1][j] * a + g[i][j - 1] * b + i
    return g[-1][-1] + g[1][0] * a + g[0][2] * b
