"""Smooth operators: those whose slopes are numbers wherever they are, without a choice.

Two terms of them that are equal as numbers have equal derivatives of all orders. Of others that is
not so: `where(x > 0, x, 0)` and `max(x, 0)` have two slopes at 0, `sqrt(x*x)` and `abs(x)` too. Who
may rewrite a function before it is derived, without a change of what its derivative is, rewrites
smooth operators alone. Which these are is read from the rules, nothing is known by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ...terms.applied import environment
from ...terms.apply import instantiate
from ...terms.rule import Operator, RuleSet
from ...terms.term import CONST, VAR, Term, const_value, is_zero, toposort, var
from ...terms.types import Scalar
from ...terms.value import scalar
from ..egraph.numbers import values
from .define import define

# Where slopes have their gaps: at the ends of domains, and where arguments are equal.
_SPECIAL = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
_LEAVES = frozenset({VAR, CONST})


@dataclass(frozen=True, slots=True)
class Smooth:
    """The operators that are smooth, and the rules with those rewrites alone that name no other."""

    operators: frozenset[str]
    rules: RuleSet

    @staticmethod
    def of(rules: RuleSet, concerned: frozenset[str]) -> Smooth:
        """What is smooth of the operators that concern a program; ask for it by `RuleSet.once`."""
        operators = _operators(rules, concerned)
        kept = operators | _LEAVES
        rewrites = [
            rule
            for rule in rules.rewrites
            if not rule.primal and all(t.op in kept for t in toposort([rule.lhs, rule.rhs]))
        ]
        return Smooth(operators, replace(rules, rewrites=tuple(rewrites)))

    def has(self, term: Term) -> bool:
        """Whether a term is a smooth operator of reals; whole numbers have no slope."""
        return term.op in self.operators and all(
            isinstance(t.type, Scalar) and t.type.is_real for t in (term, *term.args)
        )


def _operators(rules: RuleSet, concerned: frozenset[str]) -> frozenset[str]:
    """The smooth operators: those of candidates whose partials are made of such, and numbers."""
    left = {name: o for name, o in rules.at_numbers.items() if _is_candidate(o, rules)}
    asked = [p for name, o in left.items() if name in concerned for p in _partials(o)]
    wanted = concerned | _below(asked, left)
    left = {name: o for name, o in left.items() if name in wanted}
    left = {name: o for name, o in left.items() if _has_slopes(o, rules)}
    while True:
        known = _LEAVES.union(left)
        names = [n for n, o in left.items() if all(t.op in known for t in toposort(_partials(o)))]
        if len(names) == len(left):
            return frozenset(names)
        left = {name: left[name] for name in names}


def _below(partials: Sequence[Term], operators: Mapping[str, Operator]) -> frozenset[str]:
    """The operators that slopes are made of, of any order."""
    known: dict[str, None] = {}
    new = dict.fromkeys([t.op for t in toposort(partials)])
    while new:
        known.update(new)
        more = [p for name in new if name in operators for p in _partials(operators[name])]
        new = dict.fromkeys([t.op for t in toposort(more) if t.op not in known])
    return frozenset(known)


def _is_candidate(operator: Operator, rules: RuleSet) -> bool:
    """Whether a primitive of reals states a slope of its value, which is not 0 everywhere.

    The slope that somebody else has given to it need not be that of its value.
    """
    real = all(p.kind in ("real", "number") for p in (*operator.params, operator.result))
    honest = operator.is_primitive and not operator.nondiff and not operator.unchecked
    told = bool(operator.partials) and None not in operator.partials
    if not (real and honest and told) or operator.name in rules.restated:
        return False
    return not all(is_zero(partial) for partial in _partials(operator))


def _partials(operator: Operator) -> list[Term]:
    return [partial for partial in operator.partials if partial is not None]


def _has_slopes(operator: Operator, rules: RuleSet) -> bool:
    """Whether the partials are numbers at all special points where the value is one.

    The slope of a root is none at 0, where the root is a number: there rules of roots are none of
    slopes.
    """
    real = Scalar.F64
    args = [var(name, real) for name in operator.names]
    value = Term(operator.name, tuple(args), None, real)
    env = environment(operator, [real] * len(args), args)
    env[operator.result.name] = scalar(value)
    slopes = [instantiate(rules, p, env, real, operator.at).term for p in _partials(operator)]
    flat = define(rules, [value, *slopes], real, derived=True)
    if any(rules.at_numbers.get(t.op) is None for t in toposort(flat) if t.op not in _LEAVES):
        return False  # a choice, or something else that is no operator of numbers
    points = np.array(list(product(_ends(operator), repeat=len(args)))).T
    found = values(rules, flat, dict(zip(args, points, strict=True)))
    there, *numbers = [np.isfinite(np.asarray(found[t], np.float64)) for t in flat]
    return all(bool(np.all(number | ~there)) for number in numbers)


def _ends(operator: Operator) -> Sequence[float]:
    """The special numbers, and those that the operator's domain names."""
    named = [] if operator.domain is None else toposort([operator.domain])
    numbers = [float(const_value(t)) for t in named if t.op == CONST]
    return list(dict.fromkeys([*_SPECIAL, *numbers]))
