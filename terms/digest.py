"""A name for the content of values: equal content gives equal names, in every process.

Takes programs, rule sets and options, gives a digest of all that they hold: also notes, places and
other fields that take no part in comparisons, because they show in texts. What it does not know
how to name is an error, never left out.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from .program import Program
from .term import Term, to_table
from .types import Scalar


class Nameless(Exception):
    """A value of a kind whose content cannot be named."""


def digest(*values: Any) -> str:
    """The name of the values' content. Raises Nameless.

    >>> digest(1) == digest(1), digest(1) == digest(1.0), digest("a", "b") == digest("ab")
    (True, False, False)
    """
    writer = _Writer()
    writer.value(values)
    return hashlib.sha256("\n".join(writer.out).encode("utf-8", "surrogatepass")).hexdigest()


#: Values whose `repr` says all, in one line.
_PLAIN = frozenset({type(None), bool, int, str, bytes})


@lru_cache(maxsize=1000)
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple([field.name for field in fields(kind)])


class _Writer:
    """Writes values down; recursion follows programs inside of programs, never terms."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.known: dict[int, tuple[int, Any]] = {}  # programs that were written, kept alive

    def value(self, value: Any) -> None:
        kind = type(value)
        if kind in _PLAIN:
            self.out.append(f"{kind.__name__} {value!r}")
        elif kind is tuple or kind is list:
            self.out.append(f"items {len(value)}")
            for item in value:
                self.value(item)
        elif isinstance(value, Enum):
            self.out.append(f"{kind.__qualname__}.{value.name}")
        elif kind is float:
            self.out.append(f"float {struct.pack('<d', value).hex()}")
        elif kind is Term:
            self.terms([value])
        elif kind is Program:
            self.program(value)
        elif isinstance(value, Mapping):
            self.value(list(value.items()))
        elif isinstance(value, type):
            self.out.append(f"type {value.__module__}.{value.__qualname__}")
        elif is_dataclass(kind):
            self.fields(value)
        else:
            raise Nameless(kind.__qualname__)

    def fields(self, value: Any) -> None:
        """Every field of a dataclass, also those that are not compared."""
        self.out.append(f"{type(value).__module__}.{type(value).__qualname__}")
        for name in _names(type(value)):  # type: ignore[arg-type]
            self.value(getattr(value, name))

    def terms(self, roots: list[Term]) -> None:
        """A table of terms, one line for each that holds nothing but text and numbers."""
        rows, ends = to_table(roots)
        self.out.append(f"terms {len(rows)} {ends}")
        for op, args, attr, type_ in rows:
            if type(attr) in _PLAIN and type(type_) is Scalar:
                self.out.append(f"{op} {args} {attr!r} {type_.value}")
            else:
                self.out.append(f"{op} {args}")
                self.value((attr, type_))

    def program(self, program: Program) -> None:
        """A program with its notes; what calls and loops have in common is written once."""
        number, _ = self.known.get(id(program), (None, None))
        if number is not None:
            self.out.append(f"program {number} again")
            return
        self.known[id(program)] = len(self.known), program
        noted = list(program.notes)
        watched = [program.watch.term] if program.watch else []
        self.out.append(f"program {[len(group) for group in program.roots]}")
        self.value((program.name, program.params, program.results, program.at))
        self.value(list(program.notes.values()))
        self.value(program.watch.checks if program.watch else None)
        self.terms([*program.flat, *noted, *watched])
