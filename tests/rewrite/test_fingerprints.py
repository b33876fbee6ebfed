"""Fingerprints of constants: square roots and powers of pi multiply as these do."""

import random
from functools import reduce

import mpmath
import numpy as np
import pytest
from test_regroup import mul

import egad
from egad.rewrite.fingerprints import PRIME, SMALL, Fingerprints, root
from egad.terms.term import const, toposort
from egad.terms.types import Scalar

FROM = {"two": 2.0, "half": 0.5, "pi": np.pi, "three": 3.0, "fifth": 0.2, "seven": 7.0}


@pytest.mark.parametrize("prime", [PRIME, SMALL])
def test_constants_multiply_as_the_numbers_that_they_stand_for(prime):
    assert prime % 840 == 839
    rng = random.Random(1)
    for _ in range(300):
        each = [FROM[rng.choice(list(FROM))] for _ in range(4)]
        roots = [const(float(np.sqrt(x)), Scalar.F64) for x in each]
        product = const(float(np.sqrt(np.prod(each))), Scalar.F64)
        flat = [reduce(mul, roots), product]
        if root(float(np.sqrt(np.prod(each)))) or np.pi not in each:
            prints = Fingerprints(toposort(flat), prime)
            assert prints[flat[0]] == prints[flat[1]], each


def test_other_constants_are_what_they_are():
    prints = Fingerprints([const(x, Scalar.F64) for x in (0.70710678118, 0.7071067811865475)])
    assert len(set(prints.values())) == 2


def call(forward: float, strike: float, width: float) -> float:
    """An option by Bachelier, with the normal density and its integral."""
    d = (forward - strike) / width
    share = 0.5 * (1.0 + egad.erf(d / np.sqrt(2.0)))
    return (forward - strike) * share + width * np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)


def test_the_density_is_one_exponential():
    derived = egad.derive(call, "hessian", dtype="float64", cache=False)
    assert derived.report.counts_after["exp"] == 1
    assert "erf" not in derived.report.counts_after
    f, k, w = 1.3, 0.9, 0.7
    with mpmath.workdps(40):
        d = (mpmath.mpf(f) - mpmath.mpf(k)) / mpmath.mpf(w)
        density = mpmath.npdf(d) / mpmath.mpf(w)
        wanted = [[density, -density, -d * density], [-density, density, d * density]]
    rows = derived(f, k, w)
    assert np.allclose([list(row) for row in rows][:2], np.array(wanted, float), rtol=1e-14)
    assert np.isclose(rows[2][2], float(d * d * density), rtol=1e-14)
