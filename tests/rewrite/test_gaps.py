"""Functions that are 0/0 as written, and no single pattern says what they are there.

Each is compared with 200 digits beside the point, in values, slopes and second derivatives.
"""

import math
import time

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import custom_bwd, derive
from egad.codegen.host.reference import evaluate
from egad.rewrite.derivation.define import define
from egad.rewrite.egraph.numbers import values
from egad.rewrite.factors.factored import Product
from egad.rewrite.substitutes.gaps.gaps import without_gaps
from egad.rewrite.substitutes.gaps.quotients import Quotients
from egad.rewrite.substitutes.gaps.remainders import Remainders
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

REAL = Scalar.F64


def savings(r: float) -> float:
    return ((1.0 + r) ** 12 - 1.0) / r


def loan(r: float, p: float) -> float:
    return p * (r / 12.0) / (1.0 - (1.0 + r / 12.0) ** -36)


def geometric(x: float, a: float) -> float:
    return a * (1.0 - x**6) / (1.0 - x)


def of_powers(x: float, y: float) -> float:
    return (x**5 - y**5) / (x - y)


def growing(r: float, g: float, n: float) -> float:
    """The present value of payments that grow."""
    return (1.0 - ((1.0 + g) / (1.0 + r)) ** n) / (r - g)


def growing_10(r: float, g: float, p: float) -> float:
    return p / (r - g) * (1.0 - ((1.0 + g) / (1.0 + r)) ** 10)


def vasicek(a: float, b: float, s: float, t: float) -> float:
    """The logarithm of the price of a bond at the rate 0."""
    held = (1.0 - math.exp(-a * t)) / a
    return (b - s * s / (2.0 * a * a)) * (held - t) - s * s * held * held / (4.0 * a)


def covariance(k: float, s: float, t: float, u: float) -> float:
    """Ornstein's and Uhlenbeck's."""
    return s * s / (2.0 * k) * (math.exp(-k * (t - u)) - math.exp(-k * (t + u)))


def sabr(f: float, k: float, v: float) -> float:
    """At the money."""
    z = v / 0.2 * math.exp(0.25 * math.log(f * k)) * math.log(f / k)
    root = math.sqrt(1.0 - 0.5 * z + z * z)
    return 0.2 / math.exp(0.25 * math.log(f * k)) * z / math.log((root + z - 0.25) / 0.75)


def bateman(t: float, k: float, e: float) -> float:
    """How much of a drug is in the blood."""
    return k * (math.exp(-e * t) - math.exp(-k * t)) / (k - e)


def bicycle(x: float, v: float, h: float, d: float, t: float) -> float:
    """Straight on where the wheel is not turned."""
    radius = 2.5 / math.tan(d)
    return x + radius * (math.sin(h + v / radius * t) - math.sin(h))


def inner_wheel(d: float, b: float) -> float:
    return math.atan(2.5 / (2.5 / math.tan(d) - b / 2.0))


def differential(q: float, r: float, b: float, h: float, t: float) -> float:
    return b / 2.0 * (q + r) / (r - q) * (math.sin(h + (r - q) / b * t) - math.sin(h))


def turning(v: float, w: float, h: float, a: float, t: float) -> float:
    """Constant turn rate and acceleration."""
    above = (v * w + a * w * t) * math.sin(h + w * t) + a * math.cos(h + w * t)
    return (above - v * w * math.sin(h) - a * math.cos(h)) / w**2


def turning_apart(x: float, v: float, w: float, h: float, a: float, t: float) -> float:
    after, u = h + w * t, v + a * t
    turned = (u * math.sin(after) - v * math.sin(h)) / w
    return x + turned + a * (math.cos(after) - math.cos(h)) / (w * w)


def with_drag(t: float, k: float, v: float, g: float) -> float:
    return (v + g / k) * (1.0 - math.exp(-k * t)) / k - g * t / k


def scattered(g: float, u: float) -> float:
    """The cosine of an angle by Henyey and Greenstein."""
    s = (1.0 - g * g) / (1.0 - g + 2.0 * g * u)
    return (1.0 + g * g - s * s) / (2.0 * g)


def scattered_below(g: float, c: float) -> float:
    root = math.sqrt(1.0 + g * g - 2.0 * g * c)
    return (1.0 - g * g) / (2.0 * g) * (1.0 / root - 1.0 / (1.0 + g))


def waves(k: float, z: float, h: float) -> float:
    return math.sinh(k * z) / math.sinh(k * h)


def below_waves(k: float, z: float, h: float, a: float) -> float:
    """Both sides overflow in deep water."""
    return a * math.cosh(k * (z + h)) / math.sinh(k * h)


