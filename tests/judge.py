"""The judges of random programs: NumPy with flags and noise, and mpmath with differences.

Takes programs and points. `Trial` says where a value is tame: inside all domains, away from
every kink and jump. `noise` says how much rounding may move a result. `Exact` gives values,
gradients and second derivatives to far more digits than floats have, from the meaning of the
operators alone: no derivative rule takes part.
"""

from itertools import product

import mpmath
import numpy as np

from egad.codegen.host.reference import expand, operator_of
from egad.rewrite.derivation.calls import resolve
from egad.rewrite.derivation.derive import requested
from egad.rules.checker import judge
from egad.rules.meaning import compile_meaning
from egad.terms.applied import Applied
from egad.terms.apply import instantiate
from egad.terms.program import Program
from egad.terms.term import const_value, toposort
from egad.terms.types import Mat, Scalar, Vec, leaf_types
from egad.terms.value import Value

DTYPES = {Scalar.BOOL: np.bool_, Scalar.I32: np.int32, Scalar.F32: np.float32}
MARGIN = 1e-3  # how far a point keeps from kinks, jumps and the ends of domains
LARGEST = 1e4
NOISE = 1e-10
# Results that rounding does not touch, or that decide.
_QUIET = frozenset(
    [
        "select",
        "cast",
        "neg",
        "abs",
        "sign",
        "min",
        "max",
        "clamp",
        "min_max",
        "floor",
        "ceil",
        "round",
        "trunc",
        "copysign",
        "detach",
        "proj",
    ]
)
_DIGITS = 70
_STEP = 20  # differences of step 1e-20


def numpy_value(term, args, rules):
    """One primitive in floats, by its NumPy meaning."""
    dtype = DTYPES.get(term.type, np.float64)
    match term.op:
        case "const":
            return np.asarray(const_value(term), dtype)
        case "cast":
            return args[0] != 0 if dtype is np.bool_ else args[0].astype(dtype)
        case "detach":
            return args[0]
        case "select":
            return np.where(*args)
    operator = operator_of(term, rules)
    names = tuple(p.name for p in operator.params)
    value = compile_meaning(operator.numpy, names, operator.at)(args)
    return np.asarray(value).astype(dtype)


def primitives(terms, rules, derived):
    """The terms over primitives alone: calls and functions are put in."""
    whole = Program("t", (), (), (tuple(terms),))
    if any(t.op == "call" for t in whole.terms()):
        whole = resolve(whole, rules, requested, derived=False)
    return expand(whole.flat, rules, derived)


class Trial:
    """The values of terms at all points together, and where each of them is tame."""

    def __init__(self, rules, inputs):
        self.rules = rules
        self.memo = {}  # term -> (values, tame, depends on an input)
        self.inputs = inputs
        self.count = len(next(iter(inputs.values())))

    def at(self, term):
        """(values, tame) of a term that may use functions."""
        (plain,) = primitives([term], self.rules, False)
        with np.errstate(all="ignore"):
            for node in toposort([plain]):
                if node not in self.memo:
                    self.memo[node] = self._step(node)
        values, tame, _ = self.memo[plain]
        return np.broadcast_to(values, self.count), np.broadcast_to(tame, self.count)

    def inside(self, operator, values):
        """Where the arguments are in the operator's domain, with a margin."""
        if operator.domain is None:
            return np.ones(self.count, bool)
        env = {p.name: v for p, v in zip(operator.params, values, strict=True)}
        condition = instantiate(self.rules, operator.domain, env, Scalar.F64).term
        holds, tame = self.at(condition)
        return holds & tame

    def _step(self, term):
        if term.op == "var":
            return self.inputs[term.attr], True, True
        args = [self.memo[a] for a in term.args]
        values, tames = [a[0] for a in args], [a[1] for a in args]
        varies = any(a[2] for a in args)
        value = numpy_value(term, values, self.rules)
        if not varies:
            return value, self._constant(term, value, tames), False
        if term.op == "select":
            return value, tames[0] & np.where(values[0], tames[1], tames[2]), True
        if term.op in ("logical_and", "logical_or"):
            # One operand alone may decide.
            winner = term.op == "logical_or"
            decides = [t & (v == winner) for v, t in zip(values, tames, strict=True)]
            return value, tames[0] & tames[1] | decides[0] | decides[1], True
        tame = np.logical_and.reduce(np.broadcast_arrays(*tames))
        if any(a.type.is_real for a in term.args):
            tame = tame & _smooth(term.op, values, value)
        if term.op not in ("cast", "detach"):
            operator = operator_of(term, self.rules)
            if operator.domain is not None:
                tame = tame & self._domain(operator, term.args)
        if term.type.is_real:
            tame = tame & np.isfinite(value) & (np.abs(value) < LARGEST)
        return value, tame, True

    def _constant(self, term, value, tames):
        """Constants may sit on a kink, but not outside a domain."""
        good = all(bool(np.all(t)) for t in tames)
        if term.args and term.op not in ("cast", "detach", "select"):
            operator = operator_of(term, self.rules)
            if operator.domain is not None:
                good = good and bool(self._domain(operator, term.args, margin=False))
        return good and bool(np.all(np.isfinite(value)))

    def _domain(self, operator, args, margin=True):
        env = {p.name: Value(a.type, (a,)) for p, a in zip(operator.params, args, strict=True)}
        condition = instantiate(self.rules, operator.domain, env, Scalar.F64).term
        (plain,) = expand([condition], self.rules, False)
        for node in toposort([plain]):
            if node not in self.memo:
                self.memo[node] = self._step(node)
        holds, tame, _ = self.memo[plain]
        return holds & tame if margin else holds


