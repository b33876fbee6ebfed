"""What the unusual programs have in common: vectors, bodies, worlds, an enumeration, an update."""

from enum import Enum

from egad import Array, InOut, struct


@struct
class V:
    x: float
    y: float

    def __add__(s, o):
        return V(s.x + o.x, s.y + o.y)

    def __mul__(s, k: float):
        return V(s.x * k, s.y * k)

    def dot(s, o):
        return s.x * o.x + s.y * o.y


@struct
class B:
    p: V
    v: V
    m: float = 1.0
    hits: int = 0


@struct
class W:
    bs: Array[B, 3]
    t: float = 0.0


class K(Enum):
    A = 0
    B = 1
    C = 2


def bump(b: InOut[B], k: float):
    b.p.x *= k
    b.v = V(b.p.x, k)
    b.hits += 1
