"""Programs with functions of `numpy.linalg` at every matrix of a stack.

Every public function takes two real numbers; Python runs them too.
"""

import numpy as np
from numpy.linalg import (
    cholesky,
    cond,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_power,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)


def _stack(a, b, n=3):
    k = np.arange(1.0, n + 1)
    m = np.sin(np.outer(k, k) * (0.3 * a) + b) + 3.0 * np.eye(n)
    return np.stack([m, m.T @ m / (1.0 + a), np.roll(m, 1, axis=1) + b])


def _weights(m):
    return np.cos(np.arange(float(m.size))).reshape(m.shape)


def inverses(a, b):
    m = inv(_stack(a, b))
    return np.sum(m * _weights(m))


def inverses_of_five_rows(a, b):
    m = inv(_stack(a, b, 5)[:2])
    return np.sum(m * _weights(m))


def determinants(a, b):
    return det(_stack(a, b)) @ np.array([1.0, a, b])


def logarithms_of_determinants(a, b):
    found = slogdet(_stack(a, b))
    return np.sum(found.sign * found.logabsdet * np.array([1.0, b, a]))


def two_axes_of_matrices(a, b):
    m = np.stack([_stack(a, b), _stack(b, a)])
    return np.sum(inv(m)[1, 2] * m[0, 1]) + det(m)[1, 0]


def one_right_side_for_each(a, b):
    m = _stack(a, b)
    x = solve(m, np.arange(9.0).reshape(3, 3, 1) + a)
    return np.sum(x * _weights(x))


def one_right_side_for_all(a, b):
    x = solve(_stack(a, b), np.array([a, 1.0, b]))
    return np.sum(x * _weights(x))


def the_same_rows_for_all(a, b):
    x = solve(_stack(a, b), np.arange(15.0).reshape(1, 3, 5) * b)
    return np.sum(x * _weights(x))


def one_matrix_for_all_right_sides(a, b):
    x = solve(_stack(a, b)[0], np.arange(18.0).reshape(3, 3, 2) + b)
    return np.sum(x * _weights(x))


def right_sides_of_one_and_of_many_columns(a, b):
    m = _stack(a, b)[0]
    return np.sum(solve(m, np.array([[a], [b], [1.0]]))) + solve(m, np.ones((3, 6)) * b)[1, 4]


def factors(a, b):
    lower = cholesky(_stack(a, b)[1:2])
    q, r = qr(_stack(a, b))
    return np.sum(lower * _weights(lower)) + np.sum(q * _weights(q) + r)


def spectra(a, b):
    m = _stack(a, b)
    values, vectors = eigh(m + m.transpose(0, 2, 1))
    return np.sum(values**3) + np.sum(vectors[:, :, 0] ** 2 * a) + np.sum(eigvalsh(m)[:, -1])


def singular_values(a, b):
    m = _stack(a, b)
    left, values, right = svd(m, full_matrices=False)
    again = (left * values[:, None, :]) @ right
    return np.sum(again * _weights(m)) + np.sum(svdvals(m)[:, 0]) + np.sum(cond(m[:, :2, :2]))


def others(a, b):
    m = _stack(a, b)
    thin = pinv(m[:, :, :2])
    powers = matrix_power(m, 3) + matrix_power(m, -1) + matrix_power(m, 0)
    return np.sum(thin * _weights(thin)) + 1e-2 * np.sum(powers * _weights(m))


def ranks(a, b):
    """Counts, whose slopes are 0."""
    m = np.array([[a, b, a + b], [1.0, 2.0, 3.0], [b, a, a + b]])
    both = np.stack([m, m + np.eye(3)])
    return matrix_rank(m, tol=1e-6) * a + np.sum(matrix_rank(both, rtol=1e-6)) * b
