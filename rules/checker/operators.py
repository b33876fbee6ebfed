"""Checking one operator: its meanings against each other, its definition, its range.

Takes an operator and the rule set it lives in, raises RuleError with a counterexample. Knows
nothing of files and derivatives.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, RuleSet
from ...terms.term import Term
from .compare import DIGITS, Tally, defined, place, settle, shown, shown_apart
from .crossings import conditions, crossings
from .faults import Unknown
from .judge import Floats, Precise, evaluate, flatten
from .samples import at_sizes, columns, drawn
from .thresholds import thresholds

_COUNT = 24
_FEW, _SEARCHED = 8, 2_000
_APPROXIMATION = 1e-12  # of a definition beside an mpmath meaning: a series that was cut
_NUMPY = 1e-11
_POSITIVE = {"vec": "dot({0}, {0}) > 0", "mat": "{0}[0][0] > 0"}  # of others `> 0` itself


def domain_hint(operator: Operator, line: str = "") -> str:
    """What to do about a formula that does not hold everywhere, with a domain in its own names:
    of what a line is the derivative by, if it is one. A backward side may differ on purpose.
    """
    by = [p for p in operator.params if line.endswith(f"_d{p.name}")]
    param = (by or operator.params)[0]
    where = _POSITIVE.get(param.kind[:3], "{0} > 0").format(param.name)
    if line.endswith("_bar"):
        where += '; if it differs on purpose, say why: @op(unchecked="…")'
    return f"correct the formula, or state where it holds: domain = {where}"


class Trial:
    """An operator in mpmath: its value, its domain, and its derivative rule at points."""

    def __init__(self, operator: Operator, rules: RuleSet) -> None:
        self.operator, self.rules, self.precise = operator, rules, Precise()
        o = operator
        lines = (o.definition, o.primal, *o.partials, *o.pullbacks, o.pushforward)
        self.near = thresholds(*lines, o.domain, rules=rules)
        self.conditions = list[Term]()
        if all(p.kind == "real" for p in o.params):
            written = [line for line in lines if line is not None]
            self.conditions = conditions(written, o.names, rules)

    def lift(self, value: Any) -> Any:
        """A sample as mpmath numbers."""
        if isinstance(value, list | tuple):
            return type(value)(self.lift(v) for v in value)
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

    def points(self, count: int = _COUNT, more: Sequence[float] = ()) -> list[dict[str, Any]]:
        """The samples inside the domain, some near the numbers in `more`."""
        o = self.operator
        near = sorted({*self.near, *more})
        found = [p for p in at_sizes(o.params, o.name, count, near) if self._tried(p)]
        if len(found) < _FEW and o.domain is not None:  # a narrow domain is searched
            others = (p for p in drawn(o.params, o.name, near, _SEARCHED) if self._tried(p))
            found += itertools.islice(others, count)
        between = crossings(self.conditions, found, lambda term, at: self.term(term, self.env(at)))
        return found + [p for p in between if self._tried(p)]

    def _tried(self, point: Mapping[str, Any]) -> bool:
        try:
            return self.inside(self.env(point))
        except Unknown:
            return False


def check_meaning(operator: Operator, rules: RuleSet, at: Span, tally: Tally) -> None:
    """The NumPy meaning of a primitive against its mpmath meaning, in the domain."""
    if not operator.numpy or operator.is_composite:
        return
    trial = Trial(operator, rules)
    samples = trial.points()
    if not samples:
        raise unexercised(operator, operator.at)
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
            found, right = shown_apart(number, wanted)
            raise RuleError(
                f"[{operator.name} numpy] disagrees with the mpmath meaning at {place(point)}: "
                f"numpy gives {found}, mpmath {right}",
                at,
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


def check_definition(operator: Operator, rules: RuleSet, at: Span, tally: Tally) -> None:
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
            meaning, defined_as = shown_apart(verdict.left, verdict.right)
            raise RuleError(
                f"[{operator.name}] the definition disagrees with mpmath at {place(point)}: "
                f"mpmath gives {meaning}, the definition {defined_as}",
                at,
                domain_hint(operator),
            )
    tally.samples += seen
    if not seen:
        raise unexercised(operator, operator.at)


def check_range(operator: Operator, rules: RuleSet, at: Span, tally: Tally) -> None:
    """The stated range against the values."""
    assert operator.range is not None
    trial = Trial(operator, rules)
    for point in trial.points(more=thresholds(operator.range, rules=rules)):
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
                at,
                "correct range = …: what is stated there is taken for granted",
            )


def unexercised(operator: Operator, at: Span, line: str = "") -> RuleError:
    """The error of a rule that no sample could try."""
    name = f"{operator.name} {line}".strip()
    why = "widen the domain" if operator.domain else "it has no value anywhere: correct it"
    return RuleError(
        f"[{name}] no sample satisfied the conditions",
        at,
        f'{why}, or say why it cannot be tried: unchecked="…"',
    )
