"""Programs of values that are there or not, carried by loops; and of what is done on every way out.

Every public function takes two real numbers and gives numbers.
Python runs them too.
"""

from egad import float2, sin, struct


@struct
class Hit:
    t: float
    id: int = -1


def _isect(x, r):
    return None if x < r else Hit(x - r)


def _roots(x, r):
    if x * x < r:
        return None
    return x - r, Hit(x * r)


def closest_hit(a, b):
    best = None
    for i in range(6):
        h = _isect(abs(a + b), 0.47 * i)
        if h is None:
            continue
        if best is None or h.t < best.t:
            best = h
            best.id = i
    return b if best is None else best.t * a + best.id


def nearest_of_those_before_the_loop(a, b):
    ps = [Hit(a, 1), Hit(b, 2), Hit(a * b, 3)]
    best = None
    for i in range(12):
        p = ps[i % 3]
        if p.t > 0.5 and (best is None or p.t < best.t):
            best = p
            best.t += 0.1 * a
        elif best is not None and i == 7:
            best = None
        if best is not None:
            best.t += 0.01 * b * i
    return ps[0].t + 2 * ps[1].t + 3 * ps[2].t + (0.0 if best is None else best.t * b)


def best_of_bests(a, b):
    best = None
    for i in range(4):
        inner = None
        for j in range(5):
            h = Hit(sin(a * i + b * j), i * j)
            if h.t > 0 and (inner is None or h.t < inner.t):
                inner = h
        if inner is not None and (best is None or best.id < inner.id):
            best = inner
    return a if best is None else best.t * b + best.id


def tuples_with_structs(a, b):
    best = None
    for i in range(5):
        h = _roots(a, 0.4 * i)
        if h is not None and (best is None or h[0] < best[0]):
            best = h
        if best is not None:
            best[1].t += 0.1 * b
    if best is None:
        return b
    x, h = best
    return x * h.t


def given_where_there_is_none(a, b):
    h, x = _isect(a, 1.0), None
    if h is None:
        h = Hit(b)
    h.t *= 2.0
    for _ in range(3):
        if x is None:
            x = a
        x *= b
    return h.t * x


def places_that_begin_empty(a, b):
    slots, total = [None] * 2, 0.0
    for i in range(6):
        k = (i * 3) % 2
        if slots[k] is not None:
            total += slots[k].t
        slots[k] = Hit(a * i + 0.1 * b * total, i)
    return total


def vector_that_may_be_none(a, b):
    v = float2(a, b)
    w = v if a > 1 else None
    v.x += b
    if w is not None:
        w.y *= 2.0
        return w.x * v.y
    return v.x


def last_on_every_way(a, b):
    seen = [0.0, 0.0]

    def step(x, i):
        try:
            try:
                for k in range(3):
                    x += 0.1 * a
                    if x > 4:
                        return x * b
                    if k == i:
                        break
            finally:
                x += 0.5
            if i == 3:
                return x
            x *= 1.3
        finally:
            seen[i % 2] += x
        return x + 0.1

    x = a
    for i in range(5):
        try:
            if i == 1:
                continue
            x = step(x, i)
            if x > 9:
                break
        finally:
            x += 0.1 * b
    return x + seen[0] * seen[1]
