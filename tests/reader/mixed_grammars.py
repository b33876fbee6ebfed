"""What random_mixed.py puts together: what stands before a program, and the forms in it.

`kind: form | form`, where `<kind>` stands for any form of that kind; every kind has forms without
parts. `do` are statements, `c` conditions, `result` is what a program returns.
"""

ARRAYS = (
    """
import numpy as np


def shifted(x, k):
    x[1:] += k * x[:-1]
    return x


def doubled(x):
    x *= 2.0


def f(a: float, b: float):
    u, v = np.array([a, b, 0.3, 0.9]), np.array([0.2 * b, a - 0.5, 1.5, b])
    p, q = np.array([b, 0.7, a]), np.array([0.45, a * b, -0.2])
    m = np.array([[a, 0.1, b, 0.2], [0.3, b * 0.5, 1.1, a], [b, 0.6, a * 0.4, 0.8]])
    h = np.outer(u, p)
    c = np.array([2, 0, 1, 3])
    s = a - b
""",
    """
i: 0 | 1 | 2 | -1 | <counter> % 3
s: a | b | s | 0.5 | u[<i>] | m[<i>, <i>] | np.sum(<r>) * 0.1 | np.max(<v>) | <v> @ <v>
v: u | v | <m>[<i>] | <h>[:, <i>] | <m>[<i>, ::-1] | <v>[::-1] | <v>[[3, 1, 0, 2]] | <v>[c]
  | <m>.ravel()[2:6] | <m>.T[:, <i>] | <v>.copy() | np.append(<r>, <s>) | <m>.sum(axis=0)
  | <m>.max(axis=0) | (<r> @ <m>) | (<h> @ <r>) | np.cumsum(<v>) | np.roll(<v>, 1) | (<v> * <s>)
  | np.where(<v> > 0.413, <v>, <s>) | np.sort(<v>) | np.concatenate([<r>, <v>[:1]]) | (<v> - <v>)
  | np.maximum(<v>, <v>) | np.clip(<v>, -0.53, 1.07) | shifted(<v>, <s>) | np.tanh(<v>)
  | <h>[np.arange(4), c % 3] | np.array([w * 0.5 for w in <v>]) | <m>.reshape(2, 6)[1, :4]
  | np.invert(<v> > 0.217) * <s> | ((<v> > 0.1) @ (<v> > 0.2)) * u
r: p | q | <m>[:, <i>] | <h>[<i>] | <v>[1:] | <v>[2::-1] | np.diff(<v>) | <m>.sum(axis=1)
  | <h>.min(axis=0) | (<m> @ <v>) | <r>[::-1] | <m>.diagonal() | <v>[[0, 0, 2]] | <v>[c[:3]]
  | (<r> + <r>) | np.abs(<r>) | (<r> * <s>) | np.ravel(<h>)[::4] | np.cross(<r>, <r>)
  | np.where(<r> > <r>, <r>, 0.25) | np.take(<m>, <i>, axis=1) | np.einsum("ii->i", <m>[:, :3])
m: m | <h>.T | (<v>[None] * <r>[:, None]) | np.stack([<v>, <v>, <v>]) | <m>[::-1] | <m>[:, ::-1]
  | (<m> + <v>) | <m>[:, c % 4] | (<m> * <r>[:, None]) | <h>.reshape(3, 4) | <m>[[2, 0, 1]]
  | np.vstack([<v>, <m>[1:]]) | np.cumsum(<m>, axis=0) | np.where(<m> > 0.413, <m>, <s>)
  | np.sort(<m>, axis=0) | np.roll(<m>, 1, axis=1) | np.outer(<r>, <v>) | np.copy(<m>)
h: h | <m>.T | <m>.reshape(4, 3) | (<h> + <r>) | <h>[::-1] | <h>[c] | np.rot90(<m>) | np.tril(<h>)
  | (<v>[:, None] - <r>)
four: u[:] | v[:] | u[::-1] | v[...] | m[<i>] | h[:, <i>] | m[<i>, ::-1] | m.T[:, <i>] | v[c]
  | m.ravel()[4:8] | h.reshape(-1)[::3] | u[[2, 0, 3, 1]] | h.T[<i>] | u[[0, 0, 2, 1]]
three: p[:] | q[::-1] | u[1:] | v[:-1] | m[:, <i>] | h[<i>] | m[<i>, 1:] | m.flat[:3]
  | u[[1, 1, 3]] | m[np.arange(3), c[1:]] | h.T.reshape(-1)[::4]
to: = | += | *=
c: a > 0.413 | <s> > 0.137 | <counter> % 2 == 0 | np.any(<v> > 0.771) | u[1] in m[<i>, :1]
do: s = <s> | u = <v> | v = <v> | p = <r> | q = <r> | m = <m>.copy() | h = <h>.copy()
  | <four> <to> <v>
  | <three> <to> <r> | m[:] <to> <m> | h[::-1] = <h> | m.reshape(4, 3)[::-1] += <h> | <four> = <s>
  | u, v = v, u | u[:], v[:] = v, u | m[0], m[1] = m[1], m[0] | m[[0, 2]] = m[[2, 0]] | u.sort()
  | u[1:], u[0] = u[:-1], u[-1] | np.add.at(u, [0, 0, 3], <s>) | np.fill_diagonal(m, <s>)
  | np.add(u, v, out=u) | doubled(m[<i>]) | doubled(h.T) | shifted(v, <s>) | np.cumsum(u, out=v)
  | u[<v> > 0.217] *= <s> | m[<m> > 0.413] = <s> | c[[0, 1]] = c[[1, 0]] | c = (c + 1) % 4
  | m.reshape(-1)[1] = <s> | h.reshape(3, 4)[1] *= <s> | m.sort(axis=0)
result: *u, *(v * 2), *(p * 3), *(q * 5), *m.ravel(), *(h * 2).ravel(), *(c * 1.0), s
""",
)

