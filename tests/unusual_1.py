"""Programs that try what Python can say, each in an unusual way: two real numbers in, one out."""

# ruff: noqa: B007, B905, E741, F841, RUF005
import functools
import math

from unusual_parts import B, K, V, W, bump

from egad import float3


def program_01(a: float, b: float):
    w = W([B(V(a, b), V(b, a)), B(V(b, b), V(a, a), 2.0), B(V(1.0, a), V(b, 0.0), 3.0)])
    for k in range(4):
        for i in range(3):
            w.bs[i].p = w.bs[i].p + w.bs[i].v * 0.1
            if w.bs[i].p.y > 1.0:
                w.bs[i].v.y = -w.bs[i].v.y * 0.9
                w.bs[i].hits += 1
                continue
            for j in range(3):
                if j == i:
                    continue
                d = w.bs[j].p.x - w.bs[i].p.x
                w.bs[i].v.x += 0.01 * d / (0.1 + d * d) * w.bs[j].m
        w.t += 0.1
    return sum(b.p.dot(b.v) * (1 + b.hits) for b in w.bs) + w.t


def program_02(a: float, b: float):
    s = 0.0
    for i in range(10):
        if i % 3 == 1:
            continue
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j == 4:
                s += b
                break
            s += a * j
        else:
            s += 100.0
        if s > 40:
            return s * b
    return s - a


def program_03(a: float, b: float):
    x, *rest, y = (a, b, a * b, 2.0, b)
    (u, v), [w, *_] = ((x, y), rest)
    return u * v + w + len(rest) * y


def program_04(a: float, b: float):
    if (n := (a * b)) > 1 and (m := (n - b)) < 5:
        return n * m
    return [(q := (a + 1)), q * q][1] + q


def program_05(a: float, b: float):
    return a if 0 < a < b < 4 else b if a >= b >= 1 != 0 else a * b


def program_06(a: float, b: float):
    xs = [a, b, a * b, 1.0, 2.0, a]
    xs[1:3] = [xs[2], xs[1]]
    ys = xs[::-1]
    ys[0] = 9.0
    zs = xs[1:4]
    zs[0] += 1
    xs[-1], xs[0] = (xs[0], xs[-1] * 3)
    return sum((x * (i + 1) for i, x in enumerate(xs))) + sum(ys) * zs[0] + ys[-2]


def program_07(a: float, b: float):
    match (a > 1, b > 1):
        case [True, True]:
            r = a * b
        case [True, False]:
            r = a - b
        case _:
            r = b * b
    return r


def program_08(a: float, b: float):
    ks = [K.A, K.C, K.B]
    s = 0.0
    for i in range(3):
        match ks[i]:
            case K.A:
                s += a
            case K.B | K.C if b > 2:
                s += b * i
            case K.B:
                s *= a
            case _:
                s -= 1.0
    return s


def program_09(a: float, b: float):
    t = [[a, b], [b, a]]
    for i in range(2):
        for j in range(2):
            t[i][j] = t[j][i] * 2 + i
    row = t[0]
    row[1] = a
    return t[0][0] + t[0][1] * t[1][0] + t[1][1]


def program_10(a: float, b: float):
    i, s = (0, 0.0)
    while i < 7:
        i += 1
        if i % 2:
            continue
        s = s * a + b / i
        if s > 30:
            break
    else:
        s = s * 10
    return s


def program_11(a: float, b: float):
    o = B(V(a, b), V(b, 1.0))
    q = o
    for i in range(3):
        bump(q, a + i)
    return o.p.x * o.v.x + o.hits * o.v.y


def program_12(a: float, b: float):
    best, arg = (-1000000000.0, 0)
    for i in range(8):
        f = math.sin(a * i) * b
        if f > best:
            best, arg = (f, i)
    return best * arg


def program_13(a: float, b: float):
    x, y = (a, b)
    for _ in range(6):
        x, y = (y, x + y * 0.5)
        if y > x:
            x, y = (y, x)
    return x * 2 - y


def program_14(a: float, b: float):

    def g(n):

        def h(x):
            return x**n + a

        return h

    fs = (g(2), g(3))
    f = fs[0] if a > b else fs[1]
    return f(b) + functools.reduce(lambda acc, f: acc * f(a), fs, 1.0)


def program_15(a: float, b: float):
    s = 0.0
    for x, (y, z) in zip([a, b, 1.0], [(b, a), (a, a), (2.0, b)]):
        s += x * y - z
    for i, c in enumerate(float3(a, b, 2.0), start=1):
        s += c * i
    return s + max(x * x for x in (a, -b)) + ((any((x > 2 for x in (a, b))) and a) or b)


def program_16(a: float, b: float):
    c = [0.0] * 9
    for i in range(9):
        c[i] = a * i + (c[i - 1] if i else b)
    k = 0
    while c[k] < 20 and k < 8:
        k += 1
        c[k - 1] = c[k] * b
    return c[k] + c[0] - c[k // 2]


def program_17(a: float, b: float):
    r = 0.0
    for i in range(3):
        for j in range(i, 3):
            if (i + j) % 2:
                break
            for k in range(j):
                if k * a > b:
                    return r + k
                r += a * k + j * b
    return r


def program_18(a: float, b: float):
    y = a
    for i in range(10, 0, -3):
        y = y / i + b
    for i in range(-2, 3):
        y += i * a if i >= 0 else -b
    return y


def program_19(a: float, b: float):
    a2 = a
    a2 += b
    a *= 2
    l = [a, a2]
    l2 = l
    l2[0] += 1
    l3 = list(l)
    l3[1] = 0.0
    d = l + [b]
    d[0] = 5.0
    return l[0] * l[1] + sum(l3) + d[2] * d[0] + l[0]


def program_20(a: float, b: float):
    t = 0.0
    n = int(a * 3)
    for i in range(n):
        t += 1.0 / (b + i)
        n = 1
    return t * n


def program_21(a: float, b: float):
    f = 1.0
    for i in range(1, 6):
        f *= i
        if f > 20:
            f -= a
            break
    return f * b + i


def program_22(a: float, b: float):
    acc = V(0.0, 0.0)
    items = [V(a, b), V(b, 1.0), V(2.0, a)]
    cur = items[0]
    for it in items:
        if it.x > cur.x:
            cur = it
        acc = acc + it * cur.y
    cur.x = 100.0
    return acc.dot(cur) + sum(i.x for i in items)


def program_23(a: float, b: float):
    z = complex
    s = 0.0
    k = 3
    while k:
        k -= 1
        if k == 1:
            continue
        s += a**k
    return s * (not k) + (a > b) * b + True


def program_24(a: float, b: float):
    v = [a, b, a + b, a - b]
    v.sort() if False else None
    w = sorted(v)
    m = w[len(w) // 2]
    return m * w[0] + w[-1]


def program_25(a: float, b: float):
    x = 0.0
    for i in range(4):

        def g(y, i=i):
            return y * i + a

        x += g(b) * g(x)
    return x


def program_26(a: float, b: float):
    m = [[a, b], [b, 1.0]]
    inv = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        inv[i][i] = 1.0
    for c in range(2):
        p = m[c][c]
        for j in range(2):
            m[c][j] /= p
            inv[c][j] /= p
        for r in range(2):
            if r != c:
                f = m[r][c]
                for j in range(2):
                    m[r][j] -= f * m[c][j]
                    inv[r][j] -= f * inv[c][j]
    return inv[0][0] + 2 * inv[0][1] + 3 * inv[1][1]
