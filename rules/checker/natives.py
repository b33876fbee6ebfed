"""Comparisons, choices and bits of numbers: what has no mpmath meaning of its own.

Takes mpmath's numbers and truth values, gives one. Knows nothing of rules.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, lshift, or_, rshift, xor
from typing import Any


def _wrapped(number: int) -> int:
    """The integer in 32 bits, as two's complement."""
    return (number + 2**31) % 2**32 - 2**31


def _of_bits(compute: Callable[[int, int], int], moves: bool = False) -> Callable[..., Any]:
    """An operation on 32 bits; what is not defined has no bits."""

    def native(mp: Any, a: Any, b: Any) -> Any:
        if (moves and not 0 <= b <= 31) or a != a or b != b:
            return mp.nan
        return mp.mpf(_wrapped(compute(int(a), int(b))))

    return native


def _clamped(mp: Any, x: Any, lo: Any, hi: Any) -> Any:
    return lo if x < lo or x != x else hi if x > hi else x


#: By name and number of arguments; of all others the meaning is.
NATIVE: dict[tuple[str, int], Callable[..., Any]] = {
    ("lt", 2): lambda mp, a, b: a < b,
    ("le", 2): lambda mp, a, b: a <= b,
    ("gt", 2): lambda mp, a, b: a > b,
    ("ge", 2): lambda mp, a, b: a >= b,
    ("eq", 2): lambda mp, a, b: a == b,
    ("ne", 2): lambda mp, a, b: a != b,
    ("logical_and", 2): lambda mp, a, b: a and b,
    ("logical_or", 2): lambda mp, a, b: a or b,
    ("logical_not", 1): lambda mp, a: not a,
    ("bit_and", 2): _of_bits(and_),
    ("bit_or", 2): _of_bits(or_),
    ("bit_xor", 2): _of_bits(xor),
    ("shl", 2): _of_bits(lshift, moves=True),
    ("shr", 2): _of_bits(rshift, moves=True),
    ("bit_not", 1): lambda mp, a: mp.mpf(~int(a)),
    ("select", 3): lambda mp, c, a, b: a if c else b,
    ("min", 2): lambda mp, a, b: a if a <= b or b != b else b,
    ("max", 2): lambda mp, a, b: a if a >= b or b != b else b,
    ("clamp", 3): _clamped,
    ("min_max", 3): lambda mp, x, lo, hi: mp.nan if lo > hi else _clamped(mp, x, lo, hi),
    ("isnan", 1): lambda mp, x: bool(x != x),
    ("isinf", 1): lambda mp, x: bool(mp.isinf(x)),
    ("isfinite", 1): lambda mp, x: bool(mp.isfinite(x)),
}
