"""Programs that try what Python can say, each in an unusual way: two real numbers in, one out."""

# ruff: noqa: B905, E741
import math

import numpy as np

from egad import float2


def program_53(a: float, b: float):
    t = ()
    t += (a, b)
    t += (1.0,)
    return t[0] * t[1] + len(t)


def program_54(a: float, b: float):
    return ((a, b) < (b, a) and a) or b


def program_55(a: float, b: float):
    return ((a, b) == (a, b)) * a + ((1, a) > (1, b)) * b


def program_56(a: float, b: float):
    x = np.array([a, b]) + np.array([b, a])
    return x[0] * x[1]


def program_57(a: float, b: float):
    l = [a] + [b] * 2
    l2 = [0.0] * 2 + l
    return l2[3] * l[0] + len(l2)


def program_58(a: float, b: float):
    x = a
    x **= 2
    x //= 0.5
    x %= 3
    y = -(a**2) + 2 ** (-b)
    return x + y * (a**0.5) ** 3 + (-2.0) ** 3 * a


def program_59(a: float, b: float):
    i = 7
    i //= 2
    i <<= 3
    i |= 1
    i ^= 5
    i -= 30
    i >>= 1
    i %= 5
    return a * i + -7 // 2 * b + -7 % 3 + 7 % -3


def program_60(a: float, b: float):
    return float(int(a * 10) // 3 - int(-a * 10) // 3 + int(-b * 10) % 4) * a


def program_61(a: float, b: float):

    def f(x, /, y, *, z=1.0):
        return x * y + z

    return f(a, y=b) + f(b, a, z=a)


def program_62(a: float, b: float):
    x = [[0.0] * 2 for _ in range(2)]
    x[0][1] = a
    x[1][0] = b
    y = [r[:] for r in x]
    y[0][1] = 7.0
    z = x[:]
    z[0][0] = 3.0
    return x[0][0] + x[0][1] * y[0][1] + y[1][0]


def program_63(a: float, b: float):
    x = [[a, b]] * 3
    x[0][0] = 4.0
    return x[2][0] + x[1][1]


def program_64(a: float, b: float):
    del_ = [a, b]
    c, d = del_
    del_[0] = 9.0
    c += 1
    return c * del_[0] + d


def program_65(a: float, b: float):
    s = 0.0
    for (i, x), y in zip(enumerate((a, b)), (b, a)):
        s += i * x + y
    return s + sum(x * y for x in (a, b) for y in (1, 2) if y > 1)


def program_66(a: float, b: float):
    if not a:
        return b
    if not (a < b or (a > 2 and b)):
        return a * 2
    elif a == b:
        return 0.0
    return b / a


def program_67(a: float, b: float):
    r = 0.0
    for i in range(5):
        if i == 3:
            return r
        if a > i:
            r += b
            if r > 4:
                return -r
        else:
            break
    else:
        return 77.0
    return r * 2


def program_68(a: float, b: float):
    global_ = math.inf
    for x in (a, b, -a):
        global_ = min(global_, x)
    return global_ * math.pi + math.copysign(a, -b) + math.atan2(a, b)


def program_69(a: float, b: float):
    x = 3
    x = x / 2
    x = x * a
    n = 10
    n = n - b
    k = True
    k += 1
    return x + n * k


def program_70(a: float, b: float):
    c = 0
    for i in range(4):
        c = c + 1 if i % 2 else c * a
    return c + b


def program_71(a: float, b: float):
    t = 0
    for i in range(3):
        t = max(t, i - 1, int(b))
        t += i / 2
    return t * a


def program_72(a: float, b: float):
    f = math.sin if a > 1 else math.cos
    g = [math.exp, lambda x: x + b, abs]
    return f(a) + sum(h(a) for h in g)


def program_73(a: float, b: float):
    p = [a, b]
    i = 0
    i, p[i] = (1, 5.0)
    return p[0] * 10 + p[1] + i


def program_74(a: float, b: float):
    i = 0
    p = [a, b, 1.0]
    p[i], i = (b, 2)
    p[i] = p[i] + p[0]
    return p[2] + p[0] * i


def program_75(a: float, b: float):
    w = 0.0
    for i in range(2):
        for j in range(2):
            if a * i + b * j > 2:
                break
            w += 1 / (1 + a * i + j)
        else:
            continue
        break
    return w


def program_76(a: float, b: float):

    def outer(n):
        s = 0.0
        for i in range(n):
            if i * a > b:
                return s
            s += a
        return s + 100

    return outer(3) + outer(5) * outer(1)


def program_77(a: float, b: float):
    s = 0.0
    for i in range(3):
        try_v = float2(a, b) if i % 2 == 0 else float2(b, i)
        s += try_v.x * try_v.y
    return s


def program_78(a: float, b: float):
    lst = [x for x in range(10) if x % 3 == 0]
    d = sum((v * a**k for k, v in enumerate(lst)))
    return d + [*lst, 5][-1] * b + (lambda *p: p[1])(a, b)
