"""What SymPy's classes are in egad: a table of names, formulas and advice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from ...terms.value import Value

# SymPy class -> operator of the same meaning; classes that share the operator's name need no row.
OPERATORS: Mapping[str, str] = {
    "Abs": "abs",
    "Max": "max",
    "Min": "min",
    "ceiling": "ceil",
    "Mod": "floor_mod",
    "gamma": "tgamma",
    "loggamma": "lgamma",
    "Sqrt": "sqrt",
    "Cbrt": "cbrt",
    "And": "logical_and",
    "Or": "logical_or",
    "Not": "logical_not",
    "ITE": "select",
    "Equality": "eq",
    "Unequality": "ne",
    "StrictLessThan": "lt",
    "LessThan": "le",
    "StrictGreaterThan": "gt",
    "GreaterThan": "ge",
}


class Build(Protocol):
    """Applies operators: `build("sin", x)`; `build.number(1.0)` is a constant."""

    def __call__(self, name: str, *args: Value) -> Value:
        """The value of the operator `name`."""

    def number(self, number: float) -> Value:
        """A real constant."""

    def fold(self, name: str, values: Sequence[Value]) -> Value:
        """`name` over two or more values."""


Formula = Callable[..., Value]


def _over(name: str) -> Formula:
    return lambda b, x: b("div", b.number(1.0), b(name, x))


def _of_inverse(name: str) -> Formula:
    return lambda b, x: b(name, b("div", b.number(1.0), x))


def _heaviside(b: Build, x: Value, middle: Value | None = None) -> Value:
    at_zero = b.number(0.5) if middle is None else middle
    above = b("select", b("gt", x, b.number(0.0)), b.number(1.0), at_zero)
    below = b("select", b("lt", x, b.number(0.0)), b.number(0.0), above)
    return b("select", b("isnan", x), x, below)


def _sinc(b: Build, x: Value) -> Value:
    ratio = b("div", b("sin", x), x)
    return b("select", b("eq", x, b.number(0.0)), b.number(1.0), ratio)


def _acot(b: Build, x: Value) -> Value:
    """acot(x) = atan(1/x), and pi/2 at 0."""
    inverse = b("atan", b("div", b.number(1.0), x))
    return b("select", b("eq", x, b.number(0.0)), b.number(math.pi / 2), inverse)


def _chain(name: str) -> Formula:
    def formula(b: Build, *args: Value) -> Value:
        pairs = [b(name, x, y) for x, y in pairwise(args)]
        return b.fold("logical_and", pairs) if pairs else b("eq", args[0], args[0])

    return formula


COMPOSED: Mapping[str, Formula] = {
    "sec": _over("cos"),
    "csc": _over("sin"),
    "cot": _over("tan"),
    "sech": _over("cosh"),
    "csch": _over("sinh"),
    "coth": _over("tanh"),
    "asec": _of_inverse("acos"),
    "acsc": _of_inverse("asin"),
    "acot": _acot,
    "asech": _of_inverse("acosh"),
    "acsch": _of_inverse("asinh"),
    "acoth": _of_inverse("atanh"),
    "sinc": _sinc,
    "Heaviside": _heaviside,
    "factorial": lambda b, n: b("tgamma", b("add", n, b.number(1.0))),
    "Implies": lambda b, x, y: b("logical_or", b("logical_not", x), y),
    "Xor": lambda b, *args: b.fold("ne", args),
    "Equivalent": _chain("eq"),
    "re": lambda b, x: x,
    "conjugate": lambda b, x: x,
    "im": lambda b, x: b.number(0.0),
    "UnevaluatedExpr": lambda b, x: x,
}

_EVALUATE = "evaluate it first: expr.doit()"
_COMPLEX = (
    "egad computes with real numbers: give the real and the imaginary part as two expressions"
)
_SYMBOLS = "use one symbol per element: Matrix(n, 1, symbols('v:n')), or subs(...) to put them in"

HINTS: Mapping[str, str] = {
    "Derivative": f"{_EVALUATE}, or leave the derivative to egad.derive",
    "Integral": _EVALUATE,
    "Sum": f"{_EVALUATE}; a sum needs numbers as bounds",
    "Product": f"{_EVALUATE}; a product needs numbers as bounds",
    "Limit": _EVALUATE,
    "Subs": _EVALUATE,
    "Order": "drop the remainder term: expr.removeO()",
    "ImaginaryUnit": _COMPLEX,
    "ComplexInfinity": _COMPLEX,
    "MatrixSymbol": _SYMBOLS,
    "MatrixElement": _SYMBOLS,
    "Indexed": _SYMBOLS,
    "IndexedBase": _SYMBOLS,
    "Idx": _SYMBOLS,
    "DiracDelta": "it has no value as a number; use a narrow bump, or leave it out",
    "Contains": "write the set as inequalities: set.as_relational(x)",
    "AccumulationBounds": "give one number",
    "Lambda": "apply it to its arguments first: f(x)",
}
