"""Checking one operator: its meanings against each other, its derivative against differences.

Takes an operator and the rule set it lives in, raises RuleError with a counterexample. Knows
nothing of files, but for the place of a derivative line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, Parameter, RuleSet
from ...terms.term import Term
from .compare import DIGITS, Tally, defined, place, settle, shown
from .differences import Slope, slope
from .judge import Floats, Precise, Unknown, evaluate, flatten
from .samples import columns, decimal, generator, points

Place = Callable[[Operator, str], Span]
_COUNT = 24
_APPROXIMATION = 1e-12  # of a definition beside an mpmath meaning: a series that was cut
_NUMPY = 1e-11
DOMAIN_HINT = "correct the formula, or state where it holds: domain = x > 0"


class Trial:
    """An operator in mpmath: its value, its domain, and its derivative rule at points."""

    def __init__(self, operator: Operator, rules: RuleSet) -> None:
        self.operator, self.rules, self.precise = operator, rules, Precise()

    def lift(self, value: Any) -> Any:
        """A sample as mpmath numbers."""
        if isinstance(value, list):
            return [self.lift(v) for v in value]
        return value if isinstance(value, bool) else self.precise.mp.mpf(value)

    def term(self, term: Term, env: Mapping[str, Any]) -> Any:
        """The value of an expression of the block."""
        return evaluate(term, env, self.rules, self.precise)

    def value(self, env: Mapping[str, Any]) -> Any:
        """The value of the operator."""
        operator = self.operator
        if operator.mpmath:
            return self.precise.call(operator, [env[p.name] for p in operator.params])
        assert operator.definition is not None
        return self.term(operator.definition, env)

    def inside(self, env: Mapping[str, Any]) -> bool:
        """Whether the point lies in the declared domain."""
        domain = self.operator.domain
        return domain is None or bool(self.term(domain, env))

    def env(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The point in mpmath."""
        return {name: self.lift(value) for name, value in point.items()}

    def points(self, count: int = _COUNT) -> Iterator[dict[str, Any]]:
        """The samples inside the domain."""
        for point in points(self.operator.params, self.operator.name, count):
            try:
                if self.inside(self.env(point)):
                    yield point
            except Unknown:
                continue


def check_meaning(operator: Operator, rules: RuleSet, tally: Tally) -> None:
    """The NumPy meaning of a primitive against its mpmath meaning, in the domain."""
    if not operator.numpy or operator.is_composite:
        return
    trial = Trial(operator, rules)
    samples = list(trial.points())
    if not samples:
        raise _unexercised(operator, operator.at)
    args = columns(samples, np.float64)
    with np.errstate(all="ignore"):
        got = Floats(np.float64).call(operator, [args[p.name] for p in operator.params])
    got = np.broadcast_to(got, len(samples))
    for point, number in zip(samples, got, strict=True):
        try:
            with trial.precise.module.workdps(DIGITS[0]):
                wanted = trial.value(trial.env(point))
        except Unknown:
            continue
        if not defined(wanted):
            continue
        tally.samples += 1
        if not _close(number, wanted, tally):
            raise RuleError(
                f"[{operator.name} numpy] disagrees with the mpmath meaning at {place(point)}: "
                f"numpy gives {shown(number)}, mpmath {shown(wanted)}",
                operator.at,
                "correct numpy = … or mpmath = …, or state the domain",
            )


def _close(number: Any, wanted: Any, tally: Tally) -> bool:
    if isinstance(wanted, bool):
        return bool(number) == wanted
    size = abs(wanted)
    if not np.isfinite(number):
        return bool(size > np.finfo(np.float64).max)
    if size < np.finfo(np.float64).tiny:
        return bool(abs(number) <= 2 * np.finfo(np.float64).tiny)
    error = float(abs(number - wanted) / size)
    tally.error(error)
    return error <= _NUMPY


