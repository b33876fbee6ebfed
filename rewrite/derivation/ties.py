"""Derivatives where two numbers are equal of which a program takes the larger and the smaller.

    m = max(x, y); n = y if x > y else x    m + n is x + y, also where x is y
    m = max(x, y); n = min(x, y)            m*sqrt(1 + (n/m)**2) is smooth where x is y
    sign(x) * log(1 + abs(x))               is smooth where x is 0, so is copysign(1, x) * ...

At a tie the slopes of `max`, `min` and `abs` are the middle of those on both sides; a choice has
that of its arm. So beside a comparison of the same pair all take the side that it takes. Without
one the middle is right, as both sides have the same gradient of what is smooth; but derived once
more, halves of halves are no derivative of anything, and there several take one side, too. One
by itself has a kink at the tie, or what it gives does not matter. A size beside the sign of the
same number has a side, too: of both together the slope is that of x, not 0 times 0. Takes a
program, gives one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...rules.loader.load import shipped_rules
from ...terms.loop import has_loops, map_loops
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, const, const_value, rebuild, toposort
from ...terms.types import Scalar
from ..factors.factored import WHOLE, Product

_Pair = tuple[Term, Term]
#: Operators that take a side, and those that are told which: the same numbers, other slopes.
_SIDED = {"max": "_larger_by", "min": "_smaller_by", "abs": "_size_by"}
#: Comparisons of two numbers, and whether the first one is the larger where they hold.
_COMPARISONS = {"lt": False, "le": False, "gt": True, "ge": True}
_SIGNS = ("sign", "copysign")
_NEAR = 64  # terms in which a size is looked for


def on_one_side(program: Program, rules: RuleSet, *, twice: bool) -> Program:
    """The program with one side for all that look at a pair of numbers, where that is needed.

    Not where somebody has said what the slopes of such operators are.
    """
    if has_loops(program.flat):
        change = partial(on_one_side, rules=rules, twice=twice)
        program = program.with_terms(map_loops(program.flat, change))
    order = toposort([*program.flat, *program.notes])
    pairs = {t: pair for t in order if (pair := _pair(t)) is not None}
    signed = _signed(order, pairs)
    pairs |= {t: pairs[size] for t, size in signed.items()}
    place = {t: i for i, t in enumerate(order)} if len(pairs) > 1 else {}
    sides = _sides(pairs, place, twice) if len(pairs) > 1 else {}
    if not sides or not _have_the_middle(rules):
        return program
    done: dict[Term, Term] = {}
    for term in order:
        here = rebuild(term, tuple([done[a] for a in term.args]))
        own = _ordered(pairs[term], place) if term in pairs else None
        if own in sides and term.op in _SIDED:
            larger = _larger(sides[own], pairs[term], done)
            here = Term(_SIDED[term.op], (larger, *here.args), None, term.type)
        elif own in sides and term in signed:
            larger = _larger(sides[own], pairs[term], done)
            here = _with_sign(here, larger, done[signed[term].args[0]], rules)
        done[term] = here
    return program.with_terms(done)


def _have_the_middle(rules: RuleSet) -> bool:
    """Whether the slopes of all are the shipped ones."""
    own, shipped = rules.operators, shipped_rules().operators
    return all(own[op] == shipped[op] for op in _SIDED)


def _pair(term: Term) -> _Pair | None:
    """The two numbers, other than constants, that a term looks at from both sides."""
    if not term.args or term.args[0].type not in (Scalar.F16, Scalar.F32, Scalar.F64):
        return None
    if term.op == "abs":
        of = term.args[0]
        return (of.args[0], of.args[1]) if of.op == "sub" else (of, const(0.0, of.type))
    if term.op in _SIDED or term.op in _COMPARISONS:
        return term.args[0], term.args[1]
    return None


def _signed(order: Sequence[Term], pairs: Mapping[Term, _Pair]) -> dict[Term, Term]:
    """What gives a size, or what is computed from one, the sign of its number; and that size."""
    if not {t.op for t in order}.intersection(_SIGNS):
        return {}
    sizes = {t.args[0]: t for t in pairs if t.op == "abs"}
    found: dict[Term, Term] = {}
    for term in order:
        size: Term | None = None
        if term.op == "copysign":
            size = sizes.get(term.args[1])
        elif term.op == "mul":
            size = next((sizes[x] for x in _with_signs(term) if x in sizes), None)
        if size is not None and any(_is_of(a, size) for a in term.args if a not in found):
            found[term] = size
    return found


def _with_signs(term: Term) -> list[Term]:
    """The numbers whose signs a product has for factors."""
    product = Product.of(term)
    factors = product.factors if product is not None else []
    return [f.term.args[-1] for f in factors if _is_sign(f.term) and f.power == WHOLE]


def _is_sign(term: Term) -> bool:
    """Whether a term is the sign of a number, or a constant that has it."""
    return term.op == "sign" or (term.op == "copysign" and term.args[0].op == CONST)


def _is_of(term: Term, size: Term) -> bool:
    """Whether a term is computed from a size, as far as it is looked at."""
    near = {term: None}
    order = [term]
    for each in order:
        if each is size or len(order) > _NEAR:
            break
        new = [a for a in dict.fromkeys(each.args) if a not in near]
        near.update(dict.fromkeys(new))
        order += new
    return size in near


def _with_sign(term: Term, larger: Term, number: Term, rules: RuleSet) -> Term:
    """The same number, of which the slope at 0 is that of the side."""
    if term.op == "copysign":
        return Term("_copysign_by", (larger, *term.args), None, term.type)
    product = Product.of(term)
    factors = product.factors if product is not None else []
    for factor in factors:
        if product is not None and _is_sign(factor.term) and factor.term.args[-1] is number:
            rest = product.times(Product(1.0, [replace(factor, power=WHOLE)]), -1)
            assert isinstance(term.type, Scalar)
            by = "_signed_by"
            if factor.term.op == "copysign":
                by = "_turned_by"
                rest.number *= abs(float(const_value(factor.term.args[0])))
            return Term(by, (larger, rest.whole(rules, term.type), number), None, term.type)
    return term


def _sides(
    pairs: Mapping[Term, _Pair], place: Mapping[Term, int], twice: bool
) -> dict[_Pair, Term]:
    """The pairs that several look at, in one order, and the comparison whose side is taken."""
    looks: dict[_Pair, int] = {}
    tips, signed = set[_Pair](), set[_Pair]()
    sides: dict[_Pair, Term] = {}
    for term, pair in pairs.items():
        own = _ordered(pair, place)
        looks[own] = looks.get(own, 0) + 1
        if term.op in _SIDED:
            tips.add(own)
        elif term.op in _COMPARISONS:
            sides.setdefault(own, term)
        else:
            signed.add(own)
    several = [own for own, n in looks.items() if n > 1 and own in tips]
    if not twice:
        several = [own for own in several if own in signed or own in sides]
    return {own: sides.get(own, Term("ge", own, None, Scalar.BOOL)) for own in several}


def _larger(comparison: Term, pair: _Pair, done: Mapping[Term, Term]) -> Term:
    """Whether the first of a pair is the larger, as a comparison has it."""
    first, second = (done.get(t, t) for t in comparison.args)
    here = Term(comparison.op, (first, second), None, Scalar.BOOL)
    holds = _COMPARISONS[comparison.op] == (comparison.args[0] is pair[0])
    return here if holds else Term("logical_not", (here,), None, Scalar.BOOL)


def _ordered(pair: _Pair, place: Mapping[Term, int]) -> _Pair:
    a, b = pair
    return pair if place.get(a, -1) >= place.get(b, -1) else (b, a)
