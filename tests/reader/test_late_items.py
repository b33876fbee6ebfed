"""What iterators compute with when they are asked: the same, or told to be another by then."""

import math

import numpy as np
import pytest
from truths import values_and_slopes_are_those_of

from egad import derive
from egad.terms.errors import TraceError


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


def list_changes(a: float, b: float):
    v = [a, b]
    squares = (q * q for q in v)
    v[1] = 7 * b
    return sum(squares)


def variable_changes_in_the_loop(a: float, b: float):
    s = 0.0
    for x in (q * s + 1 for q in [a, b]):
        s += x
    return s


def variable_of_a_lambda_changes(a: float, b: float):
    s = 0.0
    items = map(lambda q: q * s, [a, b])
    s = b
    return sum(items)


def variable_of_a_function_changes(a: float, b: float):
    def f(x):
        return x * s

    s = a
    items = (f(q) for q in [a, b])
    s = b
    return sum(items)


def what_is_zipped_changes(a: float, b: float):
    v, w = [a, b], [b, a]
    items = map(lambda p: p[0] * p[1], zip(v, w, strict=True))
    v[0] = 3 * a
    return sum(items)


LATE = [
    list_changes,
    variable_changes_in_the_loop,
    variable_of_a_lambda_changes,
    variable_of_a_function_changes,
    what_is_zipped_changes,
]


@pytest.mark.parametrize("f", LATE, ids=lambda f: f.__name__)
def test_what_changes_before_it_is_asked_for_is_told(f):
    with pytest.raises(TraceError, match="computes with changes before all is taken") as error:
        derive(f)
    assert error.value.at.file == __file__
    assert "take all at once" in error.value.hint


def _sextants(h: float, s: float, v: float):
    i = int(h * 6.0)
    f = h * 6.0 - i
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    i = i % 6
    if i == 0:
        return v, t, p
    if i == 1:
        return q, v, p
    if i == 2:
        return p, v, t
    if i == 3:
        return p, q, v
    if i == 4:
        return t, p, v
    if i == 5:
        return v, p, q


def _negative_remainders(x: float):
    match int(x) % -3:
        case 0:
            return x
        case -1:
            return 2 * x
        case -2:
            return x * x


def _one_is_missing(x: float):
    match int(x) % 3:
        case 0:
            return x
        case 2:
            return 2 * x


@pytest.mark.parametrize("h", [-0.3, 0.05, 0.2, 0.45, 0.6, 0.72, 0.95, 3.4])
def test_all_remainders_are_all_ways(h):
    found = derive(_sextants, "primal", dtype="float64")
    for way in (found, found.reference):
        assert [*way(h, 0.7, 0.8)] == pytest.approx(_sextants(h, 0.7, 0.8), rel=1e-14)
    both = derive(_negative_remainders, "value_and_grad", dtype="float64")
    x, step = 7.3 * h, 1e-6
    slope = (_negative_remainders(x + step) - _negative_remainders(x - step)) / (2 * step)
    for way in (both, both.reference):
        value, gradients = way(x)
        assert value == pytest.approx(_negative_remainders(x), rel=1e-14)
        assert gradients.x == pytest.approx(slope, rel=1e-7)


def test_a_remainder_that_is_missing_is_a_way_without_a_result():
    with pytest.raises(TraceError, match="does not return on every path"):
        derive(_one_is_missing)


def _raised_from_another(a: float, b: float):
    try:
        r = math.sqrt(a - b)
    except ValueError as e:
        if a > 3:
            raise RuntimeError(f"no root: {e}") from e
        r = -b
    return r * a


@pytest.mark.parametrize(("a", "b"), [(2.0, 0.5), (0.5, 2.0)])
def test_what_is_caught_may_be_the_cause_of_what_is_raised(a, b):
    both = derive(_raised_from_another, "value_and_grad", dtype="float64")
    step = 1e-6
    for way in (both, both.reference):
        value, gradients = way(a, b)
        assert value == pytest.approx(_raised_from_another(a, b), rel=1e-14)
        change = _raised_from_another(a, b + step) - _raised_from_another(a, b - step)
        assert gradients.b == pytest.approx(change / (2 * step), rel=1e-6)
    checked = derive(_raised_from_another, "primal", dtype="float64")
    with np.errstate(all="ignore"), pytest.raises(Exception, match="RuntimeError: no root"):
        checked.reference(4.0, 9.0)
