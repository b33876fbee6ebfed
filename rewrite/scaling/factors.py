"""Factors: values are computed as themselves times powers of a value that many products share.

    k*a, k*b, k*((k*a)*p + (k*b)*q)    as    k*a, k*b, (k*k)*(a*p + b*q)

Where a vector is divided by its length, or a point by its depth, the reciprocal runs through all
sums that follow. To move it out of one sum saves nothing where its products are needed elsewhere;
where it should stand in the whole program is a linear program, as with powers of two.

No factor goes out of a choice with 0, which would be NaN where it is infinite, nor into a sum of
values that may be exact, whose digits a product would lose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

from ...terms.term import CONST, SELECT, Term, is_zero, rebuild, toposort
from .balances import Balance, Exponents, Group, balanced
from .exponents import exponents
from .remade import Remade
from .worth import worth

_ALONG: Mapping[str, tuple[int, ...]] = {
    "add": (0, 1),
    "sub": (0, 1),
    "neg": (0,),
    "select": (1, 2),
}
_SUMS = ("add", "sub")
_FEWEST = 3  # products with a factor: of fewer, rules see all there is
_SEEN, _MOST = 24, 4  # factors that are looked at, and that are tried
_LARGEST = 1_000  # conditions
_DIVISION = 9.0  # what a power is worth that has to be taken away again: a quotient


def factors(flat: Sequence[Term]) -> list[Term]:
    """The values that most products have as a factor, and that whole sums have: those first.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> k, x, y, p, q = [var(name, Scalar.F64) for name in "kxypq"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> a, b = op("mul", k, x), op("mul", y, k)
    >>> factors([a, b, op("add", op("mul", a, p), op("mul", q, b)), op("mul", k, p)])
    [k]
    """
    terms = toposort(flat)
    products: dict[Term, int] = {}
    users: dict[Term, list[Term]] = {}
    for term in terms:
        for arg in dict.fromkeys(term.args):
            users.setdefault(arg, []).append(term)
            if term.op == "mul" and term.type.is_real and arg.op != CONST:
                products[arg] = products.get(arg, 0) + 1
    some = [factor for factor, count in products.items() if count >= _FEWEST]
    some.sort(key=lambda factor: -products[factor])
    place = {term: i for i, term in enumerate(terms)}
    seen = [_Factor(f, terms) for f in some[:_SEEN]]
    common = [f.factor for f in seen if f.is_common(users, place)]
    outside = [f.factor for f in seen if f.is_outside(users) and f.factor not in common]
    return [*common, *outside][:_MOST]


def refactored(flat: Sequence[Term], factor: Term) -> Remade | None:
    """The program with values at other powers of a factor; None where that saves no operator.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> k, x, y, p, q = [var(name, Scalar.F64) for name in "kxypq"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> a, b = op("mul", k, x), op("mul", k, y)
    >>> flat = [op("mul", k, op("add", op("mul", a, p), op("mul", b, q)))]
    >>> found = refactored(flat, k)
    >>> inner = op("mul", k, op("add", op("mul", x, p), op("mul", y, q)))
    >>> found.terms[flat[0]] == op("mul", k, inner)
    True
    """
    terms = toposort(flat)
    base = _Factor(factor, terms)
    conditions = base.groups(flat)
    if not 0 < len(conditions) <= _LARGEST:
        return None
    best: dict[Term, int] = {}
    most = 0
    for candidate in exponents(conditions, down=_DIVISION):
        chosen, saved = worth(conditions, candidate, base.paid)
        if saved > most:
            best, most = chosen, saved
    if not best:
        return None
    edges = dict.fromkeys(
        [a for t in terms if not base.is_scaled(t) for a in t.args if base.is_scaled(a)]
        + [t for t in flat if base.is_scaled(t)]
    )
    alone = base.written(best, lambda term, _: term)
    pairs = tuple([(t, alone(t)) for t in edges if alone(t) is not t])
    whole = base.written(best, rebuild)
    return Remade(pairs, {t: whole(t) for t in terms if not best.get(t, 0) or t in edges})


@dataclass(frozen=True)
class _Factor:
    """A factor in a program: what may be multiplied by it, and what it costs to."""

    factor: Term
    terms: Sequence[Term]  # of the program, arguments first

    @cached_property
    def below(self) -> frozenset[Term]:
        """What it is made of: that cannot have it as a factor."""
        return frozenset(toposort([self.factor]))

    @cached_property
    def products(self) -> Mapping[Term, int]:
        """How many products each value is a factor of."""
        found: dict[Term, int] = {}
        for term in self.terms:
            for arg in term.args if term.op == "mul" else ():
                found[arg] = found.get(arg, 0) + 1
        return found

    @cached_property
    def square(self) -> Term | None:
        """Its square, where the program has it."""
        square = Term("mul", (self.factor, self.factor), None, self.factor.type)
        return square if square in self.terms else None

    def is_scaled(self, term: Term) -> bool:
        """Whether a value may have an exponent."""
        return (
            term.type is self.factor.type
            and (term.op in ("mul", "div") or term.op in _ALONG)
            and term is not self.square
            and term not in self.below
            and not (term.op in _SUMS and any(map(_is_exact, term.args)))
            and not (term.op == SELECT and any(map(is_zero, term.args[1:])))
        )

    def multiple(self, term: Term) -> tuple[int, Term] | None:
        """A power of the factor, and what the term is that multiple of."""
        if term.op == "mul":
            for one, other in (term.args, term.args[::-1]):
                if one is self.factor or one is self.square:
                    return (1 if one is self.factor else 2), other
        return None

    def is_common(self, users: Mapping[Term, Sequence[Term]], place: Mapping[Term, int]) -> bool:
        """Whether all summands of some sum have the factor, as they are written.

        Only what has it is looked at, in the order of the program.
        """
        held: dict[Term, int] = {}
        starts = (self.factor, *users[self.factor])
        waiting = [place[user] for start in starts for user in users.get(start, ())]
        heapify(waiting)
        while waiting:
            term = self.terms[heappop(waiting)]
            if term in held or not self.is_scaled(term):
                continue
            held[term] = self._held(term, held)
            if held[term] > 0:
                if term.op in _SUMS:
                    return True
                for user in users.get(term, ()):
                    heappush(waiting, place[user])
        return False

    def is_outside(self, users: Mapping[Term, Sequence[Term]]) -> bool:
        """Whether sums are multiplied by it: inside, their summands may share the products."""
        outside = [
            other
            for user in users[self.factor]
            if (times := self.multiple(user)) is not None
            for other in times[1:]
            if other.op in _SUMS and self.is_scaled(other)
        ]
        return len(outside) >= _FEWEST

    def _held(self, term: Term, held: Mapping[Term, int]) -> int:
        times = self.multiple(term)
        if times is not None:
            return times[0] + held.get(times[1], 0)
        each = [held.get(a, 0) for a in term.args]
        if term.op == "mul":
            return sum(each)
        if term.op == "div":
            return each[0] - each[1]
        return min([each[i] for i in _ALONG[term.op]])

    def groups(self, flat: Sequence[Term]) -> list[Group]:
        """All conditions of the program."""
        reads: dict[Term, dict[Balance, None]] = {}
        found: list[Group] = []

        def read(arg: Term, *parts: tuple[Term, int]) -> None:
            reads.setdefault(arg, {})[self._balance(*parts)] = None

        for term in self.terms:
            times = self.multiple(term)
            if not self.is_scaled(term):
                for arg in term.args:
                    if self.is_scaled(arg):
                        read(arg, (arg, -1))
            elif times is not None:
                found.append((self._balance((term, 1), (times[1], -1), shift=-times[0]),))
            elif term.op in _ALONG:
                for i in _ALONG[term.op]:
                    read(term.args[i], (term, 1), (term.args[i], -1))
            elif term.op == "mul":
                read(self._multiplied(term), (term, 1), *[(a, -1) for a in term.args])
            else:
                a, b = term.args
                found.append((self._balance((term, 1), (a, -1), (b, 1)),))
        for root in flat:
            if self.is_scaled(root):
                read(root, (root, -1))
        return [*found, *(tuple(each) for each in reads.values())]

    def _multiplied(self, product: Term) -> Term:
        """The factor of a product that takes the powers it lacks: that of more products."""
        one, other = product.args
        return other if self.products.get(other, 0) > self.products.get(one, 0) else one

    def _balance(self, *parts: tuple[Term, int], shift: int = 0) -> Balance:
        return balanced([(value, f) for value, f in parts if self.is_scaled(value)], shift)

    def paid(self, group: Group, found: Exponents) -> int:
        """What the powers cost that a value has to be multiplied by."""
        missed = {balance.missed_by(found) for balance in group}
        return sum([self._price(power) for power in missed])

    def _price(self, power: int) -> int:
        if power < 0:
            return int(_DIVISION) * -power
        return power - (power > 1 and self.square is not None)

    def written(
        self, chosen: Exponents, outside: Callable[[Term, tuple[Term, ...]], Term]
    ) -> Callable[[Term], Term]:
        """Every term as it is; `outside` gives what has no exponent, over new arguments."""
        made: dict[Term, Term] = {}

        def at(term: Term, exponent: int) -> Term:
            return self._times(exponent - chosen.get(term, 0), made[term])

        for term in self.terms:
            if self.is_scaled(term):
                made[term] = self._computed(term, chosen, at)
            else:
                made[term] = outside(term, tuple([at(arg, 0) for arg in term.args]))
        return lambda term: at(term, 0)

    def _computed(self, term: Term, chosen: Exponents, at: Callable[[Term, int], Term]) -> Term:
        """An operator at its exponent, over arguments at theirs as far as they can be."""
        own = chosen.get(term, 0)
        times = self.multiple(term)
        if times is not None:
            return at(times[1], times[0] + own)
        if term.op in ("mul", "div"):
            a, b = term.args
            if term.op == "mul" and self._multiplied(term) is b:
                first = chosen.get(a, 0)
                return rebuild(term, (at(a, first), at(b, own - first)))
            other = chosen.get(b, 0)
            first = own - other if term.op == "mul" else own + other
            return rebuild(term, (at(a, first), at(b, other)))
        along = _ALONG[term.op]
        args = [at(a, own if i in along and not is_zero(a) else 0) for i, a in enumerate(term.args)]
        return rebuild(term, tuple(args))

    def _times(self, power: int, term: Term) -> Term:
        for one in self._powers(abs(power)):
            term = Term("mul" if power > 0 else "div", _ordered(power, one, term), None, term.type)
        return term

    def _powers(self, power: int) -> Iterator[Term]:
        while power:
            one = self.factor if power == 1 or self.square is None else self.square
            power -= 1 if one is self.factor else 2
            yield one


def _ordered(power: int, factor: Term, term: Term) -> tuple[Term, Term]:
    return (factor, term) if power > 0 else (term, factor)


def _is_exact(term: Term) -> bool:
    """Whether a summand may be exact: a sum of such ones has digits that products would lose."""
    while term.op == "neg":
        [term] = term.args
    return not term.args
