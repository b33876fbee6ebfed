"""Which values carry derivatives, and where they must not be stored.

Takes values, says whether a derivative can come with them; knows nothing of syntax. Of a
variable of a loop that is being read, what it begins with decides, until a trip says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ....terms.loop import LOOP, Loop, State
from ....terms.program import Differentiable
from ....terms.term import CALL, DETACH, PROJ, VAR, Term
from ....terms.value import Value
from .objects import Object, first
from .scope import Session

Begun = Mapping[Term, Term | None]  # variables of open loops: what they begin with, if it counts


def carries_derivative(session: Session, value: Any) -> bool:
    """Whether a derivative can come with a value: some of it depends on real variables."""
    session.asked += 1
    return any(_carries(session.begun, session.carrying, term) for term in leaves_of(value))


def turned(session: Session, carried: Sequence[State]) -> list[Term]:
    """The variables of a loop that turn out to carry derivatives, but did not before it."""
    flags = {s.var: _carries(session.begun, session.carrying, s.var) for s in carried}
    before = [var for var, flag in flags.items() if flag]
    while True:
        known = dict(flags)
        more = [
            s.var for s in carried if not flags[s.var] and _carries(session.begun, known, s.next)
        ]
        if not more:
            return [var for var, flag in flags.items() if flag and var not in before]
        flags.update(dict.fromkeys(more, True))


def _carries(begun: Begun, known: dict[Term, bool], root: Term) -> bool:
    stack = [root]
    while stack:
        term = stack[-1]
        needed = _needed(begun, term)
        missing = [t for t in needed if t not in known] if term not in known else []
        if missing:
            stack += missing
            continue
        stack.pop()
        if term not in known:
            known[term] = _step(known, term, needed)
    return known[root]


def _needed(begun: Begun, term: Term) -> Sequence[Term]:
    """What decides about a term."""
    if term.op == VAR:
        first = begun.get(term)
        return () if first is None else (first,)
    if term.op == PROJ and term.args[0].op == LOOP:
        return term.args[0].args
    return term.args


def _step(known: dict[Term, bool], term: Term, needed: Sequence[Term]) -> bool:
    if term.op == VAR:
        return bool(term.type.is_real) and all(known[t] for t in needed)
    if term.op == DETACH:
        return False
    if term.op == CALL and term.attr.differentiable is not Differentiable.YES:
        return False
    if term.op == PROJ and term.args[0].op == LOOP:
        ends = _ends(term.args[0].attr, tuple([known[t] for t in needed]))
        return ends[term.attr - 1] if term.attr else False
    real = term.op in (CALL, PROJ) or term.type.is_real
    return bool(real) and any(known[arg] for arg in term.args)


@lru_cache(maxsize=10000)
def _ends(loop: Loop, enters: tuple[bool, ...]) -> tuple[bool, ...]:
    """Which of the final values of a loop carry derivatives, if some of its arguments do."""
    leaves = loop.body.leaves()[1:]
    flags = dict(zip(leaves, enters[1:], strict=True))
    while True:
        known = dict(flags)
        found = [_carries({}, known, t) for t in loop.step]
        more = [v for v, flag in zip(loop.state, found, strict=True) if flag and not flags[v]]
        if not more:
            return tuple(flags[v] for v in loop.state)
        flags.update(dict.fromkeys(more, True))


def leaves_of(value: Any) -> list[Term]:
    """The terms in a value; of a reference that depends on a condition, those of one object."""
    found: list[Term] = []
    stack = [value]
    while stack:
        value = first(stack.pop())
        if isinstance(value, Value):
            found.extend(value.leaves)
        elif isinstance(value, Object):
            stack.extend(value.items)
        elif isinstance(value, tuple):
            stack.extend(value)
    return found
