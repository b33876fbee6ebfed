"""Reuse: values that are other values of a program, or one or two operators away from them."""

import random
from fractions import Fraction

import numpy as np
import pytest

from egad import derive, force_unroll, rewrite
from egad.codegen.host.reference import evaluate
from egad.rewrite.egraph import leaks, numbers
from egad.rewrite.egraph.cost import term_cost
from egad.rewrite.fingerprints import PRIME, Fingerprints, fraction
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.reuse import cases, resubstitution, reused, triples
from egad.rewrite.reuse.digits import Digits
from egad.rewrite.reuse.known import Known
from egad.rewrite.reuse.repeats import repeated
from egad.rewrite.reuse.resubstitution import resubstituted
from egad.rewrite.reuse.triples import in_two_steps
from egad.rules import load
from egad.terms.term import Term, const, is_zero, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64
A, B, C, X, Y = LEAVES = [var(name, REAL) for name in "abcxy"]
ZERO, ONE = const(0.0, REAL), const(1.0, REAL)


def op(name, *args, kind=REAL):
    return Term(name, args, None, kind)


def add(a, b):
    return op("add", a, b)


def sub(a, b):
    return op("sub", a, b)


def mul(a, b):
    return op("mul", a, b)


def cost(term):
    return term_cost(RULES, term)


def prints(*terms):
    found = Fingerprints(toposort(terms))
    return [found[t] for t in terms]


def repeats(*flat):
    return list(repeated(Known(flat, cost)))


def of_two(*flat):
    found = resubstituted(Known(flat, cost))
    return [(old, new) for old, new, is_own in found if not is_own]


def of_three(*flat):
    return list(in_two_steps(Known(flat, cost)))


def pairs(*flat):
    at = numbers.points(flat, special=True)
    return reused(flat, RULES, Digits(RULES, at)).others


# ---------------------------------------------------------------- fingerprints


def test_equal_rational_functions_have_equal_fingerprints():
    square = sub(mul(X, X), mul(Y, Y))
    one, two = prints(square, mul(add(X, Y), sub(X, Y)))
    assert one == two
    quotient, other = prints(op("div", A, mul(X, Y)), mul(op("rcp", Y), op("div", A, X)))
    assert quotient == other
    third = const(0.3333333333, REAL)
    one, two = prints(mul(third, X), op("div", X, const(3.0, REAL)))
    assert one != two


def test_what_is_not_rational_is_the_same_of_the_same():
    one, two = prints(op("exp", add(X, Y)), op("exp", add(Y, X)))
    assert one == two
    one, two = prints(op("exp", X), op("sin", X))
    assert one != two
    roots = [op("sqrt", add(X, Y)), op("rsqrt", add(Y, X))]
    product, square, below = prints(mul(*roots), mul(roots[0], roots[0]), add(Y, X))
    assert product == 1 and square != below  # the square of a root is that where there is a root
    one, two = prints(op("max", X, Y), op("max", Y, X))
    assert one == two
    one, two = prints(var("k", Scalar.I32), var("n", Scalar.I32))
    assert one != two


def test_what_divides_by_zero_is_no_number():
    nothing = sub(mul(X, Y), mul(Y, X))
    one, two = prints(op("div", X, nothing), op("rcp", nothing))
    assert one not in (0, 1) and two not in (0, 1) and one != two
    infinite, zero = prints(const(np.inf, REAL), ZERO)
    assert infinite and zero == 0


def _random_program(rng):
    terms = [*LEAVES, const(2.0, REAL), const(0.3, REAL)]
    for _ in range(30):
        name = rng.choice(("add", "sub", "mul", "mul", "add", "neg", "div", "sqrt", "exp", "max"))
        count = {"neg": 1, "sqrt": 1, "exp": 1}.get(name, 2)
        terms.append(op(name, *rng.choices(terms[-14:], k=count)))
    return terms[-6:]


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_is_the_same_function(seed):
    flat = _random_program(random.Random(seed))
    found = [*repeats(*flat), *of_two(*flat), *of_three(*flat)]
    for old, new in found:
        assert same_function(old, new), (old, new)
        assert old not in toposort(new.args)
    assert found == [*repeats(*flat), *of_two(*flat), *of_three(*flat)]


