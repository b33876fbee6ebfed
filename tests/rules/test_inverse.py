"""Inverses of matrices, and what is solved with them, beside NumPy's and the adjoint's formula."""

import numpy as np
import pytest

import egad
from egad import float2, float2x2, float3, float3x3, float4, float4x4

SIZES = {2: (float2x2, float2), 3: (float3x3, float3), 4: (float4x4, float4)}


@pytest.fixture(params=sorted(SIZES))
def given(request):
    """A matrix that is not nearly singular, the types, and a generator of numbers."""
    rng = np.random.default_rng(request.param)
    size = request.param, request.param
    return rng.uniform(-0.4, 0.4, size) + 2 * np.eye(request.param), *SIZES[request.param], rng


def derived(function, mode, **types):
    """A function of NumPy over matrices and vectors of these types, derived."""
    f = (lambda m, b: function(m, b)) if "b" in types else (lambda m: function(m))
    return egad.derive(f, mode, types=types, dtype="float64")


def test_inverses(given):
    m, matrix, _, rng = given

    primal, back = (derived(np.linalg.inv, mode, m=matrix) for mode in ("primal", "bwd"))
    wanted = np.linalg.inv(m)
    np.testing.assert_allclose(primal(m), wanted, rtol=1e-13, atol=1e-15)
    bar = rng.normal(size=m.shape)
    found = back(m, bar).m
    np.testing.assert_allclose(found, -wanted.T @ bar @ wanted.T, rtol=1e-12)


def test_solutions_of_linear_equations(given):
    m, matrix, vector, rng = given
    b, bar = rng.normal(size=(2, len(m)))
    types = {"m": matrix, "b": vector}
    primal, back = (derived(np.linalg.solve, mode, **types) for mode in ("primal", "bwd"))
    x = np.linalg.solve(m, b)
    np.testing.assert_allclose(primal(m, b), x, rtol=1e-13)
    found = back(m, b, bar)
    np.testing.assert_allclose(found.b, np.linalg.solve(m.T, bar), rtol=1e-12)
    np.testing.assert_allclose(found.m, -np.outer(found.b, x), rtol=1e-12)


def test_a_singular_matrix_has_no_finite_inverse():
    def f(m: float2x2) -> float2x2:
        return egad.inverse(m)

    assert not np.isfinite(egad.derive(f, "primal")([[1.0, 2.0], [2.0, 4.0]])).any()
