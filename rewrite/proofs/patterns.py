"""Rule sides over terms: where one matches among terms that are known, and what it then is.

Takes a side of a rewrite and the e-classes that its variables stand for, gives the terms in a
closure that match it up to what is known to be equal there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...terms.term import CONST, VAR, Term, toposort
from ..egraph.encode import head_of
from .closure import Closure

#: The e-class of each head over e-classes, and of each constant.
Homes = Mapping[tuple[int, tuple[int, ...]], int]


class Side:
    """One side of a rewrite: its nodes, arguments before users, the side itself last."""

    def __init__(self, side: Term, names: Sequence[Term], closure: Closure) -> None:
        self.nodes = toposort([side])
        place = {term: i for i, term in enumerate(self.nodes)}
        self.args = [tuple([place[a] for a in term.args]) for term in self.nodes]
        self.kinds = [closure.head(head_of(term)) for term in self.nodes]
        self.variable = [names.index(t) if t.op == VAR else -1 for t in self.nodes]
        self.slots: list[tuple[int, int, int]] = []  # operators from the top: node, user, place
        stack = [(len(self.nodes) - 1, -1, 0)]
        while stack:
            node, user, at = stack.pop()
            if self.args[node]:
                self.slots.append((node, user, at))
                below = [(arg, node, i) for i, arg in enumerate(self.args[node])]
                stack += reversed(below)

    def classes(self, bound: Sequence[int], homes: Homes) -> list[int] | None:
        """The e-class of each node, where the variables stand for e-classes."""
        found: list[int] = []
        for kind, args, variable in zip(self.kinds, self.args, self.variable, strict=True):
            if variable >= 0:
                found.append(bound[variable])
                continue
            home = homes.get((kind, tuple([found[a] for a in args])))
            if home is None:
                return None
            found.append(home)
        return found

    def matches(self, closure: Closure, classes: Sequence[int]) -> Iterator[list[int]]:
        """Terms for the variables, one list for each way in which the side matches.

        Recurses over the operators of one side of a rule, of which the loader bounds the depth.
        """
        chosen = [-1] * len(self.nodes)
        bound = [-1] * (max(self.variable, default=-1) + 1)
        root = closure.root

        def fits(node: int, candidate: int, changed: list[int]) -> bool:
            for arg, inner in zip(self.args[node], closure.args[candidate], strict=True):
                variable = self.variable[arg]
                if variable >= 0:
                    if closure.home[inner] != classes[arg]:
                        return False
                    if bound[variable] < 0:
                        bound[variable] = inner
                        changed.append(variable)
                    elif root[bound[variable]] != root[inner]:
                        return False
                elif self.nodes[arg].op == CONST:
                    known = closure.index.get(self.nodes[arg])
                    if known is None or root[known] != root[inner]:
                        return False
            return True

        def extend(k: int) -> Iterator[list[int]]:
            if k == len(self.slots):
                yield list(bound)
                return
            node, user, at = self.slots[k]
            target = closure.args[chosen[user]][at] if user >= 0 else -1
            for candidate in self._candidates(closure, node, classes[node], target):
                changed: list[int] = []
                chosen[node] = candidate
                if fits(node, candidate, changed):
                    yield from extend(k + 1)
                for variable in changed:
                    bound[variable] = -1

        yield from extend(0)

    def _candidates(self, closure: Closure, node: int, home: int, target: int) -> list[int]:
        """Terms with a node's head in its e-class; below another, equal to what stands there."""
        kind = self.kinds[node]
        members = closure.members.get((home, kind), [])
        if target < 0:
            return list(members)
        root = closure.root[target]
        if closure.kind[target] != kind:
            return [m for m in members if closure.root[m] == root]
        twin = closure.lookup(kind, closure.args[target])
        return [target, *(m for m in members if closure.root[m] == root and m != twin)]

    def root(self, closure: Closure, bound: Sequence[int]) -> int | None:
        """A term equal to this side over terms for its variables, if there is one."""
        found: list[int] = []
        for i, term in enumerate(self.nodes):
            here: int | None
            if self.variable[i] >= 0:
                here = bound[self.variable[i]]
            elif term.op == CONST:
                here = closure.index.get(term)
            else:
                here = closure.lookup(self.kinds[i], [found[a] for a in self.args[i]])
            if here is None:
                return None
            found.append(here)
        return found[-1]

    def build(self, closure: Closure, bound: Sequence[int], classes: Sequence[int]) -> int:
        """This side over terms for its variables, added to the closure."""
        made: list[int] = []
        for i, term in enumerate(self.nodes):
            if self.variable[i] >= 0:
                made.append(bound[self.variable[i]])
                continue
            args = tuple([made[a] for a in self.args[i]])
            full = term
            if args:
                inner = tuple([closure.terms[a] for a in args])
                full = Term(term.op, inner, term.attr, term.type)
            made.append(closure.add(full, args, classes[i]))
        return made[-1]
