"""What a search is about: one body of code, what may be done to it, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...terms.program import Program
from ...terms.rule import MATH_TAGS, RuleSet, Tag
from ...terms.term import CONST, Term, toposort
from ...terms.walk import Cyclic
from ..egraph.cost import program_cost, term_cost
from ..egraph.leaks import Witness
from ..egraph.magnitudes import Magnitudes
from ..egraph.numbers import beyond, points, usual
from ..egraph.saturate import Budget
from ..extraction.extract import Effort
from ..fold import of_their_types
from ..guarded import Guarding, Undefined, at_sources, guardings
from ..phases import Phase
from ..regroup import (
    by_shared_constants,
    in_common_divisors,
    in_other_groups,
    multiplied_apart,
)
from ..reuse import Digits, are_as_exact, are_exact_everywhere, by_less_one, replaced, reused, taken
from ..rounding import Errors, repaired
from ..scaling import Remade, factors, refactored, rescaled, turned, turned_everywhere
from .report import Report

# Up to how many terms what was extracted is saturated again, and how often at most.
_RESTARTS = {
    Effort.FAST: (),
    Effort.DEFAULT: ((2_000, 6), (6_000, 2)),
    Effort.BEST: ((20_000, 20),),
}

#: Terms of a program, and others that equal them.
Equal = tuple[tuple[Term, Term], ...]
_Form = Callable[[list[Term]], Remade | None]


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is optimized; every field takes part in what comes out."""

    math: str = "safe"
    effort: Effort = Effort.DEFAULT
    budget: Budget = field(default_factory=Budget)
    without: tuple[Phase, ...] = ()  # to see what they win
    magnitudes: tuple[float, ...] = ()  # of the constants of the function, see egraph/magnitudes.py


@dataclass(frozen=True, slots=True)
class Stage:
    """A program, what was chosen from its e-graph, and what was in that beside the program."""

    before: Program
    after: Program
    equal: Equal
    budget: Budget


def _kept(flat: Sequence[Term], find: Callable[[Sequence[Term]], Any], rules: RuleSet) -> Equal:
    """What is found for a program, without numbers that their types do not have."""
    return tuple(of_their_types(rules, find(flat), frozenset(toposort(flat))))


