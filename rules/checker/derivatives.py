"""Checking the derivative of one operator against differences of its value.

Takes an operator and the rule set it lives in, raises RuleError with a counterexample: every line
against differences, of first and of second order; all lines together where the function has a
kink; backward against forward side. Knows nothing of files, but for the place of a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...terms.errors import RuleError
from ...terms.rule import Operator, RuleSet
from .compare import Tally, defined, place, shown, shown_apart
from .differences import Slope, slope
from .faults import Unknown
from .floating import Known, check_in_floats
from .judge import Rounded, evaluate, flatten
from .lines import (
    Compared,
    Place,
    Side,
    along,
    bar_name,
    carries,
    curves,
    disagreement,
    scope_of,
    seeds_of,
    sides_of,
    weights_of,
)
from .operators import Trial, unexercised
from .second import check_second
from .shapes import check_line_shapes

_COUNT = 24
_DIGITS, _MORE = 70, 240
_SECOND_POINTS = 24
_ADJOINT = 1e-10
_LARGE = 1e6  # times the usual cotangent


def check_derivative(operator: Operator, rules: RuleSet, tally: Tally, where: Place) -> None:
    """Every partial, pullback and pushforward against differences of the value."""
    trial = Trial(operator, rules)
    sides = list(sides_of(operator))
    check_line_shapes(operator, sides, rules, where)
    seen = dict.fromkeys((side.line for side in sides), 0)
    points = trial.points(_COUNT if len(operator.params) < 3 else 2 * _COUNT)
    known: list[Known] = []
    for point in points:
        try:
            known += _check_first(trial, sides, point, seen, tally, where)
        except Unknown:
            continue
    for line, count in seen.items():
        if not count:
            raise unexercised(operator, where(operator, line), line)
    check_in_floats(trial, [k for k in known if k.side.index is not None], tally, where)
    for point in _spread(points, _SECOND_POINTS):
        try:
            check_second(trial, sides, point, tally, where)
        except Unknown:
            continue


def _spread(points: Sequence[dict[str, Any]], count: int) -> Sequence[dict[str, Any]]:
    """The special points, which come first, and as many of the others."""
    return [*points[:count], *points[count :: max(len(points) // count, 1)]]


def _check_first(
    trial: Trial,
    sides: Sequence[Side],
    point: Mapping[str, Any],
    seen: dict[str, int],
    tally: Tally,
    where: Place,
) -> list[Known]:
    """All lines at one point, each alone and together; the slopes that were found."""
    seeds = seeds_of(trial, point)
    with trial.precise.module.workdps(_DIGITS):
        scope = scope_of(trial, point, seeds)
    if not scope:
        return []
    kinks, known = 0, []
    for side in sides:
        for one in _compared(trial, side, scope, _DIGITS):
            if one.expected is not None:
                seen[side.line] += 1
                tally.samples += 1
                kinks += one.expected.low != one.expected.high
                _judge(trial, one, point, seeds, tally, where)
                bar = flatten(seeds.get(bar_name(trial), 1.0))
                known.append(Known(side, point, one.expected, bar[0]))
    if kinks:
        _check_together(trial, sides, point, seeds, where)
    backward = [s for s in sides if s.backward and s.index is not None]
    if backward:
        _check_adjoint(trial, backward, sides, point, scope, where)
        _check_linear(trial, backward, point, seeds, scope, where)
    return known


# ---------------------------------------------------------------------------- first order


def _judge(
    trial: Trial,
    one: Compared,
    point: Mapping[str, Any],
    seeds: Mapping[str, Any],
    tally: Tally,
    where: Place,
) -> None:
    """Raise the error of a wrong component, unless the difference goes away with more digits."""
    assert one.expected is not None
    if one.expected.accepts(one.found):
        tally.error(one.expected.error(one.found))
        return
    with trial.precise.module.workdps(_MORE):
        scope = scope_of(trial, point, seeds)
    for again in _compared(trial, one.side, scope, _MORE) if scope else ():
        if again.component != one.component or again.expected is None:
            continue
        if again.expected.accepts(again.found):
            continue
        slack = _rounding(trial, again.side, point, seeds, again.component)
        if again.expected.accepts(again.found, slack):
            continue
        raise disagreement(trial, again, point, seeds, "central differences", where)


def _rounding(
    trial: Trial, side: Side, point: Mapping[str, Any], seeds: Mapping[str, Any], component: str
) -> Any:
    """How far the value of a line may be off because its constants are rounded to doubles."""
    found = []
    for how in (trial.precise, Rounded(0), Rounded(1), Rounded(2)):
        with how.module.workdps(_DIGITS):
            scope = scope_of(trial, point, seeds)
            found.append(flatten(evaluate(side.term, scope, trial.rules, how)))
    exact, *others = found
    index = int(component.rpartition("[")[2][:-1]) if component and len(exact) > 1 else 0
    return 2 * max(abs(row[index] - exact[index]) for row in others)


def _compared(
    trial: Trial, side: Side, scope: Mapping[str, Any], digits: int
) -> Iterator[Compared]:
    """For every component of a derivative line what the rule gives, and what is right."""
    with trial.precise.module.workdps(digits):
        found = flatten(trial.term(side.term, scope))
        along_them = list(curves(trial, side, scope))
        if len(found) == 1:
            found = found * len(along_them)  # 0, which stands for zeros of any shape
        for number, (component, curve) in zip(found, along_them, strict=True):
            yield Compared(side, component, number, slope(curve, digits))


# ------------------------------------------------------------------------- lines together


def _check_together(
    trial: Trial,
    sides: Sequence[Side],
    point: Mapping[str, Any],
    seeds: Mapping[str, Any],
    where: Place,
) -> None:
    """At a kink each line may choose among many slopes, but all lines have to choose alike.

    min(a, b) at a = b: the partials 1 and 1 are slopes both, but along (1, 1) min has slope 1.
    """
    params = [p for p in trial.operator.params if carries(p)]
    for backward in (False, True):
        lines = [s for s in sides if s.index is not None and s.backward == backward]
        if len(lines) != len(params) or not lines:
            continue
        with trial.precise.module.workdps(_MORE):
            scope = scope_of(trial, point, seeds)
            weights = weights_of(trial, backward, scope)
            for signs in ((1,), (1, -1), (1, 1, -1)):
                moves = _signed([scope[p.name] for p in params], signs)
                curve = along(
                    trial, scope, dict(zip([p.name for p in params], moves, strict=True)), weights
                )
                expected = slope(curve, _MORE)
                found = _total(trial, lines, scope, moves)
                if expected is not None and not expected.accepts(found):
                    raise _apart(trial, lines, point, moves, expected, found, where)


def _signed(values: Sequence[Any], signs: Sequence[int]) -> list[Any]:
    """A direction: 1 and -1 in turns, in the shape of the parameters."""
    count = iter(range(10**6))

    def shaped(value: Any) -> Any:
        if isinstance(value, list):
            return [shaped(v) for v in value]
        return signs[next(count) % len(signs)]

    return [shaped(v) for v in values]


def _total(
    trial: Trial, lines: Sequence[Side], scope: Mapping[str, Any], moves: Sequence[Any]
) -> Any:
    """The sum of all lines, each times its direction."""
    total = trial.precise.mp.mpf(0)
    for side, move in zip(lines, moves, strict=True):
        numbers, steps = flatten(trial.term(side.term, scope)), flatten(move)
        for number, step in zip(numbers * (len(steps) // len(numbers)), steps, strict=True):
            total += number * step if step else 0
    return total


def _apart(
    trial: Trial,
    lines: Sequence[Side],
    point: Mapping[str, Any],
    moves: Sequence[Any],
    expected: Slope,
    found: Any,
    where: Place,
) -> RuleError:
    operator = trial.operator
    names = " and ".join(side.line for side in lines)
    direction = ", ".join(str(m) for m in flatten(list(moves)))
    return RuleError(
        f"[{operator.name} {lines[0].line}] {names} do not fit together at {place(point)}: along "
        f"({direction}) the slope is {expected}, the rule gives {shown(found)}",
        where(operator, lines[0].line),
        "where the function has a kink, choose the partials on one side of it, or share",
    )


def _check_adjoint(
    trial: Trial,
    backward: Sequence[Side],
    sides: Sequence[Side],
    point: Mapping[str, Any],
    scope: Mapping[str, Any],
    where: Place,
) -> None:
    """The inner products of backward and forward side: <bar, J d> = <J' bar, d>."""
    forward = [s for s in sides if not s.backward or s.index is None]
    if not forward:
        return
    params = [p for p in trial.operator.params if carries(p)]
    with trial.precise.module.workdps(_DIGITS):
        moves = [scope[f"d{p.name}"] for p in params]
        bar = flatten(scope[f"{trial.operator.result.name}_bar"])
        pulled = _total(trial, backward, scope, moves)
        if forward[0].index is None:
            pushed = sum(
                w * v for w, v in zip(bar, flatten(trial.term(forward[0].term, scope)), strict=True)
            )
        else:
            pushed = bar[0] * _total(trial, forward, scope, moves)
        if not (defined(pulled) and defined(pushed)):
            return
        if abs(pulled - pushed) <= _ADJOINT * (abs(pulled) + abs(pushed) + sum(map(abs, bar))):
            return
    one, other = shown_apart(pushed, pulled)
    raise RuleError(
        f"[{trial.operator.name} {backward[0].line}] the backward side is not the transpose of "
        f"the forward side at {place(point)}: <{bar_name(trial)}, J d> is {one}, "
        f"<J' {bar_name(trial)}, d> is {other}",
        where(trial.operator, backward[0].line),
        "state one of the two: the other follows from it",
    )


