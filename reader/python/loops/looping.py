"""Loops: `for` over a range and `while` stay loops, `for` over anything else is written out.

`break`, `continue` and `return` are conditions: what follows them in a trip is read as the arm
of a branch.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ....terms.bits import LARGEST, signed
from ....terms.errors import Span, TraceError, Unknown, shown
from ....terms.term import Term
from ....terms.types import Scalar
from ....terms.unsigned import index_of
from ....terms.value import Value, scalar
from ... import marks
from ..calls.calls import call
from ..expressions.expression import calls, evaluate
from ..expressions.expression import condition as test
from ..operations.iterating import begun, items_of, turns
from ..operations.sequences import asked_beyond, beyond, known
from ..operations.wholes import as_integer
from ..values.arms import met
from ..values.branches import Branch, State
from ..values.conditions import Condition
from ..values.lengths import count_of
from ..values.objects import Changed, Instance, Listed, Object, ends_of, first
from ..values.once import Once
from ..values.parameters import to_integer
from ..values.scope import Frame
from ..values.values import describe, is_number, is_static, number, unless_annotated
from ..values.varying import Varying, VaryingKey
from .asking import trips_known, with_chosen_keys
from .carried import Assign, Block, Reading
from .ending import left_by

_UNROLLED = 4096  # trips that may be written out
_UNASKED = 256  # and where nobody has said so


def for_loop(frame: Frame, node: ast.For, block: Block, assign: Assign) -> None:
    """`for target in …:`: a loop over a range, written out over anything else."""
    header, unroll = node.iter, False
    if calls(frame, header, marks.force_unroll):
        assert isinstance(header, ast.Call)
        header, unroll = header.args[0], True
    steps = _range(frame, header) if calls(frame, header, builtins.range) else None
    if steps is not None:
        _counter_stays(frame, node)
    if steps is None:
        each, held = _items(frame, header)
        with _holding(frame, node, held), _over(frame, header):
            left = _written_out(frame, node, each, block, assign)
    elif unroll:
        if not all(is_static(s) for s in steps):
            raise frame.error(
                header,
                "a loop can be unrolled only where its range is known while reading",
                "leave force_unroll away, or give the range numbers",
            )
        items = range(*(number(s) for s in steps))
        if len(items) > _UNROLLED:
            message = f"{len(items)} trips are too many to be unrolled"
            how = f"leave force_unroll away: what is written out has at most {_UNROLLED} trips"
            raise frame.error(header, message, how)
        left = _written_out(frame, node, (partial(int, k) for k in items), block, assign)
    else:
        read = partial(Reading(frame, node, partial(_whole_trip, block), assign).over_range, steps)
        instead = partial(_range_written_out, frame, node, steps, block, assign)
        if trips_known(steps) > _UNASKED:
            read = partial(with_chosen_keys, frame, read)
        left = _unless_varying(frame, node, read, instead)
    _otherwise(frame, node, left, block)


def while_loop(frame: Frame, node: ast.While, block: Block, assign: Assign) -> None:
    """`while condition:`: a loop whose bound is found, or given by max_iters."""
    read = Reading(frame, node, partial(_whole_trip, block), assign).under_condition
    instead = partial(_while_written_out, frame, node, block)
    _otherwise(frame, node, _unless_varying(frame, node, read, instead), block)


def _whole_trip(block: Block, frame: Frame, body: Sequence[ast.stmt]) -> None:
    """One trip: what a loop inside has returned leaves this one, too, if that is written out."""
    block(frame, body)
    frame.state.stop = left_by(frame.state)


def _unless_varying(
    frame: Frame,
    node: ast.For | ast.While,
    read: Callable[[], Condition],
    instead: Callable[[Varying], Condition],
) -> Condition:
    """What `read` gives; `instead`, where trips make lists longer or shorter.

    Each trip has lists of its own length then: it is written out.
    """
    state, loops = frame.state, frame.loops
    depth = len(frame.session.journal.layers)
    try:
        return read()
    except Unknown as error:
        frame.state, frame.loops = state, loops
        assert len(frame.session.journal.layers) == depth
        kind = VaryingKey if isinstance(error, VaryingKey) else Varying
        return instead(kind(error.message, error.at or frame.span(node), error.hint))


def _range_written_out(
    frame: Frame,
    node: ast.For,
    steps: tuple[Any, Any, Any],
    block: Block,
    assign: Assign,
    error: Varying,
) -> Condition:
    many = trips_known(steps)
    if _UNASKED < many <= _UNROLLED:
        hint = f"{many} trips are written out where that is asked for: force_unroll(range(…))"
        error.hint = f"{error.hint}\n  {hint}" if error.hint else hint
    if many > _UNASKED:
        raise error
    items = range(*(int(number(step)) for step in steps))
    return _written_out(frame, node, (partial(int, k) for k in items), block, assign)


def _while_written_out(frame: Frame, node: ast.While, block: Block, error: Varying) -> Condition:
    """One copy of the body for each trip, while the condition is known to hold."""
    for n in range(_UNASKED):
        if frame.state.done is True or frame.state.stop is True:
            break
        holds = test(frame, node.test, "while")
        if not isinstance(holds, bool):
            raise error
        try:
            if not holds or not _trip(frame, node, block, _nothing):
                break
        except TraceError as beyond_this:
            if not n or not _goes_on(frame, beyond_this):
                raise
            break
    else:
        if not _goes_on(frame, beyond(_UNASKED)):
            raise error
    left, frame.state.stop = frame.state.stop, False
    return left


def _goes_on(frame: Frame, why: TraceError) -> bool:
    """Whether a loop is that of a generator without an end: no more of it is read, and why."""
    if frame.given is None or frame.state.stop is not False or isinstance(why, Varying):
        return False
    frame.given.rest, frame.state.done = why, True
    return True


def _nothing() -> None:
    """A trip of `while` has no variable to begin with."""


def leave(frame: Frame, node: ast.Break | ast.Continue) -> None:
    """`break` and `continue`: the rest of the trip is skipped; after `break`, all others."""
    if not frame.loops:  # Python refuses this before it runs; nested functions start anew
        raise frame.error(node, "this is not inside a loop")
    frame.state.skip = True
    if isinstance(node, ast.Break):
        frame.state.stop = True


def _otherwise(frame: Frame, node: ast.For | ast.While, left: Condition, block: Block) -> None:
    """`else` of a loop: what follows where it was not left by `break`."""
    if not node.orelse or left is True:
        return
    if left is False:
        block(frame, node.orelse)
    else:
        kept, after = frame.state.branch(), frame.state.branch()
        unless(frame, left, kept, after, partial(block, frame, node.orelse), node.orelse[0])


def _range(frame: Frame, node: ast.expr) -> tuple[Any, Any, Any]:
    """Start, stop and step of `range(…)`."""
    assert isinstance(node, ast.Call)
    args = [as_integer(frame.session, evaluate(frame, a), frame.span(a)) for a in node.args]
    if node.keywords or not 1 <= len(args) <= 3:
        raise frame.error(node, "range takes one to three integers", "range(start, stop, step)")
    for i, (arg, at) in enumerate(zip(args, node.args, strict=True)):
        if isinstance(arg, Value) and isinstance(arg.type, Scalar) and arg.type.is_unsigned:
            args[i] = scalar(index_of(arg.term, frame.span(at)))
            continue
        whole = is_number(arg) and isinstance(number(arg), int)
        if not whole and not (isinstance(arg, Value) and arg.type is Scalar.I32):
            raise frame.error(at, f"range takes integers, not {describe(arg)}", to_integer(arg))
    if not all(map(is_static, args)):
        for arg, at in zip(args, node.args, strict=True):
            if is_number(arg) and signed(number(arg)) != number(arg):
                raise frame.error(
                    at,
                    f"{shown(number(arg))} has more than the 32 bits of an integer",
                    f"beside what is known only at run time, a range has ends and steps from "
                    f"{-LARGEST - 1} to {LARGEST}",
                )
    if len(args) == 1:
        return 0, args[0], 1
    step = args[2] if len(args) == 3 else 1
    if is_number(step) and number(step) == 0:
        raise frame.error(
            node,
            "the step of a range must not be 0",
            "a step of 1 or -1 takes every integer; to repeat without counting, use while",
        )
    return args[0], args[1], step


def _counter_stays(frame: Frame, node: ast.For) -> None:
    """A counter that the body changes is a mistake, unless its name says: not looked at.

    What skips trips in C does not in Python; `point = point - centre` is no such thing.
    """
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} - {"_"}
    for inner in (n for statement in node.body for n in ast.walk(statement)):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id in own:
            raise frame.error(
                inner,
                f"the body changes the loop variable {inner.id!r}",
                "the next trip would not see it; use another name, or a while loop",
            )


def _items(frame: Frame, node: ast.expr) -> tuple[Iterator[Callable[[], Any]], Sequence[Object]]:
    """What a loop runs over, item by item: each as it is when the loop gets there."""
    at, invoke = frame.span(node), partial(call, frame.session)
    value = begun(frame.session, evaluate(frame, node), at, invoke)
    rest = value.rest if isinstance(value, Once) else None
    found = known if rest else items_of
    items = found(frame.session, value, at, invoke)
    if items is not None:
        turn = turns(frame.session, value, items, frame.span(node))
        if isinstance(first(value), Listed):
            return _as_it_grows(frame, value, turn, frame.span(node)), turn.held
        each = (partial(turn, k) for k in range(len(items)))
        return (_to_be_left(each, asked_beyond(rest, at)) if rest else each), turn.held
    hint = "loops run over range(…), vectors, rows of matrices, tuples and lists"
    message = f"a loop cannot run over {describe(value)}"
    raise frame.error(node, message, unless_annotated(value, hint))


def _to_be_left(each: Iterator[Callable[[], Any]], rest: TraceError) -> Iterator[Callable[[], Any]]:
    """The items that are known of what has no end: the loop is left before they are over."""
    yield from each
    raise rest


def _as_it_grows(
    frame: Frame, value: Any, turn: Callable[[int], Any], at: Span
) -> Iterator[Callable[[], Any]]:
    """The items of a list: as Python, a loop asks for each whether there is one."""
    for k in range(_UNROLLED):
        if k >= count_of(frame.session.settled(value), at):
            return
        yield partial(turn, k)
    raise TraceError(f"{_UNROLLED} trips are too many to be written out", at)


@contextmanager
def _over(frame: Frame, header: ast.expr) -> Iterator[None]:
    """Inside, no list that a header such as `enumerate(xs)` names can grow or shrink."""
    over = frame.session.over
    mark = len(over)
    over += [] if isinstance(header, _CHAIN) else _lists_named(frame, header)
    try:
        yield
    finally:
        del over[mark:]


_CHAIN = (ast.Name, ast.Attribute, ast.Subscript)


def _lists_named(frame: Frame, header: ast.expr) -> list[Object]:
    """The lists that names, and fields of names, stand for."""
    found: list[Object] = []
    for node in ast.walk(header):
        value = _held_by(frame, node)
        found += [end for end in ends_of(value) if isinstance(end, Listed)]
    return found


def _held_by(frame: Frame, node: ast.AST) -> Any:
    match node:
        case ast.Name(id=name):
            try:
                return frame.state.names.find(name)
            except KeyError:
                return None
        case ast.Attribute(value=base, attr=name):
            owner = _held_by(frame, base)
            known = isinstance(owner, Instance) and name in owner.names
            return owner.items[owner.names.index(name)] if known else None
    return None


@contextmanager
def _holding(frame: Frame, node: ast.For, held: Sequence[Object]) -> Iterator[None]:
    """Inside, what a loop runs over is held, as by a variable."""
    name = f"{ast.unparse(node.iter)} at line {frame.span(node).line}"  # no name of Python
    if held:
        frame.state.names.local[name] = tuple(held)
    try:
        yield
    finally:
        frame.state.names.local.pop(name, None)


def _written_out(
    frame: Frame, node: ast.For, items: Iterable[Callable[[], Any]], block: Block, assign: Assign
) -> Condition:
    """One copy of the body for each item; a trip that may not happen is an arm of a branch.

    Gives the condition under which the loop was left before its end.
    """
    for item in items:
        if not _trip(frame, node, block, partial(_next, frame, node, item, assign)):
            break
    left, frame.state.stop = frame.state.stop, False
    return left


def _next(frame: Frame, node: ast.For, item: Callable[[], Any], assign: Assign) -> None:
    assign(frame, node.target, item(), node)


def _trip(frame: Frame, node: ast.For | ast.While, block: Block, begin: Callable[[], None]) -> bool:
    """Read one trip into the state; False where no further one can happen."""
    before = frame.state
    if before.done is True or before.stop is True:
        return False
    if before.stop is False:
        _read_trip(frame, node, block, begin)
        return True
    kept, after = before.branch(), before.branch()
    kept.stop, after.stop = True, False
    unless(frame, before.stop, kept, after, partial(_read_trip, frame, node, block, begin), node)
    return True


def _read_trip(
    frame: Frame, node: ast.For | ast.While, block: Block, begin: Callable[[], None]
) -> None:
    frame.loops += 1
    try:
        begin()
        block(frame, node.body)
        frame.state.skip = False
    finally:
        frame.loops -= 1


def unless(
    frame: Frame,
    condition: Term,
    kept: State,
    after: State,
    read: Callable[[], None],
    node: ast.AST,
) -> None:
    """Read what happens in the state `after`; where `condition` holds, `kept` is left."""
    before, journal = frame.state, frame.session.journal
    frame.state = after
    journal.begin()
    try:
        with frame.session.assuming((condition, False)):
            read()
    finally:
        frame.state = before
        changed = journal.undo()
    _arm(frame, condition, kept, after, changed, node)


def _arm(
    frame: Frame, condition: Term, kept: State, after: State, changed: Changed, node: ast.AST
) -> None:
    """Go on where `condition` has left the state `kept`, and all else has gone on to `after`."""
    session, at = frame.session, frame.span(node)
    before = frame.state
    branch = Branch(condition, session.rules, session.real, at)
    last, changed = met(session, branch, before, (kept, {}), (after, changed))
    before.adopt(last)
    session.journal.redo(changed, at)
