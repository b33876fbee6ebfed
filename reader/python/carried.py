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

from ...terms.errors import Span, TraceError
from ...terms.loop import Open, bound, trips_run
from ...terms.loop import State as Carried
from ...terms.term import CONST, Term, const, is_const
from ...terms.types import Arr, Scalar, Tup, Type, leaf_paths, leaf_types
from ...terms.value import Value, scalar
from .arithmetic import operate
from .branches import Condition, Names, State, Unusable, as_term, either
from .expression import condition
from .induction import counted, most
from .objects import Instance, Listed, Object, now, objects_of, references
from .packing import fitted, packed, unpacked
from .scope import Frame
from .shelves import item_type, items_of, memories
from .values import Mismatch, describe, is_number, is_static, lift, merged, number

#: Where a variable is: a name, or a field or element of an object (its id, its index).
Place = str | tuple[int, int]
#: Reads statements in the frame's state; assigns to a target. Handed in by the interpreter.
Block = Callable[[Frame, Sequence[ast.stmt]], None]
Assign = Callable[[Frame, ast.expr, Any, ast.stmt], None]

_ALL = -1  # the place of all elements of a list
_OUTSIDE = "an object that is known outside the loop"
_ROUNDS = 8  # types widen at most a few times: bool, int, float, double


@dataclass
class _Variable:
    """A variable that the loop changes: its type, its value before, its value in the body."""

    name: str
    type: Type
    first: Value | None
    bound: tuple[Term, ...] = ()

    def fresh(self) -> Any:
        """The variable in the body."""
        pairs = zip(leaf_paths(self.type), leaf_types(self.type), strict=True)
        self.bound = tuple(bound(self.name + path, t) for path, t in pairs)
        return unpacked(Value(self.type, self.bound))


