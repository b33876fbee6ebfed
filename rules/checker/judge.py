"""The value of a rule expression: in mpmath, to any number of digits, or in NumPy floats.

Takes rule terms and the values of their variables, gives values: numbers (or arrays of floats),
lists for vectors and matrices, tuples. Written apart from what `terms.apply` and the emitters
do, so that it can judge them. Knows nothing of samples, derivatives or files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, Protocol

import numpy as np

from ...terms.rule import Operator, RuleSet
from ...terms.term import CONST, SELECT, VAR, Term, const_value
from ...terms.types import Scalar
from ...terms.walk import postorder
from ..meaning import compile_meaning
from .faults import MeaningError, Misfit, Unknown
from .meanings import Meaningless, meaning_of
from .natives import NATIVE

Env = Mapping[str, Any]
_ASKED = ("is_const", "exists")  # of what is in a program, not of numbers
_STRUCTURE = frozenset(
    (VAR, CONST, *_ASKED, "each", "list", "tuple", "component", "rows", "columns", "sum")
)


class Arithmetic(Protocol):
    """How constants and primitives are computed."""

    def constant(self, term: Term) -> Any:
        """The value of a constant."""

    def call(self, operator: Operator, args: Sequence[Any]) -> Any:
        """The value of a primitive at scalars."""

    def function(self, operator: Operator, env: Env, rules: RuleSet) -> Any:
        """The value of a function as a whole; None: its definition says it."""


def evaluate(term: Term, env: Env, rules: RuleSet, arithmetic: Arithmetic) -> Any:
    """The value of a rule expression; functions are evaluated by their definitions.

    Of a choice by one truth value only the arm that is taken is computed; by an array, both.
    """
    values: list[Any] = []
    for e, places, arms in _steps(term):
        if arms and any(values[condition] is idle for condition, idle in arms):
            value = None
        elif e.op not in _STRUCTURE:
            value = apply(rules, e.op, [values[i] for i in places], arithmetic)
        elif e.op == VAR:
            value = env[e.attr]
        elif e.op == CONST:
            value = arithmetic.constant(e)
        elif e.op in _ASKED:
            value = True
        elif e.op == "each":
            body = e.args[1]
            items = values[places[0]]
            value = [evaluate(body, {**env, e.attr: i}, rules, arithmetic) for i in items]
        else:
            value = _structure(e, [values[i] for i in places], rules, arithmetic)
        values.append(value)
    return values[-1]


_Arm = tuple[int, bool]  # the place of a condition, and with which value the arm is not taken


@lru_cache(maxsize=4096)
def _steps(term: Term) -> list[tuple[Term, list[int], tuple[_Arm, ...]]]:
    """The parts of an expression, each after its arguments, with the places of those.

    And with the arms of choices that a part is in, the outermost first, if nothing else uses it.
    """
    order = postorder([term], _arguments)
    place = {e: i for i, e in enumerate(order)}
    within: dict[Term, tuple[_Arm, ...]] = {term: ()}
    for e in reversed(order):
        arms = within[e]
        if e.op != SELECT:
            uses = [(a, arms) for a in _arguments(e)]
        else:
            (c, a, b), at = e.args, place[e.args[0]]
            uses = [(c, arms), (a, (*arms, (at, False))), (b, (*arms, (at, True)))]
        for part, here in uses:
            within[part] = _shared(within[part], here) if part in within else here
    return [(e, [place[a] for a in _arguments(e)], within[e]) for e in order]


def _shared(one: tuple[_Arm, ...], other: tuple[_Arm, ...]) -> tuple[_Arm, ...]:
    """The arms that two uses are both in."""
    both = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return tuple([arm for arm, _ in both])


def _arguments(e: Term) -> Sequence[Term]:
    """What is computed before a term: of what is asked about nothing, a body once for each item."""
    return () if e.op in _ASKED else e.args[:1] if e.op == "each" else e.args


def _structure(e: Term, args: list[Any], rules: RuleSet, arithmetic: Arithmetic) -> Any:
    match e.op:
        case "list":
            return args
        case "tuple":
            return tuple(args)
        case "component":
            if e.attr >= len(args[0]):
                raise Misfit(f"component {e.attr} of {size_text(args[0])} is read")
            return args[0][e.attr]
        case "rows":
            return args[0]
        case "columns":
            return [list(column) for column in zip(*args[0], strict=True)]
        case "sum":
            total = args[0][0]
            for item in args[0][1:]:
                total = apply(rules, "add", [total, item], arithmetic)
            return total
    raise AssertionError(e.op)


def apply(rules: RuleSet, name: str, args: Sequence[Any], arithmetic: Arithmetic) -> Any:
    """The value of an operator at numbers, vectors (lists) and matrices (lists of lists)."""
    for arg in args:
        if isinstance(arg, list):
            return _at_lists(rules, name, args, arithmetic)
    scalar = rules.at_numbers.get(name)
    if scalar is None:
        raise Misfit(f"no {name} takes these sizes")
    if scalar.definition is None:
        return arithmetic.call(scalar, args)
    return _function(scalar, args, rules, arithmetic)


def _at_lists(rules: RuleSet, name: str, args: Sequence[Any], arithmetic: Arithmetic) -> Any:
    """The value of the overload for these sizes; else of the operator item by item."""
    for operator in rules.operators[name]:
        if operator.is_composite and len(args) == operator.arity() and _fits(operator, args):
            return _function(operator, args, rules, arithmetic)
    lists = [a for a in args if isinstance(a, list)]
    if any(len(a) != len(lists[0]) for a in lists):
        raise Misfit(f"{name} is given {' and '.join(map(size_text, lists))}")
    parts = [[a[i] if isinstance(a, list) else a for a in args] for i in range(len(lists[0]))]
    return [apply(rules, name, part, arithmetic) for part in parts]


def size_text(value: Any) -> str:
    """How an error calls a vector or a matrix: `a vector of 3`."""
    axes = (len(value),) if isinstance(value, tuple) else shape_of(value)
    kind = {0: "a number", 1: "a vector of "}.get(len(axes), "a matrix of ")
    return kind + " by ".join(map(str, axes))


def _scalar_only(operator: Operator) -> bool:
    return all(p.is_scalar for p in operator.params)


def _function(operator: Operator, args: Sequence[Any], rules: RuleSet, how: Arithmetic) -> Any:
    assert operator.definition is not None
    env = dict(zip(operator.names, args, strict=True))
    if (whole := how.function(operator, env, rules)) is not None:
        return whole
    # In floats, what runs: the substitute of derived programs.
    primal = operator.primal if isinstance(how, Floats) else None
    return evaluate(operator.definition if primal is None else primal, env, rules, how)


def _fits(operator: Operator, args: Sequence[Any]) -> bool:
    if _scalar_only(operator):
        return not any(isinstance(a, list) for a in args)
    for param, arg in zip(operator.params, args, strict=True):
        axes = 1 if param.kind.startswith("vec") else 2 if param.kind.startswith("mat") else 0
        shape = shape_of(arg)
        size = param.kind[3:] if axes else ""
        if len(shape) != axes or (size and shape[0] != int(size)):
            return False
    return True


def shape_of(value: Any) -> tuple[int, ...]:
    """The axes of a number, vector or matrix."""
    shape: list[int] = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0]
    return tuple(shape)


def flatten(value: Any) -> list[Any]:
    """The components of a value, in order."""
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in flatten(item)]
    return [value]


# -------------------------------------------------------------------------------- mpmath

_HUGE = 1_000_000
_EASY = frozenset((
    "fabs", "sign", "floor", "ceil", "nint", "sqrt", "cbrt", "hypot",
    "log", "log10", "log1p", "atan", "atan2", "asinh", "tanh",
))  # fmt: skip


class Precise:
    """Arithmetic in mpmath, at its current precision; what is undefined or complex is NaN.

    `lowest` and `highest` are the powers of two just above the smallest and the largest magnitude
    that have occurred.
    """

    def __init__(self) -> None:
        import mpmath

        self.mp = mpmath.mp
        self.module = mpmath
        self.lowest = self.highest = 1  # those of the number 1

    def constant(self, term: Term) -> Any:
        """The value of a constant, exactly."""
        return _exact(term)

    def call(self, operator: Operator, args: Sequence[Any]) -> Any:
        """The value of a primitive by its mpmath meaning."""
        native = NATIVE.get((operator.name, len(args)))
        if native is not None:
            return native(self.mp, *args)
        try:
            meaning = meaning_of(operator.mpmath, operator.names)
            result = meaning(args, self._function)
        except Meaningless as error:
            raise MeaningError(operator, str(error)) from None
        if isinstance(result, self.module.mpc):
            result = result.real if result.imag == 0 else self.mp.nan
        if not isinstance(result, bool):
            _, digits, exponent, bits = result._mpf_
            above = exponent + bits  # 2**above is above the number
            if digits and not self.lowest <= above <= self.highest:  # not 0, infinite or NaN
                self.lowest, self.highest = min(self.lowest, above), max(self.highest, above)
        return result

    def function(self, operator: Operator, env: Env, rules: RuleSet) -> Any:
        """The mpmath meaning beside a definition, in the domain that it speaks of."""
        if not operator.mpmath:
            return None
        if operator.domain is not None and not evaluate(operator.domain, env, rules, self):
            return None
        return self.call(operator, [env[name] for name in operator.names])

    def _function(self, name: str, args: Sequence[Any]) -> Any:
        mp = self.mp
        if any(isinstance(a, self.module.mpc) or a != a for a in args):
            return mp.nan
        if name == "power":
            return self._power(*args)
        vanishes = name == "exp" and args[0] < 0  # what is beside it does not lose its digits
        if name not in _EASY and not vanishes and any(map(_is_huge, args)):
            raise Unknown
        try:
            return getattr(mp, name)(*args)
        except (ValueError, ZeroDivisionError, OverflowError, self.module.libmp.NoConvergence):
            return mp.nan

    def _power(self, x: Any, y: Any) -> Any:
        if y == 0 or x == 1:
            return self.mp.mpf(1)
        if x == 0:
            return self.mp.mpf(0) if y > 0 else self.mp.inf
        if self.mp.isfinite(x) and self.mp.isfinite(y) and abs(y * self.mp.log(abs(x))) > _HUGE:
            raise Unknown
        return self.mp.power(x, y)


def _is_huge(number: Any) -> bool:
    """Whether a number is finite and above _HUGE: mostly its exponent says it."""
    if not hasattr(number, "_mpf_"):
        return bool(abs(number) > _HUGE)
    _, digits, exponent, bits = number._mpf_
    above = exponent + bits  # 2**above is above the number
    return bool(digits) and above > 19 and (above > 20 or bool(abs(number) > _HUGE))


@lru_cache(maxsize=4096)
def _exact(term: Term) -> Any:
    """The value of a constant: a double is one to any number of digits."""
    import mpmath

    value = const_value(term)
    return value if isinstance(value, bool) else mpmath.mpf(value)


class Rounded(Precise):
    """Arithmetic with the constants of rules moved by half a unit in the last place of doubles.

    What such a move changes in a value is no fault of a rule: it is how constants are stored.
    `pattern` 0 moves all up, 1 all down, 2 some of them up.
    """

    def __init__(self, pattern: int) -> None:
        super().__init__()
        self.pattern = pattern

    def constant(self, term: Term) -> Any:
        """The constant, moved; small whole numbers and their halves are exact, NaN stays NaN."""
        value = super().constant(term)
        if isinstance(value, bool) or self.mp.isnan(value):
            return value
        if value * _EXACT == self.mp.floor(value * _EXACT):
            return value
        signs = (1, -1, 1 if int(self.mp.floor(abs(value) * 997)) % 2 else -1)
        return value * (1 + signs[self.pattern] * self.mp.mpf(2) ** -53)


_EXACT = 2**20


# --------------------------------------------------------------------------------- NumPy


class Floats:
    """Arithmetic in NumPy over arrays of one float type, by the operators' NumPy meanings."""

    def __init__(self, dtype: type[np.floating[Any]]) -> None:
        self.dtype = dtype

    def constant(self, term: Term) -> Any:
        """The constant, rounded to the float type; an integer is one."""
        value = const_value(term)
        if term.type is Scalar.I32:
            return np.asarray(np.int32(value))
        return np.bool_(value) if isinstance(value, bool) else np.asarray(self.dtype(value))

    def function(self, operator: Operator, env: Env, rules: RuleSet) -> Any:
        """None: functions are computed by their definitions."""
        return None

    def call(self, operator: Operator, args: Sequence[Any]) -> Any:
        """The value of a primitive at arrays."""
        # Copies of one length: NumPy has short cuts for powers with a single exponent.
        arrays = [np.array(a) for a in np.broadcast_arrays(*_beside_integers(args))]
        result = compile_meaning(operator.numpy, operator.names, operator.at)(arrays)
        whole = operator.result.kind != "real" and result.dtype.kind in "bi"
        return result if whole else self.dtype(result)


def _beside_integers(args: Sequence[Any]) -> list[Any]:
    """A whole number of a rule is an integer beside integers: `a + 1` of an int a."""
    arrays = [np.asarray(a) for a in args]
    if not any(a.dtype == np.int32 for a in arrays):
        return arrays
    whole = [a.ndim == 0 and a.dtype.kind == "f" and a == np.round(a) for a in arrays]
    return [np.int32(a) if on else a for a, on in zip(arrays, whole, strict=True)]
