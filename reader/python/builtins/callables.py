"""Objects and class methods of Python's library that are called: `itemgetter(1)`, `dict.fromkeys`.

Takes what is called, gives what says its value, or None; knows nothing of syntax.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import operator
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy

from ....terms.errors import Span, TraceError
from ..arrays.elementwise import each, gathered, made
from ..arrays.parts import get_part
from ..operations import iterators
from ..operations.dictionaries import made_from
from ..operations.iterating import spread
from ..operations.records import Invoke, dunder, elements, held, plain
from ..operations.sequences import check_arguments
from ..values.objects import Choice, Instance, Listed, Partial, is_tuple
from ..values.scope import Session
from ..values.values import describe, is_static, normalise
from ..values.words import qualified
from .fields import get_field


def handler_of(callee: Any) -> Callable[..., Any] | None:
    """What says the value of a call of such an object; None of everything else."""
    made = _MADE.get(type(callee))
    if made is not None:
        return partial(made, callee)
    if isinstance(callee, type):
        return next((_CLASSES[name] for name in qualified(callee) if name in _CLASSES), None)
    owner = getattr(callee, "__self__", None)
    return _OF_CLASSES.get((owner, callee.__name__)) if isinstance(owner, type) else None


def _items(
    getter: Any,
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """`operator.itemgetter(k, …)(value)`."""
    check_arguments("itemgetter", args, kwargs, (), 1, 1, at)
    keys = getter.__reduce__()[1]
    found = [_item(session, [args[0], key], {}, at, invoke) for key in keys]
    return found[0] if len(found) == 1 else tuple(found)


def _item(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`operator.getitem(value, key)`."""
    check_arguments("getitem", args, kwargs, (), 2, 2, at)
    method = dunder(args[0], "__getitem__")
    if method is not None:
        return invoke(method, [args[1]], {}, at)
    return get_part(session, args[0], args[1], at)


