"""Programs in which a vector has several names, or a loop changes the list that it runs over.

Every public function takes two real numbers and gives numbers; Python runs them too.
"""

from egad import Array, InOut, copy, float2, float2x2, float3, struct


@struct
class Body:
    pos: float3
    turn: float2x2 = float2x2(1.0, 2.0, 3.0, 4.0)


def _pushed(body: Body, k: float) -> float3:
    if k > 1.0:
        body.pos.x = k * k
        return body.pos
    body.pos.y = 2.0
    return body.pos


def _left(v: InOut[float2], k: float) -> float:
    if k > 1.0:
        v.x = k
        return k
    v.y = v.y + k
    return v.x


def field_and_a_name_after_a_return(a, b):
    body = Body(float3(a, b, 1.0))
    pos = body.pos
    if a > 1.0:
        pos.x = 1.0
        return body.pos.x + pos.x * b
    pos.z = b
    return body.pos.z + pos.x * pos.z


def element_and_a_name_after_returns(a, b):
    v = float3(a, b, 1.0)
    vs = [v, float3(b, b, b)]
    if a > 1.0:
        vs[0].x = 7.0 * b
        return v.x
    if b > 1.0:
        v.y = 1.0
        return vs[0].y * a
    v.z = a * a
    vs[0].x = b
    return vs[0].z * v.x


def matrix_after_a_return(a, b):
    body = Body(float3(a, b, 1.0))
    m = body.turn
    if a > 1.0:
        m[0][1] = a
        return body.turn[0][1]
    m[1][0] = b
    body.turn[0][0] = a
    return m[0][0] * body.turn[1][0]


def vector_in_a_tuple(a, b):
    v = float3(a, b, 1.0)
    pair = (v, 1.0)
    if a > 1.0:
        v.x = b
    v.z = a * b
    return pair[0].x, pair[0].z, v.z


def result_of_two_returns(a, b):
    body = Body(float3(a, b, 1.0))
    pos = _pushed(body, a)
    pos.z = a * b
    body.pos.x *= 2.0
    return body.pos.z, pos.x, body.pos.y


def one_of_two_equal_vectors(a, b):
    p, q = Body(float3(a, b, 1.0)), Body(float3(a, b, 1.0))
    y = p.pos if a > 1.0 else q.pos
    if b > 1.0:
        p.pos.y = 3.0 * a
    y.x = 5.0 * a
    y.z += y.y
    q.pos.z *= b
    return p.pos.x, q.pos.x, p.pos.y, p.pos.z, q.pos.z, y.x, y.y, y.z


def one_of_three(a, b):
    p, q, r = float3(a, b, 1.0), float3(b, a, 2.0), float3(b, b, 3.0)
    y = p if a > 1.0 else q
    z = y if b > 1.0 else r
    z.x = 9.0 * a * b
    y.y = 2.0 * a
    r.z = a
    q.z = b
    return p.x, p.y, p.z, q.x, q.y, q.z, r.x, r.y, r.z, y.x, y.y, y.z, z.x, z.y, z.z


def one_of_an_old_and_a_new(a, b):
    old = float3(a, b, 1.0)
    v = float3(b, b, b) if a > 0.0 else old
    w = v
    v = v if b > 0.0 else copy(v)
    v.x = 2.0
    w.y += v.x
    return old.x, old.y, w.x, w.y, v.y


def in_out_of_one_of_two(a, b):
    xs = [float2(a, b), float2(1.0, 2.0)]
    y = xs[0] if b > 0.0 else xs[1]
    r = _left(xs[0], a)
    y.x *= 3.0
    return r, xs[0].x, xs[0].y, xs[1].x, y.x, y.y


def list_changed_while_it_is_run_over(a, b):
    xs = [a, b, 3.0, a * b]
    t = 0.0
    for v in xs:
        xs[1] = a
        xs[3] += 2.0
        t += v * v
    for v in reversed(xs):
        xs[0] = b
        t += v * b
    return t


def lists_changed_under_enumerate_and_zip(a, b):
    xs, ys = [a, b, 3.0, a * b], [a, b, 3.0, a * b]
    t = 0.0
    for i, v in enumerate(xs):
        if i + 1 < 4:
            xs[i + 1] = v * 2.0
        t += v * v
    for v, w in zip(ys, xs, strict=True):
        ys[2] = b
        xs[3] = 0.5 * a
        if w > 3.0:
            break
        t += v * w
    return t


def rows_changed_while_they_are_run_over(a, b):
    xs = [[a, b], [3.0, a * b]]
    t = 0.0
    for row in xs:
        xs[1] = [b, b]
        t += row[0] * row[1]
    for u, w in xs:
        xs[1][0] = 2.0
        t += u * w
    return t


def rest_is_a_list(a, b):
    xs: Array[float, 4] = [a, b, 3.0, a * b]
    head, *rest = xs
    rest[0] = a * 5.0
    rest[1] += head
    match xs:
        case [_, *others]:
            others[1] = b * b
    return head, rest[0], rest[1], rest[2], xs[1], len(rest), others[1], xs[2]


def vector_of_two_names_from_trip_to_trip(a, b):
    x, v, before = float2(a, b), float2(0.0), float2(0.0)
    s = 0.0
    for _ in range(4):
        s += before.y
        x.y += 0.1 * a
        v = x
        before = x
        s += v.y * b
    return s + v.y * x.y
