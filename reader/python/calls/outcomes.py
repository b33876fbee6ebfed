"""What the results of a program are called.

Takes the text of a function, or what it returns, gives names.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Sequence
from typing import Any

from ....terms.errors import Span
from ...source import own_nodes
from ..values.entries import entries_of
from ..values.scope import Session


def entries_by_name(
    session: Session, value: Any, at: Span
) -> tuple[Sequence[str], tuple[Any, ...]] | None:
    """The names and the entries of a dictionary of several; None where they can name no results."""
    entries = entries_of(session, value, at) or {}
    names = [str(key) for key in entries if isinstance(key, str) and _is_name(key)]
    return (names, tuple(entries.values())) if len(names) == len(entries) > 1 else None


def _is_name(key: str) -> bool:
    """Whether a variable could be called so."""
    return key.isidentifier() and not keyword.iskeyword(key)


def result_names(node: ast.FunctionDef | ast.Lambda) -> list[str]:
    """Names for the results of a function that returns tuples.

    A result is called as the variable that every return gives in its place, if there is one
    and no other result has it; else `out0`, `out1`, ….
    """
    if not isinstance(node, ast.FunctionDef):
        return []
    returned = [n.value for n in own_nodes(node) if isinstance(n, ast.Return)]
    rows = [value.elts for value in returned if isinstance(value, ast.Tuple)]
    if not rows or len(rows) != len(returned) or len({len(row) for row in rows}) != 1:
        return []
    names = []
    for column in zip(*rows, strict=True):
        found = {item.id if isinstance(item, ast.Name) else "" for item in column}
        names.append(found.pop() if len(found) == 1 else "")
    return [name if name and names.count(name) == 1 else f"out{i}" for i, name in enumerate(names)]
