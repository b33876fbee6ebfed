"""What programs cost: the sum of their operators' costs, each shared operator paid once.

Operators that the device computes together cost less so: see `joint.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from weakref import WeakKeyDictionary, ref

from ...terms.errors import ExtractError
from ...terms.loop import LOAD, LOOP, MEMORY, RESTORE, SAVE, STORE, TABLE, Loop
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import CALL, CAST, CONST, DETACH, PROJ, VAR, Term, toposort
from ...terms.types import Memory, Scalar, ScalarType
from .encode import head_of
from .joint import joined, joint_savings

_FREE = frozenset({VAR, CONST, DETACH, PROJ, MEMORY, TABLE})

#: What bodies of loops cost that are in use, by the rules that were asked for last.
_BODIES: WeakKeyDictionary[Program, tuple[ref[RuleSet], float]] = WeakKeyDictionary()

#: Trips of a loop of which nothing is known, and what a trip costs beside its body.
_TRIPS, _TRIP_COST, _ACCESS_COST = 16, 1.0, 2.0


def operator_cost(
    rules: RuleSet,
    op: str,
    type_: ScalarType,
    operands: tuple[ScalarType, ...],
    attr: object = None,
) -> float:
    """The cost of one operator on operands of a type; leaves are free.

    Raises ExtractError for a cost that is no cost: nothing could be minimized with it.
    """
    if op in _FREE:
        return 0.0
    if op in (CAST, CALL):
        return 1.0
    if op in (LOAD, STORE):
        return _ACCESS_COST
    if op in (SAVE, RESTORE):
        whole = operands[2] if op == SAVE else type_
        return 2 * _ACCESS_COST * (whole.size if isinstance(whole, Memory) else 1)
    if isinstance(attr, Loop):
        return loop_cost(rules, attr)
    operator = rules.get(op)
    if operator is None or operator.cost is None:
        return 1.0
    kind = operands[-1] if operands else type_
    cost = operator.costs.get(kind, operator.cost) if isinstance(kind, Scalar) else operator.cost
    if not math.isfinite(cost) or cost < 0:
        raise ExtractError(
            f"the operator {op!r} costs {cost}",
            operator.at,
            "a cost is a finite number that is not negative",
        )
    return cost


def term_cost(rules: RuleSet, term: Term) -> float:
    """The cost of a term's operator alone."""
    return operator_cost(rules, term.op, term.type, tuple([a.type for a in term.args]), term.attr)


def program_cost(rules: RuleSet, roots: Iterable[Term]) -> float:
    """The cost of everything below the roots."""
    return terms_cost(rules, toposort(roots))


def terms_cost(rules: RuleSet, terms: Iterable[Term]) -> float:
    """The cost of the operators of some terms, whatever they are given."""
    known: dict[object, float] = {}
    costs: dict[Term, float] = {}
    for term in terms:
        head = head_of(term)
        if head not in known:
            known[head] = term_cost(rules, term)
        costs[term] = known[head]
    return sum(costs.values()) - joint_savings(costs, rules)


def loop_cost(rules: RuleSet, loop: Loop) -> float:
    """What all trips of a loop cost: as many as it can make, where that is known."""
    return trips(loop) * (_body_cost(rules, loop.body) + _TRIP_COST)


def _body_cost(rules: RuleSet, body: Program) -> float:
    """The cost of one trip, computed once: whatever holds a loop asks for it, again and again."""
    known = _BODIES.get(body)
    if known is None or known[0]() is not rules:
        known = _BODIES[body] = ref(rules), program_cost(rules, body.flat)
    return known[1]


def trips(loop: Loop) -> int:
    """How often a loop is taken to run: as often as it can, where that is known."""
    return _TRIPS if loop.limit is None else loop.limit


def operation_counts(rules: RuleSet, roots: Iterable[Term]) -> dict[str, int]:
    """How often each operator occurs, by name; those that are computed together as one."""
    counts: dict[str, int] = {}
    terms = toposort(roots)
    for joint, parts in joined(terms, rules):
        counts[joint.name] = counts.get(joint.name, 0) + 1
        for part in parts:
            counts[part.op] = counts.get(part.op, 0) - 1
    for term in terms:
        if term.op == LOOP:
            for op, number in operation_counts(rules, term.attr.body.flat).items():
                counts[op] = counts.get(op, 0) + number
        elif term.op not in _FREE:
            counts[term.op] = counts.get(term.op, 0) + 1
    return {op: number for op, number in sorted(counts.items()) if number}
