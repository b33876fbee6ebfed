"""Values at other powers of two: the same bits from fewer operators, and what stays as it is."""

import random

import numpy as np
import pytest

from egad import derive, rewrite
from egad.codegen.host.reference import evaluate
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.scaling import rescaled
from egad.rewrite.scaling.balances import Balance, groups, is_scaled, paid
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

RULES = load()
A, B, C, X, Y = LEAVES = [var(name, Scalar.F64) for name in "abcxy"]


def op(name, *args):
    return Term(name, args, None, args[-1].type)


def times(number, term):
    return op("mul", const(number, term.type), term)


def operators(flat):
    return sum(bool(t.args) for t in toposort(flat))


def program(flat):
    params = tuple(Slot(leaf.attr, Scalar.F64) for leaf in LEAVES)
    results = tuple(Slot(f"r{k}", t.type) for k, t in enumerate(flat))
    return Program("f", params, results, tuple((t,) for t in flat))


def moved(flat):
    """The results at other exponents; where that saves nothing, as they are."""
    found = rescaled(flat)
    return flat if found is None else [found.terms[t] for t in flat]


# ---------------------------------------------------------------- where factors go


def test_a_factor_goes_where_a_constant_takes_it():
    flat = [times(2.0, op("add", op("mul", A, X), times(3.0, Y)))]
    assert operators(moved(flat)) == operators(flat)  # 2*a there, or 2*x: nothing is won
    flat = [times(2.0, op("add", times(5.0, X), times(3.0, Y)))]
    assert moved(flat) == [op("add", times(10.0, X), times(6.0, Y))]


def test_many_factors_become_one():
    shared = op("mul", X, Y)
    flat = [times(2.0, op("mul", leaf, shared)) for leaf in (A, B, C)]
    assert operators(flat) == 7
    assert operators(moved(flat)) == 5


def test_factors_pass_roots_and_quotients_and_choices():
    root = times(2.0, op("sqrt", times(3.0, op("mul", X, X))))
    assert moved([root]) == [op("sqrt", times(12.0, op("mul", X, X)))]
    assert moved([times(4.0, op("rcp", X))]) == [op("div", const(4.0, Scalar.F64), X)]
    condition = op("lt", X, Y)
    condition = Term("lt", condition.args, None, Scalar.BOOL)
    choice = times(2.0, op("select", condition, times(3.0, A), times(5.0, B)))
    assert moved([choice]) == [op("select", condition, times(6.0, A), times(10.0, B))]


def test_what_one_reader_wants_otherwise_is_one_product():
    value = op("add", times(3.0, A), times(5.0, B))
    flat = [times(2.0, op("mul", value, X)), times(2.0, op("mul", value, Y)), op("exp", value)]
    after = moved(flat)
    assert operators(after) == operators(flat) - 1
    assert after[2].args[0].op == "mul" and after[2].args[0].args[0] is const(0.5, Scalar.F64)


def test_a_factor_with_a_sign_stays():
    flat = [times(-2.0, op("add", times(5.0, X), times(3.0, Y)))]
    assert (
        moved(flat) == [op("neg", op("add", times(10.0, X), times(6.0, Y)))] or moved(flat) == flat
    )


# ---------------------------------------------------------------- what stays


def test_nothing_to_be_saved():
    assert rescaled([op("add", op("mul", A, X), times(3.0, Y))]) is None
    assert rescaled([times(2.0, X)]) is None
    assert groups([op("add", A, X)]) == []


def test_half_precision_and_integers_are_left_alone():
    for kind in (Scalar.F16, Scalar.I32):
        x, y = var("x", kind), var("y", kind)
        assert rescaled([times(2, op("add", times(5, x), times(3, y)))]) is None


def test_constants_near_the_end_of_numbers_are_left_alone():
    flat = [times(2.0, op("add", times(1e38, X), times(1e38, Y)))]
    assert rescaled(flat) is None


def test_not_where_every_bit_is_kept_and_not_without_the_phase():
    def f(x: float, y: float, z: float) -> float:
        s = x * y
        return 2 * (5 * x * s + 3 * y * s) + 2 * (7 * z * s)

    plain = derive(f, mode="primal", math="strict").program
    for math, without in (("strict", ()), ("safe", (rewrite.Phase.SCALES,))):
        options = rewrite.Options(math=math, without=without)
        report = rewrite.Report("f", "bwd", math, "float32")
        rewrite.optimize(plain, RULES, Scalar.F32, options, report, False)
        assert not any("powers of two" in r.ended for r in report.rounds)


def test_very_many_conditions_are_left_alone():
    total = times(3.0, X)
    for k in range(3_000):
        total = times(2.0, op("add", total, var(f"v{k}", Scalar.F64)))
    assert rescaled([total]) is None


# ---------------------------------------------------------------- all of it


def test_conditions_are_paid_once_for_each_exponent():
    a, b = op("add", A, B), op("sub", A, B)
    group = (Balance(((a, 1),)), Balance(((b, 1),)), Balance(((a, 1), (b, -1))))
    assert paid(group, {}) == 0
    assert paid(group, {a: 1}) == 1  # by 1 twice
    assert paid(group, {a: 1, b: 2}) == 3  # by 1, by 2, and by -1


def sketch(rng):
    """Random results over all operators that have exponents, and over one that has none."""
    terms = list(LEAVES)
    for _ in range(24):
        name = rng.choice(
            ("mul", "mul", "add", "sub", "neg", "rcp", "div", "max", "abs", "exp", "2", "3")
        )
        first, second = rng.choices(terms[-9:], k=2)
        if name in "23":
            terms.append(times(rng.choice((0.5, 2.0, 4.0, -2.0, 3.0)), first))
        elif name in ("neg", "rcp", "abs", "exp"):
            terms.append(op(name, first))
        else:
            terms.append(op(name, first, second))
    flat = [t for t in terms if is_scaled(t) and t.args]
    return rng.sample(flat, 4)


@pytest.mark.parametrize("seed", range(60))
def test_other_exponents_give_the_same_bits(seed):
    rng = random.Random(seed)
    flat = sketch(rng)
    found = rescaled(flat)
    if found is None:
        return
    after = moved(flat)
    assert operators(after) < operators(flat)
    assert after == moved(flat)
    for old, new in found.pairs:
        assert same_function(old, new)
    inputs = {leaf.attr: np.array([rng.uniform(0.5, 2) for _ in range(8)]) for leaf in LEAVES}
    with np.errstate(all="ignore"):
        before = evaluate(program(flat), RULES, inputs)
        now = evaluate(program(after), RULES, inputs)
    for a, b in zip(before, now, strict=True):
        ordinary = (np.abs(a) > 1e-290) & (np.abs(a) < 1e290)
        np.testing.assert_array_equal(a[ordinary], b[ordinary])


def test_some_sketches_are_made_cheaper():
    assert sum(rescaled(sketch(random.Random(seed))) is not None for seed in range(60)) > 10
