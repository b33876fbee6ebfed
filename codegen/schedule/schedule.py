"""Takes a program, gives the statements that compute it, in order, as plain data.

Every operator is one statement; what matters only under a condition is computed inside an
`if` when it is worth one (`regions.py` says what is). Knows nothing of any language's text.

Selects of one condition share one `if` where their dependencies permit. A value that two
blocks of one condition need is computed in the first of them and declared before it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...rewrite.egraph.cost import loop_cost
from ...terms.errors import EmitError
from ...terms.loop import LOOP, MEMORY, TABLE, accesses, varying
from ...terms.program import Note, Program
from ...terms.rule import RuleSet
from ...terms.term import DETACH, LEAVES, PROJ, Term, fold, rebuild, toposort
from ...terms.types import Scalar, ScalarType
from .dividing import dividing, together
from .fusing import Fusing, fused
from .orders import ORDERS
from .placing import declare
from .regions import BRANCH_COST, MAX_DEPTH, Placement, Region, place
from .statement import Assign, Define, Else, End, If, Statement

_INLINE = frozenset({"neg", "logical_not"})
_DEFAULT_COST = 1.0


@dataclass(frozen=True)
class Schedule:
    """The statements of a program, and the terms that its results are.

    Terms in `inline` have no statement: they are written inside their one user. `roots` and
    the terms of the statements may differ from the program's (`detach` is gone); `notes` are
    the program's, for these terms.
    """

    statements: tuple[Statement, ...]
    roots: tuple[Term, ...]
    inline: frozenset[Term]
    notes: Mapping[Term, Note] = field(default_factory=dict)
    copied: frozenset[Term] = frozenset()  # writes into a copy of a memory
    shared: frozenset[Term] = frozenset()  # memories that nothing may write over
    origin: Mapping[Term, Term] = field(default_factory=dict)  # terms that moved: what they were
    fused: Mapping[Term, int] = field(default_factory=dict)  # sums: which argument is multiplied

    def standing_for(self, before: Mapping[Term, Term]) -> Schedule:
        """The same for a program whose terms stand for others."""
        known = {now: before.get(old, old) for now, old in self.origin.items()}
        return replace(self, origin={**before, **known}) if before else self


def schedule(
    program: Program,
    rules: RuleSet,
    *,
    shared: Collection[Term] = (),
    common: Collection[Term] = (),
    branch_cost: float = BRANCH_COST,
    max_depth: int = MAX_DEPTH,
    fusing: Fusing = Fusing.NONE,
    order: str = "depth",
) -> Schedule:
    """The statements of a program; equal programs give equal schedules.

    `order` is one of ORDERS: which of the independent statements comes first. `fusing` says which
    products are written inside the sum that uses them. `shared` are variables that the next run
    of these statements reads again: memories among them are copied before they are written.
    `common` are the counter of a loop, and integers from around it.
    """
    plain = fold(program.flat, _without_detach)
    roots = [plain[root] for root in program.flat]
    terms = toposort(roots)
    loads, copied = _versions(terms, {*shared, *roots})
    alike = together(terms, common, rules) if common else []
    placement = place(
        [plain[root] for root in program.flat],
        _cost_in(rules),
        dividing(rules),
        branch_cost=branch_cost,
        max_depth=max_depth,
        pinned=[*(t for pair in loads.items() for t in (pair[0], *pair[1])), *alike],
    )
    notes: dict[Term, Note] = {}
    for term, note in program.notes.items():
        now = plain.get(term)
        if now is not None and now.op not in LEAVES:
            notes.setdefault(placement.moved.get(now, now), note)
    units = ORDERS[order]([t for t in toposort(placement.roots) if t.op not in LEAVES])
    uses = _uses(units, placement.roots)
    sums = fused(units, uses, notes, rules, fusing)
    inline = frozenset([*_inlined(units, uses, notes), *(t.args[i] for t, i in sums.items())])
    blocks = _Blocks(placement, {t: i for i, t in enumerate(units)}, loads)
    blocks.block(placement.root, units, {})
    statements, inline = declare(blocks.out, placement.roots, inline, uses, notes, sums)
    kept = frozenset(shared)
    origin: dict[Term, Term] = {}
    changed = placement.moved or any(plain[root] is not root for root in program.flat)
    for old in toposort(program.flat) if changed else ():
        now = placement.moved.get(plain[old], plain[old])
        if now is not old:
            origin.setdefault(now, old)
    return Schedule(tuple(statements), placement.roots, inline, notes, copied, kept, origin, sums)


def _without_detach(term: Term, args: tuple[Term, ...]) -> Term:
    return args[0] if term.op == DETACH else rebuild(term, args)


def _versions(
    terms: Sequence[Term], shared: Collection[Term]
) -> tuple[dict[Term, list[Term]], frozenset[Term]]:
    """For each write into a memory, what reads the version before it; writes into a copy.

    Of several writes over one version the last is done in place, unless the version itself is
    wanted: shared, or a result. The others copy it first, and so does a loop that begins with a
    version which is used elsewhere, too: these are reads.
    """
    readers, makers = accesses(terms)
    place = {term: i for i, term in enumerate(terms)}
    before: dict[Term, list[Term]] = {}
    copied: list[Term] = []
    for version, after in makers.items():
        writers = [t for t in after if t.op != LOOP]
        if version.op in (MEMORY, TABLE) or not writers:
            continue
        if version in shared:
            copied += writers
            continue
        *others, last = writers
        reads = [*readers.get(version, []), *(t for t in after if t.op == LOOP), *others]
        later = [r for r in reads if place[r] > place[last]]
        if later and not varying(later, [last]).isdisjoint(later):
            copied += writers  # what is read later follows from the write: both are needed
        else:
            before[last] = reads
            copied += others
    return before, frozenset(copied)


def _cost_in(rules: RuleSet) -> Callable[[Term], float]:
    table: dict[tuple[str, ScalarType], float] = {}

    def cost(term: Term) -> float:
        if term.op == LOOP:
            return loop_cost(rules, term.attr)
        key = (term.op, term.type)
        if key not in table:
            operator = rules.get(term.op)
            kind = term.type if isinstance(term.type, Scalar) else Scalar.I32
            known = operator.costs.get(kind, operator.cost) if operator else None
            table[key] = _DEFAULT_COST if known is None else known
        return table[key]

    return cost


def _uses(order: Sequence[Term], roots: Sequence[Term]) -> dict[Term, int]:
    uses = dict.fromkeys(order, 0)
    for term in order:
        for arg in term.args:
            if arg in uses:
                uses[arg] += 1
    for root in roots:
        if root in uses:
            uses[root] += 1
    return uses


def _inlined(
    order: Sequence[Term], uses: Mapping[Term, int], notes: Mapping[Term, Note]
) -> list[Term]:
    """Negations with one user, and no name, are written where they are used.

    So are the results of a loop, which are its variables, and memories that nothing has filled.
    """
    found: dict[Term, None] = {}
    for term in order:
        if term.op in (PROJ, MEMORY, TABLE):
            found[term] = None
            continue
        # One level only: nesting stays shallow.
        nested = any(a in found and a.op != PROJ for a in term.args)
        if term.op in _INLINE and uses[term] == 1 and term not in notes and not nested:
            found[term] = None
    return list(found)


@dataclass
class _Group:
    """The terms of one `if` inside one block, while the block is being ordered."""

    number: int
    condition: Term
    selects: int = 0  # that are still to be written
    ready: list[Term] = field(default_factory=list)  # selects whose arms can be written


class _Blocks:
    """Orders the terms of each block; recursion is bounded by the depth of regions."""

    def __init__(
        self,
        placement: Placement,
        index: Mapping[Term, int],
        earlier: Mapping[Term, Sequence[Term]],
    ) -> None:
        self.placement = placement
        self.earlier = earlier  # reads that come before a write
        self.index = index
        self.out: list[Statement] = []
        self.done: set[Term] = set()

    def block(self, region: Region, units: Sequence[Term], copies: Mapping[Term, int]) -> None:
        """Write `units`, in an order that follows their dependencies.

        A unit in `copies` is a select that is assigned here: from the argument of that index.
        """
        _Order(self, region, units, copies).run()

    def group_key(self, term: Term, region: Region, copies: Mapping[Term, int]) -> Term | None:
        """The condition of the `if` in this block that a term belongs to; None: to no one."""
        if term in copies:
            return None
        here = self.placement.where[term]
        if here is region:
            return term.args[0] if self.placement.is_branch(term) else None
        return here.outer(region.depth + 1).condition


class _Order:
    """List scheduling of one block: plain terms first, an `if` as late as possible."""

    def __init__(
        self, blocks: _Blocks, region: Region, units: Sequence[Term], copies: Mapping[Term, int]
    ) -> None:
        self.blocks = blocks
        self.region = region
        self.copies = copies
        self.groups: dict[Term, _Group] = {}
        self.group: dict[Term, _Group | None] = {}
        self.users: dict[Term, list[Term]] = {unit: [] for unit in units}
        self.waiting: dict[Term, int] = {}
        self.plain: list[tuple[int, Term]] = []
        self.complete: list[tuple[int, int, _Group]] = []
        self.started: list[tuple[int, int, _Group]] = []
        for unit in units:
            self._enter(unit)

    def _enter(self, unit: Term) -> None:
        key = self.blocks.group_key(unit, self.region, self.copies)
        group = None
        if key is not None:
            group = self.groups.get(key)
            if group is None:
                group = self.groups[key] = _Group(len(self.groups), key)
            group.selects += self._is_exit(unit)
        self.group[unit] = group
        args = [a for a in self._args(unit) if a in self.users]
        self.waiting[unit] = len(args)
        for arg in args:
            self.users[arg].append(unit)

    def _is_exit(self, unit: Term) -> bool:
        return self.blocks.placement.where[unit] is self.region

    def _args(self, unit: Term) -> Sequence[Term]:
        if unit in self.copies:
            return (unit.args[self.copies[unit]],)
        return (*unit.args, *self.blocks.earlier.get(unit, ()))

    def run(self) -> None:
        self._arrive([unit for unit, count in self.waiting.items() if not count])
        while True:
            if self.plain:
                _, unit = heapq.heappop(self.plain)
                self._write(unit)
            elif group := self._next_group():
                self._flush(group)
            else:
                break
        if any(self.waiting.values()):
            raise EmitError(
                "an array is needed as it was before a change and as it is after it, each for"
                " the other",
                hint="copy the list before it is changed: old = copy(list)",
            )

    def _write(self, unit: Term) -> None:
        index = self.copies.get(unit)
        if index is None:
            self.blocks.out.append(Define(unit))
        else:
            self.blocks.out.append(Assign(unit, unit.args[index]))
        self.blocks.done.add(unit)
        self._release([unit], inside=None)

    def _release(self, written: Sequence[Term], inside: _Group | None) -> None:
        """Count down the users of terms that are now known (those in `inside` know already)."""
        free = []
        for term in written:
            for user in self.users[term]:
                if inside is not None and self.group[user] is inside:
                    continue
                self.waiting[user] -= 1
                if not self.waiting[user]:
                    free.append(user)
        self._arrive(free)

    def _arrive(self, units: Sequence[Term]) -> None:
        """Units whose arguments are known: plain ones are ready, others wait in their `if`."""
        stack = list(units)[::-1]
        while stack:
            unit = stack.pop()
            group = self.group[unit]
            if group is None:
                heapq.heappush(self.plain, (self.blocks.index[unit], unit))
                continue
            if self._is_exit(unit):
                self._pend(group, unit)
            for user in self.users[unit]:
                if self.group[user] is group:
                    self.waiting[user] -= 1
                    if not self.waiting[user]:
                        stack.append(user)

    def _pend(self, group: _Group, select: Term) -> None:
        group.ready.append(select)
        place = (self.blocks.index[select], group.number, group)
        if len(group.ready) == 1:
            heapq.heappush(self.started, place)
        if len(group.ready) == group.selects:
            heapq.heappush(self.complete, place)

    def _next_group(self) -> _Group | None:
        """An `if` that needs nothing more, else the one that was begun first."""
        for heap in (self.complete, self.started):
            while heap:
                *_, group = heapq.heappop(heap)
                if group.ready:
                    return group
        return None

    def _flush(self, group: _Group) -> None:
        blocks = self.blocks
        selects = sorted(group.ready, key=blocks.index.__getitem__)
        group.selects -= len(selects)
        group.ready = []
        sides = self._needed(group, selects)
        blocks.out.append(If(group.condition))
        for index, holds in ((1, True), (2, False)):
            inner = sides[holds]
            region = self._inner_region(group, inner, holds)
            units = sorted([*inner, *selects], key=blocks.index.__getitem__)
            blocks.block(region, units, dict.fromkeys(selects, index))
            blocks.done.difference_update(selects)
            blocks.out.append(Else() if holds else End())
        blocks.done.update(selects)
        self._release([*sides[True], *sides[False], *selects], inside=group)

    def _needed(self, group: _Group, selects: Sequence[Term]) -> dict[bool, list[Term]]:
        """The terms of both sides that these selects need and that are not yet written."""
        sides: dict[bool, list[Term]] = {True: [], False: []}
        seen = set(selects)
        stack = list(selects)
        while stack:
            for arg in stack.pop().args:
                if arg in seen or arg in self.blocks.done or self.group.get(arg) is not group:
                    continue
                seen.add(arg)
                stack.append(arg)
                inner = self.blocks.placement.where[arg].outer(self.region.depth + 1)
                sides[inner.holds].append(arg)
        return sides

    def _inner_region(self, group: _Group, inner: Sequence[Term], holds: bool) -> Region:
        if inner:
            return self.blocks.placement.where[inner[0]].outer(self.region.depth + 1)
        return Region(self.region, group.condition, holds, self.region.depth + 1)
