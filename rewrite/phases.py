"""The phases of the optimizer that can be left out, to see what each of them wins."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """A search that makes programs cheaper; without it they are right, and cost more."""

    ORDERS = "orders"  # of accumulation, of Jacobians and Hessians: the usual one is taken
    ROUNDS = "rounds"  # what was chosen is saturated again
    REGROUPING = "regrouping"  # other brackets stand beside what was chosen
    REUSE = "reuse"  # of values that are there already, or one operator away from others
    SCALES = "scales"  # values are computed as themselves times powers of two or of factors
    KICKS = "kicks"  # of the extraction, beyond a descent
    LIKENESS = "likeness"  # of repetitions, which take over what one of them has chosen
    PROGRAM = "integer program"  # of the extraction, also for the bound
