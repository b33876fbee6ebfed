"""Loops: `for` and `while` become `loop` terms; over what is known they are written out.

The body is read with a variable of its own for everything that it changes. What it changes is
found by reading: a name that has another value after the body is carried, and the body is
read again, until nothing more is found and all types have settled. `break`, `continue` and
`return` are conditions: what follows them in a trip is read as the arm of a branch.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...terms.errors import Span, TraceError
from ...terms.loop import Open, bound
from ...terms.loop import State as Carried
from ...terms.term import Term, const
from ...terms.types import Arr, Scalar, Tup, Type, leaf_paths, leaf_types
from ...terms.value import Value, scalar
from .. import marks
from .arithmetic import operate
from .branches import Branch, Condition, Names, State, Unusable, as_term, either
from .expression import condition, evaluate
from .hints import PAIR_NAMES
from .induction import counted
from .objects import Changed, Instance, Listed, Object, first
from .packing import fitted, packed, unpacked
from .records import elements
from .scope import Frame, joined
from .values import (
    Mismatch,
    describe,
    is_number,
    is_static,
    lift,
    merged,
    number,
)

#: Reads statements in the frame's state; assigns to a target. Handed in by the interpreter.
Block = Callable[[Frame, Sequence[ast.stmt]], None]
Assign = Callable[[Frame, ast.expr, Any, ast.stmt], None]

_ROUNDS = 8  # types widen at most a few times: bool, int, float, double
_UNROLLED = 4096  # trips that may be written out


def for_loop(frame: Frame, node: ast.For, block: Block, assign: Assign) -> None:
    """`for target in …:`: a loop over a range, written out over anything else."""
    _no_else(frame, node)
    header, unroll = node.iter, False
    if _names(frame, header, marks.force_unroll):
        assert isinstance(header, ast.Call)
        header, unroll = header.args[0], True
    steps = _range(frame, header) if _names(frame, header, builtins.range) else None
    _target_stays(frame, node)
    if steps is None:
        _written_out(frame, node, _items(frame, header), block, assign)
    elif unroll:
        if not all(is_static(s) for s in steps):
            raise frame.error(
                header,
                "a loop can be unrolled only where its range is known while reading",
                "leave force_unroll away, or give the range numbers",
            )
        items = range(*(number(s) for s in steps))
        if len(items) > _UNROLLED:
            raise frame.error(header, f"{len(items)} trips are too many to be unrolled")
        _written_out(frame, node, items, block, assign)
    else:
        _Reading(frame, node, block, assign).over_range(steps)


def while_loop(frame: Frame, node: ast.While, block: Block, assign: Assign) -> None:
    """`while condition:`: a loop whose bound is found, or given by max_iters."""
    _no_else(frame, node)
    _Reading(frame, node, block, assign).under_condition()


def leave(frame: Frame, node: ast.Break | ast.Continue) -> None:
    """`break` and `continue`: the rest of the trip is skipped; after `break`, all others."""
    if not frame.loops:  # Python refuses this before it runs; nested functions start anew
        raise frame.error(node, "this is not inside a loop")
    frame.state.skip = True
    if isinstance(node, ast.Break):
        frame.state.stop = True


def _no_else(frame: Frame, node: ast.For | ast.While) -> None:
    if node.orelse:
        raise frame.error(
            node.orelse[0],
            "else on a loop is not in the language",
            "set a variable before break, and test it after the loop",
        )


def _names(frame: Frame, node: ast.expr, meaning: object) -> bool:
    """Whether an expression is a call of a certain function."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    return evaluate(frame, node.func) is meaning


def _range(frame: Frame, node: ast.expr) -> tuple[Any, Any, Any]:
    """Start, stop and step of `range(…)`."""
    assert isinstance(node, ast.Call)
    args = [evaluate(frame, a) for a in node.args]
    if node.keywords or not 1 <= len(args) <= 3:
        raise frame.error(node, "range takes one to three integers", "range(start, stop, step)")
    for arg, at in zip(args, node.args, strict=True):
        whole = is_number(arg) and isinstance(number(arg), int)
        if not whole and not (isinstance(arg, Value) and arg.type is Scalar.I32):
            raise frame.error(
                at, f"range takes integers, not {describe(arg)}", "convert it: int(…)"
            )
    if len(args) == 1:
        return 0, args[0], 1
    step = args[2] if len(args) == 3 else 1
    if is_number(step) and number(step) == 0:
        raise frame.error(node, "the step of a range must not be 0")
    return args[0], args[1], step


