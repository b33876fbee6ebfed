"""The text of rule files.

Takes bytes or text, gives syntax trees with places; nothing is executed. Knows nothing of
blocks and rules.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...terms.errors import RuleError, Span, called
from .misspelt import advice

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MAX_BYTES = 1 << 20
MAX_DEPTH = 100
TOO_LARGE = "this number is too large"
_LONG_NUMBER = re.compile(r"[0-9](_?[0-9]){4300,}")  # Python reads no longer ones


@dataclass(frozen=True, slots=True)
class Source:
    """A rule file as it was read: its name and its lines."""

    file: str
    lines: tuple[str, ...]

    def span(self, node: ast.AST) -> Span:
        """The place of a syntax node; the compiler's byte offsets become columns."""
        line: int = getattr(node, "lineno", 1)
        start: int = getattr(node, "col_offset", 0)
        end: int = getattr(node, "end_col_offset", None) or start + 1
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if getattr(node, "end_lineno", line) != line:
            end = len(text.encode())
        if not text.isascii():
            data = text.encode()
            start, end = (len(data[:n].decode(errors="replace")) for n in (start, end))
        return Span(self.file, line, start + 1, end + 1, text)

    def error(self, node: ast.AST | Span, rule: str, message: str, hint: str = "") -> RuleError:
        """The error of rule `rule` at a syntax node."""
        at = node if isinstance(node, Span) else self.span(node)
        return RuleError(f"[{rule}] {message}" if rule else message, at, hint)

    def defined_below(self, name: str, line: int) -> int | None:
        """The line of the same block, behind this one, that states a name."""
        for number, text in enumerate(self.lines[line:], line + 1):
            if text and not text[0].isspace():
                return None
            if re.match(rf"\s+{name}\s*=(?!=)", text):
                return number
        return None


def name_span(source: Source, node: ast.FunctionDef) -> Span:
    """Where the name of a `def` stands."""
    text = source.lines[node.lineno - 1]
    start = text.find(node.name, node.col_offset + 3)
    start = max(start, 0)
    return Span(source.file, node.lineno, start + 1, start + 1 + len(node.name), text)


def read_bytes(path: Traversable, shown: str) -> bytes:
    """The content of a rule file, at most `MAX_BYTES` and one byte of it."""
    place = Span(shown, 1)
    try:
        if not path.is_file():
            there = isinstance(path, Path) and path.exists()
            what = "is no plain file" if there else "does not exist"
            what = "is a directory" if path.is_dir() else what
            hint = "give the path of a .rules file, or the name of a shipped set"
            if not shown:
                raise RuleError("the name of a rule file is empty", hint=hint)
            raise RuleError(f"the rule file {what}", place, hint)
        with path.open("rb") as handle:
            return handle.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RuleError(f"the rule file cannot be read: {error}", place) from error


def too_deep(file: str) -> RuleError:
    """The error of a file that exhausts Python's stack."""
    hint = "load rules from a shallower call, or name parts of expressions in locals"
    return RuleError("the rules are nested too deeply to be read", Span(file, 1), hint)