def _apart(a, b):
    return np.abs(a - b) > MARGIN * (1 + np.abs(a) + np.abs(b))


def _between(q):
    """Away from the integers."""
    return np.abs(q - np.rint(q)) > MARGIN


def _smooth(op, args, value):
    """Where a primitive has derivatives of all orders near its arguments."""
    match op:
        case "lt" | "le" | "gt" | "ge" | "eq" | "ne" | "min" | "max":
            return _apart(*args)
        case "clamp" | "min_max":
            return _apart(args[0], args[1]) & _apart(args[0], args[2])
        case "abs" | "sign" | "cbrt" | "sqrt":
            return _apart(args[0], 0)
        case "copysign":
            return _apart(args[0], 0) & _apart(args[1], 0)
        case "floor" | "ceil" | "trunc":
            return _between(args[0])
        case "round":
            return _between(args[0] + 0.5)
        case "fmod":
            return _apart(args[1], 0) & _between(args[0] / args[1])
        case "hypot":
            return _apart(value, 0)
        case "atan2":  # the cut
            return _apart(args[0], 0) | (args[1] > MARGIN)
        case "cast":
            return _between(args[0]) if value.dtype == np.int32 else np.bool_(True)
        case "isnan" | "isinf" | "isfinite":
            return np.isfinite(args[0])
    return np.bool_(True)


def noise(program, rules, inputs, samples=8, seed=0):
    """For every flat result and point, how far a relative error of NOISE per step moves it.

    Rounding is such an error of 1e-16: what it may do to the result follows, cancellation
    and ill-conditioned steps included. Whole numbers made of constants, such as exponents, have no
    error.
    """
    rng = np.random.default_rng(seed)
    roots = primitives(program.flat, rules, True)
    size = len(next(iter(inputs.values())))
    values, whole = {}, set()
    with np.errstate(all="ignore"):
        for term in toposort(roots):
            if term.op == "var":
                values[term] = np.asarray(inputs[term.attr])[None, :]
                continue
            value = numpy_value(term, [values[a] for a in term.args], rules)
            if whole.issuperset(term.args) and np.all(value == np.rint(value)):
                whole.add(term)
            elif term.args and term.type.is_real and term.op not in _QUIET:
                error = rng.uniform(-1, 1, (samples, size))
                error[0] = 0
                value = value * (1 + NOISE * error)
            values[term] = value
        found = [np.broadcast_to(values[r], (samples, size)).astype(float) for r in roots]
        return [np.max(np.abs(f - f[0]), axis=0) for f in found]


