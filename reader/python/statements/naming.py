"""Types that a function gives a name: `Vec = tuple[float, float]`.

Takes the node of what is assigned, gives the type of Python, or None where it is a value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum
from typing import Any

from ....terms.errors import TraceError
from ...marks import no_diff
from ...structs import Array, Buffer
from ..expressions.expression import evaluate
from ..values.annotations import hint_of
from ..values.scope import Frame

_OF_TYPES = ("typing", "typing_extensions", "collections.abc", "numpy.typing", "numpy._typing")


def written_type(frame: Frame, node: ast.expr) -> Any:
    """The type that an expression in brackets, or with `|`, writes down."""
    if not (isinstance(node, ast.Subscript | ast.BinOp) and _is_type(frame, node)):
        return None
    found = hint_of(frame, node)
    return Callable if found is None else found  # what it takes and gives is not asked


def _is_type(frame: Frame, node: ast.expr) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(frame, left) and _is_type(frame, right)
        case ast.Constant(value=None):
            return True
        case ast.Subscript(value=base):
            return _is_type(frame, base)
        case ast.Name() | ast.Attribute():
            try:
                found = evaluate(frame, node)
            except TraceError:
                return False  # told where it is evaluated as a value
            return _names_type(found)
    return False


def _names_type(found: Any) -> bool:
    if isinstance(found, type):
        return not issubclass(found, Enum)
    if any(found is word for word in (no_diff, Array, Buffer)):
        return True
    return getattr(found, "__module__", "") in _OF_TYPES
