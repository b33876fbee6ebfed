"""Takes a reduced extraction problem, gives a good acyclic choice and a lower bound, quickly.

Near-linear and deterministic: work is counted in steps, never in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import fsum, inf

from .reduce import Problem

_SHARED = 24.0  # an argument counts at most this many mean operators: larger ones are shared
_PASSES = 40
_SHARE_PASSES = 8
_REACH = 400  # classes that a trial releases or takes, at most
_DOUBT = 5000  # classes that a search for a cycle looks at, at most


def start(problem: Problem, users: Sequence[Sequence[int]], owner: Sequence[int]) -> list[int]:
    """A choice for every class, by least estimated cost: estimates are tree costs,
    except that all arguments but the dearest are assumed to be shared beyond a limit.

    Acyclic, because a class is decided only after the arguments of its e-node.
    """
    choice = [-1] * len(problem.nodes)
    for cls, node in problem.settled.items():
        choice[cls] = node
    decide(problem, users, owner, choice, [False] * len(choice))
    return choice


def decide(
    problem: Problem,
    users: Sequence[Sequence[int]],
    owner: Sequence[int],
    choice: list[int],
    paid: Sequence[bool],
) -> None:
    """Choose anew, in place, for every class that is not paid; paid classes cost nothing.

    estimate(n) = cost(n) + max over arguments + sum of the other arguments, each capped:
    never less than an argument's estimate, so classes are final in ascending order.
    """
    nodes, uses, costs = problem.nodes, problem.uses, problem.costs
    total = sum(costs[n] for cls in problem.classes for n in nodes[cls])
    count = sum(len(nodes[cls]) for cls in problem.classes)
    cap = _SHARED * total / max(count, 1)
    estimate = [0.0] * len(nodes)
    final = list(paid)
    missing = [0] * len(owner)
    heap: list[tuple[float, int, int]] = []
    for cls in problem.classes:
        if final[cls]:
            continue
        for node in nodes[cls]:
            left = 0
            for used in uses[node]:
                if not paid[used]:
                    left += 1
            missing[node] = left
            if not left:
                heap.append((costs[node], len(uses[node]), node))
    heapify(heap)
    while heap:
        cost, _, node = heappop(heap)
        cls = owner[node]
        if final[cls]:
            continue
        final[cls] = True
        estimate[cls] = cost
        choice[cls] = node
        for user in users[cls]:
            missing[user] = left = missing[user] - 1
            if left or final[owner[user]]:
                continue
            largest = rest = 0.0
            for used in uses[user]:
                value = estimate[used]
                if value > largest:
                    largest, value = value, largest
                rest += value if value < cap else cap
            heappush(heap, (costs[user] + largest + rest, len(uses[user]), user))


class Descent:
    """A choice with reference counts, improved by exchanging e-nodes while the cost falls.

    Invariant: the choices of all classes, in use or not, contain no cycle. `steps` bounds the
    work over all calls; it falls with every class that is touched.
    """

    def __init__(
        self,
        problem: Problem,
        choice: list[int],
        users: Sequence[Sequence[int]],
        owner: Sequence[int],
        steps: int,
    ) -> None:
        self.problem, self.choice, self.steps = problem, choice, steps
        self.users, self.owner = users, owner
        self.refs = [0] * len(choice)
        self.alive = [False] * len(choice)
        # A gain below this is rounding: without it, passes could run in circles.
        self.tiny = 1e-9 * max((problem.costs[n] for n in choice if n >= 0), default=0.0)
        self._take([cls for cls in problem.classes if problem.needed[cls]])

    def cost(self) -> float:
        """What the classes in use cost together."""
        costs, choice = self.problem.costs, self.choice
        return fsum(costs[choice[cls]] for cls in self.problem.classes if self.alive[cls])

    def run(self) -> None:
        """Single exchanges and opened classes, pass by pass, until nothing gains."""
        for _ in range(_PASSES):
            before = self.cost()
            self._decide_unused()
            while self.steps > 0 and self._exchange_all() < -self.tiny:
                pass
            self._decide_unused()
            for cls in self.problem.classes:
                if not self.alive[cls] and self.steps > 0:
                    self._open(cls)
            if self.steps <= 0 or self.cost() >= before - self.tiny:
                return

    def _decide_unused(self) -> None:
        self.steps -= len(self.problem.classes)
        decide(self.problem, self.users, self.owner, self.choice, self.alive)

    def _exchange_all(self) -> float:
        nodes = self.problem.nodes
        self.steps -= len(self.problem.classes)
        return sum(
            self._exchange(cls)
            for cls in self.problem.classes
            if len(nodes[cls]) > 1 and self.alive[cls] and self.steps > 0
        )

    def _exchange(self, cls: int) -> float:
        """Give a class in use its best e-node; the change of the total cost, at most 0."""
        uses, costs, old = self.problem.uses, self.problem.costs, self.choice[cls]
        saved, pending = self._release(uses[old], _REACH)
        best, pick = -self.tiny, old
        for node in self.problem.nodes[cls]:
            change = costs[node] - costs[old] - saved
            if node == old or change >= best:
                continue
            added, counted, revived = self._take(uses[node], best - change)
            if change + added < best and not self.cyclic(cls, node):
                best, pick = change + added, node
            for used in counted:
                self.refs[used] -= 1
            for other in revived:
                self.alive[other] = False
        self.choice[cls] = pick
        self._take(uses[pick])
        unused = [other for other in pending if self.alive[other] and not self.refs[other]]
        return (best if pick != old else 0.0) - self._drop(unused)

    def _open(self, cls: int) -> None:
        """Pay for an unused class, let its users exchange; take all back unless that gains."""
        targets = [n for n in self.users[cls] if self.alive[self.owner[n]]]
        if len(targets) < 2:
            return
        paid, _, _ = self._take([cls])
        changed: list[tuple[int, int]] = []
        change = paid
        # A class is asked once, however many of its e-nodes use what is opened.
        for user in dict.fromkeys([self.owner[n] for n in targets]):
            old = self.choice[user]
            if self.alive[user] and self.steps > 0:
                change += self._exchange(user)
                if self.choice[user] != old:
                    changed.append((user, old))
        saved, _ = self._release([cls], inf)
        if change - saved < -self.tiny:
            return
        for user, old in reversed(changed):
            new, self.choice[user] = self.choice[user], old
            if self.alive[user]:
                self._take(self.problem.uses[old])
                self._release(self.problem.uses[new], inf)

    def put(self, cls: int, node: int) -> float:
        """Give a class an e-node; the change of the total cost."""
        old, self.choice[cls] = self.choice[cls], node
        if not self.alive[cls] or node == old:
            return 0.0
        uses, costs = self.problem.uses, self.problem.costs
        added, _, _ = self._take(uses[node])
        saved, _ = self._release(uses[old], inf)
        return costs[node] - costs[old] + added - saved

    def _take(self, args: Sequence[int], limit: float = inf) -> tuple[float, list[int], list[int]]:
        """One use more of each class: what that adds, the uses counted, the classes revived.

        Once that reaches a finite `limit` it stops half-way, for the caller to undo.
        """
        refs, alive, choice = self.refs, self.alive, self.choice
        uses, costs = self.problem.uses, self.problem.costs
        added, counted = 0.0, list(args)
        revived: list[int] = []
        for used in counted:
            refs[used] += 1
        stack = counted[::-1]
        while stack and added < limit and not (len(revived) > _REACH and limit < inf):
            cls = stack.pop()
            if alive[cls]:
                continue
            alive[cls] = True
            revived.append(cls)
            node = choice[cls]
            added += costs[node]
            for used in uses[node]:
                refs[used] += 1
                counted.append(used)
                stack.append(used)
        self.steps -= len(counted)
        return (inf if stack and limit < inf else added), counted, revived

    def _release(self, args: Sequence[int], reach: float) -> tuple[float, list[int]]:
        """One use less of each class: what that saves, and the classes it did not get to."""
        refs = self.refs
        queue: list[int] = []
        for used in args:
            refs[used] -= 1
            if not refs[used]:
                queue.append(used)
        return self._sweep(queue, reach)

    def _drop(self, unused: list[int]) -> float:
        return self._sweep(unused, inf)[0]

    def _sweep(self, queue: list[int], reach: float) -> tuple[float, list[int]]:
        refs, alive, choice = self.refs, self.alive, self.choice
        uses, costs = self.problem.uses, self.problem.costs
        saved, done = 0.0, 0
        while done < len(queue) and done < reach:
            cls = queue[done]
            done += 1
            alive[cls] = False
            saved += costs[choice[cls]]
            for used in uses[choice[cls]]:
                refs[used] -= 1
                if not refs[used]:
                    queue.append(used)
        self.steps -= len(queue)
        return saved, queue[done:]

    def cyclic(self, cls: int, node: int) -> bool:
        """Whether the choices lead from the e-node back to the class (or far enough to doubt)."""
        strong, uses, choice = self.problem.strong, self.problem.uses, self.choice
        label = strong[cls]
        stack = [used for used in uses[node] if strong[used] == label]
        seen = set(stack)
        while stack and len(seen) <= _DOUBT:
            for used in uses[choice[stack.pop()]]:
                if used == cls:
                    return True
                if strong[used] == label and used not in seen:
                    seen.add(used)
                    stack.append(used)
        self.steps -= len(seen)
        return bool(stack)


def shares(problem: Problem, users: Sequence[Sequence[int]], owner: Sequence[int]) -> list[float]:
    """Per class, its cost and its share of others': summed over needed classes, a bound.

    A feasible point of the dual program: share(c) = min over e-nodes n of c of
    cost(n) + sum of share(d) / (number of classes that use d), over uses d that are not needed;
    it grows from 0, pass by pass, and every pass is valid.
    """
    nodes, uses, costs, needed = problem.nodes, problem.uses, problem.costs, problem.needed
    ways = [
        [(costs[n], tuple([d for d in uses[n] if not needed[d]])) for n in group] for group in nodes
    ]
    above = [{owner[n] for n in found} for found in users]
    share = [0.0] * len(nodes)
    each = [0.0] * len(nodes)  # what a class adds to the shares of those that use it
    open_ = [True] * len(nodes)  # where what is used has changed
    for _ in range(_SHARE_PASSES):
        changed = False
        for cls in problem.classes:
            if not open_[cls]:
                continue
            open_[cls] = False
            value = min([cost + sum([each[d] for d in used]) for cost, used in ways[cls]])
            if value > share[cls] * (1 + 1e-12):
                share[cls] = value
                changed = True
                each[cls] = value / max(len(above[cls]), 1)
                for user in above[cls]:
                    open_[user] = True
        if not changed:
            break
    return share