def _places(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`numpy.ndindex(m, n)`: all places of such an array."""
    sizes = [plain(session, arg, at) for arg in args]
    if kwargs or not is_static(tuple(sizes)):
        raise TraceError("numpy.ndindex(…) takes a shape that is known while reading", at)
    try:
        return tuple(numpy.ndindex(*sizes))
    except (TypeError, ValueError) as error:
        raise TraceError(f"ndindex fails in NumPy: {error}", at) from None


def _vectorized(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`numpy.vectorize(f)(a, …)`: what f gives of the numbers at each place."""
    check_arguments("vectorize", args, kwargs, (), 2, len(args), at)
    function, *arrays = args
    rows = [gathered(session, array, at) for array in arrays]
    return made(session, each(at, lambda *numbers: invoke(function, numbers, {}, at), rows))


def _vectorize(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Partial:
    """`numpy.vectorize(f)`: the types of what f gives are those that it gives."""
    check_arguments("vectorize", args, kwargs, ("otypes",), 1, 1, at)
    asked = plain(session, kwargs.get("otypes", ()), at)
    if not all(kind in (float, "d", "f") for kind in asked):
        raise TraceError("otypes of vectorize are reals here", at, "otypes=[float]")
    return Partial(vectorized, (args[0],), {})


def vectorized(function: Any, *arrays: Any) -> Any:
    """What stands for `numpy.vectorize(function)(*arrays)` while reading."""
    return numpy.vectorize(function)(*arrays)


def _already_vectorized(
    made: Any,
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """A function with `@numpy.vectorize` above it."""
    return _vectorized(session, [made.pyfunc, *args], kwargs, at, invoke)


def _attributes(
    getter: Any,
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """`operator.attrgetter("a.b", …)(value)`."""
    check_arguments("attrgetter", args, kwargs, (), 1, 1, at)

    def field(value: Any, name: str) -> Any:
        return get_field(session, value, name, at, invoke)

    found = [reduce(field, names.split("."), args[0]) for names in getter.__reduce__()[1]]
    return found[0] if len(found) == 1 else tuple(found)


def _method(
    caller: Any,
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """`operator.methodcaller("name", …)(value)`."""
    check_arguments("methodcaller", args, kwargs, (), 1, 1, at)
    made, given = caller.__reduce__()
    named = getattr(made, "keywords", {})  # a partial, where there are any
    said: list[Any] = [*getattr(made, "args", ()), *given]
    method = get_field(session, args[0], said[0], at, invoke)
    known = [normalise(v, session.real) for v in said[1:]]
    return invoke(method, known, {k: normalise(v, session.real) for k, v in named.items()}, at)


def _from_keys(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`dict.fromkeys(keys, value)`: all keys have the one value."""
    check_arguments("fromkeys", args, kwargs, (), 1, 2, at)
    value = args[1] if len(args) > 1 else None
    return made_from([(key, value) for key in spread(session, args[0], at, invoke)], at)


def _entries(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`dataclasses.asdict(value)`, and what is in it, too."""
    check_arguments("asdict", args, kwargs, (), 1, 1, at)
    return _taken_apart(session, args[0], made_from, at)


def _parts(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`dataclasses.astuple(value)`, and what is in it, too."""
    check_arguments("astuple", args, kwargs, (), 1, 1, at)
    return _taken_apart(session, args[0], lambda pairs, at: tuple(v for _, v in pairs), at)


def _taken_apart(session: Session, value: Any, made: Callable[..., Any], at: Span) -> Any:
    """Structs as what is made of the names and values of their fields. As deep as types are."""
    value = session.settled(value)
    if isinstance(value, Choice):
        message = "which object this is, is known only when the kernel runs"
        raise TraceError(message, at, "take its fields by name: a.x")

    def inside(part: Any) -> Any:
        return _taken_apart(session, part, made, at)

    if isinstance(value, Instance):
        fields = [(name, held(value, k, at)) for k, name in enumerate(value.names)]
        return made([(name, inside(part)) for name, part in fields], at)
    if isinstance(value, Listed):
        return Listed([inside(part) for part in elements(session, value, at)])
    return tuple(map(inside, value)) if is_tuple(value) else value


def _fields(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`dataclasses.fields(value)`: of its class, whose fields are known."""
    check_arguments("fields", args, kwargs, (), 1, 1, at)
    value = session.settled(args[0])
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        message = f"{describe(args[0])} is no dataclass"
        raise TraceError(message, at, "fields(…) takes a dataclass, or an object of one")
    return dataclasses.fields(cls)


def _of_new_type(
    made: Any,
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """`Metres(x)`, where `Metres = NewType("Metres", float)`: the value as it is."""
    check_arguments(made.__name__, args, kwargs, (), 1, 1, at)
    return args[0]


def _new_type(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`NewType("Metres", float)`."""
    check_arguments("NewType", args, kwargs, (), 2, 2, at)
    return typing.NewType(*args)


#: By the functions of Python.
HANDLERS: Mapping[int, Any] = {
    id(dataclasses.asdict): _entries,
    id(dataclasses.astuple): _parts,
    id(dataclasses.fields): _fields,
    id(operator.getitem): _item,
    id(vectorized): _vectorized,
    id(typing.NewType): _new_type,
}
_MADE: Mapping[type, Callable[..., Any]] = {
    numpy.vectorize: _already_vectorized,
    operator.itemgetter: _items,
    operator.attrgetter: _attributes,
    operator.methodcaller: _method,
    typing.NewType: _of_new_type,
}
_CLASSES: Mapping[str, Callable[..., Any]] = {
    "numpy.ndindex": _places,
    "numpy.vectorize": _vectorize,
    "numpy.ndenumerate": iterators.read(iterators.ndenumerate),
}
#: By the class and the name of the method.
_OF_CLASSES: Mapping[tuple[type, str], Callable[..., Any]] = {
    (dict, "fromkeys"): _from_keys,
    (collections.OrderedDict, "fromkeys"): _from_keys,
    (itertools.chain, "from_iterable"): iterators.read(iterators.from_iterable),
}
