"""Families of distributions at loc = 0 and scale = 1, as SciPy has them; tails have all digits.

Takes z and the shapes, gives densities and probabilities, or their logarithms, whichever a family
says: what is missing follows from these. Takes a probability q and the shapes, gives what has it
below or above: at 0 and 1 the ends of the family, outside of them no number.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821  # egad's words are known to all that is read

from __future__ import annotations

import math

from .scipy_special import betaln, log_ndtr, ndtr, xlog1py, xlogy
from .scipy_stats import Continuous, Discrete, family

_ROOT_HALF = math.sqrt(0.5)
_LOG_ROOT_TAU = 0.5 * math.log(math.tau)


def _within(q, value):
    """What has the probability q, where a formula alone does not know that q is none."""
    return value if 0 <= q <= 1 else math.nan


@family("continuous")
class _norm(Continuous):
    def _logpdf(self, z):
        return -0.5 * z * z - _LOG_ROOT_TAU

    def _cdf(self, z):
        return ndtr(z)

    def _sf(self, z):
        return ndtr(-z)

    def _logcdf(self, z):
        return log_ndtr(z)

    def _logsf(self, z):
        return log_ndtr(-z)

    def _ppf(self, q):
        return ndtri(q)

    def _isf(self, q):
        return -ndtri(q)


@family("continuous")
class _lognorm(Continuous):
    _shapes = ("s",)

    def _logpdf(self, z, s):
        if z <= 0:
            return -math.inf
        y = log(z)
        return -0.5 * (y / s) ** 2 - _LOG_ROOT_TAU - log(s) - y

    def _cdf(self, z, s):
        return 0.0 if z <= 0 else ndtr(log(z) / s)

    def _sf(self, z, s):
        return 1.0 if z <= 0 else ndtr(-log(z) / s)

    def _ppf(self, q, s):
        return exp(s * ndtri(q))

    def _isf(self, q, s):
        return exp(-s * ndtri(q))


@family("continuous")
class _halfnorm(Continuous):
    def _logpdf(self, z):
        return -math.inf if z < 0 else -0.5 * z * z + 0.5 * math.log(2.0 / math.pi)

    def _cdf(self, z):
        return 0.0 if z < 0 else erf(_ROOT_HALF * z)

    def _sf(self, z):
        return 1.0 if z < 0 else erfc(_ROOT_HALF * z)

    def _ppf(self, q):
        return math.sqrt(2.0) * erfinv(q if q >= 0 else math.nan)

    def _isf(self, q):
        return math.sqrt(2.0) * erfcinv(q if q <= 1 else math.nan)


@family("continuous")
class _expon(Continuous):
    def _logpdf(self, z):
        return -math.inf if z < 0 else -z

    def _cdf(self, z):
        return 0.0 if z < 0 else -expm1(-z)

    def _sf(self, z):
        return 1.0 if z < 0 else exp(-z)

    def _logsf(self, z):
        return 0.0 if z < 0 else -z

    def _ppf(self, q):
        return -log1p(-q) if q >= 0 else math.nan

    def _isf(self, q):
        return -log(q) if q <= 1 else math.nan


_EXPON = _expon()


@family("continuous")
class _uniform(Continuous):
    def _pdf(self, z):
        return 1.0 if 0 <= z <= 1 else 0.0

    def _logpdf(self, z):
        return 0.0 if 0 <= z <= 1 else -math.inf

    def _cdf(self, z):
        return clamp(z, 0.0, 1.0)

    def _sf(self, z):
        return clamp(1.0 - z, 0.0, 1.0)

    def _ppf(self, q):
        return _within(q, q)

    def _isf(self, q):
        return _within(q, 1.0 - q)


@family("continuous")
class _logistic(Continuous):
    def _logpdf(self, z):
        return -abs(z) - 2.0 * softplus(-abs(z))

    def _cdf(self, z):
        return sigmoid(z)

    def _sf(self, z):
        return sigmoid(-z)

    def _logcdf(self, z):
        return -softplus(-z)

    def _logsf(self, z):
        return -softplus(z)

    def _ppf(self, q):
        return log(q / (1.0 - q))

    def _isf(self, q):
        return -self._ppf(q)


@family("continuous")
class _laplace(Continuous):
    def _logpdf(self, z):
        return -abs(z) - math.log(2.0)

    def _cdf(self, z):
        return 0.5 * exp(z) if z < 0 else 1.0 - 0.5 * exp(-z)

    def _sf(self, z):
        return self._cdf(-z)

    def _ppf(self, q):
        return log(2.0 * q) if q < 0.5 else -log(2.0 * (1.0 - q))

    def _isf(self, q):
        return -self._ppf(q)


@family("continuous")
class _cauchy(Continuous):
    def _pdf(self, z):
        return 1.0 / (math.pi * (1.0 + z * z))

    def _logpdf(self, z):
        return -log1p(z * z) - math.log(math.pi)

    def _cdf(self, z):
        return atan2(1.0, -z) / math.pi

    def _sf(self, z):
        return atan2(1.0, z) / math.pi

    def _ppf(self, q):
        # Far out by the angle from the axis, where pi*(q - 1/2) has lost it.
        if q < 0.25:
            return _within(q, -1.0 / tan(math.pi * q))
        if q > 0.75:
            return _within(q, 1.0 / tan(math.pi * (1.0 - q)))
        return tan(math.pi * (q - 0.5))

    def _isf(self, q):
        return -self._ppf(q)


@family("continuous")
class _gumbel_r(Continuous):
    def _logpdf(self, z):
        return -z - exp(-z)

    def _cdf(self, z):
        return exp(-exp(-z))

    def _sf(self, z):
        return -expm1(-exp(-z))

    def _logcdf(self, z):
        return -exp(-z)

    def _ppf(self, q):
        return -log(-log(q))

    def _isf(self, q):
        return -log(-log1p(-q))


@family("continuous")
class _rayleigh(Continuous):
    def _pdf(self, z):
        return 0.0 if z < 0 else z * exp(-0.5 * z * z)

    def _logpdf(self, z):
        return -math.inf if z < 0 else log(z) - 0.5 * z * z

    def _cdf(self, z):
        return 0.0 if z < 0 else -expm1(-0.5 * z * z)

    def _sf(self, z):
        return 1.0 if z < 0 else exp(-0.5 * z * z)

    def _logsf(self, z):
        return 0.0 if z < 0 else -0.5 * z * z

    def _ppf(self, q):
        return sqrt(-2.0 * log1p(-q))

    def _isf(self, q):
        return sqrt(-2.0 * log(q))


@family("continuous")
class _weibull_min(Continuous):
    _shapes = ("c",)

    def _pdf(self, z, c):
        return 0.0 if z < 0 else c * z ** (c - 1.0) * exp(-(z**c))

    def _logpdf(self, z, c):
        return -math.inf if z < 0 else log(c) + (c - 1.0) * log(z) - z**c

    def _cdf(self, z, c):
        return 0.0 if z < 0 else -expm1(-(z**c))

    def _sf(self, z, c):
        return 1.0 if z < 0 else exp(-(z**c))

    def _logsf(self, z, c):
        return 0.0 if z < 0 else -(z**c)

    def _ppf(self, q, c):
        return _EXPON._ppf(q) ** (1.0 / c)

    def _isf(self, q, c):
        return _EXPON._isf(q) ** (1.0 / c)


@family("continuous")
class _pareto(Continuous):
    _shapes = ("b",)

    def _logpdf(self, z, b):
        return -math.inf if z < 1 else log(b) - (b + 1.0) * log(z)

    def _cdf(self, z, b):
        return 0.0 if z < 1 else -expm1(-b * log(z))

    def _sf(self, z, b):
        return 1.0 if z < 1 else z**-b

    def _logsf(self, z, b):
        return 0.0 if z < 1 else -b * log(z)

    def _ppf(self, q, b):
        return exp(_EXPON._ppf(q) / b)

    def _isf(self, q, b):
        return _within(q, q ** (-1.0 / b))


@family("continuous")
class _gamma(Continuous):
    _shapes = ("a",)

    def _logpdf(self, z, a):
        return -math.inf if z < 0 else xlogy(a - 1.0, z) - z - lgamma(a)


@family("continuous")
class _chi2(Continuous):
    _shapes = ("df",)

    def _logpdf(self, z, df):
        if z < 0:
            return -math.inf
        half = 0.5 * df
        return xlogy(half - 1.0, z) - 0.5 * z - lgamma(half) - half * math.log(2.0)


@family("continuous")
class _beta(Continuous):
    _shapes = ("a", "b")

    def _logpdf(self, z, a, b):
        if z < 0 or z > 1:
            return -math.inf
        return xlogy(a - 1.0, z) + xlog1py(b - 1.0, -z) - betaln(a, b)


@family("continuous")
class _t(Continuous):
    _shapes = ("df",)

    def _logpdf(self, z, df):
        size = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * log(math.pi * df)
        return size - 0.5 * (df + 1.0) * log1p(z * z / df)


@family("discrete")
class _poisson(Discrete):
    _shapes = ("mu",)

    def _logpmf(self, k, mu):
        if k < 0 or k != floor(k):
            return -math.inf
        return xlogy(k, mu) - mu - lgamma(k + 1.0)


@family("discrete")
class _binom(Discrete):
    _shapes = ("n", "p")

    def _logpmf(self, k, n, p):
        if k < 0 or k > n or k != floor(k):
            return -math.inf
        ways = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)
        return ways + xlogy(k, p) + xlog1py(n - k, -p)
