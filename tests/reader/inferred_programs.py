"""Programs with classes that list no fields: their methods assign them.

Every public function takes two real numbers
Python runs them too.
"""

import abc
import itertools
import math

import numpy as np


class Spring:
    g = 9.81
    _n = 0

    def __init__(self, k: float, rest=1.0, *, name="s"):
        self.k, self.rest = k, rest
        self.name = name
        self.log = []
        self.last = None
        if rest > 100:
            self.big = True
        else:
            self.big = False

    @classmethod
    def soft(cls, k):
        return cls(k * 0.1)

    @staticmethod
    def sq(x):
        return x * x

    def energy(self, x):
        e = 0.5 * self.k * self.sq(x - self.rest)
        self.log.append(e)
        self._n += 1
        self.last = e
        return e

    def __repr__(self):
        return f"Spring({self.k})"

    def __len__(self):
        return len(self.log)


def springs(a, b):
    s = Spring(a)
    t = Spring.soft(b)
    s.energy(b)
    s.energy(2 * b)
    t.energy(a)
    return sum(s.log) + t.last + len(s) + s._n * s.g + (1.0 if t.name == "s" else 0.0)


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        self.v -= dt * self.x
        self.x += dt * self.v


def loop_particle(a, b):
    p = Particle(a, b)
    for _ in range(50):
        p.step(0.1)
        if p.x < -5:
            break
    return p.x * p.v


def many_particles(a, b):
    ps = [Particle(a * i, b) for i in range(4)]
    for _ in range(10):
        for p in ps:
            p.step(0.05)
    best = ps[0]
    for p in ps[1:]:
        if p.x > best.x:
            best = p
    best.v = 10 * a
    return best.x + sum(p.v for p in ps)


class Shape:
    def area(self):
        raise NotImplementedError("x")

    def double(self):
        return 2 * self.area()


class Sq(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s**2


class Ci(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


def chosen(a, b):
    s = Sq(a) if a > b else Ci(b)
    t = Ci(a)
    for _ in range(3):
        if s.area() > t.area():
            t = Ci(s.area())
    return s.double() + (t.r if isinstance(t, Ci) else 0.0)


class Abstract(abc.ABC):
    def __init__(self, k):
        self.k = k

    @abc.abstractmethod
    def f(self, x): ...
    def g(self, x):
        return self.f(x) * self.k


class Con(Abstract):
    def f(self, x):
        return x**2


def abstract_base(a, b):
    return Con(a).g(b)


MODEL = Spring(3.0, 0.5)


def captured(a, b):
    return 0.5 * MODEL.k * (a - MODEL.rest) ** 2 + b * MODEL.sq(a)


class Dual:
    def __init__(self, v, d=0.0):
        self.v, self.d = v, d

    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    __rmul__ = __mul__

    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v + o.v, self.d + o.d)

    __radd__ = __add__


def duals(a, b):
    x = Dual(a, 1.0)
    y = x * x * b + 3 * x + 1.0
    return y.d * y.v


class Tree:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right

    def total(self):
        t = self.v
        if self.left is not None:
            t += self.left.total()
        if self.right is not None:
            t += self.right.total() * 0.5
        return t


def trees(a, b):
    return Tree(a, Tree(b, Tree(a * b)), Tree(b * b)).total()


class Lazy:
    def __init__(self, a):
        self.a = a

    def prepare(self):
        self.sq = self.a**2
        return self


def late_field(a, b):
    return Lazy(a).prepare().sq * b


class MLP:
    def __init__(self, sizes):
        self.W = [np.full((m, n), 0.1 * (m + n)) for n, m in itertools.pairwise(sizes)]
        self.b = [np.zeros(m) for m in sizes[1:]]

    def forward(self, x):
        for W, b in zip(self.W, self.b, strict=True):
            x = np.tanh(W @ x + b)
        return x


def mlp(a, b):
    return MLP([2, 3, 1]).forward(np.array([a, b]))[0]


class Stack:
    def __init__(self):
        self._items = []

    def push(self, x):
        self._items.append(x)

    def pop(self):
        return self._items.pop()

    @property
    def empty(self):
        return not self._items


def stacks(a, b):
    s = Stack()
    for x in (a, b, a * b):
        s.push(x)
    t = 0.0
    while not s.empty:
        t = t * 0.5 + s.pop()
    return t


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


def slotted(a, b):
    s = Slotted(a, b)
    s.x = s.y * s.x
    return s.x


class Op:
    def f(self, x):
        return x * x


def stateless(a, b):
    return Op().f(a) * b


class Priv:
    def __init__(self, x):
        self.__x = x

    @property
    def x(self):
        return self.__x

    @x.setter
    def x(self, v):
        self.__x = v * 2


def privs(a, b):
    p = Priv(a)
    p.x = b * p.x
    return p.x


class Iterd:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return iter(self.xs)

    def __getitem__(self, i):
        return self.xs[i]

    def __setitem__(self, i, v):
        self.xs[i] = v

    def __len__(self):
        return len(self.xs)

    def __eq__(self, o):
        return self.xs[0] == o.xs[0]


def iterd(a, b):
    v = Iterd([a, b, a * b])
    v[0] = b
    return sum(x * x for x in v) + v[1] * len(v) + (1.0 if v == Iterd([b]) else 0.0)
