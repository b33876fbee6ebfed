"""Changes of vectors in long lists of which it is not known which element they are."""

from egad import float2


def _points(a: float):
    return [float2(a + i, a * i) for i in range(10)]


def found_in_a_loop(a: float):
    ps = _points(a)
    best = ps[0]
    for i in range(10):
        if ps[i].y * a > best.y:
            best = ps[i]
    best.x += 1.0
    return ps[3].x


def found_in_a_loop_and_read_later(a: float, k: int):
    ps = _points(a)
    best = ps[0]
    for i in range(10):
        if ps[i].y * a > best.y:
            best = ps[i]
    ps[k].x += 1.0
    return best.x


def perhaps_replaced_in_a_loop(a: float, k: int):
    ps = _points(a)
    p = ps[k]
    for i in range(10):
        if i * a > 1.0:
            ps[i] = float2(a, a)
    p.x += 1.0
    return ps[k].x


def stored_twice(a: float, k: int):
    ps = _points(a)
    ps[k + 1] = ps[k]
    ps[0].x += 1.0
    return ps[k].x


def stored_in_two_lists(a: float, k: int):
    ps, qs = _points(a), _points(2.0 * a)
    p = ps[1]
    qs[k] = p
    p.x += 1.0
    return qs[k].x


def one_of_two_is_stored(a: float, k: int):
    ps, u, v = _points(a), float2(a, a), float2(1.0, a)
    q = u if a > 1.0 else v
    ps[k] = q
    u.x += 1.0
    return ps[k].x


def one_vector_in_all_rows(a: float, i: int, j: int):
    v = float2(a, a)
    grid = [[v for _ in range(3)] for _ in range(4)]
    p = grid[i][j]
    p.x += a
    return grid[0][0].x


def elements_of_two_lists(a: float):
    ps = _points(a)
    qs = list(ps)
    for i in range(9):
        qs[i + 1] = ps[i] * 0.5
    qs[0].x += 1.0
    return ps[0].x


def _element(ps, k):
    for i in range(10):
        if i == k:
            return ps[i]
    return ps[0]


def returned_by_a_loop(a: float, k: int):
    ps = _points(a)
    p = _element(ps, k)
    p.x += 1.0
    return ps[k].x
