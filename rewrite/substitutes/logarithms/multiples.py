"""Logarithms of multiples, where patterns know the logarithm of what is multiplied.

    log(2*sinh(x/2))        is    log(2) + log(sinh(x/2)), of which a form does not overflow
    log(a/cosh(x)**2)       is    log(a) - 2*log(cosh(x)), as a hyperbolic cosine is positive

Where the product overflows its logarithm is no number, and second derivatives are worse, finite and
wrong: of cosh(h)**2/sinh(h)**2 - 1 the quotient is 0 where the square is infinite. Only of one
factor with an exponential in it, as quotients of such have forms of their own. Takes a program and
patterns, gives a program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import Term, const, is_const, toposort
from ...egraph.encode import typed
from ...egraph.rulebook import meeting_types
from ...factors.common import built
from ...factors.factored import WHOLE, Factor, Product
from ...factors.ratios import matched
from ...guarded.images import Images

_GROWING = frozenset({"exp", "expm1", "exp2", "sinh", "cosh"})
_NEAR = 64  # terms of a factor that are looked at


def of_multiples(
    program: Program,
    patterns: Sequence[Rewrite],
    is_shared: Callable[[Term], bool],
    rules: RuleSet,
) -> Program:
    """The program with such logarithms as sums; not of what `is_shared` knows as it is."""
    order = toposort([*program.flat, *program.notes])
    if not any(t.op == "log" for t in order) or not any(t.op in _GROWING for t in order):
        return program
    known = [r for r in patterns if r.lhs.op == "log" and not r.conditions]
    images = Images(rules)

    def step(_: Term, here: Term) -> Term | None:
        if here.op != "log" or is_shared(here) or is_met(here, known):
            return None
        return _apart(here, known, images, rules)

    return program.rewritten(step)


def _apart(term: Term, known: Sequence[Rewrite], images: Images, rules: RuleSet) -> Term | None:
    """A logarithm of a product as a sum; None where no pattern knows that of the one factor."""
    product, real = Product.of(term.args[0]), term.type
    if product is None:
        return None
    grown = [f for f in product.factors if f.power and _grows(f.term)]
    if len(grown) != 1 or grown[0].term is term.args[0]:
        return None
    (factor,) = grown
    own = built(rules, "log", factor.term)
    others = [f for f in product.factors if f is not factor]
    rest = Product(product.number, others).whole(rules, real)
    if not is_met(own, known) or not _are_apart(factor, rest, images):
        return None
    power = abs(factor.power) / WHOLE
    part = own if power == 1 else built(rules, "mul", const(power, real), own)
    if is_const(rest, 1.0):
        return part if factor.power > 0 else built(rules, "neg", part)
    return built(rules, "add" if factor.power > 0 else "sub", built(rules, "log", rest), part)


def _are_apart(factor: Factor, rest: Term, images: Images) -> bool:
    """Whether the logarithm of a power times the rest is that of both: not if they are negative."""
    if images.anywhere(factor.term).low >= 0:
        return True
    return factor.power % (2 * WHOLE) != 0 and images.anywhere(rest).low >= 0


def _grows(term: Term) -> bool:
    """Whether there is an exponential in a term; of large ones, as if there were."""
    below = toposort([term])
    return len(below) > _NEAR or any(t.op in _GROWING for t in below)


def is_met(term: Term, patterns: Sequence[Rewrite]) -> bool:
    """Whether a term is what one of the patterns is of."""
    return any(
        meeting_types(rule, (term.type,)) and matched(typed(rule.lhs, term.type), term) is not None
        for rule in patterns
    )
