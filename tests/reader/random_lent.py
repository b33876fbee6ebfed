"""Random programs over vectors in lists: read, changed, replaced, exchanged, by many names."""

import random

HEAD = """from egad import float2


def f(a, b):
    ps = [float2(a + i, b * i) for i in range(8)]
    qs = [float2(b - i, a * i) for i in range(8)]
    g = [[float2(a + i, b * c) for c in range(3)] for i in range(4)]
    k, j = int(abs(a) * 3.0) % 4, int(abs(b) * 3.0) % 4
    m, n = k % 3, j % 3
    p, q, r = ps[k], ps[j], qs[1]
"""
TAIL = """    t = sum(v.x * (i + 1.0) + v.y * (i + 3.0) for i, v in enumerate(ps))
    t += sum(v.x * v.y for v in qs) + sum(v.x * v.y for row in g for v in row)
    return t, p.x - p.y, q.x - q.y
"""


class Writer:
    """One program, statement by statement."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.counters = []

    def program(self):
        self.block(1, self.random.randrange(4, 9))
        return HEAD + "\n".join(self.lines) + "\n" + TAIL

    def block(self, depth, count):
        for _ in range(count):
            self.statement(depth)

    def element(self):
        pick = self.random.choice
        index = pick(["k", "j", "1", "3", *self.counters, *self.counters])
        return pick([f"ps[{index}]", f"ps[{index}]", f"qs[{index}]", f"g[{index}][{pick('mn01')}]"])

    def name(self):
        return self.random.choice("pqr")

    def vector(self):
        return self.name() if self.random.random() < 0.4 else self.element()

    def number(self):
        pick = self.random.choice
        return pick([f"{self.vector()}.x", f"{self.vector()}.y", "a", "b", "0.5"])

    def condition(self):
        return self.random.choice(["a > b", "b > 0.3", f"{self.vector()}.x > 2.0"])

    def statement(self, depth):
        write = self.random.choice(
            [self.read, self.read, self.change, self.change, self.change, self.replace]
            + [self.exchange, self.choose]
            + ([self.branch, self.loop] if depth < 3 else [])
        )
        write(depth)

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def read(self, depth):
        self.line(depth, f"{self.name()} = {self.element()}")

    def change(self, depth):
        sign = self.random.choice(["=", "+=", "*="])
        self.line(depth, f"{self.vector()}.{self.random.choice('xy')} {sign} {self.number()}")

    def replace(self, depth):
        new = f"float2({self.number()}, {self.number()})"
        self.line(depth, f"{self.element()} = {self.random.choice([new, new, self.name()])}")

    def exchange(self, depth):
        index = self.random.choice(["k", "j", *self.counters])
        self.line(depth, f"ps[{index}], ps[{index} + 1] = ps[{index} + 1], ps[{index}]")

    def choose(self, depth):
        self.line(
            depth, f"{self.name()} = {self.element()} if {self.condition()} else {self.vector()}"
        )

    def branch(self, depth):
        self.line(depth, f"if {self.condition()}:")
        self.block(depth + 1, self.random.randrange(1, 3))
        if self.random.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, self.random.randrange(1, 3))

    def loop(self, depth):
        counter = "il"[len(self.counters)]
        self.line(depth, f"for {counter} in range({self.random.choice(['3', '4', 'k', 'j + 1'])}):")
        self.counters.append(counter)
        self.block(depth + 1, self.random.randrange(1, 4))
        self.counters.pop()
