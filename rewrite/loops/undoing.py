"""State that need not be stored: what it was before a trip follows from what it is after it.

    a, b = b, a + b        is undone by    b = a'    a = b' - b
    a ^= f(b); b ^= f(a)   is undone by    b = b' ^ f(a')    a = a' ^ f(b)

The values at the end of a trip are known, and `knowledge.py` says what follows from them. What
does not is kept.

Takes a loop, says of which state variables this is so, and how. Knows no operators.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from ...terms.loop import LOOP, Loop, varying
from ...terms.term import CONST, Term, substitute, toposort
from ...terms.types import Memory, Scalar
from ..undo.ranges import Range, Ranges, narrowed
from ..undo.undoing import Undoing
from .branches import branches
from .exchanges import exchanges, with_clear_arms
from .flags import flags
from .growth import grown
from .images import Image, images_of
from .knowledge import Knowledge, Told, Undone
from .lines import lines, modulus
from .places import told_by_writes
from .rings import rings
from .scales import scales

_FEW = 8  # operators on inputs that may be a part of what a rule speaks of


def undone(term: Term, undoing: Undoing) -> Undone:
    """The state variables of a loop that an adjoint can follow backwards.

    What no update says anything of is taken as known: it is kept, if it is read. Of variables
    that only follow from each other the first one is.
    """
    plain: Loop = term.attr
    term, written = _written_out(with_clear_arms(term))
    outside = Ranges()
    ranges = grown(term, outside)
    term, arrays = told_by_writes(term, Ranges(ranges))
    loop: Loop = term.attr
    inputs = {*loop.inputs}
    outer = undoing.within({*term.args[1 + loop.carried :]}, outside)
    images = images_of(term, undoing.within(inputs, Ranges(ranges)), outer)
    ranges = narrowed(ranges, _ranges([image for image in images if image.always], undoing))
    always = {image.variable: image.rest for image in images if image.always}
    here = later = undoing.within(inputs, Ranges(ranges), always)
    if not all(image.always for image in images):
        often = {image.variable: image.rest for image in images}  # the last of each counts
        ranges = narrowed(ranges, _ranges(images, undoing))
        later = undoing.within(inputs, Ranges(ranges), often)
    told: dict[Term, list[Told]] = {t: [r] for t, r in rings(term, undoing, images).items()}
    for t, ways in lines(loop, here.ranges, later.ranges, undoing).items():
        told.setdefault(t, []).extend(ways)
    for t, turns in flags(term, undoing).items():
        told.setdefault(t, []).extend(turns)
    for t, places in arrays.items():
        told.setdefault(t, []).extend(places)
    for t, moved in exchanges(loop, here.ranges, undoing).items():
        told.setdefault(t, []).extend(moved)
    for t, scale in scales(term, outside).items():
        told.setdefault(t, []).append(scale)
    able, tried = _able(loop, here, later, images, told), False
    while True:
        knowledge, kept = _known(Knowledge(loop, here, later, images, told), able)
        if kept and not tried:
            tried = True
            more = branches(term, kept, outside, images, here)
            for t, back in more.items():
                told.setdefault(t, []).extend(back)
            if more:
                able = _able(loop, here, later, images, told)
                continue
        if kept.isdisjoint(able):
            found = knowledge.found().where(written)
            ends = {v: end for end, v in found.ends.items() if isinstance(v.type, Memory)}
            steps = zip(plain.state, plain.step, strict=True)
            return replace(found, arrays={t: ends[v] for v, t in steps if v in ends})
        able = able - kept


def _ranges(images: Sequence[Image], undoing: Undoing) -> dict[Term, Range]:
    """The ranges of variables that are a rest of themselves."""
    found: dict[Term, Range] = {}
    for image in images:
        size = modulus(image.rest, undoing)
        found[image.variable] = Ranges().of(image.rest) if size is None else (0, size - 1)
    return found


def _written_out(term: Term) -> tuple[Term, dict[Term, Term]]:
    """The loop with what it knows of its inputs, and what this is called in its body.

    `m < 0` is computed once, before a loop that has m as an input, too.
    """
    loop: Loop = term.attr
    inputs = dict(zip(term.args[1 + loop.carried :], loop.inputs, strict=True))
    plain: dict[Term, Term] = {}
    known: dict[Term, Term] = {}
    for argument in [t for t in toposort(inputs) if t in inputs]:
        if argument.type in (Scalar.I32, Scalar.BOOL) and _follows(argument, plain):
            (known[inputs[argument]],) = substitute([argument], plain)
        else:
            plain[argument] = inputs[argument]
    if not known:
        return term, {}
    body = loop.body.with_flat(substitute(loop.body.flat, known))
    whole = Term(LOOP, term.args, replace(loop, body=body), term.type)
    return whole, {value: v for v, value in known.items()}


def _follows(term: Term, given: Container[Term]) -> bool:
    """Whether a few operators on what is given make a term."""
    stack, count = list(term.args), 0
    while stack and count < _FEW:
        here = stack.pop()
        if here.op != CONST and here not in given:
            if not here.args or here.op == LOOP:
                return False
            stack += here.args
            count += 1
    return not stack and bool(term.args)


def _known(knowledge: Knowledge, able: set[Term]) -> tuple[Knowledge, set[Term]]:
    """What follows from the ends of trips, and what is to be kept for it.

    The ends of `able` variables come first: what is kept need not be followed backwards.
    """
    state = knowledge.loop.state
    knowledge.end_of(able)
    knowledge.look_back()
    kept = {v for v in state if v not in able and not knowledge.knows(v)}
    for v in state:
        if v in kept:
            knowledge.learn(v, v)
    knowledge.spread()
    knowledge.look_back()
    knowledge.end_of({*state} - able)
    knowledge.look_back()
    for v in state:
        if not knowledge.knows(v):
            kept.add(v)
            knowledge.learn(v, v)
            knowledge.spread()
    return knowledge, kept


def _able(
    loop: Loop,
    here: Undoing,
    later: Undoing,
    images: Sequence[Image],
    told: Mapping[Term, Sequence[Told]],
) -> set[Term]:
    """The state variables that might be found, were everything else known."""
    moving = varying(loop.step, loop.state)
    said: dict[Term, list[Term]] = {}  # by a term, of these; from the ends on
    sayers: dict[Term, list[Term]] = {}
    stack = [t for t in dict.fromkeys(loop.step) if t in moving]
    while stack:
        term = stack.pop()
        if term in said:
            continue
        below = list((here.arms(term) or ())[1:])
        for undoing in dict.fromkeys((here, later)):
            below += [way.target for way in undoing.ways(term)]
        below += [way.target for way in told.get(term, ())]
        said[term] = [t for t in dict.fromkeys(below) if here.inner(t) in moving]
        stack += said[term]
        for t in said[term]:
            sayers.setdefault(t, []).append(term)
    found = {*said, *(image.variable for image in images if image.rest in said)}
    # What follows from the state of the trip before, in which y' = f(x) beside p' = x is y = f(p).
    others = [v for v in loop.state if v not in found or isinstance(v.type, Memory)]
    known = set(loop.step) & moving - varying(loop.step, others)
    stack = [v for v in loop.state if v in said]
    of_state = set(stack)
    while stack:
        more = [t for t in sayers.get(stack.pop(), ()) if t not in of_state]
        of_state.update(more)
        stack += more
    steps = zip(loop.state, loop.step, strict=True)
    again = {v for v, step in steps if step in known and step not in of_state}
    return {v for v in loop.state if v in found or v in again}
