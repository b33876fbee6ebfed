"""Signs: which sums, differences and products to compute as their negatives, so that none is left.

Takes result terms, gives pairs of equal terms: a value as the program computes it, and as it is
with signs that vanish in differences:

    -(a + (b - c))    as    (c - b) - a

Every value of a region of sums, differences and products may be computed as itself or as its
negative. Inside of a tree the best choice for both is found from the leaves up; values that
several trees use are turned over one by one, while that saves operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...terms.term import CONST, Term, const, const_value, toposort

_LINEAR = ("add", "sub", "mul", "neg")
_PASSES = 4
_STEPS = 300_000  # operators that are looked at while values are turned over, at most

_SIGNS = ((False, False), (False, True), (True, False), (True, True))
#: The negations that are left when a value, then its negative, is computed from arguments with
#: these signs: -(a + b) is one more operator, (-a) + b is b - a.
_NEGATIONS = {
    "add": ((0, 0, 0, 1), (1, 0, 0, 0)),
    "sub": ((0, 0, 1, 0), (0, 1, 0, 0)),
    "mul": ((0, 1, 1, 0), (1, 0, 0, 1)),
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
        uses: dict[Term, int] = {}
        outside = dict.fromkeys(flat)  # values that are wanted as they are
        for term in self.terms:
            for arg in term.args:
                uses[arg] = uses.get(arg, 0) + 1
                if not _is_linear(term):
                    outside[arg] = None
        linear = [t for t in self.terms if _is_linear(t)]
        self.outside = outside
        self.roots = [t for t in linear if t in outside or uses.get(t, 0) > 1]
        self.turned = dict.fromkeys(self.roots, False)
        self.inside = {root: list(self._tree(root)) for root in self.roots}
        self.users: dict[Term, dict[Term, None]] = {root: {root: None} for root in self.roots}
        for root, tree in self.inside.items():
            for term in tree:
                for arg in term.args:
                    if arg in self.turned:
                        self.users[arg][root] = None

    def _tree(self, root: Term) -> Iterator[Term]:
        """The linear operators that only this root uses, arguments first."""
        found, stack = [], [root]
        while stack:
            term = stack.pop()
            found.append(term)
            stack += [a for a in term.args if _is_linear(a) and a not in self.turned]
        return reversed(found)

    def pairs(self) -> list[tuple[Term, Term]]:
        costs = {root: self.cost(root) for root in self.roots}
        steps = _STEPS
        for _ in range(_PASSES):
            changed = False
            for root in self.roots:
                steps -= sum(len(self.inside[user]) for user in self.users[root])
                if steps < 0:
                    break
                before = sum(costs[user] for user in self.users[root])
                self.turned[root] = not self.turned[root]
                after = {user: self.cost(user) for user in self.users[root]}
                if sum(after.values()) < before:
                    costs.update(after)
                    changed = True
                else:
                    self.turned[root] = not self.turned[root]
            if not changed:
                break
        return list(self.written())

    def cost(self, root: Term) -> int:
        """What a root's tree costs, and the negation of the root where it is wanted as it is."""
        turned = self.turned[root]
        extra = int(turned and root in self.outside)
        return self.both(root)[root][turned] + extra

    def both(self, root: Term) -> dict[Term, _Both]:
        """For each value of a tree, what it costs as itself and as its negative."""
        found: dict[Term, _Both] = {}
        for term in self.inside[root]:
            ways = [self.leaf(a) if a not in found else found[a] for a in term.args]
            if term.op == "neg":
                found[term] = ways[0][1], ways[0][0]
            else:
                found[term] = 1 + min(_ways(term, False, ways)), 1 + min(_ways(term, True, ways))
        return found

    def leaf(self, term: Term) -> _Both:
        """What a leaf of a tree costs: nothing as it is there, one operator as the other."""
        if term.op == CONST:
            return 0, 0
        return (1, 0) if self.turned.get(term, False) else (0, 1)

    def written(self) -> Iterator[tuple[Term, Term]]:
        """Every root with what is computed in its place."""
        made: dict[Term, Term] = {}  # roots, as they are computed
        for root in self.roots:
            both = self.both(root)
            signs = {root: self.turned[root]}
            for term in reversed(self.inside[root]):
                ways = [both.get(a) or self.leaf(a) for a in term.args]
                chosen = _best(term, signs[term], ways)
                for arg, sign in zip(term.args, chosen, strict=True):
                    if arg in both:
                        signs[arg] = sign
            here: dict[Term, Term] = {}
            for term in self.inside[root]:
                ways = [both.get(a) or self.leaf(a) for a in term.args]
                chosen = _best(term, signs[term], ways)
                args = [
                    here[a] if a in here else self.signed(a, sign, made)
                    for a, sign in zip(term.args, chosen, strict=True)
                ]
                here[term] = _computed(term, signs[term], args, chosen)
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
    if term.op == "mul":
        product = Term("mul", (a, b), None, term.type)
        wrong = (signs[0] ^ signs[1]) != negative
        return Term("neg", (product,), None, term.type) if wrong else product
    first, second = signs[0] ^ negative, signs[1] ^ negative ^ (term.op == "sub")
    if first and second:
        return Term("neg", (Term("add", (a, b), None, term.type),), None, term.type)
    if first:
        return Term("sub", (b, a), None, term.type)
    return Term("sub" if second else "add", (a, b), None, term.type)