def _target_stays(frame: Frame, node: ast.For) -> None:
    """A loop variable that the body changes is a mistake more often than not."""
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    for statement in node.body:
        for inner in ast.walk(statement):
            stored = isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
            if stored and inner.id in own:  # type: ignore[attr-defined]
                name = inner.id  # type: ignore[attr-defined]
                raise frame.error(
                    inner,
                    f"the body changes the loop variable {name!r}",
                    "the next trip would not see it; use another name, or a while loop",
                )


def _items(frame: Frame, node: ast.expr) -> Sequence[Any]:
    """What a loop runs over, item by item."""
    for function, build in _KNOWN.items():
        if _names(frame, node, function):
            assert isinstance(node, ast.Call)
            return build([list(_items(frame, a)) for a in node.args])
    if _names(frame, node, builtins.range):
        steps = _range(frame, node)
        if all(is_static(s) for s in steps):
            return range(*(number(s) for s in steps))
        raise frame.error(node, "this range must be known while reading", "write for i in range(…)")
    value = evaluate(frame, node)
    if isinstance(first(value), Listed):
        return elements(frame.session, value, frame.span(node))
    if isinstance(value, tuple | range):
        return value
    if isinstance(value, Value) and len(value):
        return value.items()
    raise frame.error(
        node,
        f"a loop cannot run over {describe(value)}",
        "loops run over range(…), vectors, rows of matrices, tuples and lists",
    )


_KNOWN: dict[Any, Callable[[list[list[Any]]], list[Any]]] = {
    enumerate: lambda lists: list(enumerate(lists[0])),
    zip: lambda lists: list(zip(*lists, strict=False)),
    reversed: lambda lists: lists[0][::-1],
}


def _written_out(
    frame: Frame, node: ast.For, items: Sequence[Any], block: Block, assign: Assign
) -> None:
    """One copy of the body for each item; a trip that may not happen is an arm of a branch."""
    for item in items:
        if not _trip(frame, node, block, lambda item=item: assign(frame, node.target, item, node)):
            break
    frame.state.stop = False


def _trip(frame: Frame, node: ast.For, block: Block, begin: Callable[[], None]) -> bool:
    """Read one trip into the state; False where no further one can happen."""
    before = frame.state
    if before.done is True or before.stop is True:
        return False
    halted = either(before.done if frame.loops == 0 else False, before.stop)
    journal = frame.session.journal
    if halted is not False:
        frame.state = before.branch()
        frame.state.stop = False
        journal.begin()
    frame.loops += 1
    changed: Changed = {}
    try:
        begin()
        block(frame, node.body)
    finally:
        frame.loops -= 1
        after, frame.state = frame.state, before
        if halted is not False:
            changed = journal.undo()
    after.skip = False
    if halted is False:
        return True
    kept = before.branch()
    assert isinstance(halted, Term)
    session = frame.session
    branch = Branch(halted, session.rules, session.real, frame.span(node))
    before.adopt(branch.join(before, kept, after))
    journal.redo(joined(session, halted, {}, changed, branch.at), branch.at)
    return True


@dataclass(frozen=True, slots=True)
class _Place:
    """A field or an element that the loop changes."""

    object: Object
    index: int

    def __str__(self) -> str:
        if isinstance(self.object, Instance):
            return f"{self.object.cls.__name__}.{self.object.names[self.index]}"
        return f"item[{self.index}]"


@dataclass
class _Variable:
    """A variable that the loop changes: its type, its value before, its value in the body."""

    type: Type
    first: Value | None
    bound: tuple[Term, ...] = ()
    start: Any = None  # what it is at the start of a trip

    def fresh(self, name: str) -> Any:
        """The variable in the body."""
        pairs = zip(leaf_paths(self.type), leaf_types(self.type), strict=True)
        self.bound = tuple(bound(name + path, t) for path, t in pairs)
        self.start = unpacked(Value(self.type, self.bound))
        return self.start


