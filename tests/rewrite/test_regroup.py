"""Products and sums in other groups: equal terms, shared factors, and what has to stay in place."""

import random
from fractions import Fraction

import pytest

from egad.rewrite.regroup import in_other_groups
from egad.rewrite.regroup.constants import constants_inside
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.regroup.exponents import multiples_of_others
from egad.rewrite.regroup.inside import factors_inside
from egad.rewrite.regroup.pairs import share
from egad.rewrite.regroup.products import Product, doubles_used_once, shared_factors
from egad.rewrite.regroup.quotients import without_common
from egad.rewrite.regroup.sums import common_factors
from egad.terms.term import Term, const, const_value, toposort, var
from egad.terms.types import Scalar

A, B, C, D, X, Y, Z = (var(n, Scalar.F64) for n in "abcdxyz")


def op(name, *args):
    return Term(name, args, None, args[0].type)


def mul(*factors):
    product = factors[0]
    for factor in factors[1:]:
        product = op("mul", product, factor)
    return product


def number(value, type_=Scalar.F64):
    return const(value, type_)


def exact(term, values):
    """The value of a rational function in rational numbers; None where it has none."""
    rules = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "neg": lambda a: -a,
        "div": lambda a, b: a / b if b else None,
        "rcp": lambda a: 1 / a if a else None,
    }
    done = {}
    for t in toposort([term]):
        if t.op == "const":
            done[t] = Fraction(const_value(t))
        elif t.op == "var":
            done[t] = values[t]
        else:
            args = [done[a] for a in t.args]
            done[t] = None if None in args else rules[t.op](*args)
    return done[term]


# ---------------------------------------------------------------- products


def test_what_most_products_share_is_multiplied_first():
    flat = [mul(A, X, C), mul(A, Y, C), mul(Z, C, A)]
    found = dict(shared_factors(flat))
    assert [found[t].args for t in flat[:2]] == [(X, mul(A, C)), (Y, mul(A, C))]
    assert found[flat[2]].args == (Z, mul(A, C)) or mul(A, C) in found[flat[2]].args


def test_what_quotients_share_above_the_line_is_multiplied_first():
    first = mul(A, op("div", mul(X, B), Y))
    second = mul(op("div", mul(A, B), Z), X)
    pairs = shared_factors([first, second])
    assert all(same_function(old, new) for old, new in pairs)
    assert [new.args[1] for _, new in pairs] == [Y, Z]
    after = [t.op for t in toposort([new for _, new in pairs])]
    assert (after.count("mul"), after.count("div")) == (2, 2)


def test_what_is_divided_by_the_same_is_divided_once():
    first, second = mul(A, op("div", X, Y)), mul(B, op("div", X, Y), C)
    other = mul(B, op("div", op("mul", X, C), Y))
    pairs = shared_factors([first, second, mul(A, op("div", mul(X, D), Y)), other])
    assert all(same_function(old, new) for old, new in pairs)
    assert [t.op for t in toposort([new for _, new in pairs])].count("div") == 1


@pytest.mark.parametrize("other", [X, op("neg", op("div", mul(X, B), Y))])
def test_a_quotient_that_others_use_is_a_factor(other):
    quotient = op("div", mul(X, B), Y)
    used = op("add", quotient, Z) if other is X else op("add", other, Z)
    flat = [mul(A, quotient, other), mul(A, B, X, other), used]
    found = toposort([new for _, new in shared_factors(flat)])
    assert [t for t in found if t.op == "div"] == [quotient]


def test_the_negative_of_a_quotient_is_taken_apart_too():
    first, second = mul(A, op("neg", op("div", mul(X, B), Y))), mul(A, B, X)
    (_, new), _ = shared_factors([first, second])
    assert new.op == "neg" and new.args[0].op == "div" and new.args[0].args[1] is Y


def test_a_quotient_without_factors_stays_one():
    (pair,) = shared_factors([mul(number(1.0), op("div", number(1.0), Y))])
    assert pair[1] is op("div", number(1.0), Y)


def test_two_divisors_stay_two():
    """Their product overflows early."""
    flat = [mul(A, op("div", X, Y), op("div", B, Z)), mul(A, op("div", X, Y), B)]
    found = toposort([new for _, new in shared_factors(flat)])
    assert not any(t is op("mul", Y, Z) or t is op("mul", Z, Y) for t in found)


