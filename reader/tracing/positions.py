"""Where in the user's source something happened: the innermost frame that is the user's."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping
from types import CodeType, FrameType

from ...terms.errors import Span
from ...terms.program import Note
from ...terms.term import Term

# A place before it is looked up: cheap enough to keep for every operation.
Origin = tuple[CodeType, int]

_ROOT = __name__.partition(".")[0]
_SKIPPED = (f"{_ROOT}.", "numpy.")


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame, `depth` callers away or more, that is not egad's nor NumPy's."""
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None:
        if is_user_code(frame):
            return frame
        frame = frame.f_back
    return None


def is_user_code(frame: FrameType) -> bool:
    """Whether a frame is neither egad's nor NumPy's."""
    module = frame.f_globals.get("__name__", "")
    return not module.startswith(_SKIPPED) and module != _ROOT


def here(depth: int = 1) -> Span | None:
    """The place in the user's source that is being run."""
    frame = user_frame(depth + 1)
    return None if frame is None else span((frame.f_code, frame.f_lasti))


def span(origin: Origin) -> Span:
    """The line and the columns of an instruction."""
    code, offset = origin
    return _span(code, list(code.co_positions()), offset)


def notes_of(origins: Mapping[Term, Origin]) -> dict[Term, Note]:
    """Where each term comes from, as notes without a name."""
    tables: dict[CodeType, list[tuple[int | None, int | None, int | None, int | None]]] = {}
    known: dict[Origin, Note] = {}
    for code, offset in dict.fromkeys(origins.values()):
        table = tables.get(code)
        if table is None:
            table = tables[code] = list(code.co_positions())
        known[code, offset] = Note("", _span(code, table, offset))
    return {term: known[origin] for term, origin in origins.items()}


def _span(
    code: CodeType,
    table: list[tuple[int | None, int | None, int | None, int | None]],
    offset: int,
) -> Span:
    line, last, start, stop = table[offset // 2] if offset >= 0 else (None,) * 4
    line = line or code.co_firstlineno
    text = linecache.getline(code.co_filename, line).rstrip("\n")
    if start is None or stop is None:
        return Span(code.co_filename, line, 1, 0, text)
    # Columns of instructions count the bytes of the line.
    raw = text.encode()
    column = len(raw[:start].decode(errors="ignore")) + 1
    end = len(raw[:stop].decode(errors="ignore")) + 1 if last == line else len(text) + 1
    return Span(code.co_filename, line, column, end, text)
