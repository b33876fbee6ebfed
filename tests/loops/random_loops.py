"""Random functions with loops, branches, lists and structs, as Python text.

A function computes with tame operations only, so that its value and its derivatives are
numbers of ordinary size; indices stay inside their lists. Takes a source of random choices,
gives the text; knows nothing of checks.
"""

from __future__ import annotations

import random

HEAD = """\
from math import cos, exp, log, sin, sqrt, tanh

from egad import Array, copy, float2, max_iters, struct


@struct
class State:
    u: float
    v: float2
    n: int
    m: int


def helper(x: float, k: int) -> float:
    for i in range(3):
        if x > 1.5:
            return x - 0.25 * i
        x = x * 1.25 + 0.1 * k
    return x


def f(x: float, y: float, w: Array[float, {size}], n: int) -> float:
"""
_FUNCTIONS = ("sin({})", "cos({})", "tanh({})", "exp(-{0} * {0})", "sqrt({0} * {0} + 0.5)")


class Writer:
    """Writes one function, statement by statement."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.more = random.Random(rng.getstate()[1][0])  # what came later draws from its own
        self.size = rng.choice((3, 4, 9))
        self.lines: list[str] = []
        self.counters: list[str] = []
        self.loops = self.names = 0
        self.budget = rng.randrange(5, 12)

    def text(self) -> str:
        """The whole module."""
        self.line(1, "s = State(x, float2(y, 0.5), 0, n)")
        self.line(1, "a, b = x, 0.25")
        self.line(1, "o = [0.5 * e for e in w]")
        while self.budget > 0:
            self.statement(1)
        index = self.rng.randrange(self.size)
        self.line(1, f"return a + b * s.u + s.v.x * s.v.y + w[{index}] * w[n] + 0.125 * s.n")
        return HEAD.format(size=self.size) + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # -- expressions

    def whole(self) -> str:
        """An integer expression."""
        parts = [*self.counters, "n", "s.n", "s.m", str(self.rng.randrange(1, 4))]
        a, b = (self.rng.choice(parts) for _ in range(2))
        return self.rng.choice((a, f"({a} + {b})", f"({a} * 2 + 1)", f"({a} - {b})"))

    def index(self) -> str:
        plain = self.rng.choice([*self.counters, "n"])
        return self.rng.choice(
            (f"({plain} + {self.whole()}) % {self.size}", f"{plain} % {self.size}")
        )

    def atom(self) -> str:
        roll = self.rng.randrange(10)
        if roll < 5:
            return self.rng.choice(("x", "y", "a", "b", "s.u", "s.v.x", "s.v.y"))
        if roll < 7:
            return f"{self.rng.choice('wwo')}[{self.index()}]"
        if roll < 8 and self.counters:
            return f"0.1 * {self.rng.choice(self.counters)}"
        return str(self.rng.choice((0.5, 0.75, -0.3, 1.25)))

    def value(self) -> str:
        """A real expression of moderate size."""
        a, b = self.atom(), self.atom()
        roll = self.rng.randrange(8)
        if roll < 2:
            return f"tanh({a} + {b})"
        if roll < 4:
            return (
                self.rng.choice(_FUNCTIONS).format(f"({a})") + f" * {self.rng.choice((0.5, 0.9))}"
            )
        if roll < 5:
            return f"0.5 * ({a}) - 0.25 * ({b})"
        if roll < 6:
            return f"tanh({a}) if {self.test()} else {b} * 0.5"
        if roll < 7:
            return f"tanh(helper(tanh({a}), {self.rng.choice([*self.counters, 'n'])} % 3))"
        return f"sin(({a}) * ({b}))"

    def test(self) -> str:
        roll = self.rng.randrange(6)
        if roll < 2 and self.counters:
            return f"{self.whole()} % {self.rng.choice((2, 3))} == {self.rng.randrange(2)}"
        return f"{self.atom()} {self.rng.choice('<>')} {self.rng.choice((0.137, 0.471, -0.213))}"

    # -- statements

    def statement(self, depth: int) -> None:
        """One statement, with everything inside it."""
        self.budget -= 1
        roll = self.rng.randrange(100)
        if roll < 26 and self.loops < 4 and len(self.counters) < 3:
            self.loop(depth)
        elif roll < 40 and depth < 5:
            self.branch(depth)
        elif roll < 46 and self.counters:
            self.leave(depth)
        else:
            self.assign(depth)

    def body(self, depth: int) -> None:
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(depth)

    def loop(self, depth: int) -> None:
        self.loops += 1
        name = "ijklm"[self.loops - 1]
        roll = self.rng.randrange(5)
        if roll == 0:
            self.line(depth, f"{name} = {self.rng.randrange(3)}")
            self.line(depth, f"while {name} < {self.rng.randrange(3, 6)}:")
            self.line(depth + 1, f"{name} += {self.rng.randrange(1, 3)}")
        elif roll == 1:
            self.line(depth, "max_iters(9)")
            self.line(depth, f"for {name} in range(n + {self.rng.randrange(1, 4)}):")
        elif roll == 2:
            start = self.rng.randrange(3, 6)
            self.line(depth, f"for {name} in range({start}, 0, -{self.rng.randrange(1, 3)}):")
        else:
            self.line(depth, f"for {name} in range({self.rng.randrange(2, 6)}):")
        self.counters.append(name)
        if self.rng.randrange(5) == 0:
            self.line(depth + 1, "w, o = o, w")
        self.rng, self.more = self.more, self.rng
        if self.rng.randrange(4) == 0:
            self.made_anew(depth + 1)
        self.rng, self.more = self.more, self.rng
        self.assign(depth + 1)
        self.body(depth + 1)
        self.counters.pop()
        if self.rng.randrange(5) == 0:
            self.line(depth, "else:")
            self.assign(depth + 1)

    def mix(self, depth: int) -> None:
        """An update that can be undone, mostly; what wraps is masked."""
        n, m = self.more.choice((("s.n", "s.m"), ("s.m", "s.n")))
        shift = self.more.randrange(1, 4)
        updates = [
            f"{n} = {n} + 1",
            f"{n} = 5 - {n}",
            f"{n} = {n} ^ 3",
            f"{n} = ({n} * 5 + 3) & 15",
            f"{n} = ({n} ^ ({n} << {shift})) & 15",
            f"{n} = ({n} & 15) ^ (({n} & 15) >> {shift})",
            f"{n} ^= ({n} >> {shift}) & 1",
            f"{n} = ({n} + ({n} << {shift})) & 15",
            f"{n} = (({n} << {shift}) | ({n} >> {4 - shift})) & 15",
            f"{n} = ({n} + {shift}) % 7",
            f"{n} = {n} ^ (({m} * {m} + {shift}) & 7)",
            f"{n} = ({n} + {m}) & 15",
            f"{n} = ~{n}",
            f"{n}, {m} = {m}, {n}",
            f"{n} = ({n} * 3 + 1) % 11",
            f"{n} = ({n} + 1) % (n + 2)",
            f"{n} = 0 if {n} == n + 2 else {n} + 1",
            f"{n} = {n} + 1 if {n} + 1 < n + 3 else 0",
            f"{n}, {m} = {m} % 13, (3 * {n} + 5 * {m}) % 13",
            f"{n}, {m} = ({n} + 1, {m}) if {m} > 0 else ({n} - 1, {m})",
            f"{m} = 0 if {n} == {shift} else 1 if {n} == 0 else {m}",
            "s.u, a = a, tanh(a - 0.5 * s.u)",
        ]
        self.line(depth, self.more.choice(updates))

    def made_anew(self, depth: int) -> None:
        """A list that every trip makes, changes and reads."""
        made = self.rng.choice(("copy(w)", f"[{self.atom()}] * {self.size}"))
        self.line(depth, f"c = {made}")
        self.line(depth, f"c[{self.index()}] = {self.value()}")
        self.line(depth, f"a = tanh(a + c[{self.index()}])")

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.body(depth + 1)
        if self.rng.randrange(2):
            self.line(depth, "else:")
            self.body(depth + 1)

    def leave(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}:")
        word = self.rng.choice(("break", "continue", "continue", f"return {self.value()}"))
        self.line(depth + 1, word)

    def assign(self, depth: int) -> None:
        roll = self.rng.randrange(12)
        if roll < 4:
            self.line(depth, f"{self.rng.choice('ab')} = {self.value()}")
        elif roll < 6:
            self.line(depth, f"w[{self.index()}] = {self.value()}")
        elif roll < 8:
            self.line(depth, f"s.u = {self.value()}")
        elif roll < 9:
            self.line(depth, f"s.v.{self.rng.choice('xy')} = {self.value()}")
        elif roll < 10:
            self.line(depth, f"s.v = s.v.yx * 0.5 + float2({self.atom()}, 0.25)")
        elif roll < 11:
            self.mix(depth)
        else:
            self.line(depth, "s = copy(s)")


def program(seed: int) -> str:
    """The text of one random function `f`, and what it needs."""
    return Writer(random.Random(seed)).text()
