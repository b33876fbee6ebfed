"""Elements of an array, of which only the kernel knows how many there are.

Knows nothing of what is computed of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Picked:
    """Elements of an array: those where the mask, an array of truths of the same shape, holds."""

    __slots__ = ("array", "mask", "truths")
    described = "an array of as many elements as a condition holds for"

    def __init__(self, array: Any, mask: Any, truths: Sequence[Any]) -> None:
        self.array = array
        self.mask = mask
        self.truths = truths  # of the mask: these, or others that are the same terms
