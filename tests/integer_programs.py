"""Random functions over integers, truth values and reals, written as text.

Plain Python is the judge: its integers are counted, so that a sample that leaves 32 bits, or
divides by zero, is known and left out.
"""

import enum
import random

LIMIT = 2**31


class Colour(enum.Enum):
    RED = 0
    GREEN = 1
    BLUE = 5


class Beyond(Exception):
    """An integer left the 32 bits that kernels have."""


class Counted(int):
    """An integer that says when it leaves 32 bits."""


def _checked(name):
    compute = getattr(int, name)

    def method(self, *others):
        if any(isinstance(o, bool) for o in others):
            others = tuple(int(o) for o in others)
        result = compute(self, *others)
        if result is NotImplemented or isinstance(result, float):
            return result
        if not -LIMIT <= result < LIMIT:
            raise Beyond
        return Counted(result)

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    for _prefix in ("__", "__r"):
        setattr(Counted, f"{_prefix}{_name}__", _checked(f"{_prefix}{_name}__"))
for _name in ("neg", "abs", "invert", "pos"):
    setattr(Counted, f"__{_name}__", _checked(f"__{_name}__"))


def counted_int(value):
    """`int(value)`, as plain Python is to see it."""
    if not -LIMIT <= int(value) < LIMIT:
        raise Beyond
    return Counted(value)


