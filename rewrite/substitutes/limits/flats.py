"""Functions that are flat where a variable that divides is 0: no slopes there, not 0 * infinity.

    1/(1 + exp((e - m)/t))      at t = 0 is 0 or 1, whatever is near
    exp(-x*x/(4*t)) / sqrt(t)   is 0 there: exponentials win over powers
    g/(1 + a/x**4)              is 0 where x is, and so are three derivatives

Exponentials, error functions and their kin go to their limits faster than any power grows, so
nothing that reaches a result through them has a slope where they are there. Where a function is
flat is seen in its derivative: no digit is left of that far out. Only of variables and roots of
variables that divide, as times and temperatures, and only where a result has a value then. Where
there are only exponentials of several variables, exp(-x*x/(2*w*w)), they stay as they are: many
programs have them, and their values have no gap. Those of high powers, Boltzmann's factors, do not.

Where one variable divides, what stands on the function is behind a choice. Where several do, as
volatility and the root of time, most of a program would go behind such choices: so there each of
them is taken beside 0, where all is as flat. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import (
    CONST,
    DETACH,
    SELECT,
    VAR,
    Term,
    const,
    rebuild,
    toposort,
    var,
)
from ....terms.types import Scalar
from ....terms.value import scalar
from ...derivation.define import define
from ...derivation.local import PULL, Setting, expand, flows, local
from ...egraph.numbers import values
from ...factors.poles import ALGEBRA, FEW, NONE, PRODUCTS, Poles, Variables
from ...guarded.images import Images, nearest
from ...guards import Guard, guards

_POWER = 1e12  # what grows as powers do is less, that far out
_FAR, _NEAR = 1e4, 0.5  # where nothing is left of a slope that is flat, and where something is
#: What variables are taken for where they are 0; fourth powers of it have finite reciprocals.
_SMALL = {Scalar.F32: 2.0**-32, Scalar.F64: 2.0**-224}


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where a function has no slope any more, at -inf or inf, and at which of them it is 0.

    There it may be no number as it is written: x/(exp(x) - 1). A product with it is 0 where it is,
    not at its other end.
    """

    flat: tuple[float, ...] = ()
    zero: tuple[float, ...] = ()
    lost: bool = False
    grown: tuple[float, ...] = ()  # where it is infinite, as a power is: softplus(x)


def flattened(program: Program, rules: RuleSet) -> Program:
    """The program with choices where functions are flat; not in arms, which are choices."""
    roots = [*program.flat, *program.notes]
    order = toposort(roots)
    if not any(t.op in ("div", "rcp") for t in order):
        return program
    found = _Flats(order, guards(roots), rules)
    useful = found.shielded - found.poles.many
    useful = useful.difference(*(found.exposed[root] for root in program.flat))
    if not useful:
        return program
    apart = found.apart(useful).difference(*(found.steep[root] for root in program.flat))
    beside = {v: _beside(v, rules) for v in order if v in apart and v.type in _SMALL}
    done: dict[Term, Term] = {}
    for term in order:
        args = list(rebuild(term, tuple([done[a] for a in term.args])).args)
        gone = found.vanishing.get(term, []) if found.there(term) & useful - apart else []
        for place, ends in found.flat.get(term, {}).items():
            if found.is_alone(term, place) and found.poles.poles[term.args[place]] & useful - apart:
                if ends.lost and ends.zero == ends.flat:
                    gone = [*gone, (term, place)]
                else:
                    args[place] = found.chosen(term, place, done, args[place])
        here = rebuild(term, tuple(args))
        for own, where in found.ends_of(gone).items():
            there = found.condition(own, where, done)
            here = Term(SELECT, (there, here, const(0.0, here.type)), None, here.type)
        done[term] = beside.get(term, here)
    return program.with_terms(done)


def _beside(variable: Term, rules: RuleSet) -> Term:
    """A variable, or a small number where it is 0."""
    small = scalar(const(_SMALL[variable.type], variable.type))
    return apply(rules, "beside_zero", [scalar(variable), small], variable.type).term


