"""Checking rewrites and facts: left against right, bit for bit or to the last sound digit.

Takes a rewrite or a fact and the rule set whose operators it uses, raises RuleError with a
counterexample. Knows nothing of files.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...terms.errors import RuleError, Span
from ...terms.rule import Fact, Parameter, Rewrite, RuleSet, Tag
from ...terms.term import VAR, Term, toposort
from .compare import Tally, defined, place, settle, shown, shown_apart
from .faults import Misfit, Unknown
from .judge import Floats, Precise, evaluate, flatten
from .samples import (
    at_sizes,
    columns,
    drawn,
    generator,
    open_sizes,
    patterns,
    points,
    sized,
)
from .thresholds import COMPARISONS, thresholds

_COUNT = 24
_FLOAT_COUNT = 400
_TIES = 12
_EPS = float(np.finfo(np.float64).eps)
# How much worse than the left side the right side may be; the slack, in units of the last
# place, is what rounding the argument of an exponential costs.
_FACTOR, _SLACK = 8, 128
_RANGE = 1e100  # intermediates beyond it may overflow
_BITS = 332  # the powers of two in it
# Where regions are looked for; beyond, an exponential may seem to be 0 in so many digits.
_REGION, _REGION_DIGITS, _AROUND = 40, 60, 6
_SEARCHED = 2_000  # points, where the usual ones do not fulfil the conditions
_UNEXERCISED = 'widen the conditions, or say why it cannot be tried: unchecked="…"'


def check_rewrite(rule: Rewrite, rules: RuleSet, tally: Tally) -> None:
    """Left against right in mpmath; exact rules in bits, real ones also in float64."""
    params = _used(rule.params, [rule.lhs, rule.rhs, *rule.conditions])
    if rule.tag is Tag.EXACT:
        _check_bits(rule, params, rules, tally)
    if not (rule.tag is Tag.EXACT and all(p.kind in ("int", "bool") for p in params)):
        _check_real(rule, params, rules, tally)  # whole numbers: their bits say it all
    if rule.tag is not Tag.EXACT and not rule.primal:
        _check_region(rule, params, rules)
    if rule.tag is Tag.REAL:
        _check_floats(rule, params, rules, tally)


def _near(rule: Rewrite, rules: RuleSet) -> list[float]:
    return thresholds(rule.lhs, rule.rhs, *rule.conditions, rules=rules)


def _used(params: Sequence[Parameter], terms: Sequence[Term]) -> list[Parameter]:
    names = {t.attr for t in toposort(terms) if t.op == VAR}
    return [p for p in params if p.name in names]


class _Pair:
    """Both sides of a rewrite, and its conditions, in mpmath."""

    def __init__(self, rule: Rewrite, rules: RuleSet) -> None:
        self.rule, self.rules, self.precise = rule, rules, Precise()

    def value(self, term: Term, point: Mapping[str, Any]) -> Any:
        mpf = self.precise.mp.mpf
        env = {n: _mapped(v, mpf) for n, v in point.items()}
        return evaluate(term, env, self.rules, self.precise)

    def holds(self, point: Mapping[str, Any]) -> bool:
        return all(bool(self.value(c, point)) for c in self.rule.conditions)

    def fits(self, point: Mapping[str, Any]) -> bool:
        """Whether no value inside of the two sides leaves the range of intermediates."""
        self.precise.lowest = self.precise.highest = 1
        self.value(self.rule.lhs, point)
        self.value(self.rule.rhs, point)
        return self.precise.lowest > -_BITS and self.precise.highest <= _BITS


def _mapped(value: Any, f: Callable[[Any], Any]) -> Any:
    """The value with every number in it changed; truth values stay."""
    if isinstance(value, list):
        return [_mapped(v, f) for v in value]
    return value if isinstance(value, bool) else f(value)


def _check_real(rule: Rewrite, params: list[Parameter], rules: RuleSet, tally: Tally) -> None:
    pair, near = _Pair(rule, rules), _near(rule, rules)
    count = _COUNT * (1 + len(rule.conditions))  # fewer points fulfil them
    samples = [*at_sizes(params, rule.name, count, near), *_ties(rule, params)]
    seen = sum(_tried(pair, p, tally) for p in samples)
    if not seen and rule.conditions:
        searched = drawn(params, rule.name, near, _SEARCHED)
        seen = sum(_tried(pair, p, tally) for p in searched)
    tally.samples += seen
    if not seen:
        raise _fault(rule, "no sample satisfied the conditions", _UNEXERCISED)


def _ties(rule: Rewrite, params: Sequence[Parameter]) -> Iterator[dict[str, Any]]:
    """Points at which parameters that a rule compares are equal, and the others are not."""
    names = {p.name for p in params if p.is_scalar and p.kind != "bool"}
    for term in toposort([rule.lhs, rule.rhs]) if len(params) > 2 else ():
        compared = [a.attr for a in term.args if a.op == VAR and a.attr in names]
        if term.op not in COMPARISONS or not len(compared) == len(term.args) == 2:
            continue
        one, other = compared
        for point in points(params, f"{rule.name} {one} {other}", _TIES)[-_TIES:]:
            yield point | {other: point[one]}


def _tried(pair: _Pair, point: Mapping[str, Any], tally: Tally) -> bool:
    """Whether both sides could be compared at a point; raise the error where they differ."""
    rule = pair.rule
    try:
        if not pair.holds(point):
            return False
    except Unknown:
        return False
    verdict = settle(lambda: pair.value(rule.lhs, point), lambda: pair.value(rule.rhs, point))
    if verdict is None or verdict.same is None:
        return False
    undefined = not all(defined(v) for v in verdict.right)
    if undefined and rule.tag is Tag.FAST:
        return False
    if verdict.same:
        tally.error(verdict.error)
        # At a single point any right side may have a value: sqrt(x/-y) at x = 0.
        return rule.tag is not Tag.FAST or _defined_around(pair, point)
    left, right = shown_apart(verdict.left, verdict.right)
    if undefined:
        hint = _excluding(rule)
        message = f"turns a defined value into {right} at {place(point)}: left {left}"
    else:
        hint = f"add a condition under which both are equal{_such_as(rule)}, or correct the rule"
        message = f"the sides differ at {place(point)}: left {left}, right {right}"
    raise _fault(rule, message, hint)


def _defined_around(pair: _Pair, point: Mapping[str, Any]) -> bool:
    """Whether both sides have values also beside the point, in some direction."""
    rng = generator(place(point))
    for there in [_nudged(point, rng) for _ in range(_AROUND)]:
        try:
            if not pair.holds(there):
                continue
            sides = [flatten(pair.value(t, there)) for t in (pair.rule.lhs, pair.rule.rhs)]
        except Unknown:
            continue
        if all(defined(v) for side in sides for v in side):
            return True
    return False


def _check_region(rule: Rewrite, params: list[Parameter], rules: RuleSet) -> None:
    """The right side may fill gaps of the left side (x/x at 0), but not whole regions.

    Classes hold both sides for the whole program: what is known of one, such as a sign, would
    be known of the other, also where only the right side has a value.
    """
    pair = _Pair(rule, rules)
    rng = generator(rule.name + " region")
    with pair.precise.module.workdps(_REGION_DIGITS):
        for point in points(params, rule.name, _COUNT):
            if any(abs(v) > _REGION for v in flatten(list(point.values()))):
                continue
            around = [point, *(_nudged(point, rng) for _ in range(_AROUND))]
            if all(_only_right(pair, there) for there in around):
                raise _fault(
                    rule,
                    f"has values where its left side has none, at and around {place(point)}",
                    "add a condition under which the left side is defined; or write it as "
                    "@primal, which replaces the left side and does not keep both",
                )


def _nudged(point: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    def nudge(v: Any) -> Any:
        return v + 1e-3 * rng.uniform(-1, 1) * (1 + abs(v))

    return {name: _mapped(v, nudge) for name, v in point.items()}


def _only_right(pair: _Pair, point: Mapping[str, Any]) -> bool:
    try:
        if not pair.holds(point):
            return False
        left, right = (flatten(pair.value(t, point)) for t in (pair.rule.lhs, pair.rule.rhs))
    except Unknown:
        return False
    return not all(defined(v) for v in left) and all(defined(v) for v in right)


def _excluding(rule: Rewrite) -> str:
    return f"add a condition that excludes the point{_such_as(rule)}, or tag the rule fast"


def _such_as(rule: Rewrite) -> str:
    """A condition in the rule's own names, for an error that asks for one."""
    name = next((p.name for p in rule.params if p.kind == "real"), "")
    return name and f" (`if {name} > 0:` above the line)"


