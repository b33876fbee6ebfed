"""Vertex elimination: the Jacobian of a program, accumulated in a mixed order.

A program is a graph with an edge from x to y for every argument x of an operator y, and on it the
partial dy/dx. To eliminate a vertex y is to go around it,

    dz/dx += dz/dy * dy/dx    for each edge into y and each out of it

and when only variables and results are left, the edges are the entries of the Jacobian. Every
order gives the same sums of products: forward order is linearization, reverse order is
transposition. Here the vertex with the fewest products goes first. That is seldom the cheapest
order, which is hard to find, and mostly cheaper than both sweeps where there are several
variables and several results.

Source: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed. (2008), chapters 9 and 10;
H. M. Markowitz, The elimination form of the inverse (1957).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.program import Program
from ...terms.term import SELECT, VAR, Term, const, is_const, toposort
from ..guards import Guard, accumulate, both, guards, meet, shared
from .activity import active_terms, needs
from .arms import Arms, scale
from .local import PULL, Setting, check_differentiable, expand, flows, local

_DEEPEST = 16  # conditions around a term
_FILL = 4  # products, per product of the forward sweep


@dataclass(frozen=True, slots=True)
class _Edge:
    """A derivative that holds under a guard and is 0 elsewhere; whether it can be infinite."""

    guard: Guard
    value: Term
    infinite: bool


def can_eliminate(program: Program, setting: Setting, wrt: Sequence[Term]) -> bool:
    """Whether all that derivatives pass through are operators and choices, in one precision."""
    order = program.terms()
    active = active_terms(setting.rules, order, frozenset(wrt))
    kinds = setting.rules.operators.keys() | {SELECT, VAR}
    if any(t.op not in kinds or t.type is not setting.real for t in active):
        return False
    return max((g.depth for g in guards(program.flat, shared).values()), default=0) <= _DEEPEST


def eliminated(
    program: Program, roots: Sequence[Term], wrt: Sequence[Term], setting: Setting
) -> list[list[Term | None]] | None:
    """The rows of the Jacobian of `roots` by `wrt`; None where its graph fills up.

    For programs that `can_eliminate`; None in a row is a structural zero. Raises DeriveError where
    a derivative has no rule to pass by.
    """
    return _Elimination(program, list(dict.fromkeys(roots)), list(wrt), setting).rows(roots)


class _Elimination:
    def __init__(
        self, program: Program, roots: list[Term], wrt: list[Term], setting: Setting
    ) -> None:
        self.program, self.setting = program, setting
        self.rules, self.real = setting.rules, setting.real
        order = toposort(roots)
        self.number = {term: i for i, term in enumerate(order)}
        self.arms = Arms(self.rules, self.real, setting.poles, order)
        self.guard = guards([*roots, *wrt], shared)
        self.always = self.guard[roots[0]]
        self.active = active_terms(self.rules, order, frozenset(wrt))
        needed = needs(self.rules, [*roots, *wrt], order, self.guard, self.active)
        # The edges into each vertex; out of it, where they lead. Results are vertices of their own.
        self.into: dict[Term | int, dict[Term, _Edge]] = {}
        self.out: dict[Term, dict[Term | int, None]] = {t: {} for t in order}
        for (term, arg), edge in self.partials(order, needed).items():
            self.add(arg, term, edge)
        for i, root in enumerate(roots):
            if root in self.active:
                self.add(root, i, _Edge(self.always, const(1.0, root.type), False))
        self.place = {root: i for i, root in enumerate(roots)}
        self.wrt = wrt

    def partials(
        self, order: Sequence[Term], needed: dict[Term, Guard]
    ) -> dict[tuple[Term, Term], _Edge]:
        """The derivative of each active term by each of its active arguments."""
        units: list[tuple[Term, Term, Guard, Term]] = []
        for term in order:
            if term not in self.active or term.op == VAR:
                continue
            guard, one = self.guard[term], const(1.0, term.type)
            if term.op == SELECT:
                condition, *arms = term.args
                for arm, holds in zip(arms, (True, False), strict=True):
                    if arm in self.active:
                        units.append((term, arm, guard.under(condition, holds), one))
                continue
            note = self.program.notes.get(term)
            check_differentiable(self.rules, term, PULL, note.at if note else None)
            guard = needed.get(term, guard)
            for i, arg in enumerate(term.args):
                if arg in self.active and flows(self.rules, term, i):
                    units.append((term, arg, guard, local(PULL, term, i, one)))
        found: dict[tuple[Term, Term], _Edge] = {}
        values = expand(self.setting, [unit for _, _, _, unit in units])
        for (term, arg, guard, _), value in zip(units, values, strict=True):
            if not is_const(value, 0.0):
                infinite = self.arms.is_unbounded(value, (*term.args, term))
                infinite |= term.op in self.arms.singular
                edge = _Edge(guard, value, infinite)
                pair = term, arg
                found[pair] = self.sum(found[pair], edge) if pair in found else edge
        return found

    def add(self, start: Term, end: Term | int, edge: _Edge) -> None:
        """One more way from a vertex to another."""
        into = self.into.setdefault(end, {})
        into[start] = self.sum(into[start], edge) if start in into else edge
        self.out[start][end] = None

    def remove(self, start: Term, end: Term | int) -> _Edge:
        """Take an edge out."""
        del self.out[start][end]
        return self.into[end].pop(start)

    def sum(self, a: _Edge, b: _Edge) -> _Edge:
        """Both derivatives together, under the innermost guard around both."""
        guard = meet(a.guard, b.guard)
        value = accumulate([(a.guard, a.value), (b.guard, b.value)], guard, self.arms.plus)
        return _Edge(guard, value, a.infinite or b.infinite)

    def product(self, a: _Edge, b: _Edge) -> _Edge | None:
        """One derivative times another, where both guards hold; None where they never do.

        A zero that a choice makes is kept out of the way of infinite factors.
        """
        guard = both(a.guard, b.guard)
        if guard is None:
            return None
        infinite = a.infinite or b.infinite
        whole = scale(self.rules, a.value, b.value, self.real)
        pairs = [(x, y) for x, y in ((a, b), (b, a)) if self.arms.is_choice(y.value)]
        for factor, choice in sorted(pairs, key=lambda pair: not pair[0].infinite)[:1]:
            if whole is not choice.value:
                at_risk = factor.infinite
                whole = self.arms.times(whole, factor.value, choice.value, infinite=at_risk)
        return _Edge(guard, whole, infinite)

    def rows(self, roots: Sequence[Term]) -> list[list[Term | None]] | None:
        """The Jacobian, when all vertices between variables and results are eliminated."""
        edges = sum(len(into) for into in self.into.values())
        left = _FILL * edges * len(self.wrt)
        ends = frozenset(self.wrt)
        queue = [self.entry(t) for t in self.number if t in self.active and t not in ends]
        heapq.heapify(queue)
        while queue:
            entry = heapq.heappop(queue)
            vertex = entry[-1]
            if vertex not in self.out or entry != self.entry(vertex):
                continue  # eliminated, or another number of products by now
            into = {start: self.remove(start, vertex) for start in list(self.into.get(vertex, ()))}
            out = {end: self.remove(vertex, end) for end in list(self.out[vertex])}
            del self.out[vertex]
            left -= len(into) * len(out)
            if left < 0:
                return None
            for end, after in out.items():
                for start, before in into.items():
                    edge = self.product(after, before)
                    if edge is not None:
                        self.add(start, end, edge)
            for near in (*into, *out):
                if not isinstance(near, int) and near not in ends:
                    heapq.heappush(queue, self.entry(near))
        return [[self.result(root, variable) for variable in self.wrt] for root in roots]

    def entry(self, vertex: Term) -> tuple[int, int, Term]:
        """How many products it takes to eliminate a vertex; later ones first among equals."""
        into, out = self.into.get(vertex, ()), self.out[vertex]
        return len(into) * len(out), -self.number[vertex], vertex

    def result(self, root: Term, variable: Term) -> Term | None:
        """One entry of the Jacobian, under no condition."""
        edge = self.into.get(self.place[root], {}).get(variable)
        if edge is None:
            return None
        return accumulate([(edge.guard, edge.value)], self.always, self.arms.plus)
