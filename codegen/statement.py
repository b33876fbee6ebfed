"""Takes nothing: the statements that a schedule is made of, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from ..terms.term import Term


@dataclass(frozen=True, slots=True)
class Define:
    """`const T term = <operation of term>;`"""

    term: Term


@dataclass(frozen=True, slots=True)
class DefinePair:
    """`T cosine; const T sine = sincos(x, &cosine);`"""

    sine: Term
    cosine: Term


@dataclass(frozen=True, slots=True)
class Declare:
    """`T term;`, for a term that is assigned inside blocks."""

    term: Term


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value;`; with `compute`, the operation of `value` is written in its place."""

    target: Term
    value: Term
    compute: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """`if (condition) {`; the next `Else`, `ElseIf` or `End` of this level belongs to it."""

    condition: Term


@dataclass(frozen=True, slots=True)
class Else:
    """`} else {`"""


@dataclass(frozen=True, slots=True)
class ElseIf:
    """`} else if (condition) {`; it needs no `End` of its own."""

    condition: Term


@dataclass(frozen=True, slots=True)
class End:
    """`}`"""


Statement = Define | DefinePair | Declare | Assign | If | Else | ElseIf | End
