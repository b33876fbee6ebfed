"""What varies from trip to trip of a loop, and must be known while reading."""

from __future__ import annotations

from ....terms.errors import TraceError, Unknown


class Varying(Unknown):
    """What must be known while reading varies from trip to trip of a loop.

    Where the trips of the loops around it are known, they are written out.
    """


class VaryingKey(Varying):
    """A key of a dictionary varies; where trips are not known, it may be any that is there."""


class Ended(TraceError):
    """A method always raises StopIteration: an iterator has no more items."""


class Outside(TraceError):
    """An index is out of range, or a method always raises IndexError: there is no such item."""
