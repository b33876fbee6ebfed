"""Programs over whole NumPy arrays, as NumPy computes them: the truth is the function itself.

`x` and `y` have six elements, `m` is 3 by 6, `s` is a number.
"""

import math

import numpy as np

from egad import Array

Six = Array[float, 6]
Rows = Array[Array[float, 6], 3]
WEIGHTS = np.array([0.5, -1.0, 2.0, 0.25, 1.5, -0.75])
PLACES = np.array([2, 0, 1])
TABLE = np.arange(1.0, 11.0).reshape(5, 2)
STENCIL = np.array([[1.0, -2.0, 1.0, 0.0, 0.5, 0.0]] * 3)


# --- operators ------------------------------------------------------------------------------


def sums_and_products(x: Six, y: Six, s: float):
    return x * 2 + y / s - 3.0 * s


def in_the_other_order(x: Six, y: Six, s: float):
    return 1.0 / x - s * y + (2.0 - x) / (3 + s * s)


def powers(x: Six, y: Six, s: float):
    return x**2 + np.abs(y) ** s - 2.0**x


def remainders(x: Six, y: Six, s: float):
    return x % 0.7 + y // 0.3


def signs(x: Six, y: Six, s: float):
    return -x + (+y) * s


def rows_and_a_vector(x: Six, m: Rows, s: float):
    return m * x + s


def a_column_and_a_row(x: Six, y: Six, s: float):
    return x[:, None] * y[None, :] - s


def with_a_list(x: Six, y: Six, s: float):
    return x + [1.0, s, 2.0, s, 3.0, 4.0]  # noqa: RUF005  # x is no list


def with_a_tuple_on_the_left(x: Six, y: Six, s: float):
    return (1.0, s, 2.0, s, 3.0, 4.0) * x


def with_an_array_of_the_module(x: Six, y: Six, s: float):
    return WEIGHTS * x + s * WEIGHTS


def rows_of_the_module(x: Six, m: Rows, s: float):
    return (STENCIL * m).sum() + STENCIL[1] @ x


def masks(x: Six, y: Six, s: float):
    return (x > 0) * y + (x <= y) * s


def masks_that_are_combined(x: Six, y: Six, s: float):
    inside = (x > -1) & (y < 1) | ~(x < s)
    return np.where(inside, x * y, s)


def equal_places(x: Six, y: Six, s: float):
    return np.where(np.floor(x) == np.floor(y), x, y * s)


def small_and_large(x: Six, y: Six, s: float):
    v = np.array([s, 2.0, s * s])
    return x[:3] * v + v


# --- functions at each element --------------------------------------------------------------


def sines(x: Six, y: Six, s: float):
    return np.sin(x) * np.exp(-y * y) + np.sqrt(np.abs(x) + s * s)


def two_arguments(x: Six, y: Six, s: float):
    return np.maximum(x, y) + np.minimum(x, s) + np.hypot(x, y) + np.arctan2(y, x)


def named_operators(x: Six, y: Six, s: float):
    return np.add(x, y) * np.subtract(x, s) + np.multiply(y, 2.0) / np.square(s) + np.negative(y)


def more_named_operators(x: Six, y: Six, s: float):
    return np.divide(x, 2.0) + np.power(np.abs(x), 1.5) + np.reciprocal(y) + np.sign(x) * s


def clipped(x: Six, y: Six, s: float):
    return np.clip(x, -0.5, 0.5) + x.clip(0.0, 1.0)


def chosen(x: Six, y: Six, s: float):
    return np.where(x > 0, x, y)


def chosen_numbers(x: Six, y: Six, s: float):
    return np.where(x > y, s, 0.0) + np.where(np.logical_and(x > 0, y > 0), x, 1.0)


def truths_as_words(x: Six, y: Six, s: float):
    return np.where(np.logical_or(np.logical_not(x > 0), y > 0), s * x, y)


# --- reductions -----------------------------------------------------------------------------


def total(x: Six, y: Six, s: float):
    return x.sum() + np.sum(y * s)


def totals_along(x: Six, m: Rows, s: float):
    return m.sum(axis=0) * x + np.sum(m, axis=1).sum() * s


def kept_dimension(x: Six, m: Rows, s: float):
    return m / (np.abs(m).sum(axis=1, keepdims=True) + s * s)


