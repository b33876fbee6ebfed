"""A second judge of rules: what operators mean is written down once more, samples are dense.

Takes rule terms, says whether two derivatives are one function, and whether a rewrite is sound.
Shares with `egad check` neither the evaluator nor the samples, and takes far more of them.
"""

import itertools
import math
import random

import mpmath
import numpy as np
from mpmath import mp, mpf

from egad.rules.meaning import compile_meaning
from egad.terms.rule import Tag
from egad.terms.term import Term, const_value, var

DIGITS = 60
POINTS = 600
#: Less than this is no difference: a derivative is computed in floats, to 2e-16 at best.
SAME = 1e-15
SPECIAL = (0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 7.5, 1e-3, -1e-3, 0.1, -0.9, 30, -30, 1e4, 1e-9)
ODD = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 0.1, 1e30, -1e-30, math.inf, -math.inf, math.nan)


class Undefined(Exception):
    """There is no value here."""


def _trunc(x):
    return mpmath.sign(x) * mpmath.floor(abs(x))


def _quotient(a, b):
    if b == 0:
        raise Undefined
    return a / b


def _power(x, y):
    if x == 0:
        if y < 0:
            raise Undefined
        return mpf(y == 0)
    return mpmath.power(x, y)


def _shift(moved):
    def shift(a, b):
        if not 0 <= b <= 31:
            raise Undefined
        return wrapped(moved(int(a), int(b)))

    return shift


def wrapped(number):
    """A whole number in 32 bits."""
    return mpf((int(number) + 2**31) % 2**32 - 2**31)


MEANING = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _quotient,
    "quotient": _quotient,
    "neg": lambda a: -a,
    "rcp": lambda a: _quotient(1, a),
    "fma": lambda a, b, c: a * b + c,
    "abs": abs,
    "sign": mpmath.sign,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    "clamp": lambda x, a, b: a if x < a else b if x > b else x,
    "floor": mpmath.floor,
    "ceil": mpmath.ceil,
    "round": mpmath.nint,
    "trunc": _trunc,
    "fmod": lambda a, b: a - b * _trunc(_quotient(a, b)),
    "copysign": lambda a, b: abs(a) if b >= 0 else -abs(a),
    "sqrt": mpmath.sqrt,
    "rsqrt": lambda x: _quotient(1, mpmath.sqrt(x)),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.root(abs(x), 3),
    "exp": mpmath.exp,
    "exp2": lambda x: mpf(2) ** x,
    "exp10": lambda x: mpf(10) ** x,
    "expm1": lambda x: mpmath.exp(x) - 1,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": lambda x: mpmath.log(x) / mpmath.log(10),
    "log1p": lambda x: mpmath.log(1 + x),
    "pow": _power,
    "hypot": lambda a, b: mpmath.sqrt(a * a + b * b),
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))),
    "tgamma": mpmath.gamma,
    "digamma": mpmath.digamma,
    "trigamma": lambda x: mpmath.psi(1, x),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": lambda x: mpmath.sin(x) / mpmath.cos(x),
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "atan2": mpmath.atan2,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": lambda x: mpmath.sinh(x) / mpmath.cosh(x),
    "asinh": mpmath.asinh,
    "acosh": mpmath.acosh,
    "atanh": mpmath.atanh,
    "select": lambda c, a, b: a if c else b,
    "isnan": lambda x: False,
    "isinf": lambda x: False,
    "isfinite": lambda x: True,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
    "logical_not": lambda a: not a,
    "bit_and": lambda a, b: mpf(int(a) & int(b)),
    "bit_or": lambda a, b: mpf(int(a) | int(b)),
    "bit_xor": lambda a, b: mpf(int(a) ^ int(b)),
    "bit_not": lambda a: mpf(~int(a)),
    "shl": _shift(lambda a, b: a << b),
    "shr": _shift(lambda a, b: a >> b),
}


def exact(term, env, rules):
    """The value of a rule expression in mpmath; raises Undefined. Untaken arms do not count."""
    match term.op:
        case "var":
            return env[term.attr]
        case "const":
            value = const_value(term)
            if not isinstance(value, bool) and not math.isfinite(value):
                raise Undefined
            return value if isinstance(value, bool) else mpf(value)
        case "is_const" | "exists":
            return True
        case "select":
            test, then, other = term.args
            holds = exact(test, env, rules)
            if not isinstance(holds, list):
                return exact(then if holds else other, env, rules)
            return [_component(then if on else other, i, env, rules) for i, on in enumerate(holds)]
    return applied(term.op, [exact(a, env, rules) for a in term.args], rules)


