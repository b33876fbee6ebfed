"""Arms that are 0 wherever they are taken: smooth minima, positive parts; and others."""

import math

import numpy as np
import pytest
from mpmath import mp

import egad
from egad.rewrite.guarded import decided, without_vanishing
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.term import SELECT, Term, const, var
from egad.terms.types import Scalar

F = Scalar.F64
X, Y, K = (var(name, F) for name in "xyk")
ZERO, HALF, ONE = (const(value, F) for value in (0.0, 0.5, 1.0))
RULES = load()


def op(name, *args, type_=F):
    return Term(name, args, None, type_)


def compared(name, *args):
    return op(name, *args, type_=Scalar.BOOL)


def chosen(condition, one, other):
    return op(SELECT, condition, one, other)


def program(*terms):
    slots = tuple(Slot(name, F) for name in "xyk")
    return Program("f", slots, (Slot("out", F),) * len(terms), tuple((t,) for t in terms))


def left(*terms):
    return list(without_vanishing(program(*terms), RULES).flat)


# ---------------------------------------------------------------- smooth minima


def by_a_clamp(a: float, b: float, k: float) -> float:
    h = egad.clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0)
    return egad.lerp(b, a, h) - k * h * (1.0 - h)


def by_min_and_max(a: float, b: float, k: float) -> float:
    h = min(max(0.5 + 0.5 * (b - a) / k, 0.0), 1.0)
    return b + (a - b) * h - k * h * (1.0 - h)


def of_two(a: float, b: float, c: float, k: float) -> float:
    return by_a_clamp(by_min_and_max(a, b, k), c, k)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [by_a_clamp, by_min_and_max])
def test_a_smooth_minimum_has_its_blend_as_derivative(f):
    """By the envelope theorem: h, 1 - h and -h*(1 - h), and no choice is left."""
    derived = egad.derive(f, "jacobian", dtype="float64")
    assert not [t for t in derived.program.terms() if t.op == SELECT]
    for a, b, k in [(0.3, 0.4, 0.5), (0.3, 0.4, 0.1), (0.4, 0.3, 0.1), (2.0, 1.0, 0.3), (1, 2, 3)]:
        h = min(max(0.5 + 0.5 * (b - a) / k, 0.0), 1.0)
        for found in (derived(a, b, k), derived.reference(a, b, k)):
            assert tuple(found) == pytest.approx((h, 1 - h, -h * (1 - h)), rel=1e-14, abs=1e-15)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [by_a_clamp, by_min_and_max, of_two])
def test_second_derivatives_are_those_of_differences(f):
    derived = egad.derive(f, "hessian", dtype="float64")
    slope = egad.derive(f, "jacobian", dtype="float64")
    at = [0.31, 0.42, 0.27, 0.5][-len(derived.program.params) :]
    step, rows = 1e-6, np.array(derived(*at))
    for i in range(len(at)):
        low, high = ([x + s * (j == i) for j, x in enumerate(at)] for s in (-step, step))
        wanted = (np.array(slope(*high)) - np.array(slope(*low))) / (2 * step)
        np.testing.assert_allclose(rows[i], wanted, rtol=1e-7, atol=1e-8)


def test_strict_mathematics_keeps_what_rounding_leaves():
    derived = egad.derive(by_min_and_max, "jacobian", math="strict", dtype="float64")
    assert [t for t in derived.program.terms() if t.op == SELECT]


# ---------------------------------------------------------------- what vanishes


def test_what_is_0_where_two_values_are_equal():
    h = op("min", op("max", X, ZERO), ONE)
    arm = op("sub", op("mul", K, h), op("mul", X, K))
    assert left(chosen(compared("eq", X, h), arm, Y)) == [
        chosen(compared("eq", X, h), ZERO, Y),
    ]
    assert left(chosen(compared("ne", h, X), Y, arm)) == [
        chosen(compared("ne", h, X), Y, ZERO),
    ]


@pytest.mark.parametrize("name, kept", [("lt", 2), ("le", 2), ("gt", 1), ("ge", 1)])
def test_what_is_0_where_a_positive_part_is(name, kept):
    part = op("max", op("sub", K, X), ZERO)
    square = op("mul", part, op("div", part, Y))
    found = left(chosen(compared(name, K, X), square, square))
    wanted = [square if arm == kept else ZERO for arm in (1, 2)]
    assert found == [chosen(compared(name, K, X), *wanted)]


def test_what_is_no_number_there_stays():
    """(x - y)*rcp(x - y) is 1 near x = y, and undefined there."""
    difference = op("sub", X, Y)
    for arm in (op("mul", difference, op("rcp", difference)), op("div", difference, difference)):
        choice = chosen(compared("eq", X, Y), arm, K)
        assert left(choice) == [choice]


def test_what_is_not_0_stays():
    h = op("max", X, ZERO)
    for arm in (op("add", h, X), op("sin", op("sub", h, K))):
        choice = chosen(compared("eq", X, h), arm, Y)
        assert left(choice) == [choice]
    other = chosen(compared("lt", X, K), op("sub", X, op("min", X, Y)), Y)  # says nothing of y
    assert left(other) == [other]


def test_very_long_arms_are_left_alone():
    arm = op("sub", X, op("max", X, Y))
    for _ in range(1_000):
        arm = op("sin", op("mul", arm, K))
    choice = chosen(compared("ge", X, Y), arm, K)
    assert left(choice) == [choice]


# ---------------------------------------------------------------- one arm is enough


