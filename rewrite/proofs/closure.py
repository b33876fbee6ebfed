"""Congruence closure that remembers why: terms, what is equal, and a chain of reasons.

Takes terms and equations between them, gives for any two that are equal a path of terms, each
step of which is an equation that was given or follows by putting equals for equals. The forest
of reasons only grows: a path once there stays, and rests on earlier equations only.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.term import CONST, Term
from ..egraph.encode import Head, head_of

#: An edge of a path: from, to, the number of the equation; None where only arguments differ.
Edge = tuple[int, int, int | None]


class Closure:
    """Terms by number; `home` is the e-class that each of them is in, `root` its part of it."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.index: dict[Term, int] = {}
        self.args: list[tuple[int, ...]] = []
        self.kind: list[int] = []  # the number of the head
        self.home: list[int] = []
        self.root: list[int] = []
        self.parts: dict[int, list[int]] = {}  # root: the terms that are equal to it
        self.first: dict[int, int] = {}  # root: the oldest term that is equal to it
        self.constants: dict[int, int] = {}  # root: a constant that is equal to it
        self.members: dict[tuple[int, int], list[int]] = {}  # e-class and head: terms
        self.kinds: dict[int, list[int]] = {}  # e-class: heads of its terms
        self.changed: list[int] = []  # e-classes of which more is known now
        self.heads: list[Head] = []  # by number
        self._heads: dict[Head, int] = {}
        self._uses: dict[int, list[int]] = {}
        self._signature: dict[tuple[int, tuple[int, ...]], int] = {}
        self._why: list[tuple[int, int | None] | None] = []

    def head(self, head: Head) -> int:
        """The number of a head."""
        if head not in self._heads:
            self._heads[head] = len(self.heads)
            self.heads.append(head)
        return self._heads[head]

    def lookup(self, kind: int, args: Sequence[int]) -> int | None:
        """A term with this head over arguments that are equal to these, if there is any."""
        return self._signature.get((kind, tuple([self.root[a] for a in args])))

    def add(self, term: Term, args: tuple[int, ...], home: int) -> int:
        """The number of a term, whose arguments have been added, in an e-class."""
        found = self.index.get(term)
        if found is not None:
            return found
        number = len(self.terms)
        self.index[term] = number
        self.terms.append(term)
        self.args.append(args)
        kind = self.head(head_of(term))
        self.kind.append(kind)
        self.home.append(home)
        self.root.append(number)
        self.parts[number] = [number]
        self.first[number] = number
        self._uses[number] = []
        self._why.append(None)
        if term.op == CONST:
            self.constants[number] = number
        if not args:
            self._enter(number, home, kind)
            return number
        roots = tuple([self.root[a] for a in args])
        for root in dict.fromkeys(roots):
            self._uses[root].append(number)
        twin = self._signature.setdefault((kind, roots), number)
        if twin != number:
            self.merge(number, twin, None)
        else:
            self._enter(number, home, kind)
        return number

    def _enter(self, number: int, home: int, kind: int) -> None:
        if (home, kind) not in self.members:
            self.members[home, kind] = []
            self.kinds.setdefault(home, []).append(kind)
        self.members[home, kind].append(number)
        self.changed.append(home)

    def settle(self) -> dict[int, None]:
        """The e-classes that have changed since the last call; of twins among terms one stays."""
        changed = dict.fromkeys(self.changed)
        self.changed.clear()
        for home in changed:
            for kind in self.kinds[home]:
                own = self.members[home, kind]
                if len(own) > 1:
                    twins = dict.fromkeys([self.lookup(kind, self.args[m]) for m in own])
                    self.members[home, kind] = [m for m in twins if m is not None]
        return changed

    def equal(self, a: int, b: int) -> bool:
        """Whether two terms are known to be equal."""
        return self.root[a] == self.root[b]

    def merge(self, a: int, b: int, reason: int | None) -> None:
        """Two terms are equal, by an equation's number; None: their arguments are."""
        pending = [(a, b, reason)]
        while pending:
            a, b, reason = pending.pop()
            small, large = self.root[a], self.root[b]
            if small == large:
                continue
            if len(self.parts[small]) > len(self.parts[large]):
                a, b, small, large = b, a, large, small
            self._turn(a)
            self._why[a] = (b, reason)
            self.changed.append(self.home[small])
            for part in self.parts[small]:
                self.root[part] = large
            self.parts[large] += self.parts.pop(small)
            self.first[large] = min(self.first[large], self.first.pop(small))
            if small in self.constants:
                self.constants.setdefault(large, self.constants.pop(small))
            users = self._uses.pop(small)
            for user in users:
                key = (self.kind[user], tuple([self.root[u] for u in self.args[user]]))
                twin = self._signature.setdefault(key, user)
                if self.root[twin] != self.root[user]:
                    pending.append((user, twin, None))
            self._uses[large] += users

    def _turn(self, number: int) -> None:
        """Make a term the root of its tree of reasons."""
        before: tuple[int, int | None] | None = None
        here: int | None = number
        while here is not None:
            step = self._why[here]
            self._why[here] = before
            if step is None:
                return
            before, here = (here, step[1]), step[0]

    def path(self, a: int, b: int) -> list[Edge]:
        """The steps that lead from a term to another that is equal."""
        up: dict[int, int] = {a: 0}
        way: list[Edge] = []
        here = a
        while (step := self._why[here]) is not None:
            way.append((here, step[0], step[1]))
            here = step[0]
            up[here] = len(way)
        back: list[Edge] = []
        here = b
        while here not in up:
            step = self._why[here]
            assert step is not None, "the terms are not equal"
            back.append((step[0], here, step[1]))
            here = step[0]
        return [*way[: up[here]], *reversed(back)]
