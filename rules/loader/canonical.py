"""The one form of a rule file: `egad fmt`.

Takes text, gives the same rules and comments with canonical spaces, blank lines and alignment.
What is written on one line stays on one line if it fits; the result is parsed again, and is an
error where it would mean something else.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...terms.errors import RuleError, Span
from .lines import INDENT, WIDTH, Line, Row, lines_of, text_of, texts_of
from .parse import STATEMENTS, parse
from .places import shipped
from .source import decode, plain, read_bytes, too_deep
from .spelling import DTYPES

_COMMENT = 40  # the column of comments behind code
_PROPERTIES = frozenset((*STATEMENTS, *DTYPES))


def format_text(text: str, file: str = "<string>") -> str:
    """The canonical form of a rule file, with the same rules and comments.

    Formatting it again changes nothing. Raises RuleError where the text is no rule file.

    >>> print(format_text("@op( cost = 3)\\ndef thrice(x)->y: y=3*x # of x"), end="")
    @op(cost=3)
    def thrice(x) -> y:
        y = 3 * x                           # of x
    """
    text = plain(text)
    try:
        parse(text, file)
        before = ast.parse(text)
        _refuse_f_strings(before, file)
        _refuse_backslashes(text, file)
        after = _printed(lines_of(text))
        same = ast.dump(before) == ast.dump(ast.parse(after)) and _comments(text) == _comments(
            after
        )
    except (MemoryError, RecursionError):
        raise too_deep(file) from None
    except (SyntaxError, tokenize.TokenError):  # form feeds, which the two parsers read apart
        same, after = False, ""
    if not same:
        message = "this layout cannot be formatted without changing what the file says"
        hint = "indent with spaces, and end lines with line feeds"
        raise RuleError(message, _first_difference(text, after, file), hint)
    return after


def _refuse_f_strings(tree: ast.Module, file: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            at = Span(file, node.lineno, node.col_offset + 1)
            raise RuleError("an f-string is not allowed in a rule file", at)


def _refuse_backslashes(text: str, file: str) -> None:
    """Where lines are joined by backslashes, the tokens do not say how deep a line is."""
    inside: set[int] = set()
    if "\\\n" in text:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                inside.update(range(token.start[0], token.end[0]))
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith("\\") and number not in inside:
            at = Span(file, number, len(line), len(line) + 1, line)
            hint = "put what goes over several lines into brackets"
            raise RuleError("egad fmt does not join lines by backslashes", at, hint)


def _comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [comment.removeprefix("#").strip() for comment in found]


def _first_difference(before: str, after: str, file: str) -> Span:
    pairs = zip(before.split("\n"), after.split("\n"), strict=False)
    line = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), 1)
    return Span(file, line)


def _printed(lines: Sequence[Line]) -> str:
    widths = dict(_alignment(lines))
    parts: list[str] = []
    for index, line in enumerate(lines):
        if index:
            parts.append("\n" * _blanks(lines, index))
        parts += [f"{row}\n" for row in _rows(line, widths.get(index, 0))]
    return "".join(parts)


# ---- Blank lines -------------------------------------------------------------------------


def _blanks(lines: Sequence[Line], index: int) -> int:
    """How many blank lines stand above a line: between blocks two, in blocks at most one."""
    line, above = lines[index], lines[index - 1]
    if line.level:
        first = above.level < line.level or _is_text(above)
        return 0 if first else min(line.blanks, 1)
    if above.first == "@":
        return 0
    if line.first in ("rules_version", "include"):
        return 0 if above.first else min(line.blanks, 1)
    if not above.first and above.level == 0:  # below a comment
        return 0 if not line.blanks else 2 if line.first else min(line.blanks, 2)
    if not line.first and above.level == 0:
        return min(max(line.blanks, 1), 2)
    return 2


def _is_text(line: Line) -> bool:
    return len(line.tokens) == 1 and line.tokens[0].type == tokenize.STRING


# ---- Alignment ---------------------------------------------------------------------------


def _alignment(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The width of the names on lines whose `=` stand below each other."""
    group: list[int] = []
    kind, results = "", set[str]()
    for index, line in enumerate(lines):
        if line.first == "def":
            results = _results(line)
        own = _group_of(line, results)
        if line.level and own and own in (kind, "spelling") and not line.blanks:
            group += [index] if own == kind else []
            continue
        yield from _widths(lines, group)
        group, kind = ([index], own) if own not in ("", "spelling") else ([], "")
        kind = "property" if own == "spelling" else kind
    yield from _widths(lines, group)


def _widths(lines: Sequence[Line], group: Sequence[int]) -> Iterator[tuple[int, int]]:
    width = max((len(lines[index].first) for index in group), default=0)
    yield from ((index, width) for index in group)


