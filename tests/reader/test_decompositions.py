"""Eigenvectors, singular vectors, reflections and polar factors: what they are by definition, and
slopes of what they make up again, which are known: those of the matrix, its inverse, its powers.
"""

from functools import lru_cache

import numpy as np
import pytest
import scipy.linalg

from egad import derive

RNG = np.random.default_rng(3)
GENERAL = [RNG.normal(size=(3, 3)), 1e12 * RNG.normal(size=(3, 3))]
TALL = [*GENERAL, RNG.normal(size=(4, 2)), RNG.normal(size=(2, 3))]
LARGER = RNG.normal(size=(5, 5))
SYMMETRIC = [a + a.T for a in (*GENERAL, LARGER)]
POSITIVE = GENERAL[0] @ GENERAL[0].T + 0.1 * np.eye(3)
ODD = [np.zeros((3, 3)), np.eye(3), np.diag([3.0, -1.0, 3.0]), np.ones((3, 3))]
ODD += [np.array([[2.0, 0, 1], [0, 5, 0], [1, 0, 2]]), np.diag([1e-9, 1.0, 1e9]) + 1e-12]


def spectral(a: np.ndarray) -> tuple[list[float], list[float], list[float]]:
    values, v = np.linalg.eigh(a)
    again = v @ np.diag(values) @ v.T
    return list(values), list(again.ravel()), list((v.T @ v).ravel())


def singular(a: np.ndarray) -> tuple[list[float], list[float], list[float]]:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    again = u @ np.diag(s) @ vh
    return list(s), list(again.ravel()), list((u.T @ u + vh @ vh.T).ravel())


def reflected(a: np.ndarray) -> tuple[list[float], list[float], list[float]]:
    q, r = np.linalg.qr(a)
    return list(q.ravel()), list(r.ravel()), list((q @ r).ravel())


def whole(a: np.ndarray) -> tuple[list[float], list[float], list[float]]:
    q, r = np.linalg.qr(a, "complete")
    return list(q.ravel()), list(r.ravel()), list(np.linalg.qr(a, mode="r").ravel())


def turned(a: np.ndarray) -> tuple[list[float], list[float], list[float]]:
    u, p = scipy.linalg.polar(a)
    return list(u.ravel()), list(p.ravel()), list((u @ p).ravel())


def corotated(a: np.ndarray) -> float:
    strain = a - scipy.linalg.polar(a)[0]
    return np.sum(strain * strain)


def logarithms(a: np.ndarray) -> float:
    return np.sum(np.log(np.linalg.eigvalsh(a)))


def log_volume(a: np.ndarray) -> float:
    return np.sum(np.log(np.linalg.svd(a, compute_uv=False)))


DIGITS = {"float64": 1e-14, "float32": 1e-6}


def largest(a):
    return max(np.abs(a).max(), 1e-300)


@lru_cache
def made(f, mode, dtype="float64"):
    """What takes seconds to derive for a size of matrices, once for all of that size."""
    return derive(f, mode, dtype=dtype, optimize="fast")


def ways(f, a, dtype="float64"):
    """What kernel and reference give, each result as an array."""
    values = made(f, "primal", dtype)
    for way in (values, values.reference):
        yield [np.array(x, float) for x in way(np.array(a, dtype))]


def slopes(f, a):
    """By each element, one row for each number of each result."""
    found = made(f, "jacobian")(a)
    return [np.reshape(rows.a, (-1, np.size(a))) for rows in found]


def mirrored(n):
    """How a symmetric matrix depends on what is on and below its diagonal."""
    found = np.zeros((n, n, n, n))
    for i, j in np.ndindex(n, n):
        found[i, j, max(i, j), min(i, j)] = 1.0
    return found.reshape(n * n, n * n)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("a", SYMMETRIC + ODD)
