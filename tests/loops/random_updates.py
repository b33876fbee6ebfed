"""Random loops whose integers, flags, lists and reals are updated in ways that can be undone.

A function multiplies `y` by numbers that follow from what its loops carry, before, between and
after the updates: so a value that was undone wrongly is a wrong gradient. Takes a source of random
choices, gives the text; knows nothing of checks, nor which updates are undone.
"""

from __future__ import annotations

import random

HEAD = """\
from math import sin

from egad import Array, max_iters, uint


def f(x: float, w: Array[float, 9], a: int, b: int, m: int, z: uint, trips: int) -> float:
"""
EXTREME = (2**31 - 1, 2**31 - 2, -(2**31), -(2**31) + 1)

#: Of an integer {n}, another one {o}; {c} is odd, {e} any number, {d} a small one, {s} and {r} are
#: shifts, {q} is what does not change, or the number of the trip.
UPDATES = (
    "{n} += {q}",
    "{n} -= {q}",
    "{n} = {q} - {n}",
    "{n} = -{n}",
    "{n} = ~{n}",
    "{n} ^= {q}",
    "{n} ^= {o}",
    "{n} += {o}",
    "{n} = {o} - {n}",
    "{n} = {n} * {c} + {q}",
    "{n} = {q} - {c} * {n}",
    "{n} *= {e}",
    "{n} = {n} + ({n} << {s})",
    "{n} = ({n} << {s}) - {n}",
    "{n} ^= {n} << {s}",
    "{n} ^= {n} >> {s}",
    "{n} ^= ({n} >> {s}) & {mask}",
    "{n} = ({n} << {s}) | (({n} >> (32 - {s})) & ((1 << {s}) - 1))",
    "{n} = ({n} * {c} + {e}) & {mask}",
    "{n} = ({n} ^ ({n} << {s})) & {mask}",
    "{n} = ({n} & {mask}) ^ (({n} & {mask}) >> {s})",
    "{n} = ({n} + {q}) & {mask}",
    "{n} = ({n} * {e} + {d}) % {size}",
    "{n} = ({n} + {d}) % {size}",
    "{n} = ({n} - {d}) % {size}",
    "{n} = ({n} + {q}) % {size}",
    "{n} = ({n} + 1) % m",
    "{n} = ({n} + {d}) % m",
    "{n} = ({n} - 1) % m",
    "{n} = ({n} + {d}) % max(m, 1)",
    "{n} = 0 if {n} == {d} else {n} + 1",
    "{n} = {d} if {n} == 0 else {n} - 1",
    "{n} = {n} - 1 if {n} > 0 else {d}",
    "{n} = {n} - 1 if {n} > 0 else m",
    "{n} = {n} - 1 if {n} > 0 else m - 1",
    "{n} = m - 1 if {n} == 0 else {n} - 1",
    "{n} = {n} + 1 if {n} < m else 0",
    "{n} = {n} + 1 if {n} < m - 1 else 0",
    "{n} = 0 if {n} + 1 >= m else {n} + 1",
    "{n} = 0 if {n} + 1 == m else {n} + 1",
    "{n} = {d} if {n} == m else {n} + 1",
    "{n} += 1\nif {n} == {d}:\n    {n} = 0",
    "{n} += 1\nif {n} == m:\n    {n} = 0",
    "{n} += 1\nif {n} > m:\n    {n} = 0",
    "{n} += 1\nif {n} >= m:\n    {n} = 0",
    "{n} += {d}\nif {n} >= {size}:\n    {n} -= {size}",
    "{n} -= {d}\nif {n} < 0:\n    {n} += {size}",
    "{n} -= 1\nif {n} < 0:\n    {n} = m - 1",
    "{n} = ({n} & 255) + {d}\nwhile {n} >= {size}:\n    {n} -= {size}",
    "{n} = min({n} + 1, {d})",
    "{n} = max({n} - 1, -{d})",
    "{n}, {o} = {o}, {n}",
    "{n}, {o} = {o}, {n} + {o}",
    "{n}, {o}, {v} = {o}, {v}, {n}",
    "{n} ^= {o}\n{o} ^= {n}\n{n} ^= {o}",
    "{n} += {o}\n{o} = {n} - {o}\n{n} -= {o}",
    "{n} ^= ({o} * {c}) >> {s}\n{o} ^= ({n} * {c}) >> {s}",
    "{n}, {o} = {o} % 13, (3 * {n} + 5 * {o}) % 13",
    "{n}, {o} = {o}, ({n} + {o}) % {size}",
    "{n}, {o} = ({n} + 1, {o}) if {o} > 0 else ({n} - 1, {o})",
    "{n} = {n} + 1 if up else {n} - 1\nif {n} == 0 or {n} == {d}:\n    up = {n} == 0",
    "{n} += 1 if up else -1\nif {n} >= {d}:\n    up = False\nif {n} <= 0:\n    up = True",
    "{n} = {n} + 1 if {n} < {o} else {n} - 1",
    "{n} = {q}",
    "{n} = {o} * {o} + {q}",
    "{n}, {o} = {o} * {o} + {n}, {n}",
    "{n} = ({n} >> 1) ^ {mask} if {n} & 1 else {n} >> 1",
    "{n} = (({n} & 255) >> 1) ^ 184 if {n} & 1 else ({n} & 255) >> 1",
    "{n} = ({n} << 1) ^ {c} if {n} < 0 else {n} << 1",
    "{n} //= {d}",
    "{n} = abs({n}) - {d}",
)
FLAGS = (
    "{u} = not {u}",
    "{u}, {t} = {t}, {u}",
    "{u} = {u} != {t}",
    "{u} = {u} != ({n} > {d})",
    "{u} = {n} & 1 == 0",
    "if {n} == {d}:\n    {u} = not {u}",
    "if {n} == 0:\n    {u} = True\nif {n} == {d}:\n    {u} = False",
    "{u} = {u} or {t}",
)
#: Of places {i} and {j} in a list {p}, of numbers or of reals.
LISTS = (
    "{p}[{i}], {p}[{j}] = {p}[{j}], {p}[{i}]",
    "h0 = {p}[{i}]\n{p}[{i}] = {p}[{j}]\n{p}[{j}] = h0",
    "{p}[0], {p}[1], {p}[2] = {p}[1], {p}[2], {p}[0]",
    "{p}[{i}] = -{p}[{i}]",
    "{p}[{i}] = {p}[{j}]",
)
WHOLE_LISTS = (
    "{p}[{i}] += {q}",
    "{p}[{i}] ^= {o}",
    "{p}[{i}] -= {n}\n{p}[{j}] += {q}",
    "{p}[{i}] = {p}[{i}] * {c} + {p}[{j}]",
    "{p}[{i}] += {p}[{j}]",
    "{p}[{i}], {p}[{j}] = {p}[{j}], {p}[{i}] + {q}",
    "{p}[{i}], {n} = {n}, {p}[{i}]",
    "{n} ^= {p}[{i}]\n{p}[{j}] += {n}",
    "{p}[{i}] = 0 if {p}[{i}] == {d} else {p}[{i}] + 1",
    "if {p}[{i}] > {p}[{j}]:\n    {p}[{i}], {p}[{j}] = {p}[{j}], {p}[{i}]",
)
REALS = (
    "{g} = 0.5 * {g}",
    "{g} *= 2.0",
    "{g} = {g} / 4",
    "{g} = -{g}",
    "{g} = 0.5 * {g} if {n} & 1 else 2.0 * {g}",
    "{g}, {h} = {h}, {g}",
    "{g}, {h} = {h}, -0.25 * {g}",
    "{g} = {g} + {g}",
    "{g} = 0.75 * {g} + 0.125",
)
UNSIGNED = (
    "u = u * {c} + {q}",
    "u ^= u << {s}",
    "u ^= u >> {s}",
    "u = (u << {s}) | (u >> (32 - {s}))",
    "u = u * 1664525 + 1013904223",
    "u = (u >> 1) ^ 0xEDB88320 if u & 1 else u >> 1",
    "u += u << {s}",
    "u = (u + {d}) % {size}",
)
_GUARDS = ("{n} & 1", "{k} % {d} == 0", "{u}", "not {u}", "{n} == {d}", "{n} < b", "a > {o}")
_GUARDS += ("{n} & 4 and {u}", "y > {real}", "{k} < b", "{n} > {o}", "{k} == {d}", "u & 2 == 0")


