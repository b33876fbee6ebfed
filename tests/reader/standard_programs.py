"""Programs with `statistics`, methods of NumPy's functions and patterns of types.

Every public function takes two real numbers; Python runs them too.
"""

import math
import operator
import statistics
from collections import OrderedDict, defaultdict
from itertools import accumulate
from statistics import mean, stdev

import numpy as np


def stat_mean(a, b):
    weighted = statistics.fmean([a, b], weights=[1.0, a * a])
    return statistics.mean([a, b, a * b]) + statistics.fmean((a, b)) + weighted + mean([a, 2.0 * b])


def stat_var(a, b):
    return (
        statistics.variance([a, b, a * b])
        + statistics.pvariance([a, b])
        + stdev([a, b, 1.0])
        + statistics.pstdev([a, b, 2.0])
        + statistics.variance([a, b], 0.5)
    )


def stat_median(a, b):
    return (
        statistics.median([a, b, a * b, 0.2])
        + statistics.median([a, b, 2.0])
        + statistics.geometric_mean([abs(a), abs(b)])
        + statistics.harmonic_mean([1 + abs(a), abs(b)])
        + statistics.median_low([a, b])
        + statistics.median_high([a, b])
    )


def stat_two(a, b):
    xs, ys = [a, b, 1.0], [b, a * a, 2.0]
    r = statistics.linear_regression(xs, ys)
    s, _ = statistics.linear_regression(xs, ys, proportional=True)
    return (
        statistics.covariance(xs, ys)
        + statistics.correlation(xs, ys)
        + r.slope * 2
        + r.intercept
        + s
    )


def stat_array(a, b):
    x = np.array([a, b, a * b])
    return statistics.mean(x) + statistics.stdev(x)


def np_minreduce(a, b):
    x = np.array([a, b, a * b, 0.3])
    return np.minimum.reduce(x) + np.maximum.reduce(x) * np.add.reduce(x) + np.multiply.reduce(x)


def np_reduce_axis(a, b):
    m = np.array([[a, b], [b * b, 0.3]])
    return (
        np.add.reduce(m)[0]
        + np.maximum.reduce(m, axis=1)[1]
        + np.multiply.reduce(m, 1)[0]
        + np.add.reduce(m, axis=0, keepdims=True)[0, 1]
    )


def np_nan(a, b):
    x = np.array([a, b, a / b, np.nan, np.inf])
    y = np.array([a, np.nan, b])
    return (
        np.nan_to_num(x, posinf=2.0).sum()
        + np.nansum(y)
        + np.nanmean(y)
        + np.nanmax(y) * np.nanmin(y)
        + np.nanprod(y)
        + np.nan_to_num(a / b)
        + np.nan_to_num(y, nan=a)[1]
    )


def np_accum(a, b):
    x = np.array([a, b, a * b])
    return np.add.accumulate(x).sum() + np.multiply.accumulate(x)[2] + np.maximum.accumulate(x)[1]


def np_outer_u(a, b):
    return (
        np.multiply.outer(np.array([a, b]), np.array([1.0, a])).sum()
        + np.subtract.outer([a, b], [b])[0, 0]
        + np.add.outer(a, b)
    )


def np_lists(a, b):
    return np.maximum.reduce([a, b, 0.1]) + np.add.reduce([[a, b], [1.0, a]])[1]


def star_list(a, b):
    xs = [a, b]
    ys = xs
    xs *= 2
    return sum(ys) + len(ys) * a


def matchbuiltin(a, b):
    total = 0.0
    for op in [("add", a), ("mul", b), ("pair", a, b), 3, [a, b], "x", True]:
        match op:
            case ("add", float(x)):
                total += x
            case ("mul", x):
                total *= x
            case (str(), x, float() as y):
                total += x * y
            case bool():
                total += 10
            case int(n):
                total += n
            case list(v):
                total += v[0]
            case str():
                total += 1
    return total


def matchfloat(a, b):
    def kind(v):
        match v:
            case int() | float():
                return v * 2
            case tuple((x, y)):
                return x * y
            case _:
                return 0.0

    return kind(a) + kind((a, b)) + kind(None)