def test_eigenvectors_make_up_the_matrix(a, dtype):
    digits, size = DIGITS[dtype], largest(a)
    for values, again, unit in ways(spectral, a, dtype):
        np.testing.assert_allclose(values / size, np.linalg.eigvalsh(a / size), atol=digits)
        np.testing.assert_allclose(again / size, a.ravel() / size, atol=4 * digits)
        np.testing.assert_allclose(unit, np.eye(len(a)).ravel(), atol=4 * digits)


def test_slopes_of_eigenvectors():
    a, n = SYMMETRIC[0], 3
    of_values, of_again, of_unit = slopes(spectral, a)
    v = np.linalg.eigh(a)[1]
    lower = np.array([np.outer(v[:, k], v[:, k]).ravel() for k in range(n)]) @ mirrored(n)
    np.testing.assert_allclose(of_values, lower, atol=1e-12)
    np.testing.assert_allclose(of_again, mirrored(n), atol=1e-12)
    np.testing.assert_allclose(of_unit, 0.0, atol=1e-12)


@pytest.mark.numbers
@pytest.mark.parametrize("a", [POSITIVE, np.eye(3), np.diag([2.0, 5.0, 2.0])])
def test_slopes_of_functions_of_eigenvalues(a):
    """The sum of logarithms is that of the determinant; also where eigenvalues are equal."""
    found = derive(logarithms, dtype="float64")(a, 1.0).a
    want = (np.linalg.inv(a).ravel() @ mirrored(len(a))).reshape(a.shape)
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-12)


def test_values_and_vectors_come_of_one_loop():
    """That of the primal, which needs no vectors, is a part of that of the rule."""
    found = derive(logarithms, "value_and_grad", dtype="float64", optimize="fast")
    found(POSITIVE)
    assert found.source.count("for (") == 1


def test_second_derivatives_of_functions_of_eigenvalues():
    a, n = POSITIVE, 3
    found = derive(logarithms, "hessian", dtype="float64", optimize="fast")(a).a.a
    inverse = np.linalg.inv(a)
    full = -np.einsum("jk,li->ijkl", inverse, inverse).reshape(n * n, n * n)
    want = mirrored(n).T @ full @ mirrored(n)
    np.testing.assert_allclose(np.reshape(found, (n * n, n * n)), want, rtol=1e-8, atol=1e-8)


def test_the_upper_half_is_another_matrix():
    def upper(a: np.ndarray) -> list[float]:
        return list(np.linalg.eigvalsh(a, UPLO="U"))

    a = GENERAL[0]
    found = derive(upper, "primal", dtype="float64")(a)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(a, UPLO="U"), atol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("a", TALL + ODD)
def test_singular_vectors_make_up_the_matrix(a, dtype):
    digits, size = DIGITS[dtype], largest(a)
    for values, again, unit in ways(singular, a, dtype):
        want = np.linalg.svd(a / size, compute_uv=False)
        np.testing.assert_allclose(values / size, want, atol=4 * digits)
        np.testing.assert_allclose(again / size, a.ravel() / size, atol=8 * digits)
        np.testing.assert_allclose(unit, 2 * np.eye(min(a.shape)).ravel(), atol=8 * digits)


@pytest.mark.parametrize("a", [TALL[0], *TALL[2:]])
def test_slopes_of_singular_vectors(a):
    of_values, of_again, of_unit = slopes(singular, a)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    want = [np.outer(u[:, k], vh[k]).ravel() for k in range(min(a.shape))]
    np.testing.assert_allclose(of_values, want, atol=1e-12)
    np.testing.assert_allclose(of_again, np.eye(a.size), atol=1e-12)
    np.testing.assert_allclose(of_unit, 0.0, atol=1e-12)


