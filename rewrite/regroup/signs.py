"""Signs: which sums, differences and products to compute as their negatives, so that none is left.

Takes result terms, gives pairs of equal terms: a value as the program computes it, and as it is
with signs that vanish in differences:

    -(a + (b - c))    as    (c - b) - a

Every value of a region of sums, differences, products and quotients may be computed as itself or
as its negative; what divides keeps its sign, because its reciprocal is shared. Inside of a tree
the best choice for both is found from the leaves up; values that several trees use are turned over
one by one, while that saves operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...terms.term import CONST, Term, const, const_value, toposort

_LINEAR = ("add", "sub", "mul", "div", "neg")
_PASSES = 4
_STEPS = 300_000  # operators that are looked at while values are turned over, at most

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
    return _Signs(flat).pairs()


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
        #: Of every linear operator, in its tree.
        self.costs: dict[Term, _Both] = {}
        for term in linear:
            self.costs[term] = self.both(term, {})

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

    def pairs(self) -> list[tuple[Term, Term]]:
        steps = _STEPS
        for _ in range(_PASSES):
            changed = False
            for root in self.roots:
                before = self.paid(root, self.costs)
                self.turned[root] = not self.turned[root]
                after = self.above(root)
                steps -= len(after) + 1
                if steps < 0:
                    self.turned[root] = not self.turned[root]
                    break
                trees = [term for term in after if term in self.turned]
                gain = before - self.paid(root, self.costs)
                gain += sum(self.paid(r, self.costs) - self.paid(r, after) for r in trees)
                if gain > 0:
                    self.costs.update(after)
                    changed = True
                else:
                    self.turned[root] = not self.turned[root]
            if not changed:
                break
        return list(self.written())

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

    def written(self) -> Iterator[tuple[Term, Term]]:
        """Every root with what is computed in its place."""
        made: dict[Term, Term] = {}  # roots, as they are computed
        for root in self.roots:
            tree = self._tree(root)
            signs = {root: self.turned[root]}
            chosen: dict[Term, tuple[bool, ...]] = {}
            for term in reversed(tree):
                chosen[term] = _best(term, signs[term], [self.way(a) for a in term.args])
                for arg, sign in zip(term.args, chosen[term], strict=True):
                    if self.is_inner(arg):
                        signs[arg] = sign
            here: dict[Term, Term] = {}
            for term in tree:
                args = [
                    here[a] if a in here else self.signed(a, sign, made)
                    for a, sign in zip(term.args, chosen[term], strict=True)
                ]
                here[term] = _computed(term, signs[term], args, chosen[term])
            made[root] = here[root]
            new = Term("neg", (made[root],), None, root.type) if self.turned[root] else made[root]
            if new is not root:
                yield root, new

    def signed(self, leaf: Term, negative: bool, made: dict[Term, Term]) -> Term:
        """A leaf of a tree, or its negative."""
        if leaf.op == CONST and leaf.type.is_real:
            return const(-const_value(leaf), leaf.type) if negative else leaf
        there = made.get(leaf, leaf)
        if self.turned.get(leaf, False) == negative:
            return there
        return Term("neg", (there,), None, leaf.type)


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
