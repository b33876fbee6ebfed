"""What a program loses of its digits where fewer operators are rounded more often."""

import numpy as np
import pytest

from egad import derive, exp, sqrt
from egad.codegen.host.reference import evaluate
from egad.rewrite.rounding import Errors, repaired
from egad.rewrite.rounding.repairs import LIMIT
from egad.rules import load
from egad.terms.term import Term, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F32
X, Y, Z = [var(name, REAL) for name in "xyz"]


def op(name, *args):
    return Term(name, args, None, REAL)


def power(base, exponent):
    found = base
    for _ in range(exponent - 1):
        found = op("mul", found, base)
    return found


def test_a_program_has_its_own_errors():
    root = op("exp", op("div", X, Y))
    assert Errors(RULES, [root]).ratio([root]) == 1.0


def test_without_a_real_result_there_are_no_errors():
    count = var("n", Scalar.I32)
    assert Errors(RULES, [count]).ratio([count]) == 1.0


def test_an_exponential_makes_much_of_a_product_with_a_reciprocal():
    plain = op("exp", op("mul", op("div", X, Y), op("div", X, Z)))
    chosen = op("exp", op("mul", op("mul", X, op("rcp", Y)), op("mul", X, op("rcp", Z))))
    errors = Errors(RULES, [plain])
    assert 1.1 < errors.ratio([chosen]) < 2


def test_as_few_are_repaired_as_it_takes():
    """Of a power of a reciprocal root half is rounded once; what is exact enough stays."""
    plain = [op("rcp", power(op("mul", X, X), 3)), op("div", Y, Z)]
    inverse = op("rsqrt", op("mul", X, X))
    chosen = [power(op("mul", inverse, inverse), 3), op("mul", Y, op("rcp", Z))]
    errors = Errors(RULES, plain)
    assert errors.ratio(chosen) > LIMIT
    found = repaired(chosen, errors)
    ((old, new),) = found.pairs
    assert old is op("mul", inverse, inverse) and new is op("rcp", op("mul", X, X))
    after = [found.terms[t] for t in chosen]
    assert errors.ratio(after) <= LIMIT
    assert after[1] is chosen[1]
    assert "rsqrt" not in {t.op for t in toposort(after)}


@pytest.mark.parametrize("count", [1, 2, 3, 8, 20])
def test_quotients_may_share_a_reciprocal(count):
    tops = [var(f"a{k}", REAL) for k in range(count)]
    errors = Errors(RULES, [op("div", a, X) for a in tops])
    chosen = [op("mul", a, op("rcp", X)) for a in tops]
    assert 1.2 < errors.ratio(chosen) < LIMIT
    assert repaired(chosen, errors) is None


def test_what_no_repair_makes_exact_stays():
    plain, chosen = op("sub", X, Y), op("mul", op("sub", op("exp", X), op("exp", Y)), op("exp", X))
    errors = Errors(RULES, [plain])
    assert errors.ratio([chosen]) > LIMIT
    assert repaired([chosen], errors) is None


def test_where_nothing_is_a_number_nothing_is_said():
    root = op("log", op("neg", op("mul", X, X)))
    assert Errors(RULES, [root]).ratio([op("exp", X)]) == 1.0


def test_integers_have_no_errors():
    n = var("n", Scalar.I32)
    whole = Term("add", (n, n), None, Scalar.I32)
    real = Term("cast", (whole,), None, REAL)
    plain = [whole, op("div", X, real)]
    assert 1 < Errors(RULES, plain).ratio([whole, op("mul", X, op("rcp", real))]) < 2


def perturbed(x: float, y: float, mu: float, j: float) -> tuple[float, float]:
    """The acceleration of an orbit by an oblate planet: the fifth power of 1/r in its Jacobian."""
    q = x * x + y * y
    cube = q * sqrt(q)
    k = 1 + 1.5 * j / q
    return -mu * x / cube * k, -mu * y / cube * k


def curve(level: float, slope: float, hump: float, a: float, b: float, t: float) -> float:
    x, y = t / a, t / b
    u, v = exp(-x), exp(-y)
    return level + slope * (1 - u) / x + hump * ((1 - v) / y - v)


@pytest.mark.parametrize(("f", "mode"), [(perturbed, "jacobian"), (curve, "hessian")])
def test_derivatives_have_at_most_half_as_large_errors_again(f, mode):
    """Against float64, at points that are not those of the search."""
    found = derive(f, mode, cache=False)
    exact = derive(f, mode, dtype="float64", optimize="fast", cache=False)
    rng = np.random.default_rng(5)
    names = [path for slot in found.program.params for path in slot.paths()]
    columns = {name: rng.uniform(0.5, 2, 8192).astype(np.float32) for name in names}
    right = np.array(evaluate(exact.derivative, RULES, columns, derived=True))

    def median(program):
        got = np.array(evaluate(program, RULES, columns, derived=True), np.float64)
        return np.median(np.max(np.abs(got - right), axis=0) / np.max(np.abs(right), axis=0))

    assert median(found.program) <= 1.5 * median(found.derivative)


def test_the_report_says_that_operators_were_put_back():
    report = derive(perturbed, "jacobian", cache=False).report
    assert report.rounds[-1].ended == "rounded less often"
    assert report.rounds[-1].cost > report.rounds[-2].cost
    for options in ({"optimize": "fast"}, {"math": "fast"}, {"math": "strict"}):
        report = derive(perturbed, "jacobian", cache=False, **options).report
        assert all(r.ended != "rounded less often" for r in report.rounds)
