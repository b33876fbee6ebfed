"""How often each value of a program is used, and what a value has for itself."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from ..terms.term import Term


def uses_of(terms: Sequence[Term], flat: Sequence[Term]) -> dict[Term, int]:
    """How often each term is used, a result counting as a use."""
    uses = dict.fromkeys(terms, 0)
    for term in flat:
        uses[term] = 1
    for term in terms:
        for arg in term.args:
            uses[arg] += 1
    return uses


def alone(term: Term, uses: Mapping[Term, int], most: int) -> dict[Term, None]:
    """The operators that only this value needs, itself first, about so many at most."""
    found: dict[Term, None] = {term: None}
    left: dict[Term, int] = {}
    stack = [term]
    while stack and len(found) < most:
        for arg in stack.pop().args:
            left[arg] = left.get(arg, uses[arg]) - 1
            if not left[arg] and arg.args:
                found[arg] = None
                stack.append(arg)
    return found


def new_in(term: Term, there: Container[Term]) -> list[Term]:
    """The terms that another one is made of, itself first, and that are not `there`."""
    found = dict.fromkeys([term] if term not in there else [])
    stack = [*found]
    while stack:
        fresh = [a for a in stack.pop().args if a not in found and a not in there]
        found.update(dict.fromkeys(fresh))
        stack += fresh
    return [*found]
