"""The SymPy reader: values against SymPy's own, shapes, parameters, determinism, errors."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

from egad.codegen.host.reference import evaluate
from egad.reader.sympy.expressions import is_sympy, read_sympy
from egad.rules import load, loads
from egad.terms.errors import TraceError
from egad.terms.program import Program
from egad.terms.types import Mat, Scalar, Vec

x, y, z = sp.symbols("x y z")
RULES = load()


def read(expr, params=None, **options) -> Program:
    options = {"real": Scalar.F64, "rules": RULES, **options}
    return read_sympy(expr, params, **options)


def values(program: Program, **inputs) -> list[float]:
    return [float(v) for v in evaluate(program, RULES, inputs)]


def ops(expr) -> list[str]:
    return [t.op for t in read(expr).terms() if t.args]


EXPRESSIONS = [
    x - y / z**2 + sp.sqrt(x) / sp.sqrt(y) - 1,
    (x + y + z) ** 5 / 7 - 3 * x * y * z / 11,
    -x - y - z,
    -x * y / (-z),
    sp.Rational(1, 3) * sp.pi * x**2 * y,
    x**-3 + x ** sp.Rational(-1, 2) + x ** sp.Rational(3, 2) + sp.cbrt(x) + 1 / sp.cbrt(y),
    x**y + 2**x + 10**y + x**2.5 + sp.Pow(sp.E, x, evaluate=False),
    sp.exp(-(x**2)) * sp.log(y) + sp.log(x, 2) + sp.log(z, 10),
    sp.sin(x) + sp.cos(y) + sp.tan(z) + sp.asin(x / 9) + sp.acos(y / 9) + sp.atan(z),
    sp.sinh(x) + sp.cosh(y) + sp.tanh(z) + sp.asinh(x) + sp.acosh(1 + y) + sp.atanh(z / 9),
    sp.sec(x) + sp.csc(y) + sp.cot(z) + sp.sech(x) + sp.csch(y) + sp.coth(z),
    sp.acot(x) + sp.asec(1 + y) + sp.acsc(1 + z) + sp.acoth(1 + x) + sp.asech(y / 9) + sp.acsch(z),
    sp.atan2(y, x) + sp.erf(x) + sp.erfc(y) + sp.gamma(z) + sp.loggamma(x) + sp.factorial(y),
    sp.Abs(x - 2) + sp.sign(y - 5) + sp.floor(z * 3) + sp.ceiling(x * 3) + sp.frac(y) + x % y,
    sp.Min(x, y, z) + sp.Max(x, y * 2, z, 1) + sp.Heaviside(x - y) + sp.Heaviside(y - x, 0),
    sp.Piecewise((x, x > 2), (y, sp.And(y > 1, x < y)), (z, True)),
    sp.Piecewise((1, sp.Or(sp.Not(x < y), sp.Ne(z, 3))), (2, sp.Xor(x > 1, y > 1)), (3, True)),
    sp.Piecewise((sp.sqrt(x), sp.Implies(x > 1, y > 1)), (sp.S.Half, True)),
    sp.sinc(x) + sp.sinc(0 * x) + sp.EulerGamma + sp.GoldenRatio + sp.E,
    sp.re(x) + sp.im(x) + sp.conjugate(y) + sp.UnevaluatedExpr(x + 1) * 2,
    sp.expand((x + 2 * y - z) ** 6),
    sp.Sum(x**z, (z, 1, 4)).doit(),
    sp.diff(sp.exp(sp.sin(x * y)) / (1 + z**2), x, y),
    sp.Float("0.1", 40) * x + sp.Integer(10) ** 20 + sp.Rational(10**30, 3 * 10**29),
]
POINTS = [(1.25, 2.5, 0.75), (3.5, 0.4, 2.0), (0.6, 1.1, 3.0)]


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=lambda e: str(e)[:40])
@pytest.mark.parametrize("point", POINTS)
def test_value_is_sympys(expr, point):
    program = read(expr, None)
    inputs = {slot.name: dict(zip("xyz", point, strict=True))[slot.name] for slot in program.params}
    given = {s: dict(zip("xyz", point, strict=True))[s.name] for s in expr.free_symbols}
    expected = complex(expr.subs(given).doit())
    (got,) = values(program, **inputs)
    if expected.imag:
        assert math.isnan(got)
    else:
        assert got == pytest.approx(expected.real, rel=1e-9, abs=1e-9)


def test_outside_of_a_piecewise_is_nan():
    program = read(sp.Piecewise((x, x > 0), (-x, x < -1)))
    got = evaluate(program, RULES, {"x": np.array([2.0, -0.5, -3.0])})[0]
    np.testing.assert_array_equal(got, [2.0, np.nan, 3.0])


def test_arithmetic_is_what_one_would_write():
    assert ops(x - y) == ["sub"]
    assert ops(-x - y) == ["add", "neg"]
    assert ops(x / y) == ["div"]
    assert ops(x / (y * z)) == ["mul", "div"]
    assert ops(x**2 - 1) == ["mul", "sub"]
    assert ops(1 / sp.sqrt(x)) == ["rsqrt"]
    assert ops(sp.sin(x) + sp.sin(x) ** 2) == ["sin", "mul", "add"]
    assert ops(2 * x) == ["mul"]


def test_sums_are_balanced():
    many = sp.symbols("a0:64")
    program = read(sp.Add(*many))
    depth: dict[object, int] = {}
    for term in program.terms():
        depth[term] = 1 + max((depth[a] for a in term.args), default=0)
    assert max(depth.values()) == 7


@pytest.mark.parametrize(
    ("expr", "types"),
    [
        (sp.Matrix([x, y]), [Vec(Scalar.F64, 2)]),
        (sp.Matrix([[x, y, z]]), [Vec(Scalar.F64, 3)]),
        (sp.ImmutableMatrix([[x, y], [y, z]]), [Mat(Scalar.F64, 2, 2)]),
        (sp.Matrix(4, 3, lambda i, j: x + i * j), [Mat(Scalar.F64, 4, 3)]),
        (sp.Matrix(7, 1, lambda i, j: x * i), [Scalar.F64] * 7),
        (sp.Matrix(5, 2, lambda i, j: x * i), [Scalar.F64] * 10),
        (sp.Matrix([[x]]), [Scalar.F64]),
        (sp.Array([x, y, z]), [Vec(Scalar.F64, 3)]),
        ([x, y * 2], [Scalar.F64] * 2),
        ((x, 1), [Scalar.F64] * 2),
        (sp.Tuple(x, y, z), [Scalar.F64] * 3),
        (sp.Poly(x**2 + y), [Scalar.F64]),
        (sp.Gt(x, y), [Scalar.BOOL]),
    ],
    ids=lambda v: type(v).__name__,
)
def test_shapes(expr, types):
    program = read(expr)
    assert [slot.type for slot in program.results] == types
    assert [slot.diff for slot in program.results] == [t is not Scalar.BOOL for t in types]


def test_matrix_elements_are_row_by_row():
    program = read(sp.Matrix([[x, 2 * y], [3, z]]))
    assert values(program, x=1, y=2, z=5) == [1, 4, 3, 5]


def test_parameters():
    expr = z * x - y
    assert [p.name for p in read(expr).params] == ["x", "y", "z"]
    assert [p.name for p in read(expr, [z, "y", x]).params] == ["z", "y", "x"]
    assert [p.name for p in read(expr, "z y x").params] == ["z", "y", "x"]
    assert [p.name for p in read(x, [x, y]).params] == ["x", "y"]
    assert [p.name for p in read(sp.Lambda((z, y), y)).params] == ["z", "y"]
    assert [p.diff for p in read(expr, wrt=["x"]).params] == [True, False, False]
    typed = read(x**y, [x, (y, "int")]).params[1]
    assert (typed.type, typed.diff) == (Scalar.I32, False)


def test_names_that_python_does_not_have():
    a, b, c = sp.Symbol("lambda"), sp.Symbol("x_{1}"), sp.Symbol("x_1")
    program = read(a + b * c, wrt=["lambda", c])
    assert {p.name: p.diff for p in program.params} == {
        "lambda_": True,
        "x_1": True,
        "x_1_2": False,
    }


def test_assumptions_and_dummies():
    p, n = sp.Symbol("p", positive=True), sp.Symbol("n", integer=True)
    assert values(read(sp.sqrt(p**2) * n), n=3.0, p=2.0) == [6.0]
    d = sp.Dummy("d")
    assert values(read(d + x), d=1.0, x=2.0) == [3.0]


def test_functions_of_rule_files():
    rules = loads("def mylambert(x) -> y:\n    y = x * exp(x)\n")
    f = sp.Function("mylambert")
    program = read(f(x) + 1, rules=rules)
    assert float(evaluate(program, rules, {"x": 2.0})[0]) == pytest.approx(2 * math.exp(2) + 1)

    class hypot(sp.Function):  # a user's class, named as an operator of ours
        pass

    assert values(read(hypot(x, y)), x=3, y=4) == [5.0]


def test_deep_expressions():
    expr = x
    for _ in range(10_000):
        expr = sp.Add(sp.sin(expr, evaluate=False), y, evaluate=False)
    assert len(read(expr).terms()) == 20_002


def test_shared_subexpressions_are_read_once():
    expr = x
    for _ in range(60):
        expr = sp.Mul(expr, sp.Add(expr, y, evaluate=False), evaluate=False)
    assert len(read(expr).terms()) == 122


_SCRIPT = """
import sympy as sp
from egad.reader.sympy.expressions import read_sympy
from egad.rules import load
from egad.terms.term import to_table
from egad.terms.types import Scalar
x, y, z, w = sp.symbols("x y z w")
g = sp.Piecewise((x, sp.And(x > 0, y < z, w > 1)), (y, sp.Or(x < 1, sp.Not(y > z))), (z, True))
e = g * sp.Max(x, y, z) + sp.expand((x + y * z - w) ** 4) + sp.sqrt(x * y) / sp.exp(z * w)
p = read_sympy(sp.Matrix([e, sp.diff(e, x)]), real=Scalar.F32, rules=load())
print(to_table(p.flat), p.params)
"""


def test_hash_seed_changes_nothing():
    texts = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        (sp.Function("foo")(x, y), ["'foo'", "def foo(x0, x1) -> y"]),
        (sp.zeta(x), ["'zeta'", "rule file"]),
        (sp.I * x, ["contains I", "real numbers"]),
        (sp.zoo, ["zoo"]),
        (sp.Derivative(sp.Function("g")(x), x), ["Derivative", ".doit()"]),
        (sp.Integral(sp.exp(x**x), x), ["Integral", ".doit()"]),
        (sp.O(x**2) + x, ["O(x**2)", "removeO"]),
        (sp.MatrixSymbol("A", 2, 2), ["MatrixSymbol", "one symbol per element"]),
        (sp.MatrixSymbol("A", 2, 2)[0, 1] + x, ["A[0, 1]", "one symbol per element"]),
        (sp.IndexedBase("a")[1], ["a[1]", "one symbol per element"]),
        (sp.Integer(10) ** 400 + x, ["401 digits"]),
        (sp.Function("sincos")(x), ["sincos", "one number"]),
        (sp.Function("sin")(x, y), ["sin(", "does not exist"]),
        (sp.Piecewise((sp.true, x > 0)), ["truth values", "(value, True)"]),
        (sp.Matrix(0, 0, []), ["empty"]),
        (sp.Array([[[x]]]), ["3 axes"]),
        ([x, "y"], ["str"]),
        (sp.Symbol("x") + sp.Symbol("x", positive=True), ["two different symbols", "'x'"]),
        (sp.Interval(0, x), ["Interval"]),
    ],
    ids=lambda v: str(v)[:30],
)
def test_errors(expr, words):
    with pytest.raises(TraceError) as caught:
        read(expr)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ([x], ["depends on y", "add y"]),
        ([x, y, "q"], ["'q'", "its symbols: x, y"]),
        ([x, x, y], ["'x' twice"]),
        ([(x, "float3"), y], ["'float3'", "'double'"]),
        ([sp.Symbol("x", positive=True), y], ["other assumptions"]),
    ],
)
def test_errors_of_parameters(params, words):
    with pytest.raises(TraceError) as caught:
        read(x * y, params)
    for word in words:
        assert word in str(caught.value)


def test_wrt_must_exist():
    with pytest.raises(TraceError, match="wrt names 'q'"):
        read(x * y, wrt=["q"])


def test_is_sympy():
    assert is_sympy(x) and is_sympy([x]) and is_sympy(sp.Matrix([x])) and is_sympy(sp.Lambda(x, x))
    assert is_sympy(sp.Function("g")(x))
    assert not is_sympy(3) and not is_sympy(math.sin) and not is_sympy([1, 2])
