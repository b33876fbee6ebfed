"""The functions of Python's `statistics`, written for the reader, which reads them.

Takes nothing; gives a function of Python for each name.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import LinearRegression
from typing import Any


def _mean(values):
    return sum(values) / len(values)


def _fmean(values, weights=None):
    if weights is None:
        return _mean(values)
    return sum(x * w for x, w in zip(values, weights, strict=True)) / sum(weights)


def _about(values, center=None):
    """The sum of the squares of what differs from the mean."""
    center = _mean(values) if center is None else center
    return sum((x - center) ** 2 for x in values)


def _median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _harmonic_mean(values, weights=None):
    weights = [1.0 for _ in values] if weights is None else weights
    return sum(weights) / sum(w / x for x, w in zip(values, weights, strict=True))


def _together(xs, ys):
    """The sum of the products of what differs from the means."""
    x_mean, y_mean = _mean(xs), _mean(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))


def _regression(xs, ys, *, proportional=False):
    if proportional:
        products = (x * y for x, y in zip(xs, ys, strict=True))
        return LinearRegression(sum(products) / sum(x * x for x in xs), 0.0)
    slope = _together(xs, ys) / _about(xs)
    return LinearRegression(slope, _mean(ys) - slope * _mean(xs))


STATISTICS: Mapping[str, Callable[..., Any]] = {
    "mean": _mean,
    "fmean": _fmean,
    "pvariance": lambda data, mu=None: _about(data, mu) / len(data),
    "variance": lambda data, xbar=None: _about(data, xbar) / (len(data) - 1),
    "pstdev": lambda data, mu=None: (_about(data, mu) / len(data)) ** 0.5,
    "stdev": lambda data, xbar=None: (_about(data, xbar) / (len(data) - 1)) ** 0.5,
    "median": _median,
    "median_low": lambda data: sorted(data)[(len(data) - 1) // 2],
    "median_high": lambda data: sorted(data)[len(data) // 2],
    "geometric_mean": lambda data: math.exp(sum(math.log(x) for x in data) / len(data)),
    "harmonic_mean": _harmonic_mean,
    "covariance": lambda x, y: _together(x, y) / (len(x) - 1),
    "correlation": lambda x, y: _together(x, y) / (_about(x) * _about(y)) ** 0.5,
    "linear_regression": _regression,
}