def _fault(rule: Rewrite | Fact, message: str, hint: str, at: Span | None = None) -> RuleError:
    return RuleError(f"[{rule.name}] {message}", at or rule.at, hint)


def _sides(
    rule: Rewrite, env: Mapping[str, Any], rules: RuleSet, dtype: type[Any]
) -> tuple[Any, Any, Any]:
    """Left and right, a row for each component, and where the conditions hold."""
    floats = Floats(dtype)
    size = len(flatten(list(env.values()))[0]) if env else 1
    with np.errstate(all="ignore"):
        holds = np.ones(size, dtype=np.bool_)
        for condition in rule.conditions:
            holds = holds & np.asarray(evaluate(condition, env, rules, floats), dtype=np.bool_)
        sides = [evaluate(term, env, rules, floats) for term in (rule.lhs, rule.rhs)]
    left, right = (
        [np.broadcast_to(np.asarray(part), size) for part in flatten(side)] for side in sides
    )
    return left, right, np.broadcast_to(holds, size)


def _check_bits(rule: Rewrite, params: list[Parameter], rules: RuleSet, tally: Tally) -> None:
    for dtype in (np.float32, np.float64):
        env = patterns(params, rule.name, dtype, _near(rule, rules))
        (left,), (right,), holds = _sides(rule, env, rules, dtype)  # rewrites are about numbers
        wrong = np.flatnonzero(holds & ~_same_bits(left, right))
        tally.samples += int(holds.sum())
        if len(wrong):
            i = wrong[0]
            point = {name: value[i] for name, value in env.items()}
            given, wanted = shown_apart(left[i], right[i])
            raise _fault(
                rule,
                f"is not exact in {np.dtype(dtype).name} at {place(point)}: "
                f"left {given}, right {wanted}",
                "tag it real, if the real value is what counts",
            )
    if not tally.samples:
        raise _fault(rule, "no sample satisfied the conditions", _UNEXERCISED)


