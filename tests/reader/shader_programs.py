"""Programs as shader and simulation authors write them, each of several features at once.

Every public function takes two real numbers and gives numbers
Python runs them too.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from egad import (
    InOut,
    cos,
    detach,
    determinant,
    dot,
    float2,
    float2x2,
    float3,
    float3x3,
    float4,
    max_iters,
    mul,
    normalize,
    reflect,
    saturate,
    sin,
    struct,
    transpose,
)

T = TypeVar("T")


@struct
class Ray:
    o: float3
    d: float3

    def at(self, t: float) -> float3:
        return self.o + self.d * t


@struct
class Hit:
    t: float = 1e9
    n: float3
    mat: int = -1


@struct
class Sphere:
    c: float3
    r: float
    mat: int = 0

    def hit(self, ray: Ray, h: InOut[Hit]) -> bool:
        oc = ray.o - self.c
        b = dot(oc, ray.d)
        disc = b * b - (dot(oc, oc) - self.r * self.r)
        if disc < 0.0:
            return False
        t = -b - math.sqrt(disc)
        if t < 1e-3 or t > h.t:
            return False
        h.t = t
        h.n = (ray.at(t) - self.c) / self.r
        h.mat = self.mat
        return True


class Kind(Enum):
    DIFFUSE = 0
    METAL = 1
    GLASS = 2
    COAT = 3


def _shade(kind: Kind, x: float, y: float) -> float:
    match kind:
        case Kind.DIFFUSE | Kind.COAT:
            r = x * y
        case Kind.METAL:
            r = x * x
        case _:
            r = math.sqrt(abs(x)) + y
    return r


@struct
class Lambert:
    albedo: float

    def eval(self, c: float) -> float:
        return self.albedo * max(c, 0.0) / math.pi

    def weight(self) -> float:
        return self.albedo


@struct
class Phong:
    ks: float
    n: int = 3

    def eval(self, c: float) -> float:
        r = 1.0
        for _ in range(self.n):
            r *= abs(c)
        return self.ks * r

    def weight(self) -> float:
        return 1.0 - self.ks


@struct
class Box(Generic[T]):
    value: T
    count: int

    def map(self, f: Callable):
        return Box(f(self.value), self.count + 1)


class Integrator(ABC):
    @abstractmethod
    def step(self, x: float, v: float, h: float): ...
    def run(self, x: float, v: float, n: int):
        for _ in range(n):
            x, v = self.step(x, v, 0.1)
        return x + v


@struct
class Euler(Integrator):
    k: float

    def step(self, x, v, h):
        return x + h * v, v - h * self.k * x


@struct
class Verlet(Integrator):
    k: float
    drag: float = 0.1

    def step(self, x, v, h):
        v2 = v - 0.5 * h * self.k * x
        x2 = x + h * v2
        return x2, (v2 - 0.5 * h * self.k * x2) * (1.0 - self.drag * h)


@struct
class Cell:
    v: float
    w: float


@struct
class Counter:
    n: int
    total: float

    def add(self, x: float) -> None:
        self.n += 1
        self.total += x

    @property
    def mean(self) -> float:
        return self.total / self.n if self.n > 0 else 0.0


class Mode(IntEnum):
    ADD = 1
    MUL = 2


TABLE = (Mode.ADD, Mode.MUL, Mode.ADD)
WEIGHTS = np.array([0.5, 1.5, 2.5])


@dataclass
class Particle:
    pos: float2
    vel: float2
    alive: bool = True


class NT(NamedTuple):
    pos: float3
    w: float = 2.0

    def energy(self) -> float:
        return self.w * dot(self.pos, self.pos)


@dataclass(frozen=True)
class Fz:
    pos: float3
    w: float = 2.0

    def energy(self) -> float:
        return self.w * dot(self.pos, self.pos)


@dataclass
class Dc:
    x: float
    w: float = 2.0


def _opt(x: float, k: float | None = None) -> float:
    if k is None:
        k = 2.0 * x
    return k * x


def _opt2(x: float, k: "float | None" = None) -> float:
    return x if k is None else k * x


def _opt_s(x: float, k: Cell | None = None) -> float:
    if k is not None:
        return x * k.v
    return x


def ray_scene(a, b):
    scene = [
        Sphere(float3(0.0, 0.0, 3.0), 1.0 + 0.1 * a),
        Sphere(float3(a, b, 4.0), 1.0, 1),
        Sphere(float3(-a, 0.5, 5.0), 1.5, 2),
    ]
    ray = Ray(float3(0.0), normalize(float3(0.05 * a, 0.05 * b, 1.0)))
    h = Hit()
    for s in scene:
        s.hit(ray, h)
    if h.mat < 0:
        return 0.1 * a
    return h.t * saturate(dot(h.n, normalize(float3(1.0, 1.0, -1.0)))) + h.mat


def ray_scene_index(a, b):
    scene = [
        Sphere(float3(0.0, 0.0, 3.0), 1.0 + 0.1 * a),
        Sphere(float3(a, b, 4.0), 1.0, 1),
        Sphere(float3(-a, 0.5, 5.0), 1.5, 2),
    ]
    ray = Ray(float3(0.0), normalize(float3(0.05 * a, 0.05 * b, 1.0)))
    h = Hit()
    n = 0
    for i in range(len(scene)):
        if scene[i].hit(ray, h):
            n += 1
    return h.t * h.n.z + n + h.mat


def bounces(a, b):
    ray = Ray(float3(0.0, 0.0, 0.0), normalize(float3(a, b, 2.0)))
    through = float3(1.0)
    light = float3(0.0)
    for k in range(4):
        t = (1.0 + k) / (1.0 + abs(ray.d.z))
        p = ray.at(t)
        n = normalize(float3(sin(p.x), cos(p.y), 1.0))
        if dot(n, ray.d) > 0.9:
            light += through * 0.5
            break
        light += through * float3(0.1, 0.2 * a, 0.3)
        through *= 0.7 * p.xyz * 0.2 + 0.5
        ray = Ray(p, reflect(ray.d, n))
    return light.x, light.y + light.z, through.x


def enum_while(a, b):
    kind = Kind.DIFFUSE
    s = 0.0
    i = 0
    max_iters(10)
    while s < 4.0 and i < 8:
        s += abs(_shade(kind, a + i, b)) * 0.3
        match kind:
            case Kind.DIFFUSE:
                kind = Kind.METAL
            case Kind.METAL:
                kind = Kind.GLASS if s > 1.0 else Kind.COAT
            case _:
                kind = Kind.DIFFUSE
        i += 1
    return s


def mixture(a, b):
    mats: list = [Lambert(a), Phong(b, 2), Phong(a * b)]
    s = 0.0
    w = 0.0
    for m in mats:
        s += m.eval(sin(b)) * m.weight()
        w += m.weight()
    return s, w


def dispatch_choice(a, b):
    m = Lambert(a) if a > 1.0 else Phong(b)
    s = 0.0
    for i in range(3):
        s += m.eval(0.2 * i + b) * m.weight()
    return s


def generic_box(a, b):
    box = Box(float2(a, b), 2)
    for _i in range(3):
        box = box.map(lambda v: v * 0.5 + 1.0)
    return box.value.x * box.value.y + box.count


def integrators(a, b):
    e, v = Euler(b), Verlet(abs(a), 0.2)
    return e.run(a, 1.0, 5) * v.run(b, a, 7)


def nested_return(a, b):
    grid = [[Cell(a * (i + 1), b + j) for j in range(3)] for i in range(3)]
    for i in range(3):
        for j in range(3):
            if grid[i][j].w > 2.0:
                return grid[i][j].v * i + j * b
            grid[i][j].w += 0.3 * a
    return grid[2][2].w * grid[0][1].v


def newton_in_loop(a, b):
    s = 0.0
    for i in range(3):
        x = 1.0 + abs(a)
        max_iters(20)
        while True:
            f = x * x - (2.0 + i + b * b)
            if abs(f) < 1e-10:
                break
            x -= f / (2.0 * x)
        s += x * (i + 1)
    return s


def moving_average(a, b):
    buf = [0.0] * 4
    head = 0
    total = 0.0
    out = 0.0
    for i in range(10):
        x = a * i + b * b
        total -= buf[head]
        buf[head] = x
        total += x
        head = (head + 1) % 4
        if i >= 3:
            out += total * total / 16.0
    return out


def detach_in_loop(a, b):
    x = a
    for _i in range(4):
        err = x * x - b
        w = detach(0.1 / (1.0 + abs(err)))
        x = x - w * err
    return x


def matrix_chain(a, b):
    m = float3x3(1.0, a, 0.0, 0.0, 1.0, b, a, 0.0, 1.0)
    acc = float3x3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for i in range(3):
        acc = mul(acc, m) * 0.5
        acc[i][i] += b
    return determinant(acc) + acc[0][2]


def mat_rows(a, b):
    m = float2x2(a, b, 1.0, 2.0)
    _r0, r1 = m
    m[0] = r1 * a
    v = mul(m, float2(a, 1.0)) + mul(float2(b, 2.0), m)
    return v.x * v.y + transpose(m)[0][1] + m.T[1][0]


def vec_int_mix(a, b):
    v = float4(a, b, 1.0, 2.0)
    s = 0.0
    for i in range(4):
        for j in range(i, 4):
            if (i ^ j) & 1:
                continue
            s += v[i] * v[j] * (1 if i == j else 2)
    return s + v.wzyx.x * v.xy.y


def bits(a, b):
    h = 12345
    s = 0.0
    for _i in range(6):
        h ^= (h << 5) & 0xFFFF
        h = (h * 17 + 3) % 10007
        u = h / 10007.0
        s += sin(a * u) * b
    return s


def while_else(a, b):
    x = abs(a) + 1.0
    i = 0
    while i < 5:
        x = x * 0.7 + 0.1 * b
        if x < 0.5:
            r = x * b
            break
        i += 1
    else:
        r = x * x
    return r * i + r


def out_params(a, b):
    h = Cell(0.0, 0.0)

    def fill(x: float, c: InOut[Cell], k: int = 2) -> None:
        c.v += x * k
        c.w = c.v * x

    fill(a, h)
    fill(b, h, k=3)
    return h.v * h.w


def tuples_deep(a, b):
    state = ((a, b), float2(1.0, a), 3)
    for _i in range(3):
        (x, y), v, n = state
        state = ((y, x + v.x), v * 0.5 + y, n + 1)
    return state[0][1] * state[1].y + state[2]


def switch_fall(a, b):
    s = 0.0
    for i in range(6):
        match i % 4:
            case 0 | 1:
                s += a * i
            case 2 if a > 0.0:
                s += b
            case 2:
                s -= b
            case _:
                continue
        s *= 0.9
    return s


def int_struct(a, b):
    c = Counter(0, 0.0)
    for i in range(7):
        c.add(a * i if i % 3 else b)
    return c.mean * c.n


def halves(a, b):
    lo, hi = 0.0, 2.0 + abs(a)
    for _ in range(12):
        mid = 0.5 * (lo + hi)
        if mid * mid * mid < detach(abs(b) + 1.0):
            lo = mid
        else:
            hi = mid
    return (lo + hi) * a


def prefix_2d(a, b):
    g = [[a * i + b * j for j in range(4)] for i in range(4)]
    for i in range(4):
        for j in range(1, 4):
            g[i][j] += g[i][j - 1]
    for j in range(4):
        for i in range(1, 4):
            g[i][j] += g[i - 1][j] * 0.5
    return g[3][3] + g[1][2] * g[2][1]


def tables(a, b):
    acc = a
    for i, mode in enumerate(TABLE):
        acc = acc + b * WEIGHTS[i] if mode is Mode.ADD else acc * b
    return acc * float(WEIGHTS[2])


def particles(a, b):
    ps = [Particle(float2(a * i, b), float2(b, 0.1 * i)) for i in range(3)]
    e = 0.0
    for _ in range(4):
        for p in ps:
            if not p.alive:
                continue
            p.pos += p.vel * 0.1
            if p.pos.x > 2.0:
                p.alive = False
                e += p.pos.y
    return e + sum(p.pos.x * p.vel.y for p in ps)


def pairs_force(a, b):
    ps = [Particle(float2(a * i, b - i), float2(0.0, 0.0)) for i in range(3)]
    for i in range(3):
        for j in range(3):
            if i != j:
                d = ps[j].pos - ps[i].pos
                r2 = dot(d, d) + 0.1
                ps[i].vel += d / (r2 * math.sqrt(r2))
    return ps[0].vel.x + ps[1].vel.y * ps[2].vel.x


def named_tuple(a, b):
    n = NT(float3(a, b, 1.0))
    m = n._replace(w=b)
    return n.energy() + m.energy() * m.w


def named_tuple_loop(a, b):
    n = NT(float3(a, b, 1.0), 0.5)
    for _i in range(3):
        n = NT(n.pos * 0.5 + a, n.w * b)
    p, w = n
    return n.energy() + p.x * w


def frozen_dc(a, b):
    n = Fz(float3(a, b, 1.0), b)
    return n.energy() * n.pos.x


def plain_dc(a, b):
    n = Dc(a)
    n.w = n.w * b
    return n.x * n.w


def optional_default(a, b):
    return _opt(a) + _opt(a, b)


def optional_default2(a, b):
    return _opt2(a) + _opt2(a, b)


def optional_struct(a, b):
    return _opt_s(a) + _opt_s(a, Cell(b, 1.0))


def matrix_names(a, b):
    m = float3x3(a, b, 1.0, 2.0, a * b, 3.0, 4.0, 5.0, a)
    m._m02 = m._m02 + a * b
    m._31 *= b
    return m._m00 * m._m11 + m._12 * m._13 + m[2, 0]
