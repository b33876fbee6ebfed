"""Activity: what derivatives pass through, and where they can be other than zero.

Takes the terms of a program in order and the variables that it is differentiated by, gives the
terms on the way from those to results, and the guards under which their adjoints matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from ...terms.loop import LOAD, LOOP, RESTORE, SAVE, STORE
from ...terms.program import Differentiable
from ...terms.rule import RuleSet
from ...terms.term import CALL, PROJ, SELECT, VAR, Term
from ..guards import Guard, either
from .growing import growing
from .local import flows


def active_terms(rules: RuleSet, order: Sequence[Term], wrt: Set[Term]) -> set[Term]:
    """Which terms depend on the variables `wrt` in a way that a derivative passes."""
    active: set[Term] = set()
    for term in order:
        if term.op == VAR:
            reached = term in wrt
        elif term.op == CALL:
            pairs = zip(term.args, term.attr.carries(), strict=True)
            reached = any(carry and a in active for a, carry in pairs)
            stops = term.attr.differentiable is Differentiable.ZERO and term.attr.bwd is None
            reached = reached and not stops
        elif term.op == LOOP:
            reached = any(a in active for a in term.args)
        elif term.op == PROJ:
            reached = term.args[0] in active and term.type.is_real
        elif term.op in (LOAD, STORE, SAVE, RESTORE):
            reached = any(a in active for a in term.args)
        else:
            reached = any(a in active and flows(rules, term, i) for i, a in enumerate(term.args))
        if reached:
            active.add(term)
    return active


def needs(
    rules: RuleSet,
    roots: Sequence[Term],
    order: Sequence[Term],
    guard: Mapping[Term, Guard],
    active: Set[Term],
) -> dict[Term, Guard]:
    """Where the adjoints of terms that may be undefined can be other than zero.

    Elsewhere nothing may be multiplied by their partials: 0 * NaN is no zero. The guard of a
    term says less: the term may be needed for a condition, or in several branches.
    """
    undefined: dict[Term, bool] = {}
    steep = rules.once(growing)
    for term in order:
        undefined[term] = any(undefined[a] for a in term.args) or any(
            o.domain is not None or term.op in steep for o in rules.operators.get(term.op, ())
        )
    found = {root: guard[root] for root in roots if root in guard}
    for term in (t for t in reversed(order) if t in active and t in found):  # not: for conditions
        plain = term.op == SELECT or term.op in rules.operators
        here = found[term] if plain else guard[term]
        for index, arg in enumerate(term.args):
            if arg not in active or not (index or term.op != SELECT):
                continue
            at = here.under(term.args[0], index == 1) if term.op == SELECT else here
            found[arg] = either(found[arg], at) if arg in found else at
    return {term: guard for term, guard in found.items() if undefined.get(term)}