class Writer:
    """Writes one function; every choice comes from the seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.ints = ["i", "j", "k"]
        self.reals = ["x", "y"]
        self.lines = []

    def integer(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return rng.choice([*self.ints, *self.ints, "b", str(rng.randint(-9, 9))])
        match rng.randrange(13):
            case 0 | 1 | 2:
                op = rng.choice("+-*")
                return f"({self.integer(depth - 1)} {op} {self.integer(depth - 1)})"
            case 3 | 4:
                op = rng.choice(["//", "%"])
                divisor = rng.choice([self.integer(depth - 1), str(rng.choice([-3, -2, 2, 3, 7]))])
                return f"({self.integer(depth - 1)} {op} {divisor})"
            case 5 | 6:
                op = rng.choice("&|^")
                return f"({self.integer(depth - 1)} {op} {self.integer(depth - 1)})"
            case 7:
                op = rng.choice(["<<", ">>"])
                places = rng.choice([str(rng.randint(0, 4)), f"({self.integer(depth - 1)} & 3)"])
                return f"({self.integer(depth - 1)} {op} {places})"
            case 8:
                return f"{rng.choice(['abs', '-', '~', 'int'])}({self.integer(depth - 1)} + 0)"
            case 9:
                word = rng.choice(["min", "max"])
                return f"{word}({self.integer(depth - 1)}, {self.integer(depth - 1)})"
            case 10:
                return f"int({self.real(depth - 1)})"
            case 11:
                word = rng.choice(["and", "or"])
                return f"({self.integer(depth - 1)} {word} {self.integer(depth - 1)})"
        a, b, c = self.integer(depth - 1), self.truth(depth - 1), self.integer(depth - 1)
        return f"({a} if {b} else {c})"

    def real(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return rng.choice([*self.reals, *self.reals, str(rng.randint(-8, 8) / 4)])
        match rng.randrange(6):
            case 0 | 1:
                op = rng.choice("+-*")
                left, right = self.real(depth - 1), self.integer(depth - 1)
                return f"({left} {op} {right})" if rng.random() < 0.5 else f"({right} {op} {left})"
            case 2:
                op = rng.choice(["//", "%"])
                return f"({self.real(depth - 1)} {op} {rng.choice(['2', '-2', '0.5', 'k'])})"
            case 3:
                return f"({self.integer(depth - 1)} / {rng.choice(['2', '-4', '8'])})"
            case 4:
                return f"float({self.integer(depth - 1)})"
        return f"({self.real(depth - 1)} {rng.choice('+-')} {self.real(depth - 1)})"

    def truth(self, depth):
        rng = self.rng
        if depth <= 0:
            return rng.choice(["b", "c is Colour.GREEN", f"{rng.choice(self.ints)} > 0"])
        op = rng.choice(["<", "<=", "==", "!=", ">", ">="])
        match rng.randrange(6):
            case 0:
                return f"({self.integer(depth - 1)} {op} {self.integer(depth - 1)})"
            case 1:
                return f"({self.real(depth - 1)} {op} {self.integer(depth - 1)})"
            case 2:
                a, b, c = (self.integer(depth - 1) for _ in range(3))
                return f"({a} <= {b} < {c})"
            case 3:
                word = rng.choice(["and", "or"])
                return f"({self.truth(depth - 1)} {word} {self.truth(depth - 1)})"
            case 4:
                return f"(not {self.integer(depth - 1)})"
        op = rng.choice(["==", "!=", "is", "is not"])
        return f"(c {op} Colour.{rng.choice(['RED', 'BLUE'])})"

    def assignment(self, indent):
        name = self.rng.choice(["n", "m"])
        op = self.rng.choice(["=", "=", "+=", "-=", "^="])
        self.lines.append(f"{indent}{name} {op} {self.integer(2)}")

    def branch(self):
        self.lines.append(f"    if {self.truth(2)}:")
        self.assignment("        ")
        self.lines.append(f"    elif {self.truth(1)}:")
        self.assignment("        ")

    def match(self):
        rng = self.rng
        whole = rng.random() < 0.7
        subject = self.integer(2)
        self.lines.append(f"    match {subject if whole else f'({subject}, c)'}:")
        for _ in range(rng.randint(1, 3)):
            numbers = " | ".join(str(n) for n in rng.sample(range(-4, 9), rng.randint(1, 3)))
            member = rng.choice(["_", "Colour.RED", "Colour.GREEN | Colour.BLUE", "other"])
            guard = f" if {self.truth(1)}" if rng.random() < 0.3 else ""
            pattern = numbers if whole else f"({numbers}, {member})"
            self.lines.append(f"        case {pattern}{guard}:")
            self.assignment("            ")
        match rng.randrange(3):
            case 0:
                self.lines.append("        case _:")
                self.assignment("            ")
            case 1 if whole:
                self.lines.append(f"        case m if m {rng.choice('<>')} {rng.randint(-2, 4)}:")
                self.assignment("            ")

    def function(self):
        """The text of a function of this seed, `f(i, j, k, b, c, x, y)`."""
        self.lines = ["def f(i: int, j: int, k: int, b: bool, c: Colour, x: float, y: float):"]
        self.lines += [f"    n = {self.integer(1)} + 0", f"    m = {self.integer(2)} + 0"]
        self.ints += ["n", "m"]
        for _ in range(self.rng.randint(2, 4)):
            self.rng.choice([self.branch, self.match])()
        self.lines.append(f"    if {self.truth(1)}:")
        self.lines.append(f"        return n, m, {self.real(2)} + 0.0, {self.truth(2)}")
        last = f"{self.integer(3)} + 0, {self.real(3)} + 0.0, {self.truth(1)}"
        self.lines.append(f"    return n, {last}")
        return "\n".join(self.lines) + "\n"


def samples(seed, count):
    """Arguments as Python has them: (i, j, k, b, c, x, y)."""
    rng = random.Random(-seed - 1)
    edges = (0, 1, -1, 2, -7, 9, 1000, -12345)
    found = []
    for _ in range(count):
        ints = [rng.choice([rng.choice(edges), rng.randint(-9, 9)]) for _ in range(3)]
        reals = [rng.randint(-40, 40) / 4 for _ in range(2)]
        found.append((*ints, rng.random() < 0.5, rng.choice(list(Colour)), *reals))
    return found


def judged(function, arguments):
    """What plain Python gives, as numbers; None where it leaves 32 bits or divides by zero."""
    ints = [Counted(n) for n in arguments[:3]]
    try:
        results = function(*ints, *arguments[3:])
    except (Beyond, ZeroDivisionError, ValueError):
        return None
    return [float(r) for r in results]
