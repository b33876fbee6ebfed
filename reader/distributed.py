"""`statistics.NormalDist`, in Python: it is read as a class of a user is.

Takes the class of Python, gives the one that stands for it. Far below the mean `cdf` has all its
digits, where Python's is `0.5*(1 + erf(z))` and ends as 0; `inv_cdf` is infinite at 0 and 1.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821  # egad's words are known to all that is read

from __future__ import annotations

import math
import statistics

from .collected import stands_for


@stands_for(statistics.NormalDist, lambda known: (known.mean, known.stdev))
class _NormalDist:
    """A normal distribution by its mean and its standard deviation."""

    _mu: float
    _sigma: float

    def __init__(self, mu=0.0, sigma=1.0):
        self._mu, self._sigma = mu, sigma

    @classmethod
    def from_samples(cls, data):
        return cls(statistics.mean(data), statistics.stdev(data))

    def pdf(self, x):
        z = self.zscore(x)
        return math.exp(-0.5 * (z * z)) / (math.sqrt(math.tau) * self._sigma)

    def cdf(self, x):
        return 0.5 * math.erfc((self._mu - x) / (self._sigma * math.sqrt(2.0)))

    def inv_cdf(self, p):
        return self._mu + self._sigma * ndtri(p)

    def zscore(self, x):
        return (x - self._mu) / self._sigma

    @property
    def mean(self):
        return self._mu

    median = mode = mean

    @property
    def stdev(self):
        return self._sigma

    @property
    def variance(self):
        return self._sigma * self._sigma

    def __add__(self, other):
        if isinstance(other, _NormalDist):
            return _NormalDist(self._mu + other._mu, math.hypot(self._sigma, other._sigma))
        return _NormalDist(self._mu + other, self._sigma)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, factor):
        return _NormalDist(self._mu * factor, self._sigma * abs(factor))

    def __truediv__(self, divisor):
        return self * (1.0 / divisor)

    def __pos__(self):
        return _NormalDist(self._mu, self._sigma)

    def __neg__(self):
        return _NormalDist(-self._mu, self._sigma)

    def __radd__(self, other):
        return self + other

    def __rsub__(self, other):
        return -self + other

    def __rmul__(self, factor):
        return self * factor

    def __eq__(self, other):
        return self._mu == other._mu and self._sigma == other._sigma
