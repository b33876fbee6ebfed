"""Rounded reals where integers are asked for: `table[math.floor(x) + 1]`, `math.floor(x) & 255`.

Python's `floor`, `ceil`, `trunc` and `round` give integers. They are reals here, as large as they
are, and are computed anew as integers where nothing else will do. Takes a value, gives a value;
knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....terms.errors import Span
from ....terms.term import CAST, CONST, SELECT, Term, const_value
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ....terms.walk import postorder
from ..values.scope import Session
from .arithmetic import operate
from .construct import construct

_ROUNDED = frozenset({"floor", "ceil", "trunc", "round"})
#: What gives whole numbers of whole numbers, and the same ones in integers.
_KEEPING = frozenset({"add", "sub", "mul", "neg", "abs", "min", "max", "floor_div", "floor_mod"})


def as_integer(session: Session, value: Any, at: Span) -> Any:
    """A whole number that is computed as a real, as an integer; anything else as it is."""
    if not isinstance(value, Value) or not isinstance(value.type, Scalar) or not value.type.is_real:
        return value
    made: dict[Term, Any] = {}
    keeping: dict[Term, tuple[str, Sequence[Term]]] = {}

    def args_of(term: Term) -> Sequence[Term]:
        if term not in keeping:
            keeping[term] = _keeping(session, term, at)
        return keeping[term][1]

    order = postorder([value.term], args_of)
    if not any(term.op in _ROUNDED for term in order):
        return value
    for term in order:
        op, args = keeping[term]
        made[term] = _integer(session, term, op, [made[a] for a in args], at)
    found = made[value.term]
    return value if found is None else found


def _keeping(session: Session, term: Term, at: Span) -> tuple[str, Sequence[Term]]:
    """An operator that keeps whole numbers, and of what; no arguments where it is none.

    The remainder of reals stands there as what it is defined by: it is one where the remainder
    of the same numbers is the same term.
    """
    if term.op == SELECT and term.args[2].op == "fmod":
        args = term.args[2].args
        whole = operate(session, "floor_mod", [scalar(a) for a in args], at)
        if whole.term is term:
            return "floor_mod", args
    return term.op, term.args if term.op in _KEEPING else ()


def _integer(session: Session, term: Term, op: str, args: Sequence[Any], at: Span) -> Any:
    if op in _ROUNDED:
        return construct(session, Scalar.I32, [scalar(term)], at)
    if term.op == CONST:
        number = const_value(term)
        return int(number) if abs(number) < 2**53 and number == int(number) else None
    if term.op == CAST and term.args[0].type is Scalar.I32:
        return scalar(term.args[0])
    known = op in _KEEPING and all(arg is not None for arg in args)
    return operate(session, op, args, at) if known else None
