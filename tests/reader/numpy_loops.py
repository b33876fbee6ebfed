"""Programs with arrays of NumPy in branches and loops.

`x` and `y` have six elements, `m` is 3 by 6, `s` is a number.
"""

import numpy as np
from numpy_programs import WEIGHTS, Rows, Six

from egad import force_unroll

# --- branches and loops ---------------------------------------------------------------------


def in_a_branch(x: Six, y: Six, s: float):
    if s > 0:
        z = x * s
        z[1] = y[2]
    else:
        z = y + 1.0
    if x[0] > y[0]:
        x += 1.0
        y[1:3] = s
    return z * x + y


def in_an_expression(x: Six, y: Six, s: float):
    z = x if s > 0 else y
    z[0] = 2.0 * s
    return x * y + z


def heat(x: Six, y: Six, s: float):
    u = x.copy()
    for _ in range(20):
        u[1:-1] = u[1:-1] + 0.1 * s * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def a_new_array_in_each_trip(x: Six, y: Six, s: float):
    u = x
    for _ in range(10):
        u = u + 0.1 * (y - u) * s
    return u


def in_place_in_each_trip(x: Six, y: Six, s: float):
    v = np.zeros(6)
    for _ in range(12):
        v -= 0.1 * x * s
        x += 0.1 * v
    return x + v


def a_view_and_a_loop(x: Six, y: Six, s: float):
    v = x[1:4]
    for i in range(9):
        x[2] = x[2] * 0.9 + s
        v[0] += y[i % 6]
    return x * v.sum()


def rows_at_a_running_index(x: Six, m: Rows, s: float):
    for i in range(9):
        m[i % 3] = m[(i + 1) % 3] * 0.5 + x * s
    return m


def elements_at_a_running_index(x: Six, m: Rows, s: float):
    for i in range(12):
        x[i % 6] += m[i % 3, i % 6] * s
    return x * 2


def a_loop_that_nothing_bounds(x: Six, y: Six, s: float):
    r = y - x
    k = 0
    while k < 8 and r @ r > 1e-3:
        x = x + 0.5 * r
        r = y * s - x
        k += 1
    return x


def power_iteration(x: Six, m: Rows, s: float):
    v = x
    for _ in range(5):
        v = m.T @ (m @ v) + s * x
        v = v / np.linalg.norm(v)
    return v


def a_vector_that_meets_arrays(x: Six, m: Rows, s: float):
    acc = np.zeros(3)
    for _i in range(5):
        acc = acc + m @ x * s
    return acc


def an_array_that_meets_vectors(x: Six, m: Rows, s: float):
    acc = m @ x
    for _i in range(5):
        acc = acc * 0.5 + np.array([s, 1.0, 2.0])
    return acc


def names_exchanged_in_a_loop(x: Six, y: Six, s: float):
    u, v = x, y
    for _i in range(5):
        u, v = v, u
        u += s
    return x * y + u


def ping_pong(x: Six, y: Six, s: float):
    old = x.copy()
    new = np.zeros(6)
    for _i in range(7):
        for k in range(6):
            new[k] = 0.5 * old[k] + 0.25 * old[(k + 1) % 6] * s
        old, new = new, old
    return old


def steps_of_copies(x: Six, y: Six, s: float):
    u = x
    for _i in range(8):
        un = u.copy()
        un[1:-1] = u[1:-1] + s * 0.1 * (u[2:] + u[:-2] - 2 * u[1:-1])
        u = un
    return u


def forces_of_pairs(x: Six, y: Six, s: float):
    r = np.zeros(6)
    for i in range(6):
        for j in range(6):
            if i != j:
                r[i] += (x[j] - x[i]) * s
    return r