def _check_linear(
    trial: Trial,
    backward: Sequence[Side],
    point: Mapping[str, Any],
    seeds: Mapping[str, Any],
    usual: Mapping[str, Any],
    where: Place,
) -> None:
    """Of the cotangent 0 a backward side makes 0, of a large one as much more."""
    name = bar_name(trial)
    if name not in seeds:
        return
    with trial.precise.module.workdps(_DIGITS):
        for factor in (0.0, _LARGE):
            scaled = scope_of(trial, point, {**seeds, name: _times(factor, seeds[name])})
            for side in backward:
                wanted = [factor * v for v in flatten(trial.term(side.term, usual))]
                found = flatten(trial.term(side.term, scaled))
                if all(map(defined, wanted)) and not all(map(_agree, wanted, found)):
                    raise _bent(trial, side, point, factor, (wanted, found), where)


def _times(factor: float, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_times(factor, v) for v in value)
    return factor * value


def _agree(wanted: Any, found: Any) -> bool:
    return bool(defined(found) and abs(found - wanted) <= _ADJOINT * abs(wanted))


def _bent(
    trial: Trial,
    side: Side,
    point: Mapping[str, Any],
    factor: float,
    sides: tuple[Sequence[Any], Sequence[Any]],
    where: Place,
) -> RuleError:
    name, (wanted, found) = bar_name(trial), sides
    what = f"{_shown(found)} of the cotangent {name} = 0 at {place(point)}"
    if factor:
        what = f"{_shown(found)}, not {_shown(wanted)}, of {factor:g} times the cotangent {name}"
        what += f" at {place(point)}"
    return RuleError(
        f"[{trial.operator.name} {side.line}] is {what}",
        where(trial.operator, side.line),
        f"a backward side is linear in {name}: a slope times it",
    )


def _shown(values: Sequence[Any]) -> str:
    each = ", ".join(shown(v) if defined(v) else "undefined" for v in values)
    return each if len(values) == 1 else f"({each})"
