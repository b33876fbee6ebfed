"""Quotients of functions and multiples of their arguments, where both are 0."""

import math

import precise
import pytest
from mpmath import mpf

from egad import derive
from egad.rewrite.factors.factored import Product
from egad.rules import load
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

REAL = Scalar.F64
V, K = var("v", REAL), var("k", REAL)
RULES = load()


def opening(v: float) -> float:
    return 0.1 * (v + 40.0) / (1.0 - math.exp(-(v + 40.0) / 10.0))


def opening_by_factor(v: float) -> float:
    return 0.01 * (v + 55.0) / (1.0 - math.exp(-0.1 * (v + 55.0)))


def opening_of_1952(v: float) -> float:
    return (2.5 - 0.125 * v) / (math.exp(2.5 - 0.125 * v) - 1.0)


def closing(v: float) -> float:
    return -0.32 * (v + 54.0) / (math.exp(-(v + 54.0) / 4.0) - 1.0)


def of_parameters(v: float, k: float) -> float:
    return k * (v - 2.0) / (1.0 - math.exp(-(v - 2.0) / k))


def decay(v: float, k: float) -> float:
    return v * (1.0 - math.exp(-k * v)) / (k * v)


def share(v: float, k: float) -> float:
    """A factor of the argument cancels with what else is divided by."""
    z = k * v
    return z / (math.exp(z) - 1.0) / (k * (1.0 + v * v))


def planck(v: float, k: float) -> float:
    return k * v * v * v / (math.exp(v) - 1.0)


def rest_of_a_sine(v: float, k: float) -> float:
    return 3.0 * math.sin(k * v) / (v * (1.0 + k * k))


def of_a_difference(v: float, k: float) -> float:
    return math.sin(v - k) / (k - v)


def growth(v: float, k: float) -> float:
    return math.log(1.0 + v * k) / (2.0 * v)


def current(v: float, k: float) -> float:
    """Goldman, Hodgkin and Katz."""
    return 4.0 * v * (k - 2.0 * math.exp(-2.0 * v / 25.0)) / (1.0 - math.exp(-2.0 * v / 25.0))


def rotation(v: float, k: float) -> float:
    """What an exponential map of a rotation is made of."""
    q = v * v + k * k
    t = math.sqrt(q)
    a = math.sin(t) / t
    return v * a + (k + 2.0) * (1.0 - math.cos(t)) / q + (v + k) * (1.0 - a) / q


def motion(v: float, k: float) -> float:
    q = v * v + k * k
    t = math.sqrt(q)
    return (t - math.sin(t)) / (q * t) + k * (math.cos(2.0 * t) - 1.0) / (3.0 * t * t)


POINTS = {
    rotation: (0.0, 0.0),
    motion: (0.0, 0.0),
    opening: (-40.0,),
    opening_by_factor: (-55.0,),
    opening_of_1952: (20.0,),
    closing: (-54.0,),
    of_parameters: (2.0, 3.0),
    decay: (2.0, 0.0),
    share: (0.0, 1.5),
    planck: (0.0, 2.0),
    rest_of_a_sine: (0.0, 2.0),
    of_a_difference: (1.5, 1.5),
    growth: (0.0, 2.0),
    current: (0.0, 3.0),
}


@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_values_and_slopes_at_and_beside_the_gap(f, effort):
    d = derive(f, "value_and_grad", dtype="float64", optimize=effort)
    names = [p.name for p in d.primal.params]
    for shift in (0.0, 1e-9, 0.5):
        point = [x + shift * (1 + i) for i, x in enumerate(POINTS[f])]
        with precise.mp.workdps(precise.DIGITS):
            near = [mpf(x) + mpf("1e-20") * (1 + i) for i, x in enumerate(point)]
            beside = dict(zip(names, near, strict=True))
            (want,) = precise.values(d.primal.flat, beside)
        (rows,) = precise.jacobian(d.primal.flat, beside, names)
        for value, gradient in (d.reference(*point), d(*point)):
            assert value == pytest.approx(float(want), rel=1e-9)
            assert tuple(gradient) == pytest.approx(tuple(rows), rel=1e-6, abs=1e-6)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [rotation, motion])
