"""Powers, logarithms and tails at the ends of their ranges, against 200 digits.

Extreme values, growth, entropies, mixtures, pipes, cameras and tyres, as they are written.
"""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive

# ------------------------------------------------------- powers of nearly 1 with large exponents


def excess(x: float, k: float) -> float:
    """What is beyond a threshold (Pareto, generalized)."""
    return (1.0 + k * x) ** (-1.0 / k)


def extreme_value(x: float, k: float, m: float, s: float) -> float:
    t = (1.0 + k * (x - m) / s) ** (-1.0 / k)
    return t ** (k + 1.0) * math.exp(-t) / s


def compounded(r: float, n: float, t: float) -> float:
    return (1.0 + r / n) ** (n * t)


def tsallis_exponential(x: float, q: float) -> float:
    return (1.0 + (1.0 - q) * x) ** (1.0 / (1.0 - q))


def declining_flow(t: float, d: float, b: float) -> float:
    """Arps's."""
    return 1.0 / (1.0 + b * d * t) ** (1.0 / b)


SHAPES = (0.0, 1e-15, -1e-9, 1e-6, -1e-3, 0.2)
POWERS = [
    (excess, [(0.3, k) for k in SHAPES]),
    (extreme_value, [(0.3, k, 0.1, 1.2) for k in SHAPES]),
    (compounded, [(0.05, n, 2.0) for n in (1.0, 12.0, 1e6, 1e12)]),
    (tsallis_exponential, [(0.5, 1.0 + k) for k in SHAPES]),
    (declining_flow, [(0.5, 1.0, abs(k)) for k in SHAPES]),
]


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), POWERS, ids=lambda p: getattr(p, "__name__", ""))
def test_powers_of_nearly_one(f, points, dtype):
    values_and_slopes_are_right(f, points, dtype, scaled=True)
    second_derivatives_are_numbers(f, points)


def test_a_power_with_a_negative_base_stays_a_number():
    d = derive(excess, "value_and_grad", dtype="float64")
    value, gradient = d(4.0, -0.5)
    assert (value, gradient.x) == (1.0, 1.0)


def test_what_a_branch_says_itself_is_left_to_it():
    def guarded(x: float, k: float) -> float:
        return (1.0 + k * x) ** (-1.0 / k) if abs(k) > 1e-6 else math.exp(-x)

    assert "log1p" not in derive(guarded, "primal").source


# ---------------------------------------------------------------------- logarithms beside powers


def entropy(x: float, y: float) -> float:
    return -x * math.log(x) - (1.0 - x) * math.log(1.0 - x) + y


def entropy_in_digits(x: float, y: float) -> float:
    return -y * x * math.log10(x)


def entropy_in_bits(x: float, y: float) -> float:
    return -y * x * math.log2(x)


def divergence(x: float, y: float) -> float:
    return x * math.log(x / y) + (1.0 - x) * math.log((1.0 - x) / (1.0 - y))


def deviance(x: float, y: float) -> float:
    """Poisson's."""
    return 2.0 * (x * math.log(x / y) - (x - y))


def next_entropy(x: float, y: float) -> float:
    return y * (1.0 - x) * math.log1p(-x)


def thin_plate(x: float, y: float) -> float:
    return y * x * x * math.log(x)


def of_product(x: float, y: float) -> float:
    return x * math.log(y * x)


@pytest.mark.numbers
@pytest.mark.parametrize(
    ("f", "at"),
    [
        *[(f, 0.0) for f in (entropy, entropy_in_digits, divergence, deviance, of_product)],
        *[(f, 1.0) for f in (entropy, divergence, next_entropy)],
        (thin_plate, 0.0),
    ],
)
def test_what_is_0_beside_an_infinite_logarithm(f, at):
    d = derive(f, "value_and_grad", dtype="float64")
    value, gradient = d(at, 0.3)
    limit = wanted(f, (abs(at - 1e-15), 0.3))
    assert value == pytest.approx(limit[0], abs=1e-12)
    assert gradient.y == pytest.approx(limit[2], abs=1e-12)
    assert f is thin_plate or math.isinf(gradient.x)
    values_and_slopes_are_right(f, [(0.2, 0.3), (0.9, 0.3)], "float64")


