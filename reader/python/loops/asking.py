"""Loops whose trips ask dictionaries by keys that only the kernel knows.

A loop with known trips is written out for that: the key is known in each of them. In one that
cannot be, a key is one of those that are there.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from ..values.conditions import Condition
from ..values.scope import Frame
from ..values.values import is_static, number
from ..values.varying import VaryingKey


def with_chosen_keys(frame: Frame, read: Callable[[], Condition]) -> Condition:
    """What `read` gives of a loop that cannot be written out, where none around it can."""
    session, state, loops = frame.session, frame.state, frame.loops
    try:
        return read()
    except VaryingKey:
        if session.rolled:
            raise
        frame.state, frame.loops, session.rolled = state, loops, -inf
        return read()
    finally:
        session.rolled = max(session.rolled, 0)


def trips_known(steps: tuple[Any, Any, Any]) -> float:
    """How many trips a range has; infinitely many where only the kernel knows that."""
    known = all(map(is_static, steps))
    return len(range(*(int(number(step)) for step in steps))) if known else inf
