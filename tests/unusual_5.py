"""Programs that try what Python can say, each in an unusual way: two real numbers in, one out.

Small programs of robotics, physics, finance and graphics, of many features each.
"""

# ruff: noqa: B007
from collections.abc import Callable
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol

import numpy as np

from egad import Array, InOut, copy, float2, force_unroll, max_iters, struct


@struct
class Joint:
    q: float
    dq: float = 0.0
    length: float = 1.0


@struct
class Arm:
    joints: Array[Joint, 3]
    base: float2

    @property
    def tip(self) -> float2:
        p = copy(self.base)
        angle = 0.0
        for j in self.joints:
            angle += j.q
            p += float2(np.cos(angle), np.sin(angle)) * j.length
        return p

    @staticmethod
    def reach(arm: "Arm") -> float:
        total = 0.0
        for i in range(3):
            total += arm.joints[i].length
        return total

    def relax(self, target: float2, rate: float = 0.1, *, iters: int = 4) -> int:
        n = 0
        for it in range(iters):
            worst, wi = -1.0, 0
            for i in range(3):
                e = abs(target.x - self.joints[i].q) * (i + 1)
                if e > worst:
                    worst, wi = e, i
            if worst < 0.5:
                break
            self.joints[wi].q += rate * (target.x - self.joints[wi].q)
            self.joints[wi].dq = self.joints[(wi + 1) % 3].dq + rate
            n += 1
        return n


def program_arm_tip_after_relax(a: float, b: float) -> float:
    arm = Arm([Joint(a), Joint(b, length=0.5), Joint(a * b, 0.0, 0.25)], float2(0.0, 0.1))
    n = arm.relax(float2(b, a), iters=6, rate=0.2)
    t = arm.tip
    return t.x * t.y + n * Arm.reach(arm) + sum(j.dq * j.q for j in arm.joints)


def program_goto_out_of_nested(a: float, b: float) -> float:
    arms = [[Joint(a + i * j, b - i) for j in range(3)] for i in range(3)]
    found = False
    bi, bj = 0, 0
    for i in range(3):
        for j in range(3):
            if arms[i][j].q * arms[i][j].dq > 2.5:
                found = True
                bi, bj = i, j
                break
            arms[i][j].q += 0.1 * arms[(i + 1) % 3][j].dq
        if found:
            break
    arms[bi][bj].length = a * b
    s = 0.0
    for i in range(3):
        for j in range(3):
            s += arms[i][j].q * arms[j][i].length
    return s


class Mat(IntEnum):
    GLASS = 3
    METAL = 1
    PLASTIC = 2
    AIR = 0


def shade(m: Mat, x: float, y: float) -> float:
    match m:
        case Mat.GLASS | Mat.AIR if x > 1.0:
            r = x * y
        case Mat.METAL:
            if y > 2:
                return x
            r = y
        case Mat.GLASS | Mat.PLASTIC:
            r = x - y
        case _:
            r = 1.0
    return r * r


def program_match_in_loop(a: float, b: float) -> float:
    ms = [Mat.GLASS, Mat.AIR, Mat.METAL, Mat.PLASTIC]
    s = 0.0
    for i in range(8):
        k = (i * 3 + 1) % 4
        s += shade(ms[k], a + 0.1 * i, b) * (i + 1)
        if s > 30:
            return s * a
    return s


def program_while_true_state(a: float, b: float) -> float:
    j = Joint(a, b)
    k = 0
    max_iters(20)
    while True:
        j.q += 0.1 * j.dq
        j.dq -= 0.1 * j.q
        k += 1
        if k > 12:
            break
        if j.q < 0:
            j.dq = -j.dq
            continue
        if j.q * j.dq > 3.0:
            return j.q
    return j.q * j.dq + k


def make_filter(k: float) -> Callable:
    state = [0.0, 0.0]

    def step(x: float) -> float:
        state[0] = k * state[0] + (1 - k) * x
        state[1] += state[0]
        return state[1]

    return step


def program_closure_state(a: float, b: float) -> float:
    f = make_filter(0.5 * a)
    g = make_filter(0.3)
    s = 0.0
    for i in range(4):
        s += f(b + i) * g(f(a))
    return s


def clampf(v: InOut[Joint], lo: float = -1.0, hi: float = 1.0):
    if v.q < lo:
        v.q = lo
        return
    if v.q > hi:
        v.q = hi + 0.1 * (v.q - hi)
        v.dq = 0.0
        return
    v.dq *= 2.0