def _results(line: Line) -> set[str]:
    texts = [token.string for token in line.tokens]
    after = texts[texts.index("->") :] if "->" in texts else []
    return {text for text in after if text.isidentifier()}


def _group_of(line: Line, results: set[str]) -> str:
    """`property` or `derivative` for `name = …`, `spelling` for f16 = f32 = …, or nothing."""
    texts = [token.string for token in line.tokens[:4]]
    if texts[1:2] != ["="] or not _one_line(line):
        return ""
    name = texts[0]
    if texts[3:4] == ["="]:
        return "spelling" if name in _PROPERTIES else ""
    if name in _PROPERTIES:
        return "property"
    derivative = name.endswith("_bar") or any(re.match(f"d{r}(_d|$)", name) for r in results)
    return "derivative" if derivative else ""


# ---- Lines -------------------------------------------------------------------------------


def _rows(line: Line, width: int) -> list[str]:
    """The text of a statement: on one line where it fits, else broken where it was broken."""
    indent = INDENT * line.level
    if not line.tokens:
        return [indent + _comment(row.comment) for row in line.rows]
    whole = _one_line(line)
    if whole:
        return [_commented(indent + _padded(whole, width), line.rows[-1].comment)]
    return _wrapped(line, indent)


def _one_line(line: Line) -> str:
    """The statement on one line, if it has fewer rows or fits; or nothing."""
    if any(row.comment for row in line.rows[:-1]):
        return ""
    text = text_of(line.tokens)
    fits = len(line.rows) == 1 or len(INDENT * line.level + text) <= WIDTH
    return text if fits else ""


def _padded(text: str, width: int) -> str:
    name, equals, value = text.partition(" = ")
    return f"{name.ljust(width)}{equals}{value}" if width else text


def _commented(text: str, comment: str) -> str:
    if not comment:
        return text
    last = len(text.rpartition("\n")[2])
    return text + " " * max(_COMMENT - last, 2) + _comment(comment)


def _comment(text: str) -> str:
    text = text.rstrip()
    return f"# {text[1:]}" if text[1:2].isalnum() else text


def _wrapped(line: Line, indent: str) -> list[str]:
    """Rows as they were broken, below what follows the outermost bracket."""
    found: list[str] = []
    depth, column = 0, len(indent)
    for row, text in zip(line.rows, texts_of(line.rows), strict=True):
        start = _start(row, depth, column, indent)
        text = start + text
        if not found:
            column = _column(row, text, indent)
        depth += _opened(row)
        found.append(_commented(text, row.comment) if row.tokens else start + _comment(row.comment))
    return found


def _start(row: Row, depth: int, column: int, indent: str) -> str:
    closes = depth == 1 and len(row.tokens) > 0 and row.first in ")]}"
    return indent if not depth or (closes and column == len(indent) + 4) else " " * column


def _opened(row: Row) -> int:
    brackets = [t.string for t in row.tokens if t.type == tokenize.OP and t.string in "()[]{}"]
    return sum(1 if b in "([{" else -1 for b in brackets)


def _column(row: Row, text: str, indent: str) -> int:
    """Where the rows below the first one start."""
    if row.tokens[-1].string in ("(", "[", "{"):
        return len(indent) + 4
    open_at: list[int] = []
    for index, token in enumerate(row.tokens):
        if token.type == tokenize.OP and token.string in "([{":
            open_at.append(index)
        elif token.type == tokenize.OP and token.string in ")]}":
            open_at.pop()
    return len(indent) + len(text_of(row.tokens[: open_at[0] + 1])) if open_at else len(indent) + 4


# ---- Files -------------------------------------------------------------------------------


def format_files(files: Sequence[str], mode: str) -> bool:
    """Format files: `print` them, `write` them back, or `check` (True: one would change)."""
    changed = False
    for file in files:
        text = _read(file)
        new = format_text(text, file)
        if mode == "print" or (file == "-" and mode == "write"):
            sys.stdout.write(new)
        elif new != text:
            changed = True
            if mode == "write":
                _write(file, new)
            print(f"formatted {file}" if mode == "write" else f"would change {file}")
    return changed and mode == "check"


def _read(file: str) -> str:
    if file == "-" and sys.stdin is None:  # closed
        raise RuleError("there is no standard input to read")
    if file == "-":
        return decode(sys.stdin.buffer.read(), "<stdin>")
    if file in shipped() and not Path(file).exists():
        hint = "its file is formatted already; to change it, copy it: `egad rules list` says where"
        raise RuleError(f"{file!r} is the name of a shipped set, not a file of yours", hint=hint)
    return decode(read_bytes(Path(file), file), file)


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_bytes(text.encode())
    except OSError as error:
        raise RuleError(f"the file cannot be written: {error}", Span(file, 1)) from error