def test_an_arm_that_is_0_where_the_other_one_is_taken_needs_no_choice():
    part, positive = op("max", op("sub", K, X), ZERO), compared("lt", X, K)
    for arm in (op("mul", part, part), op("mul", Y, op("neg", part)), op("sqrt", part)):
        assert left(chosen(positive, arm, ZERO)) == [arm]
        assert left(chosen(compared("le", K, X), ZERO, arm)) == [arm]
        assert left(chosen(positive, ZERO, arm)) != [arm]
    rest = op("sub", X, op("min", X, K))
    assert left(chosen(compared("lt", K, X), rest, ZERO)) == [rest]


def test_a_length_is_a_number_where_one_of_its_parts_is_0():
    """The direction to a corner, half of which counts at the edge: a rounded box, a cylinder."""
    part, positive = op("max", X, ZERO), compared("gt", X, ZERO)
    length = op("hypot", part, Y)
    guarded = chosen(compared("eq", length, ZERO), ZERO, op("rcp", length))
    direction = op("mul", part, guarded)
    assert left(chosen(positive, direction, op("mul", HALF, direction))) == [direction]
    for name in ("expm1", "sinh", "tan", "cosh", "asin", "cbrt"):
        arm = op("mul", part, op(name, part))
        assert left(chosen(positive, Y, arm)) == [chosen(positive, Y, ZERO)]
    for name in ("log", "rcp", "rsqrt", "acosh"):
        arm = op("mul", part, op(name, part))
        assert left(chosen(positive, Y, arm)) == [chosen(positive, Y, arm)]


def test_a_factor_is_not_chosen_where_the_other_one_is_0():
    part, positive = op("max", X, ZERO), compared("gt", X, ZERO)
    weight = chosen(positive, Y, op("div", Y, K))
    assert left(op("mul", part, weight)) == [op("mul", part, Y)]
    assert left(op("mul", weight, part)) == [op("mul", Y, part)]
    assert left(op("mul", K, weight)) == [op("mul", K, weight)]
    inner = chosen(
        compared("gt", Y, ZERO), K, ONE
    )  # another choice comes in the place of the first
    nested = op("mul", op("max", Y, ZERO), chosen(positive, op("mul", part, inner), ZERO))
    assert left(nested) == [op("mul", op("max", Y, ZERO), op("mul", part, inner))]


def test_what_can_be_infinite_beside_0_keeps_its_choice():
    part, positive = op("max", X, ZERO), compared("gt", X, ZERO)
    for factor in (op("rcp", Y), op("div", K, X), op("log", Y), op("exp", Y), op("sqrt", Y)):
        choice = chosen(positive, op("mul", part, factor), ZERO)
        assert left(choice) == [choice]
    length = op("sqrt", op("add", op("mul", Y, Y), op("mul", K, K)))
    nowhere_0 = chosen(compared("eq", length, ZERO), ONE, length)
    for factor in (op("div", Y, nowhere_0), op("exp", op("neg", op("abs", Y))), length):
        arm = op("mul", part, factor)
        assert left(chosen(positive, arm, ZERO)) == [arm]
    guarded = chosen(compared("ne", Y, ZERO), op("rcp", Y), ONE)
    assert left(chosen(positive, op("mul", part, guarded), ZERO)) == [op("mul", part, guarded)]


def poly6(x: float, y: float, h: float) -> float:
    part = max(h * h - x * x - y * y, 0.0)
    return part * part * part


def hertz(x: float, y: float, r: float) -> float:
    part = max(r - math.hypot(x, y), 0.0)
    return part * part * math.sqrt(part)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [poly6, hertz])
@pytest.mark.parametrize("mode", ["jacobian", "hessian"])
def test_powers_of_positive_parts_are_their_own_slopes(f, mode):
    """Against differences in 60 digits, inside, outside and far outside."""
    derived, words = egad.derive(f, mode, dtype="float64"), {"math": mp}
    exact = type(f)(f.__code__, words)
    with mp.workdps(60):
        for at in [(0.3, 0.4, 1.0), (0.3, -0.4, 0.4), (-3.0, 0.25, 0.5)]:
            order = [tuple(int(i == k) for k in range(3)) for i in range(3)]
            if mode == "hessian":
                order = [
                    tuple(a + b for a, b in zip(i, j, strict=True)) for i in order for j in order
                ]
            wanted = [float(mp.diff(exact, at, n)) for n in order]
            for found in (derived(*at), derived.reference(*at)):
                np.testing.assert_allclose(np.ravel(found), wanted, rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------- choices in choices


def test_the_inner_one_of_two_choices_with_one_alternative_is_enough():
    positive, at_least = compared("gt", X, ZERO), compared("ge", X, ZERO)
    inner = chosen(positive, Y, ZERO)
    assert list(decided(program(chosen(at_least, inner, ZERO)), RULES).flat) == [inner]
    turned = chosen(compared("ne", X, ONE), ZERO, Y)
    assert list(decided(program(chosen(at_least, turned, ZERO)), RULES).flat) == [turned]
    with_nan = chosen(at_least, chosen(compared("le", X, ZERO), ZERO, Y), ZERO)
    assert list(decided(program(with_nan), RULES).flat) == [with_nan]
    both = chosen(positive, chosen(at_least, Y, ZERO), ZERO)
    assert list(decided(program(both), RULES).flat) == [inner]
    kept = chosen(compared("gt", X, K), chosen(positive, Y, ZERO), ZERO)
    assert list(decided(program(kept), RULES).flat) == [kept]
    one = chosen(at_least, inner, ONE)
    assert list(decided(program(one), RULES).flat) == [one]
    twice = chosen(positive, chosen(positive, Y, ZERO), ZERO)  # one of both has to stay
    assert list(decided(program(twice), RULES).flat) == [inner]
