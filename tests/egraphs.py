"""E-graphs for tests of extraction: from rows, and of random gradient programs."""

from __future__ import annotations

import random

from egad.rewrite.egraph.graph import EGraphTable
from egad.terms.types import Scalar

COST = {
    **dict.fromkeys(("add", "sub", "mul", "neg", "fma"), 1.0),
    **dict.fromkeys(("var", "const"), 0.0),
    **{"rcp": 5.0, "rsqrt": 6.0, "div": 8.0, "sqrt": 8.0, "sin": 20.0, "cos": 20.0},
}


def table(rows, roots):
    """Rows are (class, cost, classes of the arguments)."""
    owner, costs, children = zip(*rows, strict=True)
    return EGraphTable(
        heads=[("op", i, Scalar.F32) for i in range(len(rows))],
        children=[tuple(args) for args in children],
        owner=list(owner),
        classes=1 + max(owner),
        costs=[float(cost) for cost in costs],
        roots=list(roots),
    )


class Builder:
    """A hash-consed e-graph that grows alternatives: enough of an e-graph for tests."""

    def __init__(self):
        self.ops, self.children, self.owner = [], [], []
        self.known, self.members = {}, []

    def alternative(self, cls, op, *args):
        key = (op, args)
        if key not in self.known:
            self.known[key] = cls
            self.members[cls].append(len(self.ops))
            self.ops.append(op)
            self.children.append(args)
            self.owner.append(cls)
        return self.known[key]

    def node(self, op, *args):
        if (op, args) in self.known:
            return self.known[op, args]
        self.members.append([])
        return self.alternative(len(self.members) - 1, op, *args)

    def found(self, cls, op):
        return [self.children[n] for n in self.members[cls][:6] if self.ops[n] == op]

    def grow(self, limit, passes=3):
        """Commuted, negated, factored, fused and reassociated forms; cycles come with neg."""
        for _ in range(passes):
            for n in range(len(self.ops)):
                if len(self.ops) < limit:
                    self.rewrite(self.owner[n], self.ops[n], self.children[n])

    def rewrite(self, cls, op, args):
        alternative, node = self.alternative, self.node
        if op in ("add", "mul"):
            alternative(cls, op, args[1], args[0])
        if op == "sub":
            alternative(cls, "add", args[0], node("neg", args[1]))
            alternative(cls, "neg", node("sub", args[1], args[0]))
        if op == "neg":
            alternative(args[0], "neg", cls)
            for a, b in self.found(args[0], "mul"):
                alternative(cls, "mul", node("neg", a), b)
        if op == "add":
            for a, b in self.found(args[0], "mul"):
                alternative(cls, "fma", a, b, args[1])
                for c, d in self.found(args[1], "mul"):
                    if a == c:
                        alternative(cls, "mul", a, node("add", b, d))
        if op == "mul" and len(self.members[cls]) < 6:
            for a, b in self.found(args[1], "mul"):
                if cls not in (a, b):
                    alternative(cls, "mul", node("mul", args[0], a), b)
        if op == "div":
            alternative(cls, "mul", args[0], node("rcp", args[1]))
        if op == "sqrt":
            alternative(cls, "mul", args[0], node("rsqrt", args[0]))
            alternative(node("rcp", cls), "rsqrt", args[0])

    def table(self, roots):
        names = [op.split(":")[0] for op in self.ops]
        return EGraphTable(
            [(name, op, Scalar.F32) for name, op in zip(names, self.ops, strict=True)],
            self.children,
            self.owner,
            len(self.members),
            [COST[name] for name in names],
            list(roots),
        )


def gradient(seed, length, limit):
    """The e-graph of the reverse-mode gradient of a random straight-line program."""
    rng, b = random.Random(seed), Builder()
    inputs = [b.node(f"var:{i}") for i in range(6)]
    two, values, tape = b.node("const:2"), list(inputs), []
    for _ in range(length):
        op = rng.choices(("add", "sub", "mul", "div", "sqrt", "sin"), (5, 3, 8, 2, 1, 1))[0]
        args = tuple(rng.choices(values[-12:], k=1 if op in ("sqrt", "sin") else 2))
        values.append(b.node(op, *args))
        tape.append((op, args, values[-1]))
    bar = {values[-1]: b.node("var:g")}

    def accumulate(cls, term):
        bar[cls] = b.node("add", bar[cls], term) if cls in bar else term

    for op, args, value in reversed(tape):
        if value not in bar:
            continue
        g, x, y = bar[value], args[0], args[-1]
        if op in ("add", "sub"):
            accumulate(x, g)
            accumulate(y, g if op == "add" else b.node("neg", g))
        elif op == "mul":
            accumulate(x, b.node("mul", g, y))
            accumulate(y, b.node("mul", g, x))
        elif op == "div":
            accumulate(x, b.node("div", g, y))
            accumulate(y, b.node("neg", b.node("div", b.node("mul", g, value), y)))
        elif op == "sqrt":
            accumulate(x, b.node("div", g, b.node("mul", two, value)))
        else:
            accumulate(x, b.node("mul", g, b.node("cos", x)))
    b.grow(limit)
    return b.table([bar[v] for v in inputs if v in bar])
