"""Values taken from others when rounds have ended, and exponentials from those less 1."""

import random

import numpy as np

from egad import derive, exp, expm1, rewrite, traced
from egad.codegen.host.reference import evaluate
from egad.rewrite.egraph.cost import program_cost, term_cost
from egad.rewrite.egraph.numbers import points
from egad.rewrite.fingerprints import Fingerprints
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.reuse import Digits, reused, taken
from egad.rules import load
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64
A, B, C, X, Y = LEAVES = [var(name, REAL) for name in "abcxy"]
ZERO = const(0.0, REAL)


def op(name, *args, kind=REAL):
    return Term(name, args, None, kind)


def less(a, b):
    return op("lt", a, b, kind=Scalar.BOOL)


def choice(condition, a, b):
    return op("select", condition, a, b)


def cost(term):
    return term_cost(RULES, term)


def whole(flat):
    return program_cost(RULES, flat)


def written(flat, pairs):
    """The results with what is taken of the pairs."""
    found = taken(flat, pairs, cost, whole, lambda _: True)
    return flat if found is None else [found.terms[t] for t in flat]


def test_a_choice_with_0_is_a_product_with_its_condition():
    holds = less(A, B)
    guarded, other = choice(holds, X, ZERO), choice(holds, ZERO, X)
    roots = [
        choice(holds, op("mul", X, Y), ZERO),
        op("mul", guarded, Y),
        op("add", guarded, other),
        X,
        choice(less(B, A), X, ZERO),
        guarded,
    ]
    found = Fingerprints(toposort(roots))
    one, two, either, both, elsewhere, here = [found[t] for t in roots]
    assert one == two and either == both and elsewhere != here


def values_of_others(flat):
    return reused(flat, RULES, Digits(RULES, points(flat, special=True)))


def test_products_share_the_choice_of_a_factor():
    holds = less(A, B)
    guarded = choice(holds, X, ZERO)
    flat = [op("add", guarded, C), choice(holds, op("mul", X, op("exp", Y)), ZERO)]
    found = values_of_others(flat)
    assert not found.others  # the exponential is this value's own
    after = written(flat, found.own)
    assert after == [flat[0], op("mul", guarded, op("exp", Y))]
    assert whole(after) < whole(flat)


def test_of_two_values_made_of_each_other_one_stays():
    one = op("mul", X, op("mul", Y, A))
    other = op("mul", op("mul", X, Y), A)
    assert written([one, other], [(one, other), (other, one)]) in ([other] * 2, [one] * 2)


def test_what_saves_nothing_beside_the_others_is_left():
    inner = op("mul", X, Y)
    first, second = op("mul", inner, A), op("sub", op("mul", inner, B), C)
    pairs = [(inner, op("mul", Y, X))]
    assert taken([first, second], pairs, cost, whole, lambda _: True) is None
    better = [(second, op("add", X, first))]
    assert taken([first, second], better, cost, whole, lambda _: False) is None


def _random_program(rng):
    terms = [*LEAVES, const(2.0, REAL)]
    for _ in range(30):
        name = rng.choice(("add", "sub", "mul", "mul", "add", "neg", "choose"))
        if name == "choose":
            one, other = rng.choices(LEAVES, k=2)
            terms.append(choice(less(one, other), *rng.choices(terms[-14:], k=2)))
        else:
            terms.append(op(name, *rng.choices(terms[-14:], k=1 if name == "neg" else 2)))
    return terms[-6:]


def test_random_programs_stay_the_same_functions():
    gained = 0
    for seed in range(60):
        flat = _random_program(random.Random(seed))
        found = values_of_others(flat)
        pairs = [*found.others, *found.own]
        after = written(flat, pairs)
        assert all(map(same_function, flat, after))
        assert written(flat, pairs) == after
        gained += whole(after) < whole(flat)
    assert gained > 20


