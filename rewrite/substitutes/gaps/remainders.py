"""Functions as what they are at a gap, and what is left of them over the distance from it.

    f = f0 + w*r    for sums and products by algebra, (1 + w)*(1 + w) = 1 + w*(2 + w); for functions
                    by patterns such as (exp(x) - 1)/x >> exprel(x), which say f0 = 1 and r = exprel

Both are exact: nothing is left out. Takes terms and a distance, gives terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import isfinite

from ....terms.rule import Rewrite, RuleSet
from ....terms.term import (
    CONST,
    DETACH,
    Term,
    const,
    const_value,
    is_const,
    substitute,
    toposort,
    var,
)
from ....terms.types import Scalar
from ....terms.walk import postorder
from ...derivation.define import define
from ...egraph.numbers import values
from ...factors.common import ALGEBRA, ROUNDING, shortly
from ...factors.factored import Product
from ...fingerprints import Fingerprints
from .quotients import Quotients

_MOST = 2000  # so many terms are made for one gap
_BESIDE, _NOTHING = (1 - ROUNDING, 1 + ROUNDING), 1e-12  # where a function may be rounding alone


class Plain:
    """Terms, or the 0 or 1 that they are by algebra."""

    def __init__(self) -> None:
        self.fingerprints = Fingerprints(())
        self.known: dict[Term, Term] = {}

    def of(self, term: Term) -> Term:
        """A term, or the number it is."""
        if not term.args or not term.type.is_real:
            return term
        if term not in self.known:
            prints = self.fingerprints
            prints.add(postorder([term], lambda t: () if t in prints else t.args))
            number = prints[term]
            self.known[term] = const(float(number), term.type) if number in (0, 1) else term
        return self.known[term]


class Remainders:
    """What terms are where a distance w is 0, and what is left of them over w.

    What is `plain` of a term is the same at every distance.
    """

    def __init__(
        self,
        distance: Term,
        given: Mapping[Term, tuple[Term, Term]],
        quotients: Quotients,
        rules: RuleSet,
        divisors: Product,
        plain: Plain | None = None,
    ) -> None:
        self.distance, self.quotients, self.rules = distance, quotients, rules
        self.divisors, self.plain = divisors, plain or Plain()
        self.starts: dict[Term, Term | None] = {t: start for t, (start, _) in given.items()}
        self.rests: dict[Term, Term | None] = {t: rest for t, (_, rest) in given.items()}
        self.used: list[Rewrite] = []
        self.made = 0

    def start(self, term: Term) -> Term | None:
        """What a term is at the gap; None where that is not known."""
        for each in postorder([term], self._below(self.starts)):
            if each not in self.starts:
                start = self._start(each)
                self.starts[each] = None if start is None else self.plain.of(start)
        return self.starts[term]

    def vanishes(self, term: Term) -> bool:
        """Whether a term is 0 at the gap, by algebra."""
        return is_const(self.start(term) or term, 0.0)

    def rest(self, term: Term) -> Term | None:
        """(term - its start) / w; None where that is not known."""
        if self.start(term) is None:
            return None
        for each in postorder([term], self._below(self.rests)):
            if each not in self.rests:
                self.rests[each] = self._rest(each)
        return self.rests[term]

    def build(self, op: str, *args: Term) -> Term:
        """An operator on terms, without what 0 and 1 do nothing for."""
        self.made += 1
        return shortly(self.rules, op, *args)

    def _below(self, known: Mapping[Term, object]) -> Callable[[Term], Sequence[Term]]:
        return lambda term: () if term in known or self.made > _MOST else term.args

    def _start(self, term: Term) -> Term | None:
        if term.op == DETACH:
            return term  # whatever it is, nothing varies with it
        args = [self.starts.get(a) for a in term.args]
        starts = [a for a in args if a is not None]
        if self.made > _MOST or len(starts) < len(args):
            return None
        if all(a is b for a, b in zip(starts, term.args, strict=True)):
            return self._constant(term)
        divides = term.op in ("div", "rcp")
        if not self._is_plain(term) or (divides and is_const(starts[-1], 0.0)):
            return None
        if term.op in ALGEBRA:
            return self.build(term.op, *starts)
        if all(a.op == CONST for a in starts):
            return self._number(Term(term.op, tuple(starts), None, term.type))
        for place, start in enumerate(starts):
            if start.op == CONST:
                mark = var(_STEP, term.type)
                found = self.quotients.find(self._beside(term, starts, place, mark), mark)
                if found is not None:
                    return self._simple(found[1])
        return self._simple(Term(term.op, tuple(starts), None, term.type))

    def _simple(self, start: Term) -> Term:
        """A start by algebra, where a function of it is an ordinary quotient there."""
        opened = self.quotients.opened(start)
        if opened is None:
            return self.build(start.op, *start.args) if self._is_plain(start) else start
        done = {a: a for a in start.args}
        for each in postorder([opened], lambda t: () if t in done else t.args):
            if each not in done:
                args = [done[a] for a in each.args]
                done[each] = self.build(each.op, *args) if args else each
        return done[opened]

    def _number(self, term: Term) -> Term | None:
        """What a function gives on numbers, if that is one."""
        (number,) = self._numbers([term])
        if 0 < abs(number) < _NOTHING and self._is_nothing(term):
            return const(0.0, term.type)
        return const(number, term.type) if isfinite(number) else None

    def _is_nothing(self, term: Term) -> bool:
        """Whether a function is 0 beside a number, as the sine is beside that which is pi."""
        ends = [[const(k * float(const_value(a)), a.type) for a in term.args] for k in _BESIDE]
        less, more = self._numbers([Term(term.op, tuple(end), None, term.type) for end in ends])
        return less * more < 0

    def _numbers(self, terms: Sequence[Term]) -> list[float]:
        """What terms are that do not vary."""
        defined = define(self.rules, terms, terms[0].type, derived=True)
        found = values(self.rules, defined, {})
        return [float(found[each]) for each in defined]

    def _constant(self, term: Term) -> Term:
        """A term that does not vary; a function of numbers, log(2), as the number it is."""
        if term.op in ALGEBRA or not term.args or not self._is_plain(term):
            return term
        return (self._number(term) if all(a.op == CONST for a in term.args) else None) or term

    def _beside(
        self, term: Term, args: Sequence[Term], place: int, step: Term, summed: bool = False
    ) -> Term:
        """A function with a step added to one of its arguments; to 0, if it is to be a sum."""
        start, moved = args[place], step
        if summed or not is_const(start, 0.0):
            moved = Term("add", (start, step), None, step.type)
        return Term(term.op, (*args[:place], moved, *args[place + 1 :]), None, term.type)

    def _is_plain(self, term: Term) -> bool:
        """Whether a term and what it is of are real numbers of one type."""
        return (
            term.attr is None and term.type.is_real and {a.type for a in term.args} == {term.type}
        )

    def _rest(self, term: Term) -> Term | None:
        start = self.starts.get(term)
        if start is None or start is term or self.made > _MOST:
            real = isinstance(term.type, Scalar) and term.type.is_real  # memory has no numbers
            return const(0.0, term.type) if start is term and real else None
        rests = [self.rests.get(a) for a in term.args]
        if term.op == "mul":
            return self._rest_of_product(term, *rests)
        if term.op == "div" and is_const(start, 0.0) and rests[0] is not None:
            return self.build("div", rests[0], term.args[1])
        known = [rest for rest in rests if rest is not None]
        if len(known) < len(rests):
            return None
        match term.op:
            case "sub" if self._are_alike(*term.args):
                return self._rest_of_difference(*term.args) or self.build("sub", *known)
            case "add" | "sub" | "neg":
                return self.build(term.op, *known)
            case "div" | "rcp":
                better = self.quotients.better(term)
                whole = self.rest(better) if better is not None else None
                return whole or self._rest_of_quotient(term, start, known)
        return self._rest_of_function(term, known)

    def _rest_of_product(self, term: Term, ra: Term | None, rb: Term | None) -> Term | None:
        """a*b - a0*b0 = (a - a0)*b + a0*(b - b0) = a*(b - b0) + (a - a0)*b0, which is shorter."""
        a, b = term.args
        a0, b0 = self.starts[a], self.starts[b]
        if ra is not None and a0 is not None and is_const(a0, 0.0):
            return self.build("mul", ra, b)
        if rb is not None and b0 is not None and is_const(b0, 0.0):
            return self.build("mul", a, rb)
        if ra is None or rb is None or a0 is None:
            return None
        if a is b:
            return self.build("mul", ra, self.build("add", a, a0))
        if b0 is not None and self._lost(b, b0) > self._lost(a, a0):
            return self.build("add", self.build("mul", a, rb), self.build("mul", ra, b0))
        return self.build("add", self.build("mul", ra, b), self.build("mul", a0, rb))

    def _lost(self, term: Term, start: Term) -> int:
        """How much shorter a term is at the gap."""
        return len(toposort([term])) - len(toposort([start]))

    def _rest_of_quotient(self, term: Term, start: Term, rests: Sequence[Term]) -> Term | None:
        """a/b - a0/b0 = (a - a0 - a0/b0*(b - b0))/b, where nothing new is divided by."""
        b = term.args[-1]
        b0 = self.starts[b]
        if b0 is None or not (start.op == CONST or b0 is b or self._divides(b0)):
            return None
        lost = self.build("mul", start, rests[-1])
        above = self.build("sub", rests[0], lost) if term.op == "div" else self.build("neg", lost)
        return self.build("div", above, b)

    def _divides(self, term: Term) -> bool:
        """Whether the program divides by all factors of a term as it is."""
        product = Product.of(term)
        above = [f for f in product.factors if f.power > 0] if product is not None else []
        return product is not None and all(map(self.divisors.power_of, above))

    def _are_alike(self, a: Term, b: Term) -> bool:
        """Whether two terms are one function of one argument, and the same at the gap."""
        alike = a.op == b.op and a.op not in ALGEBRA and len(a.args) == 1
        return alike and self.start(a) is self.start(b)

    def _rest_of_difference(self, a: Term, b: Term) -> Term | None:
        """f(a) - f(b) by what a is more than b: far from the gap both may be small."""
        one, other = self.quotients.better(a), self.quotients.better(b)
        if one is not None and other is not None and self._are_alike(one, other):
            known = self._rest_of_difference(one, other)
            if known is not None:
                return known
        more, less = self.rests.get(a.args[0]), self.rests.get(b.args[0])
        if more is None or less is None:
            return None
        rest = self.build("sub", more, less)
        step = self.build("mul", rest, self.distance)
        return self._step(b, b.args, 0, a.args[0], (rest, step))

    def _rest_of_function(self, term: Term, rests: Sequence[Term]) -> Term | None:
        """What the steps of all arguments add up to, one after the other."""
        better = self.quotients.better(term)
        known = self.rest(better) if better is not None else None
        if known is not None:
            return known
        args = [start for a in term.args if (start := self.starts[a]) is not None]
        quotient = self.of_ratio(term)
        if quotient is not None:
            return self.build("mul", rests[0], quotient)
        total = const(0.0, term.type)
        for place, (arg, rest) in enumerate(zip(term.args, rests, strict=True)):
            if args[place] is arg:
                continue
            step = arg if is_const(args[place], 0.0) else self.build("mul", rest, self.distance)
            part = self._step(term, args, place, arg, (rest, step))
            if part is None:
                return None
            args[place] = arg
            total = self.build("add", total, part)
        return total

    def of_ratio(self, term: Term) -> Term | None:
        """log(a/b)/(a/b - 1) for what varies with other variables, too; None of anything else.

        The quotient has all digits where a is small beside b, what it is less than 1 has not.
        """
        (ratio, *_) = term.args
        below = self.starts.get(ratio.args[1]) if ratio.op == "div" else None
        start = self.starts.get(ratio)
        if start is None or below is None or below.op == CONST:
            return None
        found = self.quotients.of_end(term, start)
        if found is None:
            return None
        self.used.append(found[0])
        return found[1]

    def _step(
        self, term: Term, args: Sequence[Term], place: int, end: Term, by: tuple[Term, Term]
    ) -> Term | None:
        """(f(end) - f(a0))/w for end = a0 + w*rest, by a pattern that knows `rest` or not.

        Where a pattern has the sum, it gets the end: of that little is left in a0 + (end - a0) if
        a0 is large.
        """
        mark, (rest, step) = var(_STEP, term.type), by
        multiple = Term("mul", (rest, mark), None, term.type)
        overs = (multiple, mark) if rest.op != CONST else (mark,)
        sums = (False, True) if is_const(args[place], 0.0) else (True,)
        for over, summed in product(overs, sums):
            moved, known = self._beside(term, args, place, over, summed), over is multiple
            found = self.quotients.find(moved, mark)
            if found is not None:
                self.used.append(found[0])
                table = {moved.args[place]: end} if moved.args[place].op == "add" else {}
                table[mark] = self.distance if known else step
                (made,) = substitute([found[2]], table)
                return made if known else self.build("mul", rest, made)
        return None


_STEP = "a step"  # stands for it in patterns, as nothing else does
