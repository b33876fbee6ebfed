"""Random programs whose helper returns objects from its loop, which are written to afterwards."""

import random

HEAD = """from egad import struct


@struct
class P:
    x: float
    y: float


@struct
class Q:
    p: P
    k: float


def find(p, q, ps, h, v):
"""
START = """

def f(a: float, b: float):
    s, t = P(a, 1.0), P(b, 2.0)
    ps = [P(0.5, a), P(1.5, b), s]
    h = Q(t, b)
"""
NUMBERS = ["p.x", "q.x", "p.y", "q.y", "h.p.x", "ps[k % 3].x", "ps[1].y", "v", "0.5 * k", "h.k"]
OBJECTS = ["p", "q", "ps[k % 3]", "ps[0]", "h.p", "cur", "ps[int(v) % 3]"]
PLACES = ["p.x", "q.y", "cur.y", "ps[k % 3].y", "h.p.y", "h.k"]
RESULTS = ["r.x", "r.y", "s.x", "s.y", "t.x", "t.y", "ps[0].y", "ps[1].y", "ps[1].x"]
RESULTS += ["h.p.y", "h.p.x", "h.k"]
FORMS = {"object": ("{}", ""), "tuple": ("{}, {}", "[0]"), "holder": ("Q({}, v)", ".p")}


class Writer:
    """One program: what its helper returns has one form."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.form, self.way = FORMS[self.pick(list(FORMS))]

    def chance(self, part):
        return self.random.random() < part

    def number(self):
        return self.pick(NUMBERS)

    def object(self):
        if self.chance(0.15):
            return f"P({self.number()}, v)"
        if self.chance(0.15):
            return f"(p if {self.number()} > {self.number()} else q)"
        return self.pick(OBJECTS)

    def returned(self):
        return "return " + self.form.format(*(self.object() for _ in range(self.form.count("{}"))))

    def block(self, indent):
        lines = []
        for _ in range(self.random.randint(1, 4)):
            lines += self.statement(indent)
        return lines

    def statement(self, indent):
        kind = self.random.random()
        if kind < 0.3:
            return [
                f"{indent}if {self.number()} > {self.number()}:",
                f"{indent}    {self.returned()}",
            ]
        if kind < 0.5:
            return [f"{indent}{self.pick(PLACES)} += {self.number()} * 0.1"]
        if kind < 0.65:
            return [f"{indent}cur = {self.object()}"]
        if kind < 0.75:
            test = f"{indent}if {self.number()} > {self.number()}:"
            return [test, f"{indent}    cur = {self.object()}"]
        if kind < 0.8:
            return [f"{indent}p, q = q, p"]
        if kind < 0.85:
            return [f"{indent}h.p = {self.object()}"]
        if kind < 0.9 and len(indent) < 9:
            return [f"{indent}for _ in range(3):", *self.block(indent + "    ")]
        return [f"{indent}v = v + 0.3"]

    def call(self):
        given = self.pick(["s, t", "t, s", "ps[0], t", "s, ps[1]"])
        return f"find({given}, ps, h, {self.pick(['a', 'b', '0.7'])}){self.way}"

    def program(self):
        helper = [f"    cur = {self.pick(['p', 'q', 'ps[2]'])}"]
        helper += [f"    for k in range({self.random.randint(2, 6)}):", *self.block("        ")]
        helper += ["    k = 1", f"    {self.returned()}"]
        rest = [f"    r = {self.call()}"]
        if self.chance(0.8):
            rest.append("    r.y += 10.0")
        if self.chance(0.4):
            rest.append(f"    {self.pick(['s.x', 't.y', 'ps[1].y', 'h.p.y'])} *= 3.0")
        if self.chance(0.4):
            rest += [f"    u = {self.call()}", "    u.x -= 1.0"]
        shown = self.random.sample(RESULTS, self.random.randint(3, 12))
        rest.append(f"    return {', '.join(shown)}")
        return HEAD + "\n".join(helper) + "\n" + START + "\n".join(rest) + "\n"
