"""What iterators compute when they are asked for it, where they compute with the same by then."""

import numpy as np
import pytest
from truths import values_and_slopes_are_those_of


def at_once(a, b):
    v, s = [a, b, 1.0], 0.0
    for x in (q * a + 1 for q in v):
        s += x
    for x in map(lambda q: q * b, v):
        s += x
    for i in range(3):
        items = (q * i * s for q in v)
        s += next(items) + max(items)
    return s


def the_first_is_evaluated_at_once(a, b):
    v = [a, b]
    doubled = (2 * q for q in v)
    v = [b, b, b]
    return sum(doubled) + sum(v)


def in_arms(a, b):
    s = a if a > b else b
    items = (q * s for q in [a, b])
    first = next(items) if a > 1 else 2 * next(items)
    return first + next(items)


def through_functions(a, b):
    def f(x):
        return x * s

    s = b
    t = sum(map(f, [a, b]))
    s = 5.0
    return t * s


def places_of_an_array(a, b):
    v, s = np.array([[a, b], [a * b, 1.0]]), 0.0
    for (i, j), x in np.ndenumerate(v):
        s += x
        v[1, 1] += x * j
        v[i, j] = 2 * x
    return s + v.sum()


COMPUTED = [
    at_once,
    the_first_is_evaluated_at_once,
    in_arms,
    through_functions,
    places_of_an_array,
]


@pytest.mark.parametrize("f", COMPUTED, ids=lambda f: f.__name__)
def test_values_and_slopes(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, 0.45)])
