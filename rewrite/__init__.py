"""Derivation and optimization: a program in, the cheapest program of its derivative out."""

from .derivation.derive import MODES, active, derive, without_requests
from .extraction.extract import Effort
from .phases import Phase
from .pipeline.optimize import Solved, optimize
from .pipeline.report import Report
from .pipeline.stages import derivative_of, differentiate, in_form
from .pipeline.task import Options
from .substitutes.substitutes import substitute_primals

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
    "in_form",
    "optimize",
    "substitute_primals",
    "without_requests",
]
