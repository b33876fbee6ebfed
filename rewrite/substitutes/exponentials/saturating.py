"""Shares of growth: quotients that have one exponential on both sides, and saturate.

    n*exp(r*t) / (1 + n*(exp(r*t) - 1))    is    n*E / (U + n*(E - U))

Where r*t > 0, E is 1 and U is exp(-r*t), elsewhere U is 1. Far out that is inf/inf as it is
written. Both sides are multiplied by exp(-m) for the larger m of the exponent and 0, which does
not vary, as neither side depends on it. Only beside weights that vary; shares without any are
`sigmoid` by patterns of rule files. Takes a program, gives one.
"""

from __future__ import annotations

from functools import partial

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, DETACH, Term, const, const_value, toposort
from ...factors.common import SUMS, built

_MOST = 32  # terms of one side that are looked at
LINEAR = (*SUMS, "neg", "mul", "div")


def without_saturation(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients by exponentials that do not overflow."""
    if not any(t.op == "exp" for t in toposort([*program.flat, *program.notes])):
        return program
    return program.rewritten(lambda _, here: _share(here, rules))


def _share(term: Term, rules: RuleSet) -> Term | None:
    """A quotient of p*exp(a) and a sum of another multiple of it and of what has none."""
    if term.op != "div":
        return None
    sides = [linear(side) for side in term.args]
    exps = {t for side in sides for t in side if t.op == "exp"}
    if len(exps) != 1 or not all(sides):
        return None
    (exp,) = exps
    degrees = [_degrees(side, exp) for side in sides]
    if not _is_growth(sides, degrees, term):
        return None
    build = partial(built, rules)
    largest = build("max", exp.args[0], const(0.0, term.type))
    most = Term(DETACH, (largest,), None, term.type)
    grown = build("exp", build("sub", exp.args[0], most))
    rest = build("exp", build("neg", most))
    done: dict[Term, Term] = {exp: grown}
    for side, degree in zip(sides, degrees, strict=True):
        for here in side:
            if here not in done and degree[here]:
                done[here] = _scaled(here, degree, done, rest, rules)
    return build("div", *[done[side] for side in term.args])


def linear(top: Term) -> list[Term]:
    """A term and what it consists of by sums and products, arguments first; nothing of too much."""
    order: dict[Term, None] = {}
    stack = [(top, False)]
    while stack:
        term, is_done = stack.pop()
        if is_done:
            order[term] = None
        elif term not in order:
            if len(order) + len(stack) > _MOST:
                return []
            stack.append((term, True))
            if term.op in LINEAR:
                stack += [(a, False) for a in term.args]
    return list(order)


def _degrees(side: list[Term], exp: Term) -> dict[Term, int]:
    """How often the exponential is a factor of each: 0, 1, or more where a term is not linear."""
    found: dict[Term, int] = {}
    for term in side:
        args = [found[a] for a in term.args] if term.op in LINEAR else []
        match term.op:
            case "mul":
                found[term] = sum(args)
            case "div":
                found[term] = args[0] if not args[1] else 2
            case _:
                found[term] = max(args, default=int(term is exp))
    return found


def _is_growth(sides: list[list[Term]], degrees: list[dict[Term, int]], term: Term) -> bool:
    """Whether a multiple of the exponential is divided by a sum of it, one with other weights."""
    above, below = degrees
    if above[term.args[0]] != 1 or below[term.args[1]] != 1:
        return False
    if any(t.op in SUMS and above[t] for t in sides[0]):
        return False  # a step, exp(a) - 1, which has forms of its own
    sums = [t for t in sides[1] if t.op in SUMS and below[t]]
    is_mixed = any(below[a] == 0 for t in sums for a in t.args)
    return is_mixed and any(t.op not in (CONST, *LINEAR) and not below[t] for t in sides[1])


def _scaled(
    term: Term, degree: dict[Term, int], done: dict[Term, Term], rest: Term, rules: RuleSet
) -> Term:
    """exp(-m) times a sum or a product, of which the part with the exponential is known."""
    build = partial(built, rules)
    if term.op not in SUMS:
        return build(term.op, *[done[a] if degree[a] else a for a in term.args])
    parts = [done[a] if degree[a] else times(a, rest, rules) for a in term.args]
    return build(term.op, *parts)


def times(weight: Term, rest: Term, rules: RuleSet) -> Term:
    """A product, of a weight that may be 1."""
    is_one = weight.op == CONST and float(const_value(weight)) == 1
    return rest if is_one else built(rules, "mul", weight, rest)
