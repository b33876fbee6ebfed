"""Repairs: operators that are rounded once in the place of two, where a program has lost digits.

    a * rcp(b) => a / b            rsqrt(a) * rsqrt(a) => rcp(a)

Takes a program that is less exact than the one it stands for, gives it with as few of these as make
up for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...terms.term import Term, rebuild, toposort
from ..scaling.remade import Remade
from .errors import Errors

#: An error so many times that of the plain program is repaired. That of quotients with one shared
#: reciprocal is up to 1.48 times that of quotients, which is what sharing it is worth.
LIMIT = 1.49
_WORK = 200_000  # candidates times operators: what is tried of a large program


def repaired(flat: Sequence[Term], errors: Errors) -> Remade | None:
    """The program with its digits; None where none are lost, or repairs do not help.

    Each candidate is tried alone; the best are taken together until it is enough, and what proves
    unnecessary is left out again.
    """
    if errors.ratio(flat) <= LIMIT:
        return None
    terms = toposort(flat)
    tried = list(_candidates(terms))[: _WORK // len(terms)]
    alone = {old: errors.ratio(_over(flat, terms, [old])[1]) for old in tried}
    chosen: list[Term] = []
    for old in sorted(tried, key=alone.__getitem__):
        chosen.append(old)
        if _is_enough(flat, terms, chosen, errors):
            break
    else:
        return None
    for old in chosen[-2::-1]:
        fewer = [term for term in chosen if term is not old]
        if _is_enough(flat, terms, fewer, errors):
            chosen = fewer
    made, _ = _over(flat, terms, chosen)
    return Remade(tuple([(old, _once(old)) for old in chosen]), made)


def _candidates(terms: Sequence[Term]) -> Iterator[Term]:
    return (term for term in terms if _once(term) is not term)


def _once(term: Term) -> Term:
    """What is rounded once, for a term that is rounded twice; itself for any other."""
    if term.op != "mul":
        return term
    one, other = term.args
    if one is other and one.op == "rsqrt":
        return Term("rcp", one.args, None, term.type)
    for a, b in ((one, other), (other, one)):
        if b.op == "rcp":
            return Term("div", (a, b.args[0]), None, term.type)
    return term


def _over(
    flat: Sequence[Term], terms: Sequence[Term], repairs: Collection[Term]
) -> tuple[dict[Term, Term], list[Term]]:
    """What each term is with some of them repaired, and what the results are."""
    made: dict[Term, Term] = {}
    wanted = dict.fromkeys(repairs)
    for term in terms:
        here = _once(term) if term in wanted else term
        made[term] = rebuild(here, tuple([made[a] for a in here.args]))
    return made, [made[t] for t in flat]


def _is_enough(
    flat: Sequence[Term], terms: Sequence[Term], repairs: Collection[Term], errors: Errors
) -> bool:
    return errors.ratio(_over(flat, terms, repairs)[1]) <= LIMIT