def grouped(a, b):
    d = defaultdict(float)
    for k, v in [("u", a), ("v", b), ("u", a * b)]:
        d[k] += v
    return d["u"] * d["v"] + d["w"] + len(d)


def lists_of(a, b):
    d = defaultdict(list)
    for i in range(4):
        d[i % 2].append(a * i + b)
    e = d.copy()
    e[5].append(a)
    return sum(d[0]) * sum(d[1]) + len(d) + len(e) + d.get(7, b)


def made_by(a, b):
    d = defaultdict(lambda: a, x=b)
    o = OrderedDict([("p", a), ("q", b)])
    return d["x"] * d["y"] + sum(o.values()) + (1.0 if "z" in d else 0.0)


def nested(a, b):
    d = defaultdict(lambda: defaultdict(int))
    d["k"]["m"] += 2
    d["k"]["n"] += a
    return d["k"]["m"] * b + d["k"]["n"]


def tuples_that_are_put_together(a, b):
    last = list(accumulate([(a, b), (b, 2.0 * a), (0.5,)]))[-1]
    return last[0] + 10.0 * last[3] + 100.0 * len(last)


def operators_in_place(a, b):
    xs = [a, b]
    ys = operator.iadd(xs, [a * b])
    operator.setitem(xs, 0, 3.0 * a)
    operator.delitem(xs, 1)
    operator.iconcat(ys, [operator.isub(b, 2.0), operator.abs(a - b)])
    less, times = operator.itruediv(a, b), operator.imul(a, b)
    whole = operator.ifloordiv(7, 2) + operator.ilshift(1, operator.imod(7, 4))
    bits = operator.iand(7, 2) + operator.ior(5, 2) + operator.ixor(5, 6) + operator.irshift(16, 2)
    both = [*operator.concat(xs, ys[1:]), operator.call(max, a, b), operator.ipow(a, 2)]
    return sum(k * x for k, x in enumerate(both, 1)) + less * whole + times * bits


class _Scaled:
    def __init__(self, x):
        self.x = x

    def __mul__(self, other):
        return _Scaled(self.x * (other.x if isinstance(other, _Scaled) else other) + 1.0)

    __rmul__ = __mul__

    def __getitem__(self, k):
        if isinstance(k, slice):
            return [self.x * i for i in range(*k.indices(5))]
        return self.x * k


def products_of_objects(a, b):
    numbers = math.prod([a, b, 2.0]) + math.prod([a, b], start=3.0) + math.prod(np.array([a, b]))
    objects = math.prod([_Scaled(a), _Scaled(b)]).x + math.prod([a, b], start=_Scaled(b)).x
    return numbers + objects + sum(_Scaled(a)[1:4]) + _Scaled(b)[::-2][1]


def np_unwrap(a, b):
    p = np.array([a, a + 3.0 * b, a - 2.5, 1.0, 9.0 * b])
    v = np.unwrap(np.stack([p, p[::-1]]), axis=0)
    u = np.unwrap(p) @ np.arange(5.0) + v[1] @ p
    return u + np.unwrap(p, period=1.0 + 0.1 * b)[3] + np.unwrap(p, discont=5.0)[2]


def np_reduceat(a, b):
    p = np.array([[a, b, 1.0], [b, a * a, 2.0], [a * b, 3.0, b], [0.5, b, a]])
    u, v = np.add.reduceat(p, [0, 2, 1]), np.multiply.reduceat(p, [0, 2], axis=1)
    w = np.maximum.reduceat(p[:, 0], [1, 3])
    return u[0] @ u[1] + v[1].sum() + w @ w + u[2, 1]


def ordered_dictionary(a, b):
    d = OrderedDict(a=a, b=b, c=a * b)
    d.move_to_end("a")
    x = list(d.values())
    d.move_to_end("c", last=False)
    name, value = d.popitem(last=False)
    last = d.popitem()[1]
    e = {"x": a, "y": b}
    return value * 2 + d["b"] + x[0] * 3 + x[2] * x[1] + 7 * last + len(name) * e.popitem()[1]