class Writer:
    """Writes one function, statement by statement."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.used: list[str] = []
        self.loops = 0
        self.counter = "a"

    def text(self) -> str:
        """The whole module."""
        self.line(1, f"n, t, v = {self.start()}, {self.start()}, {self.start()}")
        self.line(1, f"up, on = {self.pick(('True', 'False', 'a > b'))}, b > 0")
        self.line(1, f"g, h = {self.pick(('1.0', '0.75', '-3.0', 'x', 'w[0]'))}, 1.25")
        self.line(1, f"p = [{', '.join(self.start() for _ in range(9))}]")
        self.line(1, f"o = [{', '.join(self.start() for _ in range(self.pick((3, 4, 5))))}]")
        self.line(1, "y, u = x, z")
        for _ in range(self.pick((1, 1, 2))):
            self.loop(1)
        self.read(1)
        self.line(1, "return y")
        return HEAD + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines += ["    " * depth + part for part in text.splitlines()]

    def pick(self, choices):
        return self.rng.choice(choices)

    # -- expressions

    def start(self) -> str:
        """A number to begin with."""
        small = [str(self.rng.randrange(-3, 9)) for _ in range(4)]
        given = ("a", "b", "m", "a & 31", "a % 7", "b % 5", "a & 1023")
        # What constants alone give beyond 32 bits while reading is a real.
        far = f"{self.pick((*EXTREME[:2], EXTREME[3]))} ^ (a & 0)"
        return self.pick((*small, "0", "0", "1", *given, far))

    def words(self) -> dict[str, str]:
        """What the names in a statement stand for."""
        n, o, v = self.rng.sample("ntv", 3)
        u, t = self.rng.sample(("up", "on"), 2)
        g, h = self.rng.sample("gh", 2)
        odd = (1, 3, 5, 75, -1, -7, 1103515245, 2**31 - 1)
        numbers = {
            "c": self.pick(odd),
            "e": self.pick((*odd, 2, 4, 6, 16807, -(2**31))),
            "d": self.rng.randrange(1, 9),
            "s": self.pick((1, 2, 3, 5, 7, 13, 16, 17, 31)),
            "mask": self.pick((1, 7, 15, 255, 1023, 65535, 2**31 - 1, 12, 0x5555)),
            "size": self.pick((1, 2, 3, 7, 8, 10, 13, 64, 65537)),
            "real": self.pick((0.137, 0.471, 0.93, 1.7)),
        }
        q = self.pick(
            (self.counter, "a", "b", "m", numbers["d"], numbers["e"], f"{self.counter} * b")
        )
        names = {"n": n, "o": o, "v": v, "u": u, "t": t, "g": g, "h": h, "q": q, "k": self.counter}
        return {k: str(word) for k, word in (names | numbers).items()}

    def place(self, size: int) -> str:
        k = self.counter
        inside = (f"({k} + {self.rng.randrange(size)}) % {size}", f"{self.pick('ntv')} % {size}")
        return self.pick((str(self.rng.randrange(size)), f"{k} % {size}", *inside, f"a % {size}"))

    def hashed(self, n: str) -> str:
        """A small number of which a whole one decides all bits."""
        return f"({n} % 1021)"

    # -- statements

    def loop(self, depth: int) -> None:
        """A loop, of one of several heads, with updates and what reads them."""
        self.loops += 1
        k = "k" if self.loops == 1 else f"k{self.loops}"
        outer, self.counter = self.counter, k
        most = self.pick((13, 13, 40)) if depth == 1 else self.pick((3, 6))
        head = self.rng.randrange(7)
        if head == 0:
            self.line(depth, f"for {k} in range({self.pick((1, 2, most))}):")
        elif head == 1:
            self.line(
                depth, f"for {k} in range({most}, {self.pick((0, 3))}, -{self.pick((1, 2))}):"
            )
        elif head == 2:
            self.line(depth, f"max_iters({most})\nfor {k} in range(min(trips, {most})):")
        elif head == 3:
            self.line(depth, f"{k} = 0\nmax_iters({most})\nwhile {k} < {most} and {k} < trips:")
            self.line(depth + 1, f"{k} += 1")
        elif head == 4:
            step = self.pick(("", "", ", 1", ", 2", ", 1 + (b & 1)"))
            self.line(depth, f"max_iters({most})")
            self.line(depth, f"for {k} in range(b & 31, (b & 31) + a % {most + 1}{step}):")
        else:
            self.line(depth, f"for {k} in range(min(trips, {most})):")
        self.body(depth + 1)
        self.counter = outer

    def body(self, depth: int) -> None:
        self.read(depth)
        for _ in range(self.pick((1, 1, 2, 3, 4))):
            roll = self.rng.randrange(16)
            if roll == 0:
                word = self.pick(("break", "continue", "continue"))
                self.line(depth, f"if {self.guard()}:\n    {word}")
            elif roll == 1 and depth < 4 and self.loops < 4:
                self.loop(depth)
            elif roll < 5:
                self.line(depth, f"if {self.guard()}:")
                self.update(depth + 1)
                if self.rng.randrange(2):
                    self.line(depth, "else:")
                    self.update(depth + 1)
            else:
                self.update(depth)
            if self.rng.randrange(4) == 0:
                self.read(depth)

    def guard(self) -> str:
        return self.pick(_GUARDS).format(**self.words())

    def update(self, depth: int) -> None:
        """One update of something that the loops carry."""
        words = self.words()
        roll = self.rng.randrange(20)
        if roll < 12:
            group = UPDATES
        elif roll < 14:
            group = FLAGS
        elif roll < 17:
            name, size = self.pick((("p", 9), ("p", 9), ("o", 3), ("w", 9)))
            words |= {"p": name, "i": self.place(size), "j": self.place(size)}
            group = LISTS if name == "w" or self.rng.randrange(3) == 0 else WHOLE_LISTS
        elif roll < 19:
            group = REALS
        else:
            group = UNSIGNED
        text = self.pick(group)
        self.used.append(text)
        self.line(depth, text.format(**words))

    def read(self, depth: int) -> None:
        """What is carried decides what `y` is multiplied by, or what is added to it."""
        whole = self.rng.sample(
            ("n", "t", "v", "u", f"p[{self.place(9)}]", f"o[{self.place(3)}]"), 2
        )
        more = self.pick(("(1.0 if up else 0.5)", "(1.0 if on else 0.25)", "g", "h", "w[0]"))
        more = self.pick((more, f"w[{self.place(9)}]", "1.0"))
        one, two = (self.hashed(n) for n in whole)
        grown = f"y * (1.0 + {one} / 65536.0 + {two} / 16384.0)"
        if self.rng.randrange(4) == 0:
            grown = f"0.75 * y + 0.25 * sin(y + {one} / 256.0)"
        self.line(depth, f"y = {grown} + 0.0625 * sin({more})")


def program(seed: int) -> tuple[str, list[str]]:
    """The text of one random function `f`, and the updates in it."""
    writer = Writer(random.Random(f"updates {seed}"))
    return writer.text(), writer.used
