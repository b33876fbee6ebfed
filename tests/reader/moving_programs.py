"""Programs whose loops move references: swaps, the best of several, the one before.

Every public function takes two real numbers and gives numbers
Python runs them too.
"""

from egad import float2, max_iters, sin, struct


@struct
class P:
    x: float
    y: float


@struct
class Seg:
    a: P
    b: P


def prev_struct(a, b):
    cur = P(a, b)
    prev = P(0.0, 0.0)
    s = 0.0
    for _i in range(4):
        prev = cur
        cur = P(cur.x * 0.9 + b, cur.y * a)
        s = s + prev.x * cur.y
    return s + prev.y


def prev_list(a, b):
    cur = [a, b]
    prev = [0.0, 0.0]
    s = 0.0
    for _i in range(4):
        prev = cur
        cur = [cur[0] * 0.9 + b, cur[1] * a]
        s = s + prev[0] * cur[1]
    return s + prev[1]


def best_of_list(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5)]
    best = ps[0]
    for i in range(3):
        if ps[i].x > best.x:
            best = ps[i]
    return best.x * best.y


def cond_swap(a, b):
    p, q = P(a, 1.0), P(b, a)
    for _i in range(4):
        p.x = p.x * 0.9 + q.y * 0.1
        if p.x > q.x:
            p, q = q, p
        q.y = q.y * 1.1
    return p.x * q.y + p.y


def repeat_structs(a, b):
    xs = [P(a, b)] * 4
    s = 0.0
    for i in range(4):
        s = s + xs[i].x * i
    for i in range(3):
        xs[i + 1] = P(xs[i].x * b, a)
    for i in range(4):
        s += xs[i].x * xs[i].y
    return s


def repeat_vecs(a, b):
    xs = [float2(a, b)] * 4
    s = 0.0
    for i in range(4):
        s = s + xs[i].x * i
    for i in range(3):
        xs[i + 1] = xs[i] * b
    for i in range(4):
        s += xs[i].x * xs[i].y
    return s


def repeat_long_struct(a, b):
    xs = [P(0.0, 0.0)] * 12
    s = 0.0
    for i in range(11):
        xs[i + 1] = P(xs[i].x * 0.5 + a, b)
    for i in range(12):
        s += xs[i].x * xs[i].y
    return s


def both_new_then_changed(a, b):
    cur = P(a, b)
    prev = cur
    s = 0.0
    for i in range(3):
        cur.x += 1.0
        s += prev.x
        cur = P(b * i, a)
        prev = cur
    return s + cur.x


def both_new_changed_after(a, b):
    cur = P(a, b)
    prev = P(b, a)
    for i in range(3):
        cur = P(b * i, a)
        prev = cur
    cur.x = a * b
    return prev.x + cur.y


def origin_kept(a, b):
    origin = P(a, b)
    best = origin
    for i in range(5):
        c = P(b + i * 0.3, a)
        if c.x > best.x:
            best = c
    return best.x * origin.x


def origin_changed(a, b):
    origin = P(a, b)
    best = origin
    for i in range(5):
        c = P(b + i * 0.3, a)
        if c.x > best.x:
            best = c
    best.x += 1.0
    return best.x * origin.y


def argmin_then_changed(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5)]
    best = ps[0]
    for i in range(3):
        if ps[i].x > best.x:
            best = ps[i]
    best.x = 10.0 * a
    return ps[0].x + 2.0 * ps[1].x + 3.0 * ps[2].x


def argmin_long(a, b):
    ps = [P(a * sin(1.0 * k), b + k) for k in range(12)]
    best = ps[0]
    for i in range(12):
        if ps[i].x > best.x:
            best = ps[i]
    best.x = 10.0 * a
    s = 0.0
    for i in range(12):
        s += ps[i].x * i + ps[i].y
    return s + best.y


def sorted_structs(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5)]
    for i in range(2):
        for j in range(2 - i):
            if ps[j].x > ps[j + 1].x:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
    return ps[0].y + 2.0 * ps[1].x + 3.0 * ps[2].x


def sorted_structs_long(a, b):
    ps = [P(a * sin(1.0 * k), b + k) for k in range(9)]
    for i in range(8):
        for j in range(8 - i):
            if ps[j].x > ps[j + 1].x:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
    return ps[0].y + 2.0 * ps[1].x + 3.0 * ps[2].x


def sorted_temp(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5)]
    for i in range(2):
        for j in range(2 - i):
            if ps[j].x > ps[j + 1].x:
                t = ps[j]
                ps[j] = ps[j + 1]
                ps[j + 1] = t
    return ps[0].y + 2.0 * ps[1].x + 3.0 * ps[2].x


