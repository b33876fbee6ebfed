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
from egad.terms.term import Term, const_value, var

DIGITS = 60
POINTS = 600
#: Less than this is no difference: a derivative is computed in floats, to 2e-16 at best.
SAME = 1e-15
SPECIAL = (0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 7.5, 1e-3, -1e-3, 0.1, -0.9, 30, -30, 1e4, 1e-9)


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
    "min_max": lambda x, a, b: min(max(x, a), b) if a <= b else mpmath.nan,
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


def _asks_for_infinity(test):
    """Whether a number is compared with infinity, which none of so many digits is."""
    numbers = [const_value(a) for a in test.args if a.op == "const"]
    return test.op == "eq" and any(map(math.isinf, numbers))


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
            try:
                holds = exact(test, env, rules)
            except Undefined:
                if test.op not in ("lt", "le") and not _asks_for_infinity(test):
                    raise
                holds = False  # a logarithm that is no number is not less than anything
            if not isinstance(holds, list):
                return exact(then if holds else other, env, rules)
            return [_component(then if on else other, i, env, rules) for i, on in enumerate(holds)]
    return applied(term.op, [exact(a, env, rules) for a in term.args], rules)


def _component(term, index, env, rules):
    value = exact(term, env, rules)
    return value[index] if isinstance(value, list) else value


def applied(op, args, rules):
    """An operator at numbers, or component by component where it is not of whole vectors."""
    if op == "sum":
        return mpmath.fsum(args[0])
    operator = None if op in MEANING else rules.operator(op)
    size = next((len(a) for a in args if isinstance(a, list)), 0)
    if size and (operator is None or not operator.is_composite):
        rows = [[a[i] if isinstance(a, list) else a for a in args] for i in range(size)]
        return [applied(op, row, rules) for row in rows]
    if operator is not None:
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
    inside = []
    for row in points(operator.params, operator.name, near=near):
        try:
            a, b = _both(operator, wanted, found, row, rules, DIGITS)
        except Undefined:
            continue
        inside.append(row)
        if a is None or (b is not None and not any(map(apart, a, b))):
            continue
        finer = _both(operator, wanted, found, row, rules, 2 * DIGITS)
        if b is None or not _is_noise(a, b, *finer):
            return False
    others = _others(operator)
    return operator.is_composite or _same_floats(operator, wanted, found, inside, others, rules)


def _others(operator):
    """The cotangent and the tangents."""
    return {f"{operator.result.name}_bar": 0.7, **{f"d{p.name}": 1.3 for p in operator.params}}


def _both(operator, wanted, found, row, rules, digits):
    """Both expressions at a point, in so many digits; Undefined outside of the domain."""
    env = {p.name: v for p, v in zip(operator.params, row, strict=True)}
    with mp.workdps(digits):
        if operator.domain is not None and not exact(operator.domain, env, rules):
            raise Undefined
        env[operator.result.name] = applied(operator.name, row, rules)
        env |= {name: mpf(value) for name, value in _others(operator).items()}
        return maybe(wanted, env, rules), maybe(found, env, rules)


def _is_noise(a, b, finer_a, finer_b):
    """Whether differences vanish with more digits: both are 0, and what they have is rounding."""
    if finer_a is None or finer_b is None:
        return False
    with mp.workdps(2 * DIGITS):
        rows = zip(a, b, finer_a, finer_b, strict=True)
        return all(abs(z - w) <= mpf(10) ** (-DIGITS // 2) * abs(x - y) for x, y, z, w in rows)


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


def apart(x, y, tolerance=SAME):
    """Whether two numbers differ."""
    if isinstance(x, bool) or isinstance(y, bool):
        return bool(x) != bool(y)
    return abs(x - y) > tolerance * max(abs(x), abs(y)) and abs(x - y) > 1e-300
