"""Values at other powers of a factor: the same function from fewer operators, and what stays."""

import random
import time

import numpy as np
import pytest

from egad import derive, rewrite
from egad.codegen.host.reference import evaluate
from egad.rewrite.egraph import numbers
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.reuse import Digits, are_as_exact
from egad.rewrite.scaling import factors, refactored
from egad.rules import load
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64
A, B, C, D, K, X, Y = LEAVES = [var(name, REAL) for name in "abcdkxy"]
ZERO = const(0.0, REAL)


def op(name, *args, kind=REAL):
    return Term(name, args, None, kind)


def mul(a, b):
    return op("mul", a, b)


def add(a, b):
    return op("add", a, b)


def operators(flat):
    return sum(bool(t.args) for t in toposort(flat))


def moved(flat, factor=K):
    """The results at other powers of the factor; where that saves nothing, as they are."""
    found = refactored(flat, factor)
    return flat if found is None else [found.terms[t] for t in flat]


def normalized(scale):
    """The derivative of a normalized vector, as reverse mode writes it: six products by `scale`."""
    q, raw = [A, B, C], [op("exp", leaf) for leaf in (X, Y, D)]
    bars = [mul(scale, r) for r in raw]
    one, two, three = [mul(a, b) for a, b in zip(q, bars, strict=True)]
    along = mul(mul(scale, scale), add(add(one, two), three))
    return [mul(scale, op("sub", bar, mul(a, along))) for a, bar in zip(q, bars, strict=True)]


# ---------------------------------------------------------------- where factors go


def test_the_reciprocal_of_a_length_goes_outside():
    flat = normalized(K)
    after = moved(flat)
    assert operators(after) == operators(flat) - 3
    assert all(same_function(*pair) for pair in zip(flat, after, strict=True))
    assert factors(flat) == [K]


@pytest.mark.parametrize("name", ["rsqrt", "rcp", "exp"])
def test_a_factor_that_is_computed_stays_as_it_is(name):
    length = op(name, add(add(mul(A, A), mul(B, B)), mul(C, C)))
    flat = normalized(length)
    after = moved(flat, length)
    assert length in toposort(after) and operators(after) == operators(flat) - 3


def test_what_a_factor_is_made_of_cannot_have_it():
    inner = add(mul(A, X), mul(B, Y))
    factor = op("exp", inner)
    flat = [mul(factor, inner), add(mul(factor, A), mul(factor, B)), mul(factor, C)]
    found = refactored(flat, factor)
    for term in () if found is None else found.terms.values():
        assert factor not in toposort([term]) or inner in toposort([term])


def test_quotients_hand_a_factor_on():
    flat = [mul(K, op("div", add(mul(mul(K, A), X), mul(mul(Y, K), B)), C))]
    assert operators(moved(flat)) == operators(flat) - 1
    assert same_function(flat[0], moved(flat)[0])


def _random_program(rng):
    terms, scaled = [mul(leaf, leaf) for leaf in LEAVES], [mul(K, leaf) for leaf in LEAVES]
    condition = op("lt", X, Y, kind=Scalar.BOOL)
    for _ in range(25):
        name = rng.choice(("add", "sub", "add", "mul", "mul", "neg", "div", "select"))
        args = rng.choices([*terms[-8:], *scaled[-8:]], k=1 if name == "neg" else 2)
        args[1:] = [rng.choice(LEAVES)] if name == "div" else args[1:]  # 0 is no divisor
        made = op(name, condition, *args) if name == "select" else op(name, *args)
        (scaled if rng.random() < 0.4 else terms).append(
            mul(made, K) if rng.random() < 0.4 else made
        )
    return [*terms[-4:], *scaled[-4:]]


@pytest.mark.parametrize("seed", range(80))
def test_the_same_function_from_fewer_operators(seed):
    flat = _random_program(random.Random(seed))
    found = refactored(flat, K)
    if found is not None:
        assert operators(moved(flat)) < operators(flat)
        for old, new in (*found.pairs, *found.terms.items()):
            assert same_function(old, new), (old, new)
    again = refactored(flat, K)
    assert (found is None) == (again is None)
    assert found is None or found.pairs == again.pairs


def test_random_programs_have_factors_to_move():
    programs = [_random_program(random.Random(seed)) for seed in range(80)]
    assert sum(refactored(flat, K) is not None for flat in programs) > 10


