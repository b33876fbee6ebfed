"""Runs a workload's function on symbols and keeps what it does, each distinct operation once.

For peers that read source text, and for the plain reverse mode of textbook.py. Knows no
algebra; only numbers among themselves are computed, and literal zeros and ones folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..workloads import Workload

Key = tuple[Any, ...]
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
FUNCTIONS = {"min": "fmin", "max": "fmax"}


@dataclass
class Graph:
    """Nodes in the order of computing: an operator and the numbers of its operands."""

    nodes: list[Key] = field(default_factory=list)
    known: dict[Key, int] = field(default_factory=dict)

    def node(self, *key: Any) -> Symbol:
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(key)
        return Symbol(self, self.known[key])

    def number(self, value: Any) -> Symbol:
        return value if isinstance(value, Symbol) else self.node("number", float(value))

    def apply(self, op: str, *operands: Any) -> Symbol:
        """The operation on symbols and numbers, less what zeros and ones make needless."""
        given = [self.number(x) for x in operands]
        return _folded(op, given) or self.node(op, *(x.index for x in given))


@dataclass(frozen=True)
class Symbol:
    """A node of a graph, with Python's operators."""

    graph: Graph = field(repr=False)
    index: int

    @property
    def value(self) -> float | None:
        op, *operands = self.graph.nodes[self.index]
        return operands[0] if op == "number" else None

    def __add__(self, other: Any) -> Symbol:
        return self.graph.apply("add", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return self.graph.apply("add", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return self.graph.apply("sub", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return self.graph.apply("sub", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return self.graph.apply("mul", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return self.graph.apply("mul", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return self.graph.apply("div", self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self.graph.apply("div", other, self)

    def __neg__(self) -> Symbol:
        return self.graph.apply("neg", self)


class Mathematics:
    """The functions that workloads call, as nodes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __getattr__(self, name: str) -> Callable[..., Symbol]:
        return lambda *operands: self._graph.apply(name, *operands)


def traced(workload: Workload) -> tuple[Graph, list[Symbol], list[Symbol]]:
    """The graph, its inputs (p, c, cotangents) and the outputs of the workload's function."""
    graph = Graph()
    given = [graph.node("input", k) for k in range(workload.n_in)]
    p, c = given[: workload.n_p], given[workload.n_p : workload.n_p + workload.n_c]
    found = workload.function(Mathematics(graph), p, c)
    return graph, given, [graph.number(out) for out in found]


def statements(
    graph: Graph, outputs: Sequence[Symbol], number: Callable[[float], str] = repr
) -> Iterator[tuple[int, str]]:
    """The index of a node and its expression in C, for all that the outputs need, in order."""
    names = {}
    for index in sorted(needed(graph, outputs)):
        op, *operands = graph.nodes[index]
        if op == "input":
            names[index] = f"in_{operands[0]}"
        elif op == "number":
            text = number(operands[0])
            names[index] = f"({text})" if text.startswith("-") else text
        else:
            names[index] = f"t{index}"
            yield index, _expression(op, [names[k] for k in operands])


def name_of(symbol: Symbol) -> str:
    """What `statements` calls a node."""
    op, *operands = symbol.graph.nodes[symbol.index]
    return {"input": f"in_{operands[0]}", "number": repr(operands[0])}.get(op, f"t{symbol.index}")


def needed(graph: Graph, outputs: Iterable[Symbol]) -> set[int]:
    found: set[int] = set()
    pending = [out.index for out in outputs]
    while pending:
        index = pending.pop()
        if index not in found:
            found.add(index)
            op, *operands = graph.nodes[index]
            pending += operands if op not in ("input", "number") else ()
    return found


def _expression(op: str, names: Sequence[str]) -> str:
    if op in SIGNS:
        return f"{names[0]} {SIGNS[op]} {names[1]}"
    if op == "neg":
        return f"-{names[0]}"
    if op == "where":
        return f"{names[0]} < {names[1]} ? {names[2]} : {names[3]}"
    return f"{FUNCTIONS.get(op, op)}({', '.join(names)})"


def _folded(op: str, given: Sequence[Symbol]) -> Symbol | None:
    values = [x.value for x in given]
    if None not in values and op in SIGNS:
        a, b = values
        assert a is not None and b is not None
        results = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b if b else float("nan")}
        return given[0].graph.number(results[op])
    if op == "neg" and values[0] is not None:
        return given[0].graph.number(-values[0])
    if op in ("add", "mul"):
        unit = 0.0 if op == "add" else 1.0
        for one, other in ((0, 1), (1, 0)):
            if values[one] == unit:
                return given[other]
            if op == "mul" and values[one] == 0.0:
                return given[one]
    if (op, values[-1]) in (("sub", 0.0), ("div", 1.0)):
        return given[0]
    if op == "div" and values[0] == 0.0:
        return given[0]
    return None
