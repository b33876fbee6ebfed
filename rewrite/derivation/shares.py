"""Logarithms and shares of sums of exponentials, less the largest exponent: none of it overflows.

    log(exp(a) + exp(b) + exp(c))        is    m + log(exp(a - m) + exp(b - m) + exp(c - m))
    exp(a) / (1 + exp(a) + exp(b))       is    exp(a - m) / (exp(-m) + exp(a - m) + exp(b - m))

m does not vary: neither side depends on it. Sums of two exponentials have rules of their own, and
who has subtracted something from all exponents by hand keeps that. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce

from ...terms.apply import apply
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import CONST, DETACH, Term, const, const_value, rebuild, toposort
from ...terms.types import Scalar
from ...terms.value import scalar
from .common import summands, total

_LEAST = 3  # summands
_LOWEST = {Scalar.F32: -1e38, Scalar.F64: -1e300}


def without_overflow(program: Program, rules: RuleSet) -> Program:
    """The program with the largest exponent subtracted where only quotients count."""
    roots = [*program.flat, *program.notes]
    if sum(term.op == "exp" for term in toposort(roots)) < _LEAST - 1:
        return program
    done: dict[Term, Term] = {}
    for term in toposort(roots):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        done[term] = _shifted(here, rules) or here
    flat = [done[root] for root in program.flat]
    notes = {done[term]: note for term, note in program.notes.items()}
    return program.with_flat(flat, notes=notes)


def _shifted(term: Term, rules: RuleSet) -> Term | None:
    """A logarithm, or a quotient, of a sum of exponentials without overflow."""
    if term.op not in ("log", "div", "rcp"):
        return None
    exponents = _exponents(term.args[-1])
    if not exponents:
        return None
    shift = _Shift(exponents, rules)
    below = shift.of(term.args[-1])
    if term.op == "log":
        return shift.apply("add", shift.most, shift.apply("log", below))
    above = term.args[0] if term.op == "div" else const(1.0, term.type)
    return shift.apply("div", shift.of(above), below)


def _exponents(term: Term) -> list[Term]:
    """The exponents of a sum of positive numbers and exponentials; none of anything else."""
    added = summands(term) if term.op == "add" else []
    if len(added) < _LEAST or any(sign < 0 for sign, _ in added):
        return []
    exps = [part for _, part in added if part.op == "exp"]
    numbers = [part for _, part in added if part.op == CONST and float(const_value(part)) > 0]
    if len(exps) < _LEAST - 1 or len(exps) + len(numbers) < len(added):
        return []
    exponents = list(dict.fromkeys(part.args[0] for part in exps))
    less = {e.args[1] if e.op == "sub" else None for e in exponents}
    if None not in less and len(less) == 1 and not numbers:
        return []
    return exponents + ([const(0.0, term.type)] if numbers else [])


class _Shift:
    """exp(-m) times sums of exponentials, for the largest exponent m."""

    def __init__(self, exponents: Sequence[Term], rules: RuleSet) -> None:
        self.rules = rules
        self.exponents: Collection[Term] = frozenset(exponents)
        self.type = exponents[0].type
        largest = reduce(lambda a, b: self.apply("max", a, b), exponents)
        if self.type in _LOWEST:  # -inf - -inf is no number
            largest = self.apply("max", largest, const(_LOWEST[self.type], self.type))
        self.most = Term(DETACH, (largest,), None, self.type)

    def apply(self, op: str, *args: Term) -> Term:
        return apply(self.rules, op, [scalar(a) for a in args], self.type).term

    def exp(self, exponent: Term) -> Term:
        return self.apply("exp", self.apply("sub", exponent, self.most))

    def of(self, term: Term) -> Term:
        """exp(-m) times a term, which goes into the exponentials that it consists of."""
        added = summands(term) or [(1, term)]
        return total([(sign, self.product(part)) for sign, part in added], self.rules, self.type)

    def product(self, term: Term) -> Term:
        if term.op == "exp" and term.args[0] in self.exponents:
            return self.exp(term.args[0])
        if term.op == "mul":
            for i, factor in enumerate(term.args):
                if factor.op == "exp" and factor.args[0] in self.exponents:
                    return self.apply("mul", term.args[1 - i], self.exp(factor.args[0]))
        small = self.apply("exp", self.apply("neg", self.most))
        is_one = term.op == CONST and float(const_value(term)) == 1
        return small if is_one else self.apply("mul", term, small)
