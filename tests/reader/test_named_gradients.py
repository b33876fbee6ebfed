"""What `bwd_diff(g)(…)` gives has the names of g's parameters, and is a tuple everywhere."""

import numpy as np
import pytest
from truths import values_and_slopes_are_those_of

from egad import bwd_diff, custom_bwd, derive, dot, float2
from egad.terms.errors import TraceError

pytestmark = pytest.mark.numbers


def cubic(a: float, b: float) -> float:
    return a * a * b


def by_name(x: float, y: float) -> float:
    r = bwd_diff(cubic)(x, y, 1.0)
    return r.a * r.b + r[0] + len(r) + sum(r) + max(r)


def by_name_truth(x, y):
    a, b = 2 * x * y, x * x
    return a * b + a + 2 + a + b + max(a, b)


def in_a_loop(x: float, y: float) -> float:
    r = (0.0, 1.0)
    for i in range(6):
        q = bwd_diff(cubic)(x + r[0] * 0.01, y, 1.0)
        r = q if i % 2 else r
        if q.a > 3:
            r = q
    return r[0] * r[1]


def in_a_loop_truth(x, y):
    a, b = 0.0, 1.0
    for i in range(6):
        t = x + a * 0.01
        if i % 2 or 2 * t * y > 3:
            a, b = 2 * t * y, t * t
    return a * b


def as_items(x: float, y: float) -> float:
    r = bwd_diff(cubic)(x, y, 1.0)
    twice = r * 2
    return dot(float2(*r), np.array(r)) + np.dot(r, r) + np.sum(r) + twice[3] + (*r, y)[2]


def as_items_truth(x, y):
    a, b = 2 * x * y, x * x
    return 2 * (a * a + b * b) + a + b + b + y


def names_of_tuples(x: float, y: float) -> float:
    def product(count: float, index: float) -> float:
        return count * index

    r = bwd_diff(product)(x, y, 1.0)
    return r.count + 2.0 * r.index


def names_of_tuples_truth(x, y):
    return y + 2 * x


@custom_bwd(lambda a, b, d: bwd_diff(cubic)(a, b, d))
def ruled(a: float, b: float) -> float:
    return a * a * b


def carried(x: float, y: float) -> float:
    r = bwd_diff(cubic)(x, y, 1.0)
    for _ in range(9):
        r = bwd_diff(cubic)(x + 0.01 * r.a, y - 0.1 * r.b, 1.0)
    return r.a * r.b


def carried_truth(x, y):
    r = (2 * x * y, x * x)
    for _ in range(9):
        a, b = x + 0.01 * r[0], y - 0.1 * r[1]
        r = (2 * a * b, a * a)
    return r[0] * r[1]


def chosen_of_many(x: float, y: float) -> float:
    rows = [bwd_diff(cubic)(x * i, y, 1.0) for i in range(9)]
    best = None
    for i in range(9):
        if best is None or rows[i].a > best.a:
            best = rows[i]
    return best.a * best.b if best is not None else 0.0


def chosen_of_many_truth(x, y):
    return 2 * 8 * x * y * (8 * x) ** 2


TRUTHS = [
    (carried, carried_truth),
    (chosen_of_many, chosen_of_many_truth),
    (by_name, by_name_truth),
    (in_a_loop, in_a_loop_truth),
    (as_items, as_items_truth),
    (names_of_tuples, names_of_tuples_truth),
]


@pytest.mark.parametrize(("f", "truth"), TRUTHS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, truth):
    values_and_slopes_are_those_of(f, truth, [(1.25, 2.0), (0.5, 0.75)])


def test_a_rule_may_return_them():
    assert tuple(derive(ruled, dtype="float64")(3.0, 2.0, 0.5)) == (6.0, 4.5)


def test_other_names_are_errors():
    def f(x: float) -> float:
        return bwd_diff(cubic)(x, x, 1.0).c

    with pytest.raises(TraceError, match=r"has no field 'c'") as error:
        derive(f)
    assert "it has a, b" in str(error.value)