def means(x: Six, m: Rows, s: float):
    return x.mean() * np.mean(m, axis=0) + np.mean(m) * s


def variances(x: Six, m: Rows, s: float):
    return np.var(x) + x.std() + m.var(axis=0).sum() * s


def extremes(x: Six, m: Rows, s: float):
    return x.max() - np.min(x) + np.max(m, axis=0).sum() * m.min(axis=1)[1] * s


def products(x: Six, y: Six, s: float):
    return np.prod(x) + y.prod() * s


def counted(x: Six, y: Six, s: float):
    return np.sum(x > y) * s + (x > 0).sum() + np.mean(y > 0) * s + np.count_nonzero(x > y)


def any_and_all(x: Six, y: Six, s: float):
    return s if np.any(x > 5) or (y > -9).all() else x[0]


def norms(x: Six, m: Rows, s: float):
    return np.linalg.norm(x) + np.linalg.norm(m) * s + np.linalg.norm(m, axis=1).sum()


def running_totals(x: Six, y: Six, s: float):
    return np.cumsum(x) + np.cumprod(y) * s


def differences(x: Six, y: Six, s: float):
    return np.diff(x) * s + x[1:] - y[:-1]


def python_over_an_array(x: Six, y: Six, s: float):
    return sum(x) + max(y) + min(x) * s + sum(v * w for v, w in zip(x, y, strict=True))


def softmax(x: Six, y: Six, s: float):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def weighted(x: Six, y: Six, s: float):
    return np.average(x) * s + np.average(x, weights=WEIGHTS + 3)


# --- products of arrays ---------------------------------------------------------------------


def inner(x: Six, y: Six, s: float):
    return x @ y + np.dot(x, y) * s + x.dot(y) + np.inner(x, WEIGHTS) + np.vdot(x, y)


def matrix_times_vector(x: Six, m: Rows, s: float):
    return m @ x + np.dot(m, x) * s


def vector_times_matrix(x: Six, m: Rows, s: float):
    return np.array([s, 1.0, 2.0]) @ m + x


def matrix_times_matrix(x: Six, m: Rows, s: float):
    return (m @ m.T)[1, 2] * s + np.matmul(m.T, m)[0, 5] + (m.T @ m @ x).sum()


def outer_products(x: Six, y: Six, s: float):
    return (np.outer(x, y) * s).sum(axis=0) + np.trace(np.outer(x, x))


def quadratic_form(x: Six, m: Rows, s: float):
    return 0.5 * x @ (m.T @ m) @ x - s * (x @ x)


def contraction(x: Six, m: Rows, s: float):
    return np.einsum("ij,j->i", m, x) * s


# --- shapes and new arrays ------------------------------------------------------------------


def lengths(x: Six, m: Rows, s: float):
    n, k = m.shape
    return x * len(x) + n * k + m.size * s + x.ndim + x.shape[0] + len(m) + np.size(x)


def made_of_zeros(x: Six, y: Six, s: float):
    z = np.zeros(6)
    z[2] = s
    o = np.ones((3, 6))
    o[1] = z
    return o * x + np.full(6, s) + np.ones_like(y) + np.full_like(x, 2.0)


def steps(x: Six, y: Six, s: float):
    return np.arange(6) * x + np.linspace(0.0, 1.0, 6) * s + np.arange(6.0)[::-1]


def made_of_numbers(x: Six, y: Six, s: float):
    a = np.array([s, 1.0, x[0], y[1], s * s])
    b = np.asarray([v * v for v in x])
    return a * b[:5] + np.array([[s] * 5, [1.0] * 5])[0]


def joined(x: Six, y: Six, s: float):
    z = np.concatenate([x, y[1:]])
    return z * np.concatenate((y, [s], x[:4])) + np.hstack([y, x[:5]])


def stacked(x: Six, y: Six, s: float):
    m = np.stack([x, y, x * s])
    return np.vstack([m, y]).sum(axis=0) + np.column_stack([x, y])[:, 1]


def reshaped(x: Six, m: Rows, s: float):
    r = x.reshape(2, 3)
    r[1, 0] = s
    return (
        r @ m.ravel().reshape(3, 6) + m.T.reshape(-1)[4] + m.flatten()[7] + x.reshape(3, -1)[2, 1]
    )


