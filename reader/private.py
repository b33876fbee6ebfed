"""Private names: inside of a class `A`, `__x` is written and means `_A__x`.

Takes the syntax tree of a file and renames in it what Python renames.
"""

from __future__ import annotations

import ast

#: Where a node holds a name. Those of arguments in a call, `f(__x=1)`, stay as they are.
_NAMED = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.arg: "arg",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}


def make_private(tree: ast.Module) -> None:
    """Rename the private names of all classes in a file."""
    stack: list[tuple[ast.AST, str]] = [(node, "") for node in tree.body]
    while stack:
        node, owner = stack.pop()
        around = owner  # of what stands in the node
        if isinstance(node, ast.ClassDef):
            outside = [*node.decorator_list, *node.bases, *node.keywords]
            stack += [(inner, owner) for inner in outside]
            inside: list[ast.AST] = list(node.body)
            around = node.name.lstrip("_")
        else:
            inside = list(ast.iter_child_nodes(node))
        if owner:
            _rename(node, owner)
        stack += [(inner, around) for inner in inside]


def _rename(node: ast.AST, owner: str) -> None:
    if isinstance(node, ast.Global | ast.Nonlocal):
        node.names = [private(name, owner) for name in node.names]
    place = _NAMED.get(type(node))
    name = getattr(node, place) if place else None
    if place and name:
        setattr(node, place, private(name, owner))


def private(name: str, owner: str) -> str:
    """A name as it is inside of a class; `owner` is that of the class, without `_` before it.

    >>> private("__x", "A"), private("__init__", "A"), private("_x", "A")
    ('_A__x', '__init__', '_x')
    """
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{owner}{name}" if is_private else name