class Exact:
    """A program at one point in mpmath: values, and derivatives by central differences.

    `weights`: one per flat result; derivatives are those of the weighted sum. Detached terms
    keep the value that they have at the point.
    """

    def __init__(self, program, rules, inputs, wrt):
        self.program, self.rules, self.wrt = program, rules, wrt
        self.arithmetic = judge.Precise()
        self.order = toposort(program.flat)
        with mpmath.workdps(_DIGITS):
            self.inputs = {k: _number(v) for k, v in inputs.items()}
            self.memo = {}
            for term in self.order:
                self.memo[term] = self._step(term, [self.memo[a] for a in term.args], self.inputs)
            self.centre = [self.memo[t] for t in program.flat]

    def _run(self, inputs, changed):
        """The results where other inputs are as they are at the point: so are their terms."""
        memo, moved = dict(self.memo), set()
        for term in self.order:
            if term.op == "detach":
                continue
            if term.attr in changed if term.op == "var" else not moved.isdisjoint(term.args):
                memo[term] = self._step(term, [memo[a] for a in term.args], inputs)
                moved.add(term)
        return [memo[t] for t in self.program.flat]

    def _step(self, term, args, inputs):
        match term.op:
            case "var":
                return inputs[term.attr]
            case "const":
                return self.arithmetic.constant(term)
            case "cast":
                return _cast(term.type, args[0])
            case "detach":
                return args[0]
            case "call":
                body = term.attr.body
                assert isinstance(body, Program)
                paths = [p for slot in body.params for p in slot.paths()]
                inner = dict(zip(paths, args, strict=True))
                memo = {}
                for node in toposort(body.flat):
                    memo[node] = self._step(node, [memo[a] for a in node.args], inner)
                return [memo[t] for t in body.flat]
            case "proj":
                return args[0][term.attr]
        try:
            shaped = _shaped(term, args)
            value = judge.apply(self.rules, term.op, shaped, self.arithmetic)
        except judge.Unknown:
            return mpmath.nan
        if term.op == "quotient" and term.type is Scalar.I32:
            return mpmath.mpf(int(value))
        return value

    def _moved(self, *steps):
        moved = dict(self.inputs)
        for direction, size in steps:
            for name, d in direction.items():
                moved[name] = moved[name] + size * _number(d)
        return self._run(moved, {name for direction, _ in steps for name in direction})

    def tangent(self, direction):
        """J v: the derivative of every result along a direction."""
        with mpmath.workdps(_DIGITS):
            h = mpmath.mpf(10) ** -_STEP
            up, down = self._moved((direction, h)), self._moved((direction, -h))
            return [(a - b) / (2 * h) for a, b in zip(up, down, strict=True)]

    def gradient(self, weights):
        """J^T w, by the names in `wrt`."""
        with mpmath.workdps(_DIGITS):
            return [_weighted(self.tangent({name: 1}), weights) for name in self.wrt]

    def second(self, weights, direction):
        """(d/dx)^2 (w f) v, by the names in `wrt`."""
        with mpmath.workdps(_DIGITS):
            h = mpmath.mpf(10) ** -_STEP
            found = []
            for name in self.wrt:
                total = mpmath.mpf(0)
                for a, b in product((1, -1), repeat=2):
                    corner = self._moved(({name: 1}, a * h), (direction, b * h))
                    total += a * b * _weighted(corner, weights)
                found.append(total / (4 * h * h))
            return found


def _weighted(values, weights):
    return mpmath.fsum(_number(w) * v for w, v in zip(weights, values, strict=True))


def _number(value):
    return (
        bool(value)
        if isinstance(value, bool | np.bool_)
        else mpmath.mpf(value.item() if hasattr(value, "item") else value)
    )


def _cast(type_, value):
    if type_ is Scalar.BOOL:
        return bool(value != 0)
    if type_ is Scalar.I32:
        return mpmath.mpf(int(value)) if mpmath.isfinite(value) else mpmath.nan
    return mpmath.mpf(value)


def _shaped(term, args):
    """Flat arguments as vectors (lists) and matrices (lists of lists)."""
    if not isinstance(term.attr, Applied):
        return args
    rest, shaped = iter(args), []
    for type_ in term.attr.types:
        flat = [next(rest) for _ in leaf_types(type_)]
        if isinstance(type_, Vec):
            shaped.append(flat)
        elif isinstance(type_, Mat):
            shaped.append([flat[i : i + type_.cols] for i in range(0, len(flat), type_.cols)])
        else:
            shaped.append(flat[0])
    return shaped
