"""Programs with distributions and special functions of SciPy, as people write them.

Every public function takes two real numbers; SciPy runs them too.
"""

import numpy as np
from scipy import stats
from scipy.special import logsumexp, ndtr, softmax, xlogy
from scipy.stats import norm

PRIOR = norm(0.5, scale=2.0)


def call_price(a, b, option_type="call"):
    """Black and Scholes, where spot and deviation are unknown."""
    strike, rate, years = 1.1, 0.05, 0.75
    if years <= 0:
        return np.maximum(a - strike, 0) if option_type == "call" else np.maximum(strike - a, 0)
    d1 = (np.log(a / strike) + (rate + 0.5 * b**2) * years) / (b * np.sqrt(years))
    d2 = d1 - b * np.sqrt(years)
    if option_type == "call":
        return a * norm.cdf(d1) - strike * np.exp(-rate * years) * norm.cdf(d2)
    elif option_type == "put":
        return strike * np.exp(-rate * years) * norm.cdf(-d2) - a * norm.cdf(-d1)
    else:
        raise ValueError("option_type must be 'call' or 'put'")


def negative_log_likelihood(a, b):
    data = np.array([0.3, -0.2, 1.7, 0.9])
    return -np.sum(norm.logpdf(data, loc=a, scale=np.exp(b))) - PRIOR.logpdf(a)


def imported_inside(a, b):
    from scipy.stats import poisson

    return poisson.logpmf(3, mu=a * b) + stats.gamma(a, scale=b).logpdf(1.2)


def cross_entropy(a, b):
    logits = np.array([[a, b, 0.1], [b, a * b, -0.4]])
    p = softmax(logits, axis=1)
    return -xlogy(np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]), p).sum() + logsumexp(logits)


def probit(a, b):
    p = ndtr(np.array([0.2, 1.0]) * a + b)
    return float(np.prod(np.where(np.array([True, False]), p, 1.0 - p)))