OBJECTS = (
    """
from copy import copy
from dataclasses import dataclass, field, replace


class Base:
    rate = 0.5

    def __init__(self, x, y):
        self.x, self._y = x, y

    @property
    def y(self):
        return self._y

    @y.setter
    def y(self, value):
        self._y = value * 0.5 + self.rate

    def step(self, k):
        self.x += k * self.rate
        return self

    def __call__(self, k):
        self.x = self.x + k * 0.25
        return self.x

    def __add__(self, other):
        if not isinstance(other, Base):
            return NotImplemented
        return Base(self.x + other.x, self._y - other._y)

    def __iadd__(self, other):
        self.x += other.x
        return self

    def __eq__(self, other):
        if isinstance(other, Dot):
            return NotImplemented
        return self.x > other.x - 0.113

    def __lt__(self, other):
        return self.x < other.x

    def __bool__(self):
        return self.x > 0.371

    def __iter__(self):
        yield self.x
        yield self._y


class Child(Base):
    rate = 0.25

    def step(self, k):
        super().step(k)
        self._y = self._y + self.x * 0.1
        return self

    def __radd__(self, other):
        return Base(self.x * 0.5, other._y)

    def __gt__(self, other):
        return self.x > other.x + 0.171


@dataclass(order=True)
class Dot:
    u: float
    v: float = 0.25
    w: list = field(default_factory=lambda: [0.5, 1.5], compare=False)

    def moved(self, k):
        self.u += k
        self.w[0] -= k
        return self

    def __radd__(self, other):
        return Base(self.u, other.x)


def f(a: float, b: float):
    o, r = Base(a, b), Base(0.3, b)
    t, l = r, Child(b, 0.4)
    d, e = Dot(a, b), Dot(v=0.6, u=b)
    k, z = Dot(a * b, 0.1, d.w), {"x": d, "y": e}
    os, ds, s = [o, r], [d, e], a - b
""",
    """
i: 0 | 1 | -1 | <counter> % 2
b: o | r | t | os[<i>] | (<b> + <b>) | (<b> + <d>) | <b>.step(<s>) | copy(<b>) | Base(<s>, <s>)
  | (<b> if <c> else <b>) | max(os) | min(<b>, <b>) | (<b> or <b>) | sorted(os)[<i>] | (<b> + l)
  | max(os, key=lambda it: it.x * <s>)
any: l | o | r | t | <b> | (o if <c> else l)
d: d | e | k | ds[<i>] | z["x"] | Dot(<s>) | replace(<d>, u=<s>) | <d>.moved(<s>) | copy(<d>)
  | (<d> if <c> else <d>) | max(z.values()) | min(ds, key=lambda it: it.u * <s>) | Dot(<s>, w=<d>.w)
  | next((it for it in ds if it.u > 0.413), <d>) | sorted(ds)[<i>] | min(*z.values())
s: a | b | s | 0.5 | <any>.x | <b>.y | <d>.u | <d>.w[<i>] | <any>(<s>) | sum(<any>) | [*<b>][1]
  | (<s> - <s> * 0.5) | (<s> if <c> else <s>) | <any>.step(<s>).x | <d>.v | len(<d>.w) * <s>
c: a > 0.413 | <s> > 0.137 | <any> == <any> | <any> != <any> | <any> < <any> | <any> > <any>
  | <b> is <b> | <d> == <d> | <d> < <d> | <b> in os | <any> == <d> | not <any> | <d> is <d>
  | [<any>, l] == os | isinstance(<any>, Child) | (<any>, 1) < (<any>, 2) | <counter> % 2 == 1
at: <b>.x | <b>.y | <d>.u | <d>.v | <d>.w[<i>] | z["y"].u | os[<i>].x | ds[<i>].w[<i>] | l.y | o.x
do: o, r = r, o | d, e = e, d | ds[0], ds[1] = ds[1], ds[0] | d.w, e.w = e.w, d.w | z["x"] = <d>
  | ds[<i>] = <d> | os[<i>] = <b> | o = <b> | r = <b> | t = <b> | d = <d> | e = <d> | o += <any>
  | os[<i>] += <any> | <any>.step(<s>) | <d>.moved(<s>) | s += <s> | l = Child(<s>, <s>)
  | <at> = <s> | <at> += <s> | <at> *= <s> | ds.sort() | ds.reverse() | <any>(<s>)
result: o.x, o._y, r.x * 2, r._y, t.x * 3, l.x, l._y, d.u, d.v, *d.w, e.u, e.v, *e.w, k.u, *k.w,
  z["x"].u, z["y"].u, os[0].x, os[1].x, ds[0].u, ds[1].u, s
""",
)

