"""Values with tangents in mpmath: how a rule expression changes, by the rules of what is in it.

Takes rule terms over dual numbers, gives dual numbers: what a derivation of the expression would
compute, with the conventions of derivation (where a rule says 0, nothing passes, not even an
infinite factor). Knows nothing of samples or files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...terms.rule import Operator, RuleSet
from ...terms.term import CONST, SELECT, Term, const_value
from .faults import Misfit, Unknown
from .judge import Env, Precise, apply, evaluate, flatten


@dataclass(frozen=True, slots=True)
class Dual:
    """A number and its tangent; None: the number does not change."""

    value: Any
    tangent: Any = None


def lifted(value: Any, tangents: Any = None) -> Any:
    """Numbers, vectors, matrices and tuples as duals; truth values stay what they are."""
    if isinstance(value, list | tuple):
        parts = [None] * len(value) if tangents is None else tangents
        return type(value)(lifted(v, t) for v, t in zip(value, parts, strict=True))
    return value if isinstance(value, bool) else Dual(value, tangents)


def primal(value: Any) -> Any:
    """The values in duals."""
    if isinstance(value, list | tuple):
        return type(value)(primal(v) for v in value)
    return value.value if isinstance(value, Dual) else value


def tangents_of(value: Any) -> list[Any]:
    """The tangents in duals, flat."""
    return [v.tangent if isinstance(v, Dual) else None for v in flatten(value)]


class Tangents:
    """Arithmetic of dual numbers: operators by their derivative rules, or by definitions."""

    def __init__(self, rules: RuleSet, precise: Precise) -> None:
        self.rules, self.precise = rules, precise

    def constant(self, term: Term) -> Any:
        """The value of a constant, which does not change."""
        return lifted(self.precise.constant(term))

    def call(self, operator: Operator, args: Sequence[Any]) -> Any:
        """A primitive at duals."""
        if operator.name == SELECT:
            return args[1] if args[0] else args[2]
        return self.derived(operator, args)

    def function(self, operator: Operator, env: Env, rules: RuleSet) -> Any:
        """A function with a derivative of its own; None: as its definition changes."""
        if not operator.has_derivative:
            return None
        return self.derived(operator, [env[p.name] for p in operator.params])

    def derived(self, operator: Operator, args: Sequence[Any]) -> Any:
        """An operator at duals: its value, and its derivative by its own rule."""
        plain = [primal(a) for a in args]
        value = apply(self.rules, operator.name, plain, self.precise)
        moved = [tangents_of(a) for a in args]
        if isinstance(value, bool) or all(t is None for row in moved for t in row):
            return lifted(value)
        if operator.unchecked:
            raise Unknown  # its rule is not the derivative of its value, and says so
        env = {p.name: a for p, a in zip(operator.params, plain, strict=True)}
        env[operator.result.name] = value
        if operator.pushforward is not None:
            for param, arg, row in zip(operator.params, plain, moved, strict=True):
                env[f"d{param.name}"] = self._filled(arg, iter(row))
            pushed = flatten(evaluate(operator.pushforward, env, self.rules, self.precise))
            found = _as_many(pushed, len(flatten(value)))
        elif operator.partials:
            found = [self._sum(operator.partials, env, moved)]
        else:
            found = self._pulled(operator, env, value, moved)
        return _shaped(value, iter(found))

    def _filled(self, like: Any, row: Any) -> Any:
        """Tangents in the shape of a value, 0 for none."""
        if isinstance(like, list):
            return [self._filled(v, row) for v in like]
        tangent = next(row)
        return self.precise.mp.mpf(0) if tangent is None else tangent

    def _pulled(
        self, operator: Operator, env: dict[str, Any], value: Any, moved: Sequence[Sequence[Any]]
    ) -> list[Any]:
        """By a backward side: one cotangent for every component of the result."""
        size = len(flatten(value))
        found = []
        for k in range(size):
            units = iter([self.precise.mp.mpf(i == k) for i in range(size)])
            env[f"{operator.result.name}_bar"] = _numbers(value, units)
            found.append(self._sum(operator.pullbacks, env, moved))
        return found

    def _sum(
        self, factors: Sequence[Term | None], env: Mapping[str, Any], moved: Sequence[Sequence[Any]]
    ) -> Any:
        """The sum of factor times tangent over all parameters that change."""
        total = None
        for factor, row in zip(factors, moved, strict=True):
            if factor is None or all(t is None for t in row):
                continue
            chosen = self._chosen(factor, env)
            if chosen is None:
                continue
            numbers = flatten(evaluate(chosen, env, self.rules, self.precise))
            for number, tangent in zip(_as_many(numbers, len(row)), row, strict=True):
                if tangent is not None:
                    total = number * tangent + (0 if total is None else total)
        return total

    def _chosen(self, factor: Term, env: Mapping[str, Any]) -> Term | None:
        """The arm of a choice that counts; None where that is 0, and nothing passes."""
        while factor.op == SELECT:
            test = evaluate(factor.args[0], env, self.rules, self.precise)
            if isinstance(test, list):
                return factor
            factor = factor.args[1 if test else 2]
        return None if factor.op == CONST and const_value(factor) == 0 else factor


def _as_many(numbers: list[Any], size: int) -> list[Any]:
    """The numbers, one for each component; a single one is for all."""
    if len(numbers) not in (1, size):
        raise Misfit(f"{len(numbers)} numbers for {size} components")
    return numbers if len(numbers) == size else numbers * size


def _shaped(value: Any, tangents: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_shaped(v, tangents) for v in value)
    return Dual(value, next(tangents))


def _numbers(like: Any, numbers: Any) -> Any:
    if isinstance(like, list | tuple):
        return type(like)(_numbers(v, numbers) for v in like)
    return next(numbers)