def test_rotations_keep_their_digits_near_zero_in_float32(f):
    d = derive(f, "value_and_grad", dtype="float32")
    for x in (1e-6, 1e-4, 1e-2):
        (want,) = precise.jacobian(d.primal.flat, {"v": x, "k": 0.5 * x}, ["v", "k"])
        for _, gradient in (d.reference(x, 0.5 * x), d(x, 0.5 * x)):
            assert tuple(gradient) == pytest.approx(want, rel=2e-6, abs=1e-8)


def vasicek(v: float, k: float) -> float:
    return (1.0 - math.exp(-v * k)) / v


def falling(v: float, k: float) -> float:
    return 10.0 * (1.0 - math.exp(-2.0 * v * (k - 1.0))) / (3.0 * v)


def relaxing(v: float, k: float) -> float:
    return (math.exp(-k * k / v) - 1.0) / k


def arc(v: float, k: float) -> float:
    return math.atan(v * k) / v


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (vasicek, [(1.0, 10.0), (1.0, 30.0), (0.5, 0.01), (0.0, 2.0)]),
        (falling, [(2.0, 15.0), (1.0, 1.5), (0.0, 2.0)]),
        (relaxing, [(0.25, 2.5), (8.0, 0.5)]),
        (arc, [(1.0, 1e4), (2.0, 0.1), (0.0, 3.0)]),
    ],
)
def test_slopes_by_the_other_factor_keep_their_digits_far_away(f, points, dtype):
    """That of (1 - exp(-v*k))/v by k is exp(-v*k), however small."""
    d = derive(f, "value_and_grad", dtype=dtype)
    limit = 2e-6 if dtype == "float32" else 1e-14
    for point in points:
        near = {n: mpf(x) + mpf("1e-20") for n, x in zip("vk", point, strict=True)}
        (want,) = precise.jacobian(d.primal.flat, near, ["v", "k"])
        for _, gradient in (d.reference(*point), d(*point)):
            assert tuple(gradient) == pytest.approx(want, rel=limit)


def test_who_guards_a_quotient_pays_for_no_other_guard():
    def f(v: float, k: float) -> float:
        t = v + k
        return (1.0 - math.cos(t)) / (2.0 * t * t) if abs(t) > 0.01 else 0.25

    assert not any("ratio" in name for name in derive(f).report.substitutes)


def test_the_report_says_which_pattern_it_was():
    assert any("exprel_form" in name for name in derive(opening).report.substitutes)


def test_nothing_is_gained_where_the_program_divides_by_the_same_elsewhere():
    def f(v: float, k: float) -> float:
        return 2.0 * math.sin(k * v) / v + k / v

    derived = derive(f)
    assert not derived.report.substitutes
    assert "select" not in derived.report.counts_after


def _op(name, *args):
    return Term(name, args, None, REAL)


def _number(value):
    return const(value, REAL)


def test_multiples_of_a_sum_are_one_factor():
    total = _op("add", V, _number(40.0))
    other = _op("sub", _op("neg", _op("div", V, _number(8.0))), _number(5.0))
    found = Product.of(_op("div", _op("mul", other, K), _op("mul", total, total)))
    assert found is not None
    first, second = sorted(found.factors, key=lambda f: f.power)
    assert (first.power, second.power, second.term) == (-2, 2, K)  # in halves
    assert first.term in (total, other)
    assert abs(found.number) == (0.125 if first.term is total else 0.015625)


def test_a_product_is_built_again_as_the_same_number():
    total = _op("add", V, _number(40.0))
    term = _op("neg", _op("div", _op("mul", _number(3.0), total), _op("mul", K, K)))
    product = Product.of(term)
    assert product is not None
    built = product.build(RULES, V, REAL)
    point = {"v": 1.5, "k": 0.25}
    (want,), (found,) = (precise.values([t], point) for t in (_op("mul", V, term), built))
    assert float(want) == float(found)


def test_long_products_and_zeros_are_left_alone():
    term = V
    for i in range(100):
        term = _op("mul", term, var(f"x{i}", REAL))
    assert Product.of(term) is None
    assert Product.of(_op("mul", V, _number(0.0))) is None
    assert len(toposort([term])) == 201