def _same_bits(left: Any, right: Any) -> Any:
    """Equal bits; every NaN equals every other."""
    if left.dtype == np.bool_ or right.dtype == np.bool_:
        return left.astype(np.bool_) == right.astype(np.bool_)
    if left.dtype.kind == right.dtype.kind == "i":
        return left == right
    same = (left == right) & (np.signbit(left) == np.signbit(right))
    return same | (np.isnan(left) & np.isnan(right))


def _check_floats(rule: Rewrite, params: list[Parameter], rules: RuleSet, tally: Tally) -> None:
    """float64 over ordinary magnitudes: defined values stay defined, and as accurate."""
    near = _near(rule, rules)
    for size in open_sizes(params):
        samples = points(sized(params, size), rule.name + " float64", _FLOAT_COUNT, near)
        try:
            left, right, holds = _sides(rule, columns(samples, np.float64), rules, np.float64)
        except Misfit:  # of a definition that is at fault itself
            continue
        for part, (a, b) in enumerate(zip(left, right, strict=True)):
            _check_component(_Pair(rule, rules), samples, part, (a, b, holds), tally)


def _check_component(
    pair: _Pair,
    samples: Sequence[Mapping[str, Any]],
    part: int,
    sides: tuple[Any, Any, Any],
    tally: Tally,
) -> None:
    """One component of both sides in float64, at all samples where the conditions hold."""
    left, right, holds = sides
    if left.dtype == np.bool_:
        return
    with np.errstate(all="ignore"):
        near = np.abs(left - right) <= 4 * _EPS * np.abs(left)
    for i in map(int, np.flatnonzero(holds & np.isfinite(left) & ~near)):
        try:
            with pair.precise.module.workdps(130):
                _check_float(pair, samples[i], part, (float(left[i]), float(right[i])), tally)
        except Unknown:
            continue