def check_definition(operator: Operator, rules: RuleSet, tally: Tally) -> None:
    """A definition against the mpmath meaning beside it; otherwise, that it has a value."""
    trial = Trial(operator, rules)
    definition = operator.definition
    assert definition is not None
    seen = 0
    for point in trial.points():
        verdict = settle(
            lambda point=point: trial.value(trial.env(point)),  # type: ignore[misc]
            lambda point=point: trial.term(definition, trial.env(point)),  # type: ignore[misc]
            _APPROXIMATION,
        )
        if verdict is None or verdict.same is None:
            continue
        seen += 1
        tally.error(verdict.error)
        if not verdict.same:
            raise RuleError(
                f"[{operator.name}] the definition disagrees with mpmath at {place(point)}: "
                f"mpmath gives {shown(verdict.left)}, the definition {shown(verdict.right)}",
                operator.at,
                DOMAIN_HINT,
            )
    tally.samples += seen
    if not seen:
        raise _unexercised(operator, operator.at)


def check_derivative(operator: Operator, rules: RuleSet, tally: Tally, where: Place) -> None:
    """Every partial, pullback and pushforward against differences of the value."""
    for side in _sides(operator):
        before = tally.samples
        _check_side(Trial(operator, rules), side, tally, where)
        if tally.samples == before:
            raise _unexercised(operator, where(operator, side.line), side.line)


class Side:
    """One derivative line: its name, its expression, and the parameter it is about."""

    def __init__(self, line: str, term: Term, index: int | None) -> None:
        self.line, self.term, self.index = line, term, index


def _sides(operator: Operator) -> Iterator[Side]:
    result = operator.result.name
    for index, (param, term) in enumerate(zip(operator.params, operator.partials, strict=False)):
        if term is not None:
            yield Side(f"d{result}_d{param.name}", term, index)
    for index, (param, term) in enumerate(zip(operator.params, operator.pullbacks, strict=False)):
        if term is not None:
            yield Side(f"{param.name}_bar", term, index)
    if operator.pushforward is not None:
        yield Side(f"d{result}", operator.pushforward, None)


def _check_side(trial: Trial, side: Side, tally: Tally, where: Place) -> None:
    operator = trial.operator
    count = _COUNT if len(operator.params) < 3 else 2 * _COUNT
    for point in trial.points(count):
        seeds = _seeds(trial, operator, point)
        try:
            for name, found, expected in _compared(trial, side, point, seeds, 70):
                if expected is None:
                    continue
                tally.samples += 1
                if expected.accepts(found):
                    tally.error(expected.error(found))
                    continue
                _report(trial, side, point, seeds, name, where)
        except Unknown:
            continue


def _report(
    trial: Trial,
    side: Side,
    point: Mapping[str, Any],
    seeds: Mapping[str, Any],
    component: str,
    where: Place,
) -> None:
    """Raise the error, unless the difference goes away with more digits."""
    for name, found, expected in _compared(trial, side, point, seeds, 240):
        if name != component or expected is None or expected.accepts(found):
            continue
        operator = trial.operator
        what = f" ({component})" if component else ""
        given = "".join(f", {k}={shown(v)}" for k, v in seeds.items() if operator.is_composite)
        raise RuleError(
            f"[{operator.name} {side.line}] disagrees with central differences at "
            f"{place(point)}{given}{what}: expected {expected}, rule gives {shown(found)}",
            where(operator, side.line),
            DOMAIN_HINT,
        )


def _seeds(trial: Trial, operator: Operator, point: Mapping[str, Any]) -> dict[str, Any]:
    """Cotangent of the result and tangents of the parameters, by name."""
    rng = generator(f"{operator.name} {place(point)}")
    found = {f"d{p.name}": _like(point[p.name], rng) for p in operator.params if _real(p)}
    try:
        value = trial.value(trial.env(point))
    except Unknown:
        return found
    found[f"{operator.result.name}_bar"] = _like(value, rng)
    return found


def _like(value: Any, rng: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_like(v, rng) for v in value)
    return decimal(rng) or 1.0


