"""The state of a function that is being read, and how the states of two branches become one.

Takes the states after the two arms of a branch, gives the state after it, in which every
variable is `condition ? then : other`. An early return is a condition (`done`) and a result:
what follows is read once, and the results meet at the end. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ....terms.conditions import facts
from ....terms.errors import Span, TraceError
from ....terms.rule import RuleSet
from ....terms.term import Term
from ....terms.types import Scalar
from .conditions import Condition, chosen, follows, resolved
from .objects import now
from .values import Mismatch, merged

Merges = dict[tuple[int, int], tuple[Any, Any, Any]]  # by the ids of both: they, and the value


@dataclass(frozen=True, slots=True)
class Unusable:
    """Stands for the value of a variable that cannot be read, and says why.

    Under the condition `where` the variable has a value all the same.
    """

    reason: str
    hint: str
    value: Any = None
    where: Condition = False

    def under(self, known: Mapping[Term, bool]) -> Any:
        """The value, where it follows from what is known that there is one."""
        if self.where is False:
            return self
        where = resolved(self.where, known)
        if where is True:
            return self.value
        return replace(self, value=None if where is False else self.value, where=where)

    def given(self, known: Mapping[Term, bool]) -> Any:
        """As `under`, also where that takes going through the cases."""
        found = self.under(known)
        if isinstance(found, Unusable) and found.where is not False and follows(found.where, known):
            return found.value
        return found


class Names:
    """Variables over those of an enclosing state; a branch writes into its own layer."""

    __slots__ = ("local", "own", "parent")

    def __init__(self, parent: Names | None = None, own: bool = False) -> None:
        self.parent = parent
        self.own = own  # of a comprehension: functions that it makes keep them
        self.local: dict[str, Any] = {}

    def find(self, name: str) -> Any:
        """The value of a variable; KeyError where it has none."""
        for layer in self.layers():
            if name in layer.local:
                return layer.local[name]
        raise KeyError(name)

    def layers(self) -> Iterator[Names]:
        """Its layers, this one first."""
        layer: Names | None = self
        while layer is not None:
            yield layer
            layer = layer.parent

    def __iter__(self) -> Iterator[str]:
        for layer in self.layers():
            yield from layer.local


@dataclass(slots=True)
class State:
    """Variables, whether the function has returned, and what.

    In a loop also: whether the rest of the trip is skipped, and whether this trip is the last.
    """

    names: Names
    done: Condition = False
    result: Any = None
    returned_at: Span | None = None
    done_since: int = 0  # objects younger than this are seen only where `done` does not hold
    skip: Condition = False
    stop: Condition = False
    over: bool = False  # Python gets here no more: a loop before it ends only by a return
    raised: Span | None = None  # where Python has stopped: no way leads on from here

    def branch(self) -> State:
        """A state for one arm of a branch."""
        return replace(self, names=Names(self.names))

    def adopt(self, after: State) -> None:
        """Go on in the state after a branch: its new variables become this state's own."""
        self.done, self.result, self.returned_at = after.done, after.result, after.returned_at
        self.skip, self.stop, self.done_since = after.skip, after.stop, after.done_since
        self.over, self.raised = after.over, after.raised
        self.names.local.update(after.names.local)


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a branch stands, and what merging needs to know."""

    condition: Term
    rules: RuleSet
    real: Scalar
    at: Span
    statement: str = "if"
    #: Vectors merged so far: two names of one vector in both arms are two names of one after it.
    merges: Merges = field(default_factory=dict, compare=False)

    def join(self, before: State, then: State, other: State) -> State:
        """The state after a branch whose arms ended in `then` and `other`."""
        after = State(Names(before.names))
        after.done = self._done(before, then, other)
        after.done_since = before.done_since if after.done is before.done else now()
        after.skip = chosen(self.condition, then.skip, other.skip)
        after.stop = chosen(self.condition, then.stop, other.stop)
        after.over = all(arm.over or arm.done is True for arm in (then, other))
        self._join_results(before, then, other, after)
        if then.done is True or other.done is True:
            # What an arm that has returned did to its variables is never seen.
            after.names.local = dict((other if then.done is True else then).names.local)
            return after
        for name in dict.fromkeys([*then.names.local, *other.names.local]):
            after.names.local[name] = self.variable(name, then.names, other.names)
        return after

    def _done(self, before: State, then: State, other: State) -> Condition:
        """Whether the function has returned: where it had before, the condition means nothing."""
        known = before.done
        if isinstance(known, bool) or (then.done is known and other.done is known):
            return chosen(self.condition, then.done, other.done)
        going = dict(facts(known, False))
        arms = [resolved(arm.done, going) for arm in (then, other)]
        return chosen(known, True, chosen(self.condition, *arms))

    def merged(self, then: Any, other: Any) -> Any:
        """`condition ? then : other`, the same object for the same two. Raises Mismatch."""
        key = (id(then), id(other))
        if key not in self.merges:
            both = merged(self.rules, self.condition, then, other, self.real)
            self.merges[key] = (then, other, both)
        return self.merges[key][2]

    def _join_results(self, before: State, then: State, other: State, after: State) -> None:
        arm = next((s for s in (other, then) if s.done is not before.done), other)
        after.result, after.returned_at = arm.result, arm.returned_at
        if then.done is before.done or other.done is before.done:
            return
        try:
            after.result = merged(self.rules, self.condition, then.result, other.result, self.real)
        except Mismatch as error:
            raise returns_differ(error, then.returned_at, other.returned_at) from None

    def variable(self, name: str, then: Names, other: Names) -> Any:
        """What a name stands for after the arms, in which it is one of these variables."""
        a, b = self._found(name, then, True), self._found(name, other, False)
        bad = next((side for side in (a, b) if isinstance(side, Unusable)), None)
        (value, where), (last, else_where) = (
            (side.value, side.where) if isinstance(side, Unusable) else (side, True)
            for side in (a, b)
        )
        if bad is not None and where is False and else_where is False:
            return bad
        try:
            if where is not False and else_where is not False:
                value = self.merged(value, last)
            elif where is False:
                value = last
        except Mismatch as error:
            a, b = error.args
            return bad or Unusable(
                f"{name!r} is {a} in one branch of the {self.statement} at line {self.at.line} "
                f"and {b} in the other",
                error.hint or "give it one type in both, or use different names",
            )
        if bad is None:
            return value
        return replace(bad, value=value, where=chosen(self.condition, where, else_where))

    def _found(self, name: str, names: Names, holds: bool) -> Any:
        """The value of a variable after an arm."""
        try:
            value = names.find(name)
        except KeyError:
            return Unusable(
                f"{name!r} has no value when the condition at line {self.at.line} is "
                f"{'true' if holds else 'false'}",
                f"assign {name!r} before the {self.statement}, or in every branch",
            )
        if not isinstance(value, Unusable):
            return value
        return value.under(dict(facts(self.condition, holds)))


def returns_differ(error: Mismatch, first: Span | None, second: Span | None) -> TraceError:
    """The error for two return statements whose values do not fit together."""
    a, b = error.args
    where = f" (line {first.line})" if first else ""
    return TraceError(
        f"this returns {b}, another return{where} gives {a}",
        second,
        "every return must give the same number of values, of the same types",
    )
