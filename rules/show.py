"""Printing rule expressions back.

Takes terms, gives Python syntax with as few parentheses as needed; knows nothing of files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..terms.term import CONST, SELECT, VAR, Term, const_value
from ..terms.types import Scalar
from ..terms.walk import postorder

# Binding strength of Python's operators, from loose to tight.
_IF, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(9)
_BINARY = {
    "add": ("+", _SUM),
    "sub": ("-", _SUM),
    "mul": ("*", _PRODUCT),
    "div": ("/", _PRODUCT),
    "floor_div": ("//", _PRODUCT),
    "floor_mod": ("%", _PRODUCT),
    "lt": ("<", _COMPARE),
    "le": ("<=", _COMPARE),
    "gt": (">", _COMPARE),
    "ge": (">=", _COMPARE),
    "eq": ("==", _COMPARE),
    "ne": ("!=", _COMPARE),
    "logical_and": ("and", _AND),
    "logical_or": ("or", _OR),
}
_Shown = tuple[str, int]


def show_expression(term: Term, limit: int = 300, names: Mapping[Term, str] | None = None) -> str:
    """The term in Python syntax; texts longer than `limit` end in `…`.

    Terms below it that have one of the `names` are written as that. Works bottom-up without
    recursion, and keeps every part short: shared subexpressions do not blow up.

    >>> from ..terms.term import var
    >>> x = var("x")
    >>> show_expression(Term("mul", (Term("add", (x, x)), x)))
    '(x + x) * x'
    """
    done: dict[Term, _Shown] = {}
    known = names or {}
    for node in postorder([term], lambda t: () if t in known and t is not term else t.args):
        if node in known and node is not term:
            done[node] = known[node], _ATOM
            continue
        text, strength = _shown(node, tuple([done[a] for a in node.args]))
        done[node] = (text, strength) if len(text) <= limit else (text[:limit] + "…", _ATOM)
    text = done[term][0]
    return text if len(text) <= limit else text[:limit] + "…"


def _shown(node: Term, args: tuple[_Shown, ...]) -> _Shown:
    if node.op == VAR:
        return str(node.attr), _ATOM
    if node.op == CONST:
        return _number(node)
    if node.op in _BINARY and len(args) == 2:
        sign, strength = _BINARY[node.op]
        # Comparisons chain in Python and and/or group to the left: brackets on equal strength.
        left = _within(args[0], strength + (strength == _COMPARE))
        return f"{left} {sign} {_within(args[1], strength + 1)}", strength
    if node.op == "neg" and node.args[0].op != CONST:  # neg(2) is not the number -2
        return f"-{_within(args[0], _SIGN)}", _SIGN
    if node.op == "logical_not":
        return f"not {_within(args[0], _NOT)}", _NOT
    if node.op == SELECT:
        condition, then, other = args
        text = f"{_within(then, _OR)} if {_within(condition, _OR)} else {_within(other, _IF)}"
        return text, _IF
    return _composite(node, args), _ATOM


def _within(shown: _Shown, strength: int) -> str:
    text, own = shown
    return text if own >= strength else f"({text})"


def _composite(node: Term, args: tuple[_Shown, ...]) -> str:
    texts = [text for text, _ in args]
    match node.op:
        case "component":
            inner = _within(args[0], _ATOM)
            return f"{inner}[{node.attr}]"
        case "proj":
            return f"{_within(args[0], _ATOM)}[{node.attr}]"
        case "list":
            return f"[{', '.join(texts)}]"
        case "tuple":
            return f"({', '.join(texts)})"
        case "each":
            return f"[{texts[1]} for {node.attr} in {texts[0]}]"
        case "is_const":
            return f"const({texts[0]})"
        case "call":
            return f"{getattr(node.attr, 'name', 'call')}({', '.join(texts)})"
        case "cast":
            return f"{_CASTS[node.type]}({', '.join(texts)})"
    return f"{node.op}({', '.join(texts)})"


_CASTS = {
    Scalar.REAL: "float",
    Scalar.F32: "float",
    Scalar.F64: "double",
    Scalar.F16: "half",
    Scalar.I32: "int",
    Scalar.BOOL: "bool",
}


def _number(node: Term) -> _Shown:
    value = const_value(node)
    if isinstance(value, bool):
        return str(value), _ATOM
    negative = math.copysign(1.0, value) < 0 and value == value
    if math.isinf(value):
        return "-inf" if negative else "inf", _SIGN if negative else _ATOM
    if value == math.pi:
        return "pi", _ATOM
    whole = abs(value) < 1e15 and value == int(value) and not (negative and value == 0)
    text = str(int(value)) if whole else repr(value)
    return text, _SIGN if negative else _ATOM
