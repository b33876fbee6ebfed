"""Choices that guards have made: sets of numbers against numbers, programs against themselves."""

import random

import numpy as np
import pytest

from egad import derive
from egad.rewrite.egraph.numbers import single, values
from egad.rewrite.guarded import decided
from egad.rewrite.guarded.images import Images
from egad.rewrite.guarded.numbers import ANY, IMAGES, Numbers, square, where
from egad.rewrite.guarded.stated import stated
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.term import SELECT, Term, const, toposort, var
from egad.terms.types import Scalar

REAL, BOOL = Scalar.F32, Scalar.BOOL
RULES = load()
X, Y = var("x", REAL), var("y", REAL)
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
TINY = float(np.finfo(np.float32).tiny)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-8, -1e-8, 1e30, -1e30, TINY, -TINY, TINY / 8]
SPECIAL += [np.inf, -np.inf, np.nan]
MEANINGS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "hypot": np.hypot,
    "min": np.fmin,
    "max": np.fmax,
}


def op(name, *args):
    return Term(name, args, None, BOOL if name in COMPARISONS else REAL)


def number(value):
    return const(float(value), REAL)


def select(condition, then, other):
    return Term(SELECT, (condition, then, other), None, REAL)


def logic(name, *args):
    return Term(f"logical_{name}", args, None, BOOL)


def drawn(rng):
    if rng.random() < 0.4:
        return float(np.float32(rng.choice(SPECIAL)))
    return float(np.float32(rng.choice((-1, 1)) * 10 ** rng.uniform(-30, 30)))


def has(numbers, value):
    return numbers.nan if np.isnan(value) else numbers.has(value)


def some(rng):
    """A set of numbers, and numbers in it."""
    op_, bound, holds = rng.choice(COMPARISONS), drawn(rng), rng.random() < 0.7
    found = where(op_, bound, holds, REAL)
    if rng.random() < 0.5:
        found &= where(rng.choice(COMPARISONS), drawn(rng), True, REAL)
    inside = [v for v in (drawn(rng) for _ in range(20)) if has(found, v)]
    return found, inside


@pytest.mark.parametrize("op_", COMPARISONS)
def test_where_a_comparison_holds(op_):
    rng, meaning = random.Random(op_), {"lt": "less", "le": "less_equal", "gt": "greater"}
    meaning |= {"ge": "greater_equal", "eq": "equal", "ne": "not_equal"}
    for _ in range(3000):
        bound, value = (rng.choice((drawn(rng), 1.0)) for _ in range(2))
        found = bool(getattr(np, meaning[op_])(np.float32(value), np.float32(bound)))
        assert has(where(op_, bound, found, REAL), value)
        if not np.isnan(bound):
            assert not has(where(op_, bound, not found, REAL), value)


def test_images_hold_every_result():
    """Also where a device flushes what is too small, and is a few roundings off."""
    rng, seen = random.Random(1), 0
    for _ in range(4000):
        name = rng.choice(list(IMAGES))
        sets = [some(rng) for _ in range(MEANINGS[name].nin)]
        image = IMAGES[name](REAL, [s for s, _ in sets])
        for args in zip(*[inside for _, inside in sets], strict=False):
            with np.errstate(all="ignore"):
                result = MEANINGS[name](*[np.float32(a) for a in args])
            for near in (result, result * np.float32(1 - 3e-7), result * np.float32(1 + 3e-7)):
                near = result if name in ("neg", "abs", "min", "max") else near
                near = result if np.isnan(near) else near
                assert has(image, float(near)), (name, args, image)
            seen += 1
    assert seen > 10_000


def test_squares():
    rng = random.Random(2)
    for _ in range(2000):
        found, inside = some(rng)
        for value in inside:
            with np.errstate(all="ignore"):
                assert has(square(REAL, found), float(np.float32(value) ** 2))
    assert not square(REAL, where("gt", 1e-3, True, REAL)).has(0)
    assert square(REAL, ANY).parts == ((0.0, np.inf),)
    away = where("ge", 1e-3, True, REAL), where("le", -1e-3, True, REAL)
    both = Numbers((*away[1].parts, *away[0].parts), False)
    assert square(REAL, both).low > 0.9e-6


