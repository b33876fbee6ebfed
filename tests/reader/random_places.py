"""Random programs over tables, in whose loops conditions say where an index is.

A branch on `i == 0` says which row `table[i]` is, or which it is not: what is read and written
there must be the same as without the branch.
"""

import random

HEAD = """from egad import float2, struct


@struct
class P:
    x: float
    y: float


def f(a: float, b: float) -> float:
"""


class Writer:
    """One program: `program()` gives its text."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.is_grid = self.rng.random() < 0.5
        sizes = [(3, 3), (4, 3), (4, 4), (5, 2), (2, 5)] if self.is_grid else [(8, 2), (9, 2)]
        self.rows, self.columns = self.rng.choice(sizes)
        self.of = self.rng.choice(("P", "float2"))

    def program(self):
        n, m, pick = self.rows, self.columns, self.rng.choice
        lines, indent = [f"for i in range({n}):"], "    "
        if self.is_grid:
            first = f"g = [[a * (i + 1) + b * j for j in range({m})] for i in range({n})]"
            total = (
                "sum(sum((k + 1) * v for k, v in enumerate(r)) * (i + 1) for i, r in enumerate(g))"
            )
            lines.append(f"    for j in range({m}):")
            indent = "        "
        else:
            first = f"g = [{self.of}(a * (i + 1), b - i) for i in range({n})]"
            total = "sum(p.x * (i + 1) + p.y * (i + 2) for i, p in enumerate(g))"
        for k in range(pick((1, 2, 3))):
            lines.append(f"{indent}{'elif' if k else 'if'} {self.condition()}:")
            lines += [f"{indent}    {self.statement()}" for _ in range(pick((1, 1, 2)))]
        if pick((True, True, False)):
            lines += [f"{indent}else:", f"{indent}    {self.statement()}"]
        if pick((True, False)):
            lines.append(indent + self.statement())
        body = [first, *lines, f"return {total}"]
        return HEAD + "".join(f"    {line}\n" for line in body)

    def condition(self):
        last = self.rows - 1
        known = ["i == 0", "i > 1", f"i < {last}", f"i == {last}", "i % 2 == 0", "i != 1"]
        both = ["j == 0", "i == j", "j > i", "i == 0 and j == 0", "j > 0 and i > 0"]
        return self.rng.choice([*known, *both] if self.is_grid else known)

    def statement(self):
        target = self.place("i", "j") if self.rng.random() < 0.6 else self.anywhere()
        factor = self.rng.choice(("a", "b", "0.25"))
        return f"{target} = 0.5 * {self.anywhere()} + {factor} * {self.anywhere()}"

    def anywhere(self):
        last = self.rows - 1
        i = self.rng.choice(("i", "i - 1", f"{last} - i", "0", f"(i + 1) % {self.rows}"))
        return self.place(i, self.rng.choice(("j", "j - 1", "0", f"{self.columns - 1} - j")))

    def place(self, i, j):
        return f"g[{i}][{j}]" if self.is_grid else f"g[{i}].{self.rng.choice('xy')}"
