"""Lists of lists and lists of structs at running indices: one memory for all rows, or a field."""

from math import sqrt

from egad import Array, copy, dot, float2, struct


@struct
class Particle:
    at: float2
    velocity: float2
    mass: float

    def kick(self, force: float2, h: float) -> None:
        self.velocity = self.velocity + force * (h / self.mass)

    @property
    def energy(self) -> float:
        return 0.5 * self.mass * dot(self.velocity, self.velocity)


@struct
class Cell:
    value: float
    near: Array[float, 3]


def heat(u: Array[Array[float, 5], 5], k: float):
    for _ in range(3):
        new = copy(u)
        for i in range(1, 4):
            for j in range(1, 4):
                around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]
                new[i][j] = u[i][j] + k * (around - 4 * u[i][j] * u[i][j])
        u = new
    s = 0.0
    for i in range(5):
        for j in range(5):
            s += u[i][j] * u[i][j] * (i + 1)
    return s


def last_of_heat(u: Array[Array[float, 5], 5], k: float):
    for _ in range(3):
        new = copy(u)
        for i in range(1, 4):
            for j in range(1, 4):
                new[i][j] = u[i][j] + k * u[i - 1][j] * u[i][j + 1]
        u = new
    return new[1][1] + u[2][3] * new[3][3]


def solved(a: Array[Array[float, 3], 3], b: Array[float, 3]):
    for k in range(3):
        for i in range(k + 1, 3):
            f = a[i][k] / a[k][k]
            for j in range(k, 3):
                a[i][j] -= f * a[k][j]
            b[i] -= f * b[k]
    x = [0.0] * 3
    for i in range(2, -1, -1):
        s = b[i]
        for j in range(i + 1, 3):
            s -= a[i][j] * x[j]
        x[i] = s / a[i][i]
    return x[0] * x[1] + x[2]


def rows(w: Array[Array[float, 4], 3], n: int):
    row = w[n]
    for j in range(4):
        row[j] = row[j] * w[(n + 1) % 3][j]
    w[n][1] = w[n][0] + row[2]
    return row[1] * w[n][3] + w[0][1]


def cloud(x: float, y: float):
    ps = [Particle(float2(x * i, y), float2(0.1, 0.2 * i), 1.0 + 0.1 * i) for i in range(8)]
    for _ in range(3):
        for i in range(8):
            force = float2(0.0)
            for j in range(8):
                if i != j:
                    d = ps[j].at - ps[i].at
                    force = force + d / (dot(d, d) + 0.5)
            ps[i].kick(force, 0.1)
        for p in ps:
            p.at = p.at + p.velocity * 0.1
    s = 0.0
    for i in range(8):
        s += ps[i].energy + ps[i].at.x
    return s


def replaced(x: float, n: int):
    ps = [Particle(float2(x, 0.1 * i), float2(x, 1.0), 1.0) for i in range(9)]
    for i in range(8):
        p = ps[i]
        ps[i + 1] = Particle(p.at + ps[i].velocity * 0.5, p.velocity * x, p.mass + 0.1)
    last = ps[n]
    ps[n].mass = 3.0 * x
    return last.mass * ps[8].at.x * ps[8].velocity.x + ps[n].energy


def cells(x: float, n: int):
    grid = [Cell(x * i, [x, 0.5, 0.1 * i]) for i in range(8)]
    for i in range(1, 8):
        for j in range(3):
            grid[i].near[j] = grid[i - 1].near[(j + 1) % 3] * x + grid[i].value
        grid[i].value = grid[i].near[i % 3] * sqrt(1.0 + grid[i - 1].value * grid[i - 1].value)
    chosen = copy(grid[n])
    grid[n].value = 0.0
    return chosen.value * grid[7].near[1] + chosen.near[n % 3]


def in_arms(w: Array[Array[float, 4], 4], x: float):
    for i in range(1, 4):
        for j in range(4):
            if w[i][j] > w[i - 1][j]:
                w[i][j] = w[i][j] * x
                w[i - 1][j] += w[i][j]
            elif j == 2:
                continue
            else:
                w[i][(j + 1) % 4] = w[i - 1][j] * x
    return w[0][1] * w[3][2] + w[2][2]


_ROWS = ((0.3, 0.8, -0.5, 1.2, 0.7), (0.1, 0.2, 0.3, -0.4, 0.5), (0.9, 0.6, 1.1, 0.2, 0.4))
GRID = (*_ROWS, *_ROWS[:2])
POINTS = {
    cloud: [(0.3, 0.7)],
    replaced: [(0.7, 4), (1.2, 8)],
    cells: [(0.6, 3), (0.4, 7)],
}
LISTS = {
    heat: [(GRID, 0.1)],
    last_of_heat: [(GRID, 0.1)],
    solved: [(((3.0, 0.5, 0.2), (0.4, 2.0, -0.3), (0.1, 0.6, 4.0)), (1.0, -0.5, 0.25))],
    rows: [(tuple(row[:4] for row in GRID[:3]), 1), (tuple(row[:4] for row in GRID[:3]), 2)],
    in_arms: [(tuple(row[:4] for row in GRID[:4]), 0.7)],
}