def cholesky(x: Six, y: Six, s: float):
    L = np.zeros((3, 3))
    A = x.reshape(2, 3).T @ x.reshape(2, 3) + 3.0 * np.eye(3)
    for i in range(3):
        for j in range(i + 1):
            t = A[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(t) if i == j else t / L[j, j]
    return L


def layers(x: Six, y: Six, s: float):
    w = 0
    while w < 5:
        x = np.tanh(x * s) + y
        w += 1
    return x


def rows_that_change(x: Six, y: Six, s: float):
    for row in (x, y):
        row[0] = s
        row *= 2
    return x * y


def networks(x: Six, y: Six, s: float):
    h = x
    for Wk in (WEIGHTS, WEIGHTS * 2):
        h = np.maximum(Wk * h + y, 0.0)
    return h @ y


def a_part_that_a_loop_replaces(x: Six, y: Six, s: float):
    u = x[:3]
    for _i in range(6):
        u = u * 0.9 + y[:3] * s
    return u


def a_part_that_a_loop_changes(x: Six, y: Six, s: float):
    u = x[:3]
    for _i in range(6):
        u[0] = u[0] * s
        u[1:] = u[:-1] * 0.5
    return x + u.sum()


def parts_exchanged_in_a_loop(x: Six, y: Six, s: float):
    a, b = x[:3], x[3:]
    for _i in range(5):
        a, b = b, a
        a[0] += s
    return x * a.sum() + b[1]


def the_best_row(x: Six, m: Rows, s: float):
    best = m[0]
    for i in range(3):
        if m[i].sum() > best.sum():
            best = m[i]
    best[2] = 50.0 * s
    return m


def rows_changed_in_a_loop(x: Six, m: Rows, s: float):
    for i in range(3):
        row = m[i]
        row[1:4] *= s
        row[0] = x[i]
    return m


def views_in_each_trip(x: Six, y: Six, s: float):
    for _i in range(8):
        left = x[:-1]
        right = x[1:]
        x[1:-1] = 0.5 * (left[:-1] + right[1:]) * s
    return x


def a_table_of_powers(x: Six, y: Six, s: float):
    k = 0
    z = np.zeros((4, 6))
    while k < 4:
        z[k] = x * k
        z[k, k] = s
        z[k, 2:4] += y[:2]
        k += 1
    return z.sum(axis=0)


def steps_by_a_function(x: Six, y: Six, s: float):
    def step(u):
        v = u.copy()
        v[1:-1] += s * (u[2:] - 2 * u[1:-1] + u[:-2])
        return v

    for _ in range(6):
        x = step(x)
    return x


def runge_kutta(x: Six, y: Six, s: float):
    def rhs(u):
        return -s * u + y

    h = 0.1
    for _ in range(7):
        k1 = rhs(x)
        k2 = rhs(x + 0.5 * h * k1)
        k3 = rhs(x + 0.5 * h * k2)
        k4 = rhs(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


def rows_and_columns_in_a_loop(x: Six, y: Six, s: float):
    m = np.zeros((6, 6))
    for i in range(6):
        m[i] = x * y[i]
        m[:, i] += s
    return m


def descent(x: Six, y: Six, s: float):
    w = x
    for _ in range(3):
        g = 2.0 * (w @ y - s) * y
        w = w - 0.1 * g
    return w


def two_bodies(x: Six, y: Six, s: float):
    vel = np.zeros((2, 3))
    pos = x.reshape(2, 3).copy()
    for _ in range(5):
        d = pos[1] - pos[0]
        r = np.sqrt((d * d).sum() + 0.1)
        f = s * d / r**3
        vel[0] += f
        vel[1] -= f
        pos += 0.1 * vel
    return pos


def elimination(x: Six, y: Six, s: float):
    a = np.outer(x, y) * 0.1 + (4.0 + s * s) * np.eye(6)
    b = y.copy()
    for k in force_unroll(range(5)):
        f = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= np.outer(f, a[k, k:])
        b[k + 1 :] -= f * b[k]
    for k in force_unroll(range(5, -1, -1)):
        b[k] = (b[k] - a[k, k + 1 :] @ b[k + 1 :]) / a[k, k]
    return b


def orbit(x: Six, y: Six, s: float):
    p = np.array([s, 0.0])
    for _ in range(10):
        p = p + 0.1 * np.array([p[1], -p[0]])
    return p


def rotations(x: Six, y: Six, s: float):
    r = np.array([[np.cos(s), -np.sin(s)], [np.sin(s), np.cos(s)]])
    p = x[:2]
    for _ in range(7):
        p = r @ p
    return p * y[:2]
