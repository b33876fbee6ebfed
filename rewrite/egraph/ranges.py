"""What operators say about their results: ranges as facts.

Takes operators, gives facts about signs and bounds: `range = 0 <= y <= 1` says that y >= 0 and
that y <= 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...terms.conditions import EXCHANGED
from ...terms.rule import Fact, Operator
from ...terms.term import CONST, Term, const, const_value, var
from ...terms.types import Scalar

_WEAKER = {"ge": "ge", "gt": "ge", "le": "le", "lt": "le"}  # bounds are not strict


def range_facts(operator: Operator) -> list[Fact]:
    """The signs and bounds that an operator's `range` implies for its result."""
    if operator.range is None or operator.is_composite:
        return []
    subject = Term(operator.name, tuple(var(p.name) for p in operator.params))
    facts = []
    for op, bound in bounds(operator.range):
        stated = [] if bound == 0 or op not in _WEAKER else [(_WEAKER[op], bound)]
        sign = _sign(op, bound)
        stated += [(sign, 0.0)] if sign is not None else []
        for relation, number in stated:
            conclusion = Term(relation, (subject, const(number)), None, Scalar.BOOL)
            name = f"range of {operator.name}: {relation} {number:.17g}"
            facts.append(Fact(name, conclusion, operator.at, operator.params))
    return facts


def bounds(expression: Term) -> Iterator[tuple[str, float]]:
    """The comparisons of the result with constants in a range, joined by `and`."""
    pending = [expression]
    while pending:
        term = pending.pop()
        if term.op == "logical_and":
            pending.extend(term.args)
        elif len(term.args) == 2 and term.op in EXCHANGED:
            left, right = term.args
            if right.op == CONST:
                yield term.op, float(const_value(right))
            elif left.op == CONST:
                yield EXCHANGED[term.op], float(const_value(left))


def _sign(op: str, bound: float) -> str | None:
    """The relation to 0 that a relation to `bound` implies: y >= 1 gives y > 0."""
    match op:
        case "ge" | "gt" if bound > 0 or (op == "gt" and bound == 0):
            return "gt"
        case "ge" if bound == 0:
            return "ge"
        case "le" | "lt" if bound < 0 or (op == "lt" and bound == 0):
            return "lt"
        case "le" if bound == 0:
            return "le"
    return None
