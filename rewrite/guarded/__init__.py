"""What is certain under a guard: outcomes of choices that it knows, and arms that are 0 there."""

from .decided import decided
from .images import Images
from .sources import Guarding, at_sources, guardings
from .undefined import Undefined
from .vanishing import without_vanishing

__all__ = [
    "Guarding",
    "Images",
    "Undefined",
    "at_sources",
    "decided",
    "guardings",
    "without_vanishing",
]
