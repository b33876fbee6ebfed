"""`scipy.linalg.sqrtm` and `logm`: SciPy's values, and derivatives in many digits."""

from functools import lru_cache

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg

from egad import derive

RNG = np.random.default_rng(4)
GENERAL = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, 0.2], [0.1, -0.3, 4.0]])
TURN = scipy.linalg.expm(np.array([[0.0, -1.3, 0.2], [1.3, 0.0, 0.1], [-0.2, -0.1, 0.0]]))
ALIKE = TURN @ np.diag([2.0, 2.0, 0.5]) @ TURN.T
MATRICES = [GENERAL, np.eye(2), ALIKE, TURN, 1e-8 * GENERAL, np.array([[2.0, 1.0], [0.0, 2.0]])]


def root(a: np.ndarray) -> list[float]:
    return list(scipy.linalg.sqrtm(a).ravel())


def logarithm(a: np.ndarray) -> list[float]:
    return list(scipy.linalg.logm(a).ravel())


def hencky(c: np.ndarray) -> float:
    strain = 0.5 * scipy.linalg.logm(c)
    return np.sum(strain * strain) + 0.25 * np.trace(strain) ** 2


IN_DIGITS = {root: mp.sqrtm, logarithm: mp.logm}


@lru_cache
def made(f, mode, dtype="float64"):
    """What takes seconds to derive for a size of matrices, once for all tests."""
    return derive(f, mode, dtype=dtype, optimize="fast")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", IN_DIGITS)
def test_values(f, dtype):
    values = made(f, "primal", dtype)
    digits = 4e-14 if dtype == "float64" else 2e-5
    for a in MATRICES:
        with mp.workdps(30):
            want = np.array(IN_DIGITS[f](mp.matrix(a.tolist())).tolist(), complex).real.ravel()
        size = max(np.abs(want).max(), 1e-3)
        for way in (values, values.reference):
            np.testing.assert_allclose(way(a.astype(dtype)), want, atol=digits * size)


@pytest.mark.parametrize("dtype, apart", [("float64", 1e4), ("float32", 1e2)])
def test_eigenvalues_far_apart(dtype, apart):
    """What is lost is what the lowest one has lost beside the largest, as in SciPy."""
    w = np.array([1 / apart, 1.0, apart])
    a = (TURN @ np.diag(w) @ TURN.T).astype(dtype)
    lost = apart**2 * np.finfo(dtype).eps
    for f, of_values in ((root, np.sqrt), (logarithm, np.log)):
        found = made(f, "primal", dtype)(a)
        want = (TURN @ np.diag(of_values(w)) @ TURN.T).ravel()
        np.testing.assert_allclose(found, want, atol=lost * np.abs(want).max())


@pytest.mark.parametrize("f", IN_DIGITS)
def test_slopes(f):
    rows, back = (made(f, mode) for mode in ("jacobian", "bwd"))
    for a in (GENERAL, np.eye(2), ALIKE, MATRICES[-1]):
        want, step = np.zeros((a.size, a.size)), mp.mpf(10) ** -12
        with mp.workdps(36):
            for place, p in enumerate(np.ndindex(a.shape)):
                ends = []
                for sign in (1, -1):
                    moved = mp.matrix(a.tolist())
                    moved[p] += sign * step
                    ends.append(np.array(IN_DIGITS[f](moved).tolist()).ravel())
                want[:, place] = [mp.re(x) for x in (ends[0] - ends[1]) / (2 * step)]
        size = np.abs(want).max()
        np.testing.assert_allclose(np.reshape(rows(a).a, want.shape), want, atol=1e-11 * size)
        bar = RNG.normal(size=a.size)
        np.testing.assert_allclose(np.ravel(back(a, bar).a), bar @ want, atol=1e-10 * size)


def test_stiffness_at_rest():
    """Of |E|^2 + tr(E)^2 / 4 for E = log(C)/2, which is (C - 1)/2 and less of it near rest."""
    found = np.reshape(made(hencky, "hessian")(np.eye(2)).c.c, (4, 4))
    trace = np.eye(2).ravel()
    # d2 of tr(E E^T): log(1 + Y) = Y - Y Y / 2, and of it only Y counts where E is 0.
    np.testing.assert_allclose(found, 0.5 * np.eye(4) + 0.125 * np.outer(trace, trace), atol=1e-13)


def test_what_has_no_real_root():
    for f in IN_DIGITS:
        assert np.isnan(made(f, "primal")(-GENERAL)).all()
