"""Random programs over arrays that share memory, over objects with operators, over ways out.

Takes a seed, gives the text of a module with `f(a, b)`; seeds go through the three grammars by
turns (mixed_grammars.py). Of some loops only the kernel knows how often they run.
"""

import re
from collections.abc import Mapping

from mixed_grammars import ARRAYS, OBJECTS, WAYS
from random_statements import COUNT, Statements


def _read(grammar: str) -> Mapping[str, list[str]]:
    """The forms of each kind: a line `kind: form | form`, and indented ones that go on."""
    lines = re.sub(r"\n +", " ", grammar.strip()).splitlines()
    return {kind: forms.split(" | ") for kind, _, forms in (line.partition(": ") for line in lines)}


_KINDS = [(head, _read(grammar)) for head, grammar in (ARRAYS, OBJECTS, WAYS)]


class Writer(Statements):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.head, self.forms = _KINDS[seed % len(_KINDS)]

    def program(self) -> str:
        """The text of a module."""
        self.line(COUNT)
        for _ in range(self.random.randrange(3, 7)):
            self.statement(3)
        self.line(f"return {self.forms['result'][0]}")
        return self.head.lstrip() + "\n".join(self.lines) + "\n"

    def form(self, kind: str, deep: int = 2) -> str:
        """An expression of a kind: of its forms, those without parts where it is deep."""
        if kind == "counter":
            return self.one(*self.counters or ("n",))
        forms = self.forms[kind]
        if deep <= 0:
            forms = [form for form in forms if "<" not in form]
        return self.filled(self.one(*forms), deep - 1)

    def filled(self, text: str, deep: int = 2) -> str:
        return re.sub(r"<(\w+)>", lambda found: self.form(found[1], deep), text)

    def statement(self, deep: int) -> None:
        draw = self.random.random()
        if draw < 0.65 or deep == 0:
            self.line(self.form("do"))
        elif draw < 0.8:
            self.branch(self.filled("if <c>:"), deep)
        elif draw < 0.88 and "raised" in self.forms:
            self.trial(deep)
        elif len(self.counters) < 2:
            self.loop(deep)
        else:
            self.line(self.form("do"))

    def trial(self, deep: int) -> None:
        """Something raises in a `try`, whose handler may leave the loop around it."""
        left = ["left"] if self.counters else []
        parts = [("try:", ["do", "raised", "do"]), ("except ValueError:", ["do", *left])]
        parts += [("except ZeroDivisionError:", ["do"])]
        if self.random.random() < 0.4:
            parts += [("else:", ["nested", *left])]
        if self.random.random() < 0.6:
            parts += [("finally:", ["do"])]
        for header, kinds in parts:
            self.line(header)
            self.depth += 1
            for kind in kinds:
                if kind == "nested" and deep > 1:
                    self.trial(deep - 2)
                else:
                    self.line(self.form("do" if kind == "nested" else kind))
            self.depth -= 1
