"""Simpler: a function that is made cheap before it is derived, as compilers do.

What is shared there is shared by all of its slopes, and sums of a sweep that would have to move all
at once are never written. Choices, and whatever else has no slope somewhere, are unknowns here, so
that nothing is said of them: what they are given may have another form, they themselves not. Takes
a program that is ready to be differentiated, gives an equal one that is cheaper, if there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...terms.loop import has_loops
from ...terms.program import Program, Slot
from ...terms.rule import MATH_TAGS, RuleSet
from ...terms.term import Term, rebuild, var
from ...terms.types import Scalar, Tup
from ...terms.walk import Cyclic
from ..derivation.smooth import Smooth
from ..egraph.cost import program_cost
from ..egraph.saturate import concerned, reached
from ..extraction.extract import Effort
from ..reuse import replaced
from .report import Report
from .search import shortly
from .task import Options, Task

# A larger function is derived as it was written: what is gained is not worth the time.
_LARGE = 2_000
# What the first round has to save of the function, relative, for its derivative to be built.
_SAVED = {Effort.DEFAULT: 0.08, Effort.BEST: 0.005}


def simpler_form(form: Program, rules: RuleSet, real: Scalar, options: Options) -> Program | None:
    """The function after a short search of its own; None where that saves next to nothing.

    Without loops: a body is derived by its own parts, which are made to be stored.
    """
    if (
        options.math == "strict"
        or options.effort not in _SAVED
        or has_loops(form.flat)
        or len(form.terms()) > _LARGE
    ):
        return None
    usual = replace(options, effort=Effort.DEFAULT)
    ops = reached(rules, MATH_TAGS[options.math], concerned(form.flat)[1])
    parts = _Parts.of(form, rules.once(Smooth.of, ops))
    report = Report("", "", options.math, real.value)
    task = Task.of(parts.whole, parts.rules, usual, report)
    found = shortly(task, _SAVED[options.effort] * program_cost(rules, form.flat))
    return None if found is None else parts.joined(found)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A program cut at all that is not smooth: what that is given are more results of `whole`.

    `opaque` says what the unknowns are, over terms of it.
    """

    form: Program
    whole: Program
    rules: RuleSet
    opaque: Mapping[Term, Term]

    @staticmethod
    def of(form: Program, smooth: Smooth) -> _Parts:
        """The parts of a program; an unknown for each term that is not smooth."""
        known: dict[Term, Term] = {}
        opaque: dict[Term, Term] = {}
        given: dict[Term, None] = {}
        for term in form.terms():
            here = rebuild(term, tuple([known[a] for a in term.args]))
            known[term] = here
            if here.args and not smooth.has(here):
                known[term] = var(f" {len(opaque)}", term.type)  # no name that a user can give
                opaque[known[term]] = here
                given.update(dict.fromkeys([a for a in here.args if a.args]))
        results = form.with_terms(known)
        types = tuple([term.type for term in given])
        whole = replace(
            results,
            results=(*form.results, Slot("given", Tup(types))),
            roots=(*results.roots, tuple(given)),
        )
        return _Parts(form, whole, smooth.rules, opaque)

    def joined(self, found: Program) -> Program | None:
        """The program again, of parts in another form; None where one would be made of itself."""
        new = dict(zip(self.whole.flat, found.flat, strict=True))
        pairs = [
            (unknown, rebuild(term, tuple([new.get(a, a) for a in term.args])))
            for unknown, term in self.opaque.items()
        ]
        own = replace(found, results=self.form.results, roots=found.roots[:-1])
        try:
            return own.with_terms(replaced(own.flat, pairs).terms)
        except Cyclic:
            return None
