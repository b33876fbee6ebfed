"""A rule file with everything that it includes.

Takes the place of a file, gives its document after those that it includes, each once. Opens
nothing outside of the folder of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...terms.errors import RuleError, nearest
from .header import Include
from .parse import MAX_RULES, Document, parse
from .places import Place
from .source import MAX_BYTES, MAX_DEPTH, decode, read_bytes, too_deep

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MAX_FILES = 1_000


@dataclass(slots=True)
class _Open:
    """A file whose includes are being read."""

    key: str
    place: Place
    document: Document
    next: int = 0


class Reader:
    """Reads files and what they include; a file that is reached twice is read once."""

    def __init__(self) -> None:
        self.done: dict[str, Document] = {}

    def read(self, root: Place) -> None:
        """Add a file, after what it includes; the limits hold for all of them together."""
        if (key := _key(root.path)) in self.done:
            return
        before = len(self.done)
        size = rules = 0
        stack = [_Open(key, root, document_of(root))]
        while stack:
            last = stack[-1]
            if last.next == len(last.document.header.includes):
                self.done[stack.pop().key] = last.document
                continue
            include = last.document.header.includes[last.next]
            last.next += 1
            place = _included(root, last.place, include)
            key = _key(place.path)
            if any(key == opened.key for opened in stack):
                names = [opened.place.shown for opened in stack]
                start = next(i for i, opened in enumerate(stack) if opened.key == key)
                chain = " -> ".join(_shortened([*names[start:], place.shown]))
                raise RuleError(f"the file includes itself: {chain}", include.at, "remove one")
            if key in self.done:
                continue
            opened = document_of(place)
            stack.append(_Open(key, place, opened))
            size, rules = size + opened.size, rules + opened.rules
            first = stack[0].document
            files = len(self.done) - before + len(stack)
            _check_limits(include, first.size + size, first.rules + rules, files, len(stack))


def _parse(text: str, file: str) -> Document:
    try:
        return parse(text, file)
    except (MemoryError, RecursionError):
        raise too_deep(file) from None


_parsed = lru_cache(maxsize=8)(_parse)


def read_document(place: Place) -> Document:
    """The file at a place."""
    return _parse(_text_of(place), place.shown)


def document_of(place: Place) -> Document:
    """The file at a place; what was read before is kept, by its content."""
    return _parsed(_text_of(place), place.shown)


def _text_of(place: Place) -> str:
    return decode(read_bytes(place.path, place.shown), place.shown)


def document_from(text: str, file: str) -> Document:
    """A document from a text, which has no folder to include from."""
    document = _parsed(text, file)
    for include in document.header.includes:
        hint = "save it as a file, or load the other file first"
        raise RuleError("only a file can include another one: this is a text", include.at, hint)
    return document


def _key(path: Traversable) -> str:
    """What tells files apart: the real path."""
    try:
        return str(path.resolve()) if isinstance(path, Path) else str(path)
    except (OSError, ValueError, RuntimeError):
        return str(path)


def _included(root: Place, place: Place, include: Include) -> Place:
    """The file that an include means; links that lead out of the root's folder are refused."""
    folder = _folder(place.path)
    found = folder.joinpath(include.path)
    if not found.is_file():
        names = [p.name for p in folder.iterdir() if p.name.endswith(".rules")]
        message = f"there is no rule file {include.path!r} beside {Path(place.shown).name}"
        hint = "the path counts from the folder of the file that includes"
        raise RuleError(f"{message}{nearest(include.path, names)}", include.at, hint)
    if isinstance(found, Path) and isinstance(root.path, Path):
        home = root.path.parent.resolve()
        if not found.resolve().is_relative_to(home):
            hint = f"included files are below {home}"
            raise RuleError(f"{include.path!r} is a link out of the folder", include.at, hint)
    shown = str(found) if place.shown == str(place.path) else include.path
    return Place(found, shown)


def _folder(path: Traversable) -> Traversable:
    parent: Traversable = path.parent  # type: ignore[attr-defined]  # of paths, in zip files too
    return parent


def _check_limits(include: Include, size: int, rules: int, files: int, depth: int) -> None:
    for count, limit, what in (
        (size, MAX_BYTES, "1 MiB"),
        (rules, MAX_RULES, f"{MAX_RULES} rules"),
        (files, MAX_FILES, f"{MAX_FILES} files"),
        (depth, MAX_DEPTH, f"{MAX_DEPTH} levels of includes"),
    ):
        if count > limit:
            message = f"with what it includes, the rule file has more than {what}"
            raise RuleError(message, include.at, "give the files to egad one by one")


def _shortened(names: list[str]) -> list[str]:
    return [*names[:3], "…", *names[-2:]] if len(names) > 6 else names