INSIDE = {
    "sqrt": lambda x: op("sqrt", x),
    "abs": lambda x: op("abs", x),
    "neg": lambda x: op("neg", x),
    "square": lambda x: op("mul", x, x),
    "scaled": lambda x: op("mul", number(-3e-5), x),
    "right": lambda x: op("mul", x, number(7e4)),
    "root of square": lambda x: op("sqrt", op("mul", x, x)),
    "size of product": lambda x: op("abs", op("mul", number(0.5), x)),
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_conditions_say_of_arguments(name):
    """No number of which the condition has this outcome is left out."""
    rng, term, seen = random.Random(name), INSIDE[name](X), 0
    for _ in range(800):
        kind, bound = rng.choice(COMPARISONS), abs(drawn(rng)) * rng.choice((1, 1, -1))
        condition = op(kind, term, number(bound))
        if rng.random() < 0.5:
            condition = op(kind, number(bound), term)
        at = [np.array([drawn(rng) for _ in range(40)], np.float32)]
        found = values(RULES, [condition], {X: at[0]})[condition]
        for holds in (True, False):
            said = dict(stated((condition, holds))).get(X)
            for value in at[0][found == holds] if said is not None else ():
                assert has(said, float(value)), (condition, holds, value, said)
                seen += 1
    assert seen > 3_000


def program(*roots):
    params = tuple(Slot(n, REAL) for n in ("x", "y"))
    return Program("f", params, tuple(Slot(f"r{k}", REAL) for k in range(len(roots))),
                   tuple((r,) for r in roots))  # fmt: skip


def left(term):
    """How many choices are left of a program."""
    return sum(t.op == SELECT for t in toposort(decided(program(term), RULES).flat))


def test_what_exponentials_less_the_largest_can_be():
    """Of a softmax as it is written by hand, no exponential overflows."""
    largest = op("max", X, op("max", Y, number(0)))
    shifted = [op("exp", op("sub", each, largest)) for each in (X, Y)]
    for total, open_ in ((op("add", *shifted), 0), (op("add", op("exp", X), number(1)), 1)):
        vanishes = op("eq", op("div", number(1), total), number(0))
        assert left(select(vanishes, X, Y)) == open_
    rng, images = random.Random(3), Images(RULES)
    for root in (*shifted, op("div", number(1), op("add", *shifted))):
        at = {v: np.array([drawn(rng) for _ in range(3000)], np.float32) for v in (X, Y)}
        with np.errstate(all="ignore"):
            found = values(RULES, [root], at)[root]
        assert all(has(images.anywhere(root), float(value)) for value in found)


def attended(a: float, b: float, c: float, u: float, v: float, w: float) -> float:
    largest = max(a, max(b, c))
    x, y, z = np.exp(a - largest), np.exp(b - largest), np.exp(c - largest)
    return (x * u + y * v + z * w) / (x + y + z)


def test_shares_less_the_largest_by_hand_have_no_choices():
    """What is subtracted does not count, so its slopes cancel, which choices would hide."""
    derived = derive(attended, dtype="float64")
    counts = derived.report.counts_after
    assert not {"select", "eq", "ge", "gt"} & set(counts)
    assert counts["exp"] == 3 and counts.get("rcp", 0) + counts.get("div", 0) == 1
    at = np.array([0.3, -1.2, 800.0, 0.5, 2.0, -1.0])
    found = derived.reference(*at, 1.0)
    step, slopes = 1e-4, np.eye(6) * 1e-4
    for k, slope in enumerate(slopes):
        above, below = (attended(*(at + sign * slope)) for sign in (1, -1))
        assert abs(found[k] - (above - below) / (2 * step)) < 1e-7


ZERO = op("eq", X, number(0))
INNER = select(ZERO, number(1), op("div", Y, X))
CERTAIN = {
    "greater": op("gt", X, number(1e-8)),
    "smaller": op("lt", X, number(-1)),
    "its size": op("gt", op("abs", X), number(1e-6)),
    "its square": op("gt", op("mul", X, X), number(0)),
    "another": op("ne", X, number(0)),
    "exchanged": op("lt", number(0.5), X),
    "not": logic("not", op("le", op("abs", X), number(1e-3))),
    "and": logic("and", op("gt", Y, number(0)), op("gt", X, number(0))),
    "its root": op("gt", op("sqrt", X), number(1e-4)),
    "itself": logic("not", ZERO),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_a_choice_is_made_under_its_guard(name):
    assert left(select(CERTAIN[name], INNER, Y)) == 1
    assert left(select(CERTAIN[name], op("sin", INNER), Y)) == 1
    # In the other arm, in both, and outside it is not certain.
    assert left(select(CERTAIN[name], Y, op("cos", INNER))) == 2 or name in ("another", "itself")
    assert left(select(CERTAIN[name], op("sin", INNER), op("cos", INNER))) == 2


UNCERTAIN = {
    "at zero": op("ge", X, number(0)),
    "below": op("lt", X, number(1e-8)),
    "of another": op("gt", Y, number(1)),
    "or": logic("or", op("gt", Y, number(0)), op("gt", X, number(0))),
    "not or": logic("not", op("gt", op("abs", X), number(1e-3))),
    "square that vanishes": op("ge", op("mul", X, X), number(0)),
}


@pytest.mark.parametrize("name", UNCERTAIN)
def test_what_is_not_certain_stays(name):
    assert left(select(UNCERTAIN[name], INNER, Y)) == 2


def test_products_that_vanish():
    """x > 0 does not say that x/2 > 0: the smallest number has no half."""
    half = op("mul", number(0.5), X)
    inner = select(op("eq", half, number(0)), number(1), op("div", Y, half))
    assert left(select(op("gt", X, number(0)), inner, Y)) == 2
    assert left(select(op("gt", X, number(1e-30)), inner, Y)) == 1


def test_how_two_values_lie():
    tie = select(op("eq", X, Y), number(0.5), number(1))
    assert left(select(op("lt", X, Y), op("mul", X, tie), Y)) == 1
    assert left(select(op("gt", Y, X), op("mul", X, tie), Y)) == 1
    assert left(select(op("le", X, Y), op("mul", X, tie), Y)) == 2
    other = select(op("ge", Y, X), X, op("mul", X, Y))
    assert left(select(op("lt", X, Y), op("mul", X, other), Y)) == 1
    # NaN is not below, nor above.
    assert left(select(op("ge", X, Y), Y, op("mul", X, other))) == 2


def rounded(_, __, numbers):
    """Each result in single precision."""
    return single(numbers)


def random_term(rng, depth, given=(X, Y)):
    """Choices within choices over some values, with conditions on these."""
    if not depth:
        return rng.choice(given)
    name = rng.choice(list(IMAGES))
    new = op(name, *[rng.choice(given) for _ in range(MEANINGS[name].nin)])
    given = (*given, op("mul", X, X) if rng.random() < 0.1 else new)
    arms = [random_term(rng, depth - 1, given) for _ in range(2)]
    if rng.random() < 0.3:
        return op(rng.choice(("add", "mul", "div", "max")), *arms)
    bound = number(rng.choice((0, 0, 1e-8, 1)))
    sides = rng.choice(given), rng.choice((*given, bound, bound))
    condition = op(rng.choice(COMPARISONS), *sides)
    if rng.random() < 0.3:
        condition = logic("not", condition)
    if rng.random() < 0.3:
        more = op(rng.choice(COMPARISONS), rng.choice(given), bound)
        condition = logic(rng.choice(("and", "or")), condition, more)
    return select(condition, *arms)


def random_sharing(rng):
    """A program in which few conditions choose again and again among values made so before."""
    values = [X, Y, number(1)]
    asked = [op(rng.choice(COMPARISONS), rng.choice((X, Y)), number(b)) for b in (0, 1, 1e-8)]
    for _ in range(10):
        latest = rng.choice(values[-3:])
        asked.append(op(rng.choice(COMPARISONS), latest, number(0)))
        if rng.random() < 0.3:
            values.append(op(rng.choice(("add", "mul", "max")), latest, rng.choice(values)))
        else:
            arms = [latest, rng.choice(values)]
            rng.shuffle(arms)
            values.append(select(rng.choice((*asked[:3], asked[-1])), *arms))
    return program(values[-1], values[-2])


def test_random_programs_stay_the_same_bit_for_bit():
    rng, fewer = random.Random(5), 0
    for k in range(2000):
        trees = k < 400
        before = program(random_term(rng, 5), random_term(rng, 4)) if trees else random_sharing(rng)
        after = decided(before, RULES)
        at = {v: np.array([drawn(rng) for _ in range(300)]) for v in (X, Y)}
        with np.errstate(all="ignore"):
            one, two = (values(RULES, p.flat, at, rounded) for p in (before, after))
        for a, b in zip(before.flat, after.flat, strict=True):
            np.testing.assert_array_equal(one[a], two[b])
        fewer += len(toposort(after.flat)) < len(toposort(before.flat))
    assert fewer > 100


def rodrigues(x: float, y: float) -> float:
    angle = np.sqrt(x * x + y * y)
    return np.sin(angle) / angle if angle > 1e-6 else 1.0 - angle * angle / 6.0


def test_a_guarded_quotient_needs_no_guard_of_its_own():
    found = derive(rodrigues, mode="bwd", dtype="float64", optimize="fast")
    assert "== 0" not in found.source
    assert found.source.count("?") + found.source.count("if (") < 4
    h, x, y = 1e-6, 0.3, 0.4
    slope = (rodrigues(x + h, y) - rodrigues(x - h, y)) / (2 * h)
    assert found(x, y, 1.0).x == pytest.approx(slope, rel=1e-8)
