"""Means by two exponentials, by the shares of these: nothing overflows, and nothing is 0/0.

    (v*exp(a) + w*exp(b)) / (exp(a) + exp(b))    is    v*sigmoid(a - b) + w*sigmoid(b - a)
    (v*exp(a) + w) / (1 + exp(a))                is    v*sigmoid(a) + w*sigmoid(-a)
    x*(v*exp(a) + w) / (1 - exp(a))              is    v*x/(exp(-a) - 1) + w*x/(1 - exp(a))

What has no weights is `sigmoid` and `tanh` by patterns of rule files. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, const, is_const, toposort
from ...factors.common import built, summands, total
from .shares import inside_product, way_to_exponential

_Shares = Mapping[Term | None, Term]  # of exponents, and of 1


def without_means(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients as sums of shares."""
    roots = [*program.flat, *program.notes]
    if not any(term.op == "exp" for term in toposort(roots)):
        return program
    logarithms = {t.args[0] for t in toposort(roots) if t.op == "log"}
    return program.rewritten(
        lambda old, here: _mean(here, rules, old in logarithms) or _current(here, rules)
    )


def _current(term: Term, rules: RuleSet) -> Term | None:
    """What flows both ways through a membrane, each by itself: far from 0 one exponential is inf.

    Only with another factor above, which is 0 where what divides is: without, both have a pole.
    """
    if term.op != "div" or term.args[0].op != "mul" or term.args[1].op != "sub":
        return None
    one, power = term.args[1].args
    sign = 1 if is_const(one, 1.0) else -1
    exp = power if sign == 1 else one
    if exp.op != "exp" or not (is_const(one, 1.0) or is_const(power, 1.0)):
        return None
    build = partial(built, rules)
    for sum_, factor in (term.args[0].args[::-1], term.args[0].args):
        ways = [(s, part, way_to_exponential(part)) for s, part in summands(sum_)]
        if len({bool(way) for _, _, way in ways}) < 2:
            continue
        if any(way and way[-1][0] is not exp for _, _, way in ways):
            return None
        number, back = const(1.0, term.type), exp.args[0]
        turned = back.args[0] if back.op == "neg" else build("neg", back)
        parts: list[tuple[int, Term]] = []
        for s, part, way in ways:
            above = build("mul", factor, inside_product(way, number, rules) if way else part)
            below = build("exp", turned) if way else exp
            by = build("sub", below, number) if way else build("sub", number, below)
            parts.append((s * sign, build("div", above, by)))
        return total(parts, rules, term.type)
    return None


def _mean(term: Term, rules: RuleSet, is_in_logarithm: bool) -> Term | None:
    """A quotient of sums of the same two exponentials, of which one may be 1.

    Of shares without weights only those with a logarithm: they would meet in p*log(p) first.
    """
    shares = _shares(term.args[1], rules) if term.op == "div" else {}
    above = summands(term.args[0]) if shares else []
    if not above:
        return None
    if all(part.op == "exp" or is_const(part, 1.0) for _, part in above) and (
        None in shares or not is_in_logarithm
    ):
        return None
    if len(above) < 2 and None in shares:
        return None
    parts = [(sign, _weighted(part, shares, rules)) for sign, part in above]
    known = [(sign, part) for sign, part in parts if part is not None]
    return total(known, rules, term.type) if len(known) == len(parts) else None


def _shares(term: Term, rules: RuleSet) -> _Shares:
    """Of a sum of two exponentials, of which one may be 1, what each is of it."""
    added = summands(term) if term.op == "add" else []
    if len(added) != 2 or any(sign < 0 for sign, _ in added):
        return {}
    ends = [part.args[0] if part.op == "exp" else None for _, part in added]
    if ends[0] is ends[1] or any(
        end is None and not is_const(part, 1.0) for end, (_, part) in zip(ends, added, strict=True)
    ):
        return {}
    return {a: _share(a, b, term, rules) for a, b in (ends, ends[::-1])}


def _share(a: Term | None, b: Term | None, like: Term, rules: RuleSet) -> Term:
    """exp(a)/(exp(a) + exp(b)), None is 0."""
    build = partial(built, rules)
    if a is None or b is None:
        return build("sigmoid", build("neg", b) if a is None and b is not None else a or like)
    return build("sigmoid", build("sub", a, b))


def _weighted(part: Term, shares: _Shares, rules: RuleSet) -> Term | None:
    """What is summed over the sum of both exponentials; None where that is not known."""
    way = way_to_exponential(part)
    if not way:
        own = shares.get(None)
        return None if own is None else built(rules, "mul", part, own)
    exponent = way[-1][0].args[0]
    return inside_product(way, shares[exponent], rules) if exponent in shares else None
