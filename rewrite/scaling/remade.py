"""A program in another form, of which every value is known to be equal to one of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...terms.term import Term


@dataclass(frozen=True, slots=True)
class Remade:
    """Another form of a program.

    `pairs` are values of the program and equal terms over what is no operator of that form; from
    them all other equalities follow. `terms` is what stands for each value in the other form, as
    far as it is there as it was.
    """

    pairs: tuple[tuple[Term, Term], ...]
    terms: Mapping[Term, Term]
