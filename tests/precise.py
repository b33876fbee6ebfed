"""The judge of derivatives: terms evaluated with 60 digits, and differences of them.

Knows nothing of rule files: what each operator means is written down here once more.
"""

import mpmath
from mpmath import mp, mpf

from egad.codegen.host.reference import evaluate
from egad.terms.term import CAST, CONST, DETACH, SELECT, VAR, const_value

DIGITS = 60
STEP = mpf(10) ** -12  # central differences of order 4: an error of about 1e-48


def _trunc(x):
    return mpmath.sign(x) * mpmath.floor(abs(x))


MEANING = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "quotient": lambda a, b: a / b,
    "round": mpmath.nint,
    "neg": lambda a: -a,
    "rcp": lambda a: 1 / a,
    "fma": lambda a, b, c: a * b + c,
    "mad": lambda a, b, c: a * b + c,
    "abs": abs,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: a if a >= b else b,
    "clamp": lambda x, a, b: max(a, min(x, b)),
    "min_max": lambda x, a, b: max(a, min(x, b)),
    "saturate": lambda x: max(mpf(0), min(x, mpf(1))),
    "floor": mpmath.floor,
    "frac": lambda x: x - mpmath.floor(x),
    "fmod": lambda a, b: a - b * _trunc(a / b),
    "floor_div": lambda a, b: mpmath.floor(a / b),
    "floor_mod": lambda a, b: a - b * mpmath.floor(a / b),
    "trunc": _trunc,
    "copysign": lambda a, b: abs(a) if b >= 0 else -abs(a),
    "lerp": lambda a, b, t: a + (b - a) * t,
    "sqrt": mpmath.sqrt,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "exp": mpmath.exp,
    "exp2": lambda x: mpf(2) ** x,
    "log": mpmath.log,
    "log1p": lambda x: mpmath.log(1 + x),
    "expm1": lambda x: mpmath.exp(x) - 1,
    "pow": lambda a, b: a**b,
    "hypot": mpmath.hypot,
    "erf": mpmath.erf,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "atan2": mpmath.atan2,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "length": lambda *v: mpmath.sqrt(sum(x * x for x in v)),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
    "logical_not": lambda a: not a,
    CAST: lambda a: a,
    DETACH: lambda a: a,
}


def values(roots, at):
    """The roots at a point {flat name: number}; arms that are not taken are never computed."""
    done = {}
    stack = list(roots)
    while stack:
        term = stack[-1]
        if term in done:
            stack.pop()
        elif term.op == VAR:
            done[term] = at[term.attr]
        elif term.op == CONST:
            value = const_value(term)
            done[term] = mpf(value) if term.type.is_real else value
        elif term.op == SELECT:
            condition, then, other = term.args
            if condition not in done:
                stack.append(condition)
                continue
            arm = then if done[condition] else other
            if arm in done:
                done[term] = done[arm]
            else:
                stack.append(arm)
        else:
            missing = [a for a in term.args if a not in done]
            stack.extend(missing)
            if not missing:
                done[term] = MEANING[term.op](*(done[a] for a in term.args))
    return [done[root] for root in roots]


def precise(point):
    """A point with 60 digits."""
    return {k: mpf(v) if isinstance(v, float) else v for k, v in point.items()}


def slope(function, at, name):
    """d function / d name by central differences of order 4; a list."""

    def shifted(k):
        return function({**at, name: at[name] + k * STEP})

    near = zip(shifted(1), shifted(-1), shifted(2), shifted(-2), strict=True)
    return [(8 * (a - b) - (c - d)) / (12 * STEP) for a, b, c, d in near]


def jacobian(roots, point, names):
    """J[i][j] = d roots[i] / d names[j]."""
    with mp.workdps(DIGITS):
        at = precise(point)
        columns = [slope(lambda p: values(roots, p), at, n) for n in names]
        return [[float(c[i]) for c in columns] for i in range(len(roots))]


def hessian(root, point, names):
    """H[i][j], by differences of differences."""
    with mp.workdps(DIGITS):
        at = precise(point)

        def gradient(p):
            return [slope(lambda q: values([root], q), p, n)[0] for n in names]

        columns = [slope(gradient, at, n) for n in names]
        return [[float(c[i]) for c in columns] for i in range(len(names))]


def numbers(program, rules, point):
    """The flat results of a program in NumPy, as floats."""
    return [float(v) for v in evaluate(program, rules, point)]
