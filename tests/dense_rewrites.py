"""The second judge of rewrites: whether one is sound, at far more samples than `egad check` takes.

Takes a rewrite, says at the first sample that shows it why it is wrong.
"""

import math
import random
from functools import lru_cache

import numpy as np
from dense import DIGITS, apart, constants, draw, floats, maybe, points
from mpmath import mp, mpf

from egad.terms.rule import Tag

ODD = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 0.1, 1e30, -1e-30, math.inf, -math.inf, math.nan)
MOST = 10_000  # digits


def unsound(rule, rules):
    """Why a rewrite is wrong, at the first sample that shows it; empty where none does."""
    used = _variables(rule.lhs, rule.rhs, *rule.conditions)
    params = [p for p in rule.params if p.name in used]
    if rule.tag is Tag.EXACT and (found := _other_bits(rule, params, rules)):
        return found
    if rule.tag is Tag.EXACT and all(p.kind in ("int", "bool") for p in params):
        return ""  # whole numbers wrap: their bits have said it all
    near = constants(rule.lhs, rule.rhs, *rule.conditions)
    tried = 0
    with mp.workdps(2 * DIGITS):
        for row in points(params, rule.name, near=near):
            env = {p.name: v for p, v in zip(params, row, strict=True)}
            if any(maybe(c, env, rules) != [True] for c in rule.conditions):
                continue
            a, b = maybe(rule.lhs, env, rules), maybe(rule.rhs, env, rules)
            if a is None:
                if b is not None and _region(rule, env, rules) and not _precisely(rule, env, rules):
                    return f"has values where its left side has none, at and around {env}"
                continue
            if b is None and rule.tag is not Tag.FAST:
                if _in_floats(rule.rhs, env, rules, a) or _is_pole(rule.lhs, env, rules, a):
                    continue
                return f"undefined at {env}"
            tried += b is not None and (rule.tag is not Tag.FAST or _nearby(rule, env, rules))
            if b is not None and _differ(a, b):
                with mp.workdps(MOST):  # cosh(1e4) - sinh(1e4) needs them
                    a, b = maybe(rule.lhs, env, rules), maybe(rule.rhs, env, rules)
                if _differ(a, b):
                    return f"{a} is not {b} at {env}"
        if not tried:
            return "never applies"
        return _less_accurate(rule, params, rules, near) if rule.tag is Tag.REAL else ""


def _precisely(rule, env, rules):
    """The left side with far more digits, which log1p(expm1(-500)) needs to have a value."""
    with mp.workdps(MOST):
        return maybe(rule.lhs, env, rules)


def _in_floats(term, env, rules, wanted):
    """Whether an expression is these numbers in floats, where 1/0 is infinite."""
    given = {n: v if isinstance(v, bool) else np.float64(float(v)) for n, v in env.items()}
    with np.errstate(all="ignore"):
        found = floats(term, given, rules, np.float64)
    right = float(wanted[0])
    noise = 10.0 ** (1 - 2 * DIGITS)  # of what is computed with so many digits: the sine of pi
    return bool(np.all(np.abs(found - right) <= max(1e-9 * abs(right), noise)))


def _is_pole(term, env, rules, found):
    """Whether a value is one of rounding, as that of tan(acos(x)) at 0: more digits, more of it."""
    with mp.workdps(4 * DIGITS):
        again = maybe(term, env, rules)
        return again is None or _differ(found, again)


def _differ(a, b):
    return any(apart(x, y, 1e-13) for x, y in zip(a, b, strict=True))


def _variables(*terms):
    found, waiting = set(), list(terms)
    while waiting:
        term = waiting.pop()
        waiting += term.args
        if term.op == "var":
            found.add(term.attr)
    return found


def _nearby(rule, env, rules):
    """Whether both sides have values also at some point nearby."""
    rng = random.Random(repr(env))
    for _ in range(6):
        there = {
            n: v if isinstance(v, bool) else v + mpf(rng.uniform(-1e-3, 1e-3)) * (1 + abs(v))
            for n, v in env.items()
        }
        if maybe(rule.lhs, there, rules) and maybe(rule.rhs, there, rules):
            return True
    return False


def _region(rule, env, rules):
    """Whether only the right side has values also at six points around."""
    if rule.primal or rule.tag is Tag.EXACT:
        return False
    rng = random.Random(repr(env))
    for _ in range(6):
        there = {
            n: v if isinstance(v, bool) else v + mpf(rng.uniform(-1e-3, 1e-3)) * (1 + abs(v))
            for n, v in env.items()
        }
        if any(maybe(c, there, rules) != [True] for c in rule.conditions):
            return False
        if maybe(rule.lhs, there, rules) or not maybe(rule.rhs, there, rules):
            return False
    return True


