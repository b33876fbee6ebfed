"""What values can be, by the operators that give them and what these are given.

Takes terms over primitives, gives sets of numbers; what is far below a term is taken for unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, const_value
from ...terms.types import Scalar
from ...terms.walk import postorder
from ..egraph.ranges import bounds
from .numbers import ANY, IMAGES, NONPOSITIVE, Numbers, only, square, where

_DEEP = 16  # operations that are looked at


@dataclass
class Images:
    """The images of operators; `ranges` holds those of which a rule file says them."""

    rules: RuleSet
    ranges: dict[str, Numbers] = field(default_factory=dict)

    def anywhere(self, term: Term) -> Numbers:
        """What a value can be at all."""
        near, numbers = nearest(term), dict[Term, Numbers]()
        for each in postorder([term], lambda t: [a for a in t.args if a in near]):
            numbers[each] = self.of(each, numbers)
        return numbers[term]

    def of(self, term: Term, numbers: Mapping[Term, Numbers]) -> Numbers:
        """What a value can be, by its operator and what its arguments can be."""
        found = image(term, numbers)
        if found is None:
            kind = term.type
            return self._range(term.op, kind) if isinstance(kind, Scalar) and kind.is_real else ANY
        if term.op == "sub" and _is_largest(term.args[1], of=term.args[0]):
            return NONPOSITIVE & found
        return found

    def _range(self, op: str, kind: Scalar) -> Numbers:
        """What an operator gives at all."""
        if op not in self.ranges:
            operator, found = self.rules.get(op), ANY
            if operator is not None and operator.range is not None and not operator.is_composite:
                for relation, bound in bounds(operator.range):
                    found &= where(relation, bound, True, Scalar.F64)
            self.ranges[op] = Numbers(found.parts, True)
        return self.ranges[op]


def image(term: Term, numbers: Mapping[Term, Numbers]) -> Numbers | None:
    """What a constant is, or an operator of real numbers gives; None of others."""
    if term.op == CONST:
        return only(const_value(term))
    if term.op not in IMAGES or not isinstance(term.type, Scalar) or not term.type.is_real:
        return None
    args = [numbers.get(a, ANY) for a in term.args]
    if term.op == "mul" and term.args[0] is term.args[1]:
        return square(term.type, args[0])
    return IMAGES[term.op](term.type, args)


def nearest(term: Term) -> dict[Term, None]:
    """What a value is computed from, as far as it is looked at, itself first."""
    near = {term: None}
    order = [term]
    for each in order:
        if len(order) > _DEEP:
            break
        new = [a for a in dict.fromkeys(each.args) if a not in near]
        near.update(dict.fromkeys(new))
        order += new
    return near


def never_negative(term: Term) -> bool:
    """Whether a value is never below 0, as a sum of squares is not; it may be no number."""
    near, numbers = nearest(term), dict[Term, Numbers]()
    for each in postorder([term], lambda t: [a for a in t.args if a in near]):
        numbers[each] = image(each, numbers) or ANY
    return numbers[term].low >= 0


def _is_largest(term: Term, of: Term) -> bool:
    """Whether a term is the largest of several, among them this one."""
    stack, steps = [term], 0
    while stack and steps < _DEEP:
        here, steps = stack.pop(), steps + 1
        if here is of:
            return True
        stack += here.args if here.op == "max" else ()
    return False
