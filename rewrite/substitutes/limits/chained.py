"""Functions of functions over what the innermost of them vanishes with.

    f(g(l)) / l    is    f(u)/u * g(l)/l,  u = g(l),    and so is  l / f(g(l))

Every quotient of a function and its argument has a value where both are 0, as a pattern says, and
the last argument cancels with l: 2*sin(atan2(l, z)/2) / l, as cameras with fisheye lenses have it.
Takes a product and the functions of patterns, gives the product without the quotient.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ....terms.rule import RuleSet
from ....terms.term import Term, substitute
from ....terms.types import Scalar
from ...factors.common import of_common_factors
from ...factors.factored import WHOLE, Factor, Product
from ...factors.ratios import Functions, Ratio
from .parted import without_function

_LINKS = 8  # so many quotients are tried

_Link = tuple[Factor, Ratio, Mapping[Term, Term]]  # f(u), its pattern, and what u is


def through_functions(
    product: Product,
    outermost: _Link,
    found: Functions,
    vain: Collection[Term],
    rules: RuleSet,
    real: Scalar,
) -> tuple[Product, Sequence[Term], tuple[Factor, ...]] | None:
    """What is left of a product, the quotients of functions and their arguments, and what has
    cancelled with the last argument; None where nothing does."""
    waiting: list[tuple[Product, list[Term], _Link]] = [(product, [], outermost)]
    for _ in range(_LINKS):
        if not waiting:
            break
        whole, values, (function, ratio, bound) = waiting.pop()
        inside = Product.of(bound[ratio.variable])
        if inside is None:
            continue
        argument = of_common_factors(inside, rules, real)
        (value,) = substitute([ratio.result], bound)
        left = without_function(whole, function, ratio)
        left = left.times(argument, ratio.power * ratio.order)
        gone = _cancelled(product, left, argument, ratio.power)
        if gone and values:
            return left, [*values, value], gone
        inner = [f for f in argument.factors if f.power >= WHOLE and f.term not in vain]
        links = [(f, r, b) for f in inner for r, b in found.of(f.term) if is_link(r, ratio.power)]
        waiting += [(left, [*values, value], link) for link in links]
    return None


def is_link(ratio: Ratio, power: int) -> bool:
    """Whether a pattern is f(x)/x, or a power of x below, or x/f(x) for a power of -1.

    The latter of x alone: hypot(1, x) is not 0 with x.
    """
    plain = ratio.times is None and ratio.other is None and ratio.order > 0
    return plain and ratio.power == power and (power > 0 or len(ratio.function.args) == 1)


def _cancelled(
    before: Product, after: Product, argument: Product, power: int
) -> tuple[Factor, ...]:
    """What an argument has that was on the other side of the line, and no longer is."""
    zeros = [f for f in argument.factors if f.power > 0]
    there = [f for f in zeros if before.power_of(f) * power < 0]
    if power > 0:
        return tuple(there)
    return tuple(there) if all(after.power_of(f) >= 0 for f in zeros) else ()
