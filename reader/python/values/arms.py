"""Parts of expressions that are evaluated under a condition, such as `b` in `a and b`.

Takes what reads them, gives their values; what they change, and the names that they assign, they
change and assign only where the condition holds. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ....terms.conditions import Assumption
from ....terms.errors import Span
from ....terms.term import Term
from .branches import Branch, Names, State
from .conditions import Condition, as_term, chosen
from .objects import Changed
from .scope import Session, joined

T = TypeVar("T")


def under(session: Session, conditions: Sequence[Assumption], read: Callable[[], T], at: Span) -> T:
    """`read()` where all conditions hold: what it changes is changed only there."""
    if not conditions:
        return read()
    value, changed, names = _arm(session, conditions, read)
    if changed or names.local:
        held: Condition = True
        for condition, holds in reversed(conditions):
            held = chosen(condition, held, False) if holds else chosen(condition, False, held)
        _meet(session, as_term(held), (changed, {}), (names, Names(names.parent)), at)
    return value


def in_arms(
    session: Session,
    condition: Term,
    then: Any,
    other: Any,
    read: Callable[[Any], Any],
    at: Span,
) -> tuple[Any, Any]:
    """`read` of one and of the other; what they change is changed under the condition."""
    first = _arm(session, [(condition, True)], lambda: read(then))
    last = _arm(session, [(condition, False)], lambda: read(other))
    _meet(session, condition, (first[1], last[1]), (first[2], last[2]), at)
    return first[0], last[0]


def met(
    session: Session,
    branch: Branch,
    before: State,
    then: tuple[State, Changed],
    other: tuple[State, Changed],
    alone: bool = True,
) -> tuple[State, Changed]:
    """The state after both arms of a branch, and what they have changed.

    Of an arm that raises nothing is left but that: what comes after the branch follows the other,
    and is reached only where that is taken, if the branch stands `alone`.
    """
    (state, there), (last, elsewhere) = then, other
    if state.raised is None and last.raised is None:
        state = branch.join(before, state, last)
        return state, joined(session, branch.condition, there, elsewhere, branch.at, branch.merges)
    checks = [
        {k: v for k, v in arm.items() if v[0] is session.trouble} for arm in (there, elsewhere)
    ]
    checked = joined(session, branch.condition, checks[0], checks[1], branch.at)
    if alone:
        session.assume(branch.condition, state.raised is None)
    kept, changed = then if state.raised is None else other
    return kept, {**changed, **checked}


def all_met(
    session: Session,
    before: State,
    arms: Sequence[tuple[Branch, State, Changed]],
    last: tuple[State, Changed],
) -> tuple[State, Changed]:
    """The same of the arms of `if … elif … else …`, in order; the `last` one has no condition."""
    quiet = (k for k, (_, state, _) in enumerate(arms) if state.raised is None)
    first = next(quiet, len(arms))  # up to there, Python gets on only where no condition holds
    for k in reversed(range(len(arms))):
        branch, state, there = arms[k]
        last = met(session, branch, before, (state, there), last, alone=k <= first)
    return last


def _arm(
    session: Session, conditions: Sequence[Assumption], read: Callable[[], T]
) -> tuple[T, Changed, Names]:
    """A value, what reading it has changed, and the names that it has assigned."""
    frame = session.frames[-1] if session.frames else None
    before = frame.state if frame is not None else None
    if frame is not None:
        frame.state = frame.state.branch()
    session.journal.begin()
    try:
        with session.assuming(*conditions):
            value = read()
        names = Names() if frame is None else frame.state.names
    finally:
        changed = session.journal.undo()
        if frame is not None and before is not None:
            frame.state = before
    return value, changed, names


def _meet(
    session: Session,
    condition: Term,
    changed: tuple[Changed, Changed],
    names: tuple[Names, Names],
    at: Span,
) -> None:
    session.journal.redo(joined(session, condition, *changed, at), at)
    branch = Branch(condition, session.rules, session.real, at, "expression")
    assigned = dict.fromkeys([*names[0].local, *names[1].local])
    found = {name: branch.variable(name, *names) for name in assigned}
    if found:
        session.frames[-1].state.names.local.update(found)