def _other_bits(rule, params, rules):
    kinds = tuple(p.kind for p in params)
    for k, dtype in enumerate((np.float32, np.float64)):
        env = dict(zip([p.name for p in params], _drawn(kinds, len(rule.name))[k], strict=True))
        if not env:
            return ""
        with np.errstate(all="ignore"):
            sides = [floats(t, env, rules, dtype) for t in (rule.lhs, rule.rhs)]
            holds = [floats(c, env, rules, dtype) for c in rule.conditions]
        size = len(next(iter(env.values())))
        a, b = (np.broadcast_to(s, size) for s in sides)
        on = np.logical_and.reduce([np.broadcast_to(np.bool_(h), size) for h in (True, *holds)])
        if a.dtype.kind == "f":
            same = (a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")) | (
                np.isnan(a) & np.isnan(b)
            )
        else:
            same = a == b
        if (on & ~same).any():
            i = np.flatnonzero(on & ~same)[0]
            return f"{a[i]} is not {b[i]} at { {n: v[i] for n, v in env.items()} }"
        if not on.any():
            return "never applies"
    return ""


@lru_cache(maxsize=8)
def _drawn(kinds, seed):
    """For parameters of these kinds numbers in both float types."""
    rng = np.random.default_rng(seed)
    return [[_bits(kind, rng, dtype) for kind in kinds] for dtype in (np.float32, np.float64)]


def _bits(kind, rng, dtype, size=200_000):
    """Numbers of all magnitudes, and the odd ones often."""
    if kind == "bool":
        return rng.random(size) < 0.5
    if kind == "int":
        small = rng.integers(-4, 5, size, dtype=np.int32)
        spread = rng.integers(-(2**31), 2**31, size, dtype=np.int64) >> rng.integers(0, 31, size)
        last = rng.choice(np.array([-(2**31), 1 - 2**31, 2**31 - 2, 2**31 - 1]), size)
        return np.choose(rng.integers(0, 3, size), [small, spread, last]).astype(np.int32)
    info = np.finfo(dtype)
    extreme = (info.smallest_subnormal, info.tiny, info.max, -info.max, -info.tiny, 1 + info.eps)
    odd = np.array([*ODD, *extreme]).astype(dtype)
    values = rng.choice(odd, size)
    with np.errstate(all="ignore"):
        spread = (rng.uniform(-3, 3, size) * 10.0 ** rng.integers(-40, 38, size)).astype(dtype)
    near = rng.uniform(-3, 3, size).astype(dtype)
    pick = rng.integers(0, 3, size)
    return np.where(pick == 0, values, np.where(pick == 1, spread, near))


def _less_accurate(rule, params, rules, near, count=1500):
    """Where floats on the right lose what they have on the left: a NaN, or digits."""
    rng = random.Random(f"{rule.name} floats")
    rows = [[draw(p, rng, near) for p in params] for _ in range(count)]
    for row in rows[::5]:
        for index in range(1, len(row)):
            if params[0].kind == params[index].kind == "real":
                row[index] = row[0] * (1 + mpf(10) ** rng.randrange(-9, 0)) * rng.choice((1, -1))
    if not params:
        return ""
    columns = {
        p.name: np.array([float(row[i]) for row in rows]) if p.kind != "bool"
        else np.array([row[i] for row in rows])
        for i, p in enumerate(params)
    }  # fmt: skip
    with np.errstate(all="ignore"):
        left, right = (floats(t, columns, rules, np.float64) for t in (rule.lhs, rule.rhs))
        holds = [floats(c, columns, rules, np.float64) for c in rule.conditions]
    left, right = (np.broadcast_to(v, count) for v in (left, right))
    on = np.logical_and.reduce([np.broadcast_to(np.bool_(h), count) for h in (True, *holds)])
    if left.dtype == np.bool_:
        return ""
    for i in np.flatnonzero(on & np.isfinite(left)):
        if not 1e-100 < abs(left[i]) < 1e100:
            continue
        env = {
            n: bool(v[i]) if v.dtype == np.bool_ else mpf(float(v[i])) for n, v in columns.items()
        }
        true = maybe(rule.lhs, env, rules)
        if true is None:
            continue
        if not np.isfinite(right[i]):
            return f"{right[i]} in floats at {env}"
        better, worse = abs(left[i] - true[0]), abs(right[i] - true[0])
        # Twice the slack that the check grants: near its limits the two may disagree.
        if worse > 16 * better + 512 * 2.3e-16 * abs(true[0]) + 1e-300 and _often(
            rule, env, columns, rules
        ):
            return f"loses {float(worse / abs(true[0])):.1e} at {env}"
    return ""


def _often(rule, env, columns, rules):
    """Whether digits go also around the point: a left side may be right by luck."""
    rng = random.Random(repr(env))
    around = [
        {n: v if isinstance(v, np.bool_) else float(v) * (1 + 2.3e-16 * rng.randrange(-4, 5))
         for n, v in env.items()}
        for _ in range(12)
    ]  # fmt: skip
    table = {n: np.array([p[n] for p in around]) for n in columns}
    with np.errstate(all="ignore"):
        sides = [floats(t, table, rules, np.float64) for t in (rule.lhs, rule.rhs)]
    errors = [mpf(0), mpf(0)]
    for i, point in enumerate(around):
        at = {n: v if isinstance(v, np.bool_) else mpf(v) for n, v in point.items()}
        true = maybe(rule.lhs, at, rules)
        for k, side in enumerate(sides):
            value = np.broadcast_to(side, len(around))[i]
            if true is not None and np.isfinite(value):
                errors[k] = max(errors[k], abs(value - true[0]) / (abs(true[0]) + mpf(1e-300)))
    return errors[1] > 16 * errors[0] + 512 * 2.3e-16
