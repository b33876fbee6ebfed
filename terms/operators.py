"""Python's operators that are several of the rules: `**`; `& | ^ ~` of integers and truth values.

Takes rule values and argument values, gives values; knows nothing of where they come from.
"""

from __future__ import annotations

from collections.abc import Sequence

from .apply import apply
from .errors import Span, TraceError
from .rule import RuleSet
from .term import CONST, const, const_value
from .types import Scalar, type_name
from .value import Value, literal

# A power with an integer exponent up to this one is a chain of multiplications.
_POWER_LIMIT = 64


def power(
    rules: RuleSet, base: Value, exponent: Value, real: Scalar, at: Span | None = None
) -> Value:
    """`base ** exponent`; an integer constant exponent becomes a chain of multiplications.

    x**5 = (x*x)*(x*x)*x, x**-2 = 1/(x*x), x**0 = 1; any other power is the operator `pow`.
    """
    n = _integer(exponent)
    if n is None or abs(n) > _POWER_LIMIT:
        return apply(rules, "pow", [base, exponent], real, at)
    if n < 0:
        positive = power(rules, base, literal(-n, real), real, at)
        return apply(rules, "div", [literal(1.0, real), positive], real, at)
    if n == 0:
        return Value(base.type, tuple(const(1, t.type) for t in base.leaves))
    result, square = None, base
    while n:
        if n & 1:
            pair = [result, square]
            result = square if result is None else apply(rules, "mul", pair, real, at)  # type: ignore[arg-type]
        n >>= 1
        if n:
            square = apply(rules, "mul", [square, square], real, at)
    assert result is not None
    return result


def _integer(value: Value) -> int | None:
    if not isinstance(value.type, Scalar) or value.term.op != CONST:
        return None
    number = const_value(value.term)
    return int(number) if float(number).is_integer() else None


# Of truth values, the operations on bits are the logical ones; `~` too, as in NumPy.
_LOGICAL = {"bit_and": "logical_and", "bit_or": "logical_or", "bit_xor": "ne"}
_LOGICAL["bit_not"] = "logical_not"


def bitwise(
    rules: RuleSet, name: str, args: Sequence[Value], real: Scalar, at: Span | None = None
) -> Value:
    """`a & b` and the like, of integers or truth values. Raises TraceError for reals."""
    leaves = [leaf for value in args for leaf in value.leaves]
    for value in args:
        if any(leaf.type.is_real for leaf in value.leaves):
            what, hint = type_name(value.type), "convert with int(…), which drops the fraction"
            if isinstance(value.type, Scalar) and value.term.op == CONST:
                what = f"{const_value(value.term):.10g}"
                hint = f"integers go from {-(2**31)} to {2**31 - 1}"
            message = f"operations on bits need integers of 32 bits or truth values, not {what}"
            raise TraceError(message, at, hint)
    if all(leaf.type is Scalar.BOOL for leaf in leaves):
        name = _LOGICAL.get(name, name)
    return apply(rules, name, args, real, at)
