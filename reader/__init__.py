"""Readers: Python functions, SymPy expressions and traced callables become programs.

Takes what a user wrote, gives a Program over the operators of the rules; knows nothing of
derivatives, except that it writes down where they are asked for.
"""

from __future__ import annotations

from typing import Any

from ..terms.program import Program
from . import complexes as complexes
from . import distributed as distributed  # its class stands for one of Python's
from . import managers as managers
from . import polynomials as polynomials
from . import scipy_families as scipy_families  # and these for some of SciPy's
from . import scipy_interpolation as scipy_interpolation
from . import scipy_rotations as scipy_rotations
from .python.read import read, select_wrt
from .python.values.given import type_from
from .python.values.hints import OpenParameters

__all__ = ["OpenParameters", "read", "read_sympy", "select_wrt", "trace", "type_from"]


def read_sympy(expression: Any, params: Any = None, **options: Any) -> Program:
    """The program of a SymPy expression, matrix or Lambda; see `sympy.read_sympy`."""
    from .sympy.expressions import read_sympy as reader

    return reader(expression, params, **options)


def trace(function: Any, **options: Any) -> Program:
    """The program that a callable computes when it is run once; see `tracer.trace`."""
    from .tracing.tracer import trace as tracer

    return tracer(function, **options)