class _Flats:
    """The terms of a program that are flat somewhere, and what is infinite in spite of them."""

    def __init__(self, order: Sequence[Term], needed: Mapping[Term, Guard], rules: RuleSet) -> None:
        self.rules, self.needed = rules, needed
        self.poles = Poles()
        self.known: dict[tuple[object, ...], _Ends] = {}
        self.flat: dict[Term, dict[int, _Ends]] = {}  # and of which arguments
        self.factors: dict[Term, list[tuple[Term, int]]] = {}
        self.vanishing: dict[Term, list[tuple[Term, int]]] = {}  # products that are 0 there
        self.grown: dict[Term, Variables] = {}  # where functions of poles are infinite
        self.exposed: dict[Term, Variables] = {}  # where a term may be no number
        self.steep: dict[Term, Variables] = {}  # where its slope is infinite
        self.shielded: Variables = NONE
        for term in order:
            self._add(term)

    @cached_property
    def images(self) -> Images:
        """What values can be."""
        return Images(self.rules)

    def _add(self, term: Term) -> None:
        self.poles.add(term)
        poles = self.poles.poles
        seen = poles[term].union(*(self.exposed[a] for a in term.args))
        seen |= self.poles.zeros[term.args[0]] if term.op == "log" else NONE
        steep = self.poles.steep[term].union(*(self.steep[a] for a in term.args))
        self.grown[term] = NONE.union(*(self.grown[a] for a in term.args if term.op in ALGEBRA))
        for place, arg in enumerate(term.args):
            if not poles[arg] or self.needed[term].parent is not None or poles[term] & poles[arg]:
                continue
            ends = self._ends(term, place)
            self.grown[term] |= poles[arg] if ends.grown else NONE
            if term.op in ("div", "rcp") and arg is term.args[-1] and self.poles.is_deep(arg):
                ends = self._there(arg, _Ends((-inf, inf)))  # it wins over no power
            if ends.flat:
                self.flat.setdefault(term, {})[place] = ends
            if ends.flat and (self.is_alone(term, place) or term.type in _SMALL):
                self.shielded |= NONE if self._is_common(term) else poles[arg]
                others = [self.exposed[a] for a in term.args if a is not arg]
                seen = poles[term].union(self.exposed[arg] - poles[arg], *others)
                steep -= poles[arg]
        self.factors[term] = self._factors(term)
        for factor, place in self.factors[term]:
            there = poles[factor.args[place]]
            grown = self.grown[term] if factor is not term else NONE
            if (poles[term] | self.poles.steep[term] | grown) & there:
                self.vanishing.setdefault(term, []).append((factor, place))
        for factor, place in self.vanishing.get(term, ()):
            there = poles[factor.args[place]]
            self.shielded |= there
            poles[term] -= there
            seen -= there
            steep -= there
        for own, where in self.ends_of(self.vanishing.get(term, ())).items():
            reached = self._there(own, _Ends((-inf, inf))).flat
            there = poles[own]
            self.grown[term] = (
                self.grown[term] - there if {*reached} <= {*where} else self.grown[term] | there
            )
        if len(seen) > FEW:
            self.poles.many |= seen
            seen = NONE
        self.exposed[term], self.steep[term] = seen, steep

    def _is_common(self, term: Term) -> bool:
        """Whether a function is an exponential of several variables, and of no high power."""
        if term.op != "exp" or self.poles.is_deep(term.args[0]):
            return False
        return sum(t.op == VAR for t in nearest(term)) > 1

    def there(self, term: Term) -> Variables:
        """The variables that are 0 where a product vanishes; none where it does not."""
        found = [self.poles.poles[f.args[place]] for f, place in self.vanishing.get(term, ())]
        return NONE.union(*found)

    def ends_of(self, factors: Sequence[tuple[Term, int]]) -> dict[Term, tuple[float, ...]]:
        """Where factors are 0: at which ends of what they are of."""
        found: dict[Term, tuple[float, ...]] = {}
        for factor, place in factors:
            own, side = factor.args[place], 1.0
            while own.op == "neg":
                own, side = own.args[0], -side
            ends = [side * end for end in self.flat[factor][place].zero]
            found[own] = tuple(dict.fromkeys([*found.get(own, ()), *ends]))
        return found

    def apart(self, useful: Variables) -> Variables:
        """The variables that divide beside others in flat functions that are no such factors."""
        found, factors = NONE, {f for of in self.vanishing.values() for f in of}
        for term, places in self.flat.items():
            for place in places:
                if not self.is_alone(term, place) and (term, place) not in factors:
                    found |= self.poles.poles[term.args[place]]
        return found & useful

    def is_alone(self, term: Term, place: int) -> bool:
        """Whether one variable divides in an argument."""
        return len(self.poles.poles[term.args[place]]) == 1

    def _factors(self, term: Term) -> list[tuple[Term, int]]:
        """The factors of a product, or a term itself, that are 0 where they are flat."""
        found = [(term, i) for i, ends in self.flat.get(term, {}).items() if ends.zero]
        if term.op in PRODUCTS:
            above = term.args[:1] if term.op == "div" else term.args
            found += [factor for a in above for factor in self.factors[a]]
        return found[:FEW]

    def _ends(self, term: Term, place: int) -> _Ends:
        """Where a function is flat in one of its arguments, which may be infinite there."""
        others = (*term.args[:place], *term.args[place + 1 :])
        if not isinstance(term.type, Scalar) or not all(a.op == CONST for a in others):
            return _Ends()
        key = (term.op, term.attr, term.type, place, others)
        if key not in self.known:
            self.known[key] = _ends(self.rules, term, place)
        return self._there(term.args[place], self.known[key])

    def _there(self, arg: Term, ends: _Ends) -> _Ends:
        """Of the ends those that an argument reaches."""
        parts = self.images.anywhere(arg).parts
        there = [s for s in (-inf, inf) if any(s in part for part in parts)]
        flat, zero, grown = (
            tuple([s for s in of if s in there]) for of in (ends.flat, ends.zero, ends.grown)
        )
        return _Ends(flat, zero, ends.lost, grown)

    def chosen(self, term: Term, place: int, done: Mapping[Term, Term], own: Term) -> Term:
        """An argument, of which nothing depends where the function is flat."""
        still = Term(DETACH, (own,), None, own.type)
        there = self.condition(term.args[place], self.flat[term][place].flat, done)
        return Term(SELECT, (there, own, still), None, own.type)

    def condition(self, own: Term, ends: tuple[float, ...], done: Mapping[Term, Term]) -> Term:
        """That a term is not at some ends; the same for several that are so together."""
        if len(ends) == 1:
            return Term("ne", (done[own], const(ends[0], own.type)), None, Scalar.BOOL)
        while own.op in ("neg", "add", "sub", "mul", "div"):
            below = [a for a in own.args if self.poles.poles[a]]
            others = [a for a in own.args if not self.poles.poles[a]]
            if len(below) != 1 or (own.op in ("mul", "div") and others[0].op != CONST):
                break
            own = below[0]
        size = Term("abs", (done[own],), None, own.type)
        return Term("ne", (size, const(inf, own.type)), None, Scalar.BOOL)


