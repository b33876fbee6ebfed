"""Programs with normal distributions of Python's own library."""

import math
from statistics import NormalDist

STANDARD = NormalDist()
SHARED = NormalDist(0.5, 2.0)


def call_price(a: float, b: float) -> float:
    deviation = 0.4 * math.sqrt(1.5)
    d = math.log(a * a / 1.1) / deviation + 0.5 * deviation
    return a * a * STANDARD.cdf(d) - (1.1 + b) * STANDARD.cdf(d - deviation)


def made_inside(a: float, b: float) -> float:
    d = NormalDist(mu=a, sigma=1.0 + b * b)
    return d.pdf(b) + d.zscore(a * b) * d.cdf(0.3) + d.variance + d.stdev - d.mean * d.median


def arithmetic(a: float, b: float) -> float:
    d = NormalDist(a, 0.5) * 3 + NormalDist(b, 1.2) - 0.25
    e = 2.0 - (-d) / 4
    return e.mean * e.stdev + (1.0 + e).pdf(a) + (SHARED + d).cdf(b) + (+d).mode


def from_samples(a: float, b: float) -> float:
    d = NormalDist.from_samples([a, b, a * b, 2.0])
    return d.cdf(1.0) * d.stdev


def chosen(a: float, b: float) -> float:
    d = NormalDist(a, 1.0) if a > b else NormalDist(b, 2.0)
    return d.cdf(0.2) + (d == NormalDist(a, 1.0)) + len([d, STANDARD])


def quantiles(a: float, b: float) -> float:
    d = NormalDist(a, b * b)
    return d.inv_cdf(0.1 + 0.05 * a) * STANDARD.inv_cdf(0.9)
