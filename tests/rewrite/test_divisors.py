"""Sums divided by what they have in common: the same functions, no fewer digits."""

import random
from fractions import Fraction

import pytest

import egad
from egad.rewrite.regroup import WAYS, in_common_divisors
from egad.rewrite.regroup.cubes import divide, operators
from egad.terms.term import Term, const, const_value, toposort, var
from egad.terms.types import Scalar

A, B, C, D, X, Y = (var(n, Scalar.F64) for n in "abcdxy")
COUNTED = ("add", "sub", "mul")


def op(name, *args):
    return Term(name, args, None, args[0].type)


def number(value):
    return const(value, Scalar.F64)


def counted(flat):
    return sum(term.op in COUNTED for term in toposort(flat))


def exact(flat, values):
    """The values of polynomials in rational numbers; other operators are made up."""
    rules = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "neg": lambda a: -a,
        "sin": lambda a: 3 * a + 1,
    }
    done = {}
    for t in toposort(flat):
        if t.op == "const":
            done[t] = Fraction(const_value(t))
        else:
            done[t] = values[t] if t.op == "var" else rules[t.op](*[done[a] for a in t.args])
    return [done[t] for t in flat]


def evaluated(sums, values):
    """Sums of cubes over numbered values."""
    found = []
    for one in sums:
        total = Fraction(0)
        for cube, sign in one.items():
            product = Fraction(sign)
            for factor in cube:
                product *= values[factor]
            total += product
        found.append(total)
    return found


# ---------------------------------------------------------------- cubes


@pytest.mark.parametrize("seed", range(30))
def test_divided_sums_are_the_same_and_no_dearer(seed):
    rng = random.Random(seed)
    sums = []
    for _ in range(5):
        cubes = [tuple(sorted(rng.choices(range(5), k=rng.randint(0, 4)))) for _ in range(6)]
        sums.append({cube: rng.choice((1, -1)) for cube in cubes})
    before = [dict(one) for one in sums]
    after, made = divide(sums, 5)
    assert sums == before
    values = {i: Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for i in range(5)}
    left = dict(made)
    while left:  # divisors of divisors
        ready = [n for n, one in left.items() if all(f in values for cube in one for f in cube)]
        assert ready
        for n in ready:
            (values[n],) = evaluated([left.pop(n)], values)
    assert evaluated(after, values) == evaluated(sums, values)
    assert sum(map(operators, [*after, *made.values()])) <= sum(map(operators, sums))
    assert (after, made) == divide(sums, 5)


def test_what_is_opposite_is_shared_with_its_sign():
    after, made = divide([{(0, 2): 1, (0, 3): -1}, {(1, 2): -1, (1, 3): 1}], 4)
    assert made == {4: {(2,): 1, (3,): -1}}
    assert after == [{(0, 4): 1}, {(1, 4): -1}]


def test_a_factor_and_one_are_divided_too():
    after, made = divide([{(0,): 1, (0, 1): 1}, {(2,): 1, (1, 2): 1}], 3)
    assert made == {3: {(): 1, (1,): 1}}
    assert after == [{(0, 3): 1}, {(2, 3): 1}]


# ---------------------------------------------------------------- terms


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(25))
def test_the_program_is_the_same_function(seed, way):
    rng = random.Random(seed)
    leaves = [A, B, C, D, number(2.0), number(-0.5)]
    terms = list(leaves)
    for _ in range(24):
        name = rng.choice(("mul", "mul", "mul", "add", "add", "sub", "neg", "sin"))
        args = rng.choices(terms[-7:] + leaves, k=1 if name in ("neg", "sin") else 2)
        terms.append(op(name, *args))
    flat = rng.sample(terms[len(leaves) :], 5)
    new = in_common_divisors(flat, *way)
    if new is None:
        return
    for _ in range(3):
        values = {v: Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for v in (A, B, C, D)}
        assert exact([new.terms[t] for t in flat], values) == exact(flat, values)
        assert all(exact([old], values) == exact([other], values) for old, other in new.pairs)
    again = in_common_divisors(flat, *way)
    assert again is not None and again.pairs == new.pairs


def test_what_several_sums_have_in_common_is_computed_once():
    """Two rows whose brackets differ: they share one product as they are."""
    one = op("add", op("mul", op("mul", A, C), X), op("mul", op("mul", A, D), Y))
    two = op("add", op("mul", B, op("mul", C, X)), op("mul", op("mul", B, Y), D))
    new = in_common_divisors([one, two], 8)
    flat = [new.terms[one], new.terms[two]]
    assert counted(flat) == 5 < counted([one, two]) - 4
    assert flat[0].op == flat[1].op == "mul"


