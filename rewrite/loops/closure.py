"""What depends on what in any number of steps, of what each depends on in one.

Takes and gives sets of numbers, as the bits of integers; knows nothing of loops and of terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def closed(masks: Sequence[int]) -> list[int]:
    """Each mask with those of its bits, with those of theirs, and so on.

    >>> [bin(mask) for mask in closed([0b10, 0b100, 0b1000])]
    ['0b1110', '0b1100', '0b1000']
    """
    found = [0] * len(masks)
    for ring in _rings(masks):
        whole = 0
        for member in bits(ring):
            whole |= masks[member]
        rest = whole & ~ring & ((1 << len(masks)) - 1)
        while rest:  # from both ends: what one depends on is all in its mask, and need not be asked
            for other in (_lowest(rest), rest.bit_length() - 1):
                whole |= found[other]
                rest &= ~(found[other] | 1 << other)
        for member in bits(ring):
            found[member] = whole
    return found


def _rings(masks: Sequence[int]) -> Iterator[int]:
    """Those that depend on one another, together, and after all that they depend on.

    Gabow's walk. `rings` are those on the way that may still turn out to be one, each with the
    one that it was entered by; who depends on an earlier ring is one with it, and all between.
    """
    new = (1 << len(masks)) - 1
    opened = 0
    rings: list[tuple[int, int]] = []
    for start in range(len(masks)):
        way = [start] if new >> start & 1 else []
        while way:
            here = way[-1]
            if new >> here & 1:
                new ^= 1 << here
                opened |= 1 << here
                rings.append((here, 1 << here))
            if after := masks[here] & new:
                way.append(_lowest(after))
                continue
            entry, ring = rings.pop()
            while masks[here] & opened & ~ring:
                entry, earlier = rings.pop()
                ring |= earlier
            if entry == here:
                opened &= ~ring
                yield ring
            else:
                rings.append((entry, ring))
            way.pop()


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def bits(mask: int) -> Iterator[int]:
    """The bits of a mask, the lowest first."""
    text = f"{mask:b}"[::-1]
    bit = text.find("1")
    while bit >= 0:
        yield bit
        bit = text.find("1", bit + 1)
