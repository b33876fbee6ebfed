"""Lengths of two sides, in whatever way they are written.

    sqrt(x*x + y*y)    is    hypot(x, y)    where that is there, too: what is over one of both
                                            has a value that what is over the other has not

Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....terms.program import Program
from ....terms.term import Term, toposort
from ...factors.common import sides_of

Lengths = Mapping[frozenset[Term], Term]


def lengths_of(terms: Iterable[Term]) -> Lengths:
    """The lengths of two sides that there are, by their sides."""
    found: dict[frozenset[Term], Term] = {}
    for term in terms:
        sides = _sides(term)
        if sides is not None:
            found.setdefault(sides, term)
    return found


def written_once(program: Program) -> Program:
    """The program with roots of two squares as the `hypot` of the same sides, where that is."""
    terms = toposort([*program.flat, *program.notes])
    found = lengths_of(term for term in terms if term.op == "hypot")
    if not found:
        return program

    def step(_: Term, here: Term) -> Term | None:
        sides = _sides(here) if here.op == "sqrt" else None
        return found.get(sides) if sides is not None else None

    return program.rewritten(step)


def _sides(term: Term) -> frozenset[Term] | None:
    if term.op == "hypot":
        return frozenset(term.args)
    if term.op != "sqrt":
        return None
    sides = sides_of(term.args[0])
    return frozenset(sides) if len(sides) == len({*sides}) == 2 else None
