"""Takes the statements of a long function, cuts them into parts; says what parts hand on.

A value that a later part reads, or that is a result, has a place among the kept values of its
type. A place is taken again once no later part reads it, but not in the part that read it last:
there, the new value may be stored before the old one is loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.term import CONST, VAR, Term
from ...terms.types import Memory, Scalar
from .fusing import reads
from .statement import (
    Assign,
    Declare,
    Define,
    DefineJoint,
    Else,
    ElseIf,
    End,
    If,
    Statement,
    computed,
)


@dataclass(frozen=True, slots=True)
class Part:
    """Statements, the inputs and kept values that they read, and the values that they keep."""

    statements: tuple[Statement, ...]
    inputs: tuple[Term, ...]
    reads: tuple[Term, ...]
    keeps: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts in order, the place of each kept value, and how many places each type has.

    `results` are the kept values that the results of the function are made of.
    """

    parts: tuple[Part, ...]
    places: Mapping[Term, int]
    kept: tuple[Memory, ...]
    results: tuple[Term, ...]


def in_parts(
    statements: Sequence[Statement],
    roots: Sequence[Term],
    inline: Collection[Term],
    sums: Mapping[Term, int],
    size: int,
) -> Parts:
    """The statements in parts of `size` or little more.

    `inline` terms have no statement, and `sums` are computed as `fma`.
    """
    pieces = _cut(statements, size)
    made = {term: k for k, piece in enumerate(pieces) for s in piece for term in _made(s)}
    read = [_operands([t for s in piece for t in _uses(s, sums)], inline) for piece in pieces]
    results = _operands(roots, inline)
    last: dict[Term, int] = {}  # the part that reads a value last; the results outlive them all
    for k, terms in enumerate([*read, results]):
        for term in terms:
            if made.get(term, k) < k:
                last[term] = k
    parts = [
        Part(
            piece,
            tuple(t for t in terms if t.op == VAR),
            tuple(t for t in terms if made.get(t, k) < k),
            tuple(dict.fromkeys(t for s in piece for t in _made(s) if t in last)),
        )
        for k, (piece, terms) in enumerate(zip(pieces, read, strict=True))
    ]
    places, kept = _placed(parts, last)
    return Parts(tuple(parts), places, kept, tuple(t for t in results if t in places))


def _cut(statements: Sequence[Statement], size: int) -> list[tuple[Statement, ...]]:
    """Pieces that end outside of blocks, and not between a declaration and what it is for."""
    pieces: list[tuple[Statement, ...]] = []
    piece: list[Statement] = []
    depth = 0
    open_: dict[Term, None] = {}  # declared, not yet assigned
    for statement in statements:
        match statement:
            case If():
                depth += 1
            case End():
                depth -= 1
            case Declare(term=term):
                open_[term] = None
            case Assign(target=term):
                open_.pop(term, None)
        piece.append(statement)
        if len(piece) >= size and not depth and not open_:
            pieces.append(tuple(piece))
            piece = []
    return [*pieces, tuple(piece)] if piece else pieces


def _made(statement: Statement) -> tuple[Term, ...]:
    """The terms that have a value, outside of any block, once a statement was run."""
    match statement:
        case Define(term=term) | Declare(term=term):
            return (term,)
        case DefineJoint(terms=terms):
            return terms
    return ()


def _uses(statement: Statement, sums: Mapping[Term, int]) -> tuple[Term, ...]:
    """The terms that a statement reads."""
    match statement:
        case Assign(value=value, compute=False):
            return (value,)
        case If(condition=condition) | ElseIf(condition=condition):
            return (condition,)
        case Declare() | Else() | End():
            return ()
    return tuple(arg for term in computed(statement)[:1] for arg in reads(term, sums))


def _operands(terms: Iterable[Term], inline: Collection[Term]) -> list[Term]:
    """The named values among terms and in what is written inside them, in order."""
    found: dict[Term, None] = {}
    seen: set[Term] = set()
    stack = list(terms)[::-1]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term in inline:
            stack.extend(reversed(term.args))
        elif term.op != CONST:
            found[term] = None
    return list(found)


def _placed(
    parts: Sequence[Part], last: Mapping[Term, int]
) -> tuple[dict[Term, int], tuple[Memory, ...]]:
    """A place for each kept value, among those of its type."""
    places: dict[Term, int] = {}
    sizes: dict[Scalar, int] = {}
    free: dict[Scalar, list[int]] = {}
    for k, part in enumerate(parts):
        for term in part.keeps:
            kind = term.type
            assert isinstance(kind, Scalar)
            if not free.setdefault(kind, []):
                free[kind].append(sizes.get(kind, 0))
                sizes[kind] = free[kind][-1] + 1
            places[term] = free[kind].pop()
        for term in part.reads:
            if last[term] == k:
                assert isinstance(term.type, Scalar)
                free[term.type].append(places[term])
    return places, tuple(Memory(kind, size) for kind, size in sizes.items())