def test_powers_are_shared():
    fourth, eighth = mul(X, X, X, X, Y), mul(X, X, X, X, X, X, X, X, Z)
    pairs = shared_factors([fourth, eighth])
    after = toposort([new for _, new in pairs])
    assert sum(t.op == "mul" for t in after) == 5  # x2, x4, y x4, x8, z x8


def test_signs_and_constants_are_gathered():
    product = op("neg", mul(number(3.0), op("neg", mul(X, number(-2.0))), Y))
    found = Product.of(product)
    assert found.constant == -6.0 and found.factors == {X: 1, Y: 1}
    assert Product.of(mul(X, number(float("inf")))).factors == {number(float("inf")): 1, X: 1}
    whole = mul(X, Y)
    assert Product.of(mul(whole, Z), frozenset({whole})).factors == {whole: 1, Z: 1}


def test_a_product_of_very_many_factors_is_left_alone():
    many = [var(f"v{i}", Scalar.F64) for i in range(40)]
    assert Product.of(mul(*many)) is None
    assert shared_factors([mul(*many), mul(*many[::-1])]) == []


def test_integers_and_other_types_are_left_alone():
    i, j, k = (var(n, Scalar.I32) for n in "ijk")
    assert in_other_groups([mul(i, j, k), mul(i, k)]) == []


def test_sharing_picks_the_most_frequent_pair_at_every_step():
    """Against a search that counts everything anew at each step."""
    rng = random.Random(7)
    for _ in range(60):
        sets = [
            {n: rng.choice((1, 1, 2, 3)) for n in rng.sample(range(9), rng.randint(2, 5))}
            for _ in range(rng.randint(2, 9))
        ]
        slow = [dict(s) for s in sets]
        share(sets, lambda a, b: 100 * a + b + 10_000)
        while True:
            counts = {}
            for one in slow:
                for a in sorted(one):
                    for b in sorted(one):
                        if a < b or (a == b and one[a] > 1):
                            n = one[a] // 2 if a == b else min(one[a], one[b])
                            counts[a, b] = counts.get((a, b), 0) + n
            best = min(counts, key=lambda p: (-counts[p], p), default=None)
            if best is None or counts[best] < 2:
                break
            a, b = best
            for one in slow:
                if a in one and b in one and (a != b or one[a] > 1):
                    n = one[a] // 2 if a == b else min(one[a], one[b])
                    for f in best:
                        one[f] -= n
                    for f in set(best):
                        if not one[f]:
                            del one[f]
                    one[100 * a + b + 10_000] = one.get(100 * a + b + 10_000, 0) + n
        assert sets == slow


def test_the_2_of_a_double_belongs_to_what_several_products_share():
    doubled = [op("add", x, x) for x in (X, Y, Z)]
    flat = [mul(A, d) for d in doubled]
    doubles = doubles_used_once(flat)
    assert doubles == frozenset(doubled)
    twice = mul(A, number(2.0))
    for (_, new), x in zip(shared_factors(flat, doubles), (X, Y, Z), strict=True):
        assert set(new.args) in ({x, twice}, {x, mul(number(2.0), A)})


def test_a_double_that_several_products_use_stays_one():
    double = op("add", X, X)
    assert doubles_used_once([mul(A, double), mul(B, double)]) == frozenset()
    assert doubles_used_once([mul(double, double)]) == {double}


# ---------------------------------------------------------------- sums


def test_what_is_left_inside_is_a_sum_that_is_there_whatever_its_order():
    weights = [op("exp", x) for x in (X, Y, Z)]
    total = op("add", op("add", weights[0], weights[1]), weights[2])
    share = op("rcp", total)
    rest = number(1.0)
    for weight in reversed(weights):
        rest = op("sub", rest, mul(weight, share))
    found = common_factors([total, rest])
    assert (rest, op("sub", number(1.0), mul(share, total))) in found


def test_the_negative_of_a_sum_that_is_there():
    total = op("add", X, Y)
    other = op("sub", op("sub", A, mul(B, Y)), mul(X, B))
    assert (other, op("sub", A, mul(B, total))) in common_factors([total, other])


