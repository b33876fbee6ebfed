"""The head of a rule file: its docstring, its version, and what it includes.

Takes the statements of a file, gives the version of the rule language that it is written for
(`rules_version = 1`), the files that it includes (`include("other.rules")`), and the statements
after them. Knows nothing of blocks and opens nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.errors import RuleError, Span
from .source import Source, doc_of

#: The versions of the rule language that this egad reads; the last one is today's.
VERSIONS = (1,)
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_INCLUDE_HINT = 'write a path below the folder of this file: include("more/angles.rules")'


@dataclass(frozen=True, slots=True)
class Include:
    """An `include("…")` line: the path, from the folder of the file, and where it stands."""

    path: str
    at: Span


@dataclass(frozen=True, slots=True)
class Header:
    """What stands above the first block."""

    version: int
    includes: tuple[Include, ...]


def read_header(body: Sequence[ast.stmt], source: Source) -> tuple[Header, list[ast.stmt]]:
    """The head of a file, and the statements after it; a file without version is of today's."""
    rest = list(body)
    if rest and doc_of(rest[0]) is not None:
        rest = rest[1:]
    version = VERSIONS[-1]
    if rest and is_version(rest[0]):
        version = _version(rest.pop(0), source)
    count = 0
    while count < len(rest) and is_include(rest[count]):
        count += 1
    return Header(version, tuple(_include(node, source) for node in rest[:count])), rest[count:]


def is_version(node: ast.stmt) -> bool:
    """Whether a statement is `rules_version = …`."""
    match node:
        case ast.Assign(targets=[ast.Name(id="rules_version")]):
            return True
    return False


def is_include(node: ast.stmt) -> bool:
    """Whether a statement is `include(…)`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="include"))):
            return True
    return False


def misplaced(node: ast.stmt, source: Source) -> RuleError | None:
    """The error of a line that belongs into the head, below it; None for all others."""
    if is_version(node):
        hint = "below the docstring, above includes and blocks, once: rules_version = 1"
        return source.error(node, "", "rules_version stands at the top of a file", hint)
    if is_include(node):
        hint = "move it up, below rules_version"
        return source.error(node, "", "include(…) stands above the first block", hint)
    return None


def _version(node: ast.stmt, source: Source) -> int:
    assert isinstance(node, ast.Assign)
    version = node.value.value if isinstance(node.value, ast.Constant) else None
    known = " and ".join(map(str, VERSIONS))
    if type(version) is not int or version < 1:
        hint = f"write rules_version = {VERSIONS[-1]}"
        raise source.error(node.value, "", "rules_version is a whole number", hint)
    if version not in VERSIONS:
        shown = str(version) if version < 10**9 else "a later version"
        raise source.error(
            node.value,
            "",
            f"this file is written for version {shown} of the rule language; "
            f"this egad knows version {known}",
            "update egad (pip install --upgrade egad), or write the file for version "
            f"{VERSIONS[-1]}: rules_version = {VERSIONS[-1]}",
        )
    return version


def _include(node: ast.stmt, source: Source) -> Include:
    assert isinstance(node, ast.Expr)
    match node.value:
        case ast.Call(args=[ast.Constant(value=str(path)) as text], keywords=[]):
            fault = _path_fault(path)
            if fault:
                raise source.error(text, "", f"include({path[:60]!r}): {fault}", _INCLUDE_HINT)
            return Include(path, source.span(text))
    raise source.error(node, "", "include takes the path of one rule file", _INCLUDE_HINT)


def _path_fault(path: str) -> str:
    """What is wrong with the path of an include, or nothing.

    Only downwards: a file that came from elsewhere must not show, in an error's excerpt, lines
    of files of the machine that it is loaded on.
    """
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "an absolute path"
    if "\\" in path:
        return "parts of a path are separated by /"
    parts = path.split("/")
    if ".." in parts:
        return "a path that leaves the folder of the file"
    if len(path) > 300 or not all(_PART.fullmatch(part) for part in parts):
        return "parts of a path are made of ASCII letters, digits, _ - and ."
    return "" if path.endswith(".rules") else "the name of a rule file ends in .rules"
