"""The shipped rule files: complete, and right at every sample."""

import json

import mpmath
import numpy as np
import pytest

from egad.__main__ import main
from egad.rules import load, shipped
from egad.rules.checker.judge import Floats, Precise, evaluate

VOCABULARY = """
    add sub mul neg div rcp fma mad abs sign min max clamp saturate floor ceil round trunc frac
    fmod floor_div floor_mod copysign lerp step isnan isinf isfinite
    select lt le gt ge eq ne logical_and logical_or logical_not
    sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p pow hypot sigmoid softplus erf erfc
    lgamma tgamma smoothstep
    sin cos tan asin acos atan atan2 radians degrees sincos sinh cosh tanh asinh acosh atanh
    dot cross length distance normalize reflect transpose determinant inverse matmul refract lit dst
"""


@pytest.mark.long
def test_every_shipped_rule_is_right(capsys):
    """`egad check`, the command itself: with numbers, and in an e-graph."""
    code = main(["check", "--json"])
    results = json.loads(capsys.readouterr().out)
    assert [r["problem"] for r in results if r["problem"]] == [] and code == 0
    assert [r["rule"] for r in results if not r["samples"] and not r["unchecked"]] == []
    assert {r["file"] for r in results} == {f"{name}.rules" for name in shipped()}
    assert sum(r["samples"] for r in results) < 5_000_000  # `python -m bench rules` has the time
    unchecked = {(r["rule"], r["file"]) for r in results if r["unchecked"]}
    slang_lies = {(name, "slang.rules") for name in ("sqrt", "rcp", "pow", "fmod")}
    of_squares = ("norm_of", "norm_power", "weighted_norm", "square_xlogx")
    flat = {(name, "elementary.rules") for name in (*of_squares, "beside_zero")}
    assert unchecked == slang_lies | flat


def test_vocabulary_is_complete():
    rules = load()
    assert [name for name in VOCABULARY.split() if name not in rules.operators] == []


def test_no_operator_is_without_documentation():
    overloads = [o for group in load().operators.values() for o in group]
    assert [o.name for o in overloads if not o.doc] == []


def test_costs():
    cost = {name: group[0].cost for name, group in load().operators.items()}
    assert cost["rsqrt"] < cost["sqrt"] + cost["div"]
    assert cost["tan"] < cost["sin"] + cost["cos"] + cost["div"]
    primitives = [o for group in load().operators.values() for o in group if o.is_primitive]
    assert [o.name for o in primitives if not o.cost] == []


def both(expression, **values):
    """The value of an operator expression in float64 and in mpmath."""
    rules = load()
    env = {name: np.atleast_1d(np.float64(v)) for name, v in values.items()}
    with np.errstate(all="ignore"):
        got = float(np.ravel(evaluate(expression, env, rules, Floats(np.float64)))[0])
    with mpmath.workdps(60):
        env = {name: mpmath.mpf(v) for name, v in values.items()}
        return got, evaluate(expression, env, rules, Precise())


@pytest.mark.parametrize("name", ["digamma", "trigamma", "digamma_positive", "trigamma_positive"])
@pytest.mark.parametrize("x", [1e-3, 0.1, 0.7, 1.9, 3.3, 7.99, 8.0, 40.0, 1e5])
def test_polygamma_in_float64(name, x):
    got, wanted = both(load().operator(name).definition, x=x)
    wanted = mpmath.digamma(x) if name.startswith("di") else mpmath.psi(1, x)
    assert got == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.parametrize("name", ["digamma", "trigamma"])
@pytest.mark.parametrize("x", [-0.3, -1.5, -2.7, -20.25])
def test_polygamma_of_negative_numbers_in_float64(name, x):
    got, _ = both(load().operator(name).definition, x=x)
    wanted = mpmath.digamma(x) if name == "digamma" else mpmath.psi(1, x)
    assert got == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("name", ["exprel", "log1prel", "cardinal_sine"])
@pytest.mark.parametrize("x", [1e-12, 1e-5, 0.003, 0.0079, 0.05, 0.124, 0.126, 0.49, 0.51, 0.9])
@pytest.mark.parametrize("sign", [1, -1])
def test_derivatives_of_quotients_do_not_cancel(name, x, sign):
    operator = load().operator(name)
    x *= sign
    y, exact = both(operator.definition, x=x)
    assert y == pytest.approx(float(exact), rel=1e-14)
    got, _ = both(operator.partials[0], x=x, y=y)
    functions = {
        "exprel": lambda t: mpmath.expm1(t) / t,
        "log1prel": lambda t: mpmath.log1p(t) / t,
        "cardinal_sine": lambda t: mpmath.sin(t) / t,
    }
    with mpmath.workdps(60):
        wanted = float(mpmath.diff(functions[name], mpmath.mpf(x)))
    assert got == pytest.approx(wanted, rel=2e-13)


@pytest.mark.parametrize("x", [-745.0, -40.0, -1.0, 0.0, 1.0, 40.0, 700.0])
def test_sigmoid_is_accurate_in_both_tails(x):
    operator = load().operator("sigmoid")
    y, exact = both(operator.primal, x=x)
    assert y == pytest.approx(float(exact), rel=1e-15, abs=5e-324)
    got, _ = both(operator.partials[0], x=x, y=y)
    with mpmath.workdps(60):
        wanted = float(mpmath.exp(-mpmath.mpf(x)) / (1 + mpmath.exp(-mpmath.mpf(x))) ** 2)
    assert got == pytest.approx(wanted, rel=1e-14, abs=5e-324)


@pytest.mark.parametrize("a", [-7.5, -7.0, -1.0, 0.0, 1.0, 7.0, 7.5, 0.3])
@pytest.mark.parametrize("b", [-2.0, -0.1, 0.1, 2.0, 3.0])
def test_floor_division_is_that_of_python(a, b):
    rules = load()
    quotient, _ = both(rules.operator("floor_div").definition, a=a, b=b)
    rest, _ = both(rules.operator("floor_mod").definition, a=a, b=b)
    assert (quotient, rest) == (a // b, a % b)
