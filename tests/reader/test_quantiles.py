"""Normal quantiles against mpmath, from end to end; outside of probabilities there is no number."""

import mpmath
import numpy as np
import pytest
from scipy.special import erfcinv, erfinv, ndtri
from scipy.stats import (
    cauchy,
    expon,
    gumbel_r,
    halfnorm,
    laplace,
    logistic,
    lognorm,
    norm,
    pareto,
    rayleigh,
    uniform,
    weibull_min,
)

from egad import derive

pytestmark = pytest.mark.numbers

TINY = {"float32": 1e-37, "float64": 1e-300}
FUNCTIONS = {
    "ndtri": (lambda x: ndtri(x), 0, 1),
    "erfinv": (lambda x: erfinv(x), -1, 1),
    "erfcinv": (lambda x: erfcinv(x), 0, 2),
}
FAMILIES = [
    *(norm, halfnorm, expon, uniform, logistic, laplace, cauchy, gumbel_r, rayleigh),
    *(lognorm(0.7), weibull_min(1.7), pareto(0.5)),
]
OUT_AND_IN = (-0.5, -1e-9, 0.0, 1e-300, 1e-20, 0.2, 0.5, 0.7, 1 - 1e-9, 1.0, 1 + 1e-9, 3.0, np.nan)


def tail(p):
    """The y with erfc(y)/2 = p <= 1/2, by Newton's steps on logarithms."""
    y = mpmath.sqrt(-mpmath.log(2 * p))
    for _ in range(100):
        q = mpmath.erfc(y) / 2
        y += mpmath.log(q / p) * q * mpmath.sqrt(mpmath.pi) * mpmath.exp(y * y)
    return y


def exact(name, x):
    """The value, and the slope by which it follows."""
    x = mpmath.mpf(float(x))
    if name == "erfinv":
        y = mpmath.erfinv(x)
        return y, mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(y * y)
    p = x if name == "ndtri" else x / 2
    y = -tail(p) if p < 0.5 else tail(1 - p)
    slope = mpmath.sqrt(mpmath.pi) * mpmath.exp(y * y)
    if name == "ndtri":
        return mpmath.sqrt(2) * y, mpmath.sqrt(2) * slope
    return -y, -slope / 2


def samples(name, dtype):
    """Both tails, the middle, and where one formula follows another."""
    real, eps = np.dtype(dtype).type, np.finfo(dtype).eps
    _, low, high = FUNCTIONS[name]
    near = [TINY[dtype], 1e-30, 1e-11, 1e-3, 0.0749, 0.0751, 0.15, 0.3, 0.49, 0.8, 0.999]
    found = [real(low) + real(v) for v in near] if name != "erfinv" else [real(v) for v in near]
    found += [real(high) - real(v) for v in (4 * eps, 1e-4, 0.0751, 0.14, 0.2)]
    return [*found, *(-v for v in found)] if name == "erfinv" else found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_slopes_have_all_their_digits(name, dtype):
    derived = derive(FUNCTIONS[name][0], "value_and_grad", dtype=dtype)
    eps = float(np.finfo(dtype).eps)
    for x in samples(name, dtype):
        with mpmath.workdps(60):
            want, slope = exact(name, x)
            size = 1 + want * want  # of the exponent, whose rounding the slope has
        for way in (derived, derived.reference):
            value, grad = way(x)
            assert float(abs(value / want - 1)) <= 4 * eps, (x, value, want)
            assert float(abs(grad.x / slope - 1)) <= 4 * eps * float(size), (x, grad, slope)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_ends_are_infinite_and_outside_is_no_number(name, dtype):
    f, low, high = FUNCTIONS[name]
    derived = derive(f, "value_and_grad", dtype=dtype)
    sign = -1 if name == "erfcinv" else 1
    for way in (derived, derived.reference):
        assert way(float(low)) == (-sign * np.inf, (sign * np.inf,))
        assert way(float(high)) == (sign * np.inf, (sign * np.inf,))
        assert all(np.isnan(way(x)[0]) for x in (low - 0.5, high + 0.5, np.nan, np.inf, -np.inf))


def test_second_derivatives_follow_from_the_value():
    derived = derive(lambda p: norm.ppf(p), "hessian", dtype="float64")
    for p in (1e-100, 0.02, 0.3, 0.5, 0.99):
        with mpmath.workdps(60):
            y, slope = exact("ndtri", p)
            want = float(y * slope * slope)
        assert derived(p).p.p == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: getattr(f, "name", None) or f.dist.name)
def test_quantiles_of_families_have_the_ends_of_scipy(family):
    below = derive(lambda q: family.ppf(q), "primal", dtype="float64")
    above = derive(lambda q: family.isf(q), "primal", dtype="float64")
    for q in OUT_AND_IN:
        with np.errstate(all="ignore"):
            known = (below, family.ppf(q)), (above, family.isf(q))
        for found, want in known:
            for way in (found, found.reference):
                rtol = 1e-8 if q > 0.9 else 1e-14  # some of SciPy are rounded to 1 - q
                np.testing.assert_allclose(way(q), want, rtol=rtol, atol=1e-16)
