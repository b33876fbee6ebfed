"""A loop over remainders of integers, shrunk from a program on which Intel's compiler crashed."""

from egad import Array, float2, sin, struct


@struct
class S:
    u: float
    on: bool


def wandering(x: float, y: float, w: Array[float, 3], n: int, e: int) -> float:
    p, q = n, 2
    g = x > 0.2
    b = y * 0.5
    s = S(y, True)
    v = float2(0.25, y)
    k = [n, 1, 4]
    o = [0.5 * item for item in w]
    m = [[1, 2, e], [3, n, 0]]
    r = [[x, 0.1, 0.2], [y, x * y, 0.4]]
    for _ in range(8):
        q -= k[q % 3]
        p -= m[p % 2][q % 3]
    value = x + b * s.u + v.x * v.y + w[p % 3] * o[q % 3] + sin(x * (e % 5))
    value = value + 0.3 * x * (k[0] % 3) + y * (m[0][1] % 4) + r[0][1] * r[1][2]
    return value + (x if g else y * y) + (y if s.on else 0.0)


def plain(x: float, n: int) -> float:
    for i in range(n):
        x = x * 0.5 + i
    return x + n % 3


@struct
class Turn:
    x: float
    n: int = 0
    v: float2

    def step(self) -> float:
        self.n += 1
        self.x = self.x * 0.5 + 1.0
        return self.x


def exchanged(a: float, b: float):
    turns = [Turn(a), Turn(b), Turn(1.0)]
    for i in range(6):
        turns[i % 3].step()
        turns[(i + 1) % 3].v.x += turns[i % 3].x
        turns[i % 3], turns[0] = turns[0], turns[i % 3]
    return turns[0].x, turns[1].x, turns[2].v.x, float(turns[0].n)


def left_early(a: float, b: float) -> float:
    q, v, k = a, b, 0
    while True:
        q += 0.1 * v
        v -= 0.1 * q
        k += 1
        if k > 12:
            break
        if q < 0:
            v = -v
            continue
        if q * v > 3.0:
            return q
    return q * v


def looked_up(x: float, w: Array[float, 9], m: int, trips: int):
    n = 1
    for k in range(min(trips, 6)):
        x = 0.75 * x + sin(x)
        if x > 0.9:
            break
        x = x * (1.0 + w[(k + 7) % 9] + (n % 1021) / 16384.0)
        n = n * m + 1
    return x
