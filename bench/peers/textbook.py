"""Plain reverse mode over the program with every operation shared, and no algebra.

What a careful person writes first: one backward sweep per output; second derivatives by a
sweep over each entry of the gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..workloads import Workload
from .protocol import Emitted
from .trace import Graph, Symbol, name_of, needed, statements, traced


def emit(workload: Workload, dtype: str) -> Emitted:
    graph, given, found = traced(workload)
    p, cotangents = given[: workload.n_p], given[workload.n_p + workload.n_c :]
    if workload.kind == "vjp":
        total = graph.number(0.0)
        for cotangent, out in zip(cotangents, found, strict=True):
            total = total + cotangent * out
        found = [total]
    results = [entry for out in found for entry in gradient(graph, out, p)]
    if workload.kind == "gradhess":
        rows = [gradient(graph, entry, p) for entry in results[: len(p)]]
        results += [rows[i][j] for i in range(len(p)) for j in range(i, len(p))]
    lines = [f"const T t{k} = {text};" for k, text in statements(graph, results)]
    lines += [f"out_{k} = {name_of(result)};" for k, result in enumerate(results)]
    return Emitted("\n".join(lines))


def gradient(graph: Graph, out: Symbol, wrt: Sequence[Symbol]) -> list[Symbol]:
    """d out / d wrt, by one sweep from the last node to the first."""
    bars: dict[int, Symbol] = {out.index: graph.number(1.0)}
    for index in sorted(needed(graph, [out]), reverse=True):
        op, *operands = graph.nodes[index]
        if op in ("input", "number") or index not in bars:
            continue
        args = [Symbol(graph, k) for k in operands]
        parts = PARTIALS[op](bars[index], Symbol(graph, index), *args)
        for arg, part in zip(args, parts, strict=True):
            if arg.value is None:
                bars[arg.index] = bars[arg.index] + part if arg.index in bars else part
    return [bars.get(x.index, graph.number(0.0)) for x in wrt]


def _where(g: Symbol, a: Symbol, b: Symbol, one: bool) -> Symbol:
    """g where a < b (one) or where not, else 0."""
    return g.graph.apply("where", a, b, *((g, 0.0) if one else (0.0, g)))


def _call(name: str, *args: Symbol) -> Symbol:
    return args[0].graph.apply(name, *args)


# g: the cotangent of y; what it adds to those of the operands.
PARTIALS: dict[str, Callable[..., tuple[Symbol, ...]]] = {
    "add": lambda g, y, a, b: (g, g),
    "sub": lambda g, y, a, b: (g, -g),
    "mul": lambda g, y, a, b: (g * b, g * a),
    "div": lambda g, y, a, b: (g / b, -(g / b) * y),
    "neg": lambda g, y, a: (-g,),
    "sin": lambda g, y, a: (g * _call("cos", a),),
    "cos": lambda g, y, a: (-(g * _call("sin", a)),),
    "exp": lambda g, y, a: (g * y,),
    "log": lambda g, y, a: (g / a,),
    "sqrt": lambda g, y, a: (g * 0.5 / y,),
    "tanh": lambda g, y, a: (g * (1.0 - y * y),),
    "atan2": lambda g, y, a, b: (g * b / (a * a + b * b), -(g * a / (a * a + b * b))),
    "max": lambda g, y, a, b: (_where(g, a, b, False), _where(g, a, b, True)),
    "min": lambda g, y, a, b: (_where(g, a, b, True), _where(g, a, b, False)),
    "where": lambda g, y, a, b, u, v: (
        g.graph.number(0.0),
        g.graph.number(0.0),
        g.graph.apply("where", a, b, g, 0.0),
        g.graph.apply("where", a, b, 0.0, g),
    ),
}
