"""Vectors of lists of lists and of structs, and what replaces, mixes and moves lent vectors."""

from egad import float2, struct


@struct
class Body:
    at: float2
    speed: float2


def _grid(a, b):
    return [[float2(a + i, b * j) for j in range(3)] for i in range(4)]


def _points(a, b):
    return [float2(a + i, b * i) for i in range(10)]


def _places(a, b):
    return int(abs(a) * 3.0) % 4, int(abs(b) * 3.0) % 3


def at_two_indices(a, b):
    grid = _grid(a, b)
    i, j = _places(a, b)
    p, row = grid[i][j], grid[i]
    p.x += a
    row[j].y *= b
    q = row[1]
    q.y += p.y
    return grid[i][j].x, grid[i][j].y, p.y, grid[i][1].y


def rows_pull_each_other(a, b):
    grid = _grid(a, b)
    t = 0.0
    for i in range(3):
        for j in range(3):
            p, q = grid[i][j], grid[i + 1][j]
            d = q - p
            p.x += 0.1 * d.y
            q.y -= 0.2 * d.x
            t += d.y + grid[i][j].x * grid[i + 1][j].y
    return t, grid[2][1].x


def fields_of_structs(a, b):
    bodies = [Body(float2(a + i, b * i), float2(b, i)) for i in range(9)]
    for k in range(9):
        at, speed = bodies[k].at, bodies[k].speed
        at.x += 0.1 * speed.x
        if at.x > 4.0:
            speed.x = -speed.x
        speed.y -= at.x
    return bodies[3].at.x, bodies[7].speed.x, bodies[7].speed.y


def springs(a, b):
    grid = _grid(a, b)
    speeds = [[float2(0.0, a * i) for _ in range(3)] for i in range(4)]
    for _ in range(2):
        for i in range(4):
            for j in range(3):
                p, v = grid[i][j], speeds[i][j]
                if i < 3:
                    v.x += 0.1 * (grid[i + 1][j].x - p.x)
                v.y -= 0.1
                p.x += 0.1 * v.x
                p.y += 0.1 * v.y
                if p.y < 0.0:
                    v.y = -v.y
    return sum(p.x * p.y for row in grid for p in row)


def bounces_and_goes_on(a, b):
    ps = _points(a, b)
    for i in range(10):
        p = ps[i]
        if p.x > 2.0:
            p.x -= 1.0 + p.y
        p.y += p.x
    return ps[4].x, ps[8].y


def changed_by_arms(a, b):
    ps = _points(a, b)
    k, j = _places(a, b)
    p = ps[k]
    if a > b:
        ps[j].x += a
    else:
        p.y += a
    p.y *= 2.0
    ps[k].y += 2.0
    return ps[k].x, ps[k].y, p.x, p.y


def one_of_two_elements(a, b):
    ps = _points(a, b)
    k, j = _places(a, b)
    p = ps[k] if a > b else ps[j + 1]
    p.x += 1.0
    ps[k].y += 3.0
    return ps[k].x, ps[j + 1].x, p.x, p.y


def an_element_or_another_vector(a, b):
    ps, q = _points(a, b), float2(a, b)
    k, _ = _places(a, b)
    p = q
    if a > b:
        p = ps[k]
    p.x += 1.0
    return ps[k].x, q.x, p.x


def of_one_of_two_lists(a, b):
    ps, qs = _points(a, b), _points(b, a)
    k, _ = _places(a, b)
    rs = ps if a > b else qs
    p = rs[k]
    p.x += 1.0
    return ps[k].x, qs[k].x, p.x


def another_one_may_be_replaced(a, b):
    ps = _points(a, b)
    k, j = _places(a, b)
    p, q, r = ps[k], ps[k], ps[1]
    ps[j] = float2(b, a)
    p.x += 1.0
    r.y += 2.0
    return ps[k].x, q.x, ps[1].y, ps[j].x


def replaced_in_an_arm(a, b):
    ps = _points(a, b)
    k, _ = _places(a, b)
    p, q = ps[k], ps[k]
    if a > b:
        ps[k] = float2(b, a)
    p.x += 1.0
    return ps[k].x, q.x


def a_row_is_replaced(a, b):
    grid = _grid(a, b)
    i, j = _places(a, b)
    p = grid[i][j]
    grid[i] = [float2(b, b) for _ in range(3)]
    p.x += 1.0
    return p.x, grid[i][j].x


def put_into_a_list(a, b):
    ps = _points(a, b)
    k, _ = _places(a, b)
    p, q = float2(a, b), float2(b, a)
    ps[k] = p
    if a > b:
        ps[k + 1] = q
    p.x += 1.0
    ps[k].y += 2.0
    q.x += 3.0
    return ps[k].x, p.y, ps[k + 1].x


def exchanged(a, b):
    ps = _points(a, b)
    k, j = _places(a, b)
    p = ps[k]
    ps[k], ps[j] = ps[j], ps[k]
    p.x += 1.0
    ps[k].y += 2.0
    return ps[k].x, ps[j].x, p.y


def sorted_and_changed(a, b):
    ps = _points(a, b)
    for _ in range(9):
        for j in range(9):
            if ps[j].x * a < ps[j + 1].x * a:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
    for i in range(10):
        ps[i].y += a * i
    return ps[0].y, ps[9].y


def rows_and_components(a, b):
    grid = _grid(a, b)
    grid[0], grid[1] = grid[1], grid[0]
    for i in range(4):
        row = grid[i]
        for j in range(3):
            p = row[j]
            p.xy = p.yx
            if j > 0:
                row[j - 1].x += p.y
    return grid[0][0].x, grid[2][0].x, grid[3][2].y


def new_lists_of_old_elements(a, b):
    ps = _points(a, b)
    qs = list(ps)
    for i in range(9):
        qs[i] = ps[i] * 0.5 + ps[i + 1]
    k, _ = _places(a, b)
    p = ps[k]
    return sum(q.x * q.y for q in qs) + p.x * ps[9].x
