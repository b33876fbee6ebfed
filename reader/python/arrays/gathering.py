"""Elements at places that only the kernel knows: `table[i]` and `m[i, j]`, where `i` is an array.

NumPy says which shapes they make, from the numbers of the index; each element is then read or
written for itself, in order. Takes values, gives arrays; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from ..operations.access import get_item
from ..values.arrays import shape_of
from ..values.objects import first
from ..values.scope import Session
from .elementwise import gathered, made

#: `put(session, array, index, new, at)` writes a part of an array.
Put = Callable[..., None]


@dataclass(frozen=True)
class Gather:
    """What an index with running arrays says of an array: its elements, one after the other."""

    session: Session
    rest: Any  # the array, with the axes that are indexed in front
    indices: Sequence[Any]  # of one shape: a place in each of those axes
    before: int  # axes that come before the elements in what is made
    at: Span

    @property
    def shape(self) -> tuple[int, ...]:
        """How many elements there are."""
        return tuple(self.indices[0].shape)

    def steps(self) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
        """Where an element stands in what is made, and in the array."""
        import numpy

        for place in numpy.ndindex(self.shape):
            yield place, tuple(index[place] for index in self.indices)

    def read(self) -> Any:
        """The elements, as an array."""
        import numpy

        found = numpy.empty((*self.shape, *shape_of(self.rest)[len(self.indices) :]), object)
        for place, spots in self.steps():
            value = self.rest
            for spot in spots:
                value = get_item(self.session, value, spot, self.at)
            item = gathered(self.session, value, self.at)
            found[place] = item if item.ndim else item.item()
        front = range(len(self.shape))
        moved = numpy.moveaxis(found, front, [self.before + k for k in front])
        return made(self.session, moved, first(self.rest).kind)

    def write(self, new: Any, put: Put) -> None:
        """Every element becomes another: where two are the same one, the last counts."""
        import numpy

        front = [self.before + k for k in range(len(self.shape))]
        sizes = list(shape_of(self.rest)[len(self.indices) :])
        numbers = gathered(self.session, new, self.at)
        try:
            wide = numpy.broadcast_to(
                numbers, (*sizes[: self.before], *self.shape, *sizes[self.before :])
            )
        except ValueError as error:
            raise TraceError(f"this fails in NumPy: {error}", self.at) from None
        wide = numpy.moveaxis(wide, front, range(len(front)))
        for place, spots in self.steps():
            row = wide[place]
            value = made(self.session, row) if isinstance(row, numpy.ndarray) else row
            put(self.session, self.rest, spots, value, self.at)
