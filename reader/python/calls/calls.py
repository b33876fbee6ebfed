"""Calls: functions are inlined; those with rules of their own, and derivatives, stay calls.

Takes a callee and argument values, gives a value; knows nothing of syntax.

The layout of a call whose body is a `Request` (`fwd_diff(g)(…)`, `bwd_diff(g)(…)`). A program
`g` has parameters P and results R; D(S) are the slots of S that are differentiable, A the
parameters that are differentiable and active. A tangent or cotangent of a slot has as many
components as the slot (those of int and bool components are zeros that nothing reads).

    fwd   arguments   every component of P, in order, then the tangents of A, in order
          results     every component of R, in order, then the tangents of D(R), in order
    bwd   arguments   every component of P, in order, then the cotangents of D(R), in order
          results     the cotangents of A, in order

`Request.active` has one entry per parameter of `g`: in forward mode, whether it came as a
pair; in backward mode, whether it has a derivative and is not `Const(…)`. Variables that a
function takes from the function around it are parameters after its own, and not active.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import sys
from collections.abc import Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, cast, get_origin, is_typeddict

from ....rules.registry import Marks, is_compiled_form
from ....terms.errors import Span, TraceError
from ....terms.value import Value
from ... import marks
from ...collected import stand_in
from ...constructors import is_generated_init
from ...inferred import ODD
from ...marks import Const, Derivative, DifferentialPair
from ...structs import ArrayType, adopted
from ..arrays.numpying import call_array, is_of_arrays, of_arrays
from ..arrays.picking import of_picked
from ..builtins.standard import call_standard, is_standard
from ..operations.arithmetic import operate
from ..operations.complexes import call_complex
from ..operations.dictionaries import dictionary
from ..operations.library import UNKNOWN, call_known, ordered, runs_now
from ..operations.making import assign, initialise, make, normalise_lists, replaced
from ..operations.plain import call_plain, is_method
from ..operations.records import dunder, plain
from ..operations.special import SPECIAL
from ..operations.written import call_operator, written
from ..values.aliases import without_derivative
from ..values.annotations import conform, expected, not_a_number
from ..values.arms import in_arms
from ..values.branches import Names, State
from ..values.entries import rows_of
from ..values.objects import (
    Choice,
    Instance,
    Listed,
    Partial,
    first,
    is_optional,
    objects_of,
)
from ..values.once import Once
from ..values.scope import Frame, Function, Session
from ..values.values import describe, fresh, kept, may_be_none
from ..values.varying import Varying
from ..values.words import word_name
from .adding import refuse_stores, sums_in
from .binding import bind, described, spread, typed_arguments
from .bound import values_of
from .derivatives import call_derivative
from .dispatching import dispatched, is_dispatcher
from .foreign import OF_CLASSES, has_body, has_no_meaning, legible, meaningless, primal_of
from .kinds import TOLD_APART, class_of, is_instance
from .marked import call_marked, is_ruled
from .nonlocals import borrow, give_back, keep
from .programs import on_the_way
from .recursing import entered
from .refusing import refuse


def call(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    """The value of `callee(*args, **kwargs)`. Raises TraceError for what cannot be called."""
    callee = stand_in(session.settled(callee))
    if isinstance(callee, Function):
        return inline(session, callee, bind(callee, args, kwargs, at), at)
    if isinstance(callee, Derivative):
        return call_derivative(session, callee, args, kwargs, at, _invoker(session))
    if callee is functools.partial:
        return _partial(args, kwargs, at)
    if isinstance(callee, Partial):
        return call(session, callee.of, [*callee.args, *args], {**callee.named, **kwargs}, at)
    if isinstance(callee, functools.partial):
        held, named = values_of(callee, session.real)
        return call(session, callee.func, [*held, *args], {**named, **kwargs}, at)
    if isinstance(callee, MethodType):
        return call(session, callee.__func__, [callee.__self__, *args], kwargs, at)
    if is_dispatcher(callee):
        return dispatched(session, callee, args, kwargs, at, _invoker(session))
    if isinstance(callee, Choice):
        return _call_either(session, callee, args, kwargs, at)
    if isinstance(first(callee), Instance):
        method = dunder(callee, "__call__")
        if method is None:
            raise TraceError(f"{describe(callee)} cannot be called", at)
        return call(session, method, args, kwargs, at)
    if adopted(get_origin(callee) or callee):
        return make(session, get_origin(callee) or callee, args, kwargs, at, _invoker(session))
    if isinstance(callee, ArrayType):
        return _array(session, callee, args, at)
    if isinstance(callee, type) and callee is not DifferentialPair and callee is not Const:
        return _known(session, callee, args, kwargs, at)
    special = SPECIAL.get(id(callee))
    if special is not None:
        given = _begun(session, args, kwargs, at) if callee is marks.diff_pair else args
        return special(session, given, kwargs, at)
    if callee is dataclasses.replace:
        return replaced(session, args, kwargs, at, _invoker(session))
    if is_generated_init(callee):
        return initialise(session, callee, args, kwargs, at, _invoker(session))
    if callee is object.__setattr__ or callee is setattr:
        return assign(session, args, at, _invoker(session), anew=callee is not setattr)
    callee = callee.__wrapped__ if is_compiled_form(callee) else callee
    found = session.lookup.marks(callee)
    if found is not None and (found.fwd or found.bwd or not is_ruled(session, callee)):
        return _with_marks(session, callee, found, args, kwargs, at)
    return _plainly(session, callee, args, kwargs, at)


def _begun(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Sequence[Any]:
    """The arguments of `diff_pair(p)`: with the tangent that the class of `p` begins with."""
    value = first(args[0]) if len(args) == 1 and not kwargs else None
    begin = marks.own_dzero(value.cls) if isinstance(value, Instance) else None
    return args if begin is None else [*args, call(session, begin, [], {}, at)]


def _partial(args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Partial:
    """`functools.partial(f, …)`: a vector in it would not change with the one that it was."""
    if not args:
        raise TraceError("partial needs a function", at)
    for value in (*args[1:], *kwargs.values()):
        if isinstance(value, Value) and len(value.leaves) > 1:
            hint = "write a lambda: lambda x: g(v, x)"
            raise TraceError(f"partial cannot hold {describe(value)}", at, hint)
    return Partial(args[0], tuple(args[1:]), dict(kwargs))


def _invoker(session: Session) -> Any:
    return functools.partial(call, session)


def _plainly(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    """The value of a call, without regard to marks."""
    refuse(callee, at)
    if has_no_meaning(callee) and written(callee) is None:  # some of it is in Python
        raise meaningless(session, callee, at)
    name = session.lookup.stand_in(callee)
    if name is not None:
        return operate(session, name, ordered(session, name, args, kwargs, at), at)
    is_own = isinstance(callee, FunctionType) and word_name(callee) is None
    known = is_of_arrays(callee) or is_standard(callee) or written(callee) is not None
    if is_own and not known and not runs_now(callee, args, kwargs):
        function = session.function(callee)
        if function is not None:
            with legible(session, callee, at):
                return inline(session, function, bind(function, args, kwargs, at), at)
    return _known(session, callee, args, kwargs, at)


def _known(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    """The value of a function that is not read: lists are tuples to it."""
    for known in (of_picked, call_complex, call_array, call_standard, call_operator):
        found = known(session, callee, args, kwargs, at, _invoker(session))
        if found is not UNKNOWN:
            return found
    args = [arg.take(at) if isinstance(arg, Once) else arg for arg in args]
    if is_method(callee):
        return call_plain(session, callee, args, kwargs, at)
    if callee is dict or is_typeddict(callee):
        return dictionary(session, args, kwargs, at, _invoker(session))
    if callee is isinstance and len(args) == 2:
        return is_instance(session, args[0], args[1], at)
    if callee is type and len(args) == 1:
        return class_of(session, args[0], at, _invoker(session))
    shown = [rows_of(session, arg, at, callee is not len) for arg in args]
    rows = [plain(session, v, at) if r is None else r for v, r in zip(args, shown, strict=True)]
    found = call_known(session, callee, rows, kwargs, at)
    if found is not UNKNOWN:
        return of_arrays(session, callee, args, fresh(found), at)
    primal = primal_of(session, callee) or written(callee)
    if primal is not None:
        return of_arrays(session, callee, args, call(session, primal, rows, kwargs, at), at)
    raise _unknown(session, callee, at)


def _call_either(
    session: Session, callee: Choice, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    """A method of one object or another, as the condition says: a branch."""
    if is_optional(callee) and not isinstance(first(callee), MethodType):
        raise may_be_none(callee, at)
    if callee.then is None or callee.other is None:
        raise TraceError("only one of the structs that this may be has such a method", at)
    then, other = in_arms(
        session,
        callee.condition,
        callee.then,
        callee.other,
        lambda method: call(session, method, args, kwargs, at),
        at,
    )
    return session.either(callee.condition, then, other, at)


def _array(session: Session, type_: ArrayType, args: Sequence[Any], at: Span) -> Listed:
    """`Array[T, n]()` and `Array[T, n](values)`."""
    if not isinstance(type_.size, int):
        raise TraceError("the length of an array must be known while reading", at)
    if not args:
        return cast(Listed, normalise_lists(type_(), session))
    items = plain(session, args[0], at) if len(args) == 1 else args
    if not isinstance(items, tuple) or len(items) != type_.size:
        raise TraceError(f"{type_!r} holds {type_.size} values, not {describe(args[0])}", at)
    return Listed(items)


def _unknown(session: Session, callee: Any, at: Span) -> TraceError:
    if isinstance(callee, BuiltinFunctionType | type) and callee.__name__ in _REFUSED:
        message = f"{callee.__name__}() is not in the language"
        return TraceError(message, at, _REFUSED[callee.__name__])
    if not callable(callee):
        hint = _hidden(session.frames[-1], callee) or "it is a value: write it without (…)"
        return TraceError(f"{describe(callee)} cannot be called", at, hint)
    if isinstance(callee, type):
        hint = "use functions written in Python, math.*, numpy.* or egad's vocabulary"
        if issubclass(callee, tuple) and hasattr(callee, "_fields"):
            hint = "give its fields types: class P(typing.NamedTuple): x: float"
        elif callee.__module__ not in sys.stdlib_module_names:
            hint = "decorate it with @egad.struct, and give its fields types in it: x: float"
            if odd := [name for name in ODD if name in vars(callee)]:
                hint = (
                    f"it defines {odd[0]}, which makes its fields something else; leave that away"
                )
        hint = OF_CLASSES.get(callee.__name__, hint)
        return TraceError(f"egad does not know {describe(callee)}", at, hint)
    if getattr(callee, "__module__", "") == "math" and callee.__name__ in _OF_INTEGERS:
        message = f"{callee.__name__}(…) of integers is computed while reading"
        raise Varying(message, at, _OF_INTEGERS[callee.__name__])
    return meaningless(session, callee, at)


def _hidden(frame: Frame, value: Any) -> str:
    """Where a variable that is `value` has the name of a function: what to do about that."""
    outside, names = frame.function.outside, frame.state.names
    for name in names:
        meant = outside[name] if name in outside else getattr(builtins, name, None)
        if callable(meant) and names.find(name) is value:
            return f"the variable {name!r} hides the function: give it another name"
    return ""


_KNOWN = "give it integers that are known: counters of loops over ranges that are"
_OF_INTEGERS = {
    **dict.fromkeys(("factorial", "comb", "perm"), f"{_KNOWN}; or use lgamma"),
    **dict.fromkeys(("gcd", "lcm", "isqrt"), _KNOWN),
}
_REFUSED = {
    **dict.fromkeys(("bin", "chr", "hex", "ord", "repr"), OF_CLASSES["str"]),
    **dict.fromkeys(("eval", "exec", "compile"), "write what the text says: no text is run"),
    **dict.fromkeys(("globals", "locals"), "use the variables by their names"),
    **dict.fromkeys(("vars", "dir"), "name the fields: v.x, or getattr(v, n) for n in ('x', 'y')"),
    "delattr": "fields stay: v.x = None",
    **dict.fromkeys(("id", "hash"), "values have no place in a kernel: compare them with =="),
    **dict.fromkeys(("input", "open"), "a derived function only computes: pass values in"),
    "print": "a derived function only computes; return the value to see it",
    "isinstance": TOLD_APART,
    "partial": "write a lambda: lambda x: g(x, y)",
}


# --- inlining -------------------------------------------------------------------------------


def inline(session: Session, function: Function, bound: Mapping[str, Any], at: Span) -> Any:
    """The value of a function's body over the given arguments."""
    entry = entered(session.active, function, bound, at)
    frame = Frame(session, function, State(Names()))
    for param in function.params:
        value = bound[param.name]
        said = expected(frame, param)
        if said is not None:
            if said.passing is not None:
                frame.passing[param.name] = said.stops
            what = f"parameter {param.name!r} of {function.name}"
            value = conform(session, value, said, at, what)
        elif isinstance(value, Value) and (kind := not_a_number(frame, param.annotation)):
            message = f"parameter {param.name!r} of {function.name} must be a {kind}"
            raise TraceError(f"{message}, not {describe(value)}", at)
        if param is function.params[0] and marks.stops_at_self(function.origin):
            value = without_derivative(session, value, f"{param.name!r} of {function.name}")
        frame.state.names.local[param.name] = value
    borrow(frame, at)
    _check_apart(frame, at)
    frame.state.names.local.update(sums_in(frame))
    refuse_stores(frame)
    session.active.append(entry)
    session.frames.append(frame)
    try:
        with session.lookup.through(function.variables):
            value = session.run(frame)
        give_back(frame, at)
        keep(frame)
        storage = getattr(function.origin, "__egad_storage__", "")
        return kept(value, storage) if storage else value
    except TraceError as error:
        if len(session.active) == 1:
            raise
        raise on_the_way(session, error, function, at) from None
    finally:
        session.active.pop()
        session.frames.pop()


