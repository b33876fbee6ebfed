"""The words of the language as Python objects, which also compute with numbers."""

from .words import get, names

__all__ = ["get", "names"]