def test_random_programs_have_something_to_find():
    count = threes = 0
    for seed in range(60):
        flat = _random_program(random.Random(seed))
        count += len(repeats(*flat)) + len(of_two(*flat))
        threes += len(of_three(*flat))
    assert count > 60
    assert threes > 10


def test_constants_stand_for_simple_fractions():
    """A third of three is one, and thirds of sums that vanish are nothing."""
    third = const(1.0 / 3.0, REAL)
    mean = mul(third, add(add(A, B), C))
    total = add(add(sub(A, mean), sub(B, mean)), sub(C, mean))
    assert prints(total)[0] == 0
    assert prints(mul(third, X))[0] == prints(op("div", X, const(3.0, REAL)))[0]
    assert prints(add(third, const(1.0 - 1.0 / 3.0, REAL)))[0] == 1


@pytest.mark.parametrize("value", [0.7071067811865476, 3.141592653589793, 1e-30, 2.0**-40])
def test_other_constants_stand_for_themselves(value):
    assert fraction(value) == Fraction(value)
    assert fraction(1.0 + 1e-12) != 1


# ---------------------------------------------------------------- what is found


def test_a_value_in_other_brackets():
    first, again = mul(X, sub(A, B)), sub(mul(A, X), mul(X, B))
    assert (again, first) in repeats(first, again)
    turned = sub(mul(X, B), mul(A, X))
    assert (turned, op("neg", first)) in repeats(first, turned)


def test_values_that_are_zero_or_one():
    zero = sub(mul(X, sub(A, B)), sub(mul(A, X), mul(X, B)))
    assert (zero, ZERO) in repeats(zero)
    one = op("div", sub(mul(X, X), mul(Y, Y)), mul(add(X, Y), sub(X, Y)))
    assert (one, ONE) in repeats(one)


def test_a_value_that_is_a_product_of_two():
    difference = sub(X, Y)
    square = add(sub(mul(X, X), mul(mul(const(2.0, REAL), X), Y)), mul(Y, Y))
    assert (square, mul(difference, difference)) in of_two(difference, square)


def test_a_value_that_is_a_difference_of_two():
    first, second = mul(X, add(A, B)), mul(Y, add(A, C))
    third = sub(sub(mul(A, sub(X, Y)), mul(C, Y)), op("neg", mul(B, X)))
    found = of_two(first, second, third)
    assert (third, sub(first, second)) in found


def test_nothing_for_a_value_of_one_operator_or_one_that_others_use():
    assert not of_two(mul(X, Y), add(X, Y), sub(X, Y))
    inner = mul(add(X, Y), A)  # is used as it is: only one operator is there for the sum alone
    found = [old for old, _ in of_two(inner, add(inner, B), X)]
    assert add(inner, B) not in found


def parts(term):
    """The operators of a term and what they are on, in any brackets."""
    return sorted(t.op for t in toposort([term])), {t for t in toposort([term]) if t.op == "exp"}


P, Q, R = op("exp", A), op("exp", B), op("exp", C)
TWICE = {value: mul(const(2.0, REAL), value) for value in (P, Q, R)}
HALF = const(0.5, REAL)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (add(mul(P, R), mul(R, Q)), mul(R, add(P, Q))),
        (sub(mul(Q, R), mul(R, P)), mul(R, sub(Q, P))),
        (mul(HALF, mul(TWICE[P], mul(TWICE[Q], mul(R, HALF)))), mul(R, mul(P, Q))),
        (mul(HALF, add(add(TWICE[P], TWICE[Q]), TWICE[R])), add(R, add(P, Q))),
        (mul(HALF, sub(sub(TWICE[R], TWICE[P]), TWICE[Q])), sub(R, add(P, Q))),
        (mul(HALF, sub(add(TWICE[R], TWICE[P]), TWICE[Q])), add(R, sub(P, Q))),
        (mul(HALF, add(mul(TWICE[P], Q), TWICE[R])), add(R, mul(P, Q))),
        (mul(HALF, sub(TWICE[R], mul(TWICE[P], Q))), sub(R, mul(P, Q))),
        (mul(HALF, sub(mul(TWICE[P], Q), TWICE[R])), sub(mul(P, Q), R)),
        (sub(op("neg", mul(P, R)), mul(R, Q)), op("neg", mul(R, add(P, Q)))),
        (mul(sub(HALF, ONE), add(add(TWICE[P], TWICE[Q]), TWICE[R])), op("neg", add(R, add(P, Q)))),
    ],
    ids=str,
)
def test_a_value_that_is_two_operators_on_three(long, short):
    """Every operator on every operator, with either sign; nothing that is dearer than it was."""
    found = of_three(P, Q, R, long)
    assert parts(short) in [parts(new) for old, new in found if old is long]
    assert all(same_function(*pair) for pair in found)
    assert not of_three(P, Q, R, short)


