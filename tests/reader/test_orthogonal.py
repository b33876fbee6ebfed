"""Sums of orthogonal polynomials and single ones, nodes and weights: as NumPy and SciPy say."""

import numpy as np
import pytest
import scipy.special as sc
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre
from truths import values_and_slopes_are_those_of


def of_legendre(a, b):
    return legendre.legval(a, [b, 1.0, a, 2.0])


def of_chebyshev(a, b):
    return np.polynomial.chebyshev.chebval(a, np.array([b, 1.0, 2.0, 0.3, a]))


def of_hermite(a, b):
    return hermite.hermval(a, (b, 1.0, 2.0, b))


def of_the_other_hermite(a, b):
    return hermite_e.hermeval(a, (b, 1.0, 2.0, b))


def of_laguerre(a, b):
    return laguerre.lagval(a, (b, 1.0, 2.0, b))


def of_an_array(a, b):
    c = [1.0, 0.5, 0.25]
    return legendre.legval(np.array([a, b, a * b]), c) @ np.array([1.0, 2.0, 3.0])


def of_one_coefficient(a, b):
    return legendre.legval(a, [2.0]) * b + chebyshev.chebval(a, [b, 3.0])


def single_ones(a, b):
    first = sc.eval_legendre(0, a) + sc.eval_legendre(3, a) + sc.eval_chebyt(4, b)
    return first * sc.eval_hermite(2, a) + sc.eval_hermitenorm(3, b) * sc.eval_laguerre(3, a * b)


def single_ones_of_an_array(a, b):
    return sc.eval_legendre(2, np.array([a, b])) @ np.array([1.0, b])


def quadratures(a, b):
    nodes, weights = legendre.leggauss(5)
    total = sum(w * np.exp(t * a + b) for t, w in zip(nodes, weights, strict=True))
    nodes, weights = hermite.hermgauss(3)
    return total * np.dot(weights, np.cos(nodes * a) * b)


@pytest.mark.parametrize(
    "f",
    [
        of_legendre,
        of_chebyshev,
        of_hermite,
        of_the_other_hermite,
        of_laguerre,
        of_an_array,
        of_one_coefficient,
        single_ones,
        single_ones_of_an_array,
        quadratures,
    ],
    ids=lambda f: f.__name__,
)
def test_values_and_slopes(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (-0.4, 0.45)])
