"""The family of errors that users see, and the source positions that they point to."""

from __future__ import annotations

import difflib
import linecache
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType
from typing import Any

_WIDTH = 100  # of the excerpt of a source line


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file; line and columns count from 1, `end` is exclusive."""

    file: str
    line: int
    column: int = 1
    end: int = 0
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The source line with a caret line below it; empty when the line is not known."""
        if not self.text.strip():
            return ""
        start = self.column - 1
        width = max(min(self.end, len(self.text) + 1) - self.column, 1)
        first = len(self.text) - len(self.text.lstrip())
        if len(self.text) - first > _WIDTH:  # a window around the column
            first = max(first, start - _WIDTH // 2)
        shown = self.text[first : first + _WIDTH].rstrip()
        start = max(start - first, 0)
        return f"    {shown}\n    {' ' * start}{'^' * min(width, max(_WIDTH - start, 1))}"


def defined_at(function: object) -> Span | None:
    """Where a Python function is defined, without reading it; None for other objects."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    return line_of(code.co_filename, code.co_firstlineno)


def running_at(frame: FrameType) -> Span:
    """The line that a frame of Python is at."""
    return line_of(frame.f_code.co_filename, frame.f_lineno)


def line_of(file: str, line: int) -> Span:
    """A line of a file of Python."""
    text = linecache.getline(file, line).rstrip("\n")
    indent = len(text) - len(text.lstrip())
    return Span(file, line, indent + 1, len(text) + 1, text)


class EgadError(Exception):
    """Base of all errors of egad: a message, where it happened, and what to do about it."""

    def __init__(self, message: str, at: Span | None = None, hint: str = "") -> None:
        super().__init__(message, at, hint)
        self.message = message
        self.at = at
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"{self.at}: {self.message}" if self.at else self.message]
        if self.at and (excerpt := self.at.excerpt()):
            lines.append(excerpt)
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


class TraceError(EgadError):
    """The function cannot be read: it leaves the language that egad understands."""


class Unknown(TraceError):
    """What has to be known while reading is not: trips of a loop that are written out may tell."""


class RuleError(EgadError):
    """A rule file is malformed, or one of its rules is wrong."""


class DeriveError(EgadError):
    """The program has no derivative, or the request for one makes no sense."""


class ExtractError(EgadError):
    """Saturation or extraction could not deliver a program."""


class EmitError(EgadError):
    """The program cannot be written as OpenCL C."""


class DeviceError(EgadError):
    """No device, a device that fails, or arguments that do not fit the kernel."""


PUBLIC = (
    *(TraceError, RuleError, DeriveError, ExtractError, EmitError, DeviceError),
    EgadError,
)


def public(kind: type[EgadError]) -> type[EgadError]:
    """The kind of an error that users know: those inside of egad have finer ones.

    One that is of a kind of Python, too, stays: it may be caught as that.

    >>> public(Unknown).__name__, public(RuleError).__name__
    ('TraceError', 'RuleError')
    """
    theirs = [base for base in kind.__mro__ if base.__module__ == "builtins"]
    if theirs[0] is not Exception:
        return kind
    return next(base for base in kind.__mro__ if base in PUBLIC)


class EgadWarning(UserWarning):
    """Something that egad did not do as asked, or did in a slower way, and says so."""


_WARNED: dict[Any, Any] = {}  # where `warnings` remembers what it has shown


def warn(message: str, at: Span, hint: str = "") -> None:
    """Warn of something at a place of the user's source, once under Python's default filter.

    Silence with `warnings.filterwarnings("ignore", category=egad.EgadWarning)`.
    """
    text = str(EgadError(message, at, hint))
    warnings.warn_explicit(text, EgadWarning, at.file, at.line, registry=_WARNED)


def shown(number: float) -> str:
    """A number in few digits: Python writes no integer that has thousands of them.

    >>> shown(2.5), shown(10**30)
    ('2.5', '10000000… (100 bits)')
    """
    if not isinstance(number, int) or abs(number) < 10**20:
        return repr(number)
    bits, sign = number.bit_length(), "-" if number < 0 else ""
    first = str(abs(number) // 10 ** (bits * 30103 // 100000 - 9))[:8]
    return f"{sign}{first}… ({bits} bits)"


def called(thing: object) -> str:
    """What a message calls an object: functions and classes by their names, never by an address.

    >>> called(len), called(float), called(3.0), called(object())
    ('the function len', 'the class float', '3.0', 'an object')
    """
    name = getattr(thing, "__name__", "")
    if isinstance(thing, type):
        return f"the class {name}"
    if isinstance(thing, ModuleType):
        return f"the module {name}"
    if callable(thing) and isinstance(name, str) and name:
        return f"the function {name}"
    text = repr(thing)
    if " at 0x" not in text:
        return text
    kind = type(thing).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the known name closest to `name`, or an empty string.

    >>> nearest("atan3", ["sin", "atan2"])
    "; did you mean 'atan2'?"
    """
    if len(name) > _WIDTH:
        return ""  # comparing takes time proportional to both lengths
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
