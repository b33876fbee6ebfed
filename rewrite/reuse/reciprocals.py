"""Reciprocals of roots of what something is divided by: 1/sqrt(x) as sqrt(1/x), a division less.

That holds whatever the sign of x is; where x is never below 0, rules have 1/x from the root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...terms.rule import RuleSet
from ...terms.term import Term
from ..guarded import Images


def by_reciprocals(terms: Sequence[Term], rules: RuleSet) -> Iterator[tuple[Term, Term]]:
    """Pairs of a reciprocal root, or of a quotient by a root, and what it is.

    >>> from ...rules import load
    >>> from ...terms.term import toposort, var
    >>> from ...terms.types import Scalar
    >>> x, y = var("x", Scalar.F64), var("y", Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> flat = [op("rsqrt", x), op("div", y, op("sqrt", x)), op("div", y, x)]
    >>> list(by_reciprocals(toposort(flat), load()))
    [(rsqrt(x), sqrt(rcp)), (div(y, sqrt), mul(y, sqrt))]
    >>> list(by_reciprocals(toposort(flat[:-1]), load()))
    []
    """
    dividing = {t.args[-1]: Term("rcp", t.args[-1:], None, t.type) for t in terms if _divides(t)}
    images = Images(rules)
    for term in terms:
        root = term.args[-1] if _divides(term) else term
        if root.op != ("rsqrt" if root is term else "sqrt") or root.args[0] not in dividing:
            continue
        if images.anywhere(root.args[0]).low < 0:
            new = Term("sqrt", (dividing[root.args[0]],), None, term.type)
            over = term.op == "div"
            yield term, Term("mul", (term.args[0], new), None, term.type) if over else new


def _divides(term: Term) -> bool:
    return term.op in ("div", "rcp")
