"""What divides integers, and where: in its branch, or before it for all work-items together.

    if (p) { t = a[(k + 7) % 9]; … }    =>    i = (k + 7) % 9; if (p) { t = a[i]; … }

By zero, a division may stop the whole kernel, so it stays in the branch that guards it. By a
constant it cannot. Of a loop's counter it is one number for all work-items: Intel's CPU compiler
(2025.3) computes that only if some of them are in the branch, but reads an array there even if
none is, at an index that then is whatever it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ...terms.loop import LOAD, LOOP
from ...terms.rule import RuleSet
from ...terms.term import CAST, CONST, PROJ, SELECT, VAR, Term, const_value
from ...terms.types import Scalar

_OTHERS = frozenset({CAST, SELECT, LOOP, PROJ, LOAD})
_ELSEWHERE = frozenset({VAR, LOOP, PROJ, LOAD})
_WHOLE = (Scalar.I32, Scalar.BOOL)


def dividing(rules: RuleSet) -> Callable[[Term], bool]:
    """What divides integers: by zero it may stop the whole kernel, it must stay in its branch."""
    table: dict[str, bool] = {}

    def divides(term: Term) -> bool:
        if term.type is not Scalar.I32 or term.op in _OTHERS:
            return False
        if term.op not in table:
            operator = rules.get(term.op)
            spelling = operator.opencl.get(Scalar.I32, "") if operator else ""
            table[term.op] = "/" in spelling or "%" in spelling
        return table[term.op]

    return divides


def together(terms: Iterable[Term], common: Collection[Term], rules: RuleSet) -> list[Term]:
    """The divisions by constants of what is computed of the variables `common` alone, and what
    follows from them.

    Takes terms in the order of their dependencies.
    """
    divides = dividing(rules)
    alike: dict[Term, bool] = {}  # and whether there is a division in it
    for term in terms:
        if term.op == CONST or term in common:
            alike[term] = False
        elif (
            term.op not in _ELSEWHERE and term.type in _WHOLE and all(a in alike for a in term.args)
        ):
            own = divides(term)
            if not own or _is_safe(term.args[-1]):
                alike[term] = own or any(alike[a] for a in term.args)
    return [term for term, divided in alike.items() if divided]


def _is_safe(divisor: Term) -> bool:
    """Whether nothing that is divided by it stops a kernel: -2**31 // -1 may."""
    return divisor.op == CONST and const_value(divisor) not in (0, -1)
