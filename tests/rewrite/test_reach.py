"""Series beside a removable point are used as far as the function is its series, and no further."""

import math

import numpy as np
import pytest

from egad import derive, diff_pair

RULES = '''
def tent(x) -> y:
    """x, and from 1 on 2 - x."""
    y = x if x < 1 else 2 - x
    dy_dx = 1 if x < 1 else -1


def ramped(x) -> y:
    """A slope that is a step."""
    y = x + 0.5 * (abs(x - 0.75) - 0.75 + x)
    dy_dx = 1.5 + 0.5 * sign(x - 0.75)
'''


def triangle(x):
    return asin_sin(x) / x  # noqa: F821


def beside_a_corner(x):
    return (math.exp(x) - 1.0 - asin_sin(x)) / (x * x)  # noqa: F821


def tented(x):
    return tent(x) / x  # noqa: F821


def rampant(x):
    return (math.sin(x) - ramped(x)) / x  # noqa: F821


def exact(f, x):
    named = {
        "math": math,
        "asin_sin": lambda x: math.asin(math.sin(x)),
        "tent": lambda x: x if x < 1 else 2 - x,
        "ramped": lambda x: x + 0.5 * (abs(x - 0.75) - 0.75 + x),
    }
    return type(f)(f.__code__, named)(x)


LIMITS = {triangle: (1.0, 0.0), beside_a_corner: (0.5, 1 / 6), tented: (1.0, 0.0)}


@pytest.mark.parametrize("f", [triangle, beside_a_corner, tented, rampant])
def test_values_and_slopes_on_both_sides_of_a_corner(f, tmp_path):
    (tmp_path / "tents.rules").write_text(RULES)
    derived = derive(f, "fwd", rules=[str(tmp_path / "tents.rules")], dtype="float64")
    x = np.array([-4.3, -2.6, -1.9, -0.7, -0.2, 0.3, 0.6, 0.9, 1.1, 1.4, 1.9, 2.6, 3.7, 4.4])
    found, step = derived.reference(diff_pair(x, 1.0)), 1e-6
    np.testing.assert_allclose(found.p, [exact(f, v) for v in x], rtol=1e-12)
    slopes = [(exact(f, v + step) - exact(f, v - step)) / (2 * step) for v in x]
    np.testing.assert_allclose(found.d, slopes, rtol=1e-7, atol=1e-8)
    if f in LIMITS:
        there = derived.reference(diff_pair(0.0, 1.0))
        assert (there.p, there.d) == pytest.approx(LIMITS[f], rel=1e-12)
