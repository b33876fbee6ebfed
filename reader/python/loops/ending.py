"""How a loop can end before its trips are over: by `break`, by `return`.

What has happened is carried as flags, and the value that a `return` gives as a result. Takes
the state after a trip, gives what the loop carries for it, and what follows after the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....rules.intervals import interval
from ....terms.conditions import facts
from ....terms.errors import Span
from ....terms.loop import Open, bound
from ....terms.loop import State as Carried
from ....terms.term import CONST, SELECT, Term, const, substitute
from ....terms.types import Scalar, Type, leaf_paths, leaf_types
from ....terms.value import Value
from ..values.arrays import freeze, views_in
from ..values.bounds import folded
from ..values.branches import State, Unusable, returns_differ
from ..values.conditions import Condition, as_term, either, resolved
from ..values.objects import Arrayed, now
from ..values.packing import unpacked
from ..values.scope import Frame
from ..values.values import Mismatch, merged
from ..values.variables import Variable, carried_type, exactly
from .lending import lend_result
from .returning import NOTHING, Returning


class Ended:
    """How a loop can end before its trips are over: `break`, `return`."""

    def __init__(self, frame: Frame, state: State, carried: list[Carried], since: int) -> None:
        self.frame, self.state = frame, state
        self.flags: list[str] = []
        self.stopped: Term | None = None
        self.result: Type | None = None
        self.value: Any = None  # what is returned, after a trip
        session = frame.session
        self.returning = Returning(session, since)
        if state.stop is not False:
            self.flags.append("stop")
            self._flag(carried, "stopped", state.stop)
        if state.done is not False:
            self.flags.append("done")
            self._flag(carried, "returned", state.done)
        if state.done is not False and state.result is not None:
            self.value = state.result
            carried_value = self.returning.lowered(self.value)
            if carried_value is NOTHING:
                return
            at = state.returned_at
            self.result = carried_type(carried_value, session.real, at)
            whole = exactly(carried_value, self.result, session.real, at, "the result")
            paths = leaf_paths(self.result)
            for path, t, new in zip(paths, leaf_types(self.result), whole.leaves, strict=True):
                first = const(0, t)
                # Where nothing is returned, nothing may come of what would be.
                kept = chosen_leaf(as_term(state.done), new, first)
                carried.append(Carried("result" + path, bound("result" + path, t), first, kept))

    def _flag(self, carried: list[Carried], name: str, value: Condition) -> None:
        var = bound(name, Scalar.BOOL)
        carried.append(Carried(name, var, const(False, Scalar.BOOL), as_term(value)))
        if name == "stopped":
            self.stopped = var

    def goes_on(self) -> Condition:
        """The condition under which another trip begins."""
        if self.stopped is None:
            return True
        return Term("logical_not", (self.stopped,), None, Scalar.BOOL)

    def given(self, values: list[Term]) -> Any:
        """What a return inside the loop has given, if it has happened."""
        if self.value is None:
            return None
        leaves = tuple(values[len(self.flags) :])
        carried = None if self.result is None else unpacked(Value(self.result, leaves))
        return self.returning.raised(self.value, carried)

    def adopt(self, outer: State, values: list[Term], result: Any) -> None:
        """What a return inside the loop means for the function around it."""
        if "done" not in self.flags:
            return
        session = self.frame.session
        done = values[1 if "stop" in self.flags else 0]
        if self.state.returned_at is not None:
            lend_result(session, self.value, result, self.state.returned_at)
        first, last = outer.returned_at, self.state.returned_at
        try:
            if outer.done is not False:
                before = as_term(outer.done)
                result = merged(session.rules, before, outer.result, result, session.real)
            elif outer.result is not None:
                result = merged(session.rules, done, result, outer.result, session.real)
        except Mismatch as error:
            raise returns_differ(error, first, last) from None
        outer.result, outer.returned_at = result, self.state.returned_at
        outer.done, outer.done_since = either(outer.done, done), now()
        if self.frame.loops:
            outer.skip, outer.stop = either(outer.skip, done), either(outer.stop, done)


@dataclass
class Settled:
    """What a loop carries, and how it can end."""

    carried: list[Carried]
    ended: Ended
    after: Mapping[Any, Any]  # by place: what it holds after a trip


@dataclass
class Trip:
    """The body, read once; settled where that brought nothing new."""

    go: Condition
    state: State
    settled: Settled | None


def left_by(state: State) -> Condition:
    """The condition under which a trip is the last one: it has left the loop, or has returned."""
    going = dict(facts(as_term(state.stop), False))
    return either(state.stop, resolved(state.done, going))


def chosen_leaf(condition: Term, then: Term, other: Term) -> Term:
    """`condition ? then : other` of one component."""
    if condition.op == CONST:
        return then if condition.attr else other
    return Term(SELECT, (condition, then, other), None, then.type)


def at_the_end(value: Any, state: State) -> Any:
    """The value that a variable has where a trip ends the loop by `break`, if it has one there."""
    if not isinstance(value, Unusable) or state.stop is False:
        return value
    if value.where is False:
        return value
    going = dict(facts(as_term(state.done), False))  # who has returned asks for nothing
    where = as_term(resolved(value.where, going))
    ends = resolved(state.stop, going | dict(facts(where, False)))
    return value.value if ends is False else value


def has_trip(
    loop: Open, trips: Term | None, ranges: Mapping[Term, tuple[int, int | None]]
) -> Condition:
    """The condition under which a loop makes a trip: `trips` is their number, if it has one."""
    zero = const(0, Scalar.I32)
    if trips is not None:
        least = interval(trips, ranges)[0]
        return True if least > 0 else Term("gt", (trips, zero), None, Scalar.BOOL)
    table = {s.var: s.first for s in loop.states}
    (go,) = substitute([loop.go], {loop.counter: zero, **table})
    return resolved(folded(go), {})


def after_trips(name: str, value: Any, variable: Variable | None, ran: Condition, at: Span) -> Any:
    """What a variable is after a loop: without a trip nothing, where it was nothing before."""
    if ran is True or variable is None:
        return value
    if type(variable) is Variable and isinstance(value, Arrayed) and views_in(variable.before):
        why = f"{name!r} is a part of another array where the loop at line {at.line} makes no trip"
        return freeze(value, why)
    if variable.first is not None:
        return value
    if isinstance(value, Unusable):
        return value
    reason = f"{name!r} has no value where the loop at line {at.line} makes no trip"
    return Unusable(reason, f"give {name!r} a value before the loop", value, ran)


def endless(node: ast.For | ast.While, go: Condition) -> bool:
    """Whether nothing but a `return` ends a loop: its condition is true, and there is no break."""
    if go is not True or not isinstance(node, ast.While):
        return False
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Break):
            return False
        if isinstance(inner, ast.For | ast.While):
            stack += inner.orelse  # a break there is one of the loop around
        elif not isinstance(inner, ast.FunctionDef | ast.expr):
            stack += ast.iter_child_nodes(inner)
    return True


def both(a: Condition, b: Condition) -> Term:
    """`a and b`."""
    a, b = (bool(c.attr) if isinstance(c, Term) and c.op == CONST else c for c in (a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        left, right = (a, b) if isinstance(a, bool) else (b, a)
        return as_term(right) if left else const(False, Scalar.BOOL)
    return Term("logical_and", (a, b), None, Scalar.BOOL)
