"""Updates that may be undone, against plain Python with numbers of 32 bits and their slopes.

`python tests/loops/test_random_updates.py FIRST COUNT` tries more of them.
"""

import ast
import importlib.util
import math
import operator
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from random_updates import EXTREME, program

from egad import TraceError, derive

COUNT = 24


class Whole(int):
    """An integer of 32 bits, as a kernel has them."""

    LOW = -(1 << 31)

    def __new__(cls, number):
        return super().__new__(cls, (int(number) - cls.LOW) % (1 << 32) + cls.LOW)


class Unsigned(Whole):
    """The same without a sign."""

    LOW = 0


def on_bits(compute):
    """An operator of integers, whose result has 32 bits."""

    def apply(*args):
        if any(not isinstance(a, int) for a in args):
            return NotImplemented
        kind = Unsigned if any(isinstance(a, Unsigned) for a in args) else Whole
        return kind(compute(*(int(a) for a in args)))

    return apply


for name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    compute = getattr(operator, f"__{name}__")
    setattr(Whole, f"__{name}__", on_bits(compute))
    setattr(Whole, f"__r{name}__", on_bits(lambda b, a, compute=compute: compute(a, b)))
for name in ("neg", "invert", "abs"):
    setattr(Whole, f"__{name}__", on_bits(getattr(operator, f"__{name}__")))


class Dual:
    """A real and its slope."""

    def __init__(self, value, slope=0.0):
        self.value, self.slope = float(value), float(slope)

    def __add__(self, other):
        other = dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = dual(other)
        slope = self.slope * other.value + self.value * other.slope
        return Dual(self.value * other.value, slope)

    def __truediv__(self, number):
        return Dual(self.value / number, self.slope / number)

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __gt__(self, other):
        return self.value > dual(other).value

    def __lt__(self, other):
        return self.value < dual(other).value

    __radd__, __rmul__ = __add__, __mul__


def dual(number):
    return number if isinstance(number, Dual) else Dual(number)


def sine(number):
    number = dual(number)
    return Dual(math.sin(number.value), math.cos(number.value) * number.slope)


class Narrow(ast.NodeTransformer):
    """Whole constants have 32 bits."""

    def visit_Constant(self, node):
        if type(node.value) is not int:
            return node
        name = ast.Name("Whole", ast.Load())
        return ast.copy_location(ast.Call(name, [node], []), node)


def plain(text):
    """The function as plain Python over such numbers."""
    tree = Narrow().visit(ast.parse(text))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    tree.body[0].args = ast.parse("def f(x, w, a, b, m, z, trips): pass").body[0].args
    scope = {"Whole": Whole, "sin": sine, "max_iters": lambda n: None}
    exec(compile(ast.fix_missing_locations(tree), "plain", "exec"), scope)
    return scope["f"]


def load(seed, folder):
    path = folder / f"random_updates_{seed}.py"
    path.write_text(program(seed)[0])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def points(seed, count=48):
    """Arguments: reals and their directions, integers of all sizes, trips from none to the most."""
    rng = np.random.default_rng(seed)

    def some(*small):
        wide = rng.integers(-(2**31), 2**31, count)
        kinds = [rng.choice(small, count), wide, rng.choice(EXTREME, count)]
        return np.choose(rng.choice(3, count, p=(0.7, 0.15, 0.15)), kinds)

    x, w = rng.uniform(0.3, 1.2, count), rng.uniform(-1, 1, (count, 9))
    a, b, m = some(*range(-3, 12)), some(*range(-3, 20)), some(-5, -1, 1, 2, 3, 5, 7, 8)
    z = rng.integers(0, 2**32, count)
    trips = rng.choice((0, 1, 1, 2, 5, 12, 13, 13, 20, 39, 40, -3, *EXTREME[:2]), count)
    return x, w, a, b, m, z, trips


def slopes(text, x, w, a, b, m, z, trips):
    """Of every point: the slope along all ones for x and these for w."""
    f, along = plain(text), np.cos(np.arange(9) + 1.0)
    out = []
    for row, point in enumerate(zip(x, w, strict=True)):
        reals = [Dual(v, d) for v, d in zip(point[1], along, strict=True)]
        whole = [Whole(v[row]) for v in (a, b, m)]
        found = f(Dual(point[0], 1.0), reals, *whole, Unsigned(z[row]), Whole(trips[row]))
        out.append((found.value, found.slope))
    return np.array(out), along


def check(seed, folder):
    """Compare one program; gives the updates that it has, and whether nothing of them is kept."""
    text, used = program(seed)
    args = points(seed)
    want, along = slopes(text, *args)
    f = load(seed, folder)
    try:
        back = derive(f, "bwd", dtype="float64")
    except TraceError:  # more is asked for of a constant beyond 32 bits than its low ones
        return None
    given = (*args[:2], *(v.astype(np.int32) for v in args[2:5]), args[5].astype(np.uint32))
    given = (*given, args[6].astype(np.int32), 1.0)
    good = (np.abs(want) < 1e4).all(1)  # the sine of larger numbers says little
    for found in (back.reference(*given), back(*given)):
        slope = found.x + found.w @ along
        np.testing.assert_allclose(slope[good], want[good, 1], rtol=1e-7, atol=1e-9)
    return used, not any(s.name.partition("_")[0] in "ntvuonpgh" for s in back.report.storage or ())


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_random_updates(part, tmp_path):
    for seed in range(part, COUNT, 4):
        check(seed, tmp_path)


def test_what_ended_the_process():
    """In a process of its own: an array was read at an index of a loop's counter that no work-item
    had computed (codegen/schedule/dividing.py)."""
    assert subprocess.run([sys.executable, __file__, "4023", "1"], check=False).returncode == 0


def main():
    from pathlib import Path
    from tempfile import mkdtemp

    first, count = (int(a) for a in sys.argv[1:3])
    folder, failed, refused, undone = Path(mkdtemp()), 0, 0, Counter()
    for seed in range(first, first + count):
        try:
            found = check(seed, folder)
            refused += found is None
            undone.update(found[0] if found and found[1] else ())
        except Exception as error:
            failed += 1
            print(f"--- {seed}: {type(error).__name__}: {str(error)[:900]}\n{program(seed)[0]}")
            sys.stdout.flush()
    print(f"{count} programs, {refused} refused, {failed} failures")
    print(f"updates of which nothing is kept: {dict(undone)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
