"""Taken: a program whose values are made of others at once, without an e-graph.

Where rounds have ended, later forms of the program (other signs, other powers of a factor) bring
new values together. Takes a program and pairs of a value and an equal term over other values, gives
the program with those that make it cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...terms.term import Term, rebuild
from ...terms.walk import Cyclic, postorder
from ..scaling.remade import Remade
from .known import Known

_WORK = 200_000  # pairs times operators: what is tried of a large program


def taken(
    flat: Sequence[Term],
    pairs: Sequence[tuple[Term, Term]],
    cost: Callable[[Term], float],
    whole: Callable[[Sequence[Term]], float],
    is_sound: Callable[[Sequence[Term]], bool],
) -> Remade | None:
    """The program with those pairs that save something beside the others, the most first.

    Of two values that would be made of each other, one stays; `is_sound` says which results are,
    of all pairs together or else of each beside those before it.
    """
    known = Known(flat, cost)
    saved = known.saved(1)
    gains = {pair: saved[pair[0]] - known.paid(pair[1]) for pair in pairs if pair[0] in saved}
    tried = sorted([pair for pair, gain in gains.items() if gain > 0], key=lambda p: -gains[p])
    tried = tried[: _WORK // len(known.terms)]
    found = _chosen(flat, tried, whole, lambda _: True)
    if found is None or is_sound([found.terms[term] for term in flat]):
        return found
    return _chosen(flat, tried, whole, is_sound)


def replaced(flat: Sequence[Term], pairs: Sequence[tuple[Term, Term]]) -> Remade:
    """The program with all of the pairs, which are not made of each other."""
    return Remade(tuple(pairs), _written(flat, dict(pairs)))


def _chosen(
    flat: Sequence[Term],
    tried: Sequence[tuple[Term, Term]],
    whole: Callable[[Sequence[Term]], float],
    is_sound: Callable[[Sequence[Term]], bool],
) -> Remade | None:
    """The program with each pair in turn that makes it cheaper, and leaves it sound."""
    least, chosen, made = whole(flat), dict[Term, Term](), dict[Term, Term]()
    for old, new in tried:
        if old in chosen:
            continue
        try:
            found = _written(flat, {**chosen, old: new})
        except Cyclic:
            continue
        after = [found[term] for term in flat]
        now = whole(after)
        if now < least and is_sound(after):
            least, made = now, found
            chosen[old] = new
    return Remade(tuple(chosen.items()), made) if chosen else None


def _written(flat: Sequence[Term], chosen: Mapping[Term, Term]) -> dict[Term, Term]:
    """What each term of the program is where some are made of others. Raises Cyclic."""

    def below(term: Term) -> Sequence[Term]:
        return (chosen[term],) if term in chosen else term.args

    made: dict[Term, Term] = {}
    for term in postorder(flat, below):
        new = chosen.get(term)
        made[term] = made[new] if new else rebuild(term, tuple([made[a] for a in term.args]))
    return made