def _ends(rules: RuleSet, term: Term, place: int) -> _Ends:
    """Where a function is flat in one of its arguments; the others are numbers."""
    operator = rules.get(term.op)
    if operator is None or operator.is_composite or operator.nondiff:
        return _Ends()
    if place >= len(operator.partials) or not flows(rules, term, place):
        return _Ends()
    free, one = var("far", term.type), const(1.0, term.type)
    value = rebuild(term, (*term.args[:place], free, *term.args[place + 1 :]))
    (slope,) = expand(Setting(rules, term.type), [local(PULL, value, place, one)])
    roots = define(rules, [value, slope], term.type, derived=True)
    points = np.array([-_FAR, -_NEAR, _NEAR, _FAR, -inf, inf])
    found = values(rules, roots, {free: points})
    numbers, slopes = (np.broadcast_to(found[root], points.shape) for root in roots)
    if not slopes[1:3].all():
        return _Ends()
    flat = [(side, i) for side, i in ((-inf, 0), (inf, 3)) if slopes[i] == 0]
    zero = tuple(s for s, i in flat if numbers[i] == 0)
    lost = any(np.isnan(numbers[5 if side > 0 else 4]) for side in zero)
    sides = ((-inf, 0, 4), (inf, 3, 5))
    grown = tuple(s for s, i, end in sides if abs(numbers[i]) < _POWER and np.isinf(numbers[end]))
    return _Ends(tuple(s for s, _ in flat), zero, lost, grown)