def _check_apart(frame: Frame, at: Span) -> None:
    """Two parameters that are results too must not be one object."""
    seen: dict[int, str] = {}
    for name in frame.passing:
        for object_ in objects_of(frame.state.names.find(name)):
            other = seen.setdefault(id(object_), name)
            if other != name:
                raise TraceError(
                    f"{frame.function.name} gets one object for {other!r} and for {name!r}, and "
                    "changes both",
                    at,
                    "pass a copy for one of them: copy(…)",
                )


# --- marks ----------------------------------------------------------------------------------


def _with_marks(
    session: Session,
    callee: Any,
    found: Marks,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
) -> Any:
    name = word_name(callee) or str(getattr(callee, "__name__", "function"))
    function = session.function(callee) if isinstance(callee, FunctionType) else None
    shape = callee
    if not has_body(session, callee):  # what stands in for it is what it computes
        shape = found.primal.rule if found.primal is not None else None
        if shape is None:
            raise meaningless(session, callee, at)
        found = found._replace(substitute=None)
        function = session.function(shape) if isinstance(shape, FunctionType) else None
        if not (found.fwd or found.bwd or found.differentiable):
            return call(session, shape, args, kwargs, at)
    arguments = typed_arguments(session, shape, args, kwargs, at)

    def plain(values: Sequence[Any]) -> Any:
        if function is None or word_name(callee) is not None:
            return _plainly(session, callee, list(values), {}, at)
        by_name = {a.name: v for a, v in zip(arguments, values, strict=True)}
        return _plainly(session, callee, *spread(described(session, function), by_name), at)

    invoke = _invoker(session)
    return call_marked(session, callee, name, found, arguments, invoke, plain, at)
