"""`match`: patterns become conditions and bindings, arms meet like those of an `if` chain.

Takes a match statement and a frame, gives the state after it. A pattern that is decided while
reading removes its arm or those after it; names that a pattern binds stay bound when a guard
fails, as in Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, Flag
from functools import partial
from typing import Any

from ....terms.conditions import Assumption
from ....terms.errors import warn
from ....terms.types import Scalar
from ....terms.value import Value
from ...structs import is_struct
from ..calls.calls import call
from ..expressions.expression import condition, evaluate
from ..expressions.overloads import apply_comparison
from ..operations.records import attribute, plain
from ..values.arms import all_met, under
from ..values.branches import Branch, State
from ..values.conditions import Condition, both, chosen
from ..values.entries import entries_of
from ..values.keyed import mapped
from ..values.members import enumeration
from ..values.objects import Changed, Instance, Listed, first
from ..values.scope import Frame
from ..values.values import Mismatch, describe, is_number, is_static, merged, number

Block = Callable[[Frame, Sequence[ast.stmt]], None]
_CLASS = "of numbers, types are known while reading: write one function per type"


@dataclass(slots=True)
class Match:
    """What a pattern says about a value: when it fits, and what its names are then."""

    holds: Condition
    names: dict[str, Any] = field(default_factory=dict)


def match(frame: Frame, node: ast.Match, block: Block) -> State:
    """The state after the statement, over that before it."""
    before, session = frame.state, frame.session
    subject = evaluate(frame, node.subject)
    arms: list[tuple[Branch, State, Changed]] = []
    assumed: list[Assumption] = []
    bound: dict[str, Any] = {}
    left = _members(subject)
    last: State | None = None
    changed: Changed = {}
    seen: dict[Any, int] = {}
    for case in node.cases:
        with session.assuming(*assumed):
            found = pattern(frame, case.pattern, subject)
        if found.holds is False:
            continue
        _warn_of_double(frame, case, seen)
        inside = _state(before, {**bound, **found.names})
        fits: Condition = found.holds
        if case.guard is not None:
            fitting = [] if isinstance(found.holds, bool) else [(found.holds, True)]
            read = partial(condition, frame, case.guard, "case … if")
            with _within(frame, inside):
                held = under(session, [*assumed, *fitting], read, frame.span(case.guard))
            if found.names:
                bound = _bound(frame, before, bound, found, case.pattern)
            fits = both(found.holds, held)
            if fits is False:
                continue
        elif left is not None:
            left = left - _covered(frame, case.pattern)
            fits = fits if left else True  # every member has its arm: this is the last
        holding = [] if isinstance(fits, bool) else [(fits, True)]
        session.journal.begin()
        try:
            with _within(frame, inside), session.assuming(*assumed, *holding):
                block(frame, case.body)
        finally:
            there = session.journal.undo()
        if isinstance(fits, bool):
            last, changed = inside, there
            break
        arms.append((_branch(frame, fits, case.pattern), inside, there))
        assumed.append((fits, False))
    if last is None:
        last = _state(before, bound)
    last, changed = all_met(session, before, arms, (last, changed))
    session.journal.redo(changed, frame.span(node.subject))
    return last


def _warn_of_double(frame: Frame, case: ast.match_case, seen: dict[Any, int]) -> None:
    """Warn where all that a case names has a case before it; remember what this one names."""
    named = _named(frame, case.pattern)
    at = frame.span(case.pattern)
    if named and all(key in seen for key in named):
        lines = sorted({seen[key] for key in named})
        where = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
        warn(f"this case never fits: {where} took its values", at, "remove it")
    if case.guard is None:
        for key in named:
            seen.setdefault(key, at.line)


def _named(frame: Frame, node: ast.pattern) -> list[Any]:
    """The values that a pattern compares with; nothing where it fits more than those."""
    match node:
        case ast.MatchOr(patterns=patterns):
            groups = [_named(frame, p) for p in patterns]
            return [key for group in groups for key in group] if all(groups) else []
        case ast.MatchAs(pattern=inner) if inner is not None:
            return _named(frame, inner)
        case ast.MatchValue(value=value):
            found = evaluate(frame, value)
            return [number(found)] if is_number(found) else []
    return []


def _state(before: State, names: dict[str, Any]) -> State:
    state = before.branch()
    state.names.local.update(names)
    return state


@contextmanager
def _within(frame: Frame, state: State) -> Iterator[None]:
    before, frame.state = frame.state, state
    try:
        yield
    finally:
        frame.state = before


def _branch(frame: Frame, holds: Condition, node: ast.pattern) -> Branch:
    assert not isinstance(holds, bool)
    return Branch(holds, frame.session.rules, frame.session.real, frame.span(node), "match")


def _bound(
    frame: Frame, before: State, bound: dict[str, Any], found: Match, node: ast.pattern
) -> dict[str, Any]:
    """The names bound so far, where the guard of this case does not hold."""
    after = {**bound, **found.names}
    if found.holds is True:
        return after
    state, other = _state(before, after), _state(before, bound)
    joined = _branch(frame, found.holds, node).join(before, state, other)
    return dict(joined.names.local)


def _members(subject: Any) -> frozenset[Any] | None:
    """All that an unknown member or truth value can be; None for other values."""
    of = enumeration(subject)
    if isinstance(subject, Value) and subject.type is Scalar.BOOL:
        return frozenset((False, True))
    if of is None or not isinstance(subject, Value) or issubclass(of, Flag):
        return None
    return frozenset(of)


def _covered(frame: Frame, node: ast.pattern) -> frozenset[Any]:
    """The members that a pattern without a guard names."""
    match node:
        case ast.MatchOr(patterns=patterns):
            return frozenset(v for p in patterns for v in _covered(frame, p))
        case ast.MatchSingleton(value=bool() as value):
            return frozenset((value,))
        case ast.MatchAs(pattern=inner) if inner is not None:
            return _covered(frame, inner)
        case ast.MatchValue(value=ast.Attribute() as value):
            member = evaluate(frame, value)
            return frozenset((member,)) if isinstance(member, Enum) else frozenset()
    return frozenset()


# --- patterns -------------------------------------------------------------------------------


def pattern(frame: Frame, node: ast.pattern, subject: Any) -> Match:
    """When the pattern fits the subject, and what it binds."""
    match node:
        case ast.MatchValue(value=value):
            return Match(_equals(frame, node, subject, evaluate(frame, value)))
        case ast.MatchSingleton(value=value):
            return Match(_is(frame, node, subject, value))
        case ast.MatchAs(pattern=inner, name=name):
            found = Match(True) if inner is None else pattern(frame, inner, subject)
            if name is not None:
                found.names[name] = subject
            return found
        case ast.MatchOr(patterns=patterns):
            return _either(frame, node, [pattern(frame, p, subject) for p in patterns])
        case ast.MatchSequence(patterns=patterns):
            return _sequence(frame, node, patterns, subject)
        case ast.MatchMapping():
            return _mapping(frame, node, subject)
        case ast.MatchClass():
            return _class(frame, node, subject)
    raise frame.error(node, f"{type(node).__name__} is not in the language")


def _equals(frame: Frame, node: ast.pattern, subject: Any, value: Any) -> Condition:
    if isinstance(subject, tuple) != isinstance(value, tuple):
        return False
    if not is_static(subject) and isinstance(value, str | bytes | None):
        return False  # a number is never a text
    return _held(frame, node, apply_comparison(frame, node, ast.Eq(), subject, value))


def _is(frame: Frame, node: ast.pattern, subject: Any, value: bool | None) -> Condition:
    """`case True`, `case None`: only this one object fits."""
    if isinstance(subject, Value) and subject.type is not Scalar.BOOL and value is not None:
        raise frame.error(
            node,
            f"case {value} fits truth values only, and this is {describe(subject)}",
            f"write case {int(value)}",
        )
    return _held(frame, node, apply_comparison(frame, node, ast.Is(), subject, value))


def _held(frame: Frame, node: ast.pattern, value: Any) -> Condition:
    if not isinstance(value, Value):
        return bool(value)
    if not isinstance(value.type, Scalar):
        hint = "match its components: match (v.x, v.y):"
        raise frame.error(node, "a vector or matrix fits no single value", hint)
    return value.term


def _either(frame: Frame, node: ast.pattern, found: Sequence[Match]) -> Match:
    """`p | q`: where the first does not fit, the second may."""
    last = found[-1]
    for one in reversed(found[:-1]):
        if one.holds is True:
            last = one
        elif one.holds is not False:
            names = {n: _chosen(frame, node, one, last, n) for n in last.names}
            if last.holds is False:
                names = one.names
            last = Match(chosen(one.holds, True, last.holds), names)
    return last


def _chosen(frame: Frame, node: ast.pattern, one: Match, other: Match, name: str) -> Any:
    assert not isinstance(one.holds, bool)
    session = frame.session
    values = one.names[name], other.names[name]
    try:
        return merged(session.rules, one.holds, *values, session.real)
    except Mismatch as error:
        a, b = error.args
        raise frame.error(node, f"{name!r} is {a} in one pattern and {b} in another") from None


#: Classes whose patterns hold the subject itself: `case float(x)`.
_ITSELF = (bool, int, float, str, tuple, list)


def _class(frame: Frame, node: ast.MatchClass, subject: Any) -> Match:
    """`case Circle(r)`: a struct of that class, or of one that inherits from it."""
    session, at = frame.session, frame.span(node)
    cls = evaluate(frame, node.cls)
    if cls in _ITSELF and len(node.patterns) < 2 and not node.kwd_attrs:
        held = _held(frame, node, call(session, isinstance, [subject, cls], {}, at))
        if held is True and node.patterns:
            return pattern(frame, node.patterns[0], subject)
        if held is False or not node.patterns:
            return Match(held)
    invoke = partial(call, session)
    is_object = isinstance(first(subject), Instance)
    if not is_object and is_struct(cls) and invoke(isinstance, [subject, cls], {}, at) is False:
        return Match(False)  # a number is no node of a tree
    if not is_object or not isinstance(cls, type):
        what = "structs, numbers, texts, tuples and lists"
        raise frame.error(node, f"class patterns are in the language for {what}", _CLASS)
    found = Match(_held(frame, node, invoke(isinstance, [subject, cls], {}, at)))
    names = getattr(cls, "__match_args__", ())[: len(node.patterns)]
    if len(names) < len(node.patterns):
        raise frame.error(node, f"{cls.__name__} has {len(names)} positional fields", "name them")
    assumed = [] if isinstance(found.holds, bool) else [(found.holds, True)]
    if found.holds is False:
        return found
    parts = zip([*names, *node.kwd_attrs], [*node.patterns, *node.kwd_patterns], strict=True)
    for name, part in parts:
        with session.assuming(*assumed):  # it is of the class, whatever else it may be
            inner = pattern(frame, part, attribute(session, subject, name, at, invoke))
        if inner.holds is False:
            return inner
        found.names.update(inner.names)
        found.holds = both(found.holds, inner.holds)
    return found


def _mapping(frame: Frame, node: ast.MatchMapping, subject: Any) -> Match:
    """`case {"k": x, **rest}`: a dictionary with those keys."""
    session = frame.session
    entries = entries_of(session, subject, frame.span(node))
    if entries is None:
        return Match(False)
    found = Match(True)
    for key_node, part in zip(node.keys, node.patterns, strict=True):
        key = evaluate(frame, key_node)
        if key not in entries:
            return Match(False)
        inner = pattern(frame, part, entries.pop(key))
        if inner.holds is False:
            return inner
        found.names.update(inner.names)
        found.holds = both(found.holds, inner.holds)
    if node.rest is not None:
        found.names[node.rest] = mapped(entries)
    return found


def _sequence(
    frame: Frame, node: ast.pattern, patterns: Sequence[ast.pattern], subject: Any
) -> Match:
    subject = plain(frame.session, subject, frame.span(node))
    if isinstance(subject, Value) and isinstance(subject.type, Scalar):
        return Match(False)
    if isinstance(subject, Value):
        raise frame.error(
            node,
            f"{describe(subject)} is no tuple",
            "match a tuple of its components: match (v.x, v.y):",
        )
    if not isinstance(subject, tuple):
        return Match(False)
    items: list[Any] = list(subject)
    stars = [i for i, p in enumerate(patterns) if isinstance(p, ast.MatchStar)]
    found = Match(True)
    if stars:
        first, after = stars[0], len(patterns) - stars[0] - 1
        if len(items) < first + after:
            return Match(False)
        star = patterns[first]
        assert isinstance(star, ast.MatchStar)
        if star.name is not None:
            found.names[star.name] = Listed(items[first : len(items) - after])
        items = [*items[:first], *items[len(items) - after :]]
        patterns = [*patterns[:first], *patterns[first + 1 :]]
    if len(items) != len(patterns):
        return Match(False)
    for part, item in zip(patterns, items, strict=True):
        inner = pattern(frame, part, item)
        found.names.update(inner.names)
        if inner.holds is False:
            return inner
        found.holds = both(found.holds, inner.holds)
    return found
