"""Takes a number of elements, gives the launches that cover them, as plain data.

Intel's CPU runtime pays for every work-group: 40 ns for 40 arguments, as much as 16 evaluations
of a small kernel. So its groups are wide, as long as every core has several of them. Elsewhere
groups have 64 work-items: other runtimes compile a kernel again for each size that they meet.
"""

from __future__ import annotations

from dataclasses import dataclass

GROUP = 64
WIDEST = 4096
LANES = 16  # of a vector: a wide group is a multiple of this
GROUPS_PER_UNIT = 4  # so that cores which are done can take over from others; see `_width`
SPLIT = 16_384  # elements from which on a second launch is paid back by wider groups
NARROWER = 8  # by so much at most, if that saves the second launch


@dataclass(frozen=True, slots=True)
class Launch:
    """Elements `first` to `first + count`, in groups of `width`, which divides `count`."""

    first: int
    count: int
    width: int


@dataclass(frozen=True, slots=True)
class Widths:
    """What groups a device runs a kernel in: of `least` work-items; where it is `wide`, of more."""

    least: int
    most: int
    units: int = 1
    wide: bool = False

    @staticmethod
    def of(limit: int, units: int, wide: bool) -> Widths:
        """For a kernel that the device runs in groups of at most `limit` work-items."""
        least = max(min(GROUP, 1 << max(limit.bit_length() - 1, 0)), 1)
        most = min(WIDEST, limit) // LANES * LANES
        wide = wide and most > least
        return Widths(least, most if wide else least, max(units, 1), wide)


def launches(n: int, widths: Widths) -> list[Launch]:
    """The launches over `n` elements: full groups, and the rest in a second launch.

    >>> launches(4224, Widths.of(8192, 1, True))
    [Launch(first=0, count=4224, width=1056)]
    >>> launches(100, Widths.of(4096, 1, False))
    [Launch(first=0, count=64, width=64), Launch(first=64, count=36, width=1)]
    """
    width = _width(n, widths)
    full = n - n % width
    found = [Launch(0, full, width)] if full else []
    if n > full:
        # Local size 1: pocl compiles a kernel again for each local size that it meets.
        found.append(Launch(full, n - full, n - full if widths.wide else 1))
    return found


def _width(n: int, widths: Widths) -> int:
    """The width of all groups but the last: of few elements one that leaves as few as can be."""
    if not widths.wide:
        return widths.least
    # On one core, too: a launch of a single group takes twice as long as one of four.
    share = n // (widths.units * GROUPS_PER_UNIT) // LANES * LANES
    widest = max(min(widths.most, share), widths.least)
    full = n - n % LANES
    many = n >= SPLIT
    least = max(widest // NARROWER, widths.least) if many else widths.least
    dividing = (width for width in range(widest, least, -LANES) if full % width == 0)
    return next(dividing, widest if many else widths.least)
