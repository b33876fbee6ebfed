"""`scipy.linalg.expm` and the norms of matrices: SciPy's values and SciPy's Fréchet derivatives."""

from functools import lru_cache

import numpy as np
import pytest
import scipy.linalg

from egad import derive

RNG = np.random.default_rng(8)
TURN = np.array([[0.0, -2.0, 0.5], [2.0, 0.0, 1.0], [-0.5, -1.0, 0.0]])
RATES = np.array([[-3.0, 2.0, 1.0], [40.0, -90.0, 50.0], [0.0, 0.5, -0.5]])
MATRICES = [RNG.normal(size=(3, 3)), 1e-9 * TURN, TURN, RATES, np.zeros((3, 3)), np.eye(2)]
NORMS = [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


def exponential(a: np.ndarray) -> list[float]:
    return list(scipy.linalg.expm(a).ravel())


@lru_cache
def made(mode, dtype="float64"):
    """What takes seconds to derive for a size of matrices, once for all of that size."""
    return derive(exponential, mode, dtype=dtype, optimize="fast")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("a", MATRICES)
def test_exponentials(a, dtype):
    values = made("primal", dtype)
    want = scipy.linalg.expm(a).ravel()
    digits = 1e-12 if dtype == "float64" else 1e-4  # with 8 squares of the one of rates
    for way in (values, values.reference):
        np.testing.assert_allclose(way(np.array(a, dtype)), want, atol=digits * np.abs(want).max())


@pytest.mark.parametrize("a", MATRICES)
def test_slopes_of_exponentials(a):
    found = made("bwd")
    for k in range(3):
        weights = np.random.default_rng(k).normal(size=a.shape)
        want = scipy.linalg.expm_frechet(a.T, weights, compute_expm=False)
        for way in (found, found.reference):
            np.testing.assert_allclose(way(a, weights.ravel()).a, want, rtol=1e-9, atol=1e-12)


def test_a_matrix_of_no_scale_has_no_exponential():
    found = made("primal")
    assert np.isnan(found(np.array([[-1e300, 0.0], [0.0, 1.0]]))).all()
    assert np.isnan(found(np.array([[np.nan, 0.0], [0.0, 1.0]]))).any()


@pytest.mark.numbers
@pytest.mark.parametrize("order", NORMS, ids=str)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3)])
def test_norms(order, shape):
    def norm(a: np.ndarray) -> float:
        return np.linalg.norm(a, order)

    a = np.random.default_rng(5).normal(size=shape)
    found = derive(norm, "value_and_grad", dtype="float64")
    value, slopes = found(a)
    assert value == pytest.approx(np.linalg.norm(a, order), rel=1e-13)
    for i in np.ndindex(shape):
        step = np.zeros(shape)
        step[i] = 1e-3
        ends = [norm(a + k * step) - norm(a - k * step) for k in (1, 2, 3, 4)]
        weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # of the eighth order
        want = sum(w * e for w, e in zip(weights, ends, strict=True)) / 1e-3
        assert slopes.a[i] == pytest.approx(want, rel=1e-8, abs=1e-9)
