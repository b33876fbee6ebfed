"""Programs in which rows of matrices are held, changed and read, for test_rows.py.

Each takes a matrix, a vector, two numbers and two integers, and runs as plain Python, too.
"""

from egad import InOut, copy, dot, float3, float3x3, struct


@struct
class Body:
    m: float3x3
    r: float3


@struct
class Pair:
    a: float3
    b: float3


def both(m, *rest):
    """All numbers of a matrix, and more."""
    s = 0.0
    for i in range(3):
        for j in range(3):
            s += m[i][j] * (1.0 + 3.0 * i + 1.7 * j * j)
    for k, x in enumerate(rest):
        s += x * (20.0 + 7.0 * k)
    return s


def grow(v: InOut[float3], x: float):
    v.x = v.x * x + 1.0
    v[1] += v.x


def grow_all(m: InOut[float3x3], x: float):
    for r in m:
        grow(r, x)
    m[1] = m[0]


def grow_if(v: InOut[float3], x: float, c: float):
    if c > 0.0:
        v.x = v.x * x
    v.y += 1.0


def two(v: InOut[float3], m: InOut[float3x3]):
    v.x += 1.0
    m[0].x *= 3.0
    v.y = m[0].x


def swapped(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    m[0], m[1] = m[1], m[0]
    return both(m)


def rotated(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    m[0], m[1], m[2] = m[2], m[0], m[1]
    return both(m)


def swapped_copies(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    m[0], m[1] = copy(m[1]), copy(m[0])
    return both(m)


def swapped_at(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    m[0], m[i] = m[i], m[0]
    return both(m)


def seen_in_the_row(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    m[1].x = 5.0 * a
    return both(m, r.x, r.y)


def seen_in_the_matrix(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    r.x = 5.0 * a
    r[2] *= a
    return both(m, r.x, r.z)


def whole_row(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    m[1] = v * a
    v.x = 100.0
    return both(m, r.x, r.y, v.x)


def assigned_row_is_a_copy(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    m[1] = m[0]
    m[0].x = a
    m[1].y = 2.0 * a
    return both(m)


def rebound(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    r *= 2.0
    m[1].x = a
    return both(m, r.x, r.y)


def another_matrix(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    m = m * 2.0
    r.x = a
    m[1].y = a
    return both(m, r.x, r.y)


def copied_row(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = copy(m[1])
    r.x = a
    m[1].y = a
    return both(m, r.x, r.y)


def copied_matrix(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    o = copy(m)
    r, q = m[1], o[1]
    r.x = a
    q.y = a
    return both(m, r.y, q.x) + both(o)


def two_names(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    o = m
    r = m[1]
    o[1].x = a
    r.y = c
    return both(m, r.x) + both(o, o[1].y)


def two_rows(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r, q = m[1], m[1]
    r.x = a
    q.y = r.x * c
    return both(m, r.y, q.x)


def by_columns(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    m[:, 0] = v
    m[1:, 2] = a
    return both(m, r.x, r.z)


def by_index(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    m[1, 2] = a
    m._m10 = c
    return both(m, r.x, r.z)


def iterated(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    for r in m:
        r.x *= 2.0 * a
    return both(m)


def iterated_and_read(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    s = 0.0
    for r in m:
        s += r.x
        m[2].x = m[2].x * a + s
        m[1] = v
    return both(m, s)


def iterated_under(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    for r in m:
        if r.x > c:
            r.y = a
            m[2].x += r.z
            continue
        m[1].x -= 2.0
        r.x = -a
    return both(m)


def enumerated(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    for k, r in enumerate(m):
        r[k] += a
        m[2 - k].x += r.x
    return both(m)


def zipped(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    o = m * a
    for r, q in zip(m, o, strict=True):
        r.x = q.y
        q.z += r.x
        m[2].y += 1.0
    return both(m) + both(o)


def zipped_early(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    pairs = zip(m, reversed(m), strict=False)
    m[0].x = a
    s = 0.0
    for r, q in pairs:
        s += r.x * q.y
        q.x += 1.0
    return both(m, s)


def tuples_iterated(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    w = v * a
    for r in (m[0], w, v):
        r.x += a
        v.y += r.x
        w.x += 2.0
    return both(m, v.x, v.y, w.x)


def unpacked(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    p, q, r = m
    p.x = a
    m[1].y = c
    r.z += p.x
    return both(m, p.x, q.y, r.z)


def unpacked_with_a_star(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    p, *rest = m
    rest[1].x = a
    p.y += rest[0].x
    m[1].x = c
    return both(m, p.x, rest[0].x, rest[1].x)


def listed(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    rows = list(m)
    rows[1].x = a
    m[0].y = c
    rows[2] = v
    v.x = 3.0
    return both(m, rows[0].y, rows[1].x, rows[2].x)


def listed_at_run_time(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    rows = [m[2], m[0], v]
    rows[i].x = a
    m[0].y = c
    return both(m, rows[0].x, rows[1].y, v.x)


def comprehended(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    rows = [r for r in m if True]
    lengths = [dot(r, r) for r in m]
    m[1].x = a
    rows[0].y = c
    return both(m, rows[1].x, *lengths)


def in_a_tuple(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    t = (m[1], (m, a))
    m[1].x = a
    t[0].y = c
    t[1][0][2].z = a
    return both(m, t[0].x, t[1][0][1].y)


def in_a_struct(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    b = Body(m, m[1])
    b.r.x = a
    m[1].y = c
    b.m[1].z = a * c
    m[0].x = 1.5
    return both(m, b.r.x, b.r.y, b.r.z) + both(b.m)


def in_two_structs(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    p = Pair(m[0], m[1])
    q = Pair(p.b, v)
    if c > 0.0:
        q.a.x = a
        p = Pair(v, m[2])
    p.b.y = 7.0
    m[1].z = a
    return both(m, p.b.x, q.a.x, q.a.z, p.a.x)


def chosen(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0] if c > 0.0 else m[1]
    r.x = 5.0 * a
    m[1].y = c
    return both(m, r.x, r.y)


def chosen_or_other(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0] if c > 0.0 else v
    m[0].x = a
    r.y = 2.0 * a
    v.z = 1.0
    return both(m, r.x, r.y, r.z, v.y)


def chosen_of_two(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    o = m * 2.0
    w = m if c > 0.0 else o
    r = w[1]
    r.x = a
    o[1].y = 3.0
    w[0].z = a * c
    m[1].z = -1.0
    return both(m, r.x, r.y, r.z) + both(o) + both(w)


def matrix_of_arms(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    if c > 0.0:
        m[0].x = a
    else:
        m[1].x = a
        r.y = 2.0
    r.z = r.x * a
    m[0].x += 1.0
    return both(m, r.x, r.y, r.z)


def matrix_rebound_in_an_arm(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    if c > 0.0:
        m = m * a
        m[1].y = 2.0
    r.x = a
    m[0].y = c
    m[1].x += r.y
    return both(m, r.x, r.y)


def row_rebound_in_an_arm(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    if c > 0.0:
        r = m[1]
        r.z = a
    elif a > 0.0:
        r = v
    r.x = a
    m[1].y = 4.0
    v.x += 1.0
    return both(m, r.x, r.y, v.x)


def running(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[i]
    r.x = 5.0 * a
    m[1].y = c
    m[i].z = a * c
    return both(m, r.x, r.y, r.z)


def two_running(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r, q = m[i], m[n % 3]
    r.x = 5.0 * a
    q.x += 1.0
    q.y = r.x
    return both(m, r.x, r.y, q.x)


def running_whole(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    m[i] = v
    m[n % 3] = m[i] * a
    return both(m, r.x, r.y)


def called(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    grow(m[1], a)
    grow(r, c)
    return both(m, r.x, r.y)


def called_running(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    grow(m[i], a)
    return both(m, r.x, r.y)


def called_chosen(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    grow(m[1] if c > 0.0 else m[2], a)
    return both(m, r.x, r.y)


def called_under(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    if c > 0.0:
        grow_if(m[1], a, c - 1.0)
    grow_if(r, a, c)
    return both(m, r.x, r.y)


def called_whole(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[1]
    grow_all(m, a)
    r.z = c
    return both(m, r.x, r.y)


def called_with_both(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    two(m[0], m)
    r = m[1]
    two(r, m)
    return both(m, r.x, r.y)


def called_in_a_struct(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    b = Body(m, m[1])
    grow(b.r, a)
    grow(b.m[0], a)
    grow(m[1], c)
    return both(m, b.r.x, b.m[1].x, b.m[0].x)


def called_in_a_list(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    rows = [m[0], m[1]]
    grow(rows[0], a)
    grow_all(m, c)
    return both(m, rows[0].x, rows[1].x)


def matrices_in_a_list(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    ms = [m, m * 2.0]
    r = ms[1][0]
    ms[1][0].x = a
    q = ms[i % 2][1]
    q.y = c
    ms[n % 2][1].z = a
    return both(m, r.x, q.y, q.z) + both(ms[1])


def loop_over_the_row(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    for _ in range(n):
        r.x = r.x * a + 1.0
    r.y = c
    return both(m, r.x, r.y)


def loop_over_the_matrix(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    for _ in range(n):
        m[0].x = r.x * a + 1.0
        r.z += m[0].x
    m[0].y = r.x
    return both(m, r.x, r.y)


def loop_over_others(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    for _ in range(n):
        m[1] = m[1] * a + r
    r.x = c
    m[0].y = a
    return both(m, r.x, r.y)


def loop_that_eliminates(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    for k in range(3):
        p = m[k]
        for j in range(3):
            if j != k:
                m[j] = m[j] - p * (m[j][k] / (p[k] + 9.0))
    return both(m)


def loop_that_spoils_its_pivot(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    for k in range(3):
        p = m[k]
        for j in range(3):
            m[j] = m[j] - p * (m[j][k] / (p[k] + 9.0))
    return both(m)


def loop_over_a_running_row(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[i]
    for k in range(3):
        r.x += m[k].y
        m[k].z = r.x * a
    return both(m, r.x, r.z)


def loop_that_rebinds(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    s = 0.0
    for k in range(3):
        r = m[k]
        r.x = r.x * a + s
        s += r.x
    return both(m, s)


def loop_that_keeps(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    best = m[0]
    for k in range(3):
        if m[k].x > best.x:
            best = m[k]
    return both(m, best.x, best.y)


def loop_in_a_list(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    rows = [m[0], m[2]]
    for _ in range(n):
        m[0].x = rows[0].x * a + rows[1].x
        rows[1].x += 1.0
    rows[0].y = c
    return both(m, rows[0].x, rows[1].x)


def loop_in_a_struct(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    b = Body(m * 2.0, v)
    b.r = b.m[1]
    for _ in range(n):
        b.r.x = b.r.x * a + 1.0
        b.m[0].y += b.m[1].x
    b.m[1].y = c
    return both(b.m, b.r.x, b.r.y)


def loop_in_an_iteration(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    for r in m:
        for _ in range(n):
            r.x = r.x * a + 1.0
            m[2].y += r.x
    return both(m)


def loop_with_a_row_at_the_end(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[2]
    k = 0
    while k < n:
        if m[k % 3].x > c:
            m[k % 3].x *= a
        k += 1
    r.x += 1.0
    m[2].z = a
    return both(m, r.x, r.z)


def rebound_in_a_loop(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    for _ in range(n + 1):
        m = m * a
        m[0].x += 1.0
    return both(m, r.x, r.y, r.z)


def returned_early(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    r = m[0]
    if c > 0.0:
        r.x = a
        return both(m, r.x)
    m[0].y = a
    return both(m, r.y)


def gram_schmidt(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    p = m[0]
    m[1] = m[1] - dot(p, m[1]) * p
    q = m[1]
    m[2] = m[2] - dot(p, m[2]) * p - dot(q, m[2]) * q
    return both(m)


def columns_are_copies(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    p = m[:, 0]
    m[:, 1] = m[:, 1] - dot(p, m[:, 1]) * p
    m[0].x = a
    return both(m, p.x)


def long_list(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    ms = [m * float(k + 1) for k in range(40)]
    r = ms[n][0]
    ms[n][0].x = a
    q = ms[3][0]
    ms[n + 2][0].y += c
    ms[n] = m
    return both(ms[n], r.x, r.y, q.y)


def long_list_in_a_loop(m: float3x3, v: float3, a: float, c: float, i: int, n: int):
    ms = [m * float(k + 1) for k in range(40)]
    s = 0.0
    for k in range(n + 3):
        r = ms[k][0]
        q = ms[k + 1]
        q[1].x += r.x * a
        ms[k][0], ms[k][1] = ms[k][1], ms[k][0]
        s += r.x + ms[k][1].x
    return both(ms[n], s)
