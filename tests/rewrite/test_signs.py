"""Signs: the same values from fewer negations, one by one and several together."""

import random

import pytest

from egad.rewrite.regroup.equal import same_function
from egad.rewrite.scaling import turned, turned_everywhere
from egad.rewrite.scaling.signs import fewer_signs
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

A, B, C, D, X, Y, Z = LEAVES = [var(n, Scalar.F64) for n in "abcdxyz"]


def op(name, *args):
    return Term(name, args, None, args[0].type)


def times(number, term):
    return op("mul", const(number, term.type), term)


def choice(above, below, first, second):
    condition = Term("lt", (below, above), None, Scalar.BOOL)
    return Term("select", (condition, first, second), None, first.type)


ARITY = {"neg": 1, "exp": 1, "rcp": 1, "choice": 4}
FRACTIONS = ("mul", "mul", "add", "sub", "neg", "neg", "div", "rcp", "exp")
CHOICES = ("mul", "mul", "add", "sub", "neg", "neg", "exp", "choice")


def sketch(rng, names=("mul", "mul", "mul", "add", "sub", "neg")):
    """Random results of sums, products and signs."""
    terms = [*LEAVES]
    for _ in range(24):
        name = rng.choice(names)
        args = rng.choices(terms[-10:], k=ARITY.get(name, 2))
        terms.append(choice(*args) if name == "choice" else op(name, *args))
    return rng.sample(terms[len(LEAVES) :], 4)


def negations(flat):
    return sum(t.op == "neg" for t in toposort(flat))


def operators(flat):
    return sum(bool(t.args) for t in toposort(flat))


def in_place_of(flat, pairs):
    """The result terms with every value computed as the pairs say."""
    new = dict(pairs)
    return [new.get(t, t) for t in flat]


def test_a_sign_goes_where_it_vanishes():
    total = op("neg", op("add", op("add", A, op("sub", B, C)), D))
    [(_, new)] = fewer_signs([total])
    assert negations([new]) == 0 and operators([new]) == 3


def test_a_value_that_many_use_is_computed_as_its_negative():
    shared = op("neg", op("mul", A, B))
    flat = [op("sub", op("mul", shared, v), v) for v in (X, Y, Z)]
    after = in_place_of(flat, fewer_signs(flat))
    assert negations(flat) == 1
    # (-(a b)) x - x is -(a b x) - x: a sign somewhere, once for all three.
    assert operators(after) <= operators(flat)
    flat = [op("add", op("mul", shared, v), v) for v in (X, Y, Z)]
    after = in_place_of(flat, fewer_signs(flat))
    assert negations(after) == 0 and operators(after) == operators(flat) - 1


def test_constants_carry_signs():
    flat = [op("neg", times(2.0, X))]
    after = in_place_of(flat, fewer_signs(flat))
    assert after == [times(-2.0, X)]


def test_what_others_use_keeps_its_sign():
    inner = op("neg", op("sub", A, B))
    flat = [op("exp", inner), op("mul", inner, C)]
    after = in_place_of([inner, *flat], fewer_signs([inner, *flat]))
    assert after[0] == op("sub", B, A)  # in the e-graph exp(...) is over the same value
    assert after[2] == op("mul", op("sub", B, A), C)


@pytest.mark.parametrize("seed", range(40))
def test_signs_never_cost_more(seed):
    rng = random.Random(seed)
    flat = sketch(rng)
    pairs = fewer_signs(flat)
    for old, new in pairs:
        assert same_function(old, new)
    roots = dict(pairs)
    assert operators(in_place_of(flat, pairs)) <= operators(flat)
    assert all(old.type is new.type for old, new in roots.items())


def test_a_sign_goes_through_a_quotient_but_not_below_the_line():
    total = op("neg", op("div", op("sub", A, B), C))
    [(_, new)] = fewer_signs([total])
    assert new == op("div", op("sub", B, A), C)
    flat = [op("neg", op("div", A, op("sub", B, C)))]
    assert in_place_of(flat, fewer_signs(flat)) == flat


