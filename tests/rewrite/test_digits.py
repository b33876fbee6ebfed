"""Small differences: accurate where their digits count, as written where sums hide them."""

import mpmath
import numpy as np
import pytest

from egad import RuleError, derive
from egad.rewrite.factors.digits import accurate
from egad.rules import loads
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

F = Scalar.F64
X, Y = var("x", F), var("y", F)


def op(name, *args):
    return Term(name, tuple(a if isinstance(a, Term) else const(a, F) for a in args), None, F)


def test_sums_end_what_factors_pass_on():
    small = op("sub", 1.0, op("cos", X))
    scaled = op("div", op("mul", Y, op("neg", small)), 3.0)
    assert small in accurate([scaled]) and small not in accurate([op("add", Y, scaled)])
    for reader in ("sqrt", "log", "exp"):
        assert small in accurate([op("add", Y, op(reader, scaled))])
    assert small in accurate([op("add", Y, op("div", X, small))])
    assert small in accurate([op("add", Y, op("div", small, X))])
    assert small in accurate([op("add", Y, small), op("mul", X, small)])


def rodrigues(t: float, u: float, v: float, w: float) -> float:
    c, s = np.cos(t), np.sin(t)
    return u * c + v * s + w * (1 - c)


def samples(a: float, b: float, x: float, y: float) -> float:
    first, second = 1 - np.exp(-a), 1 - np.exp(-b)
    return x * first + y * second * (1 - first) + x * y


@pytest.mark.parametrize("mode", ["bwd", "value_and_grad", "primal"])
def test_what_sums_read_costs_no_second_call(mode):
    turned = derive(rodrigues, mode)
    written = "out_bar - " if mode == "bwd" else "1.0f - c"  # w_bar is out_bar - c*out_bar
    assert written in turned.source and "?" not in turned.source
    assert turned.source.count("cos(") == 1
    seen = derive(samples, mode)
    assert seen.source.count("exp") == 2


def growth(x: float, y: float) -> float:
    return y * (1 - np.exp(-x))


def well(x: float, y: float) -> float:
    return y * (np.exp(-x) - 1) ** 2


def chord(x: float, y: float) -> float:
    return y * np.sqrt(1 - np.cos(x))


def discount(x: float, y: float) -> float:
    return 2 + (1 - np.exp(-x * y)) / y


@pytest.mark.numbers
@pytest.mark.parametrize("f", [growth, well, chord, discount], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [1e-9, 1e-4, 0.5, 3.0])
def test_where_digits_count_none_are_lost(f, x):
    """Value and derivatives in float64, beside 60 digits; as written, 7 of 16 are wrong at 1e-9."""
    y = 0.3
    value, grads = derive(f, "value_and_grad", dtype="float64").reference(x, y)
    with mpmath.workdps(60):
        exact = EXACT[f]
        wanted = exact(x, y), mpmath.diff(exact, (x, y), (1, 0)), mpmath.diff(exact, (x, y), (0, 1))
        for got, number in zip((value, *grads), wanted, strict=True):
            assert got == pytest.approx(float(number), rel=1e-12)


EXACT = {
    growth: lambda x, y: y * (1 - mpmath.exp(-x)),
    well: lambda x, y: y * (mpmath.exp(-x) - 1) ** 2,
    chord: lambda x, y: y * mpmath.sqrt(1 - mpmath.cos(x)),
    discount: lambda x, y: 2 + (1 - mpmath.exp(-x * y)) / y,
}


@pytest.mark.parametrize("f", [rodrigues, samples], ids=lambda f: f.__name__)
def test_nothing_is_less_accurate_than_written(f):
    """Errors in float32 of the optimized gradient and of the plain one, against float64."""
    plain, best = (derive(f, math=m) for m in ("strict", "safe"))
    exact = derive(f, math="strict", dtype="float64")
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(-0.01, 0.01, 2000) for _ in range(4)]
    inputs32 = [x.astype(np.float32) for x in inputs]
    seed = np.ones(2000)
    right = np.stack(exact.reference(*inputs32, seed))
    errors = [
        np.median(np.abs(np.stack(g.reference(*inputs32, seed.astype(np.float32))) - right), axis=1)
        for g in (best, plain)
    ]
    assert np.all(errors[0] <= 1.5 * errors[1] + 1e-12)


def test_a_rule_of_its_own_says_so_too():
    text = "@primal(digits={})\ndef less(x):\n    exp2(x) - 1 >> my(x)\n\n{}"
    operator = "def my(x) -> y:\n    y = exp2(x) - 1\n    dy_dx = 0.6931471805599453 * exp2(x)\n"
    found = loads(text.format("True", operator)).rewrites[-1]
    assert found.digits and found.primal
    with pytest.raises(RuleError, match=r"1:16: \[less\] digits is True or False"):
        loads(text.format("3", operator))
