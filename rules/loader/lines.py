"""A rule file as lines of tokens, and the spaces between tokens.

Takes text, gives logical lines with their level, comments and the blank lines above them; gives
the text of tokens with canonical spaces. Knows nothing of rules.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from tokenize import TokenInfo

WIDTH = 100
INDENT = "    "
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_HUGGING = ("**", ".")  # no space on either side
_SKIPPED = (tokenize.ENDMARKER, tokenize.ENCODING)


@dataclass(frozen=True, slots=True)
class Row:
    """What stands on one line of text: tokens, or a comment, or both."""

    tokens: tuple[TokenInfo, ...]
    comment: str = ""

    @property
    def first(self) -> str:
        """The text of the first token, or nothing."""
        return self.tokens[0].string if self.tokens else ""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement (or a comment on a line of its own): its level and the blanks above it."""

    level: int
    rows: tuple[Row, ...]
    blanks: int = 0

    @property
    def first(self) -> str:
        """The text of the first token; nothing for a comment."""
        return self.rows[0].first

    @property
    def tokens(self) -> tuple[TokenInfo, ...]:
        """The tokens of all rows."""
        return tuple(token for row in self.rows for token in row.tokens)


@dataclass(slots=True)
class _Reader:
    """The state of reading: finished lines, rows of the open one, and where blocks are indented."""

    lines: list[Line] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    row: list[TokenInfo] = field(default_factory=list)
    columns: list[int] = field(default_factory=lambda: [0])
    waiting: list[tuple[int, str, int]] = field(default_factory=list)  # comments: column, blanks
    above: list[int] = field(default_factory=lambda: [0])  # `columns` at the line above them
    blanks: int = 0

    def take(self, token: TokenInfo) -> None:
        """One more token."""
        kind = token.type
        if kind == tokenize.INDENT:
            self.columns.append(len(token.string.expandtabs()))
        elif kind == tokenize.DEDENT:
            self.columns.pop()
        elif kind == tokenize.COMMENT:
            self._comment(token)
        elif kind == tokenize.NL:
            self._end_of_row()
        elif kind == tokenize.NEWLINE:
            self.end_of_line()
        elif kind not in _SKIPPED:
            if not self.row and not self.rows:
                self.place_comments()
            self.row.append(token)

    def _comment(self, token: TokenInfo) -> None:
        if self.row or self.rows:
            self.rows.append(Row(tuple(self.row), token.string))
            self.row = []
        else:
            column = len(token.line[: token.start[1]].expandtabs())
            self.waiting.append((column, token.string, self.blanks))
            self.blanks = -1  # the end of the comment's own line is no blank

    def _end_of_row(self) -> None:
        if self.row:
            self.rows.append(Row(tuple(self.row)))
            self.row = []
        elif not self.rows:
            self.blanks += 1

    def end_of_line(self) -> None:
        """The end of a statement."""
        if self.row:
            self.rows.append(Row(tuple(self.row)))
        if self.rows:
            self.lines.append(Line(len(self.columns) - 1, tuple(self.rows), self.blanks))
            self.above = list(self.columns)
        self.rows, self.row, self.blanks = [], [], 0

    def place_comments(self) -> None:
        """The comments above a line, at the level that their column says, within reason."""
        deeper = max(self.above, self.columns, key=len)
        low, high = sorted((len(self.above) - 1, len(self.columns) - 1))
        for column, text, blanks in self.waiting:
            level = sum(start <= column for start in deeper[1:])
            self.lines.append(Line(min(max(level, low), high), (Row((), text),), max(blanks, 0)))
        if self.waiting:
            self.blanks = max(self.blanks, 0)
        self.waiting = []


def lines_of(text: str) -> list[Line]:
    """The logical lines of a text that Python can parse, comments among them.

    >>> [(line.level, line.first) for line in lines_of("def f(x):\\n  y = x # of x\\n")]
    [(0, 'def'), (1, 'y')]
    """
    reader = _Reader()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        reader.take(token)
    reader.end_of_line()
    reader.place_comments()
    return [part for line in reader.lines for part in _statements(line)]


def _statements(line: Line) -> Iterator[Line]:
    """One line per statement: what follows `def …:` on its line, and what `;` separates.

    `if condition: statement` stays on one line where it fits.
    """
    tokens, colon = line.tokens, _suite(line)
    ends = [i for i, depth, token in _depths(tokens) if not depth and token.string == ";"]
    several = any(i < len(tokens) - 1 for i in ends)
    if line.first == "if" and not several and len(INDENT * line.level + text_of(tokens)) <= WIDTH:
        colon = None
    if line.first in ("def", "if") and colon is not None:
        yield replace(line, rows=_part(line.rows, 0, colon + 1))
        yield from _separated(line, colon + 1, ends, line.level + 1, 0)
    elif ends:
        yield from _separated(line, 0, ends, line.level, line.blanks)
    else:
        yield line


