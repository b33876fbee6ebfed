"""Random programs over dictionaries, lists, objects and tuples, which names share and loops change.

Takes a seed, gives the text of a module with `f(a, b)`, of which only the kernel knows how often
its loops run. Conditions choose between containers, old and new ones; keys stand in either order.
"""

from random_statements import COUNT, Statements

_HEAD = """from copy import copy
from dataclasses import dataclass, replace
from math import sin, tanh


@dataclass
class Pair:
    u: float
    v: float


def f(a: float, b: float):
"""
_BEGIN = (
    COUNT,
    'd, e = {"x": a, "y": b}, {"y": 0.5 * a, "x": b - 0.25}',
    "l, m = [a, b], [b * 0.5, 0.75]",
    "s, t, p = Pair(a, b), Pair(b, 0.3), (a, b)",
    'q, z = {"x": [a, 0.1], "y": [0.2, b]}, [{"x": a, "y": 0.4}, {"y": b, "x": 0.6}]',
)
_KINDS = {"d": "dict", "e": "dict", "l": "list", "m": "list", "s": "pair", "t": "pair"}
_KINDS |= {"p": "tuple", "q": "lists", "z": "dicts"}
_SEEN = ('d["x"]', 'd["y"]', 'e["x"]', 'e["y"]', "l[0]", "l[1]", "m[0]", "m[1]", "s.u", "s.v")
_SEEN += ("t.u", "t.v", "p[0]", "p[1]", 'q["x"][0]', 'q["x"][1]', 'q["y"][0]', 'q["y"][1]')
_SEEN += ('z[0]["x"]', 'z[0]["y"]', 'z[1]["x"]', 'z[1]["y"]')


class Writer(Statements):
    def program(self) -> str:
        """The text of a module."""
        for text in _BEGIN:
            self.line(text)
        for _ in range(self.random.randrange(3, 7)):
            self.statement(3)
        seen = (f"{place} * {2 * k + 3}" for k, place in enumerate(_SEEN))
        self.line("return " + " + ".join(seen))
        return _HEAD + "\n".join(self.lines) + "\n"

    def key(self) -> str:
        return self.one('"x"', '"y"')

    def place(self) -> str:
        """Where a number stands."""
        at = self.one("0", "1")
        return self.one(
            f"{self.one('d', 'e')}[{self.key()}]",
            f"{self.one('l', 'm')}[{at}]",
            f"{self.one('s', 't')}.{self.one('u', 'v')}",
            f"q[{self.key()}][{at}]",
            f"z[{at}][{self.key()}]",
        )

    def number(self, deep: bool = True) -> str:
        draw = self.random.random()
        if draw < 0.15:
            return self.one("a", "b", "0.5", "1.25", "p[0]", "p[1]")
        if draw < 0.2 and self.counters:
            return f"{self.one('l', 'm')}[{self.counters[-1]} % 2]"
        if draw < 0.6 or not deep:
            return self.place()
        first, second = self.number(False), self.number(False)
        return self.one(f"tanh({first} * 0.7)", f"({first} - {second} * 0.5)", f"sin({first})")

    def condition(self) -> str:
        if self.counters and self.random.random() < 0.4:
            return f"{self.one(*self.counters)} % {self.one('2', '3')} == {self.one('0', '1')}"
        return f"{self.number(False)} > {self.one('0.1', '0.4', '-0.3')}"

    def value(self, kind: str) -> str:
        """A container that a name stands for, or a new one, or one of two."""
        draw = self.random.random()
        if draw < 0.35:
            return self.one(*(name for name, its in _KINDS.items() if its == kind))
        if draw < 0.8:
            return self.new(kind)
        return f"({self.value(kind)} if {self.condition()} else {self.value(kind)})"

    def new(self, kind: str) -> str:
        number, old = self.number, self.one("d", "e")
        match kind:
            case "dict":
                made = self.entries(number(), number())
                copied = self.one(f"dict({old})", f"{{**{old}, {self.key()}: {number()}}}")
                return self.one(made, made, copied, f"z[{self.one('0', '1')}]")
            case "list":
                lent = self.one(f"{self.one('l', 'm')}[::-1]", f"q[{self.key()}]")
                return self.one(
                    f"[{number()}, {number()}]", f"[w + a for w in {self.one('l', 'm')}]", lent
                )
            case "pair":
                changed = f"replace({self.one('s', 't')}, {self.one('u', 'v')}={number()})"
                return self.one(f"Pair(v={number()}, u={number()})", changed, "copy(s)")
            case "tuple":
                return self.one(f"({number()}, {number()})", "p[::-1]")
            case "lists":
                return self.entries(self.value("list"), self.value("list"))
        return self.one(f"[{self.value('dict')}, {self.value('dict')}]", "z[::-1]")

    def entries(self, *values: str) -> str:
        keys = ['"x"', '"y"']
        self.random.shuffle(keys)
        return f"{{{keys[0]}: {values[0]}, {keys[1]}: {values[1]}}}"

    def statement(self, deep: int) -> None:
        draw = self.random.random()
        if draw < 0.3:
            name = self.one(*_KINDS)
            self.line(f"{name} = {self.value(_KINDS[name])}")
        elif draw < 0.55:
            self.line(f"{self.place()} {self.one('=', '+=', '*=')} {self.number()}")
        elif draw < 0.62:
            self.line(self.one("d, e = e, d", "l, m = m, l", "s, t = t, s"))
        elif draw < 0.7:
            each = f"for k, v in d.items(): e[k] = v * 0.5 + {self.number(False)}"
            self.line(
                self.one(each, "d.update(e)", f"for k in e: e[k] += {self.number()}", "z.reverse()")
            )
        elif draw < 0.85 and deep:
            self.branch(f"if {self.condition()}:", deep)
        elif deep and len(self.counters) < 2:
            self.loop(deep)
        else:
            self.line(f"{self.place()} = {self.number()}")
