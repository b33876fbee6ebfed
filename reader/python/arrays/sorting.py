"""Numbers in order, by exchanges of two; takes a call of a function of NumPy and a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ..operations.operators import comparison
from .arraycalls import ArrayCall

_NODE = ast.Constant(0)


def in_order(call: ArrayCall, numbers: Sequence[Any]) -> list[Any]:
    """The smallest first; where equal numbers stand, and whose slope is whose, nothing says."""
    found = list(numbers)
    for i, j in exchanges(len(found)):
        a, b = found[i], found[j]
        held = comparison(call.here, _NODE, ast.Lt(), b, a)
        found[i], found[j] = chosen(call, held, b, a), chosen(call, held, a, b)
    return found


def chosen(call: ArrayCall, held: Any, then: Any, other: Any) -> Any:
    """One of two, by a truth that is known or not."""
    if isinstance(held, bool):
        return then if held else other
    return call.session.either(held.term, then, other, call.at)


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """Places to compare, one pair after the other, that bring any numbers into order.

    Batcher's merge exchange, about n log(n)^2 / 4 pairs (Knuth, The Art of Computer Programming
    3, 5.2.2, algorithm M): 9 numbers take 26 and not the 36 that neighbours take, 18 take 82 and
    not 153.

    >>> list(exchanges(3))
    [(0, 2), (0, 1), (1, 2)]
    """
    top = 1 << max(count - 1, 0).bit_length() >> 1
    p = top
    while p:
        q, r, d = top, 0, p
        while d:
            yield from ((i, i + d) for i in range(count - d) if i & p == r)
            d, q, r = q - p, q >> 1, p
        p >>= 1