def dipoles(m: float, h: float, t: float) -> float:
    return 1.0 / math.tanh(m * h / t) - t / (m * h)


def antennas(a: float, d: float) -> float:
    return math.sin(8.0 * d * math.sin(a)) / math.sin(d * math.sin(a))


def halo(x: float) -> float:
    """The pull of Navarro's, Frenk's and White's halo."""
    return (math.log(1.0 + x) - x / (1.0 + x)) / (x * x)


def lens(f: float, u: float) -> float:
    return 1.0 / (1.0 / f - 1.0 / u)


def resistors(a: float, b: float) -> float:
    return 1.0 / (1.0 / a + 1.0 / b)


def secant(x: float, h: float) -> float:
    return (math.sqrt(x + h) - math.sqrt(x)) / h


def log_ratio(x: float) -> float:
    return math.log(x) / (x * x - 1.0)


def duration(y: float, n: float, c: float) -> float:
    """Macaulay's, of a bond with a coupon: two poles that cancel."""
    return (1.0 + y) / y - (1.0 + y + n * (c - y)) / (c * ((1.0 + y) ** n - 1.0) + y)


def duration_of_annuity(y: float, n: float) -> float:
    return (1.0 + y) / y - n / ((1.0 + y) ** n - 1.0)


def convexity(y: float, n: float) -> float:
    return (1.0 - (1.0 + y) ** -n) / (y * y) - n * (1.0 + y) ** (-n - 1.0) / y


def rising_payments(y: float, n: float) -> float:
    return ((1.0 + y) ** n - n * y - 1.0) / (y * y * (1.0 + y) ** n)


NEAR = (0.0, 1e-6, -1e-3, 0.5)
POINTS = {
    savings: [(r,) for r in NEAR],
    loan: [(r, 2.0) for r in NEAR],
    geometric: [(1.0 + r, 2.0) for r in NEAR],
    of_powers: [(1.5 + r, 1.5) for r in NEAR],
    growing: [(0.25 + r, 0.25, 10.0) for r in NEAR],
    growing_10: [(0.25 + r, 0.25, 2.0) for r in NEAR],
    vasicek: [(a, 0.05, 0.1, 2.0) for a in NEAR],
    covariance: [(k, 0.3, 2.0, 1.0) for k in (*NEAR, 9.0)],
    sabr: [(1.0, 1.0, 0.3), (1.0, 1.0 + 1e-6, 0.3), (1.0, 1.25, 0.3), (1.0, 1.25, 0.0)],
    bateman: [(0.7, 1.5 + r, 1.5) for r in (*NEAR, 9.0)],
    bicycle: [(1.0, 3.0, 0.25, d, 0.5) for d in NEAR],
    inner_wheel: [(d, 1.5) for d in NEAR],
    differential: [(1.5, 1.5 + w, 0.5, 0.25, 0.5) for w in NEAR],
    turning: [(3.0, w, 0.25, 0.75, 0.5) for w in NEAR],
    turning_apart: [(1.0, 3.0, w, 0.25, 0.75, 0.5) for w in NEAR],
    with_drag: [(2.0, k, 3.0, 9.5) for k in NEAR],
    scattered: [(g, 0.25) for g in NEAR],
    scattered_below: [(g, 0.25) for g in NEAR],
    waves: [(k, 0.5, 2.0) for k in (*NEAR, 400.0)],
    below_waves: [(1.0, -0.5, 2.0, 3.0), (1000.0, -0.01, 1.0, 3.0)],
    dipoles: [(m, 2.0, 3.0) for m in NEAR],
    antennas: [(a, 0.75) for a in NEAR] + [(0.25, 0.0)],
    halo: [(x,) for x in (*NEAR, 9.0)],
    lens: [(0.0, 3.0), (2.0, 3.0)],
    resistors: [(0.0, 2.0), (2.0, 0.0), (1.0, 3.0)],
    secant: [(2.0, h) for h in NEAR],
    duration: [(y, 10.0, 0.05) for y in NEAR],
    duration_of_annuity: [(y, 10.0) for y in (*NEAR, 0.4)],
    convexity: [(y, 10.0) for y in NEAR],
    rising_payments: [(y, 10.0) for y in (*NEAR, 0.4)],
    log_ratio: [(1.0 + r,) for r in NEAR],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, POINTS[f], dtype, scaled=True)


@pytest.mark.numbers
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_second_derivatives_are_numbers(f):
    second_derivatives_are_numbers(f, POINTS[f])