def test_a_sum_with_a_summand_more_is_another_one():
    total = op("add", op("add", X, X), Y)
    other = op("sub", op("sub", A, mul(B, Y)), mul(X, B))
    found = [new for old, new in common_factors([total, other]) if old is other]
    values = dict(zip((A, B, X, Y), map(Fraction, (5, 7, 2, 3)), strict=True))
    assert found and {exact(new, values) for new in found} == {exact(other, values)}


def test_summands_that_are_no_products_keep_their_order():
    assert common_factors([op("add", op("add", X, Y), Z), op("add", op("add", Z, Y), X)]) == []


def test_the_factor_of_most_summands_goes_outside():
    total = op("add", op("sub", op("add", mul(A, X), mul(B, Y)), mul(C, X)), mul(X, Z))
    [(old, new)] = common_factors([total])
    inner = op("add", op("sub", A, C), Z)
    assert old is total and new is op("add", mul(X, inner), mul(B, Y))


def test_all_common_factors_and_the_constant_go_outside_together():
    two = number(2.0)
    total = op("add", mul(two, A, B, X), op("add", C, mul(two, B, Y, A)))
    [(_, new)] = common_factors([total])
    assert new is op("add", mul(two, A, B, op("add", X, Y)), C)


def test_equal_products_become_one():
    total = op("add", mul(X, Y), op("add", Z, mul(Y, X)))
    [(_, new)] = common_factors([total])
    assert new is op("add", mul(number(2.0), X, Y), Z)
    gone = op("sub", op("add", mul(X, Y), Z), mul(Y, X))
    [(_, new)] = common_factors([gone])
    assert new is Z


def test_summands_that_are_no_products_stay_where_they_are():
    # (x + y) - x is y, but not where y is lost in the sum: its order is the author's.
    assert common_factors([op("sub", op("add", X, Y), X)]) == []
    assert common_factors([op("add", op("add", X, mul(X, Y)), Z)]) == []


def test_a_sum_that_is_used_twice_is_a_summand_itself():
    inner = op("add", mul(A, X), B)
    flat = [op("add", inner, mul(A, Y)), mul(inner, inner)]
    assert common_factors(flat) == []


def test_a_product_that_is_used_elsewhere_is_one_factor_and_several():
    shared = mul(A, B)
    total = op("sub", mul(X, shared), op("sub", mul(Y, shared), mul(B, Z)))
    news = [new for old, new in common_factors([total, shared]) if old is total]
    assert op("add", mul(shared, op("sub", X, Y)), mul(B, Z)) in news
    assert any(B in t.args and t.op == "mul" for t in news)  # b outside of all three


# ---------------------------------------------------------------- constants


def inside(*flat):
    return dict(constants_inside(flat))


def test_a_constant_goes_to_the_summands_that_have_one_anyway():
    total = op("sub", mul(number(8.0), A, B), number(4.0))
    product = mul(number(3.0), X, total)
    new = inside(product)[product]
    assert new is mul(X, op("sub", mul(number(24.0), A, B), number(12.0)))


def test_constants_that_become_one_vanish():
    total = op("add", mul(number(0.5), A, B), op("sub", mul(number(0.5), C), D))
    assert inside(mul(number(4.0), total)) == {}  # d would need a constant instead
    total = op("add", mul(number(0.25), A, B), op("sub", mul(number(0.25), C), D))
    product = mul(number(4.0), total)
    assert inside(product)[product] is op("sub", op("add", mul(A, B), C), mul(number(4.0), D))


def test_a_constant_stays_outside_where_it_would_cost_digits_or_operators():
    exact_inside = op("sub", mul(number(2.0), A), number(1.0))  # 2a - 1 is exact near a = 1/2
    assert inside(mul(number(3.0), exact_inside)) == {}
    power = mul(number(4.0), exact_inside)
    assert inside(power)[power] is op("sub", mul(number(8.0), A), number(4.0))
    assert inside(mul(number(3.0), op("sub", mul(A, B), C))) == {}
    twice = op("sub", mul(number(5.0), A), number(1.0))
    assert inside(mul(number(3.0), twice), mul(X, twice)) == {}  # its value is used as it is


