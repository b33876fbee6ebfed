"""Programs that change arrays of NumPy and parts of them: which names see it, as NumPy says.

`x` and `y` have six elements, `m` is 3 by 6, `s` is a number.
"""

import numpy as np
from numpy_programs import Rows, Six

from egad import dot, float3, length, normalize

# --- parts ----------------------------------------------------------------------------------


def shifted(x: Six, y: Six, s: float):
    return x[1:] - x[:-1] + s * y[1:]


def backwards(x: Six, y: Six, s: float):
    return x[::-1] * y + x[::-2].sum() * s


def second_difference(x: Six, y: Six, s: float):
    out = np.zeros_like(x)
    out[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    out[0], out[-1] = s, y[-1]
    return out


def columns(x: Six, m: Rows, s: float):
    return m[:, 2] * s + m[:, -1] + m[1:, 0].sum()


def blocks(x: Six, m: Rows, s: float):
    return m[:2, 1:4] * m[1:, 2:5] + m[0, 0] * s


def picked(x: Six, y: Six, s: float):
    return x[[0, 2, 5]] * s + y[np.array([1, 1, 3])]


def every_second(x: Six, y: Six, s: float):
    x[::2] = y[::2] * s
    return x * y


def filled_part(x: Six, y: Six, s: float):
    x[2:5] = 0
    x[0:2] = s
    x[5:] = [y[0]]
    return x * y


def part_in_place(x: Six, y: Six, s: float):
    x[1:4] += y[:3] * s
    x[-1] *= 2.0
    x[:2] /= 4.0
    return x


def overlapping_parts(x: Six, y: Six, s: float):
    x[1:] = x[:-1]
    x[::-1] = x.copy()
    return x * y + s


def column_in_place(x: Six, m: Rows, s: float):
    m[:, 1] = 0.0
    m[:, 2] += s
    m[1, :] *= 3.0
    m[0] = x
    m[1:, 3:] = s
    m[2][4] = 7.0
    return m


def whole_in_place(x: Six, y: Six, s: float):
    x[:] = y
    y *= s
    x -= 2 * y
    return x * y


def where_it_is_negative(x: Six, y: Six, s: float):
    x[x < 0] = 0.0
    y[y > s] *= 0.5
    return x * y


def rows_and_columns(x: Six, m: Rows, s: float):
    total = 0.0
    for row in m:
        total = total + row.sum() * s
    for j, column in enumerate(m.T):
        total += column[0] * x[j]
    return total


# --- names and views ------------------------------------------------------------------------


def a_second_name(x: Six, y: Six, s: float):
    z = x
    z[0] = s
    z += y
    return x * y


def a_new_array(x: Six, y: Six, s: float):
    z = x
    z = z + y
    z[0] = s
    return x * z


def a_view_is_written(x: Six, y: Six, s: float):
    v = x[1:4]
    v[0] = s
    v *= 2
    v[:] = v + y[:3]
    x[3] = 5.0 * s
    return x * v.sum()


def a_view_of_a_view(x: Six, m: Rows, s: float):
    v = x[::-1][1:4]
    v[1] = s * 3
    t = m.T
    t[2, 1] = s
    c = t[4]
    c += 1.0
    return x * m


def a_copy(x: Six, y: Six, s: float):
    z = x.copy()
    z[0] = s
    w = np.array(x)
    w += z
    q = np.copy(y)
    q[1:3] = s
    return x + z * w + q


def a_row_is_a_view(x: Six, m: Rows, s: float):
    row = m[1]
    row[2:4] = s
    m[0] += row
    x[:] = row
    x[0] = 9.0
    return m * x


def _scale(v, k):
    v *= k


def a_function_changes(x: Six, y: Six, s: float):
    _scale(x, s)
    _scale(y[1:3], 2.0)
    return x * y


def a_function_of_parts(x: Six, y: Six, s: float):
    def flux(left, right):
        return 0.5 * (left + right) - s * (right - left)

    f = flux(x[:-1], x[1:])
    return y[1:-1] - (f[1:] - f[:-1])


def a_vector_in_place(x: Six, m: Rows, s: float):
    acc = np.zeros(3)
    acc += m @ x
    acc *= s
    return acc


def into_a_small_vector(x: Six, m: Rows, s: float):
    z = np.zeros(4)
    z[1:3] = x[:2]
    z[0] = x[:4].sum()
    return z * x[:4]


def one_part_or_another(x: Six, y: Six, s: float):
    v = x[:3] if s > 0 else y[1:4]
    v[1] = 10.0 * s
    return x + y


def a_row_at_a_running_index(x: Six, m: Rows, s: float):
    i = int(s * 3)
    row = m[i]
    part = row[2:5]
    part[1] = 100.0 * s
    part *= 2.0
    m[i, :2] = s
    return m * x


def a_column_at_a_running_index(x: Six, m: Rows, s: float):
    j = int(s * 3)
    return m[:, j] * s + m[1:, j].sum() + m[j, 1:4] @ x[:3]


def a_column_written_at_a_running_index(x: Six, m: Rows, s: float):
    j = int(s * 3)
    m[:, j] = np.array([1.0, s, 3.0])
    m[j] += 1.0
    return m


def a_matrix_by_its_elements(x: Six, y: Six, s: float):
    w = np.zeros((6, 6))
    for i in range(6):
        w[i, i] = 2.0 * s
        if i > 0:
            w[i, i - 1] = w[i - 1, i] = -1.0
    return w @ x


def integers_stay_integers(x: Six, y: Six, s: float):
    b = np.arange(6) * 0.5
    b[2] = s
    n = np.arange(6)
    n[1] = 7
    return b * x + n


def views_of_other_forms(x: Six, y: Six, s: float):
    t = x.reshape(2, 3).T.ravel()
    t[0] = 9.0
    r = x[::2].reshape(1, 3)
    r[0, 1] = 4.0 * s
    return x + t


def names_exchanged(x: Six, y: Six, s: float):
    x, y = y, x
    x[0], x[1] = x[1], x[0]
    return x * y


def elements_and_parts_exchanged(x: Six, y: Six, s: float):
    x[1:], x[0] = x[:-1].copy(), s
    return x


def a_mask_decides(x: Six, y: Six, s: float):
    m = x > y
    if m[0]:
        return x
    return y if not m.any() else x + y


def every_second_and_of_them(x: Six, y: Six, s: float):
    v = x[::2]
    w = v[1:]
    x[4] = s
    v[1] = 3.0
    return w * 2 + v[0]


def views_made_in_branches(x: Six, y: Six, s: float):
    c = y[0] > 0
    if c:
        v = x[:2]
        v[0] = s
    else:
        v = y[2:4]
        v[1] = 2 * s
    v *= 3.0
    return x + y


def a_list_of_arrays(x: Six, y: Six, s: float):
    hist = [x, y]
    for h in hist:
        h += 1.0
    hist[0] = hist[1]
    hist[0][1] = s
    return x * y


def a_tuple_of_arrays(x: Six, y: Six, s: float):
    t = (x, y[1:3])
    t[1][0] = 7.0 * s
    a, _b = t
    a *= 2
    return x + y


def a_name_given_away(x: Six, y: Six, s: float):
    x[0], y = s, x
    y[1] = 4.0
    return x * y


def masks_in_place(x: Six, y: Six, s: float):
    x[x > 0.3] = s
    x[x < y] += 1.0
    y[~(y > 0)] *= 2.0
    return x * y


def lists_of_places(x: Six, y: Six, s: float):
    z = np.zeros(6)
    z[[0, 2]] = s
    z[np.array([1, 5])] += x[:2]
    z[[3, 4]] = y[[4, 3]]
    return z


def a_table_at_a_running_index(x: Six, y: Six, s: float):
    i = int(s * 4)
    u = x[None, :] * y[:, None]
    return u[i] + u[i, i] + u[:, i][1]


def a_sign_and_in_place(x: Six, y: Six, s: float):
    x[2:4], x[0] = x[0:2].copy(), 9.0
    u = x
    u = -u
    u += x
    return u + np.negative(x)


def a_part_of_one_of_two(x: Six, y: Six, s: float):
    k = int(s * 3)
    p = x[:3] if k == 2 else y[3:]
    q = p[::-1]
    q[0] = 5.0
    p[0] = s
    return x - y


# --- arrays of two to four elements ---------------------------------------------------------


def small_ones_have_names_too(x: Six, y: Six, s: float):
    a = np.zeros(3)
    b, part = a, a[1:]
    b += s
    part[0] = 4.0 * s
    m = np.linalg.inv(np.eye(2) * s)
    n = m
    n *= x[0]
    return a @ a + m.sum()


def beside_vectors(x: Six, y: Six, s: float):
    v = float3(x[0], y[1], s) + np.array([1.0, s, 2.0])
    w = np.array([1.0, s, 2.0]) * v
    a = np.array([s, 1.0, 2.0])
    return w.x + w.y * v.z + length(w) + dot(a, normalize(a)) + np.cross(a, x[:3])[1]


def linear_algebra(x: Six, y: Six, s: float):
    m = np.array([[s, 1.0], [1.0, 3.0]])
    b = np.linalg.solve(m, np.array([1.0, s])) + np.linalg.inv(m) @ x[:2]
    return b * np.linalg.det(m) + np.trace(m) + m.T[0][1]


def the_best_is_gone(x: Six, y: Six, s: float):
    q = np.array([1.0, 2.0, s])
    if np.all(q > 0) and q.sum() > 1.0:
        q[np.argmax(q)] = 0.0
    return q @ q