def _real(param: Parameter) -> bool:
    return param.kind not in ("int", "bool")


def _compared(
    trial: Trial, side: Side, point: Mapping[str, Any], seeds: Mapping[str, Any], digits: int
) -> Iterator[tuple[str, Any, Slope | None]]:
    """For every component of a derivative line: its name, what the rule gives, what is right."""
    operator = trial.operator
    with trial.precise.module.workdps(digits):
        env = trial.env(point)
        value = trial.value(env)
        if not all(defined(v) for v in flatten(value)):
            return
        bar = f"{operator.result.name}_bar"
        scope = {**env, operator.result.name: value}
        scope |= {k: trial.lift(v) if not isinstance(v, tuple) else v for k, v in seeds.items()}
        found = flatten(trial.term(side.term, scope))
        if side.index is None:
            yield from _forward(trial, env, scope, found, digits)
            return
        weights = flatten(scope[bar]) if side.line.endswith("_bar") else [1] * len(flatten(value))
        name = operator.params[side.index].name
        size = len(flatten(env[name]))
        if len(found) == 1:
            found = found * size  # a scalar beside a vector is broadcast
        for k in range(size):
            yield (
                f"{name}[{k}]" if size > 1 else "",
                found[k],
                slope(_along(trial, env, {name: k}, weights), digits),
            )


def _along(
    trial: Trial, env: Mapping[str, Any], moved: Mapping[str, int], weights: Sequence[Any]
) -> Callable[[Any], Any]:
    """The weighted sum of the results as one component of one parameter moves."""

    def f(step: Any) -> Any:
        there = dict(env)
        for name, k in moved.items():
            there[name] = _shifted(env[name], k, step)
        results = flatten(trial.value(there))
        return sum((w * r for w, r in zip(weights, results, strict=True)), trial.precise.mp.mpf(0))

    return f


def _shifted(value: Any, index: int, step: Any) -> Any:
    if not isinstance(value, list):
        return value + step
    sizes = [len(flatten(v)) for v in value]
    items = list(value)
    for i, size in enumerate(sizes):
        if index < size:
            items[i] = _shifted(value[i], index, step)
            break
        index -= size
    return items


def _forward(
    trial: Trial,
    env: Mapping[str, Any],
    scope: Mapping[str, Any],
    found: Sequence[Any],
    digits: int,
) -> Iterator[tuple[str, Any, Slope | None]]:
    """A forward side: the derivative of every result along the tangents."""
    names = [p.name for p in trial.operator.params if _real(p)]
    for j, got in enumerate(found):

        def f(step: Any, j: int = j) -> Any:
            there = dict(env)
            for name in names:
                there[name] = _moved(env[name], scope[f"d{name}"], step)
            return flatten(trial.value(there))[j]

        yield f"[{j}]" if len(found) > 1 else "", got, slope(f, digits)


def _moved(value: Any, tangent: Any, step: Any) -> Any:
    if isinstance(value, list):
        return [_moved(v, t, step) for v, t in zip(value, tangent, strict=True)]
    return value + step * tangent


def check_range(operator: Operator, rules: RuleSet, tally: Tally) -> None:
    """The stated range against the values."""
    assert operator.range is not None
    trial = Trial(operator, rules)
    for point in trial.points():
        try:
            env = trial.env(point)
            value = trial.value(env)
            if not all(defined(v) for v in flatten(value)):
                continue
            holds = trial.term(operator.range, {**env, operator.result.name: value})
        except Unknown:
            continue
        tally.samples += 1
        if not holds:
            raise RuleError(
                f"[{operator.name} range] is left at {place(point)}: the value is {shown(value)}",
                operator.at,
                "correct range = …: what is stated there is taken for granted",
            )


def _unexercised(operator: Operator, at: Span, line: str = "") -> RuleError:
    name = f"{operator.name} {line}".strip()
    return RuleError(
        f"[{name}] no sample satisfied the conditions",
        at,
        'widen the domain, or say why it cannot be tried: unchecked="…"',
    )
