"""Strong components and connected parts: takes lists of successors, knows nothing of e-graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def strong_components(successors: Sequence[Sequence[int]]) -> list[int]:
    """A label per vertex: two vertices lie on a common cycle iff their labels are equal.

    >>> a, b, c = strong_components([[1], [0], [0]])
    >>> a == b != c
    True
    """
    size = len(successors)
    label, index, low = [-1] * size, [-1] * size, [0] * size
    found: list[int] = []
    counter = labels = 0
    for start in range(size):
        if index[start] >= 0:
            continue
        index[start] = low[start] = counter
        counter += 1
        found.append(start)
        path = [(start, iter(successors[start]))]
        while path:
            vertex, rest = path[-1]
            for other in rest:
                if index[other] < 0:
                    index[other] = low[other] = counter
                    counter += 1
                    found.append(other)
                    path.append((other, iter(successors[other])))
                    break
                if label[other] < 0 and index[other] < low[vertex]:
                    low[vertex] = index[other]
            else:
                path.pop()
                if path and low[vertex] < low[path[-1][0]]:
                    low[path[-1][0]] = low[vertex]
                if low[vertex] == index[vertex]:
                    while label[vertex] < 0:
                        label[found.pop()] = labels
                    labels += 1
    return label


def parts(size: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The vertices `0 .. size - 1` grouped by undirected connection, in order of their least.

    >>> parts(4, [(0, 2)])
    [[0, 2], [1], [3]]
    """
    parent = list(range(size))
    for a, b in edges:
        while parent[a] != a:
            parent[a] = a = parent[parent[a]]
        while parent[b] != b:
            parent[b] = b = parent[parent[b]]
        parent[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = {}
    for vertex in range(size):
        root = vertex
        while parent[root] != root:
            parent[root] = root = parent[parent[root]]
        groups.setdefault(root, []).append(vertex)
    return list(groups.values())