def _component(term, index, env, rules):
    value = exact(term, env, rules)
    return value[index] if isinstance(value, list) else value


def applied(op, args, rules):
    """An operator at numbers, or component by component."""
    size = next((len(a) for a in args if isinstance(a, list)), 0)
    if size:
        rows = [[a[i] if isinstance(a, list) else a for a in args] for i in range(size)]
        return [applied(op, row, rules) for row in rows]
    if op not in MEANING:
        operator = rules.operator(op)
        env = {p.name: a for p, a in zip(operator.params, args, strict=True)}
        return exact(operator.definition, env, rules)
    try:
        value = MEANING[op](*args)
    except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
        raise Undefined from None
    if isinstance(value, mpmath.mpc):
        if value.imag != 0:
            raise Undefined
        value = value.real
    if not isinstance(value, bool) and not mpmath.isfinite(value):
        raise Undefined
    return value


def maybe(term, env, rules):
    """The value as a list of numbers; None where there is none."""
    try:
        value = exact(term, env, rules)
    except Undefined:
        return None
    return value if isinstance(value, list) else [value]


def points(params, seed, count=POINTS, near=()):
    """Special numbers in all places, then random ones of all sizes, and beside `near`."""
    rng = random.Random(seed)
    pool = (*SPECIAL, *near)
    special = [[number(p, v) for v in pool] for p in params]
    if len(pool) ** len(params) <= 3000:
        yield from itertools.product(*special)
    else:
        yield from ([rng.choice(s) for s in special] for _ in range(3000))
    for _ in range(count):
        point = [draw(p, rng, near) for p in params]
        if len(params) > 1 and rng.random() < 0.2 and params[0].kind == params[-1].kind:
            point[rng.randrange(len(params))] = point[rng.randrange(len(params))]
        yield point


def number(param, value):
    """A number as a value of the parameter's kind."""
    match param.kind[:3]:
        case "boo":
            return value > 0
        case "int":
            return mpf(int(value))
        case "vec":
            return [mpf(value)] * int(param.kind[3:] or 3)
    return mpf(value)


def draw(param, rng, near=()):
    """A random value: uniform, or of any magnitude, or beside a number that decides."""
    if param.kind == "int":
        return mpf(rng.choice((rng.randrange(-20, 20), rng.randrange(-(2**31), 2**31))))
    if param.kind.startswith("vec"):
        return [draw(type(param)("x"), rng) for _ in range(int(param.kind[3:] or 3))]
    choice = rng.randrange(4)
    value = rng.uniform(-3, 3)
    if choice == 0:
        value = rng.choice((1, -1)) * 10 ** rng.uniform(-6, 3)
    elif choice == 1 and near:
        value = rng.choice(near) * (1 + rng.uniform(-1e-3, 1e-3)) * rng.choice((1, -1))
    return number(param, value)


def constants(*terms):
    """The numbers in expressions: where a series begins, or a case."""
    found, waiting = {}, list(terms)
    while waiting:
        term = waiting.pop()
        waiting += term.args
        if term.op == "const" and not isinstance(const_value(term), bool):
            value = abs(float(const_value(term)))
            if math.isfinite(value) and value < 100:
                found[value] = None
    return tuple(found)[:8]


def same_derivative(operator, wanted, found, rules):
    """Whether two expressions of a derivative agree wherever the operator has a value.

    At its edges, where the wanted one is undefined, the found one may be anything.
    """
    near = constants(*(t for t in (wanted, found) if t is not None))
    result, inside = operator.result.name, []
    others = {f"{result}_bar": 0.7, **{f"d{p.name}": 1.3 for p in operator.params}}
    with mp.workdps(DIGITS):
        for row in points(operator.params, operator.name, near=near):
            env = {p.name: v for p, v in zip(operator.params, row, strict=True)}
            try:
                if operator.domain is not None and not exact(operator.domain, env, rules):
                    continue
                env[result] = applied(operator.name, row, rules)
            except (Undefined, KeyError):
                if not operator.is_composite or (value := _length(row)) is None:
                    continue
                env[result] = value
            inside.append(row)
            env |= {name: mpf(value) for name, value in others.items()}
            a, b = maybe(wanted, env, rules), maybe(found, env, rules)
            if a is not None and (b is None or any(map(apart, a, b))):
                return False
    return operator.is_composite or _same_floats(operator, wanted, found, inside, others, rules)


