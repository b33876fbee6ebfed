"""Functions with loops, in plain Python: what egad computes must be what Python computes."""

from math import cos, exp, log, sin, sqrt, tanh

from egad import detach, float2, float3, force_unroll, max_iters


def power(x: float, n: int):
    y = 1.0
    max_iters(12)
    for _ in range(n):
        y = y * x
    return y


def horner(x: float):
    y = 0.0
    for i in range(8):
        y = y * x + sin(1.0 + i)
    return y


def fibonacci(x: float, y: float):
    a, b = x, y
    for _ in range(7):
        a, b = b, a * 0.5 + sin(b)
    return a - b


def two_loops(x: float, n: int):
    s = 0.0
    max_iters(12)
    for i in range(n):
        s = s + sin(x * i)
    p = 1.0
    for j in range(4):
        p = p * cos(s + j)
    return p * s


def nested(x: float, n: int):
    s = x
    max_iters(12)
    for i in range(n):
        t = s
        max_iters(8)
        for j in range(i):
            t = t * 0.9 + sin(x * j)
        s = s + 0.25 * t
    return s


def unnamed(x: float):
    for _ in range(3):
        for _ in range(2):
            x = x + 0.1 * sin(x)
        x = 0.9 * x * x
    return x


def with_break(x: float, y: float):
    s = x
    for i in range(20):
        s = s * 1.25 + 0.125 * i * y
        if s > 10.0:
            break
        s = s + 0.5
    return s * y


def with_continue(x: float):
    s = 1.0
    for i in range(9):
        if i % 3 == 1:
            continue
        s = s * (x + 0.1 * i)
        if s > 2.0:
            s = s - x
            continue
        s = s + 0.25
    return s


def with_return(x: float):
    s = x
    for i in range(12):
        s = s * 1.3
        if s > 4.0:
            return s * sin(x) + i
    return s * s


def return_everywhere(x: float):
    if x < 0.0:
        return x * x
    for i in range(3):
        for j in range(3):
            if x * i > 1.0 + 0.1 * j:
                return exp(-x) * (i + j)
        x = x + 0.25
    return x


def newton(a: float):
    x = a
    max_iters(50)
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


def counted_while(x: float, n: int):
    i = 2
    s = x
    max_iters(12)
    while i < n:
        s = s + sin(s) * i
        i = i + 3
    return s + i


def downwards(x: float, n: int):
    s = 0.0
    max_iters(12)
    for i in range(n, 0, -2):
        s = s * x + i
    return s


def runtime_step(x: float, a: int, b: int, c: int):
    s = x
    max_iters(40)
    for i in range(a, b, c):
        s = s + cos(s) * i
    return s


def vectors(x: float, y: float):
    v = float3(x, y, 1.0)
    w = float2(0.0, 1.0)
    for i in range(5):
        v = v.yzx * 0.75 + float3(0.1 * i)
        w.x = w.x + v.x * v.y
        w = w.yx
    return w.x * w.y + v.z


def dynamic_index(v: float3):
    s = 0.0
    for i in range(3):
        s = s * v[i] + sin(v[2 - i])
    v[1] = s
    for i in range(3):
        v[i] = v[i] * s
    return v.x + v.y * v.z


def in_branches(x: float, k: int):
    s = x
    if x > 1.0:
        for i in range(4):
            s = s * sqrt(s + i)
    else:
        for i in range(3):
            if k > i:
                s = s + log(x) if x > 0.5 else s - x
    return s


def after_the_loop(x: float):
    i = 7
    last = 0.0
    for i in range(5):
        last = sin(x + i)
    return last * i


def zero_trips(x: float):
    s = x * x
    for i in range(3, 3):
        s = s * i
    return s


def widening(x: float):
    s = 0
    for i in range(3):
        s = s + x * i
    return s


def invariant(x: float, y: float, n: int):
    s = 0.0
    for i in range(n):
        s = s + exp(x) * tanh(y) + i
    return s


