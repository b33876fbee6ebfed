"""Vectors of long lists with names of their own: a change of one is a change of the other."""

from egad import float2


def _points(a, b):
    return [float2(a + i, b * i) for i in range(10)]


def elements_move(a, b):
    ps = _points(a, b)
    for i in range(10):
        p = ps[i]
        p.x += 0.1 * a
        p.y *= 0.5
    t = 0.0
    for i in range(10):
        t += ps[i].x * ps[i].y
    return t


def neighbours_pull_each_other(a, b):
    ps = _points(a, b)
    t = 0.0
    for i in range(9):
        p, q = ps[i], ps[i + 1]
        d = q - p
        p.x += 0.1 * d.y
        q.y -= 0.2 * d.x
        d.x = 0.0
        t += d.y + ps[i].x * ps[i + 1].y
    return t


def through_the_list_and_through_names(a, b):
    ps = _points(a, b)
    k = int(abs(a) * 3.0) % 10
    v, u, w = ps[k], ps[k], ps[(k + 1) % 10]
    ps[k].y += a
    w.x += v.y
    v.x *= 2.0
    return v.x, v.y, u.x, u.y, w.x, ps[k].x, ps[(k + 1) % 10].x


def one_or_another(a, b):
    ps = _points(a, b)
    k, j = int(abs(a) * 3.0) % 10, int(abs(b) * 3.0) % 10
    v = ps[k]
    ps[j].x += 10.0
    v.y += 1.0
    return v.x, ps[j].y, ps[k].x


def written_back_and_changed_again(a, b):
    ps = _points(a, b)
    for i in range(10):
        p = ps[i]
        p.x += b
        ps[i] = p
        p.y += a * p.x
    return ps[2].x, ps[2].y, ps[7].y


def replaced_elements_are_others(a, b):
    ps = _points(a, b)
    k = int(abs(a) * 3.0) % 10
    p = ps[k]
    ps[k] = float2(b, a)
    p.x += 1.0
    return ps[k].x, p.x


def in_branches(a, b):
    ps = _points(a, b)
    k = int(abs(a) * 3.0) % 10
    p = ps[k]
    if a > b:
        p.x += a
    else:
        ps[k].y += b
    return ps[k].x, ps[k].y


def a_copy_stays(a, b):
    ps = _points(a, b)
    k = int(abs(a) * 3.0) % 10
    p = float2(ps[k])
    p.x += 1.0
    q = ps[k] + 0.0
    q.y += 1.0
    return ps[k].x, ps[k].y, p.x, q.y


def forces_add_up(a, b):
    ps = _points(a, b)
    t = 0.0
    for i in range(10):
        p = ps[i]
        for j in range(10):
            p.x += 0.01 * ps[j].y * a
            t += 0.1 * ps[i].x
        p.y = p.x * b
    return t, ps[3].x, ps[9].y


def runs_over_the_elements(a, b):
    ps = _points(a, b)
    for p in ps:
        p.x = 0.5 * p.x + b
    for i, p in enumerate(ps):
        p.y += p.x * i
    return ps[1].x, ps[8].y


def changed_in_a_while(a, b):
    ps = _points(a, b)
    k = int(abs(a) * 3.0) % 10
    p, n = ps[k], 0
    while p.x < 4.0 and n < 9:
        p.x += 1.0 + abs(b)
        n += 1
    ps[k].y += p.x
    return ps[k].x, p.y, n


def found_and_read(a, b):
    ps = _points(a, b)
    best = ps[0]
    for i in range(10):
        if ps[i].y * a > best.y * a:
            best = ps[i]
    found = best.x * best.y
    ps[int(abs(a) * 3.0) % 10].x += found
    return found, sum(p.x for p in ps)


def a_known_element_in_a_loop(a, b):
    ps = _points(a, b)
    v, n = ps[3], int(abs(a) * 3.0) % 10
    for i in range(n):
        ps[i].x += 1.0
        v.y += b
    return v.x, ps[3].y, ps[n].x
