"""Rules that store to an array of their module: `image[i] = …`, and say where they did.

Takes the function of a rule, gives one that also counts: behind every `image[i] = …` stands
that element i was stored to. Knows nothing of values.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ...source import Definition, own_nodes
from ..values.scope import Function


def base_of(node: ast.expr) -> ast.Name | None:
    """The variable of `a[i][j]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def count_of(name: str) -> str:
    """What counts the stores to an array is called as no variable can be."""
    return f"{name} stored"


def stores_to(node: Definition, name: str) -> list[ast.Name]:
    """The array in every `a[i] = …`."""
    bases = [
        base_of(statement.targets[0])
        for statement in own_nodes(node)
        if isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Subscript)
    ]
    return [base for base in bases if base is not None and base.id == name]


def counting(function: Function, names: Sequence[str]) -> Function:
    """The function that also says which elements of the arrays it has stored to."""
    node = deepcopy(function.source.node)
    _Counter(names).generic_visit(node)
    return replace(function, source=replace(function.source, node=node))


class _Counter(ast.NodeTransformer):
    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # a function of its own

    def visit_Assign(self, node: ast.Assign) -> Any:
        base = base_of(node.targets[0])
        if base is None or base.id not in self.names:
            return node
        place = deepcopy(node.targets[0])
        counter = base_of(place)
        assert counter is not None
        counter.id = count_of(base.id)
        once = ast.copy_location(ast.Constant(1.0), node)
        return [node, ast.copy_location(ast.Assign([place], once), node)]
