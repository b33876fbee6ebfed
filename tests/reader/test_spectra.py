"""Eigenvalues and singular values of 2 x 2: NumPy's values, and slopes by its vectors."""

import numpy as np
import pytest

from egad import derive

pytestmark = pytest.mark.numbers

MATRICES = [*np.random.default_rng(5).normal(size=(6, 2, 2)), np.diag([3.0, -1.0])]


def eigenvalues(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    return tuple(np.linalg.eigvalsh(np.array([[a, b], [c, d]])))


def upper(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    return tuple(np.linalg.eigvalsh([[a, b], [c, d]], UPLO="U"))


def singular(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    return tuple(np.linalg.svd(np.array([[a, b], [c, d]]), compute_uv=False))


def values(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    return tuple(np.linalg.svdvals([[a, b], [c, d]]))


def condition(a: float, b: float, c: float, d: float) -> float:
    return np.linalg.cond(np.array([[a, b], [c, d]]))


def single(a: float) -> float:
    m = np.array([[a]])
    return np.linalg.eigvalsh(m)[0] * np.linalg.cond(m) + np.linalg.svdvals(m)[0]


@pytest.mark.parametrize("f", [eigenvalues, upper, singular, values, condition])
@pytest.mark.parametrize("m", MATRICES, ids=range(len(MATRICES)))
def test_values_are_those_of_numpy(f, m):
    found = derive(f, "primal", dtype="float64")(*m.ravel())
    assert np.array(found, float) == pytest.approx(np.array(f(*m.ravel())), rel=1e-12)


@pytest.mark.parametrize("m", MATRICES, ids=range(len(MATRICES)))
def test_slopes_of_eigenvalues_are_products_of_eigenvectors(m):
    _, vectors = np.linalg.eigh(m)  # of what stands on and below the diagonal
    found = np.array(derive(eigenvalues, "jacobian", dtype="float64")(*m.ravel()), float)
    for k in range(2):
        v = vectors[:, k]
        want = [v[0] * v[0], 0.0, 2.0 * v[0] * v[1], v[1] * v[1]]
        assert found.reshape(2, 4)[k] == pytest.approx(np.array(want), abs=1e-12)


@pytest.mark.parametrize("m", MATRICES, ids=range(len(MATRICES)))
def test_slopes_of_singular_values_are_products_of_singular_vectors(m):
    left, _, right = np.linalg.svd(m)
    found = np.array(derive(values, "jacobian", dtype="float64")(*m.ravel()), float)
    for k in range(2):
        want = np.outer(left[:, k], right[k]).ravel()
        assert found.reshape(2, 4)[k] == pytest.approx(want, abs=1e-12)


def test_equal_eigenvalues_have_slopes():
    """Those of their mean: the length between them has slope 0 where it is 0."""
    found = np.array(derive(eigenvalues, "jacobian", dtype="float64")(2.0, 0.0, 0.0, 2.0), float)
    assert found.reshape(2, 4)[0] == pytest.approx([0.5, 0.0, 0.0, 0.5])


def test_one_row():
    assert float(derive(single, "primal", dtype="float64")(-3.0)) == single(-3.0)
