"""Loops that stay loops: what a trip changes is carried from trip to trip.

The body is read with a variable of its own for everything that it changes. What it changes is
found by reading: a name, a field or an element that has another value after the body is
carried, and the body is read again, until nothing more is found and all types have settled.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ....rules.intervals import Range
from ....terms.bits import COUNT, LARGEST
from ....terms.conditions import Assumption
from ....terms.errors import Span, TraceError
from ....terms.loop import Open, bound
from ....terms.term import CONST, Term, const
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ..expressions.expression import condition
from ..operations.ranges import length, trips_of
from ..values.aliases import vectors_held
from ..values.arms import under
from ..values.branches import Names, State, Unusable
from ..values.conditions import Condition
from ..values.induction import Counted, counted, most, progression
from ..values.objects import now, ways
from ..values.scope import Frame
from ..values.shelves import spread
from ..values.values import is_static, lift, number
from ..values.variables import Variable, known_before
from .advice import check_told, unbounded, watch
from .choosing import states_of, turned_into, variable_for
from .ending import Ended, Settled, Trip, after_trips, at_the_end, both, endless, has_trip
from .fixed import Fixed
from .identity import Kin, one_vector, relate_ends, shared_vectors, swap_contents
from .lending import Lending, stays
from .places import Change, Place, Places, Shelf, forget_items
from .presence import Optional
from .returning import Returning
from .sharing import Pair, Twins, tie

#: Reads statements in the frame's state; assigns to a target. Handed in by the interpreter.
Block = Callable[[Frame, Sequence[ast.stmt]], None]
Assign = Callable[[Frame, ast.expr, Any, ast.stmt], None]

_GIVEN: Place = "what is returned"  # a place that no name of Python has
_ROUNDS = 16  # types widen at most a few times: bool, int, float, double


@dataclass
class Reading:
    """One loop while it is read."""

    frame: Frame
    node: ast.For | ast.While
    block: Block
    assign: Assign
    variables: dict[Place, Variable] = field(default_factory=dict)
    lost: dict[Place, Unusable] = field(default_factory=dict)
    #: Variables that have a value only where the loop is left by `break`.
    leaving: dict[Place, Unusable] = field(default_factory=dict)
    places: Places = field(default_factory=Places)
    since: int = field(default_factory=now)
    spans: dict[Place, Range] = field(default_factory=dict)  # of the values in the body
    told: int | None = None  # by max_iters
    acts: bool = False  # the condition of a `while` changes something
    runs: bool = False  # there is a first trip for certain
    twins: Twins[Place] = field(init=False)
    kin: Kin[Place] = field(init=False)
    lending: Lending[Place] = field(default_factory=Lending)
    fixed: Fixed[Place] = field(default_factory=Fixed)

    def __post_init__(self) -> None:
        self.twins = Twins(self.since)
        self.kin = Kin(vectors_held(self.frame.session))

    @property
    def at(self) -> Span:
        """Where the loop stands."""
        return self.frame.span(self.node)

    def over_range(self, steps: tuple[Any, Any, Any]) -> Condition:
        """`for i in range(start, stop, step)`: i = start + k*step, so it is no state.

        Gives the condition under which the loop was left before its end.
        """
        session = self.frame.session
        start, stop, step = (lift(s, session.real) for s in steps)
        limit = self._limit()
        if all(is_static(s) for s in steps):
            count = length(range(*(number(s) for s in steps)))
            trips = lift(min(count, LARGEST), session.real)
            limit = min(count, limit or COUNT)
        else:
            trips = trips_of(session, start, stop, step, limit)
        assert isinstance(self.node, ast.For)
        target = self.node.target
        plain = all(map(is_static, steps[::2])) and [number(s) for s in steps[::2]] == [0, 1]
        name = target.id if isinstance(target, ast.Name) and plain else "k"
        if limit is None:
            limit = most(trips.term, session.ranges)

        def item(counter: Term) -> Any:
            if plain:
                return scalar(counter)
            return scalar(progression(session.rules, start.term, step.term, counter))

        def begin(counter: Term) -> Condition:
            self.assign(self.frame, target, item(counter), self.node)
            return True

        return self._read(name, trips.term, limit, begin)

    def under_condition(self) -> Condition:
        """`while condition`: evaluated before every trip, over the variables of the loop.

        Gives the condition under which the loop was left before its end.
        """
        node = self.node
        assert isinstance(node, ast.While)

        def begin(counter: Term) -> Condition:
            journal = self.frame.session.journal
            journal.begin()
            try:
                return self._test(node)
            finally:
                changed = journal.undo()
                named = any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test))
                self.acts = bool(changed) or named
                journal.redo(changed, self.at)

        return self._read("k", None, self._limit(), begin)

    def _test(self, node: ast.While) -> Condition:
        return condition(self.frame, node.test, "while")

    def _last_test(self, stopped: Sequence[Assumption]) -> None:
        """The evaluation that ends the loop, where it was not left: what it changes stays."""
        if self.acts:
            assert isinstance(self.node, ast.While)
            under(self.frame.session, stopped, partial(self._test, self.node), self.at)

    def _limit(self) -> int | None:
        """What max_iters has said: it holds for one loop."""
        self.told, self.frame.limit = self.frame.limit, None
        return self.told

    def _read(
        self,
        name: str,
        trips: Term | None,
        limit: int | None,
        begin: Callable[[Term], Condition],
    ) -> Condition:
        outer, session = self.frame.state, self.frame.session
        self.runs = trips is not None and trips.op == CONST and int(trips.attr) > 0
        for _ in range(_ROUNDS):
            counter = bound(name, Scalar.I32)
            session.ranges[counter] = (0, None if limit is None else limit - 1)
            read = self._trip(outer, partial(begin, counter))
            if read.go is False and not self.variables:
                self._last_test([])  # the condition is false before the first trip
                return False
            for variable in self.variables.values():  # objects are again what they were before
                variable.begin(session.real, self.at)
            if read.settled is not None:
                loop = self._loop(read.settled, read.go, counter, trips, limit)
                slim = counted(loop, trips is None, session.rules, session.ranges)
                if trips is None and self._confine(slim):
                    limit = slim.limit  # once more: loops in the body can have bounds now
                    continue
                left = self._finish(outer, read.settled, loop, slim, trips)
                outer.over = outer.over or endless(self.node, read.go)
                return left or outer.over
        raise TraceError("the types of the variables of this loop do not settle", self.at)

    def _trip(self, outer: State, begin: Callable[[], Condition]) -> Trip:
        """Read the body once, with the variables found so far."""
        frame, session, journal = self.frame, self.frame.session, self.frame.session.journal
        saved, asked, ties = frame.limit, session.asked, len(journal.ties)
        journal.begin()
        frame.state = state = State(Names(outer.names))
        frame.loops, session.rolled = frame.loops + 1, session.rolled + 1
        try:
            self._start(state)
            go = begin()
            if go is not False:
                with frame.session.assuming(*([(go, True)] if isinstance(go, Term) else [])):
                    self.block(frame, self.node.body)
                swap_contents(frame, outer.names, state.names.local, self.since, self.at)
            changes = self._changes(outer, state)
            news = self._discover(changes)
            # Objects are what they are after the trip only until the journal takes it back.
            after = {place: new for place, _, new in changes}
            settled = None if news or self._shared(after, state) else self._settled(state, after)
            if settled is not None and session.asked > asked:
                settled = None if turned_into(self.variables, session, settled) else settled
            return Trip(go, state, settled)
        finally:
            frame.loops, session.rolled = frame.loops - 1, session.rolled - 1
            frame.limit = saved
            frame.state = outer
            journal.untie(ties)
            journal.undo()

    def _shared(self, after: Mapping[Place, Any], state: State) -> bool:
        """Whether places turn out to share objects, which changes what can be read of them."""
        now_ = {p: after[p] for p, v in self.variables.items() if not v.refers and p in after}
        session = self.frame.session
        given = {_GIVEN: Returning(session, self.since).copied(state.result)}
        found = self.kin.found(session, now_) | self.lending.found(session, now_, self.variables)
        roots = session.everything()
        return self.twins.found(now_, given, roots, self.runs) or found

    def _tie(self, pairs: Sequence[Pair[Place]], values: Mapping[Place, Any]) -> None:
        """Note that places may hold one object, in the body or after the loop."""
        owners = self._owners() if pairs else {}
        label = partial(self.places.label, owners=owners)
        tie(self.frame.session.journal, pairs, values, label, owners)

    def _changes(self, outer: State, state: State) -> list[Change]:
        """What has been assigned: the place, the value before the loop, the value now."""
        named: list[Change] = []
        self.leaving = {}
        for name, value in state.names.local.items():
            found = at_the_end(value, state)
            if found is not value:
                self.leaving[name] = value
            named.append((name, known_before(outer.names, name), found))
        return named + self.places.changes(self.frame.session, self.fixed.followers)

    def _start(self, state: State) -> None:
        """The state at the start of a trip: carried variables are bound variables."""
        known = self.variables.items()
        before = {p: v.before for p, v in known if v.begins and not v.refers}
        self.twins.begin(before, self.frame.session.everything)
        values: dict[Place, Any] = {}
        for place, variable in self.variables.items():
            value = variable.fresh()
            if place in self.spans:
                self.frame.session.ranges[variable.bound[0]] = self.spans[place]
            self.frame.session.begun.update(variable.begun())
            if variable.first is not None:
                values[place] = value
        values |= {p: values[q] for p, q in self.twins.alike.items() if {p, q} <= values.keys()}
        values |= self.fixed.give(self.frame.session, values)
        self.lending.begin(self.frame.session, self.variables)
        self._put(state, values | self.lost)
        self.lending.lend(self.frame.session, values)
        self._tie(self.twins.starts, values)
        self.kin.relate(self.frame.session, values, self._labels(), self.at)

    def _put(self, state: State, values: Mapping[Place, Any]) -> None:
        journal = self.frame.session.journal
        for place, value in values.items():
            if isinstance(place, str):
                state.names.local[place] = value
                continue
            for object_, index, new in self.places.items(place, value):
                journal.write(object_, index, new, self.at)

    def _discover(self, changes: Sequence[Change]) -> bool:
        """Note what the body has changed; True where that is news."""
        session, owners = self.frame.session, self._owners()
        inside = self.places.inside(session, changes)
        news = self.fixed.found(session, changes, inside, self.variables)
        changes, inside = self.fixed.others(changes), self.fixed.touched(session, inside)
        split = list(shared_vectors(session, changes, inside))
        for one, other, _, alike in (s for s in split if s.as_one):
            a, b = (self.places.label(place, owners) for place in (one, other))
            raise one_vector(a, b, alike, self.at)
        shared = (place for s in split for place in (s.one, s.other))
        lists = [self.places.objects[p[0]] for p in shared if isinstance(p, tuple)]
        session.split.update((id(object_), object_) for object_ in lists)
        together = {place for place, _, _ in changes if isinstance(place, Shelf)}
        for gone in [p for p in self.variables if isinstance(p, Shelf) and p not in together]:
            del self.variables[gone]
            self.places.broken.add(gone)
            news = True
        for place, before, after in changes:
            if place in self.lost:
                continue
            if isinstance(after, Unusable):
                self.lost[place] = replace(after, value=None, where=False)
                self.variables.pop(place, None)
                news = True
                continue
            news |= forget_items(place, self.variables)
            known = self.variables.get(place)
            if known is None and before is not None and stays(session, before, after):
                continue
            news |= self._carry(place, self.places.label(place, owners), before, after, known)
        return news

    def _labels(self) -> Callable[[Place], str]:
        """What places are called."""
        return lambda place: self.places.label(place, self._owners())

    def _owners(self) -> Any:
        scopes = [frame.state.names for frame in reversed(self.frame.session.frames)]
        return ways((name, names.find(name)) for names in scopes for name in names)

    def _carry(
        self, place: Place, name: str, before: Any, after: Any, known: Variable | None
    ) -> bool:
        session, outer = self.frame.session, self.frame.state.names.parent
        none = before is None and self.places.holds_none(place, outer)
        found = variable_for(session, name, before, after, known, none, self.since, self.at)
        if isinstance(found, Unusable):
            self.variables.pop(place, None)
            self.lost[place] = found
        elif found is not known:
            self.variables[place] = found
        return found is not known

    def _settled(self, state: State, after: Mapping[Place, Any]) -> Settled:
        """What the loop carries, with the values after a trip, and how it can end."""
        carried = states_of(self.variables, after, self.frame.session.real, self.at)
        ended = Ended(self.frame, state, carried, self.since)
        return Settled(carried, ended, after)

    def _loop(
        self,
        settled: Settled,
        go: Condition,
        counter: Term,
        trips: Term | None,
        limit: int | None,
    ) -> Open:
        return Open(
            counter,
            trips or const(0, Scalar.I32),
            both(go, settled.ended.goes_on()),
            tuple(settled.carried),
            limit,
            self.at,
            self.frame.session.notes,
        )

    def _confine(self, slim: Counted) -> bool:
        """Note what values variables have in the body; True where that is news to its parts."""
        parts = (ast.For, ast.While, ast.Subscript)
        inside = (n for statement in self.node.body for n in ast.walk(statement))
        if self.spans or slim.limit is None or not any(isinstance(n, parts) for n in inside):
            return False
        known = {place: slim.span(v.bound) for place, v in self.variables.items()}
        self.spans = {place: span for place, span in known.items() if span is not None}
        return bool(self.spans)

    def _finish(
        self, outer: State, settled: Settled, loop: Open, slim: Counted, trips: Term | None
    ) -> Condition:
        """Build the loop, and go on in the state after it."""
        session, ended = self.frame.session, settled.ended
        if trips is None and slim.limit is None and slim.trips is None:
            assert isinstance(self.node, ast.While)
            raise unbounded(self.node, loop, slim, ended.stopped, self.at)
        if trips is not None and trips.op == CONST:
            check_told(self.node, self.told, int(trips.attr), self.at)
        term, ends = slim.built()
        if self.told is not None:
            watch(session, self.told, term, trips or slim.trips, slim.goes_on(term), self.at)
        finals = iter(ends)
        values: dict[Place, Any] = {}
        for place, variable in self.variables.items():
            leaves = spread(variable.columns, [next(finals) for _ in variable.columns])
            values[place] = variable.raised(Value(variable.type, leaves))
        values |= {p: values[q] for p, q in self.twins.alike_at_end.items()}
        values |= self.fixed.give(session, values)
        ran = has_trip(loop, trips, session.ranges)
        flags = list(finals)
        left = flags[0] if "stop" in ended.flags else False
        only = isinstance(self.node, ast.While) and loop.go.args == (ended.stopped,)
        for place, known in self.leaving.items() if not only else ():
            if place in values:
                values[place] = replace(known, value=values[place], where=left)
        for place, value in (values | self.lost).items():
            if isinstance(place, str):
                carried = self.variables.get(place)
                if isinstance(carried, Optional):
                    value = carried.final(value, ran)
                outer.names.local[place] = after_trips(place, value, carried, ran, self.at)
                continue
            for object_, index, new in self.places.items(place, value):
                session.write(object_, index, new, self.at, alone=True)
        self.lending.lend(session, values)
        given = ended.given(flags)
        self._tie(self.twins.ends, {**values, _GIVEN: given})
        firsts = {} if ran is True else {p: v.before for p, v in self.variables.items()}
        relate_ends(session, settled.after, values, self._labels(), self.at, firsts)
        self._last_test([] if isinstance(left, bool) else [(left, False)])
        ended.adopt(outer, flags, given)  # what the trips changed has been changed all the same
        return left