def test_two_operators_on_three_need_three_that_are_there():
    long = add(mul(P, R), mul(R, Q))
    assert not of_three(P, Q, long) or all(R not in toposort([new]) for _, new in of_three(P, Q))
    above = mul(long, X)  # is made of the value, and so no part of it
    assert all(above not in toposort([new]) for _, new in of_three(P, Q, R, above, long))


def test_nothing_new_is_divided_by():
    """Where b is 0, a*x is a number, and (a/b)*(b*x) is none; with such a pole, it may be."""
    quotient, product = op("div", A, B), mul(B, X)
    longer = sub(mul(A, add(X, Y)), mul(A, Y))
    assert same_function(longer, mul(quotient, product))
    found = of_two(quotient, product, longer)
    assert (longer, mul(A, X)) in found and (longer, mul(quotient, product)) not in found
    over = sub(op("div", mul(A, add(X, Y)), C), op("div", mul(A, Y), C))
    parts = op("rcp", C), mul(A, X)
    assert (over, mul(*parts)) in of_two(*parts, over)
    known = Known([op("select", op("lt", A, B, kind=Scalar.BOOL), quotient, X), over], cost)
    assert not known.poles[known.flat[0]] and known.poles[over]
    again = mul(quotient, product)
    assert not repeats(again, mul(A, X))


def test_a_branch_keeps_what_it_is_there_for():
    """The angle of a rotation is 0 in one branch, which must not divide by it."""
    derived = derive(turned_about, "jacobian", dtype="float64")
    found = derived(0.0, 0.0, 0.0, 0.3, -0.4, 2.0)
    assert found.x == pytest.approx(1.0) and found.y == 0.0
    assert found.a == 0.0 and found.b == pytest.approx(2.0)


def test_a_sum_of_two_dot_products():
    """dot(n, (l + v) * k) is k * (dot(n, l) + dot(n, v)), in no order of sums that rules try."""
    n, light, v = ([var(f"{name}{i}", REAL) for i in range(3)] for name in "nlv")
    k = op("rsqrt", add(X, Y))
    half = [mul(add(a, b), k) for a, b in zip(light, v, strict=True)]

    def dot(a, b):
        one, two, three = [mul(x, y) for x, y in zip(a, b, strict=True)]
        return add(add(one, two), three)

    flat = [dot(n, light), dot(n, v), dot(n, half), *half]
    assert (flat[2], mul(k, add(flat[0], flat[1]))) in of_three(*flat)


def test_what_cancels_is_refused():
    """(a + b) - a is b, and has lost the digits of b where a is large."""
    small, large = mul(mul(X, X), mul(Y, Y)), mul(A, const(1e6, REAL))
    total = add(large, mul(mul(X, Y), mul(X, Y)))
    at = numbers.points([small, total, large], special=True)
    lossy, exact = sub(total, large), mul(mul(X, Y), mul(X, Y))
    assert same_function(small, lossy)
    assert Digits(RULES, at).kept([(small, lossy), (small, exact)]) == [(small, exact)]
    assert all(new is not lossy for _, new in pairs(small, total, large))
    assert (small, lossy) in of_two(small, total, large)


def test_a_value_without_numbers_is_not_replaced():
    never = op("log", op("neg", mul(X, X)))
    first, again = mul(never, sub(A, B)), sub(mul(never, A), mul(B, never))
    at = numbers.points([first, again], special=True)
    assert not Digits(RULES, at).kept([(again, first)])


def test_types_do_not_mix():
    x, y = var("x", Scalar.F32), var("y", Scalar.F32)
    single = op("mul", x, y, kind=Scalar.F32)
    double = op("cast", single)
    found = [*repeats(double, mul(X, Y)), *of_two(double, mul(X, Y))]
    assert all(old.type is new.type for old, new in found)


