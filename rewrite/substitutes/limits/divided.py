"""By what each result of a program divides: what one is rid of may stand in another.

Takes terms and what is asked of divisors, as bits; gives the bits of all that a result is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....terms.term import Term, toposort
from ...factors.factored import Factor, Product
from ...guards import Guard, guards

Bits = int


def dividing(roots: Sequence[Term], bits_of: Callable[[Term, Guard], Bits]) -> list[Bits]:
    """For each root the bits of divisors, under the guards that they are used under."""
    found: dict[Term, Bits] = {}
    needed = guards(roots)
    for term in toposort(roots):
        bits = bits_of(term.args[-1], needed[term]) if term.op in ("div", "rcp") else 0
        for arg in term.args:
            bits |= found[arg]
        found[term] = bits
    return [found[root] for root in roots]


def bits_among(divisor: Term, factors: Sequence[Factor]) -> Bits:
    """Which of these factors a divisor has, by their places."""
    product = Product.of(divisor)
    if product is None:
        return 0
    return sum(1 << place for place, each in enumerate(factors) if product.power_of(each))


def gained(before: Sequence[Bits], after: Sequence[Bits], bits: Bits) -> bool:
    """Whether some result no longer divides by any of these."""
    return any(was & bits and not now & bits for was, now in zip(before, after, strict=True))
