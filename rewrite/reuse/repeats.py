"""Repeats: values that a program computes twice, in other ways, and those that are 0 or 1."""

from __future__ import annotations

from collections.abc import Iterator

from ...terms.term import Term, const
from ...terms.types import Scalar
from .known import Known


def repeated(known: Known) -> Iterator[tuple[Term, Term]]:
    """Pairs of a value and the first one that equals it, or its negative; or a constant.

    Both have to be numbers in the same places: either may be chosen for both.

    >>> from ...terms.term import var
    >>> x, y, z = [var(name, Scalar.F64) for name in "xyz"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> first = op("mul", x, op("sub", y, z))
    >>> again = op("sub", op("mul", y, x), op("mul", x, z))
    >>> [pair] = repeated(Known([first, again], lambda term: 1.0))
    >>> pair == (again, first)
    True
    """
    prints = known.prints
    first: dict[object, Term] = {}
    for term in known.terms:
        kind = term.type
        if not (isinstance(kind, Scalar) and kind.is_real):
            continue
        value, poles = prints[term], known.poles[term]
        there = first.setdefault((value, kind, poles), term)
        if not term.args:
            continue
        if value in (0, 1):
            yield term, const(float(value), kind)
        elif there is not term:
            yield term, there
        elif term.op != "neg":
            negative = first.get((prints.prime - value, kind, poles))
            if negative is not None:
                yield term, Term("neg", (negative,), None, kind)
