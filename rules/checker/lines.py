"""Derivative lines of an operator at points: their values, and the curves whose slopes they are.

Takes an operator in mpmath and a point, gives numbers and functions of one number. Knows nothing
of what is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, Parameter
from ...terms.term import Term
from .compare import defined, place, shown
from .differences import Slope
from .faults import Unknown
from .judge import flatten
from .operators import Trial, domain_hint
from .samples import decimal, generator

Place = Callable[[Operator, str], Span]
#: A function of one number, whose slope at 0 is a derivative.
Curve = Callable[[Any], Any]


@dataclass(frozen=True)
class Side:
    """One derivative line: its name, its expression, and the parameter it is about."""

    line: str
    term: Term
    index: int | None

    @property
    def backward(self) -> bool:
        """Whether the line takes the cotangent of the result."""
        return self.line.endswith("_bar")


@dataclass(frozen=True)
class Compared:
    """One component of a derivative line at a point: what the rule gives, and what is right."""

    side: Side
    component: str
    found: Any
    expected: Slope | None


def sides_of(operator: Operator) -> Iterator[Side]:
    """The derivative lines that an operator states."""
    result = operator.result.name
    for index, (param, term) in enumerate(zip(operator.params, operator.partials, strict=False)):
        if term is not None:
            yield Side(f"d{result}_d{param.name}", term, index)
    for index, (param, term) in enumerate(zip(operator.params, operator.pullbacks, strict=False)):
        if term is not None:
            yield Side(f"{param.name}_bar", term, index)
    if operator.pushforward is not None:
        yield Side(f"d{result}", operator.pushforward, None)


def seeds_of(trial: Trial, point: Mapping[str, Any]) -> dict[str, Any]:
    """Cotangent of the result and tangents of the parameters, by name."""
    operator = trial.operator
    rng = generator(f"{operator.name} {place(point)}")
    found = {f"d{p.name}": _like(point[p.name], rng) for p in operator.params if carries(p)}
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


def carries(param: Parameter) -> bool:
    """Whether the parameter carries a derivative."""
    return param.kind not in ("int", "bool")


def scope_of(trial: Trial, point: Mapping[str, Any], seeds: Mapping[str, Any]) -> dict[str, Any]:
    """All names that a derivative line may use; empty where the operator has no value."""
    env = trial.env(point)
    value = trial.value(env)
    if not all(defined(v) for v in flatten(value)):
        return {}
    return {
        **env,
        trial.operator.result.name: value,
        **{k: trial.lift(v) for k, v in seeds.items()},
    }


def curves(trial: Trial, side: Side, scope: Mapping[str, Any]) -> Iterator[tuple[str, Curve]]:
    """For every component of a derivative line the curve whose slope it is."""
    if side.index is None:
        size = len(flatten(scope[trial.operator.result.name]))
        moves = {p.name: scope[f"d{p.name}"] for p in trial.operator.params if carries(p)}
        for j in range(size):
            weights = [int(i == j) for i in range(size)]
            yield f"[{j}]" if size > 1 else "", along(trial, scope, moves, weights)
        return
    name = trial.operator.params[side.index].name
    size = len(flatten(scope[name]))
    for k in range(size):
        unit = _unit(scope[name], iter(range(size)), k)
        weights = weights_of(trial, side.backward, scope)
        yield f"{name}[{k}]" if size > 1 else "", along(trial, scope, {name: unit}, weights)


def _unit(like: Any, places: Any, k: int) -> Any:
    """Zeros in the shape of a value, and 1 in place k."""
    if isinstance(like, list):
        return [_unit(v, places, k) for v in like]
    return int(next(places) == k)


def weights_of(trial: Trial, backward: bool, scope: Mapping[str, Any]) -> list[Any]:
    """What the components of the result count: as the cotangent says, or 1."""
    result = trial.operator.result.name
    return flatten(scope[f"{result}_bar"]) if backward else [1] * len(flatten(scope[result]))


def along(
    trial: Trial, scope: Mapping[str, Any], moves: Mapping[str, Any], weights: Sequence[Any]
) -> Curve:
    """The weighted sum of the results as the parameters move along a line."""

    def curve(step: Any) -> Any:
        there = {n: moved(v, moves[n], step) if n in moves else v for n, v in scope.items()}
        results = flatten(trial.value(there))
        pairs = [(w, r) for w, r in zip(weights, results, strict=True) if w != 0]
        return sum((w * r for w, r in pairs), trial.precise.mp.mpf(0))

    return curve


def moved(value: Any, direction: Any, step: Any) -> Any:
    """A value, a step further in a direction."""
    if isinstance(value, list):
        return [moved(v, t, step) for v, t in zip(value, direction, strict=True)]
    return value + step * direction if direction else value


def disagreement(
    trial: Trial,
    one: Compared,
    point: Mapping[str, Any],
    seeds: Mapping[str, Any],
    what: str,
    where: Place,
) -> RuleError:
    """The error of a line that is wrong at a point."""
    operator = trial.operator
    part = f" ({one.component})" if one.component else ""
    bar = bar_name(trial)
    told = [bar] if one.side.backward else list(seeds) if operator.is_composite else []
    given = "".join(f", {k}={shown(seeds[k])}" for k in told if k in seeds)
    expected, found = str(one.expected), shown(one.found)
    hint = domain_hint(operator, one.side.line)
    if expected == found and one.expected is not None:
        found += f" (relative error {one.expected.error(one.found):.1e})"
        hint = (
            "a derivative has to hold to the last digits of a double: constants need 17 of them, "
            "series more terms; if the definition approximates, state what: mpmath = …"
        )
    return RuleError(
        f"[{operator.name} {one.side.line}] disagrees with {what} at "
        f"{place(point)}{given}{part}: expected {expected}, rule gives {found}",
        where(operator, one.side.line),
        hint,
    )


def bar_name(trial: Trial) -> str:
    """The name of the result's cotangent."""
    return f"{trial.operator.result.name}_bar"
