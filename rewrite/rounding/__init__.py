"""Rounding: what a chosen program loses of the digits of the plain one, and how it keeps them.

Operators are counted where programs are made cheap, not their errors; a product with a reciprocal
is rounded twice, a quotient once, and an exponential makes much of it. Here errors are measured.
"""

from .errors import Errors
from .repairs import repaired

__all__ = ["Errors", "repaired"]
