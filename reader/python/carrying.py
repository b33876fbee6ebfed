"""Which values carry derivatives, and where they must not be stored.

Takes values, says whether a derivative can come with them; knows nothing of syntax.
"""

from __future__ import annotations

from typing import Any

from ...terms.loop import LOOP
from ...terms.program import Differentiable
from ...terms.term import CALL, DETACH, PROJ, VAR, Term, toposort
from ...terms.value import Value
from .objects import Object, first
from .scope import Session


def carries_derivative(session: Session, value: Any) -> bool:
    """Whether a derivative can come with a value: some of it depends on real variables."""
    return any(_carries(session.carrying, term) for term in leaves_of(value))


def _carries(known: dict[Term, bool], root: Term) -> bool:
    if root not in known:
        for term in toposort([root]):
            if term not in known:
                known[term] = _step(known, term)
    return known[root]


def _step(known: dict[Term, bool], term: Term) -> bool:
    if term.op == VAR:
        return bool(term.type.is_real)
    if term.op == DETACH:
        return False
    if term.op == CALL and term.attr.differentiable is not Differentiable.YES:
        return False
    real = term.op in (CALL, PROJ, LOOP) or term.type.is_real
    return bool(real) and any(known[arg] for arg in term.args)


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
