"""Takes a callable, runs it on symbolic values, gives the program that it computed.

This is how functions are read whose source is not at hand. Loops, lists and calls just run;
what they leave behind are the operations on the parameters. Knows nothing of syntax.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...terms.errors import EgadError, TraceError, called
from ...terms.lowering import parameter
from ...terms.program import Program, Slot
from ...terms.rule import RuleSet
from ...terms.types import Mat, Scalar, Type, Vec, parse_type, type_name
from ...terms.value import Value, convert
from ..slots import parameter_slots, program
from .arrays import call_function, call_ufunc
from .failing import failed
from .positions import notes_of
from .symbolic import Tracer
from .trace import Trace


@dataclass(frozen=True)
class Traced:
    """A function that is read by running it on symbolic values; see `traced`."""

    function: Callable[..., Any]
    params: tuple[tuple[str, Type | str], ...] | None = None

    def __call__(self, *args: Any) -> Any:
        """The function itself."""
        return self.function(*args)


def traced(
    function: Callable[..., Any], params: Sequence[tuple[str, Type | str]] | None = None
) -> Traced:
    """The function, to be read by running it once on symbolic values instead of by its source.

    Python runs it: loops, lists and any other code are fine as long as nothing branches on a
    symbolic value. `params` names the parameters and their types, for functions of `*args`.

    >>> from egad import derive
    >>> def total(*xs):
    ...     return sum(x * x for x in xs)
    >>> derive(traced(total, [("a", "float"), ("b", "float")])).reference(3.0, 4.0, 1.0)
    Gradients(a=6.0, b=8.0)
    """
    if not callable(function):
        hint = "pass the function itself: traced(f), not traced(f(x))"
        raise TraceError(f"traced takes a function, not {called(function)}", hint=hint)
    pairs = params if isinstance(params, Sequence) or params is None else [params]
    if any(not isinstance(p, Sequence | Slot) or isinstance(p, str) for p in pairs or ()):
        hint = "write params=[('a', 'float'), ('v', 'float3')]"
        raise TraceError(f"params={params!r} is not a list of names and types", hint=hint)
    return Traced(function, None if pairs is None else tuple(pairs))


def trace(
    fn: Callable[..., Any],
    *,
    real: Scalar,
    rules: RuleSet,
    wrt: Collection[str] | None = None,
    params: Sequence[Slot | tuple[str, Type | str]] | None = None,
    types: Mapping[str, Any] | None = None,
) -> Program:
    """The program that `fn` computes, found by running it once on symbolic values.

    Parameter types come from `types`, from `params`, or else from the annotations; others are
    real scalars.

    Raises TraceError where the run depends on a symbolic value: a branch, `float(x)`, `range(n)`.
    """
    if params is None:
        typed, result_type = signature(fn, real, types or {})
    else:
        typed, result_type = [_typed(entry, real, types or {}) for entry in params], None
    numbers = defaults(fn) if params is None else {}
    slots = tuple(
        replace(s, default=(numbers[s.name],))
        if s.name in numbers and isinstance(s.type, Scalar)
        else s
        for s in parameter_slots(typed, wrt)
    )
    run = Trace(real, rules, call_ufunc, call_function)
    inputs = [Tracer(run, parameter(slot)) for slot in slots]
    try:
        computed = fn(*inputs)
    except EgadError:
        raise
    except Exception as error:
        found = failed(_name(fn), error)
        if found is error:
            raise
        raise found from error
    values = _results(run, computed, result_type)
    return program(_name(fn), slots, values, notes_of(run.origins))


def _typed(
    entry: Slot | tuple[str, Type | str], real: Scalar, types: Mapping[str, Any]
) -> tuple[str, Type]:
    name, type_ = (entry.name, entry.type) if isinstance(entry, Slot) else entry
    if name not in types and not isinstance(type_, str):
        return name, type_
    return name, _annotated(types.get(name, type_), real, f"parameter {name!r}")


def _name(fn: Callable[..., Any]) -> str:
    name = getattr(fn, "__name__", "") or type(fn).__name__
    return name if name.isidentifier() else "f"


# ---------------------------------------------------------------- the signature


def signature(
    fn: Callable[..., Any], real: Scalar, types: Mapping[str, Any]
) -> tuple[list[tuple[str, Type]], Type | None]:
    """Names and types of the parameters, and the type of the result where it is annotated."""
    try:
        found = inspect.signature(fn)
    except (TypeError, ValueError):
        advice = "wrap it: lambda x: f(x)"
        raise TraceError(f"the parameters of {_name(fn)} are not known", hint=advice) from None
    typed = []
    for p in found.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY):
            advice = "derive what it calls; or say them: egad.traced(f, params=[('x', 'float')])"
            raise TraceError(f"{_name(fn)} has the parameter {str(p)!r}", hint=advice)
        annotation = types.get(p.name, None if p.annotation is p.empty else p.annotation)
        typed.append((p.name, _annotated(annotation, real, f"parameter {p.name!r}")))
    result = found.return_annotation
    if result is found.empty or not _is_plain(result, real):
        return typed, None
    return typed, _annotated(result, real, "the result")


def defaults(fn: Callable[..., Any]) -> dict[str, float]:
    """The numbers that parameters default to, by name."""
    found = inspect.signature(fn).parameters.values()
    return {p.name: p.default for p in found if isinstance(p.default, int | float)}


def _is_plain(annotation: object, real: Scalar) -> bool:
    return parse_type(_spelling(annotation), real) is not None


def _spelling(annotation: object) -> str:
    if isinstance(annotation, str):
        return annotation.strip().strip("'\"").rpartition(".")[2]
    return str(
        getattr(annotation, "type_name", None) or getattr(annotation, "__name__", annotation)
    )


def _annotated(annotation: object, real: Scalar, what: str) -> Type:
    if annotation is None:
        return real
    if isinstance(annotation, Scalar | Vec | Mat):
        return annotation
    found = parse_type(_spelling(annotation), real)
    if found is None:
        raise TraceError(
            f"{what} has the type {_spelling(annotation)!r}, which a traced function cannot take",
            hint="use float, int, bool, or vectors and matrices of them: float3, float2x2; where "
            "the source of the function can be read, in a file, it may be any",
        )
    return found


# ---------------------------------------------------------------- the result


def _results(run: Trace, result: Any, wanted: Type | None) -> list[Value]:
    if result is None:
        raise TraceError(
            "the traced function returns nothing", hint="return the values it computes"
        )
    parts = result if isinstance(result, (tuple, list)) else [result]
    values = [_lifted(run, part) for part in parts]
    if not values:
        raise TraceError("the traced function returns nothing: an empty tuple")
    if wanted is None or len(values) != 1:
        return values
    converted = convert(values[0], wanted)
    if converted is None:
        given, named = type_name(values[0].type), type_name(wanted)
        raise TraceError(f"the traced function returns {given}, its annotation says {named}")
    return [converted]


def _lifted(run: Trace, part: Any) -> Value:
    value = run.lift(part)
    if value is None:
        raise TraceError(
            f"the traced function returns {type(part).__name__}, which has no type in egad",
            hint="return numbers, vectors, matrices, or a tuple of them",
        )
    return value
