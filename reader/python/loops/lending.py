"""Vectors of long lists that trips of a loop change, but never replace, are elements throughout."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ..values.lent import Lent, element, lend, lent
from ..values.scope import Session
from ..values.variables import Variable


def loans_of(
    session: Session, variables: Mapping[Any, Variable], body: Sequence[ast.stmt]
) -> dict[Any, Lent]:
    """The loans that stand before the loop, of variables that its body never assigns as a whole."""
    stored = {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names = {p: v.before for p, v in variables.items() if isinstance(p, str) and p not in stored}
    found = {name: lent(session, v) or element(session, v) for name, v in names.items()}
    return {name: loan for name, loan in found.items() if loan is not None}


def lend_again(session: Session, loans: Mapping[Any, Lent], values: Mapping[Any, Any]) -> None:
    """What the variables are now are the same elements."""
    for name, loan in loans.items():
        lend(session, values.get(name), loan.holder, loan.index)
