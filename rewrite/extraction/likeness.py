"""Repetitions choose alike: what one of them found, the others take over where that is cheaper.

Programs repeat themselves: pairs of atoms, pixels of a window, links, unrolled trips. A search
that goes class by class leaves some of the repetitions with a dearer choice than others. Takes an
e-graph and a choice, improves the choice in place; work is counted in steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...terms.term import VAR
from ..egraph.graph import EGraphTable
from .greedy import Descent
from .reduce import Problem

_MODELS = 6  # choices of one look that the others try, at most
_PASSES = 3
_FAR = 200  # pairs of classes that are compared for one copy, at most
_STEPS = 400_000  # pairs of classes that are compared in all, at most

#: A class below a model, and the class of the copy that is to choose likewise.
_Pair = tuple[int, int]


class Likeness:
    """Which classes look alike: where a first choice has the same operators below them.

    Variables all look the same. Two that look alike need not have the same e-nodes: a copy that
    does not fit is not made.
    """

    def __init__(self, table: EGraphTable, problem: Problem, first: Sequence[int]) -> None:
        self.table, self.problem, self.first = table, problem, list(first)
        self.steps = _STEPS
        self.kinds = _kinds(table)

    def differ(self, choice: Sequence[int]) -> bool:
        """Whether classes that look alike have not chosen alike."""
        return bool(self._groups(self._shapes(self.table.roots, choice)))

    def imitate(self, descent: Descent) -> float:
        """Let classes in use choose as those that look like them; what that saves."""
        saved = 0.0
        for _ in range(_PASSES):
            gain = self._pass(descent)
            saved += gain
            if gain <= descent.tiny:
                break
        return saved

    def _pass(self, descent: Descent) -> float:
        shapes = self._shapes(self.table.roots, descent.choice)
        rank = {cls: i for i, cls in enumerate(shapes)}
        saved = 0.0
        for group in self._groups(shapes):
            models = {shapes[cls]: cls for cls in reversed(group)}
            for shape, model in sorted(models.items())[:_MODELS]:
                vain = {shape}  # what did not gain where one term was chosen, will not elsewhere
                for cls in group:
                    if shapes[cls] not in vain and descent.alive[cls] and self.steps > 0:
                        plan = self._plan(descent.choice, rank, (model, cls))
                        gain = self._adopt(descent, plan)
                        saved += gain
                        if plan and not gain:
                            vain.add(shapes[cls])
        return saved

    def _groups(self, shapes: dict[int, int]) -> list[list[int]]:
        """The classes that look alike, where they have not chosen alike; those above first."""
        several = [cls for cls in reversed(shapes) if len(self.problem.nodes[cls]) > 1]
        looks = self._shapes(several, self.first)
        groups: dict[int, list[int]] = {}
        for cls in several:
            groups.setdefault(looks[cls], []).append(cls)
        return [group for group in groups.values() if len({shapes[cls] for cls in group}) > 1]

    def _shapes(self, roots: Iterable[int], choice: Sequence[int]) -> dict[int, int]:
        """A number for the term that each class below `roots` has chosen, arguments first.

        Equal numbers are equal terms but for the names of variables.
        """
        children, kinds = self.table.children, self.kinds
        found: dict[int, int] = {}
        names: dict[tuple[int, ...], int] = {}
        for root in roots:
            stack = [root]
            while stack:
                cls = stack[-1]
                if cls in found:
                    stack.pop()
                    continue
                node = choice[cls]
                args = children[node]
                left = [a for a in args if a not in found]
                if left:
                    stack += left
                    continue
                stack.pop()
                shape = (kinds[node], *[found[a] for a in args])
                found[cls] = names.setdefault(shape, len(names))
        return found

    def _adopt(self, descent: Descent, plan: Sequence[tuple[int, int]]) -> float:
        """Choose as planned, if that is cheaper and closes no cycle; what that saves."""
        change, done = 0.0, list[tuple[int, int]]()
        for cls, node in plan:
            if descent.cyclic(cls, node):
                break
            done.append((cls, descent.choice[cls]))
            change += descent.put(cls, node)
        else:
            if change < -descent.tiny:
                return -change
        for cls, node in reversed(done):
            descent.put(cls, node)
        return 0.0

    def _plan(
        self, choice: Sequence[int], rank: dict[int, int], pair: _Pair
    ) -> list[tuple[int, int]]:
        """What classes below the copy choose if they follow the model, arguments first.

        Only those that would change; none where the copy has not the e-nodes that it takes.
        """
        children = self.table.children
        ways = self._ways(choice, rank, pair)
        fits: dict[_Pair, int] = {}
        for here in sorted(ways, key=lambda pair: (rank[pair[0]], pair[1])):
            args = children[choice[here[0]]]
            for node in ways[here]:
                below = zip(args, children[node], strict=True)
                if all([a == b or (a, b) in fits for a, b in below]):
                    fits[here] = node
                    break
        plan: dict[int, int] = {}
        stack = [pair] if pair in fits else []
        while stack:
            one, other = stack.pop()
            if one != other and other not in plan:
                plan[other] = node = fits[one, other]
                stack += zip(children[choice[one]], children[node], strict=True)
        changed = [(cls, n) for cls, n in plan.items() if choice[cls] != n]
        return changed[::-1]

    def _ways(
        self, choice: Sequence[int], rank: dict[int, int], pair: _Pair
    ) -> dict[_Pair, list[int]]:
        """For the pairs below a pair, the e-nodes of the copy that do what the model does there."""
        children, kinds, nodes = self.table.children, self.kinds, self.problem.nodes
        ways, stack = dict[_Pair, list[int]](), [pair]
        while stack and len(ways) < _FAR:
            one, other = here = stack.pop()
            if one == other or here in ways or one not in rank:
                continue  # what earlier copies have brought into use below a model has no rank
            node, own = choice[one], choice[other]
            kind, args = kinds[node], children[node]
            same = [n for n in nodes[other] if kinds[n] == kind and n != own]
            ways[here] = same = [own, *same] if kinds[own] == kind else same
            if args:
                for found in same:
                    stack += zip(args, children[found], strict=True)
        self.steps -= len(ways)
        return ways


def _kinds(table: EGraphTable) -> list[int]:
    """A number for the operator of each e-node; variables are all the same."""
    numbers: dict[object, int] = {}
    plain = [
        (op, None if op == VAR else attr, type_, len(args))
        for (op, attr, type_), args in zip(table.heads, table.children, strict=True)
    ]
    return [numbers.setdefault(head, len(numbers)) for head in plain]