@pytest.mark.numbers
@pytest.mark.parametrize("a", [GENERAL[0], np.eye(3)])
def test_slopes_of_functions_of_singular_values(a):
    found = derive(log_volume, dtype="float64")(a, 1.0).a
    np.testing.assert_allclose(found, np.linalg.inv(a).T, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("a", [*TALL, LARGER, *ODD[:3]])
def test_reflections_are_those_of_numpy(a):
    size = largest(a)
    for q, r, again in ways(reflected, a):
        want = np.linalg.qr(a)
        np.testing.assert_allclose(q, want.Q.ravel(), atol=1e-14)
        np.testing.assert_allclose(r / size, want.R.ravel() / size, atol=1e-14)
        np.testing.assert_allclose(again / size, a.ravel() / size, atol=1e-14)
    for q, r, triangle in ways(whole, a):
        want = np.linalg.qr(a, "complete")
        np.testing.assert_allclose(q, want.Q.ravel(), atol=1e-14)
        np.testing.assert_allclose(r / size, want.R.ravel() / size, atol=1e-14)
        np.testing.assert_allclose(triangle / size, np.linalg.qr(a, "r").ravel() / size, atol=1e-14)


@pytest.mark.parametrize("a", [TALL[0], *TALL[2:], np.diag([3.0, -1.0, 2.0])])
def test_slopes_of_reflections(a):
    """Q R is the matrix, and Q^T dQ is skew; what has one entry only is no exception."""
    of_q, of_r, of_again = slopes(reflected, a)
    height, count = len(a), min(a.shape)
    q = np.linalg.qr(a).Q
    turning = np.einsum("ij,ikm->jkm", q, of_q.reshape(height, count, a.size))
    np.testing.assert_allclose(of_again, np.eye(a.size), atol=1e-12)
    np.testing.assert_allclose(turning + np.swapaxes(turning, 0, 1), 0.0, atol=1e-12)
    below = [i * a.shape[1] + j for i in range(count) for j in range(i)]
    np.testing.assert_allclose(of_r[below], 0.0, atol=1e-15)


@pytest.mark.parametrize("a", [*TALL, np.eye(3), np.diag([3.0, -1.0, 3.0])])
def test_polar_factors_are_those_of_scipy(a):
    want = scipy.linalg.polar(a)
    size = np.abs(a).max()
    for u, p, again in ways(turned, a):
        np.testing.assert_allclose(u, want[0].ravel(), atol=1e-13)
        np.testing.assert_allclose(p / size, want[1].ravel() / size, atol=1e-13)
        np.testing.assert_allclose(again / size, a.ravel() / size, atol=1e-13)


@pytest.mark.parametrize("a", [GENERAL[0], TALL[2], TALL[3], 2.0 * np.eye(3)])
def test_slopes_of_polar_factors(a):
    """P is symmetric and U P is the matrix; also where all singular values are equal."""
    of_u, of_p, of_again = slopes(turned, a)
    n = a.shape[1]
    stretches = of_p.reshape(n, n, a.size)
    np.testing.assert_allclose(stretches, np.swapaxes(stretches, 0, 1), atol=1e-12)
    np.testing.assert_allclose(of_again, np.eye(a.size), atol=1e-12)
    if a.shape == (3, 3) and a[0, 1] == 0.0:  # U is then the skew part, over the stretch
        skew = (np.eye(9) - np.eye(9).reshape(3, 3, 9).swapaxes(0, 1).reshape(9, 9)) / 2
        np.testing.assert_allclose(of_u, skew / a[0, 0], atol=1e-12)


def test_stiffness_at_rest():
    """The energy |A - R|^2 is that of the symmetric part of what A is away from a rotation."""
    turn = scipy.linalg.expm(np.array([[0.0, -0.3, 0.2], [0.3, 0.0, 0.1], [-0.2, -0.1, 0.0]]))
    found = derive(corotated, "hessian", dtype="float64")(turn).a.a
    swapped = np.eye(9).reshape(3, 3, 9).swapaxes(0, 1).reshape(9, 9)
    around = np.kron(turn.T, np.eye(3))  # R^T dA
    want = around.T @ (np.eye(9) + swapped) @ around
    np.testing.assert_allclose(np.reshape(found, (9, 9)), want, atol=1e-12)
