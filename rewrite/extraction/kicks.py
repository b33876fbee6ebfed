"""Takes a part of a reduced problem with a choice, gives a choice that costs no more.

A kick gives up what a descent would never give up: it pays for a few classes that are not in use,
or takes dearer e-nodes, close to each other. What that touches settles: classes in use take the
e-node that adds least, classes that are not, the one that would. What came out dearer is taken
back. Kicks follow a fixed sequence, and work is counted in steps: equal input, equal result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random

from .reduce import Problem

_SETTLED = 40  # classes in use that choose again after a kick, at most
_RAISED = 60  # classes not in use whose estimates follow, at most
_SEVERAL = 4  # classes that one kick changes, at most
_PATIENCE = 30  # kicks without a gain until the search goes back to the best choice
_SLACK = 0.5  # mean operators by which a choice that is kept may cost more than the best


class Kicks:
    """The state of the search over one part; its classes and e-nodes are numbered anew.

    Invariants: `refs[c]` counts the uses of c by classes in use; the choices of all classes, in
    use or not, contain no cycle. `estimate[c]` is about what c would add, where it is not in use.
    """

    def __init__(self, problem: Problem, part: Sequence[int], start: Sequence[int]) -> None:
        self.part = part
        place = {cls: i for i, cls in enumerate(part)}
        self.names = [node for cls in part for node in problem.nodes[cls]]
        number = {node: j for j, node in enumerate(self.names)}
        self.owner = [i for i, cls in enumerate(part) for _ in problem.nodes[cls]]
        self.costs = [problem.costs[node] for node in self.names]
        self.uses = [tuple([place[u] for u in problem.uses[node]]) for node in self.names]
        self.nodes = [[number[node] for node in problem.nodes[cls]] for cls in part]
        label = [problem.strong[cls] for cls in part]
        self.back = [  # of the uses those that may lead back to the class of the e-node
            tuple([used for used in uses if label[used] == label[cls]])
            for cls, uses in zip(self.owner, self.uses, strict=True)
        ]
        self.users: list[list[int]] = [[] for _ in part]
        for node, used in enumerate(self.uses):
            for cls in used:
                self.users[cls].append(node)
        self.above = [[self.owner[node] for node in users] for users in self.users]
        self.choice = [number[start[cls]] for cls in part]
        self.refs, self.alive = [0] * len(part), [False] * len(part)
        self.estimate = [0.0] * len(part)
        self.tiny = 1e-9 * max(self.costs, default=0.0)
        self.undo: list[
            tuple[int, int, float]
        ] = []  # class, e-node, estimate, of before; since the best
        self.steps, self.random = 0, Random(0).random
        self.cost = sum(self._take(i) for i, cls in enumerate(part) if problem.needed[cls])
        self._estimate_all()

    def run(self, patience: int, most: int) -> dict[int, int]:
        """Kick until `patience` steps bring nothing, or `most` are done; the best choice.

        It names an e-node for every class. `cost` is then what it costs, `steps` what was done.
        """
        several = [i for i, group in enumerate(self.nodes) if len(group) > 1]
        targets = [i for i in range(len(self.part)) if not self.alive[i] or len(self.nodes[i]) > 1]
        best, idle = self.cost, 0
        slack = _SLACK * sum(self.costs) / max(len(self.costs), 1)
        limit = min(self.steps + patience, most)
        while several and self.steps < limit:
            before, mark = self.cost, len(self.undo)
            self._kick(targets)
            if self.cost > max(before, best + slack) + self.tiny:
                self._take_back(mark)
            idle += 1
            if self.cost < best - self.tiny:
                best, idle, limit = self.cost, 0, min(self.steps + patience, most)
                self.undo.clear()
                self._estimate_all()
            elif idle > _PATIENCE:
                self._take_back(0)
                idle = 0
        self._take_back(0)
        return {cls: self.names[self.choice[i]] for i, cls in enumerate(self.part)}

    def _kick(self, targets: Sequence[int]) -> None:
        """Disturb a few classes near each other, and let the rest settle."""
        self.steps += 10
        forced: list[int] = []
        paid: list[int] = []
        touched: list[int] = []
        near = targets
        for _ in range(1 + int(self.random() * _SEVERAL)):
            if touched:
                near = touched + [n for other in touched for n in self.above[other]]
            cls = near[int(self.random() * len(near))]
            if not self.alive[cls]:
                self.cost += self._take(cls, touched)
                paid.append(cls)
            elif self._force(cls, touched):
                forced.append(cls)
        self._settle(touched, forced)
        left: list[int] = []
        for cls in paid:
            self.cost -= self._release(cls, left)
        for cls in forced:
            left += (cls, *self.uses[self.choice[cls]])
        self._settle(left, ())

    def _force(self, cls: int, touched: list[int]) -> bool:
        """Give a class in use any other e-node, if that closes no cycle."""
        group = self.nodes[cls]
        node = group[int(self.random() * len(group))]
        if node == self.choice[cls] or self._cyclic(cls, node):
            return False
        self._choose(cls, node, self.estimate[cls], touched)
        return True

    def _choose(self, cls: int, node: int, estimate: float, touched: list[int]) -> None:
        """Change a choice, and the cost with it."""
        old = self.choice[cls]
        self.undo.append((cls, old, self.estimate[cls]))
        self.estimate[cls] = estimate
        self.choice[cls] = node
        if self.alive[cls] and node != old:
            change = self.costs[node] - self.costs[old]
            for used in self.uses[node]:
                change += self._take(used, touched)
            for used in self.uses[old]:
                change -= self._release(used, touched)
            self.cost += change

    def _settle(self, touched: Sequence[int], fixed: Sequence[int]) -> None:
        """Where a class came into use or went out of it, those above it choose again."""
        alive, owner, nodes = self.alive, self.owner, self.nodes
        raised = settled = 0
        queue = deque(touched)
        waiting: deque[int] = deque()
        known: set[int] = set()
        while True:
            while queue:
                cls = queue.popleft()
                if not alive[cls]:
                    self._estimate_again(cls)
                self.steps += len(self.users[cls])
                for node in self.users[cls]:
                    above = owner[node]
                    if alive[above]:
                        if above not in known and len(nodes[above]) > 1:
                            known.add(above)
                            waiting.append(above)
                    elif raised < _RAISED and self._follows(above, node):
                        raised += 1
                        queue.append(above)
            if not waiting or settled >= _SETTLED:
                return
            cls = waiting.popleft()
            known.discard(cls)
            if alive[cls] and cls not in fixed:
                settled += 1
                self._exchange(cls, queue)

    def _exchange(self, cls: int, touched: deque[int]) -> None:
        """Give a class in use its best e-node."""
        alive, costs, uses = self.alive, self.costs, self.uses
        old = self.choice[cls]
        dropped: list[int] = []
        best, pick = costs[old], old
        for used in uses[old]:
            best += self._release(used, dropped)
        best -= self.tiny
        for node in self.nodes[cls]:
            added = costs[node]
            if added >= best or node == old:
                continue
            self.steps += 1
            for used in uses[node]:
                if not alive[used]:
                    added = self._added(node)
                    break
            if added < best and not self._cyclic(cls, node):
                best, pick = added, node
        if pick == old:
            for used in uses[old]:
                self._take(used)
            return
        self.undo.append((cls, old, self.estimate[cls]))
        self.choice[cls] = pick
        before = costs[old] + sum([costs[self.choice[c]] for c in dropped])
        revived: list[int] = []
        self.cost += costs[pick] - before + sum([self._take(u, revived) for u in uses[pick]])
        touched.extend(dropped)
        touched.extend(revived)

    def _added(self, node: int) -> float:
        """What an e-node costs with all that it would bring into use."""
        alive, choice, uses, costs = self.alive, self.choice, self.uses, self.costs
        seen: set[int] = set()
        total = costs[node]
        for first in uses[node]:
            if alive[first] or first in seen:
                continue
            self.steps += 1
            added, stack = 0.0, [first]
            while stack:
                cls = stack.pop()
                if not alive[cls] and cls not in seen:
                    seen.add(cls)
                    chosen = choice[cls]
                    added += costs[chosen]
                    stack += uses[chosen]
            total += added
        self.steps += len(uses[node])
        return total

    def _follows(self, cls: int, node: int) -> bool:
        """Whether an e-node changes what a class that is not in use would add."""
        value, before = self._value(node), self.estimate[cls]
        if self.choice[cls] == node:
            if value > before + self.tiny:
                self._estimate_again(cls)
            elif value < before - self.tiny:
                self.undo.append((cls, node, before))
                self.estimate[cls] = value
        elif value < before - self.tiny and not self._cyclic(cls, node):
            self.undo.append((cls, self.choice[cls], before))
            self.choice[cls], self.estimate[cls] = node, value
        return self.estimate[cls] != before

    def _estimate_again(self, cls: int) -> None:
        """The e-node that would add least, for a class that is not in use."""
        pick = old = self.choice[cls]
        best = self._value(old)
        for node in self.nodes[cls]:
            if node != old:
                value = self._value(node)
                if value < best - self.tiny and not self._cyclic(cls, node):
                    best, pick = value, node
        if pick != old or best != self.estimate[cls]:
            self.undo.append((cls, old, self.estimate[cls]))
            self.choice[cls], self.estimate[cls] = pick, best

    def _value(self, node: int) -> float:
        alive, estimate, added = self.alive, self.estimate, 0.0
        for used in self.uses[node]:
            if not alive[used]:
                added += estimate[used]
        return self.costs[node] + added

    def _estimate_all(self) -> None:
        """The estimates of all classes that are not in use, by their e-nodes as they are."""
        self.steps += len(self.part)
        done = list(self.alive)
        for first, known in enumerate(done):
            stack = [] if known else [first]
            while stack:
                cls = stack[-1]
                open_ = [u for u in self.uses[self.choice[cls]] if not done[u]]
                if open_:
                    stack += open_
                else:
                    stack.pop()
                    done[cls] = True
                    self.estimate[cls] = self._value(self.choice[cls])

    def _take(self, cls: int, touched: list[int] | None = None) -> float:
        """One use more of a class: what that adds; `touched` collects what comes into use."""
        refs, alive = self.refs, self.alive
        self.steps += 1
        if alive[cls]:  # mostly
            refs[cls] += 1
            return 0.0
        choice, uses, costs = self.choice, self.uses, self.costs
        added, stack = 0.0, [cls]
        while stack:
            cls = stack.pop()
            refs[cls] += 1
            if not alive[cls]:
                alive[cls] = True
                node = choice[cls]
                added += costs[node]
                stack += uses[node]
                if touched is not None:
                    touched.append(cls)
        return added

    def _release(self, cls: int, touched: list[int] | None = None) -> float:
        """One use less of a class: what that saves; `touched` collects what goes out of use."""
        refs = self.refs
        self.steps += 1
        if refs[cls] > 1:  # mostly
            refs[cls] -= 1
            return 0.0
        alive, choice, uses, costs = self.alive, self.choice, self.uses, self.costs
        saved, stack = 0.0, [cls]
        while stack:
            cls = stack.pop()
            refs[cls] -= 1
            if not refs[cls]:
                alive[cls] = False
                node = choice[cls]
                saved += costs[node]
                stack += uses[node]
                if touched is not None:
                    touched.append(cls)
        return saved

    def _cyclic(self, cls: int, node: int) -> bool:
        """Whether the choices lead from the e-node back to the class."""
        back, choice = self.back, self.choice
        if not back[node]:
            return False
        stack = list(back[node])
        seen = set(stack)
        while stack:
            for used in back[choice[stack.pop()]]:
                if used == cls:
                    return True
                if used not in seen:
                    seen.add(used)
                    stack.append(used)
        self.steps += len(seen)
        return False

    def _take_back(self, mark: int) -> None:
        """Undo all changes but the first so many, the last one first: none closes a cycle."""
        while len(self.undo) > mark:
            cls, node, self.estimate[cls] = self.undo.pop()
            old, self.choice[cls] = self.choice[cls], node
            if self.alive[cls] and node != old:
                self.cost += self.costs[node] - self.costs[old]
                for used in self.uses[node]:
                    self.cost += self._take(used)
                for used in self.uses[old]:
                    self.cost -= self._release(used)
