"""Loops over long lists: reads and writes at a running index are single operations."""

from math import cos, sin

from egad import Array, copy, float2


def table(w: Array[float, 12], x: float):
    s = 0.0
    for i in range(12):
        s = s * x + w[i] * w[11 - i]
    return s


def filled(x: float):
    a = [0.0] * 10
    a[0] = x
    for i in range(9):
        a[i + 1] = a[i] * cos(a[i]) + 0.1 * i
    s = 0.0
    for i in range(10):
        s = s + a[i] * a[9 - i]
    return s


def conditional(w: Array[float, 9], x: float):
    for i in range(1, 9):
        if w[i] > w[i - 1]:
            w[i] = w[i] * x
            w[i - 1] = w[i] + w[i - 1]
    return w[0] * w[4] + w[8] * w[7]


def histogram(x: float, y: float):
    bins = [0.0] * 8
    for i in range(20):
        k = (i * 3) % 8
        bins[k] = bins[k] + sin(x * i) * y
    return bins[1] * bins[2] + bins[7]


def bubble(w: Array[float, 8]):
    for i in range(7):
        for j in range(7 - i):
            if w[j] > w[j + 1]:
                t = w[j]
                w[j] = w[j + 1]
                w[j + 1] = t
    s = 0.0
    for i in range(8):
        s = s + w[i] * (i + 1) * w[i]
    return s


def points(x: float, y: float):
    p = [float2(x, y)] * 8
    for i in range(1, 8):
        p[i] = p[i - 1] * 0.9 + float2(0.1 * i, x)
    return p[7].x * p[3].y


def two_versions(x: float):
    a = [0.0] * 8
    for i in range(8):
        a[i] = x * i
    b = copy(a)
    for i in range(1, 8):
        a[i] = a[i - 1] * 0.5 + b[8 - i]
    return a[7] * b[3]


def early(w: Array[float, 8], x: float):
    for i in range(8):
        w[i] = w[i] * x
        if w[i] > 2.0:
            return w[i] * w[0]
    return w[3]


def read_after_write(w: Array[float, 9], x: float):
    before = copy(w)
    for i in range(9):
        w[i] = w[i] * x + 0.25 * i
    where = int(w[3]) if w[3] > 0 else 0
    return before[where] * w[4] * before[2]


def shifted(w: Array[float, 9], x: float):
    new = copy(w)
    for i in range(1, 8):
        new[i] = new[i - 1] * w[i + 1] + x
    return new[7] * new[2] * w[5]


def relaxed(w: Array[float, 9], x: float):
    for _ in range(3):
        old = copy(w)
        for i in range(1, 8):
            w[i] = old[i] + x * (old[i - 1] * old[i + 1] - old[i] * w[i - 1])
    return w[3] * w[5]


def two_buffers(x: float, n: int):
    old, new = [x] * 10, [0.0] * 10
    old[4] = x * x
    for _ in range(5):
        for i in range(1, 9):
            new[i] = old[i] + 0.1 * x * (old[i - 1] - 2 * old[i] * old[i + 1])
        old, new = new, old
    return old[n] * new[4]


def made_anew(x: float, n: int):
    total = 0.0
    for i in range(6):
        a, b = [0.0] * 8, [0.5 * x] * 8
        a[(i + n) % 8] = x
        b[i] = 2.0 * x * a[i]
        total = total * x + a[(2 * i) % 8] + a[1] * b[i // 2] + b[3]
    return total


def copied_anew(x: float, n: int):
    total, start = 0.0, [x] * 8
    for i in range(6):
        a, b = copy(start), copy(start)
        if total < 1.5:
            a[(i + n) % 8] = x * i
        for k in range(8):
            b[k] = a[k] * x + b[(k + 1) % 8]
        total = total * 0.5 + a[i // 2] + b[1] * b[i]
    return total


def scattered(x: float, i: int) -> float:
    a, b = [0.0] * 8, [0.0] * 8
    a[i % 8] = x
    b[(i * 3) % 8] = x * x
    return a[1] + b[2] + a[4]


def filled_by_calls(x: float, n: int):
    total = 0.0
    for i in range(9):
        total = total * 0.5 + scattered(x, i + n)
    return total


def exchanged_and_copied(x: float, n: int):
    old, new, a = [x] * 9, [0.5 * x] * 9, x
    for k in range(5):
        for i in range(3):
            old, new = new, old
            c = copy(old)
            c[i % 9] = a * 0.5 + old[k % 9]
            a = a * 0.5 + c[k % 9] * 0.3
        old[(k + n) % 9] = new[(k + 1) % 9] * x
    return a + old[2] * old[n]


POINTS = {
    exchanged_and_copied: [(0.7, 3), (0.4, 1)],
    made_anew: [(0.7, 0), (0.7, 3)],
    copied_anew: [(0.7, 1)],
    filled_by_calls: [(0.7, 2)],
    filled: [(0.7,)],
    two_buffers: [(0.7, 3), (1.1, 0)],
    histogram: [(0.3, 1.5)],
    points: [(0.4, 0.8)],
    two_versions: [(0.6,)],
}
LISTS = {
    table: [((0.3, 0.8, -0.5, 1.2, 0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.9, 1.1), 0.7)],
    conditional: [((0.3, 0.8, -0.5, 1.2, 0.1, 0.2, 0.3, -0.4, 0.5), 0.7)],
    read_after_write: [((0.3, 0.8, -0.5, 1.2, 0.1, 0.2, 0.3, -0.4, 0.5), 1.7)],
    shifted: [((0.3, 0.8, -0.5, 1.2, 0.1, 0.2, 0.3, -0.4, 0.5), 0.7)],
    relaxed: [((0.3, 0.8, -0.5, 1.2, 0.1, 0.2, 0.3, -0.4, 0.5), 0.2)],
    bubble: [((0.3, 0.8, -0.5, 1.2, 0.1, 0.25, 0.35, -0.4),)],
    early: [
        ((0.3, 0.8, -0.5, 1.2, 0.1, 0.25, 0.35, -0.4), 0.7),
        ((0.3, 0.8, -0.5, 1.2, 0.1, 0.25, 0.35, -0.4), 1.9),
    ],
}
