"""Slopes where eigenvalues or singular values are equal, of what does not depend on how their
vectors are chosen: materials at rest. The reference takes differences in sixty digits.
"""

from functools import cache

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg

from egad import derive, diff_pair

TURN = scipy.linalg.expm(np.array([[0.0, -0.3, 0.2], [0.3, 0.0, 0.1], [-0.2, -0.1, 0.0]]))
AT_REST = np.eye(3)
TWO_ALIKE = TURN @ np.diag([1.5, 0.7, 1.5]) @ TURN.T
NEARLY = np.diag([1.0, 1.0 + 1e-9, 1.0 - 1e-5])
APART = TURN @ np.diag([1.5, 0.7, 2.0]) @ TURN.T
POINTS = [AT_REST, TWO_ALIKE, NEARLY, APART]


def material(c: np.ndarray) -> float:
    w = np.linalg.eigvalsh(c)
    return np.sum(np.log(w) ** 2) + np.sum(w**0.7) + (w[0] * w[1] * w[2] - 1.0) ** 2


def material_of_numbers(w):
    (x, y, z) = w
    return sum(mp.log(v) ** 2 + v ** mp.mpf(0.7) for v in w) + (x * y * z - 1) ** 2


def strain(c: np.ndarray) -> list[list[float]]:
    w, v = np.linalg.eigh(c)
    return (v * np.log(w)) @ v.T


def root(c: np.ndarray) -> list[list[float]]:
    w, v = np.linalg.eigh(c)
    return v @ np.diag(np.sqrt(w)) @ v.T


def by_projections(c: np.ndarray) -> list[list[float]]:
    w, v = np.linalg.eigh(c)
    return np.exp(-w[0]) * np.outer(v[:, 0], v[:, 0]) + sum(
        np.exp(-w[k]) * np.outer(v[:, k], v[:, k]) for k in (1, 2)
    )


FUNCTIONS = {strain: mp.log, root: mp.sqrt, by_projections: lambda x: mp.exp(-x)}


def symmetric_in_digits(c, change):
    """A matrix as its lower half says it, in sixty digits."""
    found = mp.matrix(3, 3)
    for i, j in np.ndindex(3, 3):
        place = max(i, j), min(i, j)
        found[i, j] = mp.mpf(float(c[place])) + change.get(place, 0)
    return found


def changes(places, signs, step):
    """By how much each place changes; the same place may be there twice."""
    found = {}
    for place, sign in zip(places, signs, strict=True):
        found[place] = found.get(place, 0) + sign * step
    return found


LOWER = [(i, j) for i in range(3) for j in range(i + 1)]


@cache
def hessian_in_digits(number):
    """Of the material's energy by the lower half, by central differences."""
    c, step, found = POINTS[number], mp.mpf(10) ** -12, np.zeros((9, 9))
    with mp.workdps(60):
        for a, p in enumerate(LOWER):
            for q in LOWER[: a + 1]:
                total = mp.mpf(0)
                for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                    moved = symmetric_in_digits(c, changes((p, q), signs, step))
                    energy = material_of_numbers(list(mp.eigsy(moved, eigvals_only=True)))
                    total += signs[0] * signs[1] * energy
                (i, j), (k, m) = p, q
                found[3 * i + j, 3 * k + m] = found[3 * k + m, 3 * i + j] = total / (4 * step**2)
    return found


def jacobian_in_digits(c, f):
    """Of the matrix with other eigenvalues, by the lower half."""
    step, found = mp.mpf(10) ** -20, np.zeros((9, 9))
    with mp.workdps(60):
        for p in LOWER:
            ends = []
            for sign in (1, -1):
                values, v = mp.eigsy(symmetric_in_digits(c, {p: sign * step}))
                ends.append(v * mp.diag([f(x) for x in values]) * v.T)
            slope = (ends[0] - ends[1]) / (2 * step)
            found[:, 3 * p[0] + p[1]] = [slope[i, j] for i, j in np.ndindex(3, 3)]
    return found


@pytest.mark.parametrize("dtype,digits", [("float64", 1e-9), ("float32", 3e-5)])
def test_stiffness_of_a_material(dtype, digits):
    made = derive(material, "hessian", dtype=dtype, optimize="fast")
    for number, c in enumerate(POINTS):
        want = hessian_in_digits(number)
        for way in (made, made.reference):
            found = np.reshape(way(c.astype(dtype)).c.c, (9, 9))
            np.testing.assert_allclose(found, want, rtol=0, atol=digits * np.abs(want).max())


