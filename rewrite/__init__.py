"""Derivation and optimization: a program in, the cheapest program of its derivative out."""

from .derive import MODES, active, derive, without_requests
from .extract import Effort
from .optimize import Solved, optimize
from .phases import Phase
from .pipeline import derivative_of, differentiate
from .report import Report
from .search import Options
from .substitutes import substitute_primals

__all__ = [
    "MODES",
    "Effort",
    "Options",
    "Phase",
    "Report",
    "Solved",
    "active",
    "derivative_of",
    "derive",
    "differentiate",
    "optimize",
    "substitute_primals",
    "without_requests",
]
