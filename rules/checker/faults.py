"""What keeps the judge from an answer.

Takes what happened, gives exceptions. Knows nothing of how values are computed.
"""

from __future__ import annotations

from ...terms.errors import RuleError
from ...terms.rule import Operator


class Unknown(Exception):
    """The judge declines: an argument is too large to compute with in reasonable time."""


class Misfit(Unknown):
    """The sizes of vectors or matrices do not fit together; the text says which."""


class MeaningError(RuleError):
    """A meaning in mpmath that cannot be computed, of an operator."""

    def __init__(self, operator: Operator, message: str) -> None:
        names = ", ".join(p.name for p in operator.params)
        hint = f'write mpmath = "…" over {names}: what it is in real numbers'
        super().__init__(f"[{operator.name}] {message}", operator.at, hint)
        self.operator = operator
