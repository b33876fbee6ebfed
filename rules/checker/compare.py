"""Comparing two values in as many digits as it takes, and saying where they differ.

Takes functions that compute in mpmath, gives verdicts; knows nothing of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .faults import Unknown
from .judge import flatten

DIGITS = (50, 130, 1200)
TOLERANCE = 1e-13  # constants in rules are doubles
_SHOWN = (6, 8, 10, 12, 14, 17)  # digits of numbers in messages, as many as it takes
_UNSEEN = 1e-300  # differences below the range of floats


@dataclass
class Tally:
    """What the check of one rule has seen so far."""

    samples: int = 0
    worst: float = 0.0

    def error(self, value: Any) -> None:
        """Remember a relative error."""
        self.worst = max(self.worst, float(value))


@dataclass(frozen=True)
class Verdict:
    """Two values that were computed; `same` is None where the digits did not suffice."""

    left: Any
    right: Any
    same: bool | None
    error: float = 0.0


def settle(
    left: Callable[[], Any], right: Callable[[], Any], tolerance: float = TOLERANCE
) -> Verdict | None:
    """Whether both functions have one value, component by component.

    None where the left side is undefined (NaN or infinite). Where the two differ, both are
    computed again with more digits, until they stand still.
    """
    import mpmath

    before: tuple[list[Any], list[Any]] | None = None
    for digits in DIGITS:
        with mpmath.workdps(digits):
            try:
                a, b = flatten(left()), flatten(right())
            except Unknown:
                return None
            if not all(defined(x) for x in a):
                return None
            error = _distance(a, b)
            if error <= tolerance:
                return Verdict(a, b, True, error)
            # A side that is 0 may have lost all digits: only the last attempt believes it.
            vanished = digits < DIGITS[-1] and any(v == 0 for v in (*a, *b))
            if before and not vanished and _still(before[0], a) and _still(before[1], b):
                return Verdict(a, b, False, error)
            before = a, b
    return Verdict(before[0], before[1], None) if before else None


def defined(value: Any) -> bool:
    """Whether the value is a finite real number, or a truth value."""
    if isinstance(value, bool):
        return True
    import mpmath

    return bool(mpmath.isfinite(value))


def _distance(a: Sequence[Any], b: Sequence[Any]) -> float:
    """The largest relative difference; infinite where the right side is undefined."""
    return max((_apart(x, y) for x, y in zip(a, b, strict=True)), default=0.0)


def _apart(x: Any, y: Any) -> float:
    if isinstance(x, bool) or isinstance(y, bool):
        return 0.0 if bool(x) == bool(y) else 1.0
    if not defined(y):
        return float("inf")
    gap = abs(x - y)
    return 0.0 if gap <= _UNSEEN else float(gap / max(abs(x), abs(y)))


def _still(before: Sequence[Any], now: Sequence[Any]) -> bool:
    """Whether more digits did not change the values."""
    for x, y in zip(before, now, strict=True):
        if defined(x) != defined(y) or (defined(x) and _apart(x, y) > 1e-20):
            return False
    return True


def shown(value: Any, digits: int = _SHOWN[0]) -> str:
    """A value, short, for error messages."""
    parts = flatten(value)
    texts = [_short(part, digits) for part in parts]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def shown_apart(left: Any, right: Any) -> tuple[str, str]:
    """Two values, in as few digits as tell them apart.

    >>> shown_apart(2 / 3, 0.66666671), shown_apart(1.0, 1 + 1e-9)
    (('0.66666667', '0.66666671'), ('1.0', '1.000000001'))
    """
    for digits in _SHOWN:
        texts = shown(left, digits), shown(right, digits)
        if len({text.replace(".0,", ",").removesuffix(".0") for text in texts}) == len(texts):
            break
    return texts


def _short(value: Any, digits: int) -> str:
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return str(bool(value))
    import mpmath

    if isinstance(value, mpmath.mpf):
        value = float(value) if 1e-300 < abs(value) < 1e300 or value == 0 else value
    if isinstance(value, mpmath.mpf):
        return str(mpmath.nstr(value, digits))
    number = float(value)
    plain = number == round(number, 6) and abs(number) < 1e6
    return repr(number) if plain else f"{number:.{digits}g}"


def place(point: Mapping[str, Any]) -> str:
    """`x=-2.28, y=0.5`: where something was tried."""
    return ", ".join(f"{name}={_raw(value)}" for name, value in point.items())


def _raw(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_raw(v) for v in value)}]"
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return str(bool(value))
    number = float(value)
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)
