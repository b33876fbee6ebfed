"""Functions with several results that state derivatives: one operator for each result.

    def sincos(x) -> (s, c)    is    sincos.s(x) -> s    sincos.c(x) -> c
                                     sincos(x) = (sincos.s(x), sincos.c(x))

Takes a block, gives blocks: from there on, all operators have one result. A line `x_bar = …`
stands in the block of every result, where the cotangents of the other results are `silent`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from .derivatives import names_of
from .operators import targets_of
from .parse import Block


def split(block: Block) -> list[Block]:
    """The blocks that a block stands for: itself, if it has one result or no derivative."""
    if block.kind != "op" or len(block.results) < 2:
        return [block]
    own = {r: names_of(block.params, r) for r in block.results}
    stated = {name for node in block.body for name in _names(node)}
    if stated.isdisjoint(name for names in own.values() for name in names.all()):
        return [block]
    parts, used = [], set()
    for result in block.results:
        names = own[result]
        wanted = {result, names.forward, *names.partials, *names.backward, "domain"}
        needed = _needed(block, wanted)
        used |= needed
        lines = [n for n in block.body if needed & _names(n) and _concerns(n, result)]
        silent = tuple([own[other].cotangent for other in block.results if other != result])
        options = {k: v for k, v in block.options.items() if k != "cost"}
        parts.append(
            replace(
                block,
                name=f"{block.name}.{result}",
                results=(result,),
                body=tuple(lines),
                options=options,
                silent=silent,
            )
        )
    rest = [n for n in block.body if not used & _names(n)]
    calls = [_call(block, part) for part in parts]
    return [*parts, replace(block, body=(*calls, *rest))]


def _names(node: ast.stmt) -> set[str]:
    """The names that a line gives a value or a kind to."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return targets_of(node) if isinstance(node, ast.Assign) else set()


def _needed(block: Block, wanted: set[str]) -> set[str]:
    """The wanted lines, and the locals and other results that they use."""
    uses: dict[str, set[str]] = {}
    for node in block.body:
        if isinstance(node, ast.Assign):
            inside = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
            uses |= {name: inside for name in targets_of(node)}
    found: set[str] = set()
    waiting = sorted(wanted)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += sorted(uses.get(name, set()))
    return found


def _concerns(node: ast.stmt, result: str) -> bool:
    """Whether a line is about a result: `s: int` is about s alone."""
    return not isinstance(node, ast.AnnAssign) or _names(node) == {result}


def _call(block: Block, part: Block) -> ast.stmt:
    """`s = sincos.s(x)`, at the place of the block's head."""
    args: Sequence[ast.expr] = [ast.Name(p.name, ast.Load()) for p in block.params]
    call = ast.Call(ast.Name(part.name, ast.Load()), list(args), [])
    line = ast.Assign([ast.Name(part.results[0], ast.Store())], call)
    return ast.fix_missing_locations(ast.copy_location(line, block.node))
