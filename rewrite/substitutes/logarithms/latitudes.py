"""Logarithms of tangents, by which maps have latitudes, as the inverse of Gudermann's function.

    log(tan(pi/4 + x/2))                         is    g(x), which has the digits of a small x
    log(tan(pi/4 + b/2)/tan(pi/4 + a/2))         is    g(b) - g(a), with a chord where b is a
    log(tan(pi/4 - x/2)*((1 + e)/(1 - e))**p)    is    log(...) - g(x)

Beside a quarter of pi nothing is left of small angles. Takes a program, gives one.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, const_value, is_const, toposort
from ...factors.common import built
from ...factors.digits import accurate
from ...factors.factored import ALIKE, WHOLE, Factor, Product
from ...guarded.images import Images

_QUARTER = math.pi / 4


def by_latitudes(program: Program, rules: RuleSet) -> Program:
    """The program with such logarithms as sums of functions of latitudes, where digits count."""
    order = toposort([*program.flat, *program.notes])
    if not {t.op for t in order}.issuperset({"log", "tan"}):
        return program
    digits, images = accurate(program.flat), Images(rules)

    def step(old: Term, here: Term) -> Term | None:
        return _of_angles(here, images, rules) if here.op == "log" and old in digits else None

    return program.rewritten(step)


def _of_angles(term: Term, images: Images, rules: RuleSet) -> Term | None:
    """A logarithm of a product with such tangents; None of anything else.

    Nor of one with other factors that may be negative, as their logarithms are no numbers then.
    """
    product, real = Product.of(term.args[0]), term.type
    angles = [(f, _angle(f, rules)) for f in product.factors] if product is not None else []
    if product is None or all(angle is None for _, angle in angles):
        return None
    others = [replace(f) for f, angle in angles if angle is None]
    if product.number < 0 or any(_may_be_negative(factor, images) for factor in others):
        return None
    rest = Product(product.number, others).whole(rules, real)
    found = None if is_const(rest, 1.0) else built(rules, "log", rest)
    for factor, angle in angles:
        if angle is None:
            continue
        part, times = built(rules, "inverse_gudermannian", angle), abs(factor.power) / WHOLE
        part = part if times == 1 else built(rules, "mul", const(times, real), part)
        if found is not None:
            found = built(rules, "add" if factor.power > 0 else "sub", found, part)
        else:
            found = part if factor.power > 0 else built(rules, "neg", part)
    return found


def _may_be_negative(factor: Factor, images: Images) -> bool:
    """Whether a power may be: not an even one, nor one of a power by a fraction."""
    term = factor.term
    if factor.power % (2 * WHOLE) == 0 or images.anywhere(term).low >= 0:
        return False
    (exponent,) = term.args[1:] if term.op == "pow" else (None,)
    fraction = exponent is not None and exponent.op == CONST and const_value(exponent) % 1 != 0
    return not fraction


def _angle(factor: Factor, rules: RuleSet) -> Term | None:
    """x of a power of tan(pi/4 + x/2)."""
    whole = Product.of(factor.term.args[0]) if factor.term.op == "tan" and factor.power else None
    sums = [f.linear for f in whole.factors] if whole is not None else []
    if whole is None or len(sums) != 1 or sums[0] is None or whole.factors[0].power != WHOLE:
        return None
    parts = {term: whole.number * number for term, number in sums[0].items()}
    if abs(parts.pop(None, 0.0) - _QUARTER) > ALIKE * _QUARTER:
        return None
    found: Term | None = None
    for term, number in parts.items():
        assert term is not None
        part = term
        if number != 0.5:
            part = built(rules, "mul", const(2 * number, term.type), term)
        found = part if found is None else built(rules, "add", found, part)
    return found
