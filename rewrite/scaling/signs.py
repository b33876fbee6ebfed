"""Signs: which sums, differences and products to compute as their negatives, so that none is left.

    -(a + (b - c))    as    (c - b) - a

Every value of a region of sums, differences, products and quotients may be computed as itself or
as its negative; what divides keeps its sign, because its reciprocal is shared. Inside of a tree
the best choice for both is found from the leaves up; values that several trees use are turned over
one by one, while that saves operators, or a few together that hang together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.term import CONST, Term, const, const_value, rebuild, toposort
from .remade import Remade

_LINEAR = ("add", "sub", "mul", "div", "neg")
_PASSES = 4
_STEPS = 300_000  # operators that are looked at while values are turned over, at most
_TOGETHER = 4  # values that are turned over together, at most
_NEAR = 12  # values near by that are tried next

_SIGNS = ((False, False), (False, True), (True, False), (True, True))
_NEVER = 9  # more operators than any other choice of signs costs
#: The negations that are left when a value, then its negative, is computed from arguments with
#: these signs: -(a + b) is one more operator, (-a) + b is b - a.
_NEGATIONS = {
    "add": ((0, 0, 0, 1), (1, 0, 0, 0)),
    "sub": ((0, 0, 1, 0), (0, 1, 0, 0)),
    "mul": ((0, 1, 1, 0), (1, 0, 0, 1)),
    "div": ((0, _NEVER, 1, _NEVER), (1, _NEVER, 0, _NEVER)),
}

#: What a value costs, and how: itself first, then its negative.
_Both = tuple[int, int]


def fewer_signs(flat: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Pairs of a value of the program and an equal term, with fewer negations in all.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, c = [var(name, Scalar.F32) for name in "abc"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> total = op("neg", op("add", a, op("sub", b, c)))
    >>> [(_, new)] = fewer_signs([total])
    >>> new is op("sub", op("sub", c, b), a)
    True
    """
    signs = _Signs(flat)
    signs.turn_over(together=1)
    return signs.pairs()


def turned(flat: Sequence[Term]) -> Remade | None:
    """The program with fewer negations; None where there are none to be saved."""
    if not any([term.op == "neg" for term in toposort(flat)]):
        return None
    signs = _Signs(flat)
    signs.turn_over(together=_TOGETHER)
    pairs = signs.pairs()
    return Remade(tuple(pairs), signs.written(rebuild)) if pairs else None


@dataclass(frozen=True, slots=True)
class _Turn:
    """A value turned over: what that saved, which trees pay for it, what trees cost before."""

    root: Term
    gain: int
    hurt: tuple[Term, ...]
    before: Mapping[Term, _Both]


def _is_linear(term: Term) -> bool:
    return term.op in _LINEAR and term.type.is_real


