"""Distributions of `scipy.stats`, in Python: they are read as objects of a user are.

Takes a distribution, or one with its parameters ("frozen"), gives an object with the methods that
have closed forms: densities, probabilities below and above, their logarithms, and what has a given
probability below or above it. SciPy is not imported for it: an object of SciPy is there where it
is. The families are in scipy_families.py.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined,attr-defined"
# ruff: noqa: F821  # egad's words are known to all that is read

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from .collected import as_read, instances_of
from .structs import register

C = TypeVar("C", bound=type)


class _Distribution:
    """A family by what it is at loc = 0 and scale = 1; the names of its shapes, in order."""

    _shapes: ClassVar[tuple[str, ...]] = ()

    def __call__(self, *args, **named):
        return _Frozen(self, _parameters(self, args, named))


class Continuous(_Distribution):
    """One with a density."""

    def pdf(self, x, *args, **named):
        """The density at x."""

        def density(x, loc, scale, *shapes):
            return self._pdf((x - loc) / scale, *shapes) / scale

        return np.vectorize(density)(x, *_parameters(self, args, named))

    def logpdf(self, x, *args, **named):
        """Its logarithm."""

        def density(x, loc, scale, *shapes):
            return self._logpdf((x - loc) / scale, *shapes) - log(scale)

        return np.vectorize(density)(x, *_parameters(self, args, named))

    def cdf(self, x, *args, **named):
        """The probability of x and below."""
        return _at(self._cdf, x, _parameters(self, args, named))

    def sf(self, x, *args, **named):
        """The probability above x."""
        return _at(self._sf, x, _parameters(self, args, named))

    def logcdf(self, x, *args, **named):
        """The logarithm of the probability of x and below."""
        return _at(self._logcdf, x, _parameters(self, args, named))

    def logsf(self, x, *args, **named):
        """The logarithm of the probability above x."""
        return _at(self._logsf, x, _parameters(self, args, named))

    def ppf(self, q, *args, **named):
        """The value that has the probability q below it."""
        return _scaled(self._ppf, q, _parameters(self, args, named))

    def isf(self, q, *args, **named):
        """The value that has the probability q above it."""
        return _scaled(self._isf, q, _parameters(self, args, named))

    def median(self, *args, **named):
        """The value that has as much below it as above it."""
        return self.ppf(0.5, *args, **named)

    def _pdf(self, z, *shapes):
        return exp(self._logpdf(z, *shapes))

    def _cdf(self, z, *shapes):
        raise ValueError("the probability below a value has no closed form for this distribution")

    def _sf(self, z, *shapes):
        raise ValueError("the probability above a value has no closed form for this distribution")

    def _ppf(self, q, *shapes):
        raise ValueError("the value above a probability has no closed form for this distribution")

    def _isf(self, q, *shapes):
        raise ValueError("the value below a probability has no closed form for this distribution")

    def _logcdf(self, z, *shapes):
        return log(self._cdf(z, *shapes))

    def _logsf(self, z, *shapes):
        return log(self._sf(z, *shapes))


class Discrete(_Distribution):
    """One over whole numbers, with probabilities of each."""

    def pmf(self, k, *args, **named):
        """The probability of k."""
        return exp(self.logpmf(k, *args, **named))

    def logpmf(self, k, *args, **named):
        """Its logarithm."""
        loc, _, *shapes = _parameters(self, args, named)
        return _at(self._logpmf, k, (loc, 1.0, *shapes))


def _at(of_z, x, parameters):
    """What a function of (x - loc)/scale and the shapes gives, of each number where x is many."""

    def scaled(x, loc, scale, *shapes):
        return of_z((x - loc) / scale, *shapes)

    return np.vectorize(scaled)(x, *parameters)


def _scaled(of_q, q, parameters):
    """What a function of a probability and the shapes gives, at its loc and scale."""

    def value(q, loc, scale, *shapes):
        return loc + scale * of_q(q, *shapes)

    return np.vectorize(value)(q, *parameters)


def _parameters(family, args, named):
    """`loc`, `scale` and the shapes, in this order, of what stands behind the first argument."""
    n = len(family._shapes)
    for name in named:
        if name not in (*family._shapes, "loc", "scale"):
            raise TypeError(f"this distribution has no parameter {name}")
    for name in family._shapes[len(args) :]:
        if name not in named:
            raise TypeError(f"this distribution needs its parameter {name}")
    if len(args) > n + 2:
        raise TypeError(f"this distribution has {n + 2} parameters, not {len(args)}")
    shapes = [*args[:n], *[named[name] for name in family._shapes[len(args) :]]]
    rest = args[n:]
    loc = rest[0] if len(rest) > 0 else named.get("loc", 0.0)
    scale = rest[1] if len(rest) > 1 else named.get("scale", 1.0)
    return (loc, scale, *shapes)


class _Frozen:
    """A distribution with its parameters."""

    _family: Any
    _parameters: Any

    def __init__(self, family, parameters):
        self._family, self._parameters = family, parameters

    def _with(self, x):
        loc, scale, *shapes = self._parameters
        return (x, *shapes, loc, scale)

    def pdf(self, x):
        return self._family.pdf(*self._with(x))

    def logpdf(self, x):
        return self._family.logpdf(*self._with(x))

    def cdf(self, x):
        return self._family.cdf(*self._with(x))

    def sf(self, x):
        return self._family.sf(*self._with(x))

    def logcdf(self, x):
        return self._family.logcdf(*self._with(x))

    def logsf(self, x):
        return self._family.logsf(*self._with(x))

    def ppf(self, q):
        return self._family.ppf(*self._with(q))

    def isf(self, q):
        return self._family.isf(*self._with(q))

    def median(self):
        loc, scale, *shapes = self._parameters
        return self._family.median(*shapes, loc, scale)

    def pmf(self, k):
        return self._family.pmf(*self._with(k))

    def logpmf(self, k):
        return self._family.logpmf(*self._with(k))


def _thawed(frozen):
    """A frozen distribution of SciPy as one of these; None where there is none like it."""
    family = as_read(frozen.dist)
    return None if family is None else family(*frozen.args, **frozen.kwds)


for _cls, _name in (
    (_Distribution, "distribution"),
    (Continuous, "distribution"),
    (Discrete, "distribution"),
    (_Frozen, "frozen distribution"),
):
    _cls.__name__ = _name  # as messages call it
    register(_cls, {})


def family(kind: str) -> Callable[[C], C]:
    """Makes a class stand for the distribution of its name that SciPy has."""

    def decorated(cls: C) -> C:
        cls.__name__ = cls.__name__.lstrip("_")  # as messages call it
        register(cls, {})
        instances_of(f"scipy.stats._{kind}_distns.{cls.__name__}_gen", lambda _: cls())
        return cls

    return decorated


for _kind in ("continuous", "discrete"):
    instances_of(f"scipy.stats._distn_infrastructure.rv_{_kind}_frozen", _thawed)
