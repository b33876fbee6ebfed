"""Checks that a program asks for: loops that have ended, indices in range, what asserts and raises.

Takes the condition under which one fails. Which one has failed is an element of a list, so branches
and loops carry it on. Knows nothing of syntax.
"""

from __future__ import annotations

from typing import Any

from ....terms.errors import Span
from ....terms.term import Term
from ....terms.value import Value
from .conditions import Condition, equals
from .scope import Session


def forbid(session: Session, condition: Condition, message: str, at: Span) -> None:
    """When the program runs and is checked, it is an error where `condition` holds.

    Of several that fail, the first one counts, as in Python.
    """
    session.checks.append((message, at))
    before = session.trouble.items[0]
    found: Any = len(session.checks)
    if isinstance(condition, Term):
        found = session.either(condition, found, before, at)
    if isinstance(before, Value):
        well = equals(before.term, 0)
        assert isinstance(well, Term)
        found = session.either(well, found, before, at)
    session.write(session.trouble, 0, found, at)
