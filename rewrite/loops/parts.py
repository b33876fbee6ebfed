"""Loops that do a part of what another loop does: a sweep, and the sweep that repeats it.

Takes programs with loops, gives for the body of a loop a larger one that has all its results.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...terms.loop import LOOP
from ...terms.program import Program
from ...terms.term import VAR, Term, toposort


def bodies(roots: Iterable[Term]) -> list[Program]:
    """The bodies of all loops below the roots, those inside of others after them, each once."""
    found: dict[Program, None] = {}
    waiting = [t.attr.body for t in toposort(roots) if t.op == LOOP]
    while waiting:
        body = waiting.pop()
        if body not in found:
            found[body] = None
            waiting += [t.attr.body for t in body.terms() if t.op == LOOP]
    return list(found)


def wholes(roots: Iterable[Term]) -> dict[Program, Program]:
    """For the body of a loop another one with all its results and more; not all bodies have one."""
    known = bodies(roots)
    holders: dict[Term, list[Program]] = {}
    for body in known:
        for term in dict.fromkeys(body.flat):
            holders.setdefault(term, []).append(body)
    found: dict[Program, Program] = {}
    for body in known:
        fewest = min([holders[t] for t in body.flat], key=len, default=[])
        for other in fewest:
            if set(body.flat) < set(other.flat):
                found[body] = other
                break
    return found


def part_of(whole: Program, now: Program, part: Program) -> Program | None:
    """A part of a body, as it is in what the body has become; None where that needs more."""
    places = {t: i for i, t in enumerate(whole.flat)}
    flat = [now.flat[places[t]] for t in part.flat]
    terms = toposort(flat)
    leaves = set(part.leaves())
    if any(t.op == VAR and t not in leaves for t in terms):
        return None
    here = set(terms)
    return part.with_flat(flat, notes={t: n for t, n in now.notes.items() if t in here})