@dataclass
class Reading:
    """One loop while it is read."""

    frame: Frame
    node: ast.For | ast.While
    block: Block
    assign: Assign
    variables: dict[Place, _Variable] = field(default_factory=dict)
    lost: dict[Place, Unusable] = field(default_factory=dict)
    objects: dict[int, Object] = field(default_factory=dict)
    shelves: dict[int, Type] = field(default_factory=dict)  # the elements' type of long lists
    since: int = field(default_factory=now)
    told: int | None = None  # by max_iters

    @property
    def at(self) -> Span:
        """Where the loop stands."""
        return self.frame.span(self.node)

    # -- for

    def over_range(self, steps: tuple[Any, Any, Any]) -> None:
        """`for i in range(start, stop, step)`: i = start + k*step, so it is no state."""
        session = self.frame.session
        start, stop, step = (lift(s, session.real) for s in steps)
        limit = self._limit()
        if all(is_static(s) for s in steps):
            trips = lift(len(range(*(number(s) for s in steps))), session.real)
            limit = _smaller(limit, int(trips.term.attr))
        else:
            trips = self._trips(start, stop, step, steps[2])
        assert isinstance(self.node, ast.For)
        target = self.node.target
        plain = _is_number(steps[0], 0) and _is_number(steps[2], 1)
        name = target.id if isinstance(target, ast.Name) and plain else "k"
        if limit is None:
            limit = most(trips.term, session.ranges)

        def item(counter: Term) -> Any:
            if plain:
                return scalar(counter)
            scaled = self._int("mul", scalar(counter), step)
            return self._int("add", start, scaled)

        def begin(counter: Term) -> Condition:
            self.assign(self.frame, target, item(counter), self.node)
            return True

        self._read(name, trips.term, limit, begin)

    def _trips(self, start: Value, stop: Value, step: Value, static: Any) -> Value:
        """How often a range that is known only at run time makes a loop run."""
        if is_static(static):
            size = number(static)
            ends = (start, stop) if size > 0 else (stop, start)
            return self._ceiling(self._int("sub", ends[1], ends[0]), abs(size))
        rules, real = self.frame.session.rules, self.frame.session.real
        up = self._quotient(self._int("sub", stop, start), step, -1)
        down = self._quotient(self._int("sub", start, stop), self._int("neg", step), -1)
        rises = operate(self.frame.session, "gt", [step, 0], self.at).term
        moves = operate(self.frame.session, "ne", [step, 0], self.at).term
        return merged(rules, moves, merged(rules, rises, up, down, real), lift(0, real), real)  # type: ignore[no-any-return]

    def _quotient(self, distance: Value, step: Value, less: int) -> Value:
        total = self._int("add", self._int("add", distance, step), lift(less, Scalar.F32))
        safe = self._int("max", step, lift(1, Scalar.F32))
        return self._int("quotient", total, safe)

    def _ceiling(self, distance: Value, size: int) -> Value:
        if size == 1:
            return distance
        rounded = self._int("add", distance, lift(size - 1, Scalar.F32))
        return self._int("quotient", rounded, lift(size, Scalar.F32))

    def _int(self, op: str, *args: Value) -> Value:
        if op == "sub" and is_const(args[1].term, 0):
            return args[0]
        return operate(self.frame.session, op, args, self.at)  # type: ignore[no-any-return]

    # -- while

    def under_condition(self) -> None:
        """`while condition`: evaluated before every trip, over the variables of the loop."""
        node = self.node
        assert isinstance(node, ast.While)

        def begin(counter: Term) -> Condition:
            return condition(self.frame, node.test, "while")

        self._read("k", None, self._limit(), begin)

    def _limit(self) -> int | None:
        """What max_iters has said: it holds for one loop."""
        limit, self.frame.limit = self.frame.limit, None
        self.told = limit
        return limit

    # -- both

    def _read(
        self,
        name: str,
        trips: Term | None,
        limit: int | None,
        begin: Callable[[Term], Condition],
    ) -> None:
        outer = self.frame.state
        for _ in range(_ROUNDS):
            counter = bound(name, Scalar.I32)
            self.frame.session.ranges[counter] = (0, None if limit is None else limit - 1)
            read = self._trip(outer, partial(begin, counter))
            if read.go is False and not self.variables:
                return  # the condition is false before the first trip
            if read.settled is not None:
                self._finish(outer, read, counter, trips, limit)
                return
        raise TraceError("the types of the variables of this loop do not settle", self.at)

    def _trip(self, outer: State, begin: Callable[[], Condition]) -> _Trip:
        """Read the body once, with the variables found so far."""
        frame, journal = self.frame, self.frame.session.journal
        saved = frame.limit
        journal.begin()
        frame.state = state = State(Names(outer.names))
        frame.loops += 1
        try:
            self._start(state)
            go = begin()
            if go is not False:
                self.block(frame, self.node.body)
            changes = self._changes(outer, state)
            news = self._discover(changes)
            # Objects are what they are after the trip only until the journal takes it back.
            after = {place: new for place, _, new in changes}
            return _Trip(go, state, None if news else self._settled(state, after))
        finally:
            frame.loops -= 1
            frame.limit = saved
            frame.state = outer
            journal.undo()

    def _changes(self, outer: State, state: State) -> list[tuple[Place, Any, Any]]:
        """What has been assigned: the place, the value before the loop, the value now."""
        found: list[tuple[Place, Any, Any]] = [
            (name, _before(outer, name), now_) for name, now_ in state.names.local.items()
        ]
        before: dict[int, dict[int, Any]] = {}
        for object_, index, old, _ in self.frame.session.journal.changed():
            self.objects[id(object_)] = object_
            before.setdefault(id(object_), {})[index] = old
        for key, olds in before.items():
            object_ = self.objects[key]
            whole = self._shelf(object_, olds)
            if whole is not None:
                found.append(((key, _ALL), *whole))
            else:
                found += [((key, i), old, object_.items[i]) for i, old in olds.items()]
        return found

    def _shelf(self, object_: Object, olds: Mapping[int, Any]) -> tuple[Value, Value] | None:
        """A long list of numbers before the loop and after the trip, as memories."""
        real = self.frame.session.real
        if not isinstance(object_, Listed) or len(olds) < len(object_.items):
            return None  # of the others, each element is a variable of its own
        items = [olds.get(k, item) for k, item in enumerate(object_.items)]
        now_ = item_type(object_.items, real)
        if now_ is None or item_type([*items, *object_.items], real) != now_:
            return None
        self.shelves[id(object_)] = now_
        first, last = (memories(i, now_, real) for i in (items, object_.items))
        type_ = Tup(tuple([m.type for m in first]))
        return Value(type_, tuple(first)), Value(type_, tuple(last))

    def _start(self, state: State) -> None:
        """The state at the start of a trip: carried variables are bound variables."""
        values: dict[Place, Any] = {}
        for place, variable in self.variables.items():
            value = variable.fresh()
            if variable.first is not None:
                values[place] = value
        self._put(state, values | self.lost)

    def _put(self, state: State, values: Mapping[Place, Any]) -> None:
        journal = self.frame.session.journal
        for place, value in values.items():
            if isinstance(place, str):
                state.names.local[place] = value
                continue
            for index, item in self._items(place, value):
                journal.write(self.objects[place[0]], index, item, self.at)

    def _items(self, place: tuple[int, int], value: Any) -> list[tuple[int, Any]]:
        """The elements that a value is written to, each with its index."""
        key, index = place
        if index != _ALL:
            return [(index, value)]
        count = len(self.objects[key].items)
        if isinstance(value, Unusable):
            return [(k, value) for k in range(count)]
        found = [part.term for part in value]
        return list(enumerate(items_of(found, self.shelves[key], count)))

    def _discover(self, changes: Sequence[tuple[Place, Any, Any]]) -> bool:
        """Note what the body has changed; True where that is news."""
        news = False
        self._refuse_shared(changes)
        for place, before, after in changes:
            if place in self.lost:
                continue
            if isinstance(after, Unusable):
                self.lost[place] = after
                news = True
                continue
            known = self.variables.get(place)
            if known is None and before is not None and _same(before, after):
                continue
            news |= self._carry(place, before, after, known)
        return news

    def _refuse_shared(self, changes: Sequence[tuple[Place, Any, Any]]) -> None:
        """A vector that two variables share would be two vectors in the next trip."""
        seen: dict[tuple[int, int], Place] = {}
        for place, before, after in changes:
            if not isinstance(before, Value) or len(before.leaves) == 1 or before is after:
                continue
            other = seen.setdefault((id(before), id(after)), place)
            if other != place:
                a, b = self._label(other), self._label(place)
                raise TraceError(
                    f"the loop changes a vector that is both {a!r} and {b!r}",
                    self.at,
                    f"give each its own before the loop: {b} = copy({a})",
                )

    def _label(self, place: Place) -> str:
        """What a variable is called in messages and kernels."""
        if isinstance(place, str):
            return place
        object_ = self.objects[place[0]]
        if place[1] == _ALL:
            return "items"
        return object_.names[place[1]] if isinstance(object_, Instance) else f"item{place[1]}"

    def _carry(self, place: Place, before: Any, after: Any, known: _Variable | None) -> bool:
        real, name = self.frame.session.real, self._label(place)
        try:
            self._check_alias(before, after)
            found = _type(after, real)
            if known is not None:
                found = _join(known.type, found)
            elif before is not None:
                found = _join(_type(before, real), found)
        except (Mismatch, TraceError) as error:
            self.variables.pop(place, None)
            self.lost[place] = _lost(name, before, after, self.at, error)
            return True
        if known is not None and found == known.type:
            return False
        first = None
        if before is not None:
            first = self._fitted(before, found, f"{name!r} before the loop")
        self.variables[place] = _Variable(name, found, first)
        return True

    def _check_alias(self, before: Any, after: Any) -> None:
        """A name may move on to a new object, if nothing else refers to the one before.

        Variables are carried as values: which object it is after the loop is not known.
        """
        moved = [o for o in objects_of(after) if o is not before]
        if any(o.born < self.since for o in moved):
            raise TraceError(_OUTSIDE)
        if moved and isinstance(before, Object):
            frames = self.frame.session.frames
            roots = [f.state.names.find(n) for f in frames for n in dict.fromkeys(f.state.names)]
            if references(roots, before) > 1:
                raise TraceError(_OUTSIDE)

    def _fitted(self, value: Any, type_: Type, what: str, at: Span | None = None) -> Value:
        real, at = self.frame.session.real, at or self.at
        if isinstance(value, Value) and value.type == type_:
            return value
        return packed(fitted(value, type_, real, at, what), real, at)

    def _settled(self, state: State, after: Mapping[Place, Any]) -> _Settled:
        """What the loop carries, with the values after a trip, and how it can end."""
        carried: list[Carried] = []
        for place, variable in self.variables.items():
            value = self._fitted(after[place], variable.type, f"{variable.name!r} after a trip")
            zeros = _zeros(variable.type)
            firsts = zeros if variable.first is None else variable.first.leaves
            paths = leaf_paths(variable.type)
            rows = zip(paths, variable.bound, firsts, value.leaves, strict=True)
            carried += [Carried(variable.name + path, *row) for path, *row in rows]
        ended = _Ended(self, state, carried)
        return _Settled(carried, ended)

    def _finish(
        self, outer: State, read: _Trip, counter: Term, trips: Term | None, limit: int | None
    ) -> None:
        """Build the loop, and go on in the state after it."""
        session = self.frame.session
        assert read.settled is not None
        ended = read.settled.ended
        loop = Open(
            counter,
            trips or const(0, Scalar.I32),
            _and(read.go, ended.goes_on()),
            tuple(read.settled.carried),
            limit,
            self.at,
            session.notes,
        )
        slim = counted(loop, trips is None, session.rules)
        if trips is None and slim.limit is None and slim.trips is None:
            raise self._unbounded()
        term, ends = slim.built()
        if self.told is not None:
            self._watch(self.told, term, trips or slim.trips, slim.goes_on(term))
        finals = iter(ends)
        values: dict[Place, Any] = {}
        for place, variable in self.variables.items():
            leaves = tuple(next(finals) for _ in leaf_types(variable.type))
            values[place] = unpacked(Value(variable.type, leaves))
        ended.adopt(outer, list(finals))
        for place, value in (values | self.lost).items():
            if isinstance(place, str):
                outer.names.local[place] = value
                continue
            for index, item in self._items(place, value):
                session.write(self.objects[place[0]], index, item, self.at)

    def _watch(self, told: int, loop: Term, trips: Term | None, goes_on: Term) -> None:
        """Say so where the loop would go on after the trips that max_iters admits."""
        session = self.frame.session
        op, count = ("gt", trips) if trips is not None else ("ge", trips_run(loop))
        if count.op == CONST:
            if int(count.attr) < told + (op == "gt"):
                return
            beyond = const(True, Scalar.BOOL)
        else:
            beyond = operate(session, op, [scalar(count), told], self.at).term
        message = f"the loop has not ended after the {told} trips that max_iters admits"
        session.forbid(_and(beyond, goes_on), message, self.at)

    def _unbounded(self) -> TraceError:
        return TraceError(
            "how often this loop runs has no bound that can be found",
            self.at,
            "write max_iters(n) before it: n is the most trips it can make; or use"
            " for i in range(…). A bound is found where a variable that every trip changes by"
            " one constant is compared with a value that the loop does not change",
        )