@dataclass
class _Reading:
    """One loop while it is read."""

    frame: Frame
    node: ast.For | ast.While
    block: Block
    assign: Assign
    variables: dict[str | _Place, _Variable] = field(default_factory=dict)
    lost: dict[str | _Place, Unusable] = field(default_factory=dict)

    @property
    def at(self) -> Span:
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
        plain = steps[0] == 0 and steps[2] == 1 and is_static(steps)
        name = target.id if isinstance(target, ast.Name) and plain else "k"

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
        return limit

    # -- both

    def _read(
        self,
        name: str,
        trips: Term | None,
        limit: int | None,
        begin: Callable[[Term], Condition],
    ) -> None:
        outer, journal = self.frame.state, self.frame.session.journal
        for _ in range(_ROUNDS):
            counter = bound(name, Scalar.I32)
            journal.begin()
            self.frame.loops += 1
            saved = self.frame.limit
            closed = None
            try:
                state = self.frame.state = self._start(outer)
                go = begin(counter)
                if go is not False:
                    self.block(self.frame, self.node.body)
                if go is False and not self.variables:
                    return  # the condition is false before the first trip
                if not self._discover(outer, state):
                    closed = self._close(state)
            finally:
                self.frame.loops -= 1
                self.frame.limit = saved
                self.frame.state = outer
                journal.undo()
            if closed is not None:
                self._finish(outer, closed, counter, go, trips, limit)
                return
        raise TraceError("the types of the variables of this loop do not settle", self.at)

    def _start(self, outer: State) -> State:
        """The state at the start of a trip: carried variables are bound variables."""
        state = State(Names(outer.names))
        for name, variable in self.variables.items():
            value = variable.fresh(str(name))
            if variable.first is not None:
                self._set(state, name, value)
        for name, unusable in self.lost.items():
            self._set(state, name, unusable)
        return state

    def _set(self, state: State, name: str | _Place, value: Any) -> None:
        if isinstance(name, _Place):
            self.frame.session.write(name.object, name.index, value, self.at)
        else:
            state.names.local[name] = value

    def _discover(self, outer: State, state: State) -> bool:
        """Note what the body has changed; True where that is news."""
        news = False
        changes: list[tuple[str | _Place, Any, Any]] = [
            (name, _before(outer, name), after) for name, after in state.names.local.items()
        ]
        starts = [v.start for n, v in self.variables.items() if not isinstance(n, _Place)]
        for object_, index, old, new in self.frame.session.journal.changed():
            if any(object_ is start for start in starts):
                self._refuse_both(object_)
            changes.append((_Place(object_, index), old, new))
        for name, before, after in changes:
            if name in self.lost:
                continue
            if isinstance(after, Unusable):
                self.lost[name] = after
                news = True
                continue
            known = self.variables.get(name)
            if known is None and before is not None and _same(before, after):
                continue
            news |= self._carry(name, before, after, known)
        return news

    def _refuse_both(self, changed: Object) -> None:
        """A variable that is another object after a trip is carried by value."""
        names = [n for n, v in self.variables.items() if v.start is changed]
        raise TraceError(
            f"the loop changes a field or element of {str(names[0])!r}, and also assigns another "
            "object to it",
            self.at,
            f"do one of the two: change a copy ({names[0]} = copy({names[0]}) first), or assign "
            "fields only",
        )

    def _carry(self, name: str | _Place, before: Any, after: Any, known: _Variable | None) -> bool:
        session = self.frame.session
        here = known.type if known else None
        try:
            found = _type(after, session.real)
            if here is not None:
                found = _join(here, found)
            elif before is not None:
                found = _join(_type(before, session.real), found)
        except (Mismatch, TraceError):
            self.variables.pop(name, None)
            self.lost[name] = Unusable(
                f"{str(name)!r} is {describe(before)} before the loop at line {self.at.line} and "
                f"{describe(after)} after a trip",
                "give it one type before the loop and in it, or use different names",
            )
            return True
        if known is not None and found == known.type:
            return False
        first = None
        if before is not None:
            what = f"{str(name)!r} before the loop"
            whole = packed(fitted(before, found, session.real, self.at, what), session.real)
            first = whole
        self.variables[name] = _Variable(found, first)
        return True

    def _close(self, state: State) -> _Closed:
        """What the loop carries, with the values after a trip, and how it can end."""
        session = self.frame.session
        places = {_Place(o, i): new for o, i, _, new in session.journal.changed()}
        carried: list[Carried] = []
        for name, variable in self.variables.items():
            here = places if isinstance(name, _Place) else state.names.local
            after = here.get(name)  # type: ignore[call-overload]
            what = f"{str(name)!r} after a trip"
            value = packed(fitted(after, variable.type, session.real, self.at, what), session.real)
            firsts = _zeros(variable.type) if variable.first is None else variable.first.leaves
            paths = leaf_paths(variable.type)
            rows = zip(paths, variable.bound, firsts, value.leaves, strict=True)
            carried += [Carried(f"{name}{path}", v, first, new) for path, v, first, new in rows]
        return _Closed(carried, _Ended(self, state, carried))

    def _finish(
        self,
        outer: State,
        closed: _Closed,
        counter: Term,
        go: Condition,
        trips: Term | None,
        limit: int | None,
    ) -> None:
        """Build the loop, and go on in the state after it."""
        session = self.frame.session
        going = _and(go, closed.ended.goes_on())
        loop = Open(
            counter,
            trips or const(0, Scalar.I32),
            going,
            tuple(closed.carried),
            limit,
            self.at,
            session.notes,
        )
        found = counted(loop, trips is None, session.rules)
        if trips is None and found.limit is None and found.trips is None:
            raise self._unbounded()
        finals = found.built()
        values = iter(finals)
        for name, variable in self.variables.items():
            leaves = tuple(next(values) for _ in leaf_types(variable.type))
            self._set(outer, name, unpacked(Value(variable.type, leaves)))
        for name, unusable in self.lost.items():
            self._set(outer, name, unusable)
        closed.ended.adopt(outer, list(values))

    def _unbounded(self) -> TraceError:
        return TraceError(
            "how often this loop runs has no bound that can be found",
            self.at,
            "write max_iters(n) before it: n is the most trips it can make; or use"
            " for i in range(…). A bound is found where a variable that every trip changes by"
            " one constant is compared with a value that the loop does not change",
        )


