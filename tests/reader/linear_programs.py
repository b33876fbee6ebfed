"""Programs with functions of `numpy.linalg` on matrices of any size.

Every public function takes two real numbers; Python runs them too.
"""

import numpy as np
from numpy.linalg import cholesky, det, inv, lstsq, matrix_power, multi_dot, pinv, slogdet, solve


def _any(a, b, n):
    k = np.arange(1.0, n + 1)
    return np.sin(np.outer(k, k) * (0.3 * a) + b) + 3.0 * np.roll(np.eye(n), 2, axis=0) * (1.0 + b)


def _positive(a, b, n):
    m = _any(a, b, n) / n
    return m @ m.T + np.eye(n)


def one_right_side(a, b):
    return solve(_any(a, b, 5), np.arange(5) + a) @ np.arange(1.0, 6.0)


def several_right_sides(a, b):
    return np.sum(solve(_any(a, b, 6), np.arange(12.0).reshape(6, 2)) * np.array([1.0, a]))


def rows_that_must_be_exchanged(a, b):
    rows = [[0, a, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 0, b, 0], [0, 0, 2, 0, 0], [0, 0, 0, 1, b]]
    return solve(rows, [b, 1.0, 2, a, 3])[1] * a + np.array(inv(rows))[4, 4]


def an_inverse(a, b):
    return np.sum(inv(_positive(a, b, 5)) * _any(b, a, 5))


def determinants(a, b):
    return det(_any(a, b, 5)) * 1e-3 + det(_positive(b, a, 6)) * 1e-3


def a_larger_determinant(a, b):
    return det(_any(a, b, 8) / 3)


def a_determinant_that_is_0(a, b):
    m = _any(a, b, 5)
    m[:, 0] = 0.0
    m[2, 0] = b - 1.3
    m[1] = m[2] * (a - 1.9) if a > 1.0 else m[1]
    return det(m)


def logarithms_of_determinants(a, b):
    sign, log = slogdet(-_positive(a, b, 5))
    small = slogdet(_any(a, b, 3))
    return sign * log + small.sign * small.logabsdet * a


def a_density(a, b):
    covariance, d = _positive(a, b, 5), np.arange(5.0) - a
    lower = cholesky(covariance)
    y = solve(lower, d)
    return -0.5 * y @ y - np.sum(np.log(np.diag(lower)))


def what_cholesky_reads(a, b):
    m = _positive(a, b, 3)
    upper = cholesky(m, upper=True)
    m[0, 1:] = 77.0
    return np.sum(cholesky(m) * _any(a, b, 3)) + upper[0, 2] * b


def least_squares(a, b):
    m = _any(a, b, 5)
    x, rest, rank, _ = lstsq(m[:, :3], np.arange(5.0) * a, rcond=None)
    wide = lstsq(m[:2], np.array([a, b]), rcond=None)[0]
    several = lstsq(m[:, :2], m[:, 2:4], rcond=-1)
    return (
        x @ np.array([1.0, b, a]) + rest[0] * rank + wide @ wide + several[0][1, 0] + several[1][1]
    )


def pseudo_inverses(a, b):
    return np.sum(pinv(_any(a, b, 5)[:, :3]) @ pinv(_any(b, a, 5)[:3])) + pinv([[a], [b]])[0, 1]


def powers_and_products(a, b):
    m = _any(a, b, 3)
    cubes = matrix_power(m, 3) + matrix_power(m, 0) + matrix_power(m, -2)
    return np.sum(multi_dot([m, cubes, np.array([a, b, 1.0])]))


def a_fitted_polynomial(a, b):
    quadratic = np.polyfit(np.array([0.0, a, 2.0, 3.5]), np.array([a, b, 1.0, 2.0]), 2)
    return np.polyval(quadratic, b) + np.polyfit([0.0, 1, 2.0], [a, b, 1.0], 1)[0]


def a_filter(a, b):
    f, h = np.eye(6) + np.diag(np.full(3, 0.1), 3), np.eye(6)[:3]
    p, x = _positive(a, b, 6), np.arange(6.0) * a
    gain = p @ h.T @ inv(h @ p @ h.T + np.eye(3) * b * b)
    return np.sum(f @ (x + gain @ (np.array([a, b, 1.0]) - h @ x)))


def one_equation(a, b):
    two = np.linalg.solve(np.array([[a]]), np.array([[b, 2 * b]]))
    gain = solve(np.array([[a + b * b]]), np.array([[b]]) @ np.array([[1.0, a]]))
    column = np.array([[b], [1.0]]) @ gain
    return two.sum() + column[1, 1] * two.shape[1] + solve([[b]], [a])[0] + (two * 3)[0, 1]