def unrolled(v: float3):
    s = 0.0
    for i in force_unroll(range(3)):
        if v[i] < 0.0:
            continue
        s = s + v[i] * i
    return s * s


def over_items(v: float3, x: float):
    s = 0.0
    for i, c in enumerate(v):
        s = s * x + c * i
    for a, b in zip((1.0, 2.0), (x, s), strict=True):
        s = s + a * b
    return s


def helper(x, n):
    max_iters(4)
    for i in range(n):
        if x > 3.0:
            return x - i
        x = x * 1.5
    return x


def calls(x: float):
    s = 0.0
    for i in range(3):
        s = s + helper(x + i, 4) * helper(s, 2)
    return s


def stopped(x: float):
    w = 0.0
    for i in range(6):
        w = w + x * i + detach(x * x)
    return x + w - detach(w)


def until(x: float):
    max_iters(30)
    while True:
        x = x * 0.75
        if x < 0.5:
            break
    return x


def breaks_inner(x: float):
    s = 0.0
    for i in range(4):
        t = x
        for _ in range(5):
            t = t * 1.4
            if t > 2.0 + i:
                break
        else_ = t * 0.5
        s = s + else_ * (i + 1)
        if s > 30.0:
            break
    return s


def for_else(x: float):
    s = 0.0
    for i in range(5):
        s = s + x * i
        if s > 3.0:
            break
    else:
        s = s * s
    return s


def while_else(x: float):
    i, s = 0, x
    while i < 6:
        i += 1
        if s > 4.0:
            return s * x
        s = s * 1.5
        if s < 0.3:
            break
    else:
        s = s + sin(x)
    return s


def written_out_else(v: float3, x: float):
    for c in v:
        x = x * c
        if x > 1.0:
            x = x * x
            break
    else:
        x = 3.0 * x
    return x


#: name: points
POINTS = {
    power: [(1.3, 5), (0.7, 0), (-1.2, 3)],
    horner: [(0.4,), (-1.1,)],
    fibonacci: [(0.3, 1.2), (-0.5, 0.25)],
    two_loops: [(0.3, 4), (0.9, 0)],
    nested: [(0.7, 4), (0.2, 1), (0.4, 0)],
    for_else: [(0.2,), (0.7,)],
    while_else: [(0.1,), (0.3,), (1.4,)],
    unnamed: [(0.7,), (-1.4,)],
    with_break: [(0.5, 1.5), (3.0, 0.75), (-2.0, 0.1)],
    with_continue: [(0.8,), (1.3,)],
    with_return: [(1.2,), (0.1,), (0.4,)],
    return_everywhere: [(-0.5,), (0.8,), (0.1,), (1.7,)],
    newton: [(2.0,), (9.5,)],
    counted_while: [(0.4, 9), (0.3, 1), (0.2, 3)],
    downwards: [(0.6, 7), (0.5, -1)],
    runtime_step: [(0.3, 1, 9, 2), (0.3, 5, -4, -3), (0.2, 3, 3, 1), (0.1, 3, 9, -1)],
    vectors: [(0.4, 0.9)],
    in_branches: [(1.5, 1), (0.75, 2), (0.25, 3)],
    after_the_loop: [(0.3,)],
    zero_trips: [(0.6,)],
    widening: [(0.7,)],
    invariant: [(0.3, 0.8, 5)],
    calls: [(0.6,), (1.4,)],
    until: [(3.0,), (0.3,)],
    breaks_inner: [(0.9,), (1.5,), (2.5,)],
}
#: Functions of a vector.
VECTORS = {
    written_out_else: [((0.5, 0.3, 0.8), 0.4), ((0.5, 3.0, 0.8), 0.9)],
    dynamic_index: [((0.3, 0.7, -0.4),), ((1.1, 0.2, 0.9),)],
    unrolled: [((0.5, -0.3, 0.8),), ((0.5, 0.3, 0.8),)],
    over_items: [((0.5, -0.3, 0.8), 0.4)],
}
