"""When structs and lists are equal, and when they are one: `==` and `is`.

Takes two values, gives whether they are equal, as their classes say: by their fields, as tuples,
or as one object. What the parts of them are asked with comes as a function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from ....terms.types import Scalar
from ...constructors import compared
from ..operations.arithmetic import operate
from ..operations.library import UNKNOWN
from ..operations.operators import comparison
from ..operations.records import as_plain_tuple, attribute, elements, no_call
from ..values.arms import in_arms
from ..values.objects import Choice, Instance, Listed, Object, ends_of, first, is_tuple
from ..values.scope import Frame

#: `compare(frame, node, op, left, right)`, of any two values.
Compare = Callable[[Frame, ast.AST, ast.cmpop, Any, Any], Any]


def in_kinds(
    frame: Frame, node: ast.AST, op: ast.cmpop, left: Any, right: Any, compare: Compare
) -> Any:
    """`left op right` where a reference may lead to objects of several classes; else UNKNOWN."""
    session, at = frame.session, frame.span(node)
    left, right = session.settled(left), session.settled(right)
    if _is_mixed(left):
        held, arms, read = left.condition, left, lambda arm: compare(frame, node, op, arm, right)
    elif _is_mixed(right):
        held, arms, read = right.condition, right, lambda arm: compare(frame, node, op, left, arm)
    else:
        return UNKNOWN
    then, other = in_arms(session, held, arms.then, arms.other, read, at)
    return session.either(held, then, other, at)


def _is_mixed(value: Any) -> bool:
    if not isinstance(value, Choice):
        return False
    return len({getattr(end, "cls", None) for end in ends_of(value)}) > 1


def equal(frame: Frame, node: ast.AST, left: Any, right: Any, compare: Compare) -> Any:
    """Whether two structs or lists are equal, of which no method says so."""
    pairs = _pairs(frame, node, left, right)
    if not isinstance(pairs, list):
        return pairs
    session, at = frame.session, frame.span(node)
    result: Any = True
    for x, y in pairs:
        held = compare(frame, node, ast.Eq(), x, y)
        if isinstance(held, bool):
            if not held:
                return False
        elif getattr(held, "type", Scalar.BOOL) is not Scalar.BOOL:
            raise frame.error(node, "vectors are compared by component", "compare the fields")
        else:
            result = held if result is True else operate(session, "logical_and", [result, held], at)
    return result


def _pairs(frame: Frame, node: ast.AST, left: Any, right: Any) -> Any:
    """What must be equal in two objects, in pairs; or whether they are equal."""
    at = frame.span(node)
    a, b = first(left), first(right)
    if isinstance(a, Listed) and isinstance(b, Listed):
        items = [elements(frame.session, v, at) for v in (left, right)]
        return list(zip(*items, strict=True)) if len(a.items) == len(b.items) else False
    rows = rows_of(frame, node, "__eq__", left, right)
    if rows is not None:
        return list(zip(*rows, strict=True)) if len(rows[0]) == len(rows[1]) else False
    if not isinstance(a, Instance) or not isinstance(b, Instance) or a.cls is not b.cls:
        return False
    return same(frame, node, left, right)  # dataclass(eq=False): it is equal to itself only


def rows_of(
    frame: Frame, node: ast.AST, method: str, left: Any, right: Any
) -> list[tuple[Any, ...]] | None:
    """The tuples whose comparison is that of two structs; None where there are none.

    A NamedTuple is one, beside any tuple; dataclasses of one class compare their fields, where
    `dataclass` has written the method that compares.
    """
    session, at = frame.session, frame.span(node)
    plain = [as_plain_tuple(session, v, at) for v in (left, right)]
    if plain != [None, None]:
        rows = [v if row is None else row for v, row in zip((left, right), plain, strict=True)]
        return rows if all(is_tuple(row) for row in rows) else None
    a, b = first(left), first(right)
    same_class = isinstance(a, Instance) and isinstance(b, Instance) and a.cls is b.cls
    names = compared(a.cls, method) if same_class else None
    if names is None:
        return None
    read = partial(attribute, session, at=at, invoke=no_call)
    return [tuple(read(v, name) for name in names) for v in (left, right)]


def same(frame: Frame, node: ast.AST, left: Any, right: Any) -> Any:
    """Whether two references lead to one object."""
    if isinstance(left, Choice) or isinstance(right, Choice):
        choice, other = (left, right) if isinstance(left, Choice) else (right, left)
        arms = [same(frame, node, arm, other) for arm in (choice.then, choice.other)]
        return frame.session.either(choice.condition, arms[0], arms[1], frame.span(node))
    if isinstance(left, Object) and isinstance(right, Object) and left is not right:
        _refuse_unknown(frame, node, left, right)
    return comparison(frame, node, ast.Is(), left, right)


def _refuse_unknown(frame: Frame, node: ast.AST, left: Object, right: Object) -> None:
    """Two objects that may be one: a loop has moved references, or they are of the module."""
    why = left.twins[id(right)][1] if id(right) in left.twins else ""
    if not why and left.frozen and left.frozen == right.frozen:
        why = "objects of the module are read anew wherever they are named"
    if why:
        message = f"whether these are one object is not known: {why}"
        raise frame.error(node, message, "compare a field that tells them apart")
