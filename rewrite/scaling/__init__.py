"""Scaling: values are computed as themselves times powers of two or of factors, or as negatives.

    2*(a*x), 2*(b*x), a*b + 3*x    as    a*y, b*y, a*b + 1.5*y    with y = 2*x

A product by a power of two rounds nothing, nor does a sign, so they can stand anywhere along a path
of sums and products: where a constant takes them, or another one meets them, they cost nothing.
A factor that many products share goes outside of sums whose summands all have it. Rules see one
place at a time, and moving a factor past it saves nothing; so where all of them should go is found
here, and the whole program is written anew.
"""

from .factors import factors, refactored
from .remade import Remade
from .rescaling import rescaled
from .signs import fewer_signs, turned, turned_everywhere

__all__ = [
    "Remade",
    "factors",
    "fewer_signs",
    "refactored",
    "rescaled",
    "turned",
    "turned_everywhere",
]
