"""Functions of economics, physics and numerics where both sides of a quotient are 0, or infinite.

Each is compared with 200 digits beside the point, in values, slopes and second derivatives.
"""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive


def utility(c: float, g: float) -> float:
    """Constant relative risk aversion."""
    return (c ** (1.0 - g) - 1.0) / (1.0 - g)


def box_and_cox(x: float, k: float) -> float:
    return 3.0 * (x**k - 1.0) / k


def magnetization(x: float) -> float:
    """Langevin's function."""
    return 1.0 / math.tanh(x) - 1.0 / x


def optimal_bin(x: float) -> float:
    return x / math.tanh(x)


def shallow_water_speed(k: float, h: float) -> float:
    return math.tanh(k * h) / (k * h)


def exponential_integrator(h: float, a: float) -> float:
    return (math.exp(a * h) - 1.0 - a * h) / (a * h) ** 2


def spread(v: float, t: float) -> float:
    """Vasicek's."""
    return (v * t - 1.0 + math.exp(-v * t)) / (v * v)


def scattering(q: float, r: float) -> float:
    """The amplitude of a sphere."""
    return 3.0 * (math.sin(q * r) - q * r * math.cos(q * r)) / (q * r) ** 3


def spherical_bessel(x: float) -> float:
    return math.sin(x) / x**2 - math.cos(x) / x


def occupation(x: float) -> float:
    return math.exp(x) / (math.exp(x) - 1.0)


def heat_capacity(x: float) -> float:
    """Einstein's."""
    return x * x * math.exp(x) / (math.exp(x) - 1.0) ** 2


def log_mean_temperature(a: float, b: float) -> float:
    return (a - b) / math.log(a / b)


def log_mean(a: float, b: float) -> float:
    return (a - b) / (math.log(a) - math.log(b))


def grating(x: float) -> float:
    return math.sin(5.0 * x) / math.sin(x)


def weighted_mean_temperature(a: float, b: float, k: float) -> float:
    return k * (a - b) / math.log(a / b)


def weighted_log_ratio(x: float, k: float) -> float:
    return k * math.log(x) / (1.0 - x) * x


def turned_round(x: float, k: float) -> float:
    return k * (math.sqrt(x) - 1.0) / (2.0 * x - 2.0)


def bending(x: float, k: float) -> float:
    """Divided twice, not by the square."""
    return k * (1.0 - math.cos(x)) / x / x


def fisheye(x: float, y: float, z: float) -> float:
    """A camera that sees more than a half space."""
    r = math.sqrt(x * x + y * y)
    angle = math.atan2(r, z)
    return 450.0 * angle * (1.0 + 0.1 * angle * angle) * x / r


def rotation_angle(s: float, c: float, k: float) -> float:
    return k * math.atan2(s, c) / s


def driven(heading: float, v: float, w: float, t: float) -> float:
    """A unicycle along a bow, or straight on."""
    return v / w * (math.sin(heading + w * t) - math.sin(heading))


def driven_aside(heading: float, v: float, w: float, t: float) -> float:
    return v * (math.cos(heading) - math.cos(w * t + heading)) / w


def friction(v: float, s: float, f: float) -> float:
    """Coulomb's, smooth at rest, over the speed."""
    return f * math.tanh(s * v) / v


POINTS = {
    utility: [(2.0, 1.0), (2.0, 1.0 + 1e-6), (3.0, 0.5), (0.01, 3.0)],
    box_and_cox: [(2.0, 0.0), (2.0, 1e-5), (0.5, 2.0)],
    magnetization: [(0.0,), (1e-4,), (0.49,), (0.51,), (3.0,), (100.0,)],
    optimal_bin: [(0.0,), (1e-3,), (50.0,)],
    shallow_water_speed: [(0.0, 2.0), (1e-3, 1.0), (2.0, 1.0)],
    exponential_integrator: [(0.0, 2.0), (1e-3, 2.0), (-15.0, 2.0)],
    spread: [(0.0, 2.0), (1e-3, 2.0), (1.0, 2.0)],
    scattering: [(0.0, 2.0), (1e-3, 2.0), (1.0, 2.0)],
    spherical_bessel: [(0.0,), (1e-3,), (3.0,)],
    occupation: [(1.0,), (900.0,), (1e-3,)],
    heat_capacity: [(0.0,), (1e-3,), (1.0,), (900.0,)],
    log_mean_temperature: [(2.0, 2.0), (2.0, 2.0001), (1.0, 3.0)],
    log_mean: [(2.0, 2.0), (2.0, 2.0001)],
    grating: [(0.0,), (1e-3,), (1.0,)],
    weighted_mean_temperature: [(2.0, 2.0, 3.0), (2.0, 2.0001, 3.0), (1.0, 3.0, 3.0)],
    weighted_log_ratio: [(1.0, 2.0), (1.0001, 2.0), (3.0, 2.0)],
    turned_round: [(1.0, 2.0), (1.0001, 2.0), (3.0, 2.0)],
    bending: [(0.0, 2.0), (1e-4, 2.0), (1.0, 2.0)],
    fisheye: [(0.0, 0.0, 1.0), (1e-4, 2e-4, 1.0), (0.1, 0.2, 1.0), (0.3, 0.2, -0.5)],
    rotation_angle: [(0.0, 1.0, 2.0), (1e-4, 1.0, 2.0), (0.3, 1.0, 2.0), (0.3, -1.0, 2.0)],
    driven: [(0.3, 1.0, 0.0, 0.5), (0.3, 1.0, 1e-4, 0.5), (0.3, 1.0, 2.0, 0.5)],
    driven_aside: [(0.3, 1.0, 0.0, 0.5), (0.3, 1.0, 1e-4, 0.5), (0.3, 1.0, 2.0, 0.5)],
    friction: [
        (0.0, 2.0, 3.0),
        (1e-4, 2.0, 3.0),
        (0.124, 2.0, 3.0),
        (0.126, 2.0, 3.0),
        (2.0, 1.0, 3.0),
    ],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, POINTS[f], dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_second_derivatives_are_numbers(f):
    second_derivatives_are_numbers(f, POINTS[f])


def friction_that_is_smooth(vx: float, vy: float, s: float) -> float:
    speed = math.sqrt(vx * vx + vy * vy + 1e-6)
    return math.tanh(s * speed) * (vx + 2.0 * vy) / speed


def test_what_is_never_near_zero_divides_as_it_is():
    """A thousandth is far enough, in single precision, too."""
    exact, single = (derive(friction_that_is_smooth, dtype=d) for d in ("float64", "float32"))
    assert not exact.report.substitutes and not single.report.substitutes
    for point in ((0.0, 0.0, 2.0), (1e-4, 0.0, 0.5), (0.3, -0.2, 2.0)):
        want = wanted(friction_that_is_smooth, point)[1:]
        assert list(exact(*point, 1.0)) == pytest.approx(want, rel=1e-9, abs=1e-12)
        assert list(single(*point, 1.0)) == pytest.approx(want, rel=1e-3, abs=1e-3)
