"""Loops over structs and lists, as Python means them."""

from math import cos, sin

from egad import Array, copy, float2, struct


@struct
class Body:
    p: float2
    v: float2
    mass: float


@struct
class Counter:
    total: float
    seen: int

    def add(self, x: float):
        self.total = self.total + x * x
        self.seen = self.seen + 1


def orbit(x: float, y: float):
    b = Body(float2(x, y), float2(0.1, 0.7), 1.0)
    for _ in range(9):
        r = b.p.x * b.p.x + b.p.y * b.p.y
        b.v = b.v - b.p * (0.05 * b.mass / (r + 0.01))
        b.p = b.p + b.v * 0.05
        b.mass = b.mass * 0.99
    return b.p.x * b.v.y - b.p.y * b.v.x + b.mass


def step(b: Body, h: float) -> Body:
    return Body(b.p + b.v * h, b.v - b.p * h, b.mass)


def rebound(x: float, y: float):
    b = Body(float2(x, y), float2(0.3, 0.2), 2.0)
    for i in range(5):
        b = step(b, 0.1 * (i + 1))
    return b.p.x * b.p.y * b.mass


def counter(x: float):
    c = Counter(0.0, 0)
    for i in range(6):
        if i % 2 == 0:
            c.add(sin(x + i))
    return c.total * c.seen


def running(x: float, n: int):
    a = [0.0, 0.0, 0.0, 0.0, 0.0]
    a[0] = x
    for i in range(4):
        a[i + 1] = a[i] * cos(a[i]) + i
    return a[n] * a[4]


def sorts(x: float, y: float, z: float):
    a = [x, y, z]
    for i in range(2):
        for j in range(2 - i):
            if a[j] > a[j + 1]:
                t = a[j]
                a[j] = a[j + 1]
                a[j + 1] = t
    return a[0] + 2.0 * a[1] * a[2]


def history(x: float):
    c = Counter(x, 0)
    best = copy(c)
    for _ in range(5):
        c.add(0.3 * x)
        if c.total > 2.0:
            return c.total * c.seen
        best = copy(c)
    return best.total + c.seen


def weights(w: Array[float, 4], x: float):
    s = 0.0
    for i in range(4):
        s = s * x + w[i] * w[3 - i]
    w[2] = s
    for i in range(4):
        s = s + w[i]
    return s


def exchanged(x: float, y: float):
    a, b = Body(float2(x, 1.0), float2(0.1, y), 1.0), Body(float2(y, x), float2(0.7, 0.2), 2.0)
    for i in range(5):
        a.p = a.p * 0.9 + b.v * 0.1 * a.mass
        if i == 3:
            b.v = a.p * 0.5
        a, b = b, a
    return a.p.x * b.v.y + a.p.y * b.p.x * a.mass


def rotated(x: float):
    a, b, c = [x, 1.0], [0.5, x * x], [2.0, 3.0]
    for _ in range(7):
        a[0] = a[0] + b[1] * c[0] * 0.3
        a, b, c = b, c, a
    return a[0] * b[0] * c[1]


POINTS = {
    orbit: [(1.0, 0.2)],
    rebound: [(0.4, 0.8)],
    counter: [(0.3,)],
    running: [(0.4, 2), (0.6, 4)],
    sorts: [(3.0, 1.0, 2.0), (1.0, 2.0, 3.0), (2.5, 3.5, 0.5)],
    history: [(0.5,), (1.9,)],
    exchanged: [(0.5, 1.2)],
    rotated: [(0.4,)],
}
LISTS = {weights: [((0.3, 0.8, -0.5, 1.2), 0.7)]}
