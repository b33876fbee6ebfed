"""Exponentials of a program that has them less 1 as well: exp(x) as expm1(x) + 1.

Where x << 0 that sum has no digits of the exponential, which do not count beside anything larger;
rules cannot say who else uses it. So it is left to whole programs, whose results are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...terms.term import Term, const, toposort


def by_less_one(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of an exponential and the sum that it is.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x = var("x", Scalar.F64)
    >>> power, less = [Term(name, (x,), None, Scalar.F64) for name in ("exp", "expm1")]
    >>> list(by_less_one([power, less]))
    [(exp(x), add(expm1, 1.0))]
    >>> list(by_less_one([power]))
    []
    """
    terms = toposort(flat)
    less = {(t.args, t.type): t for t in terms if t.op == "expm1"}
    for term in terms:
        here = less.get((term.args, term.type)) if term.op == "exp" else None
        if here is not None:
            yield term, Term("add", (here, const(1.0, term.type)), None, term.type)
