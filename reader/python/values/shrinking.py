"""How often a loop runs at most whose condition is of a variable that every trip divides.

    while n > 0: …; n //= k        n < 2**31: after t trips, for k**t >= 2**31, n is 0 (or -1)
    while s < n: …; s *= k         after t trips, for s * k**t >= 2**31, s is beyond any n
    while b: a, b = b, a % b       the remainders get smaller at least as Fibonacci's numbers do
    while n: …; n &= n - 1         every trip takes one of the 32 bits away

Takes an open loop, gives a number that it cannot exceed. Of an n below 0 that is halved, Python's
loop has no end: a bound is given where nothing else can end it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping

from ....rules.intervals import Range, interval
from ....terms.apply import apply
from ....terms.bits import signed
from ....terms.conditions import conjuncts
from ....terms.errors import TraceError
from ....terms.loop import Open, State, varying
from ....terms.rule import RuleSet
from ....terms.term import (
    CAST,
    CONST,
    SELECT,
    Term,
    const,
    const_value,
    is_const,
    rebuild,
    toposort,
)
from ....terms.types import Scalar
from ....terms.unsigned import bits
from ....terms.value import literal, scalar
from .bounds import COMPARE as _COMPARE
from .bounds import never

_WAYS = 16  # through the branches of a trip, that are looked at
_UNSIGNED = (Scalar.UINT, Scalar.WIDE)
_BITS: Mapping[str, Callable[..., int]] = {
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "add": operator.add,
    "sub": operator.sub,
}
_LESS = {"lt": (0, 1), "le": (0, 1), "gt": (1, 0), "ge": (1, 0)}
#: Divisions of Euclid's algorithm: the 48th number of Fibonacci's is beyond 32 bits.
_EUCLID = 48


def longest(loop: Open, rules: RuleSet, ranges: Mapping[Term, Range]) -> int | None:
    """The largest number of trips, where a variable that is divided or multiplied bounds it."""
    found = [_trips(loop, state, rules, ranges) for state in loop.states]
    return min((n for n in found if n is not None), default=None)


def _trips(loop: Open, state: State, rules: RuleSet, ranges: Mapping[Term, Range]) -> int | None:
    unsigned = state.var.type in _UNSIGNED
    if not unsigned and state.var.type is not Scalar.I32:
        return None
    if state.var not in set(toposort([loop.go])):
        return None
    divided = _factor(state, ("floor_div", "shift_right"), rules)
    fewer = divided is None and _loses_a_bit(state, rules)
    if (divided is not None or fewer) and _ends_at(loop, state, 0):
        sure = unsigned or _ends_at(loop, state, -1) or _natural(state, ranges)
        if sure or _alone(loop, state):
            return _steps(1, divided or 2, 2**32 if unsigned or fewer else 2**31)
    grown = _factor(state, ("mul", "shift_left"), rules)
    if grown is not None and state.first.op == CONST and not unsigned:
        first = int(const_value(state.first))
        if first > 0 and _compared(loop, state):
            return _steps(first, grown, 2**31)
    return _EUCLID if _is_euclid(loop, state, rules) else None


def _steps(first: int, factor: int, end: int) -> int:
    """How often `first` is to be multiplied until it is no less than `end`."""
    count = 0
    while first < end:
        first, count = first * factor, count + 1
    return count


def _factor(state: State, names: tuple[str, str], rules: RuleSet) -> int | None:
    """The smallest number by which any way through a trip divides, or multiplies, a variable."""
    ways, found = [state.next], []
    while ways and len(ways) < _WAYS:
        term = ways.pop()
        factor = next(_factors(term, state.var, names, rules), None)
        if factor is not None:
            found.append(factor)
        elif term.op == SELECT:
            ways += term.args[1:]
        else:
            return None
    return min(found, default=None) if not ways else None


def _factors(term: Term, var: Term, names: tuple[str, str], rules: RuleSet) -> Iterator[int]:
    """By what a term divides or multiplies a variable, if it does no more than that."""
    inside = toposort([term])
    numbers = {int(const_value(t)): None for t in inside if t.op == CONST and not t.type.is_real}
    if var not in inside or len(numbers) > _WAYS:
        return
    for number in [*numbers, *_masks(numbers)]:
        for name, factor in zip(names, (number, 1 << (number & 31)), strict=True):
            if factor >= 2 and number < 2**31 and _is(name, term, var, number, rules):
                yield factor


def _masks(numbers: Mapping[int, None]) -> Iterator[int]:
    """The divisors of divisions that are written as shifts: their counts are there."""
    yield from (1 << n for n in numbers if 0 < n < 31)


def _is(name: str, term: Term, var: Term, number: int, rules: RuleSet) -> bool:
    """Whether a term is `name(var, number)`."""
    real = Scalar.F32
    pairs = [[scalar(var), literal(number, real)]]
    if name == "mul":
        pairs.append(pairs[0][::-1])
    try:
        found = [apply(rules, name, pair, real).term for pair in pairs]
    except TraceError:  # an integer of which that is not known
        return False
    return any(bits(t) is bits(term) for t in found)


def _ends_at(loop: Open, state: State, number: int) -> bool:
    """Whether no trip begins where a variable is that number."""
    table: dict[Term, Term] = {state.var: const(number, Scalar.I32)}
    for term in toposort([loop.go]):
        if term not in table:
            args = tuple([table[a] for a in term.args])
            table[term] = _computed(rebuild(term, args))
    return never(table[loop.go])


def _computed(term: Term) -> Term:
    """An operation on known bits."""
    if term.args and all(a.op == CONST and a.type is Scalar.I32 for a in term.args):
        if term.op == CAST and (term.type is Scalar.I32 or term.type in _UNSIGNED):
            return term.args[0]
        if term.op in _BITS:
            return const(signed(_BITS[term.op](*(int(a.attr) for a in term.args))), Scalar.I32)
        if term.op in _COMPARE:
            truth = _COMPARE[term.op](*(int(a.attr) for a in term.args))
            return const(truth, Scalar.BOOL)
    if term.op == SELECT and term.args[0].op == CONST:
        return term.args[1 if const_value(term.args[0]) else 2]
    if term.op == "logical_and" and any(is_const(a, False) for a in term.args):
        return const(False, Scalar.BOOL)
    return term


def _loses_a_bit(state: State, rules: RuleSet) -> bool:
    """Whether a trip takes the lowest bit that is set away from a variable."""
    var, real = scalar(state.var), Scalar.F32
    try:
        less = apply(rules, "sub", [var, literal(1, real)], real)
        pairs = ([var, less], [less, var])  # as it is written, in either order
        found = [apply(rules, "bit_and", pair, real).term for pair in pairs]
    except TraceError:  # an integer of which that is not known
        return False
    return any(bits(t) is bits(state.next) for t in found)


def _natural(state: State, ranges: Mapping[Term, Range]) -> bool:
    return interval(state.first, ranges)[0] >= 0


def _alone(loop: Open, state: State) -> bool:
    """Whether nothing else that the loop changes can end it."""
    return not varying([loop.go], [v for v in loop.own if v is not state.var]) & set(
        toposort([loop.go])
    )


def _compared(loop: Open, state: State) -> bool:
    """Whether a trip only begins where a variable is less than, or equal to, some integer."""
    for term, holds in conjuncts(loop.go, True):
        if holds and term.op in _LESS:
            less, more = (term.args[k] for k in _LESS[term.op])
            if less is state.var and more.type is Scalar.I32:
                return True
    return False


def _is_euclid(loop: Open, state: State, rules: RuleSet) -> bool:
    before = next((s for s in loop.states if s.next is state.var), None)
    if before is None or before.var.type is not state.var.type:
        return False
    pair = [scalar(before.var), scalar(state.var)]
    rest = apply(rules, "floor_mod", pair, Scalar.F32).term
    return state.next is rest and _ends_at(loop, state, 0)