def _separated(
    line: Line, start: int, semicolons: Sequence[int], level: int, blanks: int
) -> Iterator[Line]:
    for end in (*semicolons, len(line.tokens)):
        rows = _part(line.rows, start, end)
        if any(row.tokens for row in rows):
            yield Line(level, rows, blanks)
            blanks = 0
        start = end + 1


def _part(rows: Sequence[Row], start: int, end: int) -> tuple[Row, ...]:
    """The rows of some of the tokens; a comment stays with the last token of its row."""
    found, at = [], 0
    for row in rows:
        tokens = row.tokens[max(start - at, 0) : max(end - at, 0)]
        at += len(row.tokens)
        last = start < at <= end or (
            at == end + 1 and row.tokens[-1:] and row.tokens[-1].string == ";"
        )
        if tokens or (not row.tokens and start < at < end):
            found.append(Row(tokens, row.comment if last or not tokens else ""))
    return tuple(found)


def _suite(line: Line) -> int | None:
    """The index of the colon of a `def` or `if` that has its body on its own line, or None."""
    tokens = line.tokens
    for i, depth, token in _depths(tokens):
        if depth == 0 and token.string == ":":
            return i if i < len(tokens) - 1 else None
    return None


def _depths(tokens: Sequence[TokenInfo]) -> Iterator[tuple[int, int, TokenInfo]]:
    """Every token with its index and how many brackets are open around it."""
    depth = 0
    for index, token in enumerate(tokens):
        if token.type == tokenize.OP and token.string in _CLOSE:
            depth -= 1
        yield index, depth, token
        if token.type == tokenize.OP and token.string in _OPEN:
            depth += 1


def text_of(tokens: Sequence[TokenInfo]) -> str:
    """The tokens on one line, with canonical spaces.

    >>> text_of(lines_of("y=x ** 2*( -1 / 2 )")[0].tokens)
    'y = x**2 * (-1/2)'
    """
    return texts_of((Row(tuple(tokens)),))[0]


def texts_of(rows: Sequence[Row]) -> list[str]:
    """The texts of the rows of one statement, with canonical spaces inside of each."""
    tokens = [token for row in rows for token in row.tokens]
    parts: list[str] = []
    for index, depth, token in _depths(tokens):
        space = " " if index and _spaced(tokens, index, depth) else ""
        text = _quoted(token.string) if token.type == tokenize.STRING else token.string
        parts.append(space + text)
    texts, at = [], 0
    for row in rows:
        texts.append("".join(parts[at : at + len(row.tokens)]).lstrip(" "))
        at += len(row.tokens)
    return texts


def _spaced(tokens: Sequence[TokenInfo], index: int, depth: int) -> bool:
    """Whether a space stands before the token at `index`."""
    left, right = tokens[index - 1], tokens[index]
    a, b = left.string, right.string
    if left.type != tokenize.OP and right.type != tokenize.OP:
        return True
    if a in _OPEN or b in (*_CLOSE, ",", ";", ":"):
        return a == "," and b not in (*_CLOSE, ",", ";", ":")
    if a in (*_HUGGING, "@") or b in _HUGGING:
        return (left.type == tokenize.NUMBER and b == ".") or (
            a == "@" and _is_operand(tokens, index - 2)
        )
    if b in ("(", "["):
        return not _is_operand(tokens, index - 1) and not _is_sign(tokens, index - 1)
    if "=" in (a, b) and depth > 0:
        return False
    return not (_is_sign(tokens, index - 1) or _in_fraction(tokens, index))


def _is_operand(tokens: Sequence[TokenInfo], index: int) -> bool:
    """Whether a value ends at the token."""
    if index < 0:
        return False
    token = tokens[index]
    if token.type == tokenize.NAME:
        return not keyword.iskeyword(token.string) or token.string in ("True", "False", "None")
    return token.type != tokenize.OP or token.string in (*_CLOSE, "...")


def _is_sign(tokens: Sequence[TokenInfo], index: int) -> bool:
    """Whether the token is an operator in front of one value: `-x`, `*args`."""
    signs = ("-", "+", "~", "*")
    return tokens[index].string in signs and not _is_operand(tokens, index - 1)


def _in_fraction(tokens: Sequence[TokenInfo], index: int) -> bool:
    """Whether the token is the `/` of a fraction such as 1/12, or follows it."""
    slash = index if tokens[index].string == "/" else index - 1
    if tokens[slash].string != "/" or not 0 < slash < len(tokens) - 1:
        return False
    whole = tokens[slash - 1].string.isdigit() and tokens[slash + 1].string.isdigit()
    around = [tokens[i].string for i in (slash - 2, slash + 2) if 0 <= i < len(tokens)]
    return whole and "**" not in around


def _quoted(text: str) -> str:
    """The string in double quotes where that changes nothing else."""
    for single, double in (("'''", '"""'), ("'", '"')):
        if text.startswith(single) and text != "''":
            inner = text[len(single) : -len(single)]
            plain = '"' not in inner and "\\" not in inner
            return f"{double}{inner}{double}" if plain else text
    return '""' if text == "''" else text
