"""Factors that are roots of quotients, by the root that a function beside them is of.

    sqrt(g/k) * tanh(sqrt(g*k)*t)    is    g/sqrt(g*k) * tanh(sqrt(g*k)*t)    where k >= 0
    sqrt(pi/t) * erf(sqrt(t))        is    sqrt(pi)/sqrt(t) * erf(sqrt(t))

So a function is divided by what it is of, and patterns of rule files see that. Takes a program,
gives one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import SELECT, VAR, Term, const, rebuild, toposort
from ....terms.types import Scalar
from ....terms.value import scalar
from ...factors.factored import WHOLE, Factor, Product
from ...guarded.images import Images

_PRODUCTS = frozenset({"mul", "div", "neg"})
_SQUARE = 2 * WHOLE


def by_one_root(program: Program, patterns: Sequence[Rewrite], rules: RuleSet) -> Program:
    """The program with roots of quotients over those that functions are of.

    Of functions that a pattern divides by what they are of.
    """
    terms = toposort(program.flat)
    roots = [t for t in terms if t.op == "sqrt"]
    if len(roots) < 2:
        return program
    functions = {op for rule in patterns for op in _divided(rule.lhs)}
    inner = dict.fromkeys(_inside_of(functions, terms))
    images = Images(rules)
    new: dict[Term, Term] = {}
    for root in roots:
        if root not in inner:
            found = (_over(root, other, rules, images) for other in inner)
            by = next((each for each in found if each is not None), None)
            new.update({} if by is None else {root: by})
    if not new:
        return program
    done: dict[Term, Term] = {}
    for term in toposort([*new.values(), *program.flat, *program.notes]):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        done[term] = done.get(new[term], here) if term in new else here
    return program.with_terms(done)


def _divided(pattern: Term) -> Iterator[str]:
    """The function of a pattern that is f(x)/x or x/f(x)."""
    for f, x in (pattern.args, pattern.args[::-1]) if pattern.op == "div" else ():
        if x.op == VAR and f.args == (x,) and f.op not in _PRODUCTS:
            yield f.op


def _inside_of(functions: Set[str], terms: Sequence[Term]) -> Iterator[Term]:
    """The roots that are factors of what these functions are of."""
    for term in terms:
        if term.op not in functions:
            continue
        stack = list(term.args)
        while stack:
            here = stack.pop()
            if here.op == "sqrt":
                yield here
            elif here.op in _PRODUCTS:
                stack += here.args


def _over(root: Term, other: Term, rules: RuleSet, images: Images) -> Term | None:
    """A root over another one, if the product of both is none; None otherwise."""
    both = [Product.of(r.args[0]) for r in (root, other)]
    if both[0] is None or both[1] is None or root.type is not other.type:
        return None
    square = both[0].times(both[1])
    left = [f for f in square.factors if f.power]
    if square.number <= 0 or any(f.power % _SQUARE for f in left):
        return None
    above = Product(square.number**0.5)
    for factor in left:
        times = factor.power // _SQUARE
        size = _size(factor, both[1], rules, images) if times % 2 else factor.term
        if size is None:
            return None
        above.factors.append(Factor(size, times * WHOLE, None))
    whole = above.whole(rules, root.type)
    return apply(rules, "div", [scalar(whole), scalar(other)], root.type).term


def _size(factor: Factor, under: Product, rules: RuleSet, images: Images) -> Term | None:
    """The magnitude of a factor of what is under a root: it has the sign of all others."""
    term = factor.term
    if all(low >= 0 for low, _ in images.anywhere(term).parts):
        return term
    beside = Product(under.number, [f for f in under.factors if f.term is not term])
    if under.power_of(factor) % _SQUARE == 0:
        return None
    rest = beside.whole(rules, term.type)
    if all(low >= 0 for low, _ in images.anywhere(rest).parts):
        return term
    there = Term("ge", (rest, const(0.0, term.type)), None, Scalar.BOOL)
    negative = apply(rules, "neg", [scalar(term)], term.type).term
    return Term(SELECT, (there, term, negative), None, term.type)
