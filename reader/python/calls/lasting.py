"""What a function that stays a call changes in its arguments, and how the caller sees that.

Such a function (it has rules of its own, or is asked for a derivative) gets its arguments by
value. Its parameters annotated InOut[…] or Out[…] are results of its program, and so are the
structs and lists that it changes without a word, `self` of a method above all: in Python the
caller sees that, too. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Slot
from ....terms.value import Value
from ..operations.records import (
    at_position,
    attribute,
    element,
    no_call,
    set_attribute,
    set_element,
)
from ..values.objects import Instance, Object, first, references
from ..values.packing import packed_as
from ..values.scope import Final, Session
from .aliasing import Moves, Place, moves, objects_in, tie
from .programs import Argument, Built, no_finals, typed


def _packed(session: Session, slot: Slot, value: Any, at: Span) -> Value | None:
    """A struct or list as it is now; None where it cannot be read, and of anything else."""
    if not isinstance(first(value), Object):
        return None
    try:
        return packed_as(value, slot.type, session.real, at)
    except TraceError:
        return None


def with_changes(
    session: Session,
    order: Sequence[str],
    slots: Sequence[Slot],
    values: Sequence[Any],
    run: Callable[[], Any],
    at: Span,
    *,
    always: bool = False,
) -> Any:
    """What `run` gives; the structs and lists among `values` that it changes are finals, too.

    Unless `always`, only where it gives nothing else. `order` names all parameters.
    """
    starts = [_packed(session, s, v, at) for s, v in zip(slots, values, strict=True)]
    session.finals = no_finals()
    given = run()
    if given is not None and not always:
        return given
    said = {final.name: final for final in session.finals}
    for slot, value, start in zip(slots, values, starts, strict=True):
        end = None if start is None or slot.name in said else _packed(session, slot, value, at)
        if end is not None and end != start:
            said[slot.name] = Final(slot.name, value, value)
    session.finals = tuple(said[name] for name in order if name in said)
    return given


def refuse_changes(body: Built, name: str, at: Span) -> None:
    """Whatever else a function by value changes, nobody would see. Raises TraceError."""
    results = [s.name for s in body.program.results]
    lost = [n for n in body.changed if n not in results[len(results) - body.finals :]]
    if lost:
        raise TraceError(
            f"{name} changes its parameter {lost[0]!r}, but it is differentiated on its own",
            at,
            f"annotate it: {lost[0]}: InOut[…]; or return the new value",
        )


def refuse_shared(
    arguments: Sequence[Argument], changed: Sequence[str], name: str, at: Span
) -> None:
    """What is changed must not be reached by two arguments. Raises TraceError."""
    reached = {a.name: references([a.value]) for a in typed(arguments)}
    for one in changed:
        for other, objects in reached.items():
            if other != one and not objects.keys().isdisjoint(reached[one]):
                raise TraceError(
                    f"{name} gets one object for {one!r} and for {other!r}, and changes it",
                    at,
                    "pass a copy for one of them: copy(…)",
                )


@dataclass(frozen=True, slots=True)
class Watched:
    """What the body of a function by value has done, beside the program that it is.

    `in_place` names the vectors of which components were assigned, `anew` the parameters that
    were assigned as a whole.
    """

    moves: Moves
    in_place: frozenset[str]
    anew: frozenset[str]


def watched(
    session: Session, names: Sequence[str], values: Sequence[Any], run: Callable[[], Any]
) -> tuple[Any, Watched]:
    """What `run` gives, and what it has done with the objects among `values`."""
    starts = objects_in(zip(names, values, strict=True))
    given = run()
    finals = session.finals
    in_place = frozenset(f.name for f in finals if f.in_place)
    anew = frozenset(f.name for f in finals if _is_another(f))
    return given, Watched(moves(starts, given, finals), in_place, anew)


def _is_another(final: Final) -> bool:
    return isinstance(first(final.start), Object) and final.value is not final.start


def _overwrite(
    session: Session,
    target: Any,
    source: Any,
    root: Place,
    replaced: Collection[Place],
    at: Span,
) -> None:
    """Everything in one struct or list becomes what is in another of the same shape.

    The target stands at the place `root`; `replaced` are places where it holds other objects then.
    """
    pending = [(root, target, source)]
    while pending:
        place, old, new = pending.pop()
        found = first(old)
        for i in range(len(found.items)):
            if isinstance(found, Instance):
                name = found.names[i]
                was = attribute(session, old, name, at, no_call)
                now = attribute(session, new, name, at, no_call)
            else:
                was, now = (element(session, v, at_position(i), at) for v in (old, new))
            if isinstance(first(was), Object) and (*place, i) not in replaced:
                pending.append(((*place, i), was, now))
            elif isinstance(found, Instance):
                set_attribute(session, old, name, now, at, no_call)
            else:
                set_element(session, old, at_position(i), now, at)


def handed_back(
    session: Session,
    value: Any,
    body: Built,
    arguments: Sequence[Argument],
    done: Watched,
    name: str,
    at: Span,
) -> Any:
    """What the function returned; the final values go into the structs and lists passed."""
    items = value if isinstance(value, tuple) and not body.shape.single else (value,)
    count = len(items) - body.finals
    roots = [(a.name, a.value) for a in typed(arguments)]
    given, before = dict(roots), objects_in(roots) if done.moves.same else {}
    slots = body.program.results[len(body.program.results) - body.finals :]
    refuse_shared(arguments, [slot.name for slot in slots], name, at)
    finals = []
    for slot, end in zip(slots, items[count:], strict=True):
        start = given[slot.name]
        if isinstance(first(start), Object) and slot.name not in done.anew:
            _overwrite(session, start, end, (slot.name,), done.moves.replaced, at)
            end = start
        finals.append(Final(slot.name, start, end, in_place=slot.name in done.in_place))
    session.finals = tuple(finals)
    result = None if count == 0 else items[0] if count == 1 else items[:count]
    if done.moves.same:
        tie(session, done.moves, before, objects_in([*roots, ("", result)]), name)
    return result
