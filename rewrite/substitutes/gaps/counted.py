"""Functions in a loop that are the same in its first trip, whatever the program is given.

    for i in range(n): ... sqrt(x*i)      at i = 0 the slope by x is 0, not infinity times 0
                       ... atan2(x*i, i)  and here it is not that of a quotient 0/0

Where a function is steep at what its arguments are while nothing has been counted, it becomes a
choice, whose other arm has these. Takes the body of a loop, gives one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import CAST, CONST, SELECT, Term, const, const_value, rebuild, toposort, var
from ....terms.types import Scalar
from ...derivation.define import define
from ...derivation.local import PULL, Setting, expand, flows, local
from ...egraph.numbers import values
from ...factors.common import ALGEBRA
from ...factors.factored import Product
from .quotients import Quotients
from .remainders import Remainders

_SOME = 0.7  # for what is not known in the first trip


def by_first_trips(body: Program, patterns: Sequence[Rewrite], rules: RuleSet) -> Program:
    """The body with choices for functions that are steep at what they are of in the first trip."""
    counter = body.params[0].leaves()[0]
    order = toposort([*body.flat, *body.notes])
    counts = _counts(order, counter)
    if not counts:
        return body
    given = {c: (const(0.0, c.type), const(1.0, c.type)) for c in counts}
    first = Remainders(counts[0], given, Quotients(patterns), rules, Product())
    there = Term("ne", (counter, const(0, counter.type)), None, Scalar.BOOL)
    slopes, new = _Slopes(rules), dict[Term, Term]()
    for term in order:
        if term.op in ALGEBRA or not _is_function(term):
            continue
        starts = [first.start(a) for a in term.args]
        known = [s for s in starts if s is not None]
        if len(known) == len(starts) and known != list(term.args) and slopes.are_lost(term, known):
            new[term] = rebuild(term, tuple(known))
    return _chosen(body, order, there, new) if new else body


def _counts(order: Sequence[Term], counter: Term) -> list[Term]:
    """Real numbers that are made of whole ones which are 0 as long as the counter is."""
    zero, counts = {counter}, []
    for term in order:
        if term.op == CAST and term.args[0] in zero and isinstance(term.type, Scalar):
            counts += [term] if term.type.is_real else []
        elif term.op == "mul" and zero.intersection(term.args):
            zero.add(term)
    return counts


def _is_function(term: Term) -> bool:
    kinds = {a.type for a in term.args}
    return isinstance(term.type, Scalar) and term.type.is_real and kinds == {term.type}


class _Slopes:
    """What the slopes of functions are at numbers."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.known: dict[Term, bool] = {}

    def are_lost(self, term: Term, starts: Sequence[Term]) -> bool:
        """Whether a function has a value where it starts, and a slope is none or infinite."""
        at = rebuild(term, tuple(starts))
        if at not in self.known:
            operator = self.rules.get(term.op)
            stated = operator is not None and operator.partials and not operator.is_composite
            self.known[at] = bool(stated) and self._is_lost(term, starts)
        return self.known[at]

    def _is_lost(self, term: Term, starts: Sequence[Term]) -> bool:
        free = [var(f"start {place}", a.type) for place, a in enumerate(starts)]
        whole, one = rebuild(term, tuple(free)), const(1.0, term.type)
        places = [p for p in range(len(free)) if flows(self.rules, whole, p)]
        nodes = [local(PULL, whole, place, one) for place in places]
        slopes = expand(Setting(self.rules, term.type), nodes)
        roots = define(self.rules, [whole, *slopes], term.type, derived=True)
        numbers = [float(const_value(a)) if a.op == CONST else _SOME for a in starts]
        found = values(self.rules, roots, dict(zip(free, map(np.asarray, numbers), strict=True)))
        value, *rest = (bool(np.isfinite(found[root])) for root in roots)
        return value and not all(rest)


def _chosen(body: Program, order: Sequence[Term], there: Term, new: Mapping[Term, Term]) -> Program:
    done: dict[Term, Term] = {}
    for term in order:
        here = rebuild(term, tuple([done[a] for a in term.args]))
        if term in new:
            here = Term(SELECT, (there, here, new[term]), None, here.type)
        done[term] = here
    return body.with_terms(done)