# ---------------------------------------------------------------- what stays


def test_a_choice_with_0_keeps_its_factor():
    """Outside of it a factor that is infinite would be 0 * inf."""
    condition = op("lt", X, Y, kind=Scalar.BOOL)
    arms = [op("select", condition, mul(K, leaf), ZERO) for leaf in (op("exp", A), op("exp", B))]
    flat = [mul(K, add(*arms)), mul(K, X), mul(K, Y)]
    assert moved(flat) == flat


def test_sums_of_what_may_be_exact_keep_their_digits():
    """a - b is exact where a is near b, and k*a - k*b is not."""
    exact = op("sub", A, op("neg", B))
    flat = [mul(K, exact), mul(K, A), mul(K, B), mul(mul(K, exact), X)]
    assert moved(flat) == flat
    lossy = [(flat[0], add(flat[1], flat[2]))]
    at = numbers.points(flat, special=True)
    assert are_as_exact([(term, term) for term in flat], Digits(RULES, at))
    other = [(op("sub", A, B), op("sub", mul(A, A), mul(B, B)))]
    assert not are_as_exact(other, Digits(RULES, at))
    assert same_function(*lossy[0])


def test_nothing_to_be_saved():
    assert refactored([mul(K, add(mul(A, X), mul(B, Y)))], K) is None
    assert factors([mul(K, A), mul(K, B), mul(K, C)]) == []  # no sum has it
    assert factors([add(mul(K, A), mul(K, B))]) == []  # rules see all there is


def test_a_factor_outside_of_sums_goes_into_what_they_share():
    shared = [add(mul(A, B), mul(X, Y)), add(mul(B, C), mul(X, A))]
    sums = [add(mul(p, shared[0]), mul(q, shared[1])) for p, q in ((A, B), (B, C), (C, X))]
    flat = [
        add(mul(p, q), mul(K, total))
        for p, q, total in zip((A, B, C), (X, Y, X), sums, strict=True)
    ]
    assert factors(flat) == [K]
    found = refactored(flat, K)
    assert found is not None
    new = [found.terms[term] for term in flat]
    assert _products(new) == _products(flat) - 1  # both that are shared, instead of three sums
    assert all(same_function(a, b) for a, b in zip(flat, new, strict=True))


def _products(flat):
    return sum(term.op == "mul" for term in toposort(flat))


def test_factors_are_looked_for_in_linear_time():
    def chain(count):
        term = X
        for k in range(count):
            term = add(mul(term, K), mul(term, LEAVES[k % 5]))
        return [term]

    times = []
    for count in (2_000, 20_000):
        began = time.process_time()
        factors(chain(count))
        times.append(time.process_time() - began)
    assert refactored(chain(2_000), K) is None  # too many conditions for a linear program
    assert times[1] < 60 * times[0] + 0.5


# ---------------------------------------------------------------- in derivations


def turned(w: float, x: float, y: float, z: float, a: float, b: float, c: float) -> float:
    """One coordinate of a point that is turned by a quaternion of any length."""
    k = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w * k, x * k, y * k, z * k
    return a * (1 - 2 * (y * y + z * z)) + 2 * b * (x * y - w * z) + 2 * c * (x * z + w * y)


def test_derivatives_become_cheaper():
    derived = derive(turned, "bwd", dtype="float64")
    plain = derived.derivative
    names = [param.name for param in plain.params]
    point = dict(zip(names, np.linspace(0.7, 2.3, len(names)), strict=True))
    costs = []
    for without in ((), (rewrite.Phase.SCALES,)):
        report = rewrite.Report("f", "bwd", "safe", "float64")
        options = rewrite.Options(without=without)
        best = rewrite.optimize(plain, RULES, REAL, options, report, True)
        costs.append(report.cost_after)
        for one, other in zip(
            evaluate(best, RULES, point), evaluate(plain, RULES, point, derived=True), strict=True
        ):
            assert np.allclose(one, other, rtol=1e-12)
    assert costs[0] < costs[1]
    assert "other powers of a factor" in derived.explain()


def test_every_statement_has_a_proof():
    derived = derive(turned, "bwd", dtype="float64")
    assert derived.account.coverage == 1.0
    assert "other groups" in derived.explain(rules=True)
