"""Signs: which sums, differences and products to compute as their negatives, so that none is left.

    -(a + (b - c))    as    (c - b) - a

Every value of a region of sums, differences, products and quotients may be computed as itself or
as its negative, or as both. Inside of a tree the best choice for each is found from the leaves up;
values that several trees use are turned over one by one, while that saves operators, or a few
together that hang together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...terms.term import CONST, SELECT, Term, const, const_value, rebuild, toposort
from .negatives import as_negatives
from .remade import Remade

_PASSES = 4
_STEPS = 300_000  # operators that are looked at while values are turned over, at most
_TOGETHER = 4  # values that are turned over together, at most
_NEAR = 12  # values near by that are tried next

_SIGNS = {1: ((False,), (True,)), 2: ((False, False), (False, True), (True, False), (True, True))}
_NEVER = 9  # more operators than any other choice of signs costs
#: What a value costs, and how: itself first, then its negative.
_Both = tuple[int, int]

#: What is computed of a value that several use, and what it and its negative cost there.
_ITSELF, _NEGATIVE, _BOTH = 0, 1, 2
_THERE: tuple[_Both, ...] = ((0, 1), (1, 0), (0, 0))

#: The negations that are left when a value, then its negative, is computed from arguments with
#: these signs: -(a + b) is one more operator, (-a) + b is b - a.
_Negations = Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]


class _Forms(NamedTuple):
    """Operators that signs go through, and what may be computed of a value."""

    negations: _Negations
    states: tuple[int, ...]


#: For an e-graph. What divides keeps its sign, so that its reciprocal is shared.
_BESIDE = _Forms(
    {
        "add": ((0, 0, 0, 1), (1, 0, 0, 0)),
        "sub": ((0, 0, 1, 0), (0, 1, 0, 0)),
        "mul": ((0, 1, 1, 0), (1, 0, 0, 1)),
        "div": ((0, _NEVER, 1, _NEVER), (1, _NEVER, 0, _NEVER)),
    },
    states=(_ITSELF, _NEGATIVE),
)
#: For a program that is the result. (Before rounds, these forms lead to dearer ends.)
_ALONE = _Forms(
    {
        **_BESIDE.negations,
        "div": _BESIDE.negations["mul"],
        "rcp": ((0, 1), (1, 0)),
        SELECT: ((0, _NEVER, _NEVER, 1), (1, _NEVER, _NEVER, 0)),
    },
    states=(_ITSELF, _NEGATIVE, _BOTH),
)


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
    signs = _Signs(flat, _BESIDE)
    signs.turn_over(together=1)
    return signs.pairs()


def turned(flat: Sequence[Term]) -> Remade | None:
    """The program with fewer negations; None where there are none to be saved."""
    return _turned(flat, _BESIDE)


def turned_everywhere(flat: Sequence[Term]) -> Remade | None:
    """The same with signs through choices and what divides, where no e-graph follows.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, c = [var(name, Scalar.F32) for name in "abc"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> quotient = op("neg", op("div", a, op("sub", b, c)))
    >>> turned([quotient]) is None
    True
    >>> turned_everywhere([quotient]).terms[quotient] is op("div", a, op("sub", c, b))
    True
    """
    return _turned(flat, _ALONE)


def _turned(flat: Sequence[Term], forms: _Forms) -> Remade | None:
    plain, products = as_negatives(flat)
    if not any([term.op == "neg" for term in plain.values()]):
        return None
    signs = _Signs([plain[term] for term in flat], forms)
    signs.turn_over(together=_TOGETHER)
    pairs = signs.pairs()
    written = signs.written(rebuild)
    terms = {term: written[new] for term, new in plain.items() if new in written}
    return Remade((*products, *pairs), terms) if pairs else None


@dataclass(frozen=True, slots=True)
class _Turn:
    """A value in another state: what that saved, which trees pay for it, and how it was before."""

    value: Term
    gain: int
    hurt: tuple[Term, ...]
    state: int
    before: Mapping[Term, _Both]


class _Signs:
    """Trees of linear operators, and what is computed of the values that several of them use."""

    def __init__(self, flat: Sequence[Term], forms: _Forms) -> None:
        self.negations, self.states = forms
        self.terms = toposort(flat)
        self.users: dict[Term, list[Term]] = {}  # linear operators over a term
        uses: dict[Term, int] = {}
        outside = dict.fromkeys(flat)  # values that are wanted as they are
        linear = [t for t in self.terms if self.is_linear(t)]
        for term in self.terms:
            signed = _signed(term) if self.is_linear(term) else ()
            for arg in term.args:
                uses[arg] = uses.get(arg, 0) + 1
            for arg in signed:
                self.users.setdefault(arg, []).append(term)
            outside.update(dict.fromkeys(term.args[: len(term.args) - len(signed)]))
        self.outside = outside
        #: Of roots of trees, and of leaves that trees share, what is computed.
        self.state: dict[Term, int] = {}
        leaves = _BOTH in self.states
        for term in self.terms:
            shared = uses.get(term, 0) > 1
            of_leaf = leaves and shared and term.op != CONST
            if (shared or term in outside) if self.is_linear(term) else of_leaf:
                self.state[term] = _ITSELF
        self.steps = _STEPS
        #: Of every linear operator, in its tree.
        self.costs: dict[Term, _Both] = {}
        for term in linear:
            self.costs[term] = self.both(term, {})
        self.trees = {value: self._tree(value) for value in self.state}
        #: Of every linear operator, the root of its tree; of every value, what is no negation, and
        #: the values of other trees that its tree reads.
        self.top: dict[Term, Term] = {}
        self.least: dict[Term, int] = {}
        self.reads: dict[Term, list[Term]] = {}
        for value, tree in self.trees.items():
            self.top.update(dict.fromkeys(tree, value))
            self.least[value] = sum([term.op != "neg" for term in tree])
            self.reads[value] = [a for t in tree for a in _signed(t) if a in self.state]

    def is_linear(self, term: Term) -> bool:
        """Whether the negative of a value can come from those of its arguments."""
        return (term.op == "neg" or term.op in self.negations) and term.type.is_real

    def _tree(self, root: Term) -> list[Term]:
        """The linear operators that only this root uses, arguments first; of a leaf, none."""
        found, stack = [], [root] if root in self.costs else []
        while stack:
            term = stack.pop()
            found.append(term)
            stack += [a for a in _signed(term) if self.is_inner(a)]
        return found[::-1]

    def is_inner(self, term: Term) -> bool:
        """Whether a linear operator is inside of the one tree that uses it."""
        return term in self.costs and term not in self.state

    def turn_over(self, together: int) -> None:
        """Put values into other states while that saves operators, so many at once at most."""
        for _ in range(_PASSES):
            found = [self._turned_from(v, together) for v in self.state if self._pays(v)]
            if not any(found):
                break

    def _pays(self, value: Term) -> bool:
        """Whether there is a negation in a value's tree, in one that reads it or that it reads."""
        near = [value, *[self.top[user] for user in self.users.get(value, ())], *self.reads[value]]
        return any([self.paid(tree, self.costs) > self.least[tree] for tree in near])

    def _turned_from(self, value: Term, together: int) -> bool:
        """Whether a value is in another state now, with those near it that had to follow."""
        return any([self._follows(value, state, together) for state in self._others(value)])

    def _follows(self, value: Term, state: int, together: int) -> bool:
        done: list[_Turn] = []
        following: tuple[Term, int] | None = value, state
        while following is not None and self.steps > 0:
            done.append(self._turn(*following))
            if sum([turn.gain for turn in done]) > 0:
                return True
            following = self._next(done) if len(done) < together else None
        for turn in reversed(done):
            self._undo(turn)
        return False

    def _others(self, value: Term) -> list[int]:
        """The states that a value could be in, too; a leaf is always there as it is."""
        here, is_leaf = self.state[value], value not in self.costs
        return [s for s in self.states if s != here and not (is_leaf and s == _NEGATIVE)]

    def _next(self, done: Sequence[_Turn]) -> tuple[Term, int] | None:
        """Of the values near those that pay for what was turned, the one to be turned next."""
        seen = {turn.value for turn in done}
        hurt = [tree for turn in reversed(done) for tree in turn.hurt]
        near = dict.fromkeys([value for tree in hurt for value in (tree, *self.reads[tree])])
        gains: dict[tuple[Term, int], int] = {}
        for value in [value for value in near if value not in seen][:_NEAR]:
            for state in self._others(value):
                turn = self._turn(value, state)
                gains[value, state] = turn.gain
                self._undo(turn)
        return max(gains, key=gains.__getitem__, default=None)

    def _turn(self, value: Term, state: int) -> _Turn:
        paid, old = self.paid(value, self.costs), self.state[value]
        self.state[value] = state
        after = self.above(value)
        self.steps -= len(after) + 1
        gains = {value: paid - self.paid(value, self.costs)}
        for tree in after:
            if tree in self.state:
                gains[tree] = self.paid(tree, self.costs) - self.paid(tree, after)
        before = {term: self.costs[term] for term in after}
        self.costs.update(after)
        hurt = tuple([tree for tree, gain in gains.items() if gain < 0])
        return _Turn(value, sum(gains.values()), hurt, old, before)

    def _undo(self, turn: _Turn) -> None:
        self.state[turn.value] = turn.state
        self.costs.update(turn.before)

    def paid(self, value: Term, costs: Mapping[Term, _Both]) -> int:
        """What the tree of a value costs, and the negation where it and its negative are there."""
        ways, state = costs.get(value, (0, 1)), self.state[value]
        if state == _BOTH:
            return min(ways) + 1
        return ways[state] + int(state == _NEGATIVE and value in self.outside)

    def is_negative(self, value: Term) -> bool:
        """Whether a value is computed as its negative; of both, the other one is made of it."""
        itself, negative = self.costs.get(value, (0, 1))
        state = self.state.get(value, _ITSELF)
        return state == _NEGATIVE or (state == _BOTH and negative < itself)

    def above(self, value: Term) -> dict[Term, _Both]:
        """What operators cost that change with a value: those between it and other ones."""
        found: dict[Term, _Both] = {}
        for user in self.users.get(value, ()):
            term = user
            while (both := self.both(term, found)) != (found.get(term) or self.costs[term]):
                found[term] = both
                if term in self.state:
                    break
                [term] = self.users[term]
        return found

    def both(self, term: Term, newer: Mapping[Term, _Both]) -> _Both:
        """What a value costs in its tree, as itself and as its negative."""
        args = _signed(term)
        ways = [newer[a] if a in newer and self.is_inner(a) else self.way(a) for a in args]
        if term.op == "neg":
            return ways[0][1], ways[0][0]
        return 1 + min(self.ways(term, False, ways)), 1 + min(self.ways(term, True, ways))

    def way(self, term: Term) -> _Both:
        """What an argument costs: of a leaf nothing as it is there, one operator as the other."""
        if term in self.state:
            return _THERE[self.state[term]]
        if term.op == CONST:
            return 0, 0
        return self.costs.get(term) or (0, 1)

    def ways(self, term: Term, negative: bool, args: Sequence[_Both]) -> tuple[int, ...]:
        """What a value or its negative costs, for all signs of the arguments."""
        left = self.negations[term.op][negative]
        if len(args) == 1:
            return args[0][0] + left[0], args[0][1] + left[1]
        (a, minus_a), (b, minus_b) = args
        none, second, first, both = left
        return (a + b + none, a + minus_b + second, minus_a + b + first, minus_a + minus_b + both)

    def best(self, term: Term, negative: bool) -> tuple[bool, ...]:
        """The signs of the arguments with which a value, or its negative, costs least."""
        if term.op == "neg":
            return (not negative,)
        args = _signed(term)
        ways = self.ways(term, negative, [self.way(a) for a in args])
        return _SIGNS[len(args)][ways.index(min(ways))]

    def pairs(self) -> list[tuple[Term, Term]]:
        """Every value that several use with what is computed in its place, where that differs."""
        alone = self.written(lambda term, _: term)
        roots = [value for value in self.state if value in self.costs]
        return [(root, alone[root]) for root in roots if alone[root] is not root]

    def written(self, outside: Callable[[Term, tuple[Term, ...]], Term]) -> dict[Term, Term]:
        """What is computed in the place of values that several use, or that are no operators here.

        `outside` gives these, over new arguments.
        """
        made: dict[Term, Term] = {}  # roots, as they are computed
        found: dict[Term, Term] = {}
        for term in self.terms:
            if term not in self.costs:
                found[term] = outside(term, tuple([found[arg] for arg in term.args]))
            elif term in self.state:
                made[term] = self._computed(term, made, found)
                found[term] = _negative(made[term]) if self.is_negative(term) else made[term]
        return found

    def _computed(self, root: Term, made: Mapping[Term, Term], found: Mapping[Term, Term]) -> Term:
        """A root with its sign, from the values that its tree reads."""
        tree = self.trees[root]
        signs = {root: self.is_negative(root)}
        chosen: dict[Term, tuple[bool, ...]] = {}
        for term in reversed(tree):
            chosen[term] = self.best(term, signs[term])
            for arg, sign in zip(_signed(term), chosen[term], strict=True):
                if self.is_inner(arg):
                    signs[arg] = sign
        here: dict[Term, Term] = {}

        def signed(arg: Term, negative: bool) -> Term:
            if arg in here:
                return here[arg]
            if arg.op == CONST and arg.type.is_real:
                opposite = negative and const_value(arg) != 0  # of 0, the sign says nothing
                return const(-const_value(arg), arg.type) if opposite else arg
            there = made.get(arg) or found[arg]
            is_there = self.is_negative(arg) if arg in made else False
            return there if is_there == negative else _negative(there)

        for term in tree:
            rest = [found[arg] for arg in term.args[: len(term.args) - len(chosen[term])]]
            args = [signed(a, sign) for a, sign in zip(_signed(term), chosen[term], strict=True)]
            here[term] = _computed(term, signs[term], (*rest, *args), chosen[term])
        return here[root]


def _signed(term: Term) -> tuple[Term, ...]:
    """The arguments of a linear operator that have signs: of a choice, its arms."""
    return term.args[1:] if term.op == SELECT else term.args


def _negative(term: Term) -> Term:
    return Term("neg", (term,), None, term.type)


def _computed(term: Term, negative: bool, args: tuple[Term, ...], signs: tuple[bool, ...]) -> Term:
    """The operator over arguments with these signs that gives a value, or its negative."""
    if term.op == "neg":
        return args[0]
    if term.op not in ("add", "sub"):
        made = Term(term.op, args, None, term.type)
        wrong = (signs[0] if term.op == SELECT else sum(signs) % 2 == 1) != negative
        return _negative(made) if wrong else made
    a, b = args
    first, second = signs[0] ^ negative, signs[1] ^ negative ^ (term.op == "sub")
    if first and second:
        return _negative(Term("add", (a, b), None, term.type))
    if first:
        return Term("sub", (b, a), None, term.type)
    return Term("sub" if second else "add", (a, b), None, term.type)
