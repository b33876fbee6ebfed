"""Orders of accumulation: how the products of the chain rule are put in brackets."""

from __future__ import annotations

from enum import Enum


class Order(Enum):
    """In which order the chain rule is applied."""

    REVERSE = "reverse"  # a sweep for each result
    FORWARD = "forward"  # a sweep for each variable
    MIXED = "mixed"  # vertex by vertex, those with few products first
