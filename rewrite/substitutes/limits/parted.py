"""What is left of a product without a function and what it is over, as a pattern says it.

Takes a product, a factor f(x) of it and the pattern, gives the rest, what the variables of the
pattern are, and what no longer divides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....terms.rule import RuleSet
from ....terms.term import Term, substitute
from ....terms.types import Scalar
from ...factors.factored import WHOLE, Factor, Product
from ...factors.ratios import Ratio

# What is left of a product, what the variables of the pattern are, and what no longer divides.
Parts = tuple[Product, Mapping[Term, Term], tuple[Factor, ...]]


def parted(
    product: Product,
    factor: Factor,
    ratio: Ratio,
    bound: Mapping[Term, Term],
    rules: RuleSet,
    real: Scalar,
) -> Parts | None:
    """A product without f(x) and the powers of x, or the g(x), that the pattern has beside it."""
    if ratio.other is not None:
        return _with_sum(product, factor, ratio, bound)
    itself = bound[ratio.variable]
    if ratio.order < 0 and [*bound.values()].count(itself) > 1:
        return None  # x*log(x*y) is not about x*log(x*x)
    argument = Product.of(itself)
    gone = _gone(product, factor, ratio, argument) if argument is not None else ()
    if argument is None or not gone:
        return None
    rest = without_function(product, factor, ratio)
    if ratio.times is None:
        return rest.times(argument, ratio.power * ratio.order), bound, gone
    below = Product(1.0, [_below(f, product) for f in argument.factors])
    left = argument.times(below, -1)
    if not left.varies():
        return None
    table = {ratio.variable: below.whole(rules, real), ratio.times: left.whole(rules, real)}
    return rest.times(below), {**bound, **table}, gone


def zeros(ratio: Ratio, bound: Mapping[Term, Term], gone: tuple[Factor, ...]) -> Sequence[Factor]:
    """What has to be 0 for a quotient to be 0/0: of x over f(x) the factors of x."""
    if ratio.power > 0 or ratio.other is not None:
        return gone
    argument = Product.of(bound[ratio.variable])
    return [f for f in argument.factors if f.power > 0] if argument is not None else gone


def _with_sum(
    product: Product, factor: Factor, ratio: Ratio, bound: Mapping[Term, Term]
) -> Parts | None:
    """A product without f(x) and g(x), if that is on the other side of the line."""
    assert ratio.other is not None
    if factor.power * ratio.power < WHOLE:
        return None
    (term,) = substitute([ratio.other], bound)
    sum_ = Product.of(term)
    if sum_ is None or len(sum_.factors) != 1:
        return None
    other = sum_.factors[0]
    if product.power_of(other) * ratio.power * ratio.order > -other.power:
        return None
    rest = without_function(product, factor, ratio).times(sum_, ratio.power * ratio.order)
    return rest, bound, (other if ratio.power > 0 else factor,)


def without_function(product: Product, factor: Factor, ratio: Ratio) -> Product:
    """A product without the f(x) of a pattern, above the line or below it."""
    return product.times(Product(1.0, [Factor(factor.term, WHOLE, factor.linear)]), -ratio.power)


def _below(factor: Factor, product: Product) -> Factor:
    """As much of a factor of the argument as the product divides by."""
    there, most = -product.power_of(factor), factor.power
    return replace(factor, power=max(min(most, there), 0) if most > 0 else min(max(most, there), 0))


def _gone(
    product: Product, function: Factor, ratio: Ratio, argument: Product
) -> tuple[Factor, ...]:
    """What no longer divides once f(x) and x are one; what no longer is 0 beside an infinite f(x).

    f(x) under the line: all of x has to go from what is above, less what has cancelled there.
    Above: some of x from below, as often as the pattern says, or all of it from beside f(x).
    """
    zeros = [f for f in argument.factors if f.power > 0]
    if function.power * ratio.power < WHOLE or not zeros:
        return ()
    if ratio.order < 0:
        beside = [product.power_of(f) >= -ratio.order * f.power for f in zeros]
        return tuple(zeros) if all(beside) else ()
    if ratio.power > 0:
        below = [f for f in zeros if product.power_of(f) < 0]
        often = any(-product.power_of(f) >= ratio.order * f.power for f in below)
        return tuple(below) if often or ratio.order == 1 else ()
    left = [f for f in zeros if product.power_of(f) < ratio.order * f.power]
    return (function,) if len(left) < len(zeros) and all(map(product.divides_by, left)) else ()