def moved(x: Six, m: Rows, s: float):
    return np.roll(x, 1) * np.flip(x) + np.tile(x[:3], 2) + np.repeat(x[:3], 2) * s


def moved_rows(x: Six, m: Rows, s: float):
    return (
        np.roll(m, -1, axis=1) + np.transpose(np.transpose(m)) * s + np.eye(3, 6) + np.diag(x)[:3]
    )


def sums_by_name(x: Six, y: Six, s: float):
    z = np.zeros(7)
    for i, v in enumerate(x):
        z[i + 1] = z[i] + v * s
    return z[1:] * y


def as_numbers(x: Six, y: Six, s: float):
    k = (x > 0).astype(float)
    return k * y + np.arange(6).astype(float) / 2 + x.tolist()[1] + float(y[0]) + math.sin(x[2])


def places_of_the_module(x: Six, y: Six, s: float):
    return WEIGHTS[PLACES] * s + TABLE[PLACES, 1] + TABLE[:, 0].sum() * x[0]


def best_places_and_order(x: Six, y: Six, s: float):
    k = np.argmax(x)
    return x * s + k + np.argmin(y) + np.sort(x) * y + x[np.argmax(y)]


def taken_apart(x: Six, y: Six, s: float):
    a, b, *c = x
    return a * b + sum(c) * s


def lists_into_arrays(x: Six, y: Six, s: float):
    return np.array([f * s for f in x]) + np.array([np.sin(v) for v in y])


def rows_from_parts(x: Six, y: Six, s: float):
    z = np.zeros((2, 3))
    z[0] = x[:3]
    z[1, :] = y[3:]
    return z * s


def small_matrices(x: Six, y: Six, s: float):
    A = np.array([[s, 1.0, 0.0], [1.0, 2.0, s], [0.0, s, 3.0]])
    return A @ x[:3] + x[3:] @ A + A.sum() + A.mean(axis=0)


def small_vectors(x: Six, y: Six, s: float):
    v = np.array([s, 2.0, 3.0])
    return v.sum() + np.cumsum(v) + v.std() + v[:, None].sum()


def kernels_of_pairs(x: Six, y: Six, s: float):
    d = x[:, None] - y[None, :]
    k = np.exp(-0.5 * d * d / (s * s))
    return k.sum(axis=1) / 6


def empty_is_filled(x: Six, y: Six, s: float):
    z = np.empty(6)
    for i in range(6):
        z[i] = x[i] * s
    z[-2:] = z[:2]
    return z


def chosen_integers(x: Six, y: Six, s: float):
    c = np.where(x > 0, 1, 0)
    return c * y + c.sum() * s


def functions_of_python(x: Six, y: Six, s: float):
    return abs(x) + round(2.4) * s + pow(x, 2) + x.dot(y) + max(x.max(), y.max())


def pairs_of_points(x: Six, y: Six, s: float):
    pos = np.stack([x[:3], y[:3]])
    d = pos[:, None, :] - pos[None, :, :]
    return (d * d).sum(axis=2) * s


def signs_of_truths(x: Six, y: Six, s: float):
    return -(x[::-1] ** 2) + +y % 2 - (x > 0) + ~(y > 0) * s


def full_and_split(x: Six, y: Six, s: float):
    z = np.full((2, 3), s)
    z += x.reshape((2, 3))
    return z.flatten() + np.split(y, 2)[1].sum()


def interpolated(x: Six, y: Six, s: float):
    return np.interp(x, [0.0, 0.5, 1.0], [1.0, s, 2.0])


def folded_with_a_kernel(x: Six, y: Six, s: float):
    c = np.cumsum(x)
    c[0] += s
    return np.convolve(x, y[:3], "same") + c


def equal_and_not(x: Six, y: Six, s: float):
    e = x == y
    return np.where(e, 1.0, s) + (x != 3.0)


def single_elements(x: Six, y: Six, s: float):
    z = x.reshape((2, 3)) * s
    row = (y[:3] * s).reshape(3, 1, 1)
    last = z.item(5) * z.item(-1) + z.item(2) + z.item(1, 2) + z.item((0, -1))
    return x * last + row.item(1) * x.sum(keepdims=True).item() + y.item(int(s) % 6)


def the_same_element_by_two_indices(x: Six, y: Six, s: float):
    z = x.reshape((2, 3))
    k = int(s) % 2
    return y * z.item(k, 1) + z.item(3 * k)