# ---------------------------------------------------------------- several together


def test_values_are_turned_over_together():
    # One of the two differences alone would take a sign from here to there.
    first, second = op("sub", A, B), op("sub", C, D)
    flat = [op("neg", op("mul", first, X)), op("mul", first, second)]
    flat += [op("neg", op("mul", second, Y))]
    assert in_place_of(flat, fewer_signs(flat)) == flat
    found = turned(flat)
    after = [found.terms[t] for t in flat]
    assert negations(flat) == 2 and negations(after) == 0
    for old, new in zip(flat, after, strict=True):
        assert same_function(old, new)


@pytest.mark.parametrize("turned", [turned, turned_everywhere])
@pytest.mark.parametrize("names", [FRACTIONS, CHOICES])
@pytest.mark.parametrize("seed", range(40))
def test_a_program_with_other_signs_is_the_same_function(seed, names, turned):
    flat = sketch(random.Random(seed), names)
    found = turned(flat)
    if found is None:
        return
    after = [found.terms[t] for t in flat]
    assert operators(after) <= operators(flat)
    for old, new in found.pairs:
        assert same_function(old, new)
    again = turned(flat)
    assert after == [again.terms[t] for t in flat]


def result(flat):
    """The program with other signs, each result the same function."""
    found = turned_everywhere(flat)
    after = [found.terms[t] for t in flat]
    for old, new in zip(flat, after, strict=True):
        assert same_function(old, new)
    return after


def test_signs_go_through_choices_and_below_the_line_of_a_result():
    assert result([op("neg", op("div", A, op("sub", B, C)))]) == [op("div", A, op("sub", C, B))]
    assert result([op("neg", op("rcp", op("sub", B, C)))]) == [op("rcp", op("sub", C, B))]
    arms = op("sub", A, B), op("mul", C, op("sub", X, Y))
    [after] = result([op("neg", choice(C, D, *arms))])
    assert after == choice(C, D, op("sub", B, A), op("mul", C, op("sub", Y, X)))
    zero = const(0.0, Scalar.F64)
    [after] = result([op("neg", choice(C, D, op("sub", A, B), zero))])
    assert after == choice(C, D, op("sub", B, A), zero)  # not -0.0


def test_a_choice_may_ask_for_an_infinite_number():
    far = const(float("inf"), Scalar.F64)
    [after] = result([op("neg", choice(far, A, op("sub", A, B), op("sub", X, Y)))])
    assert after == choice(far, A, op("sub", B, A), op("sub", Y, X))


def test_what_a_choice_asks_keeps_its_sign():
    asked = op("sub", A, B)
    arms = op("mul", asked, op("sub", X, Y)), op("mul", asked, op("sub", Y, Z))
    [after] = result([op("neg", choice(asked, C, *arms))])
    assert after.args[0].args == (C, asked) and negations([after]) == 0


def test_a_negative_is_made_once_for_all_that_use_it():
    # -x of the first two products is one operator, and of their results each would be one.
    flat = [op("neg", op("mul", op("mul", X, v), op("exp", v))) for v in (A, B, C)]
    after = result(flat)
    assert negations(flat) == 3 and negations(after) == 1


def test_more_together_are_fewer_in_all():
    alone = together = 0
    for seed in range(60):
        flat = sketch(random.Random(seed))
        alone += operators(in_place_of(flat, fewer_signs(flat)))
        found = turned(flat)
        together += operators([found.terms[t] for t in flat] if found else flat)
    assert together < alone


def test_nothing_to_turn():
    assert turned([op("add", A, B)]) is None


def test_a_product_with_minus_1_is_a_negative():
    """Constants that met in the last iteration leave one."""
    product = times(-1.0, A)
    flat = [op("add", op("mul", product, B), C), op("sub", D, op("mul", product, C))]
    found = turned(flat)
    new = [found.terms[t] for t in flat]
    assert new == [op("sub", C, op("mul", A, B)), op("add", D, op("mul", A, C))]
    assert found.pairs[0] == (product, op("neg", A))
