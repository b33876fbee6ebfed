"""Loops whose bound follows from a counter, in plain Python: no max_iters is needed."""

from math import sin

from egad import max_iters

TABLE = [2.0, 1.5, 1.7, 1.0, 3.0]


def several(x: float):
    i, j = 0, 0
    while x < 40.0 and 0 <= i < 4 and TABLE[i] > 1.4:
        x = x * TABLE[i]
        i += 1
    while not (j >= 3 or x > 90.0):
        x = x + sin(x) * j
        j = j + 1
    return x * (i + 1) * (j + 2)


def by_equality(x: float):
    i, j, k = 0, 6, 5
    while i != 3:
        x = x + 0.25 * x * x
        i += 1
    while j:
        x = x * 0.5 + j
        j -= 2
    while k == 5:
        x = x + sin(x)
        k += 1
    return x * (i + j + k)


def towards_each_other(x: float, n: int):
    i, j = 0, n
    while i + 1 < j:
        x = x + 0.5 * i + j
        i, j = i + 1, j - 1
    k = 0
    while n - k > 0:
        x = x + k * 0.25
        k += 2
    m = 0
    while m != n:
        x = x * 1.0625
        m += 1
    return x * (i + j + 3 * k + m)


def unknown_step(x: float, n: int, step: int):
    i, j = 0, 12
    while i < n:
        x = x + 0.5 * i
        i += step
    while j >= n:
        x = x + 0.25 * j
        j -= step
    return x * (i - 2 * j)


def left_before_the_step(x: float, most: float):
    i = 0
    while i < 4:
        x = x * x + 0.1
        if x > most:
            break
        if x > 2.0:
            x = x - 0.5
            i += 1
            continue
        i += 1
    j = 0
    while j < 3:
        x = x * 0.5
        if x < 0.2:
            return x * (i + 10 * j)
        j += 1
    return x * (i + 2 * j)


def only_left(x: float, n: int):
    i, j = 0, 2
    while True:
        if i >= n:
            break
        x = x + 0.1 * i
        i += 1
    while True:
        j += 1
        x = x * 1.2 + 0.1 * j
        if not j < 5:
            break
    return x * (i + j)


def at_least_once(x: float):
    first, i = True, 5
    while first or i < 3:
        first = False
        i += 1
        x = x * 1.5 + i
    return x * i


def flags(x: float):
    go, first, i = 1, 1, 2
    max_iters(3)
    while go:
        i += 1
        x = x * x
        go = i < 5
    while first or i < 7:
        first = 0
        i += 1
        x = x + go
    return x * i


def triangle(x: float, n: int):
    total, i = 0.0, -n
    while i <= n:
        j, t = i, x
        while j <= n:
            t = t * 0.5 + total * 0.1 + float(j - i + 1)
            j += 1
        total += t * i
        i += 1
    return total


def half_a_square(x: float):
    i = 0
    while i < 9:
        j = 0
        while j < i:
            x = x * 0.9 + 0.05 * x * x
            j += 1
        i += 1
    return x


def only_by_return(x: float, n: int):
    def inner(y):
        i = 0
        while True:
            i += 1
            for _ in range(2):
                y = y * 1.1
                if y > 9.0:
                    break
            if i > 4:
                return y * i
        else:
            return 7.0

    if n > 3:
        return inner(x)
    k = 0
    while True:
        k += 1
        x = x * 1.5
        if k >= 3:
            return x * inner(x)


def as_far_as_a_choice(x: float, n: int):
    for i in range(3 if x > 0.5 else 5):
        x = x * x * 0.5 + 0.1 * i
    for _ in range(n % 6):
        x = x * x * 0.5 + 0.25
    return x


def as_far_as_is_clamped(x: float, n: int):
    for _ in range(max(0, min(n, 7))):
        x = x * x * 0.5 + 0.25
    return x


def digits(x: float, n: int):
    while n > 0:
        x = x * 0.5 + n % 10
        n //= 10
    return x


def power_by_squares(x: float, n: int):
    r = 1.0
    while n:
        if n & 1:
            r *= x
        x *= x
        n >>= 1
    return r


def halved_or_quartered(x: float, n: int):
    while n > 1 and x < 90.0:
        n = n // 2 if n % 2 == 0 else n // 4
        x = x * x + 1.0
    return x


def doubled_up_to(x: float, n: int):
    s = 1
    while s < n:
        s *= 2
        x = x * 0.5 + 1.0
    return x


def tripled_up_to(x: float, n: int):
    s = 5
    while n >= s:
        s = 3 * s
        x = x * x * 0.5
        if x > 50.0:
            break
    return x


def euclid(x: float, a: int, b: int):
    while b:
        a, b = b, a % b
        x = x * 0.5 + 0.25 * a
    return x


def set_bits(x: float, n: int):
    m = (n * 2654435761) & 0xFFFFFFFF
    while m != 0:
        x = x * 0.75 + (m & 1)
        m = m >> 1
    return x


def after_a_trip_for_certain(x: float, n: int):
    if n > 0:
        for i in range(n):
            y = x * i
        return y + i
    for k in range(2, 5):
        z = x * k
    return z * k


POINTS = {
    as_far_as_a_choice: [(0.75, 4), (0.25, -2)],
    as_far_as_is_clamped: [(0.75, 9), (0.75, -1)],
    several: [(1.3,), (30.0,), (0.2,)],
    by_equality: [(0.75,), (-0.5,)],
    towards_each_other: [(0.75, 6), (1.5, 1), (1.5, 0)],
    unknown_step: [(0.75, 5, 2), (0.5, 11, 3), (0.5, 0, 5)],
    left_before_the_step: [(1.2, 9.0), (1.2, 2.5), (0.2, 9.0)],
    only_left: [(0.75, 4), (1.5, 0)],
    at_least_once: [(0.75,)],
    flags: [(0.75,)],
    triangle: [(0.75, 2), (0.75, 0)],
    only_by_return: [(0.75, 2), (7.0, 4)],
    half_a_square: [(0.75,)],
    digits: [(0.75, 9070), (0.75, 2147483647), (0.75, 0), (0.75, -5)],
    power_by_squares: [(1.1, 13), (0.999, 1000), (1.1, 0)],
    halved_or_quartered: [(0.25, 1000), (0.25, 2147483647), (0.25, 1)],
    doubled_up_to: [(0.75, 77), (0.75, 2147483647), (0.75, 1073741824), (0.75, 1073741825)],
    tripled_up_to: [(1.9, 2000), (1.9, 2147483647), (1.9, 4), (30.0, 50)],
    euclid: [(0.75, 84, 36), (0.75, 1836311903, 1134903170), (0.75, 7, 0), (0.75, -84, 36)],
    set_bits: [(0.75, 3), (0.75, 0), (0.75, 123456)],
    after_a_trip_for_certain: [(0.75, 3), (0.75, 0)],
}
