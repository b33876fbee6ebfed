"""Differences of a function at two points over the distance of these, where both are one.

Each is compared with 300 digits beside the point, in values, slopes and second derivatives.
"""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right


def of_tangents(a: float, b: float) -> float:
    return (math.tan(a) - math.tan(b)) / (a - b)


def of_hyperbolic_tangents(a: float, b: float) -> float:
    return (math.tanh(a) - math.tanh(b)) / (a - b)


def of_arcs(a: float, b: float) -> float:
    return (math.atan(a) - math.atan(b)) / (a - b)


def of_areas(a: float, b: float) -> float:
    return (math.atanh(a) - math.atanh(b)) / (a - b)


def of_sigmoids(a: float, b: float) -> float:
    return (1.0 / (1.0 + math.exp(-a)) - 1.0 / (1.0 + math.exp(-b))) / (a - b)


def of_cube_roots(a: float, b: float) -> float:
    return (math.cbrt(a) - math.cbrt(b)) / (a - b)


def of_powers(a: float, b: float) -> float:
    return (a**1.7 - b**1.7) / (a - b)


def of_logarithms(a: float, b: float) -> float:
    return (math.log(1.0 + a) - math.log(1.0 + b)) / (a - b)


def of_distributions(a: float, b: float) -> float:
    return 0.5 * (math.erfc(-a / math.sqrt(2.0)) - math.erfc(-b / math.sqrt(2.0))) / (a - b)


def loxodrome(p: float, q: float) -> float:
    """The parallels that a ship crosses over the parts of a map of Mercator's."""
    above = math.log(math.tan(0.7853981633974483 + 0.5 * q))
    return (q - p) / (above - math.log(math.tan(0.7853981633974483 + 0.5 * p)))


def truncated_mean(a: float, b: float) -> float:
    """That of a normal distribution between a and b, but for a factor."""
    above = math.exp(-0.5 * a * a) - math.exp(-0.5 * b * b)
    return above / (math.erf(b / math.sqrt(2.0)) - math.erf(a / math.sqrt(2.0)))


def extinction(b: float, a: float) -> float:
    """Of a population whose births and deaths have two rates, until the time 0.7."""
    gone = math.exp(-0.7 * (a - b))
    return b * (1.0 - gone) / (a - b * gone)


OF_TWO = (
    of_tangents,
    of_hyperbolic_tangents,
    of_arcs,
    of_areas,
    of_sigmoids,
    of_cube_roots,
    of_powers,
    of_logarithms,
    of_distributions,
    loxodrome,
    truncated_mean,
    extinction,
)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", OF_TWO, ids=lambda f: f.__name__)
def test_two_points_that_are_one_have_a_slope_between_them(f, dtype):
    near = 0.5 + (1e-3 if dtype == "float32" else 1e-9)
    points = [(0.5, 0.5), (0.5, near), (near, 0.5), (0.5, 0.75)]
    values_and_slopes_are_right(f, points, dtype)


def test_areas_near_their_poles_keep_their_digits():
    ends = (-0.9998, -0.5, 0.75, 0.9998)
    points = [(a, b) for a in ends for b in ends if a != b]
    values_and_slopes_are_right(of_areas, points, "float64")


@pytest.mark.numbers
@pytest.mark.parametrize("f", OF_TWO, ids=lambda f: f.__name__)
def test_their_second_derivatives_are_numbers(f):
    second_derivatives_are_numbers(f, [(0.5, 0.5), (0.25, 0.25)])


def blurred(x: float, w: float) -> float:
    """A box of half the width w at x, as a bell sees it."""
    return (math.erf(x + w) - math.erf(x - w)) / (2.0 * w)


def test_a_box_without_a_width_is_a_bell():
    values_and_slopes_are_right(blurred, [(0.5, 0.0), (0.5, 0.3), (-2.0, 0.0)], "float64")
    second_derivatives_are_numbers(blurred, [(0.5, 0.0)])


def tweedie(y: float, m: float, p: float) -> float:
    """The deviance of Tweedie's distributions: Poisson's where p is 1, Gamma's where it is 2."""
    first = y ** (2.0 - p) / ((1.0 - p) * (2.0 - p)) - y * m ** (1.0 - p) / (1.0 - p)
    return 2.0 * (first + m ** (2.0 - p) / (2.0 - p))


def alpha(p: float, r: float, a: float) -> float:
    """A divergence, which is Kullback's and Leibler's where a is 1, and the turned one at 0."""
    return (p**a * r ** (1.0 - a) - a * p - (1.0 - a) * r) / (a * (a - 1.0))


def beta(x: float, y: float, b: float) -> float:
    """A divergence, Itakura's and Saito's where b is 0, Kullback's and Leibler's where it is 1."""
    return (x**b + (b - 1.0) * y**b - b * x * y ** (b - 1.0)) / (b * (b - 1.0))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", [tweedie, alpha, beta], ids=lambda f: f.__name__)
def test_exponents_that_are_divided_by_at_two_places(f, dtype):
    gaps = (1.0, 2.0) if f is tweedie else (0.0, 1.0)
    near = 1e-3 if dtype == "float32" else 1e-9
    points = [(2.0, 3.0, gap + off) for gap in gaps for off in (0.0, near, -near, 0.3)]
    values_and_slopes_are_right(f, points, dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [tweedie, alpha, beta], ids=lambda f: f.__name__)
def test_their_second_derivatives_by_exponents_are_numbers(f):
    second_derivatives_are_numbers(f, [(2.0, 3.0, k) for k in (0.0, 1.0, 2.0)])


def latitude(y: float) -> float:
    return math.atan(math.sinh(y))


def test_latitudes_do_not_overflow():
    values_and_slopes_are_right(
        latitude, [(0.0,), (1e-9,), (40.0,), (800.0,), (-800.0,)], "float64"
    )


def mean_of_powers(f: float, k: float, b: float) -> float:
    """What volatilities of forwards are multiplied by where these are powers."""
    return (1.0 - b) * (f - k) / (f ** (1.0 - b) - k ** (1.0 - b))


def inverse_slope(x: float, y: float, c: float) -> float:
    return (x - y) / (math.tanh(c * x) - math.tanh(c * y))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", [mean_of_powers, inverse_slope], ids=lambda f: f.__name__)
def test_differences_of_two_variables_and_a_common_one_that_divide(f, dtype):
    points = [(2.0, 2.0, 0.5), (2.0, 1.9999, 0.5), (0.3, 0.5, 0.7), (1.5, 0.2, 1.3)]
    points += [(2.0, 2.0, 1.0), (2.0, 1.5, 1.001)] if f is mean_of_powers else []
    values_and_slopes_are_right(f, points, dtype)
    second_derivatives_are_numbers(f, points)


def test_a_power_of_0_beside_another_one_is_no_gap():
    values_and_slopes_are_right(mean_of_powers, [(1.0, 1e-12, 0.25)], "float64", scaled=True)
