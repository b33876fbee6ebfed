"""Bodies that pass on what loops compute: nothing that rules could do there is worth a search.

    for s in range(segments): tape[s] = x; x = (the trips of segment s)

Takes a body with its loops as they will be, says whether it counts and passes on, and no more.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...terms.loop import LOOP
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import Term
from ...terms.types import Scalar
from ..egraph.cost import program_cost, term_cost
from ..egraph.saturate import UNRULED


def passes_on(program: Program, rules: RuleSet, worth: float) -> bool:
    """Whether all that rules could change in a program is worth less than a part of its cost.

    Its operators count, and compute no number; no loop would be left out, or become another one,
    if they were gone.
    """
    terms = program.terms()
    loops = [t for t in terms if t.op == LOOP]
    own = [t for t in terms if t.op not in UNRULED]
    if not loops or not all(map(_counts, own)):
        return False
    needed = _unruled(program.flat)
    if any(t not in needed for t in loops) or len({t.attr for t in loops}) < len(loops):
        return False
    return sum(term_cost(rules, t) for t in own) < worth * program_cost(rules, program.flat)


def _counts(term: Term) -> bool:
    """Whether an operator is one of integers alone."""
    return all(t.type in (Scalar.I32, Scalar.BOOL) for t in (term, *term.args))


def _unruled(roots: Iterable[Term]) -> set[Term]:
    """What the roots are, or are made of, whatever rules do to operators on the way."""
    stack = list(roots)
    found = set(stack)
    while stack:
        term = stack.pop()
        if term.op in UNRULED:
            more = [a for a in term.args if a not in found]
            found.update(more)
            stack += more
    return found
