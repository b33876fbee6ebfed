"""Which values of a trip are kept, and which are computed again when the adjoint needs them.

    minimize  sum of load(t) over kept t  +  sum of cost(t) over computed t

so that everything that the adjoint reads is there: a value that is kept is there, and so is one
that is computed over values that are there. A minimum cut: y(t) says that t is there, c(t) that
it is computed,

    source -inf-> y(t)   for what is read       y(t) -load(t)-> c(t)   kept, not computed
    c(t) -cost(t)-> sink                        c(t) -inf-> y(a)       for its arguments

A state variable whose update can be undone (`undoing.py`) is computed over what that takes.

Takes terms and costs, gives the terms to keep. Knows nothing of how they are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence

from ...terms.loop import CHECKPOINT, KEEP, LOOP, varying
from ...terms.term import FREE, PROJ, Term, toposort
from .knowledge import Undone
from .prune import read_by
from .storage import size_of

#: What a byte that is kept costs, in the unit of operators' costs: bytes are dear, and a value
#: is kept beside the state only where computing it again is dearer still.
BYTE_COST = 25.0
_SCALE = 4  # costs are whole numbers in the network
_NEVER = 1 << 28
_UNBOUNDED = _NEVER >> 4

Cost = Callable[[Term], float]


def chosen(
    roots: Sequence[Term],
    state: Iterable[Term],
    counter: Term,
    keepable: Container[Term],
    cost: Cost,
    undone: Undone,
    bounded: bool = True,
) -> tuple[list[Term], list[Term]]:
    """The terms among `keepable` to be kept, and the state variables to be followed backwards.

    Such that `roots` can be computed: terms over a body's variables and over open ones, which
    are the adjoint's own. The counter of the trips is always there. What is followed is in an
    order in which it can be computed. Nobody knows how much room a loop needs that is not
    `bounded`: it keeps only what cannot be computed at any price.
    """
    read = _read(roots)
    below = [*read, *undone.values.values()]
    moving = varying(below, [*state, counter, *undone.ends]) - {counter}
    terms = [t for t in toposort([*below, *undone.ends.values()]) if t in moving]
    wanted = [t for t in read if t in moving]
    network = _Network(2 * len(terms) + 2)
    place = {t: 2 * i + 2 for i, t in enumerate(terms)}  # y; c stands behind it
    start = set(state)
    for term in wanted:
        network.edge(0, place[term], _NEVER)
    for term, y in place.items():
        load = _load(term, bounded) if term in keepable else _NEVER
        follows = term in start or term in undone.ends or term in undone.arrays
        over = undone.over(term) if follows else _over(term)
        if over is None:
            network.edge(y, 1, load)
            continue
        network.edge(y, y + 1, load)
        network.edge(y + 1, 1, min(round(_SCALE * cost(term)), _NEVER))
        for arg in dict.fromkeys((term, *over)):
            if arg in place:
                network.edge(y + 1, place[arg], _NEVER)
    there = network.cut()
    kept = [t for t, y in place.items() if there[y] and not there[y + 1]]
    return kept, [v for v in undone.values if v in place and there[place[v] + 1]]


def _read(roots: Sequence[Term]) -> list[Term]:
    """The terms of the body that the adjoint's own terms are over."""
    found: dict[Term, None] = {}
    for term in toposort(roots, FREE + 1):
        found.update(dict.fromkeys(a for a in term.args if a.scope <= FREE))
    found.update(dict.fromkeys(t for t in roots if t.scope <= FREE))
    return list(found)


def _over(term: Term) -> Sequence[Term]:
    """What a term is computed over: a result of a loop, over what it depends on."""
    if term.op == LOOP:
        return ()
    return (*term.args, *read_by(term)) if term.op == PROJ else term.args


def _load(term: Term, bounded: bool) -> int:
    if not bounded:
        return _UNBOUNDED
    if term.op == KEEP and term.attr == CHECKPOINT:
        return 0
    return min(round(_SCALE * BYTE_COST * size_of(term.type)), _NEVER)


class _Network:
    """Capacities between numbered nodes; 0 is the source, 1 the sink."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.capacity: dict[tuple[int, int], int] = {}

    def edge(self, a: int, b: int, capacity: int) -> None:
        """One edge more."""
        self.capacity[a, b] = capacity

    def cut(self) -> list[bool]:
        """For each node whether it is on the source's side of the smallest minimum cut."""
        import numpy as np
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import maximum_flow

        ends = np.array(list(self.capacity), dtype=np.int32).reshape(-1, 2)
        sizes = np.array(list(self.capacity.values()), dtype=np.int32)
        graph = csr_matrix((sizes, (ends[:, 0], ends[:, 1])), shape=(self.nodes, self.nodes))
        left = (graph - maximum_flow(graph, 0, 1).flow).tocsr()
        reached = [False] * self.nodes
        reached[0] = True
        queue = deque([0])
        while queue:
            node = queue.popleft()
            row = slice(left.indptr[node], left.indptr[node + 1])
            for other, room in zip(left.indices[row], left.data[row], strict=True):
                if room > 0 and not reached[other]:
                    reached[other] = True
                    queue.append(int(other))
        return reached