def test_a_constant_that_overflows_stays_outside():
    total = op("sub", mul(number(1e200), A), number(1.0))
    assert inside(mul(number(3e200), total)) == {}


def test_a_constant_of_several_summands_goes_outside():
    squares = [mul(number(2.0), t, t) for t in (A, B, C)]
    total = op("sub", op("sub", op("sub", mul(X, Y), squares[0]), squares[1]), squares[2])
    new = dict(common_factors([total]))[total]
    assert same_function(total, new)
    assert sum(t.op == "mul" for t in toposort([total])) == 7
    assert sum(t.op == "mul" for t in toposort([new])) == 5
    apart = op("add", mul(number(2.0), A, B), mul(number(3.0), C, D))
    assert common_factors([apart]) == []


# ---------------------------------------------------------------- exponents


def test_an_exponent_is_a_multiple_of_another_one():
    def exponents(*scales):
        each = [op("exp", mul(number(c), X, Y) if c != 1 else mul(X, Y)) for c in scales]
        found = dict(multiples_of_others(each))
        return [found.get(t.args[0], t.args[0]) for t in each], [t.args[0] for t in each]

    (new, _), (old, base) = exponents(-1.3333333333333333, -0.6666666666666666)
    assert new is mul(number(2.0), base)
    assert same_function(old, new)
    (new, _, far), (_, base, farther) = exponents(-3, 1, 7)
    assert new is op("neg", mul(number(3.0), base))
    assert far is farther  # 7 is no power that rules know
    one, two = op("expm1", mul(X, Y)), op("expm1", mul(number(2.0), X, Y))
    assert list(multiples_of_others([two, one])) == [(two.args[0], mul(number(2.0), one.args[0]))]
    assert list(multiples_of_others([two, op("exp", mul(X, Y))])) == []
    (new, *_), (_, _, base) = exponents(4, 1, 2)
    assert new is mul(number(2.0), base)  # of the nearest
    new, old = exponents(0.3, 0.1)  # 3*0.1 is another number
    assert new == old
    assert list(multiples_of_others([op("exp", X), op("exp", Y), op("exp", number(2.0))])) == []


# ---------------------------------------------------------------- quotients


def test_what_is_above_and_below_the_line_goes_wherever_it_stands():
    square = mul(A, A)
    loss = mul(op("rcp", square), op("div", mul(X, square), op("add", B, C)))
    assert dict(without_common([loss]))[loss] is op("div", X, op("add", B, C))
    all_of_it = mul(op("div", A, B), op("div", B, A))
    assert dict(without_common([all_of_it]))[all_of_it] is number(1.0)
    below = op("div", op("neg", A), mul(op("div", B, C), A))
    assert dict(without_common([below]))[below] is op("neg", op("div", C, B))


def test_a_power_stands_beside_its_base():
    root = op("exp", mul(A, op("log", X)))
    both = op("div", mul(B, root), mul(C, X))
    assert dict(without_common([both]))[both] is op("div", mul(B, op("div", root, X)), C)
    twice = op("exp", mul(A, op("log", mul(number(2.0), X))))
    scaled = op("div", twice, X)
    wanted = mul(number(2.0), op("div", twice, mul(number(2.0), X)))
    assert dict(without_common([scaled]))[scaled] is wanted


def test_a_power_stays_where_its_base_is_not_below_or_others_need_it():
    root = op("exp", mul(A, op("log", X)))
    assert list(without_common([op("div", root, X)])) == []  # they are side by side
    assert list(without_common([op("div", mul(B, root), mul(C, X)), root])) == []
    twice = op("exp", mul(A, op("log", mul(number(2.0), X))))
    assert list(without_common([op("div", mul(B, twice), number(2.0))])) == []


def test_only_as_many_factors_go_as_there_are_on_both_sides():
    power = op("div", mul(A, A, X), mul(A, B))
    assert dict(without_common([power]))[power] is op("div", mul(A, X), B)


def test_what_has_nothing_in_common_is_left_alone():
    assert list(without_common([op("div", mul(A, B), mul(C, D)), mul(A, op("rcp", B))])) == []
    n, m = (var(name, Scalar.I32) for name in "nm")
    assert list(without_common([op("mul", op("div", n, m), m)])) == []  # 3 // 2 * 2 is 2
    assert list(without_common([op("div", op("add", A, B), op("add", B, A))])) == []