@pytest.mark.parametrize("f", FUNCTIONS)
def test_slopes_of_functions_of_a_matrix(f):
    """By columns, by rows, and in a direction."""
    rows, back, ahead = (
        derive(f, mode, dtype="float64", optimize="fast") for mode in ("jacobian", "bwd", "fwd")
    )
    rng = np.random.default_rng(1)
    for c in POINTS:
        want = jacobian_in_digits(c, FUNCTIONS[f])
        close = dict(rtol=0, atol=1e-9 * np.abs(want).max())
        np.testing.assert_allclose(np.reshape(rows(c).c, (9, 9)), want, **close)
        d, bar = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
        np.testing.assert_allclose(np.ravel(back(c, bar).c), bar.ravel() @ want, **close)
        np.testing.assert_allclose(np.ravel(ahead(diff_pair(c, d)).d), want @ d.ravel(), **close)


def test_vectors_themselves_have_no_slopes():
    """Which are chosen is nobody's business: not a number, and no finite one that is wrong."""

    def corner(c: np.ndarray) -> float:
        v = np.linalg.eigh(c)[1]
        return v[0, 0] * v[1, 0]

    made = derive(corner, dtype="float64", optimize="fast")
    assert not np.isfinite(made(AT_REST, 1.0).c).all()
    assert np.isfinite(made(APART, 1.0).c).all()


def stretched(f: np.ndarray) -> float:
    s = np.linalg.svd(f, compute_uv=False)
    return np.sum((s - 1.0) ** 2) + np.sum(np.log(s)) ** 2


def of_the_square(c):
    """The same by the square of the matrix, whose eigenvalues are those of the values."""
    roots = [mp.sqrt(w) for w in mp.eigsy(c, eigvals_only=True)]
    return sum((s - 1) ** 2 for s in roots) + sum(map(mp.log, roots)) ** 2


def turned(f: np.ndarray) -> list[list[float]]:
    u, _, vh = np.linalg.svd(f, full_matrices=False)
    return u @ vh


def pressed(f: np.ndarray) -> list[list[float]]:
    u, s, vh = np.linalg.svd(f, full_matrices=False)
    return (u * (s - 1.0 / s)) @ vh


#: As functions of the matrix and its square: F sqrt(C)^-1, and F - F C^-1.
OF_SINGULAR = {turned: lambda w: 1 / mp.sqrt(w), pressed: lambda w: 1 - 1 / w}
STRETCHES = [TURN, TURN @ np.diag([2.0, 2.0, 1.0]), TURN @ APART, 1.5 * TURN[:, :2]]


def square_in_digits(f, change):
    moved = mp.matrix(f.tolist())
    for place, by in change.items():
        moved[place] += by
    return moved, moved.T * moved


@pytest.mark.parametrize("f", STRETCHES[:3])
def test_stiffness_by_singular_values(f):
    step, places, want = mp.mpf(10) ** -12, list(np.ndindex(f.shape)), np.zeros((9, 9))
    with mp.workdps(60):
        for a, p in enumerate(places):
            for b, q in enumerate(places[: a + 1]):
                total = mp.mpf(0)
                for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                    moved = square_in_digits(f, changes((p, q), signs, step))[1]
                    total += signs[0] * signs[1] * of_the_square(moved)
                want[a, b] = want[b, a] = total / (4 * step**2)
    made = derive(stretched, "hessian", dtype="float64", optimize="fast")
    np.testing.assert_allclose(np.reshape(made(f).f.f, (9, 9)), want, atol=1e-9)


@pytest.mark.parametrize("name", OF_SINGULAR)
@pytest.mark.parametrize("f", STRETCHES)
def test_slopes_of_what_singular_vectors_make_up(name, f):
    step, places, want = mp.mpf(10) ** -20, list(np.ndindex(f.shape)), []
    with mp.workdps(60):
        for p in places:
            ends = []
            for sign in (1, -1):
                moved, square = square_in_digits(f, {p: sign * step})
                values, v = mp.eigsy(square)
                ends.append(moved * v * mp.diag([OF_SINGULAR[name](w) for w in values]) * v.T)
            slope = (ends[0] - ends[1]) / (2 * step)
            want.append([float(slope[q]) for q in places])
    made = derive(name, "jacobian", dtype="float64", optimize="fast")
    found = np.reshape(made(f).f, (f.size, f.size))
    np.testing.assert_allclose(found, np.transpose(want), atol=1e-9)
