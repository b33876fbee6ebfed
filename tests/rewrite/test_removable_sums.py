"""Functions of finance, robotics and physics that have a value where they are 0/0 as written.

Each is compared with 200 digits beside the point, in values, slopes and second derivatives.
"""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive

pytestmark = pytest.mark.numbers


def annuity(r: float, n: float) -> float:
    return (1.0 - (1.0 + r) ** -n) / r


def savings(r: float, n: float, c: float) -> float:
    return c * ((1.0 + r) ** n - 1.0) / r


def monthly_payment(r: float, n: float, p: float) -> float:
    m = r / 12.0
    return p * m / (1.0 - (1.0 + m) ** (-n))


def geometric(x: float, n: float) -> float:
    return (1.0 - x**n) / (1.0 - x)


def brillouin(x: float, j: float) -> float:
    a = (2.0 * j + 1.0) / (2.0 * j)
    b = 1.0 / (2.0 * j)
    return a / math.tanh(a * x) - b / math.tanh(b * x)


def rotation_jacobian_inverse(t: float) -> float:
    return 1.0 / (t * t) - (1.0 + math.cos(t)) / (2.0 * t * math.sin(t))


def half_angles(t: float, a: float) -> float:
    return (1.0 - t * math.cos(t / 2.0) / (2.0 * math.sin(t / 2.0))) / (t * t) * a


def slerp(t: float, angle: float, p: float, q: float) -> float:
    return (math.sin((1.0 - t) * angle) * p + math.sin(t * angle) * q) / math.sin(angle)


def unicycle(x: float, v: float, w: float, t: float, heading: float) -> float:
    """As in books on probabilistic robotics."""
    return x - v / w * math.sin(heading) + v / w * math.sin(heading + w * t)


def bow(v: float, w: float, t: float, heading: float) -> float:
    r = v / w
    return -r * math.sin(heading) + r * math.sin(heading + w * t)


def kannala_brandt(x: float, y: float, z: float) -> float:
    """The polynomial of the angle written out."""
    r = math.sqrt(x * x + y * y)
    angle = math.atan2(r, z)
    return 400.0 * (angle + 0.1 * angle**3 + 0.01 * angle**5) / r * x


def hypot_fisheye(x: float, y: float, z: float) -> float:
    r = math.hypot(x, y)
    angle = math.atan2(r, z)
    return (angle + 0.1 * angle**3) * x / r


def wide_angle(x: float, y: float, w: float) -> float:
    """Devernay and Faugeras."""
    r = math.sqrt(x * x + y * y)
    return math.atan(2.0 * r * math.tan(w / 2.0)) / (w * r) * x


def braked(t: float, k: float, g: float) -> float:
    return g / k * t - g / (k * k) * (1.0 - math.exp(-k * t))


def braked_bracket(t: float, k: float, g: float) -> float:
    return (t - (1.0 - math.exp(-k * t)) / k) * g / k


def stumpff_c2(z: float) -> float:
    return (1.0 - math.cos(math.sqrt(z))) / z


def stumpff_c3(z: float) -> float:
    s = math.sqrt(z)
    return (s - math.sin(s)) / s**3


def stumpff_c3_hyperbolic(z: float) -> float:
    s = math.sqrt(z)
    return (math.sinh(s) - s) / s**3


def ewald(r: float, a: float) -> float:
    return math.erf(a * r) / r


def pores(p: float) -> float:
    """How much slower a reaction in a sphere is (Thiele)."""
    return 3.0 / (p * p) * (p / math.tanh(p) - 1.0)


def sabr(z: float, rho: float) -> float:
    root = math.sqrt(1.0 - 2.0 * rho * z + z * z)
    return z / math.log((root + z - rho) / (1.0 - rho))


def chain(x: float, w: float) -> float:
    return (math.cosh(w * x) - 1.0) / w


def switch(v: float, k: float, c: float) -> float:
    return c / (k + math.exp(v))


def block(v: float) -> float:
    """Magnesium's, of NMDA receptors."""
    return 1.0 / (1.0 + 3.57 * math.exp(-0.062 * v))


def planck(length: float, t: float) -> float:
    return 1.0 / (length**5 * (math.exp(1.0 / (length * t)) - 1.0))


def schottky(t: float, d: float) -> float:
    x = d / t
    return x * x * math.exp(x) / (1.0 + math.exp(x)) ** 2