class _Signs:
    """Trees of linear operators, their roots, and which of these are computed as negatives."""

    def __init__(self, flat: Sequence[Term]) -> None:
        self.terms = toposort(flat)
        self.users: dict[Term, list[Term]] = {}  # linear operators over a term
        uses: dict[Term, int] = {}
        outside = dict.fromkeys(flat)  # values that are wanted as they are
        linear = [t for t in self.terms if _is_linear(t)]
        for term in self.terms:
            for arg in term.args:
                uses[arg] = uses.get(arg, 0) + 1
                if _is_linear(term):
                    self.users.setdefault(arg, []).append(term)
                else:
                    outside[arg] = None
        self.outside = outside
        self.roots = [t for t in linear if t in outside or uses.get(t, 0) > 1]
        self.turned = dict.fromkeys(self.roots, False)
        self.steps = _STEPS
        #: Of every linear operator, in its tree.
        self.costs: dict[Term, _Both] = {}
        for term in linear:
            self.costs[term] = self.both(term, {})
        #: Of every linear operator, the root of its tree; of every root, what is no negation in it.
        self.top: dict[Term, Term] = {}
        self.least: dict[Term, int] = {}
        for root in self.roots:
            tree = self._tree(root)
            self.top.update(dict.fromkeys(tree, root))
            self.least[root] = sum([term.op != "neg" for term in tree])

    def _tree(self, root: Term) -> list[Term]:
        """The linear operators that only this root uses, arguments first."""
        found, stack = [], [root]
        while stack:
            term = stack.pop()
            found.append(term)
            stack += [a for a in term.args if self.is_inner(a)]
        return found[::-1]

    def is_inner(self, term: Term) -> bool:
        """Whether a linear operator is inside of the one tree that uses it."""
        return term in self.costs and term not in self.turned

    def turn_over(self, together: int) -> None:
        """Turn values over while that saves operators, so many at once at most."""
        for _ in range(_PASSES):
            found = [self._turned_from(root, together) for root in self.roots if self._pays(root)]
            if not any(found):
                break

    def _pays(self, root: Term) -> bool:
        """Whether there is a negation in a value's tree, in one that reads it or that it reads."""
        near = [root, *[self.top[user] for user in self.users.get(root, ())], *self._reads(root)]
        return any([self.paid(tree, self.costs) > self.least[tree] for tree in near])

    def _turned_from(self, root: Term, together: int) -> bool:
        """Whether a value was turned over, with those near it that had to follow."""
        done: list[_Turn] = []
        following: Term | None = root
        while following is not None and self.steps > 0:
            done.append(self._turn(following))
            if sum([turn.gain for turn in done]) > 0:
                return True
            following = self._next(done) if len(done) < together else None
        for turn in reversed(done):
            self._undo(turn)
        return False

    def _next(self, done: Sequence[_Turn]) -> Term | None:
        """Of the values near those that pay for what was turned, the one to be turned next."""
        seen = {turn.root for turn in done}
        hurt = [tree for turn in reversed(done) for tree in turn.hurt]
        near = dict.fromkeys([root for tree in hurt for root in (tree, *self._reads(tree))])
        gains: dict[Term, int] = {}
        for root in [root for root in near if root not in seen][:_NEAR]:
            turn = self._turn(root)
            gains[root] = turn.gain
            self._undo(turn)
        return max(gains, key=gains.__getitem__, default=None)

    def _turn(self, root: Term) -> _Turn:
        paid = self.paid(root, self.costs)
        self.turned[root] = not self.turned[root]
        after = self.above(root)
        self.steps -= len(after) + 1
        gains = {root: paid - self.paid(root, self.costs)}
        for tree in after:
            if tree in self.turned:
                gains[tree] = self.paid(tree, self.costs) - self.paid(tree, after)
        before = {term: self.costs[term] for term in after}
        self.costs.update(after)
        hurt = tuple([tree for tree, gain in gains.items() if gain < 0])
        return _Turn(root, sum(gains.values()), hurt, before)

    def _undo(self, turn: _Turn) -> None:
        self.turned[turn.root] = not self.turned[turn.root]
        self.costs.update(turn.before)

    def _reads(self, root: Term) -> list[Term]:
        """The values of other trees that a tree reads."""
        return [arg for term in self._tree(root) for arg in term.args if arg in self.turned]

    def paid(self, root: Term, costs: Mapping[Term, _Both]) -> int:
        """What a root's tree costs, and the negation of the root where it is wanted as it is."""
        turned = self.turned[root]
        return costs[root][turned] + int(turned and root in self.outside)

    def above(self, root: Term) -> dict[Term, _Both]:
        """What operators cost that change with the sign of a root: those between it and others."""
        found: dict[Term, _Both] = {}
        for user in self.users.get(root, ()):
            term = user
            while (both := self.both(term, found)) != (found.get(term) or self.costs[term]):
                found[term] = both
                if term in self.turned:
                    break
                [term] = self.users[term]
        return found

    def both(self, term: Term, newer: Mapping[Term, _Both]) -> _Both:
        """What a value costs in its tree, as itself and as its negative."""
        ways = [newer[a] if a in newer and self.is_inner(a) else self.way(a) for a in term.args]
        if term.op == "neg":
            return ways[0][1], ways[0][0]
        return 1 + min(_ways(term, False, ways)), 1 + min(_ways(term, True, ways))

    def way(self, term: Term) -> _Both:
        """What an argument costs: of a leaf nothing as it is there, one operator as the other."""
        if term in self.turned:
            return (1, 0) if self.turned[term] else (0, 1)
        if term.op == CONST:
            return 0, 0
        return self.costs.get(term) or (0, 1)

    def pairs(self) -> list[tuple[Term, Term]]:
        """Every value that several use with what is computed in its place, where that differs."""
        alone = self.written(lambda term, _: term)
        return [(root, alone[root]) for root in self.roots if alone[root] is not root]

    def written(self, outside: Callable[[Term, tuple[Term, ...]], Term]) -> dict[Term, Term]:
        """What is computed in the place of values that several use, or that are no operators here.

        `outside` gives these, over new arguments.
        """
        made: dict[Term, Term] = {}  # roots, as they are computed
        found: dict[Term, Term] = {}
        for term in self.terms:
            if term in self.turned:
                made[term] = self._computed(term, made, found)
                negative = self.turned[term]
                found[term] = _negative(made[term]) if negative else made[term]
            elif term not in self.costs:
                found[term] = outside(term, tuple([found[arg] for arg in term.args]))
        return found

    def _computed(self, root: Term, made: Mapping[Term, Term], found: Mapping[Term, Term]) -> Term:
        """A root with its sign, from the values that its tree reads."""
        tree = self._tree(root)
        signs = {root: self.turned[root]}
        chosen: dict[Term, tuple[bool, ...]] = {}
        for term in reversed(tree):
            chosen[term] = _best(term, signs[term], [self.way(a) for a in term.args])
            for arg, sign in zip(term.args, chosen[term], strict=True):
                if self.is_inner(arg):
                    signs[arg] = sign
        here: dict[Term, Term] = {}

        def signed(arg: Term, negative: bool) -> Term:
            if arg in here:
                return here[arg]
            if arg.op == CONST and arg.type.is_real:
                return const(-const_value(arg), arg.type) if negative else arg
            there = made.get(arg) or found[arg]
            return there if self.turned.get(arg, False) == negative else _negative(there)

        for term in tree:
            args = [signed(a, sign) for a, sign in zip(term.args, chosen[term], strict=True)]
            here[term] = _computed(term, signs[term], args, chosen[term])
        return here[root]


