"""Statements: an abstract interpreter over the body of a function.

Takes a frame whose parameters are set, gives the value that the function returns. A branch
on something symbolic reads both arms and merges their states (branches.py); an early return
is a condition, so that what follows is read once.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...terms.errors import TraceError
from ...terms.program import Note
from ...terms.term import CONST, VAR
from ...terms.types import Mat, Vec, leaf_paths
from ...terms.value import Value
from .. import marks
from .access import set_field, set_item
from .annotations import annotation, conform
from .branches import Branch, State, Unusable, returns_differ
from .expression import condition, evaluate, index
from .matching import match
from .operators import binary
from .scope import Frame, nested, own_nodes
from .values import Mismatch, describe, merged, normalise

_LOOP_HINT = "write the steps out, one statement each, or call a helper function per step"
_REFUSED: Mapping[type[ast.stmt], tuple[str, str]] = {
    ast.For: ("loops are not in the language yet", _LOOP_HINT),
    ast.While: ("loops are not in the language yet", _LOOP_HINT),
    ast.Assert: (
        "assert is not in the language: a kernel cannot stop",
        "check the arguments before the call, or limit them with clamp(x, lo, hi)",
    ),
    ast.Raise: (
        "raise is not in the language: a kernel cannot stop",
        "return a value that marks the failure, such as float('nan')",
    ),
    ast.Try: ("try is not in the language: nothing raises", "use if"),
    ast.With: ("with is not in the language", "a derived function only computes"),
    ast.Global: ("global is not in the language", "pass the value in and return the new one"),
    ast.Nonlocal: ("nonlocal is not in the language", "return the new value and assign it"),
    ast.Delete: ("del is not in the language", "leave the variable alone"),
    ast.ClassDef: ("classes are not in the language yet", "use tuples and vectors"),
    ast.AsyncFunctionDef: ("async is not in the language", "use def"),
    ast.AsyncFor: ("async is not in the language", "use def"),
    ast.AsyncWith: ("async is not in the language", "use def"),
    ast.Break: ("loops are not in the language yet", _LOOP_HINT),
    ast.Continue: ("loops are not in the language yet", _LOOP_HINT),
}


def run(frame: Frame) -> Any:
    """The value that the function of `frame` returns, as its annotation says."""
    function = frame.function
    block(frame, function.body)
    state = frame.state
    if state.done is not True:
        if state.done is not False or _returns(frame):
            raise TraceError(
                f"{function.name} does not return on every path",
                function.at,
                "end the function with a return that is always reached: give the if an else, the "
                "match a case _",
            )
        return None
    node = function.source.node
    said = annotation(frame, node.returns) if isinstance(node, ast.FunctionDef) else None
    if said is None:
        return state.result
    at = state.returned_at or function.at
    what = f"the result of {function.name}"
    return conform(frame.session, state.result, said, at, what)


def _returns(frame: Frame) -> bool:
    return any(
        isinstance(n, ast.Return) and n.value is not None
        for n in own_nodes(frame.function.source.node)
    )


def block(frame: Frame, statements: Sequence[ast.stmt]) -> None:
    """Read statements in order, until the function has returned for certain."""
    for node in statements:
        if frame.state.done is True:
            return
        handler = _HANDLERS.get(type(node))
        if handler is None:
            what, hint = _REFUSED.get(
                type(node), (f"{type(node).__name__} is not in the language", "")
            )
            raise frame.error(node, what, hint)
        handler(frame, node)


def _return(frame: Frame, node: ast.Return) -> None:
    value = None if node.value is None else evaluate(frame, node.value)
    state, at = frame.state, frame.span(node)
    if not isinstance(state.done, bool):
        session = frame.session
        try:
            value = merged(session.rules, state.done, state.result, value, session.real)
        except Mismatch as error:
            raise returns_differ(error, state.returned_at, at) from None
    state.done, state.result, state.returned_at = True, value, at


def _if(frame: Frame, node: ast.If) -> None:
    # An elif chain nests to the right: collect it, then merge from the last arm back.
    before = frame.state
    arms: list[tuple[Branch, State]] = []
    rest: Sequence[ast.stmt] = [node]
    last: State | None = None
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        test = rest[0]
        held = condition(frame, test.test, "if")
        if held is True:
            rest = test.body
            break
        if held is not False:
            session = frame.session
            branch = Branch(held, session.rules, session.real, frame.span(test))
            arms.append((branch, _arm(frame, before, test.body)))
        rest = test.orelse
    if not arms:
        block(frame, rest)
        return
    last = _arm(frame, before, rest)
    for branch, state in reversed(arms):
        last = branch.join(before, state, last)
    _adopt(frame, before, last, node.test)


def _match(frame: Frame, node: ast.Match) -> None:
    before = frame.state
    _adopt(frame, before, match(frame, node, block), node.subject)


def _arm(frame: Frame, before: State, statements: Sequence[ast.stmt]) -> State:
    frame.state = before.branch()
    try:
        block(frame, statements)
        return frame.state
    finally:
        frame.state = before


def _adopt(frame: Frame, before: State, after: State, node: ast.AST) -> None:
    """Continue in the state after a branch; its merged variables are named in the notes."""
    before.done, before.result = after.done, after.result
    before.returned_at = after.returned_at
    for name, value in after.names.local.items():
        before.names.local[name] = value
        if not isinstance(value, Unusable):
            _note(frame, name, value, node)


# --- assignments ----------------------------------------------------------------------------


def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    for target in node.targets:
        assign(frame, target, value, node)


def _assign_annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is None:
        return
    value = evaluate(frame, node.value)
    said = annotation(frame, node.annotation)
    if said is not None:
        what = f"{ast.unparse(node.target)!r}"
        value = conform(frame.session, value, said, frame.span(node.value), what)
    assign(frame, node.target, value, node)


def _assign_augmented(frame: Frame, node: ast.AugAssign) -> None:
    old = evaluate(frame, _loaded(node.target))
    value = binary(frame, node, node.op, old, evaluate(frame, node.value))
    assign(frame, node.target, value, node)


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression that is read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def assign(frame: Frame, target: ast.expr, value: Any, node: ast.stmt) -> None:
    """Give a value to a name, a tuple of targets, a field or an element."""
    session, at = frame.session, frame.span(target)
    match target:
        case ast.Name(id=name):
            frame.state.names.local[name] = value
            _note(frame, name, value, node)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(frame, elts, value, node)
        case ast.Attribute(value=base, attr=name):
            old = evaluate(frame, base)
            _assign_part(frame, base, set_field(session, old, name, value, at), node)
        case ast.Subscript(value=base):
            old = evaluate(frame, base)
            place = index(frame, target.slice)
            _assign_part(frame, base, set_item(session, old, place, value, at), node)
        case _:
            raise frame.error(target, "this cannot be assigned to")


def _assign_part(frame: Frame, base: ast.expr, value: Any, node: ast.stmt) -> None:
    """Vectors are values: changing a part of one gives its variable a new value."""
    if isinstance(base, ast.Name):
        try:
            frame.state.names.find(base.id)
        except KeyError:
            raise frame.error(
                base,
                f"{base.id!r} is not a variable of {frame.function.name}: it cannot be changed",
                f"change a local copy instead: local = {base.id}",
            ) from None
    elif not isinstance(base, ast.Attribute | ast.Subscript):
        raise frame.error(base, "only a part of a variable can be changed")
    assign(frame, _loaded(base), value, node)


def _unpack(frame: Frame, targets: Sequence[ast.expr], value: Any, node: ast.stmt) -> None:
    if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
        items: Sequence[Any] = value.items()
    elif isinstance(value, tuple):
        items = value
    else:
        raise frame.error(node, f"{describe(value)} cannot be unpacked into {len(targets)} names")
    stars = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if stars:
        first, after = stars[0], len(targets) - stars[0] - 1
        stop = len(items) - after
        items = [*items[:first], tuple(items[first:stop]), *items[max(stop, first) :]]
    if len(items) != len(targets):
        raise frame.error(
            node,
            f"{len(targets)} names on the left, {len(items)} values on the right",
            "write one name per value",
        )
    for target, item in zip(targets, items, strict=True):
        inner = target.value if isinstance(target, ast.Starred) else target
        assign(frame, inner, item, node)


def _note(frame: Frame, name: str, value: Any, node: ast.AST) -> None:
    """Remember what a term was called; the first name stays."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            _note(frame, f"{name}[{i}]", item, node)
    if not isinstance(value, Value):
        return
    at = None
    for term, path in zip(value.leaves, leaf_paths(value.type), strict=True):
        if term.op not in (VAR, CONST) and term not in frame.session.notes:
            at = at or frame.span(node)
            frame.session.notes[term] = Note(name + path, at)


# --- other statements -----------------------------------------------------------------------


def _expression(frame: Frame, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        evaluate(frame, node.value)  # no effect, but it may be wrong


def _pass(frame: Frame, node: ast.Pass) -> None:
    return


def _define(frame: Frame, node: ast.FunctionDef) -> None:
    for decorator in node.decorator_list:
        meaning = evaluate(frame, decorator)
        if meaning not in (marks.differentiable, marks.extensible):
            raise frame.error(
                decorator,
                "decorators of nested functions are not in the language",
                "define the function at the level of the module",
            )
    function = nested(frame, node, lambda default: evaluate(frame, default))
    frame.state.names.local[node.name] = function


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
    ast.Assign: _assign,
    ast.AnnAssign: _assign_annotated,
    ast.AugAssign: _assign_augmented,
    ast.Expr: _expression,
    ast.Pass: _pass,
    ast.FunctionDef: _define,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