def _check_float(
    pair: _Pair, point: Mapping[str, Any], part: int, sides: tuple[float, float], tally: Tally
) -> None:
    rule, (left, right) = pair.rule, sides
    exact = flatten(pair.value(rule.lhs, point))[part]
    if not defined(exact) or not _moderate(exact):
        return
    fits = pair.fits(point)
    if not np.isfinite(right) and (fits or all(map(_ordinary, flatten(list(point.values()))))):
        raise _fault(
            rule,
            f"turns a defined value into {right} in float64 at {place(point)}: left {left!r}",
            _excluding(rule),
        )
    better, worse = abs(left - exact), abs(right - exact)
    if not fits:
        if better <= _SLACK * _EPS * abs(exact) and worse > max(abs(exact) / 2, 1 / _RANGE):
            raise _fault(
                rule,
                f"is another number in float64 at {place(point)}, where it overflows inside: "
                f"left {left!r}, right {right!r}",
                _excluding(rule),
            )
        return
    if exact != 0:
        tally.error(min(worse / abs(exact), 1))
    if worse <= _FACTOR * better + _SLACK * _EPS * abs(exact):
        return
    better, worse = _errors_around(pair, point, part)
    if worse <= _FACTOR * better + _SLACK * _EPS * abs(exact) + 1e-300:
        return
    raise _fault(
        rule,
        f"loses accuracy in float64 at {place(point)}: the value is {shown(exact)}, "
        f"the left side is off by {shown(better)}, the right side by {shown(worse)}",
        "tag it fast, or restrict it by a condition",
    )


def _moderate(value: Any) -> bool:
    return bool(value == 0 or 1 / _RANGE < abs(value) < _RANGE)


def _ordinary(value: Any) -> bool:
    return isinstance(value, bool) or value == 0 or 1e-4 <= abs(value) <= 1e4


def _errors_around(pair: _Pair, point: Mapping[str, Any], part: int) -> tuple[Any, Any]:
    """The largest errors of both sides at the point and a few ulps around it.

    At a single point the left side may be right by luck.
    """
    rng = generator(place(point))
    around = [dict(point)]

    def nudge(v: Any) -> Any:
        return v * (1 + _EPS * rng.randrange(-4, 5))

    around += [{n: _mapped(v, nudge) for n, v in point.items()} for _ in range(8)]
    left, right, _ = _sides(pair.rule, columns(around, np.float64), pair.rules, np.float64)
    better = worse = pair.precise.mp.mpf(0)
    for there, a, b in zip(around, left[part], right[part], strict=True):
        exact = flatten(pair.value(pair.rule.lhs, there))[part]
        if defined(exact) and np.isfinite(a) and np.isfinite(b):
            better = max(better, abs(float(a) - exact))
            worse = max(worse, abs(float(b) - exact))
    return better, worse


def check_fact(fact: Fact, rules: RuleSet, tally: Tally) -> None:
    """A fact must hold in floats, wherever its conditions do and no NaN is involved."""
    params = _used(fact.params, [fact.conclusion, *fact.conditions])
    seen, near = 0, thresholds(fact.conclusion, *fact.conditions, rules=rules)
    for dtype in (np.float32, np.float64):
        env = patterns(params, fact.name, dtype, near)
        floats = Floats(dtype)
        size = len(next(iter(env.values())))
        with np.errstate(all="ignore"):
            applies = np.ones(size, dtype=np.bool_)
            for condition in fact.conditions:
                applies = applies & evaluate(condition, env, rules, floats)
            for side in fact.conclusion.args:
                value = np.asarray(evaluate(side, env, rules, floats))
                if value.dtype != np.bool_:
                    applies = applies & ~np.isnan(value)
            holds = evaluate(fact.conclusion, env, rules, floats)
        seen += int(np.sum(applies))
        wrong = np.flatnonzero(applies & ~np.broadcast_to(holds, size))
        if len(wrong):
            point = {name: value[wrong[0]] for name, value in env.items()}
            raise _fault(
                fact,
                f"does not hold in {np.dtype(dtype).name} at {place(point)}",
                "facts are taken for granted: correct it, or add a condition",
            )
    tally.samples += seen
    if not seen:
        raise _fault(fact, "no sample satisfied the conditions", _UNEXERCISED)
