"""What plain numbers and texts have: `x.real`, `n.bit_length()`, `"{}".format(3)`, `f"w{i}"`.

What is known while reading is Python's own; of a number of the kernel there is what means
something there. Takes a value and a name, gives an attribute or a bound method. Knows nothing of
syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.types import Scalar
from ....terms.value import Value
from ..values.objects import Partial
from ..values.scope import Session
from ..values.values import describe, is_number, is_static, normalise, number, unless_annotated
from ..values.varying import Varying
from .arithmetic import operate
from .records import plain

_OF_FLOATS = ("real", "imag", "conjugate", "is_integer")
_REST = {"imag": 0.0, "denominator": 1.0}
_OF_INTEGERS = (*_OF_FLOATS, "numerator", "denominator")


def is_plain(value: Any) -> bool:
    """Whether a value is one number, known or not, or a text."""
    symbolic = isinstance(value, Value) and isinstance(value.type, Scalar)
    return symbolic or type(value) in (bool, int, float, str)


def attribute_of(session: Session, value: Any, name: str, at: Span) -> Any:
    """`value.name` of a number or a text."""
    if not isinstance(value, Value):
        return _of_known(session, value, name, at)
    real = value.type in (Scalar.F16, Scalar.F32, Scalar.F64)
    known = _OF_FLOATS if real else _OF_INTEGERS
    if name in ("conjugate", "is_integer"):
        return Partial(getattr(float, name), (value,), {})
    if name == "item":  # numbers of NumPy have it, and some habits come from PyTorch
        return Partial(float.conjugate, (value,), {})
    if name in known:
        return value if name in ("real", "numerator") else _REST[name] if real else int(_REST[name])
    if hasattr(float if real else int, name):
        what = f"{describe(value)} has no {name!r} that is known while reading"
        raise Varying(what, at, f"it has {', '.join(known)}; or compute it with arithmetic")
    message = f"{describe(value)} has no field {name!r}{nearest(name, known)}"
    raise TraceError(message, at, unless_annotated(value, f"a number has {', '.join(known)}"))


def _of_known(session: Session, value: Any, name: str, at: Span) -> Any:
    public = [n for n in dir(value) if not n.startswith("_")]
    if name == "item" and type(value) is not str:
        return Partial(float.conjugate, (value,), {})
    if name not in public:
        raise TraceError(f"{describe(value)} has no field {name!r}{nearest(name, public)}", at)
    found = getattr(value, name)
    return Partial(found, (), {}) if callable(found) else normalise(found, session.real)


def call_plain(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    """A method of a known number or text, at known arguments."""
    name = callee.__name__
    known = [plain(session, a, at) for a in args]  # "".join(["a", "b"])
    words = {key: plain(session, a, at) for key, a in kwargs.items()}
    for given, value in zip((*args, *kwargs.values()), (*known, *words.values()), strict=True):
        if not is_static(value):
            message = f"{name}(…) of {describe(callee.__self__)} is computed while reading"
            raise Varying(f"{message}, and does not know {describe(given)}", at, KNOWN)
    try:
        return normalise(callee(*known, **words), session.real)
    except Exception as error:
        raise TraceError(f"{name}(…) of constants fails: {error}", at) from None


#: How a text is put together.
KNOWN = "a text is made of what is known: constants, other texts, i in a comprehension"


def is_method(callee: Any) -> bool:
    """Whether a callable is a method of a number, a text or a slice of Python."""
    owner = getattr(callee, "__self__", None)
    return type(owner) in (bool, int, float, str, slice) and not isinstance(callee, type)


def formatted(value: Any, form: str, conversion: int, at: Span) -> str:
    """What stands for `{value!r:form}` in a text."""
    if isinstance(value, Value) or not (value is None or _is_text(value)):
        raise Varying(f"{describe(value)} is not known while reading, when texts are", at, KNOWN)
    plain: Any = number(value) if is_number(value) else value
    convert: Mapping[int, Callable[[Any], Any]] = {115: str, 114: repr, 97: ascii}
    shown = convert[conversion](plain) if conversion in convert else plain
    try:
        return format(shown, form)
    except ValueError as error:
        raise TraceError(f"this text cannot be made: {error}", at) from None


def _is_text(value: Any) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return all(isinstance(p, str | Enum) or is_number(p) for p in parts)


def _conjugate(session: Session, value: Any, at: Span) -> Any:
    return value


def _is_integer(session: Session, value: Any, at: Span) -> Any:
    if isinstance(value, Value) and not value.term.type.is_real:
        return True
    return operate(session, "eq", [value, operate(session, "floor", [value], at)], at)


def _handler(method: Callable[[Session, Any, Span], Any], name: str) -> Any:
    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Any
    ) -> Any:
        if len(args) != 1 or kwargs:
            raise TraceError(f".{name} takes no arguments", at)
        return method(session, args[0], at)

    return handler


#: By the functions of Python.
HANDLERS = {
    id(float.conjugate): _handler(_conjugate, "conjugate"),
    id(float.is_integer): _handler(_is_integer, "is_integer"),
}