def _before(outer: State, name: str) -> Any:
    """What a variable was before the loop; None where it was nothing that can be carried."""
    try:
        value = outer.names.find(name)
    except KeyError:
        return None
    return None if isinstance(value, Unusable) else value


@dataclass
class _Trip:
    """The body, read once; settled where that brought nothing new."""

    go: Condition
    state: State
    settled: _Settled | None


@dataclass
class _Settled:
    """What a loop carries, and how it can end."""

    carried: list[Carried]
    ended: _Ended


class _Ended:
    """How a loop can end before its trips are over: `break`, `return`."""

    def __init__(self, reading: Reading, state: State, carried: list[Carried]) -> None:
        self.reading, self.state = reading, state
        self.flags: list[str] = []
        self.stopped: Term | None = None
        self.result: Type | None = None
        session = reading.frame.session
        if state.stop is not False:
            self.flags.append("stop")
            self._flag(carried, "stopped", state.stop)
        if state.done is not False and state.result is not None:
            self.flags.append("done")
            self._flag(carried, "returned", state.done)
            value = state.result
            self.result = _type(value, session.real)
            at = state.returned_at
            whole = reading._fitted(value, self.result, "the result", at)
            paths = leaf_paths(self.result)
            for path, t, new in zip(paths, leaf_types(self.result), whole.leaves, strict=True):
                first = const(0, t)
                carried.append(Carried("result" + path, bound("result" + path, t), first, new))
        elif state.done is not False:
            raise TraceError(
                "a return without a value inside a loop is not in the language",
                state.returned_at,
                "use break",
            )

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

    def adopt(self, outer: State, values: list[Term]) -> None:
        """What a return inside the loop means for the function around it."""
        if "done" not in self.flags:
            return
        session = self.reading.frame.session
        values = values[1:] if "stop" in self.flags else values
        done, leaves = values[0], tuple(values[1:])
        assert self.result is not None
        result = unpacked(Value(self.result, leaves))
        if outer.done is not False:
            result = merged(session.rules, as_term(outer.done), outer.result, result, session.real)
        elif outer.result is not None:
            result = merged(session.rules, done, result, outer.result, session.real)
        outer.result, outer.returned_at = result, self.state.returned_at
        outer.done = either(outer.done, done)
        if self.reading.frame.loops:
            outer.skip, outer.stop = either(outer.skip, done), either(outer.stop, done)


