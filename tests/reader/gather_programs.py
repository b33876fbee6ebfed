"""Elements at places that only the kernel knows, and functions of NumPy that others make up.

Every public function takes two real numbers, gives an array; Python runs them too.
"""

import numpy as np


def _table(b):
    return (np.arange(24.0).reshape(4, 3, 2) + 1) * b


def _two(a):
    return np.array([int(a), int(a) + 1])


def rows(a, b):
    return _table(b)[_two(a)]


def numbers_beside(a, b):
    return _table(b)[_two(a), 1, 0]


def slices_before(a, b):
    return _table(b)[:, _two(a)]


def slices_between(a, b):
    return _table(b)[_two(a), :, [0, 1]]


def pairs(a, b):
    return _table(b)[_two(a)[:, None], [0, 2]]


def dots(a, b):
    return _table(b)[..., _two(a) // 2]


def views(a, b):
    return _table(b)[1:, _two(a), ::-1]


def one_number_and_a_list(a, b):
    n = int(a)
    return _table(b)[n, [0, 1]] + _table(b)[[n, 0], 1] + _table(b)[n][[1, 0]]


def rows_written(a, b):
    t = _table(b)
    t[_two(a)] = 7 * a
    return t


def columns_written(a, b):
    t = _table(b)
    t[:, _two(a)] = np.arange(4.0).reshape(2, 2) * a
    return t


def places_written(a, b):
    t, i = _table(b), _two(a)
    t[i, i - 1] *= a
    t[i, 1] = np.array([a, b])
    return t


def the_last_one_counts(a, b):
    t, i = np.arange(5.0) * b, np.array([int(a), int(a)])
    t[i] += a
    t[i] = [t[0] + a, t[1] + b]
    return t


def a_view_written(a, b):
    m = np.array([[1.0, 2.0], [3.0, 4.0]]) * b
    m.T[[int(a), 0], [0, 1]] = a
    return m


def interpolated(a, b):
    x = np.array([a, b + 1, 0.3])
    i = np.clip(np.floor(x * 2).astype(int), 0, 3)
    t = np.array([1.0, 2.0, 4.0, 8.0, 16.0]) * b
    return t[i] + (x * 2 - i) * (t[i + 1] - t[i])


def nearest(a, b):
    centers = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) * b
    labels = np.argmin(np.abs(np.array([[a], [b]]) - centers[:, 0]), axis=1)
    return centers[labels]


def taken(a, b):
    m = np.array([[a, b, 3.0], [1.0, 2.0, a]])
    best = np.argmax(m, axis=1)
    along = np.take_along_axis(m, best[:, None], axis=1)
    np.put_along_axis(m, best[:, None], b, axis=1)
    return np.r_[np.take(m, _two(a), axis=1).ravel(), along[:, 0], m.take([2, 0]), m[0]]


def in_order(a, b):
    t = np.array([a, b, a * b, -a])
    i = np.argsort(t)
    return np.concatenate([t[i], (np.arange(4.0) * b)[i], t[t.argsort()[::-1]]])


def rows_in_order(a, b):
    t = np.array([[a, b, 1.2], [b, a, 0.1]])
    return np.argsort(t, axis=1) * a + np.argsort(-t) * b + np.argsort(t, axis=0)


def selected(a, b):
    x = np.array([a, b, a * b])
    chosen = np.select([x < 0, x < 1], [x**2, np.exp(x)], default=b)
    return chosen + np.choose(np.array([0, 1, 1]), [x, x[::-1]]) + np.select([a < 1], [a])


def in_pieces(a, b):
    x = np.array([a, b, a * b, -3.0])
    first = np.piecewise(x, [x < 0, x >= 1], [lambda t: t**2, 2.0, lambda t: np.sin(t)])
    return first + np.piecewise(x, [x < 0, x >= 1], [lambda t, k: t**2 * k, 2.0], b)


def masked(a, b):
    v = np.array([a, b, a * b, -a])
    np.putmask(v, v > 1, 3 * b)
    np.copyto(v, np.arange(4.0) * b, where=v < 0.6)
    np.place(v, v == 0, [a])
    return v


def diagonals(a, b):
    m, n = np.ones((3, 3)) * a, np.ones((2, 3)) * b
    np.fill_diagonal(m, np.array([b, 1.0, 2.0]))
    np.fill_diagonal(n, a)
    return np.r_[m.ravel(), n.ravel()]


def into_an_array(a, b):
    v = np.array([a, b, a * b, 0.0])
    w = np.divide(b, v, out=np.zeros_like(v), where=v != 0)
    np.multiply(w, 2.0, out=w)
    return np.sqrt(v, out=w, where=v > 0)


def added_at(a, b):
    t = np.arange(5.0) * b
    np.add.at(t, np.array([int(a), int(a), 3]), a * b)
    np.subtract.at(t, [0, 0, 1], np.array([a, b, 1.0]))
    return t


def blocks(a, b):
    whole = np.block([[np.eye(2) * a, np.ones((2, 1))], [np.zeros((1, 2)), b]])
    grid = np.mgrid[0:2, 0:3]
    return np.r_[
        whole.ravel(), a, 1:3, (grid[0] * a + grid[1] * b).ravel(), np.c_[[a, b], [1, 2]][0]
    ]


def products(a, b):
    m, v = np.array([[a, b], [1.0, 2.0]]), np.array([a, 3.0])
    sums = np.linalg.matmul(m, m) + np.linalg.outer(v, v) + np.linalg.matrix_transpose(m)
    rows = np.apply_along_axis(lambda r: r @ r, 1, m) + np.apply_along_axis(lambda r: r[0], 0, m)
    return sums + np.linalg.trace(m) + rows + np.correlate(v, np.array([1.0, b]), "same")


def of_polynomials(a, b):
    p = np.array([a, b, 3.0])
    return np.concatenate([np.polyder(p), np.polyint(p)])


def axes_from_the_end(a, b):
    m = np.array([[a, 2.5, b], [1.5, a * b, 1.0]])
    order = np.argsort(m, axis=-2) + np.argsort(m, axis=None).reshape(2, 3)
    sums = np.apply_along_axis(np.sum, -2, m)
    return m * order + np.take(m, [[0, 1, 2], [2, 1, 0]], axis=-1)[1] * sums


def one_condition(a, b):
    v = np.array([a, b, a * b])
    return np.piecewise(v, v < 1.0, [lambda x: x * x, lambda x: 3.0 * x])
