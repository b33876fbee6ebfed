"""Programs that try what Python can say, each in an unusual way: two real numbers in, one out."""

# ruff: noqa: B007, B008, F841, RUF005
import math

import numpy as np
from unusual_parts import V

from egad import copy, float2, float3, uint


def program_27(a: float, b: float):
    h = [0] * 10
    for i in range(20):
        k = int(abs(math.sin(a * i)) * 9.99)
        h[k] += 1
    s = 0.0
    for k in range(10):
        s += h[k] * b * k
    return s


def program_28(a: float, b: float):
    st = [0.0] * 8
    top = 0
    for i in range(6):
        if i % 3 != 2:
            st[top] = a * i + b
            top += 1
        else:
            top -= 1
            y = st[top]
            top -= 1
            x = st[top]
            st[top] = x * y
            top += 1
    return st[0] + st[top - 1]


def program_29(a: float, b: float):
    q = float2(a, b)
    r = q
    for i in range(3):
        r = q
        q = float2(q.y, q.x + r.x)
    return q.x * r.y


def program_30(a: float, b: float):
    x = a
    for i in range(5):
        x = (x if x > 0 else -x) - b if i != 2 else x * x
    return x


def program_31(a: float, b: float):
    d = 0.0
    for i in range(3):
        d = max(d, min(a * i, b)) - abs(a - b * i) % 0.7 + a * 5 // 1 * 0.1
    return d + math.floor(a) * b + round(b) * a + math.fmod(a * 7, b)


def program_32(a: float, b: float):
    class_ = 2 if a > 1 else 1 if b > 1 else 0
    return (a, b, a * b)[class_] + [b, a, 1.0][-class_]


def program_33(a: float, b: float):
    x = y = z = a
    y += b
    [x, y][0]
    x = (z := (z + y)) * x
    return x + y + z


def program_34(a: float, b: float):
    f = V(a, b)
    g = f
    f = V(b, a)
    h = copy(g)
    h.x = 1.0
    g.y = f.x * 2
    return f.dot(g) + h.dot(g)


def program_35(a: float, b: float):
    s = 0.0
    for i in range(3):
        v = V(a * i, b)
        for j in range(2):
            u = v
            u.x += j
            s += u.x * v.x
    return s


def program_36(a: float, b: float):
    t = (a, (b, a * b))
    p, (q, r) = t
    t2 = t + (p,)
    u = t2[1][0] if len(t2) == 3 else 0.0
    return p * q - r + u + (t == t) + (t2[0] < t2[2] + 1)


def program_37(a: float, b: float):
    s = 0.0
    for k in reversed(range(4)):
        s = s * a + b * k
    for x in (y * y for y in [a, b] if True):
        s += x
    return s + sum([i * a for i in range(5) if i % 2])


def program_38(a: float, b: float):
    x = a
    for i in range(3):
        for j in range(3):
            if j == 1 and i == 1:
                break
            x = x * 0.9 + b * j
        else:
            x += 1.0
            continue
        x -= b
    return x


def program_39(a: float, b: float, u: uint = np.uint32(12345)):
    s = a
    for i in range(10):
        u = u * 1664525 + 1013904223
        if u > 2147483648:
            s += b * (u >> 8) * 2.0 ** (-24)
        else:
            s *= 0.9
    return s


def program_40(a: float, b: float):
    xs = [a * i for i in range(12)]
    i = 0
    while i < 12 and xs[i] < b * 3:
        i += 1
    lo, hi = (xs[i - 1], xs[i]) if 0 < i < 12 else (0.0, 1.0)
    return lo * 2 + hi


def program_41(a: float, b: float):

    def rec2(f, x):
        return f(f(x))

    return rec2(lambda x: x * a + 1, rec2(lambda y: y - b, a))


def program_42(a: float, b: float):
    s = 0.0
    i = 5
    while (i := (i - 1)) > 0:
        s += a * i
        if s > b * 8:
            break
    return s + i


def program_43(a: float, b: float):
    v = float3(a, b, a * b)
    s = 0.0
    for c in v:
        s = s * 2 + c
    for i in range(3):
        v[i] *= v[(i + 1) % 3]
    return s + v.x + v[2] + np.linalg.norm(v) + np.dot(v, v.zyx)


def program_44(a: float, b: float):
    z = 0.0
    n = 0
    cx, cy = (a * 0.3, b * 0.2)
    zx = zy = 0.0
    while zx * zx + zy * zy < 4 and n < 12:
        zx, zy = (zx * zx - zy * zy + cx, 2 * zx * zy + cy)
        n += 1
    return n + zx * zy


def program_45(a: float, b: float):
    T = [0.0] * 10
    T[0], T[9] = (a, b)
    for step in range(5):
        N = T[:]
        for i in range(1, 9):
            N[i] = T[i] + 0.2 * (T[i - 1] - 2 * T[i] + T[i + 1])
        T = N
    return T[1] + T[8] * T[5]


def program_46(a: float, b: float):
    T = [0.0] * 10
    U = [1.0] * 10
    T[0] = a
    for step in range(5):
        for i in range(1, 9):
            U[i] = 0.5 * (T[i - 1] + T[i + 1]) + b * 0.1
        T, U = (U, T)
    return T[1] + U[2] * T[5]


def program_47(a: float, b: float):
    return (
        (lambda x, *, k=2.0: x**k)(a, k=b)
        + (lambda: a)()
        + math.hypot(a, b, 1.0)
        + math.prod([a, b, 2.0])
    )


def program_48(a: float, b: float):
    x = float2(a, b)

    def rot(v, t):
        c, s = (math.cos(t), math.sin(t))
        return float2(c * v.x - s * v.y, s * v.x + c * v.y)

    for i in range(3):
        x = rot(x, a * 0.1 * i)
        x.y += b
    return x.x * x.y


def program_49(a: float, b: float):
    g = 0.0
    for i in range(6):
        g = g + a if i < 3 else g * b
        if i == 4 and g > 2:
            g = -g
            continue
        g += 0.1
    return g


def program_50(a: float, b: float):
    t = (a, b) + (b, a)
    return t[0] + t[3] * 2 + len(t)


def program_51(a: float, b: float):
    t = (a, b) * 2
    return t[2] * t[1] + len(t)


def program_52(a: float, b: float):
    t = (1.0, 2.0) + (3.0,)
    return sum(t) * a + b * len(t)