def _negative(term: Term) -> Term:
    return Term("neg", (term,), None, term.type)


def _ways(term: Term, negative: bool, args: Sequence[_Both]) -> tuple[int, ...]:
    """What a value or its negative costs, for the four pairs of signs of the arguments."""
    (a, minus_a), (b, minus_b) = args
    none, second, first, both = _NEGATIONS[term.op][negative]
    return (a + b + none, a + minus_b + second, minus_a + b + first, minus_a + minus_b + both)


def _best(term: Term, negative: bool, args: Sequence[_Both]) -> tuple[bool, ...]:
    """The signs of the arguments with which a value, or its negative, costs least."""
    if term.op == "neg":
        return (not negative,)
    ways = _ways(term, negative, args)
    return _SIGNS[ways.index(min(ways))]


def _computed(term: Term, negative: bool, args: Sequence[Term], signs: Sequence[bool]) -> Term:
    """The operator over arguments with these signs that gives a value, or its negative."""
    if term.op == "neg":
        return args[0]
    a, b = args
    if term.op in ("mul", "div"):
        product = Term(term.op, (a, b), None, term.type)
        wrong = (signs[0] ^ signs[1]) != negative
        return Term("neg", (product,), None, term.type) if wrong else product
    first, second = signs[0] ^ negative, signs[1] ^ negative ^ (term.op == "sub")
    if first and second:
        return Term("neg", (Term("add", (a, b), None, term.type),), None, term.type)
    if first:
        return Term("sub", (b, a), None, term.type)
    return Term("sub" if second else "add", (a, b), None, term.type)
