"""Scaling: values computed as themselves times powers of two, where that saves operators.

    2*(a*x), 2*(b*x), a*b + 3*x    as    a*y, b*y, a*b + 1.5*y    with y = 2*x

A product by a power of two rounds nothing, so factors of two can stand anywhere along a path of
sums and products: where a constant takes them, or another one meets them, they cost nothing.
Rules see one place at a time, and moving a factor past it saves nothing; where all of them should
go is a linear program.
"""

from .rescaling import Rescaled, rescaled

__all__ = ["Rescaled", "rescaled"]
