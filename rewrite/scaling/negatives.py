"""Products with -1 as negatives, among which signs are looked for.

Constants leave them that have met, where no iteration was left for the rule that says what they
are. Takes result terms, gives equal ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.term import Term, is_const, rebuild, toposort


def as_negatives(flat: Sequence[Term]) -> tuple[dict[Term, Term], list[tuple[Term, Term]]]:
    """What stands for each term, and pairs of these products and the negatives that they are.

    >>> from ...terms.term import const, var
    >>> from ...terms.types import Scalar
    >>> x = var("x", Scalar.F64)
    >>> product = Term("mul", (const(-1.0, Scalar.F64), x), None, Scalar.F64)
    >>> plain, [(_, negative)] = as_negatives([Term("exp", (product,), None, Scalar.F64)])
    >>> negative, plain[product] is negative
    (neg(x), True)
    """
    plain: dict[Term, Term] = {}
    found: list[tuple[Term, Term]] = []
    for term in toposort(flat):
        new = rebuild(term, tuple([plain[a] for a in term.args]))
        if new.op == "mul" and term.type.is_real:
            factors = [a for a in new.args if not is_const(a, -1.0)]
            if len(factors) == 1:
                found.append((new, Term("neg", tuple(factors), None, term.type)))
                new = found[-1][1]
        plain[term] = new
    return plain, found
