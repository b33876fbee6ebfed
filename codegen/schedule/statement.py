"""Takes nothing: the statements that a schedule is made of, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from ...terms.program import Program
from ...terms.rule import Joint
from ...terms.term import LEAVES, Term


@dataclass(frozen=True, slots=True)
class Define:
    """`const T term = <operation of term>;`"""

    term: Term


@dataclass(frozen=True, slots=True)
class DefineJoint:
    """`T cosine; const T sine = sincos(x, &cosine);`: the results of one built-in."""

    terms: tuple[Term, ...]
    joint: Joint


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


Statement = Define | DefineJoint | Declare | Assign | If | Else | ElseIf | End


@dataclass(frozen=True, slots=True)
class Written:
    """A line of a kernel, and the terms of a program (or of a loop's body) that it computes."""

    text: str
    terms: tuple[Term, ...]
    names: tuple[str, ...]  # of these terms in the kernel; empty where a term has none
    body: Program | None = None
    result: int = -1  # which of the program's results it is, where it is one
    line: int = -1  # in the kernel's text, from 0


def computed(statement: Statement) -> tuple[Term, ...]:
    """The terms that a statement computes or decides by."""
    match statement:
        case Define(term=term):
            return (term,)
        case DefineJoint(terms=terms):
            return terms
        case Assign(target=target, value=value, compute=compute):
            return (value, target) if compute and value is not target else (target,)
        case If(condition=condition) | ElseIf(condition=condition):
            return () if condition.op in LEAVES else (condition,)
    return ()