@dataclass(frozen=True, slots=True)
class Task:
    """One body of code to be made cheap, and how."""

    plain: Program
    rules: RuleSet
    options: Options
    report: Report
    tags: tuple[Tag, ...]  # of the rewrites that may take part
    witness: Witness
    far: Witness  # where a variable is: numbers to keep where that costs nothing
    magnitudes: Magnitudes
    digits: Digits
    undefined: Undefined
    vain: dict[tuple[object, ...], None] = field(default_factory=dict)  # forms of no use
    found: dict[tuple[object, ...], tuple[Any, ...]] = field(default_factory=dict)  # by `_once_for`

    @staticmethod
    def of(plain: Program, rules: RuleSet, options: Options, report: Report) -> Task:
        """The task for a program, with the rewrites that its math mode admits."""
        at = points(plain.flat, special=options.math == "safe")
        witness = Witness(rules, plain.flat, at)
        digits = Digits(rules, usual(at))
        return Task(
            plain,
            rules,
            options,
            report,
            MATH_TAGS[options.math],
            witness,
            Witness(rules, plain.flat, beyond(plain.flat)),
            Magnitudes(rules, plain.flat, options.magnitudes),
            digits,
            Undefined(rules),
        )

    def usual(self) -> Task:
        """The same with the usual effort, and a report of its own."""
        report = self.report.fresh()
        report.orders = self.report.orders
        options = replace(self.options, effort=Effort.DEFAULT)
        return replace(self, options=options, report=report, vain={})

    def careful(self, *without: Phase) -> Task:
        """The same without some phases, and a report of its own."""
        options = replace(self.options, without=(*self.options.without, *without))
        return replace(self, options=options, report=self.report.fresh(), vain={}, found={})

    @property
    def is_strict(self) -> bool:
        """Whether every bit is kept."""
        return self.tags == MATH_TAGS["strict"]

    def cost(self, program: Program) -> float:
        """What a program costs."""
        return program_cost(self.rules, program.flat)

    def restarts(self, program: Program) -> int:
        """How often a chosen program may be put into an e-graph once more."""
        return 0 if Phase.ROUNDS in self.options.without else self._restarts(program)

    def is_compared(self, program: Program) -> bool:
        """Whether it is small enough for a round that only shows what it promises."""
        small = min([most for most, _ in _RESTARTS[self.options.effort]], default=0)
        return self.restarts(program) > 0 and len(program.terms()) <= small

    def _restarts(self, program: Program) -> int:
        size = len(program.terms())
        return next((n for most, n in _RESTARTS[self.options.effort] if 0 < size <= most), 0)

    def beside(self, program: Program) -> Equal:
        """What a program computes, in other groups, for its own e-graph."""
        if self.is_strict or Phase.REGROUPING in self.options.without:
            return ()
        return self._once_for(program, _kept, in_other_groups, self.rules)

    def apart(self, program: Program) -> Equal:
        """What a chosen program computes, multiplied out and written again, for its own e-graph."""
        if self.is_strict or Phase.REGROUPING in self.options.without:
            return ()
        return tuple(_kept(program.flat, multiplied_apart, self.rules))

    def again(self, program: Program) -> Equal:
        """What a chosen program computes that is other values of it, for its own e-graph.

        Of plain programs that would say too much: there is 0 under quotients, and what is known of
        them in rules alone keeps the e-graph small.
        """
        if self.is_strict or Phase.REUSE in self.options.without:
            return ()
        return tuple(self._reused(program)[0])

    def is_repeated(self, program: Program, equal: Equal, how: object) -> bool:
        """Whether the same round is asked for once more: it would choose the same."""
        key = how, program, equal
        is_known = key in self.vain
        self.vain[key] = None
        return is_known

    def known(self, program: Program) -> Stage | None:
        """The program with numbers for the values that always are: in an e-graph, 0 is so many."""
        if not self._may_reuse(program):
            return None
        pairs = [pair for pair in self._reused(program)[0] if pair[1].op == CONST]
        found = self._remade(program, partial(replaced, pairs=pairs)) if pairs else None
        return found if found and self._is_as_exact(program, found.after) else None

    def rescaled(self, program: Program) -> Stage | None:
        """The program with values at other powers of two, where that is cheaper."""
        return self._once(program, rescaled)

    def turned(self, program: Program) -> Stage | None:
        """The program with other values as their negatives, where that is cheaper."""
        return self._once(program, turned)

    def turned_everywhere(self, program: Program) -> Stage | None:
        """The same with signs that go through choices and what divides."""
        return self._once(program, turned_everywhere)

    def refactored(self, program: Program, factor: Term) -> Stage | None:
        """The program with values at other powers of a factor, where that is cheaper."""
        found = self._remade(program, partial(refactored, factor=factor))
        return found if found and self._is_as_exact(program, found.after) else None

    def shared(self, program: Program) -> Iterator[tuple[Callable[[Program], Stage | None], str]]:
        """Forms of a program whose values share guards, or have other factors.

        The first time they are asked for.
        """
        if (factors, program) in self.vain or not self._may_be_remade(program):
            return
        self.vain[factors, program] = None
        for guarding in guardings(program.flat):
            yield partial(self.at_sources, guarding=guarding), "guards at their sources"
        for factor in factors(program.flat):
            yield partial(self.refactored, factor=factor), "values at other powers of a factor"

    def at_sources(self, program: Program, guarding: Guarding) -> Stage | None:
        """The program with a guard where the first value is 0, and not around all that follow."""

        def form(flat: Sequence[Term]) -> Remade:
            pairs, terms = at_sources(flat, guarding, self.undefined)
            return Remade(tuple(pairs), terms)

        return self._remade(program, form)

    def divided(self, program: Program, width: int, whole: bool) -> Stage | None:
        """The program with its sums divided by what they have in common, where that is cheaper.

        Up to so many products, they are multiplied out before; values used often stay `whole`.
        """
        if Phase.REGROUPING in self.options.without or not self._may_be_remade(program):
            return None
        return self._remade(program, partial(in_common_divisors, width=width, whole=whole))

    def weighed(self, program: Program) -> Stage | None:
        """The program with constants that products share on what they have in common.

        All products together, since none gains alone; each is as exact in any order.
        """
        if Phase.REGROUPING in self.options.without:
            return None

        def form(flat: Sequence[Term]) -> Remade | None:
            pairs = by_shared_constants(flat)
            try:
                return replaced(flat, pairs) if pairs else None
            except Cyclic:  # one product would be made of another one, and that of it
                return None

        return self._remade(program, form) if self._may_be_remade(program) else None

    def reused(self, program: Program) -> Stage | None:
        """The program with values that are others of it, or one or two operators away from them."""
        if not self._may_reuse(program):
            return None
        pairs = [pair for pairs in self._reused(program) for pair in pairs]
        return self._taken(program, pairs, are_as_exact)

    def less_one(self, program: Program) -> Stage | None:
        """The program with exponentials from those less 1, where no result loses digits by that."""
        if not self._may_reuse(program):
            return None
        return self._taken(program, list(by_less_one(program.flat)), are_exact_everywhere)

    def _reused(self, program: Program) -> tuple[Equal, ...]:
        return self._once_for(program, reused, self.rules, self.digits)

    def _taken(
        self, program: Program, pairs: Sequence[tuple[Term, Term]], judge: Callable[..., bool]
    ) -> Stage | None:
        """The program with pairs that make it cheaper, lose no number and no digits of results."""

        def is_sound(after: Sequence[Term]) -> bool:
            results = list(zip(program.flat, after, strict=True))
            return not self.witness.lost(after) and judge(results, self.digits)

        def form(flat: Sequence[Term]) -> Remade | None:
            costs = partial(term_cost, self.rules), partial(program_cost, self.rules)
            return taken(flat, pairs, *costs, is_sound)

        return self._remade(program, form) if pairs else None

    def exact(self, program: Program) -> Stage | None:
        """The program with the digits of the plain one, where it has lost some."""
        if not self.restarts(self.plain) or self.tags != MATH_TAGS["safe"]:
            return None
        errors = Errors(self.rules, self.plain.flat)
        found = repaired(program.flat, errors)
        return None if found is None else self._stage(program, found)

    def _is_as_exact(self, before: Program, after: Program) -> bool:
        results = list(zip(before.flat, after.flat, strict=True))
        return are_as_exact(results, self.digits)

    def _once_for(self, program: Program, find: Callable[..., Any], *how: Any) -> tuple[Any, ...]:
        """What is found for a program: rounds that gain nothing are followed by some with it."""
        key = find, *program.flat
        if key not in self.found:
            self.found[key] = tuple(find(program.flat, *how))
        return self.found[key]

    def _once(self, program: Program, form: _Form) -> Stage | None:
        """The program in another form, unless that was tried before, or is its own form."""
        if (form, program) in self.vain or not self._may_be_remade(program):
            return None
        self.vain[form, program] = None
        stage = self._remade(program, form)
        if stage is not None:
            self.vain[form, stage.after] = None
        return stage

    def _may_reuse(self, program: Program) -> bool:
        return Phase.REUSE not in self.options.without and self._may_be_remade(program)

    def _may_be_remade(self, program: Program) -> bool:
        idle = self.is_strict or Phase.SCALES in self.options.without
        return not idle and self._restarts(program) > 0

    def _remade(self, program: Program, form: _Form) -> Stage | None:
        """The program in another form, if that is cheaper and loses no number."""
        found = form(program.flat)
        if found is None:
            return None
        after = [found.terms[t] for t in program.flat]
        if program_cost(self.rules, after) >= self.cost(program):
            return None
        return self._stage(program, found)

    def _stage(self, program: Program, found: Remade) -> Stage | None:
        """From a program to another form of it, unless that loses a number."""
        after = program.with_terms(found.terms)
        if self.witness.lost(after.flat):
            return None
        return Stage(program, after, found.pairs, replace(self.options.budget, iterations=0))
