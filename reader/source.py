"""The source of a function: its syntax tree, and where every node of it stands.

Takes a Python function, gives the `def` or `lambda` node that made it, or None where the text
cannot be found; knows nothing of what the nodes mean.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType

from ..terms.errors import Span, TraceError, defined_at
from .private import make_private

Definition = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The `def` or `lambda` node of a function, inside the text of its file."""

    file: str
    lines: tuple[str, ...]
    node: Definition

    def span(self, node: ast.AST) -> Span:
        """Where a node stands; of a node over several lines, its first line."""
        line = getattr(node, "lineno", 1)
        start = getattr(node, "col_offset", 0)
        text = self.lines[line - 1].rstrip("\n") if line <= len(self.lines) else ""
        raw = text.encode()
        stop = getattr(node, "end_col_offset", None) if node_is_flat(node) else None
        # Offsets count bytes of UTF-8, columns count characters.
        column = len(raw[:start].decode(errors="replace")) + 1
        end = len(raw[:stop].decode(errors="replace")) + 1 if stop is not None else len(text) + 1
        return Span(self.file, line, column, end, text)

    @property
    def at(self) -> Span:
        """Where the function is defined: the line of its `def` or the whole `lambda`."""
        return self.span(self.node)


def node_is_flat(node: ast.AST) -> bool:
    """Whether a node begins and ends on one line."""
    return getattr(node, "lineno", 0) == getattr(node, "end_lineno", -1)


def source_of(function: FunctionType) -> Source | None:
    """The source of a function, or None where its text is not available.

    Raises TraceError where several lambdas of one line cannot be told apart, and for a
    coroutine.
    """
    code = function.__code__
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise TraceError("async is not in the language", defined_at(function), "use def")
    linecache.checkcache(code.co_filename)
    lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
    tree = _parse("".join(lines)) if lines else None
    if tree is None:
        return None
    found: Definition | None = _find_def(tree, code)
    if code.co_name == "<lambda>":
        found = _find_lambda(tree, code, lines)
    return Source(code.co_filename, lines, found) if found is not None else None


@lru_cache(maxsize=128)
def _parse(text: str) -> ast.Module | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if "__" in text:
        make_private(tree)
    return tree


@lru_cache(maxsize=128)
def _definitions(tree: ast.Module) -> dict[int, list[ast.AST]]:
    """All functions of a file by the line where their code object begins."""
    table: dict[int, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            table.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            table.setdefault(node.lineno, []).append(node)
    return table


def _parameters(args: ast.arguments) -> list[str]:
    return [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def _same_parameters(node: Definition, code: CodeType) -> bool:
    count = code.co_argcount + code.co_kwonlyargcount
    return _parameters(node.args) == list(code.co_varnames[:count])


def _find_def(tree: ast.Module, code: CodeType) -> ast.FunctionDef | None:
    for node in _definitions(tree).get(code.co_firstlineno, []):
        # A file edited since it was imported shows here: other names, other parameters.
        if (
            isinstance(node, ast.FunctionDef)
            and _is_name_of(code.co_name, node.name)
            and _same_parameters(node, code)
        ):
            return node
    return None


def _is_name_of(code_name: str, name: str) -> bool:
    """Whether a function is called so: its code keeps `__f`, the class around it has `_A__f`."""
    return name == code_name or (code_name.startswith("__") and name.endswith(code_name))


def _find_lambda(tree: ast.Module, code: CodeType, lines: tuple[str, ...]) -> ast.Lambda | None:
    candidates = [
        node
        for node in _definitions(tree).get(code.co_firstlineno, [])
        if isinstance(node, ast.Lambda) and _same_parameters(node, code)
    ]
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    extent = _extent(code)
    exact = [node for node in candidates if _body_extent(node) == extent]
    if len(exact) == 1:
        return exact[0]
    text = lines[code.co_firstlineno - 1].rstrip("\n")
    raise TraceError(
        "several lambdas on this line look the same, and Python does not say which is meant",
        Span(code.co_filename, code.co_firstlineno, 1, len(text) + 1, text),
        "write each lambda on a line of its own, or use def",
    )


def _extent(code: CodeType) -> tuple[int, int, int, int]:
    """First and last position of the instructions of a lambda's body."""
    places = list(_positions(code))
    if not places:
        return (-1, -1, -1, -1)
    start = min((line, col) for line, _, col, _ in places)
    stop = max((line, col) for _, line, _, col in places)
    return (*start, *stop)


def _positions(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    for line, end_line, column, end_column in code.co_positions():
        # (line, line, 0, 0) is the prologue; None stands for "not known".
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if end_column or end_line != line:
            yield line, end_line, column, end_column


def _body_extent(node: ast.Lambda) -> tuple[int, int, int, int]:
    body = node.body
    assert body.end_lineno is not None and body.end_col_offset is not None
    return (body.lineno, body.col_offset, body.end_lineno, body.end_col_offset)


_NAMING = (ast.FunctionDef, ast.ClassDef, ast.MatchAs, ast.MatchStar)


@lru_cache(maxsize=1024)
def assigned(node: Definition) -> frozenset[str]:
    """The names that a function assigns: its local variables."""
    names = set()
    for inner in own_nodes(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            names.add(inner.id)
        elif isinstance(inner, _NAMING) and inner.name:
            names.add(inner.name)
    return frozenset(names)


@lru_cache(maxsize=1024)
def own_nodes(node: Definition) -> Sequence[ast.AST]:
    """The nodes of a function's body, without those of functions defined inside it."""
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        inner = stack.pop()
        found.append(inner)
        if not isinstance(inner, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(reversed(list(ast.iter_child_nodes(inner))))
    return found


_INSTALLED = ("site-packages", "dist-packages")


def is_installed(file: str) -> bool:
    """Whether a file belongs to a package that pip has installed."""
    return any(part in _INSTALLED for part in Path(file).parts)


def is_of_python(file: str) -> bool:
    """Whether a file comes with Python."""
    return file.startswith(sysconfig.get_paths()["stdlib"]) and not is_installed(file)