WAYS = (
    """
def way(x, y, seen):
    try:
        if x > y:
            return x * 2.0
        if y > 1.037:
            raise ValueError
        seen[0] += 1.0
    except ValueError:
        if x > 0.137:
            return y - x
        y += 0.5
    else:
        y *= 0.5
    finally:
        seen[0] = seen[0] * 0.5 + x
    return y


def halves(x, k):
    for i in range(k):
        if i == 1:
            continue
        yield x
        x *= 0.5


def f(a: float, b: float):
    x, y, z, seen = a, b, a - b, [0.0]
    l, g = [a, b, 0.3, a * b], [0.2, b]
    h, p, q = g, 3, -7
""",
    """
i: 0 | 1 | -1 | <k> % 4 | (<c>)
s: a | b | x | y | z | 0.5 | l[<i>] | g[0] | h[-1] | (<s> - <s> * 0.5) | (<s> * 0.5) | <s> * <k>
  | way(<s>, <s>, seen) | (<s> if <c> else <s>) | sum(l) | max(l) | sorted(l)[<i>] | (<s> // 0.3)
  | (<s> % 0.7) | (w := <s>) * w | min(l, key=lambda w: w * 0.5 - <s> * w) | sum(halves(<s>, 3))
  | next((w for w in l if w > 0.413), <s>) | (<s>, <s>)[<k> % 2] | [*halves(<s>, 4)][<k> % 3]
k: p | q | 2 | len(g) | <counter> | <k> // -2 | <k> % -3 | -<k> // 2 | (<k> >> 1) | (<k> & 3)
  | (<k> ^ 2) | ~<k> | (<c>) + <k> | (<k> * <k>) % 97 | abs(<k>) | (<k> or <k>) | <k> // 3
c: a > 0.413 | <s> > 0.137 | <s> < <s> + 0.017 < <s> | <k> < <k> | <k> % 3 == 1 | not (<c>)
  | <c> and <c> | (<c>) == (<c>) | g is h | <k> in (1, 2) | <k> & 1 | <s> > 0.3 > <s>
raised: if <c>: raise ValueError | z = 1.0 / <k> | z = l[<i>] / (<k> % 2) | y = x / (<k> & 1)
left: continue | break | x += 1.0 | y = x | continue
do: x = <s> | y = <s> | z += <s> | l[<i>] = <s> | l[<i>] *= <s> | x, y = y, x | p = <k> | q -= <k>
  | h = list(g) | g[0] = <s> | h = g | x, *_, y = l | l[1:3] = [<s>, <s>] | l.reverse()
  | l[::2] = l[1::2] | p, l[p % 4] = <k>, <s> | l = l[::-1] | y -= <s> | h[1], x = x, h[0]
result: x, y, z, *l, *g, *h, seen[0], p * 1.0, q * 1.0
""",
)
