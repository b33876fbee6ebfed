"""Programs in which values are undefined where they are not needed: nothing of them may leak.

Every public function takes two real numbers and gives numbers; Python runs them too.
"""

import math

from egad import InOut, copy, dot, float3, max_iters, normalize, struct


@struct
class S:
    t: float = 10.0
    n: float = 0.0
    v: float3


def _isect(x, s: InOut[S]):
    d = x * x - 1.0
    if d < 0.0:
        return
    r = math.sqrt(d)
    t = x - r
    if t < 0.0:
        t = x + r
        if t < 0.0:
            return
    if t < s.t:
        s.t = t
        s.n = math.log(t) * r
        s.v = normalize(float3(x, t, r))


def three(a, b):
    s = S()
    _isect(a, s)
    _isect(b, s)
    _isect(a * b, s)
    return s.t * s.n + dot(s.v, float3(1.0, a, b))


def loop_continue(a, b):
    acc = 0.0
    low = 10.0
    for i in range(6):
        x = a * i - b
        d = x * x - 2.0
        if d < 0.0:
            continue
        r = math.sqrt(d)
        if r < low:
            low = r
            acc += math.log(r + 0.1) * x
        else:
            acc += r * 0.1
    return acc * low


def loop_break(a, b):
    acc = 1.0
    m = 3.0
    for i in range(6):
        d = a * 2.0 - 0.7 * i
        if d < 0.0:
            break
        r = math.sqrt(d)
        m = min(m, r + b)
        acc = acc + r * m
    return acc * m


def while_return(a, b):
    x = abs(a) + 1.0
    s = 0.0
    max_iters(8)
    while True:
        d = x - 1.2
        if d < 0.0:
            return s * x
        r = math.sqrt(d)
        s += r * b
        if s > 5.0:
            return math.log(s) * r
        x = x * 0.6


def or_conditions(a, b):
    r = 1.0
    q = 2.0
    if a < 0.0 or b < 0.0 or math.sqrt(a) > 5.0:
        r = b
    else:
        r = math.sqrt(a) * math.log(b)
        q = math.sqrt(b)
    if q > 1.0 and a > 0.0:
        q = q * math.sqrt(a)
    return r * q


def match_guard(a, b):
    k = 0 if a < 0.0 else 1 if b < 0.0 else 2
    s = 0.0
    t = 1.0
    match k:
        case 0:
            s = b
        case 1:
            s = math.sqrt(a)
            t = s * b
        case _:
            s = math.sqrt(a) * math.sqrt(b)
            t = math.log(b)
    return s * t


def two_flags(a, b):
    ok1 = a > 0.0
    ok2 = b > 0.0
    r = math.sqrt(a) if ok1 else 0.0
    q = math.sqrt(b) if ok2 else 1.0
    u = r * q if ok1 and ok2 else b
    w = math.log(r + 1.0) if ok1 and not ok2 else a
    return u * w


def early_struct(a, b):
    p = S(1.0, 2.0, float3(a, b, 1.0))
    q = copy(p)

    def norm(s: InOut[S]) -> None:
        l2 = s.v.x * s.v.y
        if l2 <= 0.0:
            return
        s.v = s.v / math.sqrt(l2)
        s.t *= math.sqrt(l2)

    norm(p)
    if a > 1.0:
        norm(q)
        p.t += q.t
    return p.t * p.v.x + q.v.y