def test_a_product_of_very_many_quotients_is_left_alone():
    many = op("rcp", A)
    for k in range(30):
        many = mul(many, var(f"v{k}", Scalar.F64))
    many = mul(many, A)
    assert list(without_common([many])) == []


# ---------------------------------------------------------------- all of it


def function(rng, leaves, size, quotients):
    terms = list(leaves)
    for _ in range(size):
        name = rng.choice(("mul", "mul", "mul", "add", "sub", "neg", *quotients))
        args = rng.choices(terms[-8:] + leaves, k=1 if name in ("neg", "rcp") else 2)
        terms.append(op(name, *args))
    return terms[len(leaves) :]


@pytest.mark.parametrize("quotients", [(), ("div", "div", "rcp")], ids=["", "quotients"])
@pytest.mark.parametrize("seed", range(40))
def test_other_groups_are_the_same_function(seed, quotients):
    rng = random.Random(seed)
    leaves = [A, B, C, X, Y, number(2.0), number(-0.5)]
    terms = function(rng, leaves, 14, quotients)
    flat = rng.sample(terms, 4)
    pairs = in_other_groups(flat)
    for _ in range(3):
        values = {v: Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for v in (A, B, C, X, Y)}
        for old, new in pairs:
            assert exact(old, values) in (exact(new, values), None)
    assert pairs == in_other_groups(flat)
    for old, new in pairs:
        assert same_function(old, new)
        assert not same_function(old, op("add", new, mul(X, number(1e-3))))


def test_choices_and_roots_are_seen_through():
    four, half = number(4.0), number(0.5)
    less = Term("lt", (X, Y), None, Scalar.BOOL)
    for name in ("abs", "sqrt"):
        scale = four if name == "abs" else number(2.0)
        new = mul(scale, op(name, X))
        assert same_function(op(name, mul(four, X)), new)
        assert not same_function(op(name, mul(half, X)), new)
    assert same_function(op("rsqrt", mul(four, X)), mul(half, op("rsqrt", X)))
    assert not same_function(op("sqrt", A), op("sqrt", op("neg", A)))
    for name in ("min", "max"):
        assert same_function(mul(four, op(name, A, B)), op(name, mul(A, four), mul(B, four)))
    assert not same_function(op("min", A, B), op("max", A, B))
    choice = Term("select", (less, mul(four, A), mul(four, B)), None, Scalar.F64)
    assert same_function(choice, mul(four, Term("select", (less, A, B), None, Scalar.F64)))


def test_constants_may_be_rounded_when_they_are_folded():
    x = var("x", Scalar.F32)
    a, b = (const(v, Scalar.F32) for v in (0.1, 0.7))
    folded = const(0.1 * 0.7 * (1 + 6e-8), Scalar.F32)
    assert same_function(mul(a, mul(x, b)), mul(folded, x))
    assert not same_function(mul(a, mul(x, b)), mul(const(0.0701, Scalar.F32), x))


# ---------------------------------------------------------------- roots among factors


def test_a_root_meets_what_it_is_the_root_of():
    x = op("sub", A, B)
    half = mul(C, x, op("div", number(0.5), op("sqrt", x)))
    [(old, new)] = without_common([half])
    assert old is half and "div" not in {t.op for t in toposort([new])}
    assert same_function(old, new)
    for above, below in (("mul", "rsqrt"), ("div", "sqrt")):
        product = op(above, mul(C, x), op(below, x))
        for old, new in without_common([op("rcp", D), product]):
            assert same_function(old, new)


@pytest.mark.parametrize("roots", [2, 4])
def test_roots_do_not_go_altogether(roots):
    """There is no number where x is negative, before and after."""
    x, product = op("sub", A, B), op("div", op("sub", A, B), C)
    for _ in range(roots):
        product = mul(product, op("rsqrt", x))
    for _, new in without_common([product]):
        assert {"sqrt", "rsqrt"} & {t.op for t in toposort([new])}


