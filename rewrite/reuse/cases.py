"""Cases: identities of guarded values, whose conditions are 0 or 1.

    g = 0 if d == 0 else 1/d:    g*(1 - x*g*x*g)    as    g*(y*g*y*g),    for d = hypot(x, y)

A guarded value is c*v for a condition c, and c*c is c, as of no other number. So here each
condition is what makes the choices by it something else than 0. What is found there has to hold
where conditions are either, too: at points where they are 0 or 1 by chance, which leaves few
pairs, then in every case. Chance is not enough: what several conditions guard is mostly 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

from ...terms.term import CONST, SELECT, Term, const_value, is_const, is_zero, toposort
from ...terms.types import Scalar
from ..fingerprints import PRIME, SMALL, Fingerprints
from ..uses import new_in
from .known import Known
from .resubstitution import MOST, resubstituted
from .rooted import with_roots
from .triples import in_two_steps

_FEW = 200  # terms up to which two operators on three values are looked for
_TURNS = 24  # points where conditions are something else
_CASES = 16_384  # values that may be computed to look at every case of two terms


def by_cases(known: Known) -> Iterator[tuple[Term, Term]]:
    """Pairs of a value and an equal term over others, where that is so by what conditions are.

    >>> from ...terms.term import const, var
    >>> x, y, zero = var("x", Scalar.F64), var("y", Scalar.F64), const(0.0, Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> at_0 = Term("eq", (x, zero), None, Scalar.BOOL)
    >>> g = op("select", at_0, zero, op("rcp", x))
    >>> slope, value = op("mul", y, g), op("mul", op("mul", x, g), op("mul", g, y))
    >>> (old, new), *_ = by_cases(Known([slope, value], lambda term: float(bool(term.args))))
    >>> old is value, new is slope
    (True, True)
    """
    arms = _arms(known.terms)
    if arms and len(known.terms) <= MOST:
        guarded = _Guarded(known, arms)
        yield from _repeated(guarded)
        yield from ((old, new) for old, new, _ in resubstituted(guarded))
        if len(known.terms) <= _FEW:
            yield from in_two_steps(guarded)


def _repeated(guarded: _Guarded) -> Iterator[tuple[Term, Term]]:
    """Values and the first ones that have their fingerprints."""
    first: dict[object, list[Term]] = {}
    wanted = guarded.saved(1)
    for term in guarded.terms:
        alike = first.setdefault((guarded.prints[term], term.type), [])
        if term in wanted:
            for there in alike:
                if guarded.stays_a_number(term, (there,)) and guarded.is_so(term, there):
                    yield term, there
        if len(alike) < guarded.alike:
            alike.append(term)


class _Guarded(Known):
    """What is known of values that are made of guarded ones, where guards give something else."""

    alike = 4  # a value, and it under guards

    def __init__(self, known: Known, arms: Mapping[Term, int]) -> None:
        self.flat, self.terms, self.cost = known.flat, known.terms, known.cost
        self.place, self.below, self.alone = known.place, known.below, known.alone
        self.poles, self.whatever = known.poles, known.prints
        self.arms, self.turned = arms, dict[int, Fingerprints]()

    @cached_property
    def prints(self) -> Fingerprints:
        """The fingerprints where guards give something else than 0."""
        return self._conditional(PRIME)

    @cached_property
    def residues(self) -> Fingerprints:
        """The same modulo a small prime."""
        return self._conditional(SMALL)

    def ranked(self, terms: Sequence[Term]) -> Sequence[Term]:
        """The last first: what a value guards comes before it, and is 0 less often."""
        return terms[::-1]

    def saved(self, least: int) -> dict[Term, float]:
        """What it saves to compute values otherwise that are made of guarded ones."""
        guards = sum([1 << self.place[t] for t in self.terms if _is_guarded(t)])
        saved = super().saved(least)
        return {term: gain for term, gain in saved.items() if self.below[term] & guards}

    def is_so(self, old: Term, new: Term) -> bool:
        """Whether two terms are one for all that conditions are, but not for all other numbers."""
        fresh = [*reversed(new_in(new, self.place))]
        self.whatever.add(fresh)
        return (
            self.whatever[old] != self.whatever[new]
            and self._has_few_cases(old, new, fresh)
            and all(self._is_equal_in(turn, old, new, fresh) for turn in range(1, _TURNS + 1))
            and _is_equal_in_every_case(old, new)
        )

    @cached_property
    def conditions(self) -> dict[Term, int]:
        """The places of the conditions that numbers below a term depend on, as bits."""
        found: dict[Term, int] = {}
        for term in self.terms:
            bits = 0
            for arg in term.args:
                bits |= found[arg]
                if Scalar.BOOL is arg.type is not term.type and not is_const(arg):
                    bits |= 1 << self.place[arg]
            found[term] = bits
        return found

    def _has_few_cases(self, old: Term, new: Term, fresh: Sequence[Term]) -> bool:
        """Whether so few values are to be computed to look at every case of two terms."""
        used = (a for t in fresh for a in t.args) if fresh else (new,)
        conditions = below = 0
        for term in (old, *(t for t in used if t in self.place)):
            conditions |= self.conditions[term]
            below |= self.below[term]
        return below.bit_count() << conditions.bit_count() <= _CASES

    def _is_equal_in(self, turn: int, old: Term, new: Term, fresh: Sequence[Term]) -> bool:
        if turn not in self.turned:
            self.turned[turn] = self._conditional(SMALL, turn)
        prints = self.turned[turn]
        prints.add(fresh)
        return prints[old] == prints[new]

    def _conditional(self, prime: int, turn: int = 0) -> Fingerprints:
        return _conditional(self._everything, prime, self.arms, turn)


class _Conditional(Fingerprints):
    """Fingerprints where conditions are 0 or 1: as `arms` says, or else by chance, in each turn."""

    def __init__(self, prime: int, point: int, arms: Mapping[Term, int], turn: int) -> None:
        self.arms, self.turn = arms, turn
        self.named: dict[Term, int] = {}  # what tells a condition from others that are 0 or 1
        super().__init__((), prime, point)

    def _other(self, op: str, term: Term, args: list[int]) -> int:
        if any(a in self.named for a in term.args):
            args = [self.named.get(a, n) for a, n in zip(term.args, args, strict=True)]
        value = super()._other(op, term, args)
        if term.type is not Scalar.BOOL:
            return value
        self.named[term] = value
        if term.op == CONST:
            return int(bool(const_value(term)))
        return value >> self.turn & 1 if self.turn else self.arms.get(term, 1)


def _conditional(
    terms: Sequence[Term], prime: int, arms: Mapping[Term, int], turn: int = 0
) -> Fingerprints:
    return with_roots(terms, prime, lambda point: _Conditional(prime, point, arms, turn))


def _is_equal_in_every_case(old: Term, new: Term) -> bool:
    """Whether two terms are one whatever their conditions are, each for itself 0 or 1."""
    terms = toposort([old, new])
    given = (a for t in terms if t.type is not Scalar.BOOL for a in t.args)
    conditions = dict.fromkeys(a for a in given if a.type is Scalar.BOOL and not is_const(a))
    for case in product((0, 1), repeat=len(conditions)):
        prints = _conditional(terms, SMALL, dict(zip(conditions, case, strict=True)))
        if prints[old] != prints[new]:
            return False
    return True


def _is_guarded(term: Term) -> bool:
    return term.op == SELECT and term.type.is_real and any(map(is_zero, term.args[1:]))


def _arms(terms: Sequence[Term]) -> dict[Term, int]:
    """The conditions of choices with 0, and what makes the first such choice something else."""
    found: dict[Term, int] = {}
    for term in terms:
        if _is_guarded(term):
            found.setdefault(term.args[0], int(is_zero(term.args[2])))
    return found