def covariance(x: float, y: float, u: float, v: float, scale: float, s: float, c: float):
    """A squared exponential kernel of two points."""
    dx, dy = x - u, y - v
    return s * s * np.exp(-0.5 * (dx * dx + c * dy * dy) / (scale * scale))


def test_second_derivatives_become_cheaper():
    derived = derive(covariance, "hessian", dtype="float64")
    names = [param.name for param in derived.derivative.params]
    point = dict(zip(names, np.linspace(0.7, 1.3, len(names)), strict=True))
    costs, ends = [], []
    for without in ((), (rewrite.Phase.REUSE,)):
        report = rewrite.Report("f", "hessian", "safe", "float64")
        options = rewrite.Options(without=without)
        best = rewrite.optimize(derived.derivative, RULES, REAL, options, report, True)
        plain = evaluate(derived.derivative, RULES, point, derived=True)
        for one, other in zip(evaluate(best, RULES, point), plain, strict=True):
            assert np.allclose(one, other, rtol=1e-12)
        costs.append(report.cost_after)
        ends.append([r.ended for r in report.rounds])
    assert costs[0] < costs[1]
    assert "values of others" not in ends[1]


# ---------------------------------------------------------------- exponentials less 1


def calls(derived):
    counts = derived.report.counts_after
    return {name: counts[name] for name in ("exp", "expm1") if name in counts}


def test_an_exponential_that_does_not_count_alone_is_the_one_less_1():
    derived = derive(lambda x, a: (a * expm1(x), a * (exp(x) + 3.0)), "primal", dtype="float64")
    assert calls(derived) == {"expm1": 1}
    x = np.array([-800.0, -30.0, -1.0, -1e-12, 0.0, 1e-12, 0.5, 30.0])
    less, more = derived.reference(x, 2.0)
    assert np.allclose(less, 2 * np.expm1(x), rtol=1e-15, atol=0)
    assert np.allclose(more, 2 * (np.exp(x) + 3), rtol=1e-15, atol=0)


def test_an_exponential_that_counts_alone_keeps_its_digits():
    derived = derive(lambda x, a: (a * expm1(x), a * exp(x)), "primal", dtype="float64")
    assert calls(derived) == {"exp": 1, "expm1": 1}
    _, power = derived.reference(-40.0, 2.0)
    assert abs(power / (2 * np.exp(-40.0)) - 1) < 1e-15


def test_an_exponential_is_looked_at_where_it_is_small_as_well():
    """A slope of 0 below -17 in single precision, since none of few points was there."""
    derived = derive(lambda x: x if x > 0 else exp(x) - 1.0, "value_and_grad", dtype="float32")
    for x in (-30.0, -17.0, -9.0, -1.0):
        value, (slope,) = derived.reference(x)
        assert abs(slope / np.exp(x) - 1) < 1e-6
        assert abs(value / np.expm1(x) - 1) < 1e-6


def of_many(*x):
    largest = x[0]
    for v in x[1:]:
        largest = np.maximum(largest, v)
    return largest + np.log(sum(np.exp(v - largest) for v in x))


def test_values_that_are_numbers_do_not_fill_an_egraph():
    """What is taken out of a sum has the derivative 0, computed by as many choices as summands: as
    equals of 0 in one class, each rule for 0 would meet each two of them.
    """
    many = 40
    derived = derive(traced(of_many, [(f"x{k}", "float") for k in range(many)]), dtype="float64")
    each = dict.fromkeys(("exp", "sub", "mul"), many)
    wanted = each | dict.fromkeys(("max", "add"), many - 1) | {"div": 1}
    assert derived.report.counts_after == wanted
    assert all(r.nodes < 4 * derived.report.terms["plain"] for r in derived.report.rounds)
    x = np.linspace(-3.0, 2.0, many)
    weights = np.exp(x) / np.exp(x).sum()
    np.testing.assert_allclose(list(derived.reference(*x, 1.0)), weights, rtol=1e-14)
