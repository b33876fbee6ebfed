"""Calls of functions with rules of their own, which stay calls until derivatives are taken.

Takes a function, its marks and arguments, gives the values of a `call` term whose attribute
holds the body and the rules as programs; see calls.py for the layout. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType
from typing import Any

from ....rules.registry import Mark, Marks
from ....terms.errors import Span, TraceError
from ....terms.program import Call, Differentiable, Program, Slot, renamed
from ....terms.term import CALL, PROJ, Term
from ....terms.types import Arr, is_differentiable
from ....terms.value import Value
from ...marks import DifferentialPair
from ..operations.records import overwrite
from ..values.objects import Listed, Object, first
from ..values.packing import converted, fitted, packed, packed_as, unpacked
from ..values.scope import Final, Function, Session
from ..values.values import describe, is_number, number
from .adding import arrays_of, nothing
from .programs import Argument, Built, build, explained, filled, may_capture, typed

#: Calls a value with arguments: `invoke(callee, args, kwargs, at)`.
Invoke = Callable[[Any, Sequence[Any], Mapping[str, Any], Span], Any]


def call_marked(
    session: Session,
    target: Any,
    name: str,
    marks: Marks,
    arguments: Sequence[Argument],
    invoke: Invoke,
    plain: Callable[[Sequence[Any]], Any],
    at: Span,
) -> Any:
    """The value of a marked function: its body (through `plain`) and its rules as one call."""
    statics = [a.value for a in arguments if a.type is None]
    slots = [a.slot() for a in typed(arguments)]
    fresh = may_capture(target, statics)

    def run(values: list[Any]) -> Any:
        value = plain(filled(arguments, values))
        if value is None and not session.finals and (marks.fwd or marks.bwd):
            message = f"{name} has a rule, but returns nothing that a derivative could pass by"
            raise TraceError(message, at, "return a value, such as what it stores, and use it")
        return value

    body = build(session, name, slots, run, at, fresh=fresh)
    if body.captured and (marks.fwd or marks.bwd or marks.substitute):
        raise TraceError(
            f"{name} has a rule of its own, but uses {body.captured[0].attr!r} of the function "
            "around it",
            at,
            "pass it as a parameter",
        )
    refuse_changes(body, name, at)
    arrays = arrays_of(session, marks.bwd.rule) if marks.bwd else {}
    params = (*body.program.params, *arrays.values())
    body = replace(body, program=replace(body.program, params=params))
    with _reading_rules_of(session, target, name):
        call = Call(
            name,
            body.program,
            fwd=_forward(session, name, marks.fwd, arguments, body, invoke),
            bwd=_backward(session, name, marks.bwd, arguments, body, arrays, invoke),
            substitute=_substitute(session, name, marks.substitute, arguments, body, invoke),
            differentiable=_differentiability(marks),
            at=at,
        )
    flat = [t for a in typed(arguments) for t in leaves_of(session, a, name, at)]
    added = [leaf for slot in arrays.values() for leaf in slot.leaves()]
    value = emit(call, [*flat, *body.captured, *added], body.program.results, body)
    if not body.finals:
        return value
    return _handed_back(session, value, body, arguments, at)


def _differentiability(marks: Marks) -> Differentiable:
    """What is said about a function, unless its rules say how it is differentiated.

    `@treat_as_differentiable` with a backward rule alone is zero forwards.
    """
    stated = marks.differentiability
    if marks.fwd is not None or (marks.bwd is not None and stated is Differentiable.NO):
        return Differentiable.YES
    return stated


def refuse_changes(body: Built, name: str, at: Span) -> None:
    """A function that stays a call has its arguments by value."""
    results = [s.name for s in body.program.results]
    lost = [n for n in body.changed if n not in results[len(results) - body.finals :]]
    if lost:
        raise TraceError(
            f"{name} changes its parameter {lost[0]!r}, but it is differentiated on its own",
            at,
            f"annotate it: {lost[0]}: InOut[…]; or return the new value",
        )


def _handed_back(
    session: Session, value: Any, body: Built, arguments: Sequence[Argument], at: Span
) -> Any:
    """What the function returned; the final values go into the structs and lists passed."""
    items = value if isinstance(value, tuple) and not body.shape.single else (value,)
    count = len(items) - body.finals
    given = {a.name: a.value for a in arguments}
    finals = []
    for slot, end in zip(body.program.results[-body.finals :], items[count:], strict=True):
        start = given[slot.name]
        if isinstance(first(start), Object):
            overwrite(session, start, end, at)
            end = start
        finals.append(Final(slot.name, start, end))
    session.finals = tuple(finals)
    if count == 0:
        return None
    return items[0] if count == 1 else items[:count]


def leaves_of(session: Session, argument: Argument, name: str, at: Span) -> tuple[Term, ...]:
    """The components of an argument, exactly of its type."""
    assert argument.type is not None
    what = f"argument {argument.name!r} of {name}"
    value = converted(argument.value, argument.type, session.real, at, what)
    return packed(fitted(value, argument.type, session.real, at, what), session.real, at).leaves


def emit(call: Call, args: Sequence[Term], results: Sequence[Slot], built: Built) -> Any:
    """The value of a call term: one projection per component of its results."""
    return built.shape.fill(project(call, args, results))


def project(call: Call, args: Sequence[Term], results: Sequence[Slot]) -> list[Any]:
    """One value per result of a call."""
    first = results[0].leaves()[0].type
    term = Term(CALL, tuple(args), call, first)
    values, index = [], 0
    for slot in results:
        leaves = []
        for leaf in slot.leaves():
            leaves.append(Term(PROJ, (term,), index, leaf.type))
            index += 1
        values.append(unpacked(Value(slot.type, tuple(leaves))))
    return values


@contextmanager
def _reading_rules_of(session: Session, target: Any, name: str) -> Iterator[None]:
    """Inside a rule of `target`, calls of `target` are its body; the rule cannot hold itself."""
    active, session.active = session.active, []
    session.ruled.append(target)
    try:
        yield
    except TraceError as error:
        raise explained(error, f"while reading the rules of {name}") from None
    finally:
        session.ruled.pop()
        session.active = active


def _place(mark: Mark, program: Program) -> Span:
    place = mark.at or program.at
    assert place is not None
    return place


def _rule_name(mark: Mark) -> str:
    return str(getattr(mark.rule, "__name__", "the rule"))


def _check_takes(
    session: Session, mark: Mark, name: str, names: Sequence[str], what: str, at: Span
) -> None:
    """Whether a rule can be called as rules of its kind are. Raises TraceError if it cannot."""
    function = _readable(session, mark.rule)
    if function is None or function.only_declared or any(p.star for p in function.params):
        return
    own = [p.name for p in function.params if not p.keyword_only]
    needed = [p.name for p in function.params if p.name not in function.defaults]
    if len(needed) <= len(names) <= len(own) and set(needed) <= set(own):
        return
    rule = _rule_name(mark)
    many = "1 parameter" if len(own) == 1 else f"{len(own)} parameters"
    raise TraceError(
        f"{function.signature()} has {many}, but as a rule of {name} it gets {len(names)}",
        at,
        f"write it as {rule}({', '.join(names)}): {what}",
    )


def _forward(
    session: Session,
    name: str,
    mark: Mark | None,
    arguments: Sequence[Argument],
    body: Built,
    invoke: Invoke,
) -> Program | None:
    if mark is None:
        return None
    place = _place(mark, body.program)
    slots = list(body.program.params)
    active = [a for a in typed(arguments) if a.carries]
    tangents = renamed([s for s in slots if s.diff], "d_{}", slots)
    rule = _rule_name(mark)
    names = [a.name for a in arguments]
    what = "a pair for every parameter that has a derivative"
    _check_takes(session, mark, name, names, what, place)

    def run(values: list[Any]) -> Any:
        # The tangents of arrays that rules add to come last: nothing depends on them.
        twins = dict(zip((a.name for a in active), values[len(slots) :], strict=False))
        args = [
            DifferentialPair(v, twins[a.name]) if a.name in twins else v
            for a, v in zip(arguments, filled(arguments, values), strict=True)
        ]
        given = invoke(mark.rule, args, {}, place)
        return _split_pairs(session, rule, name, given, body, place)

    built = build(session, rule, [*slots, *tangents], run, place)
    return _closed(built, rule, place)


def _counted(results: Sequence[Slot]) -> str:
    return "1 result" if len(results) == 1 else f"{len(results)} results"


def _split_pairs(
    session: Session, rule: str, name: str, given: Any, body: Built, at: Span
) -> tuple[Any, ...]:
    """What a forward rule returns, as (results, then tangents)."""
    results = body.program.results
    items = (given,) if body.shape.single else given
    if not isinstance(items, tuple) or len(items) != len(results):
        raise TraceError(
            f"{rule} returns {describe(given)}, but {name} has {_counted(results)}",
            at,
            "a forward rule returns one pair per result of the function, as a tuple",
        )
    values, tangents = [], []
    for slot, item in zip(results, items, strict=True):
        if not is_differentiable(slot.type):
            values.append(fitted(item, slot.type, session.real, at, f"a result of {rule}"))
            continue
        if not isinstance(item, DifferentialPair):
            raise TraceError(
                f"{rule} returns {describe(item)} where a pair is needed",
                at,
                "a forward rule returns diff_pair(value, tangent)",
            )
        what = f"of the pair that {rule} returns"
        values.append(fitted(item.p, slot.type, session.real, at, f"the value {what}"))
        tangents.append(fitted(item.d, slot.type, session.real, at, f"the tangent {what}"))
    return (*values, *tangents)


def _backward(
    session: Session,
    name: str,
    mark: Mark | None,
    arguments: Sequence[Argument],
    body: Built,
    arrays: Mapping[str, Slot],
    invoke: Invoke,
) -> Program | None:
    if mark is None:
        return None
    place = _place(mark, body.program)
    slots = list(body.program.params)
    bars = renamed([s for s in body.program.results if s.diff], "{}_bar", slots)
    rule = _rule_name(mark)

    wanted = list(arguments)
    if takes(session, mark.rule) == len(bars) + sum(a.starts for a in arguments):
        wanted = [a for a in arguments if a.starts]  # of an Out parameter, the cotangent alone
    names = [*(a.name for a in wanted), *(s.name for s in bars)]
    what = "the parameters, then a cotangent for every result that has one"
    _check_takes(session, mark, name, names, what, place)

    def run(values: list[Any]) -> Any:
        pairs = zip(arguments, filled(arguments, values), strict=True)
        args = [*(v for a, v in pairs if a in wanted), *values[len(slots) :]]
        added = {array: nothing(slot) for array, slot in arrays.items()}
        before, session.totals = session.totals, added
        try:
            given = invoke(mark.rule, args, {}, place)
        finally:
            session.totals = before
        gradients = _split_gradients(session, rule, name, given, wanted, place)
        totals = [packed_as(added[n], s.type, session.real, place) for n, s in arrays.items()]
        return (*gradients, *totals)

    built = build(session, rule, [*slots, *bars], run, place)
    return _closed(built, rule, place)


def _readable(session: Session, rule: Any) -> Function | None:
    function = session.function(rule) if isinstance(rule, FunctionType) else rule
    return function if isinstance(function, Function) else None


def takes(session: Session, rule: Any) -> int:
    """How many arguments a rule can be called with; 0 where that is not known."""
    function = _readable(session, rule)
    return 0 if function is None else len(function.params)


def _split_gradients(
    session: Session,
    rule: str,
    name: str,
    given: Any,
    arguments: Sequence[Argument],
    at: Span,
) -> tuple[Any, ...]:
    """What a backward rule returns, as one cotangent per differentiable parameter."""
    if given is None and not any(a.carries for a in arguments):
        return ()
    alone = len(arguments) == 1 and (
        not isinstance(given, tuple) or isinstance(given, DifferentialPair)
    )
    array = len(arguments) == 1 and isinstance(arguments[0].type, Arr)
    several = isinstance(given, Listed) and not array
    items = tuple(given.items) if several else (given,) if alone else given
    if not isinstance(items, tuple) or len(items) != len(arguments):
        names = ", ".join(a.name for a in arguments)
        many = "1 parameter" if len(arguments) == 1 else f"{len(arguments)} parameters"
        raise TraceError(
            f"{rule} returns {describe(given)}, but {name} has {many} ({names})",
            at,
            "a backward rule returns a tuple with one cotangent per parameter; None where "
            "a parameter has no derivative",
        )
    gradients = []
    for argument, item in zip(arguments, items, strict=True):
        if not argument.carries:
            if item is None or (is_number(item) and number(item) == 0):
                continue
            raise TraceError(
                f"{rule} returns a cotangent for {argument.name!r}, which has no derivative",
                at,
                f"return None in the place of {argument.name!r}",
            )
        assert argument.type is not None
        value = 0.0 if item is None else item
        what = f"the cotangent of {argument.name!r} that {rule} returns"
        gradients.append(fitted(value, argument.type, session.real, at, what))
    return tuple(gradients)


def _substitute(
    session: Session,
    name: str,
    mark: Mark | None,
    arguments: Sequence[Argument],
    body: Built,
    invoke: Invoke,
) -> Program | None:
    if mark is None:
        return None
    place = _place(mark, body.program)
    slots = list(body.program.params)
    rule = _rule_name(mark)
    what = f"the parameters of {name}"
    _check_takes(session, mark, name, [a.name for a in arguments], what, place)

    def run(values: list[Any]) -> Any:
        given = invoke(mark.rule, filled(arguments, values), {}, place)
        items = (given,) if body.shape.single else given
        results = body.program.results
        if not isinstance(items, tuple) or len(items) != len(results):
            raise TraceError(f"{rule} returns {describe(given)}, unlike {name}", place)
        return tuple(
            fitted(v, s.type, session.real, place, f"a result of {rule}, as of {name},")
            for v, s in zip(items, results, strict=True)
        )

    return _closed(build(session, rule, slots, run, place), rule, place)


def _closed(built: Built, rule: str, at: Span) -> Program:
    if built.captured:
        raise TraceError(
            f"{rule} uses {built.captured[0].attr!r} of the function around it",
            at,
            "define the rule at the level of the module",
        )
    return built.program
