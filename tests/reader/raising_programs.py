"""Programs that `assert` and `raise`: what Python gives where it does not stop.

Every public function takes two real numbers; Python runs them too.
"""

from dataclasses import dataclass

import numpy as np


def under_a_condition(a, b):
    if a < -9:
        raise ValueError("negative")
    assert b < 100, f"{b} is too large"
    return np.sqrt(a) * b


def the_last_arm(a, b):
    if a > 5:
        s = a
    elif a > 0:
        s = b * a
    else:
        raise ValueError
    return s


def after_returns(a, b):
    for x in [1.0, 2.0, 3.0]:
        if a < x:
            return x * b
    raise KeyError("none")


def in_a_loop(a, b):
    s = 0.0
    for i in range(8):
        s += a * i
        if s > 1000:
            raise OverflowError(f"{s} is too large")
        if s > 5 * b:
            break
    else:
        raise RuntimeError("did not converge")
    return s


def _log(x):
    if x <= 0:
        raise ValueError("the logarithm of what is not positive")
    return np.log(x)


def in_a_function(a, b):
    return _log(a) + (_log(b) if b > 0.5 else b)


def of_a_match(a, b):
    match int(a):
        case 0:
            return b
        case 1:
            return a * b
        case 2:
            assert False, "two are too many"  # noqa: B011
        case k:
            raise ValueError(f"{k} is unknown")


@dataclass
class _Checked:
    x: float

    def __post_init__(self):
        if self.x < -3:
            raise ValueError("x")
        assert self.x < 99


def what_the_arm_has_changed(a, b):
    p = _Checked(a)
    if b > 5:
        p.x = b
        raise ValueError
    p.x *= b
    return p.x


def both_arms_inside(a, b):
    if a < -5:
        if b > 3:
            raise ValueError
        else:
            raise KeyError
    if b > 5:
        t = a
        if a > 3:
            raise ValueError
    else:
        t = b
    return t * a


def of_arrays(a, b):
    v = np.array([a, b])
    assert v.shape == (2,) and np.all(np.isfinite(v))
    if not np.all(v > -8):
        raise ValueError("out of range")
    if (n := np.linalg.norm(v)) < 1e-9:
        raise ZeroDivisionError
    return v[0] / n


def with_a_finally(a, b):
    try:
        if a < -5:
            raise ValueError
        return a * b
    finally:
        a = b


def _root(a, b):
    d = a * a - b * 0.1
    return None if d < 0 else np.sqrt(d)


def what_is_there_afterwards(a, b):
    t = _root(a, b)
    if t is None:
        raise ValueError("nothing is hit")
    best = None
    for i in range(5):
        u = _root(a + i * 0.1, b)
        if u is not None and (best is None or u < best):
            best = u
    assert best is not None
    return t * b + best


def what_may_not_be_there_afterwards(a, b):
    t, r = _root(a, b + 30), 0.0
    if b > 1:
        r = 1.0
    elif a > 1.8:
        r = 2.0
    elif t is None:
        raise ValueError
    return r + a if t is None else t + r


def what_a_function_has_asked(a, b):
    def needed(x):
        if x is None:
            raise ValueError("it is missing")
        return x

    return needed(_root(a, b)) + (0.5 if _root(a, b + 30) is None else b)
