"""Square roots that meet: where there is no less than 0 in them, a reciprocal is left."""

import math

import mpmath
import numpy as np
import pytest

import egad


def share(m, x, y, s):
    return (x / m.sqrt(abs(s))) * (y / m.sqrt(abs(s)))


def density(m, x, y, s):
    """The logarithm of a normal density whose variance is a square, less constants."""
    q = s * s * abs(y)
    return -0.5 * x * x / q - m.log(m.sqrt(q))


def turned(m, x, y, s):
    """An entry of the rotation by a normalised quaternion."""
    n = m.sqrt(1 + x * x + y * y + s * s)
    a, b, c = x / n, y / n, s / n
    return a * b + c / n


CASES = [share, density, turned]


def derived(f, mode, dtype="float64"):
    def of_floats(a, b, c):
        return f(np, a, b, c)

    of_floats.__name__ = f.__name__
    return egad.derive(of_floats, mode, dtype=dtype, cache=False)


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slopes_are_right_and_have_no_root(f, dtype):
    slope = derived(f, "jacobian", dtype)
    assert not {"sqrt", "rsqrt", "hypot"} & set(slope.report.counts_after)
    drawn = np.random.default_rng(7).uniform(-2.0, 2.0, (20, 3))
    for point in [(0.75, -0.8, -0.6), *drawn]:
        at = [float(x) for x in np.asarray(point, dtype)]
        with mpmath.workdps(60):
            wanted = [
                float(mpmath.diff(lambda *p: f(mpmath, *p), at, tuple(np.eye(3, dtype=int)[i])))
                for i in range(3)
            ]
        # An entry that nearly vanishes is the difference of terms as large as the others.
        rounding = 4 * np.finfo(dtype).eps * np.max(np.abs(wanted))
        assert np.allclose(slope(*at), wanted, rtol=0, atol=rounding)
        assert np.allclose(slope.reference(*at), wanted, rtol=0, atol=rounding)


def test_where_the_root_is_0():
    assert derived(share, "primal")(1.0, 2.0, 0.0) == math.inf
    assert derived(share, "primal")(-1.0, 2.0, -0.0) == -math.inf


def test_where_there_is_no_root_there_is_no_number():
    def of_any(x, s):
        return x / np.sqrt(s) / np.sqrt(s) + x / s

    d = egad.derive(of_any, "primal", dtype="float64", cache=False)
    assert math.isnan(d(1.0, -4.0)) and d(1.0, 4.0) == 0.5


def test_constants_go_out_of_roots_and_lengths():
    """The direction of a vector is that of its third."""

    def speed(x: float, y: float) -> float:
        return math.hypot(3.0 * x, 3.0 * y)

    def swing(x: float, y: float) -> float:
        return math.sqrt(4.0 * x) * y + 3.0 * math.sqrt(x)

    d = egad.derive(speed, "jacobian", dtype="float64", cache=False)
    assert d.report.counts_after["mul"] == 2
    assert tuple(d(3.0, -4.0)) == pytest.approx((1.8, -2.4), rel=1e-15)
    assert tuple(d(0.0, 0.0)) == (0.0, 0.0)
    d = egad.derive(swing, "jacobian", dtype="float64", cache=False)
    assert d.report.counts_after["sqrt"] == 1
    assert tuple(d(0.25, 2.0)) == pytest.approx((7.0, 1.0), rel=1e-15)
