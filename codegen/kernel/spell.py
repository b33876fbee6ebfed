"""Takes constants and operators, gives their OpenCL C text; knows nothing of programs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...terms.errors import EmitError, nearest
from ...terms.program import Note
from ...terms.rule import Joint, Operator, RuleSet
from ...terms.term import CALL, CAST, PROJ, Term, const_value
from ...terms.types import Scalar

CTYPES: Mapping[Scalar, str] = {
    Scalar.BOOL: "bool",
    Scalar.I32: "int",
    Scalar.F16: "half",
    Scalar.F32: "float",
    Scalar.F64: "double",
}
_SUFFIX = {Scalar.F16: "h", Scalar.F32: "f", Scalar.F64: ""}
_ROUND: Mapping[Scalar, Callable[[float], Any]] = {
    Scalar.F16: np.float16,
    Scalar.F32: np.float32,
    Scalar.F64: np.float64,
}
_PIECE = re.compile(r"\{(\w+)\}|(?<![\w.])(\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.])")
_PLACE = re.compile(r"\{(\w+)\}")
#: What C leaves open where a signed result has more bits than an int.
_SIGNED = re.compile(r"\((?:\{\w+\} ([-+*]) \{\w+\}|-\{\w+\})\)")
_DTYPE_NAME = {
    Scalar.BOOL: "bool",
    Scalar.I32: "i32",
    Scalar.F16: "f16",
    Scalar.F32: "f32",
    Scalar.F64: "f64",
}


def literal(value: float | int | bool, type_: Scalar) -> str:
    """The C literal with exactly the value; negative ones are in parentheses.

    >>> literal(0.1, Scalar.F32), literal(-2.0, Scalar.F64), literal(-0.0, Scalar.F32)
    ('0.1f', '(-2.0)', '(-0.0f)')
    """
    if type_ is Scalar.BOOL:
        return "true" if value else "false"
    if type_ is Scalar.I32:
        if value == -(2**31):
            return "(-2147483647 - 1)"
        return str(int(value)) if value >= 0 else f"({int(value)})"
    with np.errstate(over="ignore"):
        rounded = _ROUND[type_](value)
    negative = math.copysign(1, float(rounded)) < 0
    if math.isfinite(float(rounded)):
        # The shortest digits in the type, laid out by Python, which does not change its mind.
        text = repr(abs(float(str(rounded)))) + _SUFFIX[type_]
    else:
        text = "NAN" if math.isnan(float(rounded)) else "INFINITY"
        negative = negative and text != "NAN"
        if type_ is not Scalar.F32:  # both macros are of type float
            return f"(({CTYPES[type_]}){'-' if negative else ''}{text})"
    return f"(-{text})" if negative else text


class Spelling:
    """The texts of operations, each operator's template read once per operand type."""

    def __init__(self, rules: RuleSet, notes: Mapping[Term, Note]) -> None:
        self.rules = rules
        self._notes = notes
        self._read: dict[tuple[str, Scalar, int], Callable[[Sequence[str]], str]] = {}

    def operation(self, term: Term, operands: Sequence[str], wraps: bool = False) -> str:
        """The expression that computes `term` from the texts of its operands.

        `wraps`: it is an integer that may leave 32 bits.
        """
        if term.op == CAST:
            return _cast(term, operands[0])
        key = (term.op, operand_type(term), len(operands))
        if wraps and (text := unsigned(self._text(term, key[1]), operands)):
            return text
        fill = self._read.get(key)
        if fill is None:
            fill = self._read[key] = self._template(term, key[1])
        return fill(operands)

    def joint(
        self, joint: Joint, type_: Scalar, operands: Sequence[str], out: Sequence[str]
    ) -> str:
        """The call that gives the first result, and the others through the pointers `out`."""
        texts = dict(zip(joint.params, map(unwrapped, operands), strict=True))
        texts |= dict(zip(joint.results[1:], out, strict=True))
        return _PLACE.sub(lambda match: texts[match[1]], joint.spellings[type_])

    def _text(self, term: Term, type_: Scalar) -> str:
        operator = self._operator(term)
        text = operator.opencl.get(type_) or operator.opencl.get(term.type)
        if text is None:
            raise self._unspelled(term, operator, type_)
        return text

    def _template(self, term: Term, type_: Scalar) -> Callable[[Sequence[str]], str]:
        operator, text = self._operator(term), self._text(term, type_)
        index = {p.name: i for i, p in enumerate(operator.params)}
        pieces: list[str | tuple[int, bool]] = []
        end = 0
        for match in _PIECE.finditer(text):
            pieces.append(text[end : match.start()])
            if match[1] is not None:
                before, after = text[: match.start()], text[match.end() :]
                alone = before.endswith(("(", ", ")) and after.startswith((")", ","))
                pieces.append((index[match[1]], alone))
            else:  # an unsuffixed number would widen float to double
                number = float(match[2])
                pieces.append(literal(number, type_) if type_.is_real else match[2])
            end = match.end()
        pieces.append(text[end:])
        return lambda operands: "".join([_piece(p, operands) for p in pieces])

    def _operator(self, term: Term) -> Operator:
        if term.op in (CALL, PROJ):
            call = term.args[0].attr if term.op == PROJ else term.attr
            raise EmitError(
                f"the function {call.name!r} is still a call; calls are inlined before emission",
                call.at or self._at(term),
            )
        count = len(term.args)
        overloads = self.rules.operators.get(term.op, ())
        for operator in overloads:
            if not term.attr and not operator.is_composite and len(operator.params) == count:
                if operator.definition is not None:
                    break
                return operator
        if overloads:
            raise EmitError(
                f"{term.op!r} is a function that is defined by other operators; it has to be "
                "expanded before emission",
                self._at(term) or overloads[0].at,
                "optimize the program first: rewrite.optimize expands functions",
            )
        raise EmitError(
            f"no rule defines {term.op!r}{nearest(term.op, self.rules.operators)}",
            self._at(term),
            "add an @op block of that name to a rule file",
        )

    def _unspelled(self, term: Term, operator: Operator, type_: Scalar) -> EmitError:
        names = [_DTYPE_NAME[t] for t in _DTYPE_NAME if t in operator.opencl]
        has = f"it has {', '.join(names)}" if names else "it has none at all"
        params = ", ".join(p.name for p in operator.params)
        places = ", ".join(f"{{{p.name}}}" for p in operator.params)
        used = self._at(term)
        return EmitError(
            f"{operator.name!r} has no OpenCL spelling for {_DTYPE_NAME[type_]} ({has})"
            + (f"; it is used at {used}" if used else ""),
            operator.at,
            f"add one in a rule file: @opencl / def {operator.name}({params}): / "
            f'{_DTYPE_NAME[type_]} = "{operator.name}({places})"',
        )

    def _at(self, term: Term) -> Any:
        note = self._notes.get(term)
        return note.at if note else None