@dataclass
class _Closed:
    """What a loop carries, and how it can end."""

    carried: list[Carried]
    ended: _Ended


def _before(outer: State, name: str) -> Any:
    """What a variable was before the loop; None where it was nothing that can be carried."""
    try:
        before = outer.names.find(name)
    except KeyError:
        return None
    return None if isinstance(before, Unusable) else before


class _Ended:
    """How a loop can end before its trips are over: `break`, `return`."""

    def __init__(self, reading: _Reading, state: State, carried: list[Carried]) -> None:
        self.reading, self.state = reading, state
        self.flags: list[str] = []
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
            whole = packed(fitted(value, self.result, session.real, at, "the result"), session.real)
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
        self.stopped = var if name == "stopped" else self.stopped

    def goes_on(self) -> Condition:
        """The condition under which another trip begins."""
        if "stop" not in self.flags:
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
    if isinstance(a, bool) or isinstance(b, bool):
        left, right = (a, b) if isinstance(a, bool) else (b, a)
        return as_term(right) if left else const(False, Scalar.BOOL)
    return Term("logical_and", (a, b), None, Scalar.BOOL)


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


def _type(value: Any, real: Scalar) -> Type:
    """The type in which a variable is carried: whole numbers stay whole."""
    if isinstance(value, tuple):
        names = PAIR_NAMES if isinstance(value, marks.DifferentialPair) else ()
        return Tup(tuple(_type(item, real) for item in value), names)
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
            return Tup(tuple(map(_join, a.items, b.items)), a.names, a.struct)
    elif isinstance(a, Arr) and isinstance(b, Arr) and a.size == b.size:
        return Arr(_join(a.item, b.item), a.size)
    elif type(a) is type(b) and len(leaf_types(a)) == len(leaf_types(b)):
        wide = max(leaf_types(a)[0], leaf_types(b)[0], key=_RANK.__getitem__)
        return a if leaf_types(a)[0] is wide else b
    raise Mismatch(str(a), str(b))
