"""A small rule set made by hand, so that these tests need no rule files."""

from egad.terms.errors import Span
from egad.terms.rule import Operator, Parameter, RuleSet
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

F32, F64, I32, BOOL = Scalar.F32, Scalar.F64, Scalar.I32, Scalar.BOOL
REALS = (Scalar.F16, Scalar.F32, Scalar.F64)
NUMBERS = (*REALS, Scalar.I32)
ALL = (*NUMBERS, Scalar.BOOL)


def _op(name, params, numpy, opencl, types, cost, result="real", kind="real"):
    parameters = tuple(Parameter(p, kind) for p in params.split())
    return Operator(
        name,
        parameters,
        Parameter("out", result),
        Span("hand.rules", 1),
        cost=cost,
        numpy=numpy,
        opencl=dict.fromkeys(types, opencl),
    )


_OPERATORS = [
    _op("add", "a b", "add(a, b)", "({a} + {b})", NUMBERS, 1, "number", "number"),
    _op("sub", "a b", "subtract(a, b)", "({a} - {b})", NUMBERS, 1, "number", "number"),
    _op("mul", "a b", "multiply(a, b)", "({a} * {b})", NUMBERS, 1, "number", "number"),
    _op("div", "a b", "divide(a, b)", "({a} / {b})", REALS, 8),
    _op("neg", "a", "negative(a)", "(-{a})", NUMBERS, 1, "number", "number"),
    _op("rcp", "x", "1 / x", "(1.0 / {x})", REALS, 8),
    _op("fmod", "x y", "fmod(x, y)", "({x} % {y})", (I32,), 12, "number", "number"),
    _op("sqrt", "x", "sqrt(x)", "sqrt({x})", REALS, 8),
    _op("exp", "x", "exp(x)", "exp({x})", REALS, 20),
    _op("log", "x", "log(x)", "log({x})", REALS, 20),
    _op("sin", "x", "sin(x)", "sin({x})", REALS, 20),
    _op("erf", "x", "special.erf(x)", "erf({x})", REALS[1:], 40),
    _op("lt", "a b", "less(a, b)", "({a} < {b})", ALL, 0.5, "bool", "any"),
    _op("gt", "a b", "greater(a, b)", "({a} > {b})", ALL, 0.5, "bool", "any"),
    _op("eq", "a b", "a == b", "({a} == {b})", ALL, 0.5, "bool", "any"),
    _op("ne", "a b", "a != b", "({a} != {b})", ALL, 0.5, "bool", "any"),
    _op("select", "c a b", "where(c, a, b)", "({c} ? {a} : {b})", ALL, 1, "any", "any"),
    _op("logical_not", "a", "logical_not(a)", "(!{a})", (BOOL,), 0.5, "bool", "bool"),
]

_x = var("x")
_SOFTPLUS = Operator(
    "softplus",
    (Parameter("x"),),
    Parameter("y"),
    Span("hand.rules", 40),
    definition=Term("log", (Term("add", (const(1.0), Term("exp", (_x,)))),)),
    primal=Term("exp", (_x,)),  # wrong on purpose: tests see which one was used
)

RULES = RuleSet({o.name: (o,) for o in (*_OPERATORS, _SOFTPLUS)})


def term(op, *args, type=None):
    """A term over hand-made operators; numbers become constants of the operands' type."""
    kind = next((a.type for a in args if isinstance(a, Term)), F32)
    args = tuple(a if isinstance(a, Term) else const(a, kind) for a in args)
    if type is None:
        comparison = op in ("lt", "gt", "eq", "ne", "logical_not")
        type = BOOL if comparison else args[0].type
    return Term(op, args, None, type)


def select(condition, a, b):
    """`condition ? a : b`, of the type of the arm that is a term."""
    kind = next(t.type for t in (a, b) if isinstance(t, Term))
    arms = [t if isinstance(t, Term) else const(t, kind) for t in (a, b)]
    return Term("select", (condition, *arms), None, kind)