def program_inout_early_return(a: float, b: float) -> float:
    js = [Joint(a, b), Joint(-b, a), Joint(0.3 * a, b)]
    for i in range(3):
        clampf(js[i], hi=0.5 + 0.1 * i)
    clampf(js[1], -0.2)
    return sum(j.q * j.dq + j.q for j in js)


class Option(NamedTuple):
    strike: float
    expiry: float
    call: bool = True


def program_binomial(a: float, b: float) -> float:
    o = Option(strike=b, expiry=1.0, call=False)
    n = 8
    dt = o.expiry / n
    u = np.exp(0.2 * np.sqrt(dt))
    p = (np.exp(0.03 * dt) - 1 / u) / (u - 1 / u)
    vals = [0.0] * 9
    for i in range(n + 1):
        s = a * u ** (2 * i - n)
        vals[i] = max(s - o.strike, 0.0) if o.call else max(o.strike - s, 0.0)
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            cont = np.exp(-0.03 * dt) * (p * vals[i + 1] + (1 - p) * vals[i])
            ex = o.strike - a * u ** (2 * i - step)
            vals[i] = cont if cont > ex else ex
    return vals[0]


def program_bubble_sort_structs(a: float, b: float) -> float:
    ps = [Joint(a * 3 % 2.0, 1.0), Joint(b, 2.0), Joint(0.5 * a * b, 3.0), Joint(1.0 + a, 4.0)]
    for i in range(4):
        for j in range(3 - i):
            if ps[j].q > ps[j + 1].q:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
    return ps[0].q * 1 + ps[1].q * 2 + ps[2].q * ps[2].dq + ps[3].dq


class Lobe(Protocol):
    def eval(self, c: float) -> float: ...


@struct
class A1:
    k: float

    def eval(self, c: float) -> float:
        return self.k * c


@struct
class A2:
    k: float
    e: float = 2.0

    def eval(self, c: float) -> float:
        if c < 0.2:
            return 0.0
        return self.k * c**self.e


def program_choice_in_loop(a: float, b: float) -> float:
    l1, l2 = A1(a), A2(b)
    s = 0.0
    for i in range(5):
        lobe = l1 if (i * 7) % 3 == 1 else l2
        v = lobe.eval(0.2 * i * a)
        if v > 1.0:
            lobe.k *= 0.9
        s += v
    return s + l1.k * l2.k


def program_unroll_break(a: float, b: float) -> float:
    xs = [0.0, 0.0, 0.0, 0.0]
    for i in force_unroll(range(4)):
        if a * i > b:
            break
        for j in range(4):
            if j < i:
                continue
            xs[j] += a * j + b
            if xs[j] > 8:
                xs[(j + 1) % 4] -= 1.0
                break
    return xs[0] + 2 * xs[1] * xs[3] + xs[2]


class T(Enum):
    PUSH = 0
    ADD = 1
    MUL = 2
    END = 3


def program_vm(a: float, b: float) -> float:
    prog = [T.PUSH, T.PUSH, T.ADD, T.PUSH, T.MUL, T.END, T.ADD]
    args = [a, b, 0.0, a * b, 0.0, 0.0, 0.0]
    st = [0.0] * 5
    sp = 0
    pc = 0
    max_iters(20)
    while True:
        match prog[pc]:
            case T.PUSH:
                st[sp] = args[pc]
                sp += 1
            case T.ADD | T.MUL as op:
                sp -= 1
                x, y = st[sp - 1], st[sp]
                st[sp - 1] = x + y if op == T.ADD else x * y
            case T.END:
                return st[0]
        pc += 1
    return -1.0


@struct
class Node:
    v: float
    w: float

    def better(self, o) -> bool:
        return self.v * self.w > o.v * o.w


def program_tournament(a: float, b: float) -> float:
    ns = [Node(a, b), Node(b, 0.5), Node(a * 0.5, a), Node(1.0, 1.5 * b)]
    best, second = ns[0], ns[1]
    if second.better(best):
        best, second = second, best
    for n in ns[2:]:
        if n.better(best):
            best, second = n, best
        elif n.better(second):
            second = n
    best.v *= 2.0
    second.w += best.v
    return sum(n.v * n.w for n in ns)


def program_bisect(a: float, b: float) -> float:
    lo, hi = 0.0, 4.0
    n = 0
    while n < 20 and hi - lo > 1e-4:
        mid = 0.5 * (lo + hi)
        if mid * mid * mid + a * mid > b * 3:
            hi = mid
        else:
            lo = mid
        n += 1
    x = 0.5 * (lo + hi)
    for _ in range(3):
        x = x - (x**3 + a * x - 3 * b) / (3 * x * x + a)
    return x
