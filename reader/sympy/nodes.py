"""Takes one SymPy node and the values of its arguments, gives the value of the node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...terms.apply import apply, select_values
from ...terms.errors import TraceError, nearest
from ...terms.operators import power
from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, const, const_value
from ...terms.types import Scalar, type_name
from ...terms.value import Value, scalar
from .table import COMPOSED, OPERATORS

# A value and whether it stands for its negation: `a + (-1)*b` becomes `a - b`.
Signed = tuple[Value, bool]
EXPLICIT = "give an expression, an explicit Matrix (.as_explicit()), a Lambda, or a list of those"


def is_number(node: Any) -> bool:
    """Whether the node is a rational or decimal number."""
    return bool(node.is_Rational or node.is_Float)


def is_reciprocal(node: Any) -> bool:
    """Whether the node is a power with a negative number as exponent: 1/x, x**(-1/2)."""
    return type(node).__name__ == "Pow" and is_number(node.args[1]) and node.args[1] < 0


def shown(node: Any) -> str:
    """The expression as text; printing is recursive, so a deep one is only named."""
    try:
        text = str(node)
    except RecursionError:
        return "an expression"
    return text if len(text) <= 60 else f"{text[:57]}..."


class Builder:
    """Applies operators to the values of one expression."""

    def __init__(self, rules: RuleSet, real: Scalar) -> None:
        self.rules = rules
        self.real = real

    def __call__(self, name: str, *args: Value) -> Value:
        """The value of the operator `name`."""
        return apply(self.rules, name, args, self.real)

    def number(self, number: float) -> Value:
        """A real constant."""
        return scalar(const(number, self.real))

    def plain(self, signed: Signed) -> Value:
        """The value with its sign applied."""
        value, negative = signed
        return self("neg", value) if negative else value

    def fold(self, name: str, values: Sequence[Value]) -> Value:
        """`name` over two or more values, as a balanced tree in their order."""
        row = list(values)
        while len(row) > 1:
            pairs = [self(name, *row[i : i + 2]) for i in range(0, len(row) - 1, 2)]
            row = pairs + row[len(pairs) * 2 :]
        return row[0]


def step(build: Builder, leaves: Mapping[Any, Term], node: Any, args: Sequence[Signed]) -> Signed:
    """The value of a node whose arguments (as `sympy._children` lists them) have values."""
    kind = type(node).__name__
    if node.is_Symbol:
        return scalar(leaves[node]), False
    if not args and (number := _constant(build, node)) is not None:
        return number, False
    if kind == "Add":
        return _add(build, args)
    if kind == "Mul":
        return _multiply(build, node, args)
    values = [build.plain(a) for a in args]
    if kind == "Pow":
        return _pow(build, node.args[0], values, node.args[1]), False
    if kind == "Piecewise":
        return _piecewise(build, values), False
    if kind in COMPOSED:
        return COMPOSED[kind](build, *values), False
    return _operator(build, node, kind, values), False


def _constant(build: Builder, node: Any) -> Value | None:
    if node.is_Boolean and type(node).__name__ in ("BooleanTrue", "BooleanFalse"):
        return scalar(const(bool(node), Scalar.BOOL))
    if node.is_Rational:
        return build.number(_quotient(int(node.p), int(node.q)))
    if node.is_Number or node.is_NumberSymbol:
        return build.number(float(node))
    return None


def _quotient(p: int, q: int) -> float:
    try:
        return p / q
    except OverflowError:
        digits = len(str(abs(p) // q))
        raise TraceError(
            f"a number of {digits} digits is too large for any floating-point type",
            hint="scale the expression, or use a logarithm",
        ) from None


def _add(build: Builder, args: Sequence[Signed]) -> Signed:
    """A sum as a balanced tree; a + (-b) = a - b and (-a) + (-b) = -(a + b) keep every bit."""
    row = [_split(a) for a in args]
    while len(row) > 1:
        pairs = [_sum(build, *row[i], *row[i + 1]) for i in range(0, len(row) - 1, 2)]
        row = pairs + row[len(pairs) * 2 :]
    return row[0]


def _sum(build: Builder, a: Value, a_negative: bool, b: Value, b_negative: bool) -> Signed:
    if a_negative == b_negative:
        return build("add", a, b), a_negative
    return (build("sub", b, a) if a_negative else build("sub", a, b)), False


def _split(signed: Signed) -> Signed:
    """A negative constant as the negation of a positive one."""
    value, negative = signed
    term = value.term
    if term.op == CONST and term.type.is_real and const_value(term) < 0:
        return scalar(const(-const_value(term), term.type)), not negative
    return signed


def _multiply(build: Builder, node: Any, args: Sequence[Signed]) -> Signed:
    """A product: the sign apart, and one division by the product of the denominators."""
    above: list[Value] = []
    below: list[Value] = []
    negative = False
    for factor, signed in zip(node.args, args, strict=True):
        if is_reciprocal(factor):
            exponent = -factor.args[1]
            below.append(_pow(build, factor.args[0], [build.plain(signed)], exponent))
            continue
        value, minus = _split(signed)
        negative ^= minus
        if value.term is not const(1.0, build.real):
            above.append(value)
    top = build.fold("mul", above) if above else build.number(1.0)
    return (build("div", top, build.fold("mul", below)) if below else top), negative


def _pow(build: Builder, base_node: Any, values: Sequence[Value], exponent: Any) -> Value:
    base = values[0]
    if len(values) == 2:
        if (name := _EXPONENTIALS.get(str(base_node) if base_node.is_Atom else "")) is not None:
            return build(name, values[1])
        return build("pow", base, values[1])
    number = (
        _quotient(int(exponent.p), int(exponent.q)) if exponent.is_Rational else float(exponent)
    )
    if abs(number) == 0.5:
        return build("sqrt" if number > 0 else "rsqrt", base)
    if exponent.is_Rational and exponent.q == 3 and abs(exponent.p) == 1:
        root = build("cbrt", base)
        return root if number > 0 else build("div", build.number(1.0), root)
    return power(build.rules, base, build.number(number), build.real)


_EXPONENTIALS = {"E": "exp", "2": "exp2", "10": "exp10"}


def _piecewise(build: Builder, parts: Sequence[Value]) -> Value:
    result = build.number(math.nan)
    for i in range(len(parts) - 2, -1, -2):
        chosen = select_values(build.rules, parts[i + 1].term, parts[i], result, build.real)
        if chosen is None:  # truth values beside the NaN of "outside", or beside numbers
            if i == len(parts) - 2:
                advice = "add a last branch (value, True)"
                raise TraceError("a Piecewise of truth values is undefined outside", hint=advice)
            raise TraceError("a Piecewise mixes numbers and truth values")
        result = chosen
    return result


def _operator(build: Builder, node: Any, kind: str, values: Sequence[Value]) -> Value:
    """The operator that has the name of a function, in the table or in the rules."""
    name = OPERATORS.get(kind, kind)
    if kind in _FOLDED:
        return build.fold(name, values)
    if kind not in OPERATORS and not (
        getattr(node, "is_Function", False) and name in build.rules.words
    ):
        raise _unknown(node, kind, build.rules)
    result = build(name, *values)
    if not isinstance(result.type, Scalar):
        given = type_name(result.type)
        raise TraceError(f"{name} gives a {given}; an expression needs one number")
    return result


_FOLDED = frozenset({"Max", "Min", "And", "Or"})


def _unknown(node: Any, kind: str, rules: RuleSet) -> TraceError:
    if not getattr(node, "is_Function", False):
        return TraceError(
            f"{shown(node)} ({kind}) is not a real number that egad can compute", hint=EXPLICIT
        )
    params = ", ".join(f"x{i}" for i in range(len(node.args))) if len(node.args) != 1 else "x"
    return TraceError(
        f"no operator computes the SymPy function {kind!r}{nearest(kind, rules.words)}",
        hint=f"define it in a rule file, and pass that file as rules=[...]:\n"
        f"      def {kind}({params}) -> y:\n"
        f"          y = ...\n"
        f"  or give SymPy's own expansion: expr.rewrite(...), expr.expand(func=True)",
    )