def test_what_a_function_is_beside_a_gap_is_exact():
    """f = f0 + w*r for powers, quotients and functions."""
    w, x = var("w", REAL), var("x", REAL)
    one, half = const(1.0, REAL), const(0.5, REAL)

    def of(op, *args):
        return Term(op, args, None, REAL)

    away = of("add", x, of("mul", half, w))
    terms = [
        of("mul", of("add", one, w), of("add", one, w)),
        of("div", of("sub", x, w), of("add", one, w)),
        of("sin", away),
        of("exp", of("mul", x, w)),
        of("sub", of("exp", away), of("exp", of("sub", x, w))),
        of("pow", of("add", one, w), x),
        of("pow", x, w),
    ]
    rules = load()
    primal = [rule for rule in rules.rewrites if rule.primal]
    given = {w: (const(0.0, REAL), one)}
    for term in terms:
        found = Remainders(w, given, Quotients(primal), rules, Product())
        start, rest = found.start(term), found.rest(term)
        assert start is not None and rest is not None
        parts = ((term,), (start,), (rest,))
        results = tuple(Slot(n, REAL) for n in "abc")
        program = Program("f", (Slot("w", REAL), Slot("x", REAL)), results, parts)
        for at in (0.5, -0.25, 1e-3):
            whole, first, other = map(float, evaluate(program, rules, {"w": at, "x": 0.75}))
            assert whole == pytest.approx(first + at * other, rel=1e-14)


def test_a_pattern_is_about_the_place_that_moves():
    w, x = var("w", REAL), var("x", REAL)
    both = Term("add", (const(1.0, REAL), w), None, REAL), Term("add", (x, w), None, REAL)
    rules = load()
    primal = [rule for rule in rules.rewrites if rule.primal]
    given = {w: (const(0.0, REAL), const(1.0, REAL))}
    bases = Quotients([rule for rule in primal if rule.name != "difference_of_powers"])
    found = Remainders(w, given, bases, rules, Product())
    assert found.rest(Term("pow", both, None, REAL)) is None
    found = Remainders(w, given, Quotients(primal), rules, Product())
    rest = found.rest(Term("pow", both, None, REAL))
    (rest,) = define(rules, [rest], REAL, derived=True)
    at = {w: np.array(0.25), x: np.array(1.5)}
    assert values(rules, [rest], at)[rest] == pytest.approx((1.25**1.75 - 1.0) / 0.25, rel=1e-14)


def pole(x: float, a: float) -> float:
    return (math.exp(x) - 1.0) / x + a / x


def other_poles(x: float) -> float:
    return math.cos(x) / x


@pytest.mark.parametrize("f", [pole, other_poles])
def test_poles_stay_as_they_are(f):
    d = derive(f, "primal", dtype="float64", optimize="fast")
    assert np.isinf(d.reference(*[0.0, 1.0][: len(d.program.params)]))


@custom_bwd(lambda x, y_bar: (3.0 * y_bar,))
def with_a_rule_of_its_own(x: float) -> float:
    return x * x


def by_an_own_rule(x: float, r: float) -> float:
    return (with_a_rule_of_its_own(x) * (1.0 + r) ** 2 - with_a_rule_of_its_own(x)) / r


def test_what_has_a_derivative_of_its_own_is_not_looked_into():
    """It is u*(2 + r), and the slope of u is said to be 3."""
    d = derive(by_an_own_rule, dtype="float64", optimize="fast")
    assert list(d(2.0, 0.5, 1.0)) == pytest.approx([3.0 * 2.5, 4.0])


def digits_far_away(k: float, t: float, u: float) -> float:
    return 3.0 * (math.exp(-k * t) - math.exp(-k * u)) / k


def test_digits_far_from_the_gap_are_kept():
    for point in [(5.0, 4.0, 3.0), (2.0, 9.0, 8.0), (20.0, 1.0, 2.0)]:
        value, gradient = derive(digits_far_away, "value_and_grad", dtype="float64")(*point)
        want = wanted(digits_far_away, point)
        size = 1e-12 * max(map(abs, want))
        assert [value, *gradient] == pytest.approx(list(want), rel=1e-11, abs=size)


def test_long_programs_take_no_longer_by_it():
    def many(x: float, y: float) -> float:
        total = 0.0
        for k in range(300):
            total = total + math.exp(x / (1.5 + k)) / (x * x + y * y * k + 1.0 / (2.0 + k))
        return total

    program, rules = derive(many, "primal", optimize="fast").program, load()
    begin = time.perf_counter()
    without_gaps(program, [r for r in rules.rewrites if r.primal], rules, {})
    assert time.perf_counter() - begin < 10.0
