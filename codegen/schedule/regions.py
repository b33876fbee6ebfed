"""Takes result terms, says which of them are computed inside a branch, and inside which.

A region is one side of a real `if`: what is computed in it is computed only where its
condition holds (or does not hold). Cheap guarded terms stay in the region around them; terms
that are expensive or unsafe get a region of their own. Knows nothing of statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...rewrite.guards import Guard, guards
from ...terms.term import LEAVES, SELECT, Term, const, rebuild, toposort
from ...terms.types import Scalar

#: An `if` is written where the work in its arms costs at least this much: about two
#: transcendental functions, or one that is slow. Below, both arms are computed, since a
#: branch itself costs about as much, and more where neighbouring work-items disagree.
BRANCH_COST = 40.0
#: Regions deeper than this lie flat in one more level (OpenCL compilers stop at 256 brackets).
MAX_DEPTH = 24

_FALSE = const(False, Scalar.BOOL)
_TRUE = const(True, Scalar.BOOL)


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """One side of an `if` inside the region `parent`; the root region has no condition."""

    parent: Region | None = None
    condition: Term | None = None
    holds: bool = True
    depth: int = 0

    def outer(self, depth: int) -> Region:
        """The region around this one (or itself) at the given depth."""
        region = self
        while region.depth > depth:
            assert region.parent is not None
            region = region.parent
        return region


@dataclass
class _Tree:
    """The regions made so far, one object for equal regions."""

    root: Region = field(default_factory=Region)
    inner: dict[tuple[Region, Term, bool], Region] = field(default_factory=dict)

    def under(self, parent: Region, condition: Term, holds: bool) -> Region:
        key = (parent, condition, holds)
        if key not in self.inner:
            self.inner[key] = Region(parent, condition, holds, parent.depth + 1)
        return self.inner[key]


@dataclass(frozen=True)
class Placement:
    """Where every term is computed; `moved` maps the terms given to the terms to compute."""

    roots: tuple[Term, ...]
    where: Mapping[Term, Region]
    moved: Mapping[Term, Term]
    root: Region

    def is_branch(self, term: Term) -> bool:
        """Whether a select is assigned inside an `if`, because an arm is computed there."""
        if term.op != SELECT:
            return False
        condition, then, other = term.args
        inside = (self.where.get(then), True), (self.where.get(other), False)
        return any(
            region is not None
            and region.parent is self.where[term]
            and (region.condition, region.holds) == (condition, holds)
            for region, holds in inside
        )


def place(
    roots: Sequence[Term],
    cost: Callable[[Term], float],
    is_unsafe: Callable[[Term], bool],
    *,
    branch_cost: float = BRANCH_COST,
    max_depth: int = MAX_DEPTH,
    pinned: Sequence[Term] = (),
) -> Placement:
    """The region of every term that is not a leaf; `pinned` ones are in none.

    Terms under one condition share a region when all the work under that condition, on both
    sides, costs `branch_cost` or more, or when some of it is unsafe. Deeper than `max_depth`,
    a region is one flat `if` over the conjunction of all its conditions.
    """
    guard = guards([*roots, *pinned])
    terms = [t for t in toposort(roots) if t.op not in LEAVES]
    kept = _worth_a_branch([(guard[t], cost(t), is_unsafe(t)) for t in terms], branch_cost)
    tree = _Tree()
    regions = _regions(kept, tree)
    where = {t: _nearest(guard[t], regions, tree.root) for t in terms}
    if all(region.depth <= max_depth + 1 for region in where.values()):
        return Placement(tuple(roots), where, {}, tree.root)
    return _Flattening(where, max_depth).run(roots, terms)


def _worth_a_branch(work: Iterable[tuple[Guard, float, bool]], branch_cost: float) -> list[Guard]:
    """The guards that become regions, outer ones first."""
    total: dict[Guard, float] = {}
    for guard, cost, unsafe in work:
        total[guard] = total.get(guard, 0.0) + (branch_cost if unsafe else cost)
    for guard in list(total):
        up = guard.parent
        while up is not None and up not in total:
            total[up] = 0.0
            up = up.parent
    inward = sorted((g for g in total if g.parent is not None), key=lambda g: g.depth)
    for guard in reversed(inward):
        assert guard.parent is not None
        total[guard.parent] += total[guard]
    both: dict[tuple[Guard | None, Term | None], float] = {}
    for guard in inward:
        key = (guard.parent, guard.condition)
        both[key] = both.get(key, 0.0) + total[guard]
    return [g for g in inward if both[g.parent, g.condition] >= branch_cost]


def _regions(kept: Sequence[Guard], tree: _Tree) -> dict[Guard, Region]:
    found: dict[Guard, Region] = {}
    for guard in kept:
        assert guard.parent is not None and guard.condition is not None
        parent = found.get(guard.parent, tree.root)
        found[guard] = tree.under(parent, guard.condition, guard.holds)
    return found


def _nearest(guard: Guard, regions: dict[Guard, Region], root: Region) -> Region:
    """The region of the innermost kept guard; the way there is remembered."""
    seen = []
    up: Guard | None = guard
    while up is not None and up not in regions and up.parent is not None:
        seen.append(up)
        up = up.parent
    region = regions.get(up, root) if up is not None else root
    regions.update((g, region) for g in seen)
    return region


class _Flattening:
    """Rewrites the terms so that no region is deeper than `limit` + 1.

    A region R that is too deep, under c inside P, becomes a region directly inside its
    ancestor B at the limit, under the flag p(R) = p(P) ? c : false, computed in B. A value
    that leaves R travels as p(R) ? value : 0, which is a select in B.
    """

    def __init__(self, where: Mapping[Term, Region], limit: int) -> None:
        self.where = where
        self.limit = limit
        self.tree = _Tree()
        self.new: dict[Term, Term] = {}
        self.placed: dict[Term, Region] = {}
        self.target: dict[Region, Region] = {}

    def run(self, roots: Sequence[Term], terms: Sequence[Term]) -> Placement:
        for term in terms:
            region = self.where[term]
            here = self._target(region)
            args = tuple([self._arg(a, region) for a in term.args])
            self.new[term] = self._put(rebuild(term, args), here)
        moved = self.new
        new_roots = tuple(moved.get(r, r) for r in roots)
        return Placement(new_roots, self.placed, moved, self.tree.root)

    def _put(self, term: Term, region: Region) -> Term:
        known = self.placed.get(term)
        self.placed[term] = region if known is None else _common(known, region)
        return term

    def _arg(self, arg: Term, user: Region) -> Term:
        if arg.op in LEAVES:
            return arg
        region = self.where[arg]
        plain = region.depth <= self.limit or region is user
        if plain or (region.depth == self.limit + 1 and region.parent is user):
            return self.new[arg]
        return self._hold(self.new[arg], self._target(region))

    def _hold(self, term: Term, region: Region) -> Term:
        """A value of a region, for use outside: `p ? value : 0`."""
        assert region.parent is not None and region.condition is not None
        zero = _FALSE if term.type is Scalar.BOOL else const(0, term.type)
        arms = (term, zero) if region.holds else (zero, term)
        return self._put(Term(SELECT, (region.condition, *arms), None, term.type), region.parent)

    def _target(self, region: Region) -> Region:
        chain = []
        up: Region | None = region
        while up is not None and up not in self.target:
            chain.append(up)
            up = up.parent
        for r in reversed(chain):
            self.target[r] = self._moved(r)
        return self.target[region]

    def _moved(self, region: Region) -> Region:
        if region.parent is None:
            return self.tree.root
        parent = self.target[region.parent]
        assert region.condition is not None
        condition = self._arg(region.condition, region.parent)
        if region.depth <= self.limit + 1:
            return self.tree.under(parent, condition, region.holds)
        if not region.holds:
            negated = Term(SELECT, (condition, _FALSE, _TRUE), None, Scalar.BOOL)
            condition = self._put(negated, parent)
        assert parent.parent is not None and parent.condition is not None
        arms = (condition, _FALSE) if parent.holds else (_FALSE, condition)
        flag = Term(SELECT, (parent.condition, *arms), None, Scalar.BOOL)
        return self.tree.under(parent.parent, self._put(flag, parent.parent), True)


def _common(a: Region, b: Region) -> Region:
    a, b = a.outer(b.depth), b.outer(a.depth)
    while a is not b:
        assert a.parent is not None and b.parent is not None
        a, b = a.parent, b.parent
    return a
