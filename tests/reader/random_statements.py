"""What random programs of statements have in common: lines, blocks and loops.

Programs have two real numbers `a` and `b`; how often a loop to `n` runs only the kernel knows.
"""

from random import Random

COUNT = "n = (1 if a > 0.5 else 0) + (1 if b > 0.0 else 0) + (1 if b > a else 0)"


class Statements:
    """Lines that are written one after the other; `statement` is for who derives from this."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.counters: list[str] = []
        self.depth = 1

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def one(self, *texts: str) -> str:
        return self.random.choice(texts)

    def block(self, header: str, deep: int) -> None:
        self.line(header)
        self.depth += 1
        for _ in range(self.random.randrange(1, 4)):
            self.statement(deep - 1)
        self.depth -= 1

    def branch(self, header: str, deep: int) -> None:
        self.block(header, deep)
        if self.random.random() < 0.5:
            self.block("else:", deep)

    def loop(self, deep: int) -> None:
        self.counters.append("ij"[len(self.counters)])
        self.block(f"for {self.counters[-1]} in range({self.one('n', 'n + 1', '3')}):", deep)
        self.counters.pop()
