"""Logarithms to other bases as natural ones, where patterns of rule files know more of these.

    log10(1 + x)            is    log(1 + x)/log(10), which has a form that keeps its digits
    log2(2**a + 2**b)       is    log(exp(log(2)*a) + exp(log(2)*b))/log(2), which need not overflow

Of all else, log2 and log10 are what they are: they are exact where natural ones are rounded.
Takes a program and patterns, gives a program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import CONST, Term, const, const_value, substitute, toposort
from ....terms.value import scalar
from .multiples import is_met

_BASES = {"log": math.e, "log2": 2.0, "log10": 10.0}
_WITHIN = frozenset({"add", "sub", "mul", "div", "neg"})


def by_naturals(
    program: Program,
    patterns: Sequence[Rewrite],
    is_shared: Callable[[Term], bool],
    rules: RuleSet,
) -> Program:
    """The program with natural logarithms where a pattern is of one, or `is_shared` knows it."""
    order = toposort([*program.flat, *program.notes])
    if not any(term.op in _BASES for term in order):
        return program
    known = [rule for rule in patterns if rule.lhs.op == "log" and not rule.conditions]

    def step(_: Term, here: Term) -> Term | None:
        new = _natural(here, rules) if here.op in _BASES else None
        is_known = new is not None and (is_shared(new) or is_met(new, known))
        return _multiple(here, new, rules) if new is not None and is_known else None

    return program.rewritten(step)


def _natural(term: Term, rules: RuleSet) -> Term | None:
    """The natural logarithm of the same, and of natural exponentials; None where it is that."""
    (arg,) = term.args
    table = {power: new for power in _powers(arg) if (new := _by_exp(power, rules)) is not None}
    if term.op == "log" and not table:
        return None
    (inside,) = substitute([arg], table)
    return apply(rules, "log", [scalar(inside)], term.type).term


def _multiple(term: Term, natural: Term, rules: RuleSet) -> Term:
    """A logarithm by the natural one."""
    if term.op == "log":
        return natural
    number = const(1.0 / math.log(_BASES[term.op]), term.type)
    return apply(rules, "mul", [scalar(number), scalar(natural)], term.type).term


def _powers(term: Term) -> list[Term]:
    """The powers of numbers that a sum of products is of."""
    found, stack, seen = [], [term], {term}
    while stack:
        here = stack.pop()
        if here.op in ("exp2", "pow"):
            found.append(here)
        below = [a for a in here.args if a not in seen] if here.op in _WITHIN else []
        stack += below
        seen.update(below)
    return found


def _by_exp(power: Term, rules: RuleSet) -> Term | None:
    """c**x as exp(log(c)*x); None of a power of what varies, or by a number."""
    base = 2.0 if power.op == "exp2" else _number(power.args[0])
    exponent = power.args[-1]
    if base is None or not 0 < base < math.inf or base == 1 or exponent.op == CONST:
        return None
    by = scalar(const(math.log(base), power.type))
    inside = apply(rules, "mul", [by, scalar(exponent)], power.type)
    return apply(rules, "exp", [inside], power.type).term


def _number(term: Term) -> float | None:
    return float(const_value(term)) if term.op == CONST else None