def _same_floats(operator, wanted, found, rows, others, rules):
    """Whether two expressions agree in float64, up to rounding: here a value may underflow."""
    columns = {
        p.name: np.array([float(r[i]) if p.kind != "bool" else r[i] for r in rows])
        for i, p in enumerate(operator.params)
    }
    env = {**columns, **{name: np.float64(value) for name, value in others.items()}}
    arguments = tuple(var(p.name) for p in operator.params)
    with np.errstate(all="ignore"):
        call = Term(operator.name, arguments)
        env[operator.result.name] = floats(call, columns, rules, np.float64)
        a, b = (floats(t, env, rules, np.float64) for t in (wanted, found))
        near = np.abs(a - b) <= 1e-6 * np.abs(a) + 1e-12
    return bool((near | ~np.isfinite(a)).all())


def _length(row):
    """The one function of vectors that has a derivative of its own."""
    (vector,) = row
    return mpmath.sqrt(sum(x * x for x in vector))


def apart(x, y, tolerance=SAME):
    """Whether two numbers differ."""
    if isinstance(x, bool) or isinstance(y, bool):
        return bool(x) != bool(y)
    return abs(x - y) > tolerance * max(abs(x), abs(y)) and abs(x - y) > 1e-300


# ------------------------------------------------------------------------------ rewrites


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
                if b is not None and _region(rule, env, rules):
                    return f"has values where its left side has none, at and around {env}"
                continue
            if b is None and rule.tag is not Tag.FAST:
                return f"undefined at {env}"
            tried += b is not None and (rule.tag is not Tag.FAST or _nearby(rule, env, rules))
            if b is not None and _differ(a, b):
                with mp.workdps(10_000):  # cosh(1e4) - sinh(1e4) needs them
                    a, b = maybe(rule.lhs, env, rules), maybe(rule.rhs, env, rules)
                if _differ(a, b):
                    return f"{a} is not {b} at {env}"
        if not tried:
            return "never applies"
        return _less_accurate(rule, params, rules, near) if rule.tag is Tag.REAL else ""


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


def floats(term, env, rules, dtype):
    """The value of an expression over arrays of floats, by the NumPy meanings."""
    match term.op:
        case "var":
            return env[term.attr]
        case "const":
            value = const_value(term)
            return np.bool_(value) if isinstance(value, bool) else dtype(value)
        case "is_const" | "exists":
            return np.bool_(True)
    args = [floats(a, env, rules, dtype) for a in term.args]
    operator = rules.operator(term.op)
    if operator.definition is not None:
        inner = {p.name: a for p, a in zip(operator.params, args, strict=True)}
        return floats(operator.primal or operator.definition, inner, rules, dtype)
    whole = [a for a in args if getattr(a, "dtype", None) == np.int32 and np.ndim(a)]
    if whole:
        args = [np.int32(a) if np.ndim(a) == 0 and a == np.round(a) else a for a in args]
    names = tuple(p.name for p in operator.params)
    args = [np.array(a) for a in np.broadcast_arrays(*args)]
    value = compile_meaning(operator.numpy, names, operator.at)(args)
    return value if value.dtype.kind in "bi" and operator.result.kind != "real" else dtype(value)


def _other_bits(rule, params, rules):
    rng = np.random.default_rng(len(rule.name))
    for dtype in (np.float32, np.float64):
        env = {p.name: _bits(p, rng, dtype) for p in params}
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


def _bits(param, rng, dtype, size=200_000):
    """Floats of all magnitudes, and the odd ones often."""
    if param.kind == "bool":
        return rng.random(size) < 0.5
    if param.kind == "int":
        small = rng.integers(-4, 5, size, dtype=np.int32)
        large = rng.integers(-(2**31), 2**31, size, dtype=np.int64).astype(np.int32)
        return np.where(rng.random(size) < 0.5, small, large)
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