# ---------------------------------------------------------------- in derivations


def turned_about(a: float, b: float, c: float, x: float, y: float, z: float) -> float:
    """The first coordinate of a point that is turned by a vector of rotation."""
    square = a * a + b * b + c * c
    if square == 0.0:
        return x + b * z - c * y
    angle = np.sqrt(square)
    u, v, w = a / angle, b / angle, c / angle
    along = (u * x + v * y + w * z) * (1 - np.cos(angle))
    return x * np.cos(angle) + (v * z - w * y) * np.sin(angle) + u * along


def inverse_3x3(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
):
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det


def yield_stress(x: float, y: float, z: float, k: float, m: float) -> float:
    t = k * (x + y + z)
    a, b, c = t + m * x, t + m * y, t + m * z
    return (a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2


def test_derivatives_become_cheaper():
    derived = derive(inverse_3x3, "jacobian", dtype="float64")
    plain = derived.derivative
    names = [param.name for param in plain.params]
    point = dict(zip(names, np.linspace(0.7, 2.3, len(names)), strict=True))
    costs = []
    for without in ((), (rewrite.Phase.REUSE,)):
        report = rewrite.Report("f", "bwd", "safe", "float64")
        options = rewrite.Options(without=without)
        best = rewrite.optimize(plain, RULES, REAL, options, report, True)
        costs.append(report.cost_after)
        for one, other in zip(
            evaluate(best, RULES, point), evaluate(plain, RULES, point, derived=True), strict=True
        ):
            assert np.allclose(one, other, rtol=1e-12)
    assert costs[0] < costs[1]


def test_what_vanishes_only_in_real_numbers_stays_in_strict_mode():
    """Differences of stresses know nothing of the trace: their derivative by k is 0."""
    by_k = [derive(yield_stress, "bwd", math=math).program.flat[3] for math in ("strict", "safe")]
    assert [is_zero(term) for term in by_k] == [False, True]


def test_a_point_at_which_digits_are_lost_says_nothing():
    """Of 1e60 + x only 1e60 is left: another order of the sum may well give another number."""
    large = mul(mul(X, const(1e30, REAL)), const(1e30, REAL))
    plain, other = sub(add(large, Y), large), add(Y, sub(large, large))
    at = numbers.points([plain], special=True)
    assert not leaks.Witness(RULES, [plain], at).lost([other])
    assert leaks.Witness(RULES, [Y], at).lost([mul(Y, const(2.0, REAL))])


def test_large_programs_are_looked_at_in_linear_time():
    def chain(count):
        terms = [X, Y]
        for k in range(count):
            terms.append((add, mul, sub)[k % 3](terms[-1], terms[-2]))
        return terms[-1:]

    repeats(*chain(100_000))
    assert not of_two(*chain(100_000))
    assert not of_three(*chain(100_000))


def _counted(monkeypatch, holder, name):
    """Calls of a function from here on, one each."""
    calls, known = [], getattr(holder, name)

    def counting(*args):
        calls.append(args)
        return known(*args)

    monkeypatch.setattr(holder, name, counting)
    return calls


def test_multiples_of_one_value_are_tried_a_few_times_each(monkeypatch):
    """They are sums of any two of them: the square of their number, and the third power."""
    pairs = _counted(monkeypatch, resubstitution._Values, "_is")
    more = _counted(monkeypatch, triples._Values, "_made")
    total, either = X, X
    for k in range(300):
        total, either = add(total, X), add(either, (X, Y)[k % 2])
    of_two(total)
    of_three(either)
    assert 0 < len(pairs) <= 300 * resubstitution._TRIED  # 67,672 without a limit
    assert 0 < len(more) <= 300 * triples._TRIED  # 2,224,355 without one


def test_a_long_chain_of_choices_has_too_many_cases(monkeypatch):
    """That is known of all values, without a walk below each pair of them."""

    def lowest(x: float, a: float) -> float:
        y = a
        for k in force_unroll(range(30)):
            y = min(y, x * (0.2 + 0.1 * k)) + a
        return y

    walks = _counted(monkeypatch, cases, "_is_equal_in_every_case")
    derive(lowest, dtype="float64")
    assert len(walks) <= 30  # 348 if they are walked


def test_a_prime():
    assert pow(3, PRIME - 1, PRIME) == 1
