"""Reading one function: its parameters, its results, its program.

Takes a Python function, gives the Program that it stands for, found in its source; without
source it is traced. The rest of this folder says what the source means.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, get_args, get_origin

from ...rules.registry import is_compiled
from ...rules.scope import Scopes
from ...terms.errors import Span, TraceError, Unknown
from ...terms.program import Program, Slot
from ...terms.rule import RuleSet
from ...terms.term import const
from ...terms.types import Arr, Mat, Scalar, Tup, Type, Vec, leaf_types
from ...terms.value import Value
from ..collected import stands_in
from ..marks import NoDiffType
from ..slots import parameter_slots
from ..structs import adopted, class_of_self
from .calls.binding import described, spread
from .calls.bound import bound_parameters, parts
from .calls.calls import call
from .calls.defaults import components, in_python
from .calls.foreign import meaningless, primal_of
from .calls.lasting import with_changes
from .calls.outcomes import entries_by_name, result_names
from .calls.programs import build
from .operations.written import written
from .statements.interpret import run
from .values.annotations import (
    Annotation,
    check_protocol,
    hint_of,
    hinted,
    not_a_number,
    of_kernel,
    stopped,
)
from .values.branches import Names, State
from .values.fitting import fitted, standing
from .values.hints import (
    OpenParameters,
    admits,
    closed_type,
    holds_dictionary,
    is_list,
    is_mapping,
    lacking,
    left_open,
    union_type,
    untyped,
    warn_of_own_differentials,
)
from .values.lookup import Lookup
from .values.misfits import no_struct, no_type
from .values.objects import Object
from .values.packing import type_of, unpacked
from .values.parameters import Parameter, open_ended
from .values.scope import Frame, Function, Session
from .values.values import is_number


def read(
    fn: Callable[..., Any],
    *,
    real: Scalar,
    rules: RuleSet,
    wrt: Sequence[str] | None = None,
    scopes: Scopes | None = None,
    types: Mapping[str, Any] | None = None,
    implementations: Mapping[Any, Sequence[type]] | None = None,
    asked: Sequence[str] | None = None,
) -> Program:
    """The program of a `def` or `lambda`, read from its source; traced where it has none.

    `real` is the precision that `float` means; `wrt` names the parameters that carry
    derivatives (default: all real ones), `asked` those of them whose derivatives must not get
    lost on the way (default: all); `scopes` says which rules count beside those of the modules
    of functions (default: `rules` alone); `types` gives the types of parameters whose annotation
    leaves them open, `implementations` the structs that a protocol stands for. Raises
    OpenParameters where those are missing, TraceError for what the language does not have.
    """
    bound, target = parts(fn, real)
    session = Session(real, rules, Lookup(scopes or Scopes(rules)), run)
    session.wanted = None if asked is None else frozenset(asked)
    function = session.function(target) if isinstance(target, FunctionType) else None
    if function is None:
        operator = session.lookup.operator(target)
        if operator is not None and not bound:
            return _operator_program(session, target, operator, wrt)
        primal = primal_of(session, target) or written(target)
        function = session.function(primal) if isinstance(primal, FunctionType) else None
    if function is None:
        if is_compiled(target):
            raise meaningless(session, target, None)
        from ..tracing.tracer import trace

        if implementations:
            raise TraceError(
                "implementations= needs the source of the function, which is not there",
                hint="put it into a file",
            )
        return trace(fn, real=real, rules=rules, wrt=wrt, types=types)
    try:
        return _program(session, function, target, bound, wrt, types or {}, implementations or {})
    except Unknown as error:
        raise TraceError(error.message, error.at, error.hint) from None
    except RecursionError:
        raise TraceError(
            f"{function.name} is nested too deeply to be read",
            function.at,
            "split long expressions and deep nesting into several statements or functions; write "
            "deep recursion as a loop",
        ) from None


def select_wrt(program: Program, wrt: Sequence[str] | None) -> Program:
    """The program with derivatives for the parameters named by `wrt` only.

    Raises TraceError for a name that is no parameter, or has no derivative.
    """
    if wrt is None:
        return program
    slots = parameter_slots([(p.name, p.type) for p in program.params], wrt, program.at)
    _refuse_stopped([p.name for p in program.params if not (p.diff or p.array)], wrt, program.at)
    kept = [
        replace(p, diff=p.diff and (s.diff or bool(p.array)))
        for p, s in zip(program.params, slots, strict=True)
    ]
    return replace(program, params=tuple(kept))


def _refuse_stopped(stopped: Iterable[str], wrt: Sequence[str], at: Span | None) -> None:
    for name in sorted(set(stopped).intersection(wrt)):
        message = f"wrt names {name!r}, which is annotated no_diff"
        raise TraceError(message, at, "remove one of the two")


def _operator_program(
    session: Session, target: Any, operator: str, wrt: Sequence[str] | None
) -> Program:
    """The program of an operator itself, such as `math.sin`, over scalars."""
    kinds = {"int": Scalar.I32, "bool": Scalar.BOOL}
    params = session.rules.operator(operator).params
    typed: list[tuple[str, Type]] = [(p.name, kinds.get(p.kind, session.real)) for p in params]
    at = session.rules.operator(operator).at
    slots = parameter_slots(typed, wrt, at)
    return build(session, operator, slots, lambda v: call(session, target, v, {}, at), at).program


def _program(
    session: Session,
    function: Function,
    target: Any,
    bound: dict[str, Any],
    wrt: Sequence[str] | None,
    types: Mapping[str, Any],
    implementations: Mapping[Any, Sequence[type]],
) -> Program:
    wrapper, function = function, described(session, function)
    frame = Frame(session, function, State(Names()))
    given = bound_parameters(function, bound)
    typed: list[tuple[str, Type]] = []
    stopped = set()
    open_: dict[str, Any] = {}
    asked: list[Any] = []
    for param in function.params:
        if param.star:
            raise open_ended(function.source, function.name, param)
        if param.name in given or (param.name not in types and _is_setting(function, param)):
            continue
        said = of_kernel(frame, param.annotation)
        if param.name in types:
            said = _decided(frame, said, types[param.name])
        hint = _open_hint(frame, function, target, param, said)
        wide = hint if said is None else said.hint  # a base class may be a struct itself
        asked.append(_inner(wide))
        union = _union(session, wide, implementations, function.at)
        if union is not None:
            said = Annotation(union, stops=said is not None and said.stops)
            hint = None
        if hint is not None:
            open_[param.name] = hint
            typed.append((param.name, session.real))
            continue
        if said is None:
            _check_number(frame, param)
            said = Annotation(_default_type(session, function, param))
        assert said.type is not None
        if said.passing is not None and not said.passing.reads:
            zeros = tuple(const(0, kind) for kind in leaf_types(said.type))
            given[param.name] = Value(said.type, zeros)
            continue
        typed.append((param.name, said.type))
        if said.stops:
            stopped.add(param.name)
    _check_annotated(function, implementations, asked)
    if open_:
        names = [name for name, _ in typed]
        raise OpenParameters(function.name, names, open_, in_python(function), function.at)
    _refuse_stopped(stopped, wrt or (), function.at)
    slots = tuple(
        replace(
            s,
            diff=s.diff and s.name not in stopped,
            default=components(session, function, s, types),
        )
        for s in parameter_slots(typed, wrt, function.at)
    )
    if session.wanted is not None:
        quiet = [s for s in slots if s.name not in session.wanted]
        session.carrying.update((leaf, False) for s in quiet for leaf in s.leaves())
    return _built(session, function, wrapper, target, given, slots)


def _check_annotated(
    function: Function, implementations: Mapping[Any, Sequence[type]], asked: Sequence[Any]
) -> None:
    """Raise TraceError for implementations of what no parameter is annotated with."""
    for protocol in implementations:
        if protocol not in asked:
            raise TraceError(
                f"implementations= names {protocol.__name__}, and no parameter of {function.name} "
                "is annotated so",
                function.at,
                f"annotate the parameter: shape: {protocol.__name__}",
            )


def _check_number(frame: Frame, param: Parameter) -> None:
    kind = not_a_number(frame, param.annotation)
    if kind:
        how = f"give it a default, or bind it: derive(functools.partial(f, {param.name}=…))"
        if param.annotation is not None and is_mapping(hinted(frame, param.annotation)):
            how = "say what is in it: dict[str, float], or a TypedDict; " + how
        message = f"parameter {param.name!r} is annotated {kind}: a kernel gets numbers only"
        raise frame.error(param.node, message, how)


def _open_hint(
    frame: Frame, function: Function, target: Any, param: Parameter, said: Annotation | None
) -> Any:
    """The annotation of a parameter whose type depends on the argument; None for others."""
    if said is not None:
        return said.hint if said.type is None else None
    if param.annotation is not None:
        return left_open(hinted(frame, param.annotation))
    cls = class_of_self(target) if param is function.params[0] else None
    if cls is not None and not adopted(cls):
        raise no_struct(param.name, cls, frame.span(param.node))
    return cls


def _inner(hint: Any) -> Any:
    """The type inside of `no_diff[…]`."""
    return hint.type if isinstance(hint, NoDiffType) else hint


def _union(
    session: Session, hint: Any, implementations: Mapping[Any, Sequence[type]], at: Span
) -> Type | None:
    """The type of a parameter that is one of several implementations."""
    hint = _inner(hint)
    found = next((classes for known, classes in implementations.items() if known is hint), None)
    if hint is None or found is None:
        return None
    check_protocol(hint, at)
    for cls in found:
        if not adopted(cls) or not admits(hint, cls):
            name = getattr(cls, "__name__", repr(cls))
            missing = lacking(cls, hint) if adopted(cls) else []
            how = "it must be a @struct class with all its methods"
            raise TraceError(
                f"{name} is no implementation of {hint.__name__}",
                at,
                f"give it the method {missing[0]}" if missing else how,
            )
    type_ = union_type(hint.__name__, found, session.real)
    if type_ is None:
        raise TraceError(
            f"the implementations of {hint.__name__} have no common form",
            at,
            "they need different names, and fields whose types are known",
        )
    return type_


def _decided(frame: Frame, said: Annotation | None, given: Any) -> Annotation:
    """An annotation with the type that was given for it: a type, or its text."""
    session, at = frame.session, frame.function.at
    if isinstance(given, str):
        node = ast.copy_location(ast.Constant(given), frame.function.source.node)
        given = hint_of(frame, node)
    is_type = isinstance(given, Arr | Tup | Vec | Mat | Scalar)
    type_: Type | None = given if is_type else closed_type(given, session.real)
    if type_ is None and _is_left_open(given, session.real):
        return Annotation(None, stops=said is not None and said.stops, hint=given)  # at the call
    if type_ is None:
        raise no_type(given, session.real, at)
    return replace(said, type=type_) if said is not None else Annotation(type_)


def _is_left_open(hint: Any, real: Scalar) -> bool:
    """Whether the argument decides what a type is, or its first field that is no number."""
    field = untyped(hint, real)
    which = hint if field is None else field[1]
    return is_list(which) or left_open(which) is not None


def _is_setting(function: Function, param: Parameter) -> bool:
    """Whether a parameter is not a number: it keeps its default (a text, a set, a function)."""
    default = function.defaults.get(param.name, 0)
    made = isinstance(default, Object) and not stands_in(getattr(default, "cls", None))
    return not (is_number(default) or isinstance(default, Value | tuple) or made)


def _default_type(session: Session, function: Function, param: Parameter) -> Type:
    # An unannotated parameter is a real number, unless its default says otherwise.
    default = function.defaults.get(param.name, 0)
    return type_of(default, session.real, function.at)


def _built(
    session: Session,
    function: Function,
    wrapper: Function,
    target: Any,
    given: dict[str, Any],
    slots: Sequence[Slot],
) -> Program:
    """The program of `wrapper`, which has the parameters of `function` (mostly it is that)."""
    names = [s.name for s in slots]
    order = [p.name for p in function.params]
    for slot in slots:
        warn_of_own_differentials(slot.name, slot.type, function.at)
    said = _result_annotation(session, wrapper)

    def call_it(values: list[Any]) -> Any:
        fresh = {n: unpacked(v) if isinstance(v, Value) else v for n, v in given.items()}
        arguments = {**fresh, **dict(zip(names, values, strict=True))}
        args, kwargs = spread(function, arguments)

        def given_back() -> Any:
            return call(session, target, args, kwargs, function.at)

        value = with_changes(session, order, slots, values, given_back, function.at)
        entries = entries_by_name(session, value, function.at)
        if entries is not None:
            outcomes[:], value = entries
        if said is None or said.any_pair or said.type is None:
            return value
        what = f"the result of {function.name}"
        own = standing(value, said.type, session.real, function.at)
        value = fitted(value, own, session.real, function.at, what)
        return stopped(value, said.hint)

    outcomes = result_names(wrapper.source.node)
    program = build(session, function.name, slots, call_it, function.at, outcomes).program
    if not program.results:
        raise TraceError(f"{function.name} returns nothing", function.at, "return a value")
    if any(holds_dictionary(slot.type) for slot in program.results):
        hint = "return a tuple, or a @struct"
        raise TraceError(f"{function.name} returns a dictionary", wrapper.at, hint)
    program = _with_arrays(session, program, len(slots))
    return program if said is None else _without(program, said)


def _without(program: Program, said: Annotation) -> Program:
    """The program whose results have no derivative where the annotation says no_diff[…]."""
    count = len(program.results)
    stops = [said.stops] * count
    if get_origin(said.hint) is tuple:
        parts = [isinstance(hint, NoDiffType) for hint in get_args(said.hint)]
        stops = [*parts, *[False] * count][:count]
    pairs = zip(program.results, stops, strict=True)
    return replace(program, results=tuple(replace(s, diff=s.diff and not off) for s, off in pairs))


def _with_arrays(session: Session, program: Program, own: int) -> Program:
    """The program with one parameter for each array of a module that rules add to."""
    used = {p.name for p in program.params[own:]}
    arrays = [s for s in session.arrays.values() if not used.isdisjoint(s.paths())]
    return replace(program, params=(*program.params[:own], *arrays))


def _result_annotation(session: Session, function: Function) -> Annotation | None:
    node = function.source.node
    if not isinstance(node, ast.FunctionDef):
        return None
    return of_kernel(Frame(session, function, State(Names())), node.returns)