def wave(k: float, z: float, h: float) -> float:
    return math.cosh(k * (z + h)) / math.cosh(k * h)


def polar_angle(x: float, y: float, z: float) -> float:
    return math.acos(z / math.sqrt(x * x + y * y + z * z))


def rest(x: float) -> float:
    return math.log(1.0 - math.exp(-x))


def gelu(x: float) -> float:
    return 0.5 * x * (1.0 + math.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


TURNED = [(0.0, 2.0), (1e-4, 2.0), (0.6, 2.0)]
POINTS = {
    annuity: [(0.0, 10.0), (1e-9, 10.0), (1e-4, 360.0), (0.1, 30.0), (0.6, 3.0)],
    savings: [(0.0, 10.0, 2.0), (1e-9, 10.0, 2.0), (0.1, 30.0, 2.0), (-0.3, 5.0, 2.0)],
    monthly_payment: [(0.0, 10.0, 2.0), (1e-9, 10.0, 2.0), (0.1, 30.0, 1.0)],
    geometric: [(1.0, 5.0), (1.0 + 1e-6, 5.0), (0.6, 3.0), (0.1, 3.0)],
    brillouin: [(0.0, 2.5), (1e-4, 2.5), (0.5, 2.5), (3.0, 2.5)],
    rotation_jacobian_inverse: [(0.0,), (1e-3,), (1.2,), (3.0,)],
    half_angles: TURNED,
    slerp: [(0.3, 0.0, 1.0, 2.0), (0.3, 1e-5, 1.0, 2.0), (0.3, 1.0, 1.0, 2.0)],
    unicycle: [(2.0, 1.0, w, 0.1, 0.3) for w in (0.0, 1e-5, 2.0)],
    bow: [(1.0, w, 0.1, 0.3) for w in (0.0, 1e-5, 2.0)],
    kannala_brandt: [(0.0, 0.0, 1.0), (1e-4, 2e-4, 1.0), (0.3, 0.2, -0.5)],
    hypot_fisheye: [(0.0, 0.0, 1.0), (1e-4, 2e-4, 1.0), (0.3, 0.2, -0.5)],
    wide_angle: [(0.0, 0.0, 0.9), (1e-4, 2e-4, 0.9), (0.3, 0.2, 0.9)],
    braked: [(1.0, k, 9.8) for k in (0.0, 1e-4, 2.0)],
    braked_bracket: [(1.0, k, 9.8) for k in (0.0, 1e-4, 2.0)],
    stumpff_c2: [(0.0,), (1e-6,), (2.0,)],
    stumpff_c3: [(0.0,), (1e-6,), (2.0,)],
    stumpff_c3_hyperbolic: [(0.0,), (1e-6,), (2.0,)],
    ewald: [(0.0, 1.0), (1e-4, 1.0), (0.2, 1.3), (2.0, 1.3)],
    pores: [(0.0,), (1e-2,), (0.6,), (9.0,)],
    sabr: [(0.0, 0.3), (1e-4, 0.3), (2.0, -0.5), (-0.1, 0.4), (0.11, -0.7), (-2.0, 0.5)],
    chain: [(1.0, 0.0), (1.0, 1e-5), (1.0, 2.0)],
    switch: [(0.0, 2.0, 3.0), (800.0, 2.0, 3.0), (-800.0, 2.0, 3.0)],
    block: [(0.0,), (-70.0,), (-20000.0,)],
    planck: [(1.0, 1.0), (0.01, 0.01), (100.0, 100.0)],
    schottky: [(1.0, 1.0), (1e-3, 1.0)],
    wave: [(2.0, -0.5, 3.0), (2.0, -0.5, 100.0)],
    polar_angle: [(1e-5, 1e-5, 1.0), (1.0, 2.0, 3.0), (1.0, 2.0, -3.0)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, POINTS[f], dtype, scaled=True)


@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_second_derivatives_are_numbers(f):
    second_derivatives_are_numbers(f, POINTS[f])


@pytest.mark.parametrize("f, x", [(rest, 1e-8), (rest, 50.0), (gelu, -6.0), (gelu, -4.5)])
def test_small_values_have_their_digits(f, x):
    d = derive(f, "value_and_grad", dtype="float32")
    want = wanted(f, [float(np.float32(x))])
    value, gradient = d(x)
    assert [value, *gradient] == pytest.approx(want, rel=1e-4, abs=0)
