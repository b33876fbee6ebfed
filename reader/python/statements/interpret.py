"""Statements: an abstract interpreter over the body of a function.

Takes a frame whose parameters are set, gives the value that the function returns. A branch
on something symbolic reads both arms and merges their states (branches.py); an early return
is a condition, so that what follows is read once.
"""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ....terms.conditions import Assumption
from ....terms.errors import Span, TraceError
from ....terms.term import Term
from ... import marks
from ...source import assigned, own_nodes
from ..calls.calls import call
from ..expressions.expression import calls, condition, evaluate
from ..loops.looping import for_loop, leave, unless, while_loop
from ..operations.halving import Uncut
from ..values.aliases import changed_in_place
from ..values.annotations import annotation, conform
from ..values.arms import all_met, under
from ..values.branches import Branch, State, Unusable, returns_differ
from ..values.carrying import carries_derivative
from ..values.conditions import follows
from ..values.objects import Changed
from ..values.scope import Final, Frame, nested
from ..values.values import Mismatch, merged, normalise
from .assigning import (
    assign,
    assign_annotated,
    assign_augmented,
    assign_statement,
    deletes,
    note,
)
from .classes import define_class
from .deferred import Known, without_try, without_with
from .matching import match
from .raising import assert_statement, check_ends, raise_statement
from .trying import without_handlers
from .yielding import begin, end, give, is_generator

_REFUSED: Mapping[type[ast.stmt], tuple[str, str]] = {
    ast.Delete: ("del is in the language for variables and elements", "leave this one alone"),
    ast.AsyncFunctionDef: ("async is not in the language", "use def"),
    ast.AsyncFor: ("async is not in the language", "use def"),
    ast.AsyncWith: ("async is not in the language", "use def"),
}


def run(frame: Frame) -> Any:
    """The value that the function of `frame` returns, as its annotation says."""
    function = frame.function
    starts = [frame.state.names.find(name) for name in frame.passing]
    before = begin(frame) if is_generator(function.source.node) else None
    block(frame, function.body)
    if before is not None:
        frame.session.finals = ()
        return end(frame, before)
    state = frame.state
    check_ends(frame, state)
    if state.done is False or not (state.over or follows(state.done, {}, frame.session.ranges)):
        if _returns(frame):
            raise TraceError(
                f"{function.name} does not return on every path",
                function.at,
                "end the function with a return that is always reached: give the if an else, the "
                "match a case _",
            )
        _finish(frame, None, function.at)
    if frame.passing:
        state.result, *ends = state.result
        finals = zip(frame.passing, starts, ends, frame.passing.values(), strict=True)
        frame.session.finals = tuple(Final(*f, changed_in_place(frame, f[0])) for f in finals)
        _check_stopped(frame)
    else:
        frame.session.finals = ()
    node = function.source.node
    said = annotation(frame, node.returns) if isinstance(node, ast.FunctionDef) else None
    if said is None or (state.result is None and not _returns(frame)):
        return state.result
    at = state.returned_at or function.at
    what = f"the result of {function.name}"
    return conform(frame.session, state.result, said, at, what)


def _check_stopped(frame: Frame) -> None:
    """What carries a derivative must not leave by a parameter that is no_diff."""
    for final in frame.session.finals:
        if final.stops and carries_derivative(frame.session, final.value):
            nodes = own_nodes(frame.function.source.node)
            stores = [n for n in nodes if isinstance(n, ast.stmt) and _stores(n, final.name)]
            raise TraceError(
                f"parameter {final.name!r} of {frame.function.name} is no_diff, but what it holds "
                "at the end carries a derivative: it would be lost",
                frame.span(max(stores, key=lambda n: n.lineno)) if stores else frame.function.at,
                "write detach(…) around the value, or annotate the parameter without no_diff",
            )


