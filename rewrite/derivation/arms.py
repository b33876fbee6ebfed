"""Zeros that choices say, kept out of the way of infinite factors.

A derivative that a choice makes 0 (`s if c else 0`: the side of a `max` that lost, an arm that is
not taken) stays 0, also where a later factor is infinite: d/dx max(sqrt(x), 1) is 0 at x = 0. In a
product it would be 0 * inf, so there the factors go into the arm,

    f * (s if c else 0)    as    (f * s if c else 0)

with all that were multiplied since the choice, and only there: every product in an arm of its own
is one choice more. Takes the products of an expansion one by one, in the order of the program.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from ...terms.apply import apply
from ...terms.rule import RuleSet
from ...terms.term import Term, const, is_const, toposort
from ...terms.types import Scalar
from ...terms.value import scalar
from .growing import growing
from .rooted import Rooted

_STRICT = ("gt", "lt", "ne")
_NESTED = 2  # choices within a choice: min and max have three cases
_MANY = 5  # choices in a sum into which no factor goes
_LONGEST = 32  # factors that are put into an arm at once


@dataclass(frozen=True, slots=True)
class Poles:
    """The operators with derivatives that can be infinite, and those that can be themselves."""

    derivatives: frozenset[str]
    values: frozenset[str]
    growing: frozenset[str]  # of both: those that overflow

    @staticmethod
    def of(rules: RuleSet) -> Poles:
        """What a rule set says of its operators."""
        steep = rules.once(growing)
        return Poles(_singular(rules) | steep, _poles(rules) | steep, steep)


class Arms:
    """The products of a derivative by which choices were multiplied, and what may be infinite."""

    def __init__(self, rules: RuleSet, real: Scalar, poles: Poles, order: Sequence[Term]) -> None:
        self.rules, self.real = rules, real
        self.singular, self.growing = poles.derivatives, poles.growing
        # Values that can be infinite, or follow from one that is; or from one that overflows.
        self.unbounded = _above(poles.values, order)
        self.huge = _above(poles.growing, order)
        self.rooted = Rooted(order)
        # Products with a choice somewhere below: the factor, what it multiplies, and how many.
        self.held: dict[Term, tuple[Term, Term, int]] = {}
        self.summed: dict[Term, int] = {}  # sums of choices and their products: of how many

    def product(self, whole: Term, seed: Term, op: str, inputs: Sequence[Term]) -> Term:
        """What stands for `whole`, a factor times a seed, as the derivative of `op`.

        `inputs` are what a factor is made of, the value of `op` last.
        """
        is_zeroed = self.is_choice(seed) or seed in self.summed
        if is_zeroed and whole.op == "select" and whole is not seed:
            return self._by_cases(whole, seed, op, inputs)
        factor = _factor(whole, seed)
        if factor is None:
            return whole
        if self.rooted.needs(inputs[-1], factor):
            return self.rooted.slope(factor, whole)
        if self.is_choice(seed):
            infinite = op in self.singular or self.is_unbounded(factor, inputs)
            return self.times(whole, factor, seed, infinite=infinite)
        if seed in self.summed:
            huge = op in self.growing or self._reads(factor, inputs, self.huge, self.growing)
            return self._times_sum(whole, factor, seed, huge=huge)
        return whole

    def _times_sum(self, whole: Term, factor: Term, summed: Term, *, huge: bool) -> Term:
        """What stands for `whole`, a factor times a sum of choices: what overflows goes in."""
        length = self.held[summed][2] + 1 if summed in self.held else 1
        if huge and length <= _LONGEST:
            return self._inside([factor], summed)
        self.held[whole] = factor, summed, length
        self.summed[whole] = self.summed[summed]
        return whole

    def _by_cases(self, whole: Term, seed: Term, op: str, inputs: Sequence[Term]) -> Term:
        """The same of a rule that says a factor case by case: of each, where it is taken."""
        condition, *arms = whole.args
        cases = [scalar(self.product(arm, seed, op, inputs)) for arm in arms]
        return apply(self.rules, "select", [scalar(condition), *cases], self.real).term

    def is_choice(self, term: Term) -> bool:
        """Whether a choice makes a term 0, itself or a factor of it."""
        return (term in self.held and term not in self.summed) or _has_zero_arm(term)

    def times(self, whole: Term, factor: Term, choice: Term, *, infinite: bool) -> Term:
        """What stands for `whole`, a factor times what a choice makes 0."""
        length = self.held[choice][2] + 1 if choice in self.held else 1
        if infinite or length > _LONGEST:
            return self._inside([factor], choice)
        self.held[whole] = factor, choice, length
        return whole

    def added(self, whole: Term) -> Term:
        """What stands for a sum: twice what a choice makes 0 is a product.

        As a sum of two choices it would go into an arm of its own. Of few others it is remembered.
        """
        if whole.op != "add":
            return whole
        if whole.args[0] is not whole.args[1]:
            counts = [1 if self.is_choice(a) else self.summed.get(a, _MANY) for a in whole.args]
            if sum(counts) < _MANY:
                self.summed[whole] = sum(counts)
            return whole
        choice = whole.args[0]
        if not self.is_choice(choice):
            return whole
        factor = const(2.0, choice.type)
        product = scale(self.rules, factor, choice, self.real)
        return self.times(product, factor, choice, infinite=False)

    def plus(self, a: Term, b: Term) -> Term:
        """A sum, of which it stays known where a choice makes both its terms 0."""
        if not self.is_choice(a) or not self.is_choice(b):
            return self._sum(a, b)
        (f, one), (g, other) = self._apart(a), self._apart(b)
        if one is other:
            factor = self._sum(f, g)
            whole = scale(self.rules, factor, one, self.real)
            return self.times(whole, factor, one, infinite=False)
        if one.args[0] is not other.args[0]:
            return self._sum(a, b)
        pairs = zip(self._scaled(f, one).args[1:], self._scaled(g, other).args[1:], strict=True)
        arms = [self.plus(x, y) for x, y in pairs]
        return Term(one.op, (one.args[0], *arms), None, one.type)

    def _apart(self, term: Term) -> tuple[Term, Term]:
        """By what a choice was multiplied, and the choice."""
        factor: Term = const(1.0, term.type)
        while term in self.held:
            one, term, _ = self.held[term]
            factor = scale(self.rules, one, factor, self.real)
        return factor, term

    def _sum(self, a: Term, b: Term) -> Term:
        if is_const(a, 0.0) or is_const(b, 0.0):
            return b if is_const(a, 0.0) else a
        return apply(self.rules, "add", [scalar(a), scalar(b)], self.real).term

    def is_unbounded(self, factor: Term, inputs: Sequence[Term]) -> bool:
        """Whether a factor can be infinite: whether it reads what can be."""
        return self._reads(factor, inputs, self.unbounded, self.singular)

    def _reads(
        self, factor: Term, inputs: Sequence[Term], values: Set[Term], operators: Set[str]
    ) -> bool:
        """Whether a factor reads one of some values, or is made with one of some operators."""
        stop, stack = set(inputs), [factor]
        while stack:
            term = stack.pop()
            if term in stop:
                if term in values:
                    return True
            elif term.op in operators:
                return True
            else:
                stack += term.args
        return False

    def _inside(self, factors: Sequence[Term], seed: Term) -> Term:
        """Factors, and all by which choices were multiplied before, in the arms of the choices."""
        factors = list(factors)
        while seed in self.held:
            last, seed, _ = self.held[seed]
            factors.append(last)
        if seed in self.summed:
            return self._sum(*[self._inside(factors, part) for part in seed.args])
        for one in reversed(factors):
            seed = self._scaled(one, seed)
        return seed

    def _scaled(self, factor: Term, choice: Term, depth: int = _NESTED) -> Term:
        condition, *arms = choice.args
        values = [scalar(condition)]
        for arm in arms:
            if _has_zero_arm(arm, depth - 1):
                arm = self._scaled(factor, arm, depth - 1)
            elif not is_const(arm, 0.0):
                arm = scale(self.rules, factor, arm, self.real)
            values.append(scalar(arm))
        return apply(self.rules, "select", values, self.real).term


def _above(operators: Set[str], order: Sequence[Term]) -> set[Term]:
    """The values of some operators, and all that follows from them."""
    found: set[Term] = set()
    for term in order:
        if term.op in operators or any(a in found for a in term.args):
            found.add(term)
    return found


def _factor(whole: Term, seed: Term) -> Term | None:
    """By what a term multiplies a seed; None where it does not."""
    if whole.op == "neg" and whole.args[0] is seed:
        return const(-1.0, seed.type)
    if whole.op == "mul" and seed in whole.args:
        a, b = whole.args
        return a if b is seed else b
    return None


def _has_zero_arm(term: Term, depth: int = _NESTED) -> bool:
    """Whether a choice says 0, here or in a choice within."""
    return (
        depth > 0
        and term.op == "select"
        and any(is_const(arm, 0.0) or _has_zero_arm(arm, depth - 1) for arm in term.args[1:])
    )


def _singular(rules: RuleSet) -> frozenset[str]:
    """The operators whose derivative can be infinite: it holds one that has a domain."""
    found = []
    for name, overloads in rules.operators.items():
        stated = [e for o in overloads for e in (*o.partials, *o.pullbacks) if e is not None]
        inside = {t.op for t in toposort(stated)} & rules.operators.keys()
        if any(rules.operator(op).domain is not None for op in inside):
            found.append(name)
    return frozenset(found)


def _poles(rules: RuleSet) -> frozenset[str]:
    """The operators that can be infinite: their domain leaves out where it ends."""
    domains = {name: overloads[0].domain for name, overloads in rules.operators.items()}
    return frozenset(
        name
        for name, domain in domains.items()
        if domain is not None and any(t.op in _STRICT for t in toposort([domain]))
    )


def scale(rules: RuleSet, factor: Term, seed: Term, real: Scalar) -> Term:
    """factor * seed, with factors 1 and -1 written as what they are.

    The seed goes into the arms of a choice: where a rule says 0 nothing passes, and an infinite
    seed must not come back as 0 * inf.
    """
    if is_const(seed, 1.0):
        return factor
    if is_const(factor, 1.0):
        return seed
    if is_const(factor, -1.0):
        return apply(rules, "neg", [scalar(seed)], real).term
    if factor.op == "select":
        condition, *arms = factor.args
        scaled = [a if is_const(a, 0.0) else scale(rules, a, seed, real) for a in arms]
        values = [scalar(condition), *(scalar(a) for a in scaled)]
        return apply(rules, "select", values, real).term
    return apply(rules, "mul", [scalar(factor), scalar(seed)], real).term