def chain_of_three(a, b):
    p1, p2, p3 = P(a, b), P(b, a), P(1.0, 2.0)
    for i in range(6):
        p3 = p2
        p2 = p1
        p1 = P(p2.x * 0.5 + p3.y, p3.x + 0.1 * i)
    return p1.x * p2.y + p3.x


def prev_if_changed_seen(a, b):
    cur = P(a, b)
    prev = P(0.0, 0.0)
    s = 0.0
    for _i in range(4):
        prev = cur
        if cur.x < 2.0:
            cur = P(cur.x * 1.2 + b, cur.y * a)
        cur.x += 0.25
        s += prev.x * cur.y
    return s + prev.y * cur.x


def cond_swap_nested(a, b):
    p, q = Seg(P(a, b), P(b, a)), Seg(P(1.0, 2.0), P(a, a))
    for _i in range(5):
        if p.a.x > q.b.x:
            p, q = q, p
        p.a.x = p.a.x * 0.8 + q.b.y * 0.1
        q.b.x += 0.2
    return p.a.x * q.b.x + p.b.y


def cond_swap_long_lists(a, b):
    p, q = [a * k for k in range(10)], [b + k for k in range(10)]
    for i in range(9):
        if p[i] > q[i]:
            p, q = q, p
        p[i] = p[i + 1] * 0.8 + q[i] * 0.1
    return p[0] * q[1] + p[8]


def nested_loops_prev(a, b):
    state = P(a, b)
    s = 0.0
    for _i in range(3):
        best = state
        for k in range(3):
            c = P(best.x * 0.7 + k * b, a)
            if c.x > best.x:
                best = c
        state.x += 0.1 * (best.x - state.x)
        s += state.x
    return s


def seg_shared(a, b):
    p = P(a, b)
    s = Seg(p, p)
    for _i in range(3):
        q = P(s.a.x * 0.5, b)
        s = Seg(q, q)
    s.a.x = 3.0 * a
    return s.b.y + s.a.x


def field_moves(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5)]
    s = Seg(ps[0], ps[1])
    for i in range(3):
        if ps[i].x > s.a.x:
            s.b = s.a
            s.a = ps[i]
    s.a.y = 9.0 * b
    return ps[0].y + 2.0 * ps[1].y + 3.0 * ps[2].y + s.b.x


def tuple_state(a, b):
    st = (P(a, b), P(b, a))
    for _i in range(3):
        st = (st[1], P(st[0].x * 0.5, st[1].y))
    return st[0].x * st[1].y + st[1].x


def ring(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5)]
    cur = ps[0]
    for i in range(5):
        cur.x = cur.x * 0.9 + 0.1
        cur = ps[(i + 1) % 3]
    return ps[0].x + 2.0 * ps[1].x + 3.0 * ps[2].x + cur.y


def while_walk(a, b):
    ps = [P(a, b), P(b, a), P(a * b, 0.5), P(0.3, a + b)]
    lo, hi = ps[0], ps[1]
    max_iters(6)
    i = 0
    while i < 4 and lo.x < 3.0:
        if ps[i].x < lo.x:
            hi, lo = lo, ps[i]
        elif ps[i].x > hi.x:
            hi = ps[i]
        lo.x += 0.1
        i += 1
    return lo.x * hi.y + hi.x


def long_star_running_change(a, b):
    xs = [P(a, b)] * 12
    n = 1 if a > 1.0 else 0
    xs[n].x = 5.0 * a
    return xs[3].x + xs[1].x


def rows_changed(a, b):
    xs = [[a, b, 1.0] for _ in range(4)]
    for i in range(3):
        xs[i + 1][i] = xs[i][1] * a
    xs[0] = xs[2]
    xs[0][0] = b
    return xs[2][0] + xs[3][2]


def short_vec_star_running(a, b):
    xs = [float2(a, b)] * 4
    n = 1 if a > 1.0 else 0
    xs[n].x = 5.0 * a
    return xs[3].x + xs[1].y


def first_of_long(a, b):
    xs = [P(a * k, b) for k in range(12)]
    first = xs[3]
    for i in range(11):
        xs[i + 1] = P(xs[i].x + a, b)
    return first.x + xs[3].x


def lists_of_different_types_chosen_in_a_loop(a, b):
    found = [a, (b, a)]
    vectors = [b, float2(a, b)]
    state = (1.0, [a, (b, 2)])
    for i in range(3):
        if a > b + i:
            found = [b, (a, a * b)]
            vectors = [a, float2(b, a)]
        p, [q, (r, n)] = state
        state = (p, [r, (q, n + 1)]) if p > 1.0 else (p * 2.0, [q, (r * a, n)])
    found[0] *= 2.0
    return found[0] + found[1][1], vectors[1].x * vectors[0], state[1][1][0] * state[1][1][1]
