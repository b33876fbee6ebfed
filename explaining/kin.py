"""Kin: which lines of the source, the plain program and the kernel belong to each other.

Takes an account, gives the lines of three columns, each with the keys of its kin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from ..rewrite.egraph.cost import term_cost
from ..rewrite.proofs.steps import Derivation
from ..terms.term import LEAVES, Term
from .account import Account
from .naming import Naming
from .source import Place, places_of, source_of


@dataclass
class Row:
    """A line of a column: its text, cost, where it is from, and the keys of its kin."""

    key: str
    text: str
    cost: float | None = None
    about: str = ""
    kin: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class Columns:
    """The rows of source, plain program and kernel; `files` are the headings of the source."""

    source: list[Row]
    plain: list[Row]
    kernel: list[Row]


def columns(account: Account, naming: Sequence[Naming]) -> Columns:
    """The three columns, tied together."""
    primal = account.subject.primal
    at = [places_of(primal, body.plain, account.made, body.at) for body in account.bodies]
    texts = {
        (note.at.file, note.at.line): note.at.text
        for program in (primal, *(b.plain for b in account.bodies))
        for note in program.notes.values()
        if note.at is not None
    }
    first: list[Place] = [(primal.at.file, primal.at.line)] if primal.at else []
    wanted = dict.fromkeys([*first, *(p for places in at for p in places.values())])
    shown = source_of(wanted, texts)
    source = {place: Row(f"s{i}", text) for i, (place, text) in enumerate(shown.items())}
    by_key = {row.key: row for row in source.values()}
    plain: dict[tuple[int, Term], Row] = {}
    for body, names in enumerate(naming):
        for term, name in names.plain.items():
            place = at[body].get(term)
            row = Row(f"p{len(plain)}", f"{name} = {names.text(term)}")
            row.cost = term_cost(account.subject.rules, term)
            row.about = _about(account, term, place)
            plain[body, term] = row
            if place is not None and place in source:
                _tie(row, source[place])
    return Columns(list(source.values()), list(plain.values()), _kernel(account, plain, by_key))


def _kernel(
    account: Account, plain: dict[tuple[int, Term], Row], source: dict[str, Row]
) -> list[Row]:
    """The kernel's lines, tied to what they come from, and through it to the source."""
    lines = account.subject.kernel.text.rstrip().split("\n")
    rows = [Row(f"k{i}", text) for i, text in enumerate(lines)]
    for line in account.lines:
        row = rows[line.written.line]
        if not line.is_result:
            costs = [term_cost(account.subject.rules, d.term) for d in line.derivations]
            row.cost = sum(costs)
        terms = [t for d in line.derivations for t in _starts(d)]
        for term in dict.fromkeys(terms):
            tied = plain.get((line.body, term))
            if tied is not None:
                _tie(row, tied)
                for key in [k for k in tied.kin if k in source]:
                    _tie(row, source[key])
    return rows


def _starts(derivation: Derivation) -> list[Term]:
    """The plain terms that a derivation begins with: its start, or what its rule rewrote."""
    if derivation.start is None:
        return []
    if derivation.origin is None:
        return [derivation.start]
    before = derivation.origin.before
    return [before, *(a for a in before.args if a.op not in LEAVES)]


def _about(account: Account, term: Term, place: Place | None) -> str:
    made = account.made.get(term)
    parts = [f"derivative rule {made.rule}"] if made else []
    if place is not None:
        parts.append(f"{PurePath(place[0]).name}:{place[1]}")
    return "; ".join(parts)


def _tie(a: Row, b: Row) -> None:
    a.kin[b.key] = b.kin[a.key] = None