def decode(data: bytes, file: str) -> str:
    """UTF-8 bytes to text."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        before = data[: error.start].rpartition(b"\n")[2]
        place = Span(file, line, len(before.decode(errors="replace")) + 1)
        hint = "save the file as UTF-8"
        raise RuleError(f"byte 0x{data[error.start]:02x} is not UTF-8", place, hint) from error


def plain(text: str) -> str:
    """The text without a byte order mark, its lines ended by line feeds."""
    if not isinstance(text, str):
        hint = "decode bytes first; the rules in a file are those of egad.rules.load([path])"
        raise RuleError(f"rules are read from a text, not from {called(text)}", hint=hint)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def syntax(text: str, file: str) -> tuple[ast.Module, Source]:
    """The syntax tree of a rule file, and its lines."""
    text = plain(text)
    source = Source(file, tuple(text.split("\n")))
    tree = _tree(text, source)
    if not text.isascii():
        _check_ascii(tree, source)
    return tree, source


def _tree(text: str, source: Source) -> ast.Module:
    start = Span(source.file, 1)
    if len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
        raise RuleError("the rule file is larger than 1 MiB", start, "split it into several")
    for line, content in enumerate(source.lines, 1):
        if "\0" in content:
            at = Span(source.file, line, content.index("\0") + 1)
            raise RuleError("the rule file contains a NUL byte", at, "rule files are plain text")
    try:
        return ast.parse(text, source.file)
    except SyntaxError as error:
        line = min(max(error.lineno or 1, 1), len(source.lines))
        column = max(error.offset or 1, 1)
        end = error.end_offset or 0 if error.end_lineno == error.lineno else 0
        content = source.lines[line - 1]
        if found := _LONG_NUMBER.search(content):
            at = Span(source.file, line, found.start() + 1, found.end() + 1, content)
            raise RuleError(TOO_LARGE, at, "write inf") from None
        at = Span(source.file, line, column, end, content)
        hint = advice(content, str(error.msg))
        raise RuleError(f"this is not Python syntax: {error.msg}", at, hint) from None
    except (MemoryError, RecursionError):
        hint = f"expressions may be {MAX_DEPTH} levels deep; name parts of them in locals"
        at = _longest(source, text)
        raise RuleError("the rule file is nested too deeply to be read", at, hint) from None
    except ValueError as error:
        raise RuleError(f"the rule file cannot be parsed: {error}", start) from None


def _longest(source: Source, text: str) -> Span:
    """Where the statement of the most tokens begins: what is nested has as many."""
    best, most, first, count = (1, 0), 0, (0, 0), 0
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in _NO_CODE:
                continue
            first, count = (first if count else token.start), count + 1
            if count > most:
                best, most = first, count
            if token.type == tokenize.NEWLINE:
                count = 0
    line, column = best
    return Span(source.file, line, column + 1, column + 2, source.lines[line - 1])


_NO_CODE = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}


def _check_ascii(tree: ast.Module, source: Source) -> None:
    """Reject letters beyond ASCII outside of strings and comments: look-alikes hide there."""
    lines = {n: line.encode(errors="replace") for n, line in enumerate(source.lines, 1)}
    wanted = {n for n, line in lines.items() if not line.isascii()}
    for statement in tree.body:
        if wanted.isdisjoint(range(statement.lineno, (statement.end_lineno or 0) + 1)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                _blank(lines, node)
    for number in sorted(wanted):
        code = lines[number].split(b"#")[0]
        if not code.isascii():
            start = next(i for i, byte in enumerate(code) if byte > 127)
            column = len(code[:start].decode(errors="replace"))
            text = source.lines[number - 1]
            at = Span(source.file, number, column + 1, column + 2, text)
            letter = text[column]
            raise RuleError(
                f"the letter {letter!r} (U+{ord(letter):04X}) is not ASCII",
                at,
                "names and operators of rule files are ASCII; look-alike letters would hide",
            )


def _blank(lines: dict[int, bytes], node: ast.Constant) -> None:
    last = node.end_lineno or node.lineno
    for number in range(node.lineno, last + 1):
        line = lines[number]
        start = node.col_offset if number == node.lineno else 0
        end = (node.end_col_offset or 0) if number == last else len(line)
        lines[number] = line[:start] + b" " * (end - start) + line[end:]


def doc_of(statement: ast.stmt) -> str | None:
    """The text of a docstring statement, or None."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return None


def describe(node: ast.AST) -> str:
    """What a syntax node is, in words for an error."""
    return _WORDS.get(type(node).__name__, f"this ({type(node).__name__})")


def instead_of(node: ast.AST) -> str:
    """What is written in an operator block in the place of a statement of Python."""
    other = "an operator block holds `name = expression` lines"
    return _INSTEAD.get(type(node).__name__, other)


_INSTEAD = {
    "If": "write the choice into the expression: y = a if x > 0 else b",
    "For": "write it out, or define the operator in Python: a rule has no loops",
    "While": "write it out, or define the operator in Python: a rule has no loops",
    "Return": "name the result, def f(x) -> y, and write y = … for return …",
    "AugAssign": "a name is stated once: write all of it in one line, y = …",
    "Assert": "write where the operator is defined: domain = x > 0",
}
_WORDS = {
    "Import": "an import", "ImportFrom": "an import", "ClassDef": "a class",
    "AsyncFunctionDef": "an async function", "FunctionDef": "a function", "If": "an if",
    "For": "a loop", "While": "a loop", "With": "a with statement", "Return": "a return",
    "Assign": "an assignment", "AnnAssign": "an annotation", "AugAssign": "an assignment",
    "Expr": "an expression", "Lambda": "a lambda", "JoinedStr": "an f-string",
    "Attribute": "an attribute", "Subscript": "an index", "List": "a list", "Tuple": "a tuple",
    "Dict": "a dict", "Set": "a set", "ListComp": "a comprehension",
    "GeneratorExp": "a generator", "DictComp": "a comprehension", "SetComp": "a comprehension",
    "Starred": "a starred expression", "NamedExpr": "an assignment", "Delete": "a del",
    "Await": "an await", "Yield": "a yield", "YieldFrom": "a yield", "Slice": "a slice",
    "Try": "a try", "Raise": "a raise", "Assert": "an assert", "Global": "a global",
    "Nonlocal": "a nonlocal", "Pass": "a pass", "Match": "a match",
}  # fmt: skip