def _and(a: Condition, b: Condition) -> Term:
    a, b = (bool(c.attr) if isinstance(c, Term) and c.op == CONST else c for c in (a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        left, right = (a, b) if isinstance(a, bool) else (b, a)
        return as_term(right) if left else const(False, Scalar.BOOL)
    return Term("logical_and", (a, b), None, Scalar.BOOL)


def _is_number(value: Any, wanted: int) -> bool:
    return is_static(value) and number(value) == wanted


def _zeros(type_: Type) -> tuple[Term, ...]:
    return tuple(const(0, t) for t in leaf_types(type_))


def _smaller(a: int | None, b: int) -> int:
    return b if a is None else min(a, b)


def _same(a: Any, b: Any) -> bool:
    """Whether a value has not changed."""
    if a is b:
        return True
    if isinstance(a, Value) and isinstance(b, Value):
        return a == b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if is_number(a) and is_number(b):
        return type(a) is type(b) and repr(a) == repr(b)
    return False


def _lost(name: str, before: Any, after: Any, at: Span, error: Exception) -> Unusable:
    if isinstance(error, TraceError) and error.message == _OUTSIDE:
        return Unusable(
            f"{name!r} may be one object or another after the loop at line {at.line}",
            "copy the object instead: local = copy(…)",
        )
    return Unusable(
        f"{name!r} is {describe(before)} before the loop at line {at.line} and "
        f"{describe(after)} after a trip",
        "give it one type before the loop and in it, or use different names",
    )


def _type(value: Any, real: Scalar) -> Type:
    """The type in which a variable is carried: whole numbers stay whole."""
    return packed(value, real).type


_RANK = {Scalar.BOOL: 0, Scalar.I32: 1, Scalar.F16: 2, Scalar.F32: 3, Scalar.F64: 4}


def _join(a: Type, b: Type) -> Type:
    """The type that holds both. Raises Mismatch where there is none."""
    if a == b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar) and Scalar.BOOL not in (a, b):
        return max(a, b, key=_RANK.__getitem__)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        if (a.names, a.struct) == (b.names, b.struct):
            return replace(a, items=tuple(map(_join, a.items, b.items)))
    elif isinstance(a, Arr) and isinstance(b, Arr) and a.size == b.size:
        return Arr(_join(a.item, b.item), a.size)
    elif type(a) is type(b) and len(leaf_types(a)) == len(leaf_types(b)):
        wide = max(leaf_types(a)[0], leaf_types(b)[0], key=_RANK.__getitem__)
        return a if leaf_types(a)[0] is wide else b
    raise Mismatch(str(a), str(b))