def _stores(node: ast.AST, name: str) -> bool:
    """Whether a statement stores into a variable, a field or an element of it."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(
        isinstance(inner, ast.Name) and inner.id == name
        for target in targets
        if target is not None
        for inner in ast.walk(target)
    )


def _returns(frame: Frame) -> bool:
    return any(
        isinstance(n, ast.Return) and n.value is not None
        for n in own_nodes(frame.function.source.node)
    )


def block(frame: Frame, statements: Sequence[ast.stmt]) -> None:
    """Read statements in order, until the function has returned for certain.

    Where the rest of a loop's trip may be skipped, it is the arm of a branch.
    """
    for i, node in enumerate(statements):
        if frame.state.done is True or frame.state.skip is True:
            return
        handler = _HANDLERS.get(type(node))
        if isinstance(node, ast.Delete) and deletes(frame, node):
            continue
        if handler is None:
            what, hint = _REFUSED.get(
                type(node), (f"{type(node).__name__} is not in the language", "")
            )
            raise frame.error(node, what, hint)
        frame.statement = (frame.state.names, len(frame.session.journal.layers))
        handler(frame, node)
        if isinstance(frame.state.skip, Term):
            _unless_skipped(frame, statements[i + 1 :])
            return


def _unless_skipped(frame: Frame, rest: Sequence[ast.stmt]) -> None:
    """Read what follows a `break` or `continue` that may have happened."""
    if not rest:
        return
    skip = frame.state.skip
    assert isinstance(skip, Term)
    skipped, after = frame.state.branch(), frame.state.branch()
    skipped.skip, after.skip = True, False
    unless(frame, skip, skipped, after, partial(block, frame, rest), rest[0])


def _return(frame: Frame, node: ast.Return) -> None:
    value = None if node.value is None else evaluate(frame, node.value)
    _finish(frame, value, frame.span(node))


def _final(frame: Frame, name: str, at: Span) -> Any:
    value = frame.state.names.find(name)
    if isinstance(value, Unusable):
        raise TraceError(value.reason, at, value.hint)
    return value


def _finish(frame: Frame, value: Any, at: Span) -> None:
    """The function returns `value` here, and the final values of its parameters."""
    state = frame.state
    if frame.passing:
        value = (value, *(_final(frame, name, at) for name in frame.passing))
    if not isinstance(state.done, bool):
        session = frame.session
        try:
            value = merged(session.rules, state.done, state.result, value, session.real)
        except Mismatch as error:
            raise returns_differ(error, state.returned_at, at) from None
    state.done, state.result, state.returned_at = True, value, at
    if frame.loops:
        state.skip = state.stop = True


def _if(frame: Frame, node: ast.If) -> None:
    # An elif chain nests to the right: collect it, then merge from the last arm back.
    before = frame.state
    arms: list[tuple[Branch, State, Changed]] = []
    assumed: list[Assumption] = []
    rest: Sequence[ast.stmt] = [node]
    last: State | None = None
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        test = rest[0]
        read = partial(condition, frame, test.test, "if")
        held = under(frame.session, assumed, read, frame.span(test.test))
        if held is True:
            rest = test.body
            break
        if held is not False:
            session = frame.session
            branch = Branch(held, session.rules, session.real, frame.span(test))
            arms.append((branch, *_arm(frame, before, test.body, [*assumed, (held, True)])))
            assumed.append((held, False))
        rest = test.orelse
    if not arms:
        block(frame, rest)
        return
    last, changed = _arm(frame, before, rest, assumed)
    last, changed = all_met(frame.session, before, arms, (last, changed))
    frame.session.journal.redo(changed, frame.span(node))
    _adopt(frame, before, last, node.test)


def _match(frame: Frame, node: ast.Match) -> None:
    before = frame.state
    _adopt(frame, before, match(frame, node, block), node.subject)


def _arm(
    frame: Frame, before: State, statements: Sequence[ast.stmt], assumed: Sequence[Assumption]
) -> tuple[State, Changed]:
    journal = frame.session.journal
    frame.state = after = before.branch()
    journal.begin()
    try:
        with frame.session.assuming(*assumed):
            block(frame, statements)
    finally:
        frame.state = before
        changed = journal.undo()
    return after, changed


def _adopt(frame: Frame, before: State, after: State, node: ast.AST) -> None:
    """Continue in the state after a branch; its merged variables are named in the notes."""
    before.adopt(after)
    for name, value in after.names.local.items():
        if not isinstance(value, Unusable):
            note(frame, name, value, node)


# --- other statements -----------------------------------------------------------------------


def _expression(frame: Frame, node: ast.Expr) -> None:
    if calls(frame, node.value, marks.max_iters):
        assert isinstance(node.value, ast.Call)
        frame.limit = _max_iters(frame, node.value)
    elif _derives(frame, node.value):
        raise frame.error(
            node,
            "what this derivative gives is dropped, and it changes none of its arguments",
            "use what it returns: a pair for every result, InOut and Out parameters included",
        )
    elif isinstance(node.value, ast.Yield | ast.YieldFrom):
        give(frame, node.value)
    elif not isinstance(node.value, ast.Constant):
        evaluate(frame, node.value)  # no effect, but it may be wrong


def _derives(frame: Frame, node: ast.expr) -> bool:
    """Whether an expression is `fwd_diff(g)(…)`: where Slang changes the pairs passed."""
    return isinstance(node, ast.Call) and calls(frame, node.func, marks.fwd_diff)


def _max_iters(frame: Frame, call: ast.Call) -> int:
    args = [evaluate(frame, a) for a in call.args]
    if len(args) != 1 or not isinstance(args[0], int) or args[0] < 1:
        raise frame.error(
            call,
            "max_iters takes one number that is known while reading, at least 1",
            "it bounds the next loop: max_iters(100)",
        )
    below = (n for part in frame.function.body for n in ast.walk(part) if isinstance(n, _LOOPS))
    if not any(loop.lineno > call.lineno for loop in below):
        hint = "write it above the loop that it bounds, or leave it away"
        raise frame.error(call, "max_iters bounds the next loop, and none follows", hint)
    return int(args[0])


_LOOPS = (ast.For, ast.While)


def _for(frame: Frame, node: ast.For) -> None:
    for_loop(frame, node, block, assign)


def _while(frame: Frame, node: ast.While) -> None:
    while_loop(frame, node, block, assign)


def _pass(frame: Frame, node: ast.Pass) -> None:
    return


def _global(frame: Frame, node: ast.Global) -> None:
    """`global name` of what is only read here; no function around has a variable of that name."""
    function = frame.function
    elsewhere = {*getattr(function.outside, "cells", ()), *assigned(function.source.node)}
    if function.enclosing is not None or elsewhere & set(node.names):
        hint = "pass the value in and return the new one"
        raise frame.error(node, "global is not in the language", hint)


def _try(frame: Frame, node: ast.Try) -> None:
    block(frame, without_try(node, _known(frame)))


def _known(frame: Frame) -> Known:
    return Known(partial(_is_silent, frame), partial(without_handlers, frame))


def _with(frame: Frame, node: ast.With) -> None:
    try:
        block(frame, without_with(node, _known(frame)))
    except TraceError as error:
        items = [frame.span(item.context_expr) for item in node.items]
        if error.at not in items or isinstance(error, Uncut):
            raise
        hint = "a class of your own with __enter__ and __exit__, and np.errstate(…), may stand here"
        raise TraceError(f"with: {error.message}", error.at, hint) from None


def _is_silent(frame: Frame, item: ast.withitem) -> bool:
    """`with np.errstate(…):` says nothing to a kernel, which does not warn."""
    made = item.context_expr
    callee = evaluate(frame, made.func) if isinstance(made, ast.Call) else None
    name = f"{getattr(callee, '__module__', '')}.{getattr(callee, '__name__', '')}"
    return name in _SILENT and item.optional_vars is None


_SILENT = ("numpy.errstate", "warnings.catch_warnings")


def _define(frame: Frame, node: ast.FunctionDef) -> None:
    decorators = [
        (d, evaluate(frame, d)) for d in node.decorator_list if not _changes_none(frame, d)
    ]
    function: Any = nested(frame, node, lambda default: evaluate(frame, default))
    for decorator, meaning in reversed(decorators):
        function = call(frame.session, meaning, [function], {}, frame.span(decorator))
    frame.state.names.local[node.name] = function


def _changes_none(frame: Frame, node: ast.expr) -> bool:
    """Whether a decorator leaves what a function computes: `@functools.cache`, `@wraps(f)`."""
    meaning = evaluate(frame, node.func if isinstance(node, ast.Call) else node)
    return any(meaning is f for f in (functools.cache, functools.lru_cache, functools.wraps))


def _import(frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    try:
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = importlib.import_module(alias.name)
                if alias.asname is None:
                    module = importlib.import_module(alias.name.partition(".")[0])
                name = alias.asname or alias.name.partition(".")[0]
                frame.state.names.local[name] = module
            return
        package = str(frame.function.outside.get("__package__") or "")
        module = importlib.import_module("." * node.level + (node.module or ""), package)
        for alias in node.names:
            value = getattr(module, alias.name)
            name = alias.asname or alias.name
            frame.state.names.local[name] = normalise(value, frame.session.real)
    except (ImportError, AttributeError) as error:
        raise frame.error(node, f"this import fails: {error}") from None


_HANDLERS: Mapping[type[ast.stmt], Callable[[Frame, Any], None]] = {
    ast.Return: _return,
    ast.If: _if,
    ast.Match: _match,
    ast.Assign: assign_statement,
    ast.AnnAssign: assign_annotated,
    ast.AugAssign: assign_augmented,
    ast.Expr: _expression,
    ast.Pass: _pass,
    ast.Global: _global,
    ast.Nonlocal: _pass,  # see calls/nonlocals.py
    ast.Assert: assert_statement,
    ast.Raise: raise_statement,
    ast.For: _for,
    ast.While: _while,
    ast.Break: leave,
    ast.Continue: leave,
    ast.Try: _try,
    ast.With: _with,
    ast.FunctionDef: _define,
    ast.ClassDef: define_class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