def test_sums_are_multiplied_out_as_far_as_the_width_says():
    """(a + b*c)*x + a*y is a*(x + y) + b*c*x: only where the first product is taken apart."""
    total = op("add", op("mul", op("add", op("mul", A, A), op("mul", B, C)), X), op("mul", A, Y))
    other = op("mul", op("add", op("mul", A, X), Y), D)
    narrow, wide = (in_common_divisors([total, other], width) for width in (2, 8))
    before, some, all_of_it = (
        counted([form.get(t, t) for t in (total, other)]) for form in ({}, narrow.terms, wide.terms)
    )
    assert before == some > all_of_it


def test_steps_share_the_factors_of_what_went_before():
    """u = 2*v + c*(w - 2*v) again and again is k*v + c*w, and all have one k = 2 - 2*c."""
    two, steps = number(2.0), [X, Y]
    for _ in range(6):
        before, last = steps[-2:]
        doubled = op("mul", two, last)
        steps.append(op("add", doubled, op("mul", C, op("sub", before, doubled))))
    flat = steps[2:]
    new = in_common_divisors(flat, 64, True)
    shared = [new.terms[t] for t in flat]
    assert counted(shared) < counted(flat) == 6 * 4
    inside = [t for t in toposort(shared) if t.op == "sub" and t.args[1] is C]
    assert len(inside) == 1  # 1 - c, where no form loses digits beside inputs
    values = {X: Fraction(3, 7), Y: Fraction(-2, 5), C: Fraction(1, 3)}
    assert exact(shared, values) == exact(flat, values)


def test_a_difference_of_inputs_stays_exact():
    """(x - y)*(x - y) is no x*x - 2*x*y + y*y: near x = y that is rounding."""
    square = op("mul", op("sub", X, Y), op("sub", X, Y))
    for way in WAYS:
        new = in_common_divisors([square, op("mul", square, A), op("mul", square, B)], *way)
        assert new is None or all(op("sub", X, Y) in toposort([to]) for _, to in new.pairs)


def test_a_form_that_loses_digits_is_not_taken():
    """1 - c is small where c is near 1; c*x beside x is not."""
    small = op("sub", number(1.0), op("mul", C, C))
    flat = [op("mul", small, X), op("mul", C, op("mul", C, X))]
    new = in_common_divisors(flat, 64)
    assert new is None or new.terms[flat[0]] is flat[0]


def test_very_large_programs_are_left_alone():
    terms = [op("add", op("mul", A, var(f"v{i}", Scalar.F64)), B) for i in range(1_000)]
    assert all(in_common_divisors(terms, *way) is None for way in WAYS)


# ---------------------------------------------------------------- derivatives


def arm(a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """The tip of an arm of four joints, the first of which turns the others."""
    ab, abc = a + b, a + b + c
    r = 0.4 * egad.cos(a) + 0.3 * egad.cos(ab) + 0.2 * egad.cos(abc)
    z = 0.4 * egad.sin(a) + 0.3 * egad.sin(ab) + 0.2 * egad.sin(abc)
    return r * egad.cos(d), r * egad.sin(d), z


def rotated(x: float, y: float, z: float, p: float, q: float, s: float) -> tuple[float, float]:
    """A point turned by the vector (x, y, z) of Rodrigues, of which two coordinates are seen."""
    k = 2.0 / (1.0 + x * x + y * y + z * z)
    u, v, w = y * s - z * q, z * p - x * s, x * q - y * p
    return p + k * (u + y * w - z * v), q + k * (v + z * u - x * w)


def derived(f, math):
    return egad.derive(f, "jacobian", math=math, dtype="float64")


@pytest.mark.parametrize("f", [arm, rotated])
def test_a_jacobian_with_divisors_has_the_numbers_of_the_plain_one(f):
    rng = random.Random(1)
    cheap, plain = (derived(f, math) for math in ("safe", "strict"))
    assert cheap.report.cost_after < plain.report.cost_after
    for _ in range(20):
        at = [rng.uniform(-1.5, 1.5) for _ in cheap.program.params]
        for row, wanted in zip(cheap(*at), plain(*at), strict=True):
            assert tuple(row) == pytest.approx(tuple(wanted), rel=1e-12, abs=1e-13)
