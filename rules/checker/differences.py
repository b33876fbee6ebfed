"""One-sided and central differences in high precision.

Takes a function of one number in mpmath, gives its derivative at 0, or what may stand for it
where there is none. Knows nothing of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .compare import defined, shown

RELATIVE = 1e-15
ONE_SIDED = 1e-7
ABSOLUTE = 1e-30
_SHRINK = 10_000
_BLURRED = 1_000  # second derivatives are rarely larger
_DOUBLE = 2.0**-52  # relative: how far a constant may be rounded
_GROWTH = 1e-3  # where a derivative exists, differences change by about the step


@dataclass(frozen=True)
class Slope:
    """All derivatives that a rule may give: the numbers from `low` to `high`."""

    low: Any
    high: Any
    tolerance: float

    def accepts(self, value: Any, rounding: Any = 0) -> bool:
        """Whether the value is one of them, or no further from one than `rounding`."""
        import mpmath

        if value != value:
            return False
        if mpmath.isinf(value):
            return bool(value in (self.low, self.high))
        slack = (
            rounding
            + ABSOLUTE
            + self.tolerance
            * max(abs(b) for b in (self.low, self.high, mpmath.mpf(0)) if mpmath.isfinite(b))
        )
        return bool(self.low - slack <= value <= self.high + slack)

    def error(self, value: Any) -> float:
        """The relative error of an accepted value; 0 in the interior of an interval."""
        if self.low != self.high or not defined(value) or not defined(self.low):
            return 0.0
        return float(abs(value - self.low) / max(abs(self.low), ABSOLUTE))

    def __str__(self) -> str:
        if self.low == self.high:
            return shown(self.low)
        return f"a value in [{shown(self.low)}, {shown(self.high)}]"


def slope(f: Callable[[Any], Any], digits: int = 70, blur: Any = 0) -> Slope | None:
    """The derivative of f at 0; None where neither side has one.

    `blur` is how far values of f may be off: where f is a difference itself, by its step.

    Smooth: central differences of order 4. Elsewhere the interval between the one-sided
    derivatives; an infinite one where differences grow without bound as the step shrinks.
    """
    import mpmath

    with mpmath.workdps(digits):
        step = mpmath.mpf(10) ** (-digits // 4)
        centre = f(mpmath.mpf(0))
        if not defined(centre):
            return None
        noise = abs(centre) * mpmath.mpf(10) ** (5 - digits) * _SHRINK / step + ABSOLUTE
        noise += _BLURRED * blur * _SHRINK / step
        above, below = (
            [f(sign * step), f(2 * sign * step), f(sign * step / _SHRINK)] for sign in (1, -1)
        )
        right, left = _side(above, centre, step, noise), _side(below, centre, -step, noise)
        if right is None and left is None:
            right, left = _beside(above, centre, step), _beside(below, centre, -step)
        if right is None or left is None:
            side = left if right is None else right
            return None if side is None else Slope(side, side, ONE_SIDED)
        if not (mpmath.isfinite(left) and mpmath.isfinite(right)):
            return Slope(min(left, right), max(left, right), ONE_SIDED)
        if abs(left - right) > ONE_SIDED * max(abs(left), abs(right)) + ABSOLUTE:
            return Slope(min(left, right), max(left, right), ONE_SIDED)
        near, far = above[0] - below[0], above[1] - below[1]
        middle = (8 * near - far) / (12 * step)
        return Slope(middle, middle, RELATIVE)


def _side(values: Sequence[Any], centre: Any, step: Any, noise: Any) -> Any:
    """The one-sided derivative, of order 2: (-3 f(0) + 4 f(h) - f(2h)) / 2h.

    The values are f(h), f(2h), and one at a far smaller step. None at a jump: differences grow as
    fast as the step shrinks, by more than rounding does.
    """
    import mpmath

    if not all(defined(v) for v in values):
        return None
    coarse, fine = (values[0] - centre) / step, (values[2] - centre) / (step / _SHRINK)
    if abs(fine) > 0.9 * _SHRINK * abs(coarse) and abs(fine) > noise:
        return None
    if abs(fine - coarse) > _GROWTH * abs(fine) and abs(fine) > 1:
        return mpmath.sign(fine) * mpmath.inf
    return (4 * values[0] - values[1] - 3 * centre) / (2 * step)


def _beside(values: Sequence[Any], centre: Any, step: Any) -> Any:
    """The one-sided derivative without f(0), where a rule states a limit there, as a double.

    None where f(0) is another number, or two differences disagree.
    """
    if not all(defined(v) for v in values) or abs(values[2] - centre) > _DOUBLE * abs(centre):
        return None
    far = (values[1] - values[0]) / step
    near = (values[0] - values[2]) / (step - step / _SHRINK)
    return far if abs(far - near) <= _GROWTH * abs(far) else None
