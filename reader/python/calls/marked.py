"""Calls of functions with rules of their own, which stay calls until derivatives are taken.

Takes a function, its marks and arguments, gives the values of a `call` term whose attribute
holds the body and the rules as programs; see calls.py for the layout. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ....rules.registry import Marks
from ....terms.errors import Span, TraceError
from ....terms.program import Call, Differentiable, Slot
from ....terms.term import CALL, PROJ, Term
from ....terms.value import Value
from ..operations.records import Invoke
from ..values.fitting import converted, fitted
from ..values.packing import packed, unpacked
from ..values.scope import Session
from .adding import arrays_of
from .lasting import Watched, handed_back, refuse_changes, watched, with_changes
from .programs import Argument, Built, build, explained, filled, may_capture, typed
from .ruling import backward_rule, forward_rule, substitute


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

    names = [a.name for a in arguments]
    done: Watched

    def run(values: list[Any]) -> Any:
        nonlocal done

        def given() -> Any:
            return plain(filled(arguments, values))

        def changing() -> Any:
            return with_changes(session, names, slots, values, given, at, always=True)

        value, done = watched(session, [s.name for s in slots], values, changing)
        if value is None and not session.finals and (marks.fwd or marks.bwd):
            raise TraceError(
                f"{name} has a rule, but returns nothing that a derivative could pass by",
                at,
                "return a value, such as what it stores, and use it; or change a struct or a list",
            )
        return () if value is None and not session.finals else value

    body = build(session, name, slots, run, at, fresh=fresh)
    if body.captured and (marks.fwd or marks.bwd or marks.substitute):
        raise TraceError(
            f"{name} has a rule of its own, but uses {body.captured[0].attr!r} of the function "
            "around it",
            at,
            "pass it as a parameter",
        )
    refuse_changes(body, name, at)
    if not body.program.results:
        return None
    arrays = arrays_of(session, marks.bwd.rule) if marks.bwd else {}
    params = (*body.program.params, *arrays.values())
    body = replace(body, program=replace(body.program, params=params))
    call = Call(name, body.program, at=at, again=is_ruled(session, target))
    if not call.again:
        kind = _differentiability(marks)
        with _reading_rules_of(session, target, name):
            call = replace(
                call,
                fwd=forward_rule(session, name, marks.fwd, arguments, body, invoke),
                bwd=backward_rule(session, name, marks.bwd, arguments, body, arrays, invoke),
                substitute=substitute(session, name, marks.substitute, arguments, body, invoke),
                differentiable=kind,
                refused=at if kind is Differentiable.NO else None,
            )
    flat = [t for a in typed(arguments) for t in leaves_of(session, a, name, at)]
    added = [leaf for slot in arrays.values() for leaf in slot.leaves()]
    value = emit(call, [*flat, *body.captured, *added], body.program.results, body)
    return handed_back(session, value, body, arguments, done, name, at)


def is_ruled(session: Session, target: Any) -> bool:
    """Whether a rule of a function is being read."""
    return any(target is ruled for ruled in session.ruled)


def _differentiability(marks: Marks) -> Differentiable:
    """What is said about a function, unless its rules say how it is differentiated.

    `@treat_as_differentiable` with a backward rule alone is zero forwards.
    """
    stated = marks.differentiability
    if marks.fwd is not None or (marks.bwd is not None and stated is Differentiable.NO):
        return Differentiable.YES
    return stated


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
    """Inside a rule of `target`, calls of `target` have no rules: the rule cannot hold itself."""
    active, session.active = session.active, []
    session.ruled.append(target)
    try:
        yield
    except TraceError as error:
        raise explained(error, f"while reading the rules of {name}") from None
    finally:
        session.ruled.pop()
        session.active = active