def test_powers_of_one_root_are_written_as_such():
    x = op("sub", A, B)
    [(_, new)] = without_common([op("div", mul(C, op("sqrt", x)), mul(x, x))])
    assert [t.op for t in toposort([new]) if t.op not in ("var", "sub", "mul")] == ["rsqrt"]


# ---------------------------------------------------------------- factors of sums


def test_a_factor_goes_inside_where_its_products_are_there():
    x, y, z = (mul(C, v) for v in (X, Y, Z))
    inner = op("sub", op("add", mul(X, A), mul(B, Y)), mul(Z, Z, D))
    whole = mul(number(-3.0), inner, C, C)
    *_, (old, new) = factors_inside([x, y, z, whole])
    assert old is whole and same_function(old, new)
    count = [sum(t.op == "mul" for t in toposort([x, y, z, one])) for one in (old, new)]
    assert count[1] < count[0]
    values = dict(zip((A, B, C, D, X, Y, Z), map(Fraction, (2, 3, 5, 7, 11, 13, 17)), strict=True))
    assert exact(old, values) == exact(new, values)


def test_a_factor_stays_outside_where_a_product_is_missing():
    inner = op("add", mul(X, A), mul(B, Y))
    assert list(factors_inside([mul(C, X), mul(C, inner)])) == []
    assert list(factors_inside([mul(C, X), mul(C, Y), mul(C, op("add", mul(X, A), Y))])) == []
    shared = mul(C, inner)
    assert list(factors_inside([mul(C, X), mul(C, Y), shared, op("sin", inner)])) == []


@pytest.mark.parametrize("seed", range(20))
def test_random_products_of_sums_stay_what_they_are(seed):
    random_ = random.Random(seed)
    leaves = [A, B, C, D, X, Y, Z]
    roots = [mul(*random_.sample(leaves, 2)) for _ in range(9)]
    for _ in range(6):
        parts = [mul(*random_.sample(leaves, 2)) for _ in range(random_.randint(2, 3))]
        total = parts[0]
        for part in parts[1:]:
            total = op(random_.choice(["add", "sub"]), total, part)
        roots.append(mul(*random_.sample(leaves, random_.randint(1, 2)), total))
    for old, new in factors_inside(roots):
        assert same_function(old, new)


def test_factors_are_looked_for_in_linear_time():
    def pairs(n):
        inputs = [var(f"x{i}", Scalar.F64) for i in range(2 * n + 1)]
        r, xs, ys = inputs[0], inputs[1 : n + 1], inputs[n + 1 :]
        total = mul(xs[0], ys[0])
        roots = [mul(r, x) for x in xs]
        for i in range(0, n - 1, 2):
            total = op("add", mul(xs[i], ys[i]), mul(xs[i + 1], ys[i + 1]))
            roots.append(mul(r, total))
        return len(list(factors_inside(roots)))

    assert pairs(400) == 200 and pairs(4000) == 2000


# ---------------------------------------------------------------- factors inside of sums


def test_what_a_summand_is_divided_by_goes_inside_of_the_sum():
    """a*(b + c/a) is a*b + c: no division is left."""
    for quotient in (op("div", C, A), mul(C, op("rcp", A))):
        total = mul(X, mul(A, Y), op("add", B, quotient))
        [(old, new)] = factors_inside([total])
        assert old is total
        assert same_function(old, new)
        assert not {"div", "rcp"} & {t.op for t in toposort([new])}


def test_what_a_shared_product_holds_goes_inside_of_the_sum():
    shared = mul(X, A)
    total = mul(shared, op("sub", B, op("div", C, A)))
    [(_, new)] = factors_inside([total, mul(shared, Y)])
    assert same_function(total, new)
    assert "div" not in {t.op for t in toposort([new])}


def test_only_the_quotient_that_cancels_is_taken_apart():
    """p*(q*s) with q = p/(p*p) is s, though s is used often, too, and is divided by p."""
    q = mul(op("rcp", mul(A, A)), A)
    s = mul(op("rcp", mul(A, A)), X)
    total = mul(A, mul(q, mul(number(2.0), s)))
    others = [mul(q, Y), op("add", q, s), op("sub", s, B)]
    found = dict(without_common([total, *others]))
    assert same_function(found[total], mul(number(2.0), s))
    assert found[total] is mul(number(2.0), s)
