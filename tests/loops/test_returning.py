"""Who returns from inside of loops has left all of them, whichever of them are written out."""

import importlib.util
import random

import pytest
import returning

from egad import derive, diff_pair

POINTS = [(0.7, 1.23, 3), (0.31, 0.4, 4), (-1.3, 0.4, 0), (1.6, -0.2, 2), (-0.52, -0.83, 3)]


PROGRAMS = [f for name, f in vars(returning).items() if callable(f) and not name.startswith("_")]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    primal, forward = derive(f, "primal", dtype="float64"), derive(f, "fwd", dtype="float64")
    for x, y, n in POINTS:
        assert primal(x, y, n) == pytest.approx(f(x, y, n), rel=1e-13)
        assert primal.reference(x, y, n) == pytest.approx(f(x, y, n), rel=1e-13)
        step = 1e-6
        slopes = [
            (f(x + step, y, n) - f(x - step, y, n)) / (2 * step),
            (f(x, y + step, n) - f(x, y - step, n)) / (2 * step),
        ]
        for dx, slope in zip((1.0, 0.0), slopes, strict=True):
            for way in (forward, forward.reference):
                found = way(diff_pair(x, dx), diff_pair(y, 1.0 - dx), n)
                assert found.d == pytest.approx(slope, rel=1e-6, abs=1e-7)


LOOPS = ("range(3)", "range(n)", "(x, y)", "enumerate([y, x, t])", "range(2, 0, -1)", "while")


def lines(rng, depth, counters):
    """Statements of a body: sums, what leaves the loop or the function, and loops inside."""
    made = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(6) if depth else rng.randrange(3)
        test = f"{rng.choice(counters)} {rng.choice(('>', '<=', '=='))} {rng.choice('012')}"
        test = rng.choice((test, f"t > {rng.randint(1, 6)}", f"{test} and t < {rng.randint(1, 6)}"))
        if kind == 0:
            made.append(f"t += {rng.choice((*counters, 'x', 'y', '0.5'))}")
        elif kind < 3:
            ways = ("return t + 0.25", "return x - t", "break", "continue", "t *= 0.5")
            way = rng.choice(ways if depth < 3 else ways[-1:])
            made += [f"if {test}:", f"    {way}"]
        else:
            made += loop(rng, depth, counters)
    return made


def loop(rng, depth, counters):
    header, name = rng.choice(LOOPS), f"c{depth}"
    begun = [f"{name} = 0"] if header == "while" else []
    if header == "while":
        head, first = f"while {name} < 3:", [f"{name} += 1"]
    elif header.startswith("enum"):
        head, first = f"for {name}, v{depth} in {header}:", [f"t += 0.125 * v{depth}"]
    else:
        head, first = f"for {name} in {header}:", []
    body = [*first, *lines(rng, depth - 1, [*counters, name])]
    other = ["else:", "    t += 0.75"] if rng.random() < 0.3 else []
    return [*begun, head, *(f"    {line}" for line in body), *other]


@pytest.mark.parametrize("seed", range(80))
def test_random_loops_that_are_left(seed, tmp_path):
    rng = random.Random(seed)
    body = ["t = 0.1 * x", *loop(rng, 3, ["n"]), "t += 0.5", *loop(rng, 2, ["n"]), "return t"]
    path = tmp_path / "left.py"
    text = "\n".join(f"    {line}" for line in body)
    path.write_text(f"def f(x: float, y: float, n: int) -> float:\n{text}\n")
    spec = importlib.util.spec_from_file_location(f"left_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    primal = derive(module.f, "primal", dtype="float64", optimize="fast")
    for point in POINTS:
        assert primal.reference(*point) == pytest.approx(module.f(*point), rel=1e-12), text
