"""What is certain under a guard: choices of which the guard knows the outcome."""

from .decided import decided

__all__ = ["decided"]
