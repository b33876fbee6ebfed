"""Names for terms: those of the kernel, those of the source, and p0, p1, … for the rest.

Takes an account, gives each term that is worth a name one, per body of code.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..rules.show import show_expression
from ..terms.term import LEAVES, Term, toposort
from .account import Account


class Naming:
    """The names of the terms of one body of code, and the texts of terms over them."""

    def __init__(self, account: Account, body: int) -> None:
        own = account.bodies[body]
        self.kernel: dict[Term, str] = {}
        for line in account.lines:
            if line.body == body:
                for term, name in zip(line.written.terms, line.written.names, strict=True):
                    if name and term.op not in LEAVES:
                        self.kernel.setdefault(term, name)
        taken = {line_name for line in account.lines for line_name in line.written.names}
        taken |= {leaf.attr for leaf in own.plain.leaves()}
        self.plain: dict[Term, str] = {}
        count = 0
        for term in toposort(own.plain.flat):
            if term.op in LEAVES:
                continue
            if term in self.kernel:
                self.plain[term] = self.kernel[term]
                continue
            note = own.plain.notes.get(term)
            name = note.name if note and note.name not in taken else ""
            while not name or name in taken:
                name, count = f"p{count}", count + 1
            taken.add(name)
            self.plain[term] = name
        self.names: Mapping[Term, str] = {**self.plain, **self.kernel}

    def text(self, term: Term, limit: int = 100) -> str:
        """A term over the names of what is below it."""
        return show_expression(term, limit, self.names)

    def name(self, term: Term) -> str:
        """The name of a term, or its text."""
        return self.names.get(term) or self.text(term)
