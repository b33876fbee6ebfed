"""Programs that try what Python can say, each in an unusual way: two real numbers in, one out.

Values that may be None, and sums over what is known only at run time.
"""

# ruff: noqa: UP045
import math
from typing import Optional

from egad import float2, length, max_iters, struct


@struct
class H:
    t: float
    m: int = 0


def hit(a: float, r: float) -> Optional[float]:
    d = a * a - r
    if d < 0:
        return None
    return math.sqrt(d)


def hit2(a: float, r: float) -> H | None:
    d = a * a - r
    if d < 0:
        return None
    return H(math.sqrt(d), 2)


def program_opt_branch(a: float, b: float):
    h = hit(a, 2.0)
    return b * a if h is None else h * b


def program_opt_struct(a: float, b: float):
    h = hit2(a, 2.0)
    if h is None:
        return b * a
    h.t *= b
    return h.t * h.m + math.log(h.t + 1)


def program_opt_loop(a: float, b: float):
    s = 0.0
    for i in range(5):
        h = hit(a + 0.4 * i, b)
        if h is None:
            s += 0.1 * a
            continue
        s += math.log(h) * b
    return s


def program_opt_or(a: float, b: float):
    h = hit(a, 2.0) or b
    return h * h


def program_opt_vec(a: float, b: float):
    def refract(v: float2, eta: float) -> float2 | None:
        k = 1.0 - eta * eta * (1.0 - v.y * v.y / 20.0)
        if k < 0.0:
            return None
        return float2(v.x * eta, math.sqrt(k))

    s = 0.0
    for i in range(3):
        r = refract(float2(a, b), 0.8 + 0.2 * i)
        s += r.x * r.y if r is not None else a * b
    return s


def program_opt_cond_and(a: float, b: float):
    s = 0.0
    for i in range(4):
        h, g = hit(a + i, 5.0), hit(b, 3.0 + i)
        if h is not None and g is not None and h > g:
            s += h - g
        elif h is None or g is None:
            s += a
        elif h is not None:
            s -= h * 0.1
    return s


def program_opt_nested_ret(a: float, b: float):
    def near(x: float, y: float):
        u, v = hit(x, 1.0), hit(y, 2.0)
        if u is None:
            return v
        if v is None:
            return u
        return u if u < v else v

    n = near(a, b)
    return n * n * a if n is not None else 0.5 * b


def program_none_best(a: float, b: float):
    best, arg = None, None
    for i in range(7):
        v = math.sin(a * i) * b
        if best is None or v > best:
            best, arg = v, i
    return best * arg + best


def program_none_filtered(a: float, b: float):
    best = None
    at = 0
    for i in range(7):
        v = math.sin(a * i + b)
        if v < 0.2:
            continue
        if best is None or v * (i + 1) < best:
            best = v * (i + 1)
            at = i
    return best * best + at * a if best is not None else a * b


def program_none_prev(a: float, b: float):
    prev = None
    s = 0.0
    x = a
    for i in range(6):
        x = x * 0.9 + 0.2 * b * math.sin(i * x)
        if prev is not None:
            s += (x - prev) ** 2
        prev = x if i != 3 else None
    return s


def program_none_vec_hit(a: float, b: float):
    hit = None
    n = 0
    for k in range(5):
        c = float2(a * k, b)
        d = length(c - float2(2.0, 1.0)) - 1.2
        if d < 0:
            n += 1
            if hit is None or d < hit.x:
                hit = float2(d, k)
    if hit is None:
        return b
    return hit.x * hit.y + n * a


def program_none_nested(a: float, b: float):
    tot = 0.0
    for j in range(3):
        low = None
        for i in range(4):
            v = (a * i - b) ** 2 + j
            if i == j:
                continue
            low = v if low is None else min(low, v)
        tot += low if low is not None else 1.0
    return tot


def program_none_while(a: float, b: float):
    last = None
    x = a + b
    max_iters(30)
    while x > 0.5:
        x *= 0.7
        if last is not None and last - x < 0.2:
            break
        last = x
    return x if last is None else last * x


def program_none_struct_field(a: float, b: float):
    s = 0.0
    for i in range(4):
        h = None
        if i * a > b:
            h = H(a * i, i)
        s += h.t * h.m if h is not None else b
    return s


@struct
class Q:
    x: float
    w: float = 1.0


def program_sum_filtered(a: float, b: float) -> float:
    ps = [Q(a, b), Q(b, a), Q(a * b), Q(1.0, b)]
    s = sum(p.x * p.w for p in ps if p.x > 1.0)
    n = sum(1 for p in ps if p.w < 1.5)
    return s * n + sum(i * p.x for i, p in enumerate(ps) if i != 2)


def program_any_all(a: float, b: float) -> float:
    ps = [Q(a, b), Q(b, a), Q(a * b), Q(1.0, b)]
    s = 0.0
    for i in range(6):
        if any(p.x > 2.0 + 0.2 * k for k, p in enumerate(ps) if k < i):
            s += a * i
        if all(ps[k].x > 0.9 for k in range(i % 4)):
            s += b
    return s


def program_total_name(a: float, b: float) -> float:
    total = 3.0
    out = 0.0
    for i in range(5):
        out += sum((total * a * k * i for k in range(i) for j in range(k) if j != 1), 0.5 * b)
    return out + total


def program_vec_sum(a: float, b: float) -> float:
    vs = [float2(a, b), float2(b, 1.0), float2(0.5, a)]
    tot = float2(0.0)
    for i in range(3):
        tot = tot + sum((vs[k] * (k + 1.0) for k in range(i)), float2(0.0, 1.0))
    return tot.x * tot.y


def program_cholesky_solve(a: float, b: float) -> float:
    m = [[4.0 + a, b, 1.0], [b, 5.0 + b * b, a], [1.0, a, 6.0]]
    rhs = [a, b, 1.0]
    n = 3
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = m[i][j]
            for k in range(j):
                s -= L[i][k] * L[j][k]
            if i == j:
                L[i][i] = math.sqrt(s)
            else:
                L[i][j] = s / L[j][j]
    y = [0.0] * n
    for i in range(n):
        y[i] = (rhs[i] - sum(L[i][k] * y[k] for k in range(i))) / L[i][i]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = y[i]
        for k in range(i + 1, n):
            x[i] -= L[k][i] * x[k]
        x[i] /= L[i][i]
    return x[0] * x[1] + x[2]


def program_equal_to_none(a: float, b: float):
    count = 0
    for i in range(4):
        h = hit(a, 1.0 * i)
        if h == None:  # noqa: E711
            count += 1
        elif h != None:  # noqa: E711
            count += h
    return count * b


def program_struct_that_may_be_another(a: float, b: float):
    q = H(a)
    p = None
    if a > 1:
        p = q
    for _ in range(5):
        if p is not None:
            p.t += b
    return q.t * a


def program_inout_and_none(a: float, b: float):

    def step(x: H) -> float | None:
        if x.t < 1:
            return None
        x.t += 1
        return x.t * b

    h = H(a)
    first, second = step(h), step(h)
    return h.t + (first or 1.0) * (second or 2.0)