def _piece(piece: str | tuple[int, bool], operands: Sequence[str]) -> str:
    if isinstance(piece, str):
        return piece
    index, alone = piece  # a whole argument of a call needs no parentheses
    return unwrapped(operands[index]) if alone else operands[index]


def operand_type(term: Term) -> Any:
    """The type that chooses the spelling: that of the first operand that is not bool."""
    for arg in term.args:
        if arg.type is not Scalar.BOOL:
            return arg.type
    return term.type if not term.args else Scalar.BOOL


def _cast(term: Term, operand: str) -> str:
    source = term.args[0].type
    if term.type is Scalar.BOOL:
        return f"({operand} != {literal(0, source)})"
    return f"(({CTYPES[term.type]}){operand})"


def unsigned(template: str, operands: Sequence[str]) -> str | None:
    """The operation on ints in unsigned numbers, which wrap; None where its sign does not matter.

    >>> unsigned("({a} * {b})", ["seed", "(-5)"]), unsigned("({a} & {b})", ["seed", "5"])
    ('as_int((uint)seed * (uint)(-5))', None)
    """
    found = _SIGNED.fullmatch(template)
    if found is None:
        return None
    texts = [f"{t}u" if t.isdigit() else f"(uint){t}" for t in operands]
    return f"as_int({f' {found[1]} '.join(texts) if found[1] else f'-{texts[0]}'})"


def constant(term: Term) -> str:
    """The literal of a constant term."""
    return literal(const_value(term), term.type)


def negated(text: str) -> str:
    """The condition that holds where an operand does not.

    >>> negated("go"), negated("(!stopped)"), negated("(!a || b)")
    ('!go', 'stopped', '!(!a || b)')
    """
    inside = unwrapped(text)
    return inside[1:] if inside.startswith("!") and inside[1:].isidentifier() else f"!{text}"


def defined(ctype: str, name: str, text: str) -> str:
    """The statement that defines a number; it is `const`, unless it is a choice.

    Wherever a `const` is used, clang asks whether it is known while compiling, and asks both
    arms of a choice: 2**n times where choices of choices are n deep. The gradient of 16 sorted
    numbers took it 104 s, and takes 0.8 s.

    >>> defined("float", "t0", "a + b"), defined("float", "t1", "c ? a : b")
    ('const float t0 = a + b;', 'float t1 = c ? a : b;')
    """
    return f"{'' if ' ? ' in text else 'const '}{ctype} {name} = {text};"


def unwrapped(text: str) -> str:
    """The expression without the parentheses around the whole of it.

    >>> unwrapped("(a + b)"), unwrapped("(a) + (b)")
    ('a + b', '(a) + (b)')
    """
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth and position < len(text) - 1:
            return text
    return text[1:-1]