def test_an_entropy_in_bits():
    d = derive(entropy_in_bits, "value_and_grad")
    assert d(0.5, 1.0) == (0.5, (pytest.approx(1.0 - 1.0 / math.log(2.0)), 0.5))
    assert d(0.0, 1.0) == (0.0, (math.inf, 0.0))


# ---------------------------------------------------------------- sums of weighted exponentials


def mean_of_two(a: float, b: float) -> float:
    return math.log((math.exp(a) + math.exp(b)) / 2.0)


def mixture(a: float, b: float) -> float:
    return math.log(0.3 * math.exp(a) + math.exp(b) * 0.7)


def responsibility(a: float, b: float) -> float:
    return 0.3 * math.exp(a) / (0.3 * math.exp(a) + math.exp(b) / 2.0)


def partly_open(a: float, b: float) -> float:
    return b * math.log(0.5 * (1.0 + math.exp(a)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [mean_of_two, mixture, responsibility, partly_open])
def test_weighted_exponentials(f, dtype):
    points = [(0.5, 0.25), (1000.0, 999.0), (-1000.0, -999.0), (1000.0, -1000.0)]
    values_and_slopes_are_right(f, points, dtype, scaled=True)


# ----------------------------------------------------------------------------------- other limits


def log_of_normal(x: float) -> float:
    return math.log(0.5 * math.erfc(-x / 1.4142135623730951))


def log_of_tail(x: float) -> float:
    return math.log(math.erfc(x))


def pressure_loss(x: float) -> float:
    """Hazen and Williams's."""
    return 10.67 * x * abs(x) ** 0.852


def root_of_time(x: float) -> float:
    return x * x * 2.0 * x**-0.25


def two_level_heat(x: float) -> float:
    """Schottky's."""
    e = math.exp(1.0 / x)
    return (1.0 / x) * (1.0 / x) * e / (1.0 + e) ** 2


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (log_of_normal, [(x,) for x in (-1000.0, -30.0, -7.08, -7.06, -1.0, 0.0, 3.0)]),
        (log_of_tail, [(x,) for x in (1000.0, 30.0, 5.01, 4.99, 1.0, 0.5, -2.0)]),
        (pressure_loss, [(x,) for x in (0.0, 1e-9, -1e-3, 2.0)]),
        (root_of_time, [(x,) for x in (0.0, 1e-9, 1e-3, 2.0)]),
        (two_level_heat, [(x,) for x in (1e-9, 1e-3, 0.5, 20.0)]),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_values_and_slopes(f, points, dtype):
    values_and_slopes_are_right(f, points, dtype, scaled=dtype == "float32")


def equisolid(x: float, y: float) -> float:
    r = math.sqrt(x * x + y * y)
    return 2.0 * math.sin(0.5 * math.atan2(r, 1.0)) * x / r


def tyre(x: float, y: float) -> float:
    """Pacejka's, for slip in both directions."""
    s = math.sqrt(x * x + y * y)
    return x / s * math.sin(1.3 * math.atan(8.0 * s))


def inverse_jacobian(x: float, y: float) -> float:
    q = x * x + y * y
    t = math.sqrt(q)
    return x * y * (1.0 / q - (1.0 + math.cos(t)) / (2.0 * t * math.sin(t))) + x


def bearing(x: float, y: float) -> float:
    return math.acos(x / math.sqrt(x * x + y * y))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [equisolid, tyre, inverse_jacobian])
def test_functions_of_a_length_beside_its_direction(f, dtype):
    points = [(0.0, 0.0), (1e-9, 0.0), (1e-5, 2e-5), (1e-3, -1e-3), (0.3, 0.4)]
    values_and_slopes_are_right(f, points, dtype, scaled=True)
    second_derivatives_are_numbers(f, points)


def test_an_angle_in_the_plane_has_its_digits():
    points = [(1.0, 1e-12), (1.0, 1e-6), (-1.0, 1e-6), (1e-9, 2.0), (0.3, 0.4)]
    values_and_slopes_are_right(bearing, points, "float64")
