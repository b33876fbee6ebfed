"""State variables that are always a rest of themselves, such as their own low bits.

    s = (5 * s + 3) & 1023    s is bit_and(s, 1023)    i = (i + 1) % 7    i is floor_mod(i, 7)

So what undoes an update as far as the rest is concerned undoes all of it. Takes a loop, says
which variables are such a rest, in all trips or in all but the first. Knows no operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...terms.loop import Loop
from ...terms.term import CONST, Term, const, toposort
from ...terms.types import Scalar
from ..undo.undoing import Rest, Undoing

_RESTS = 32  # of a body that are looked at


@dataclass(frozen=True)
class Image:
    """What is left of a state variable is all of it; `always`, or in all trips but the first."""

    variable: Term
    rest: Term
    always: bool


def images_of(term: Term, undoing: Undoing, outer: Undoing) -> list[Image]:
    """The state variables that are always the same rest of themselves, such as their low bits.

    By induction: they begin so, and each trip leaves them so if it finds them so. `undoing` is of
    the body, `outer` of what the loop's arguments are over.
    """
    loop: Loop = term.attr
    arguments = dict(zip(loop.inputs, term.args[1 + loop.carried :], strict=True))
    inputs = {arg: v for v, arg in arguments.items()}
    rows = zip(loop.state, term.args[1:], loop.step, strict=False)
    whole = {v: (first, step) for v, first, step in rows if v.type is Scalar.I32}
    always: dict[Term, Rest] = {}
    often: dict[Term, Rest] = {}  # in all trips but the first
    steps = [step for _, step in whole.values()]
    firsts = [first for first, _ in whole.values()]
    own = [undoing.rest(t) for t in toposort(steps)]
    begins = [(v, outer.rest(first)) for v, (first, _) in whole.items()]
    own += [_inside(r, v, inputs) for v, r in begins if r is not None]
    for rest in _rests(whole, own, loop.inputs, undoing):
        begun = outer.rests(firsts, rest.where(arguments), ())
        held, count = {v for v in whole if whole[v][0] in begun}, -1
        while len(held) != count:
            count = len(held)
            left = undoing.rests(steps, rest, held)
            held = {v for v in held if whole[v][1] in left}
        for v, (_, step) in whole.items():
            if v in held:
                _narrow(always, v, rest, undoing)
            elif step in left:
                _narrow(often, v, rest, undoing)
    found = [Image(v, rest.of(v), True) for v, rest in always.items()]
    return found + [Image(v, rest.of(v), False) for v, rest in often.items()]


def _narrow(found: dict[Term, Rest], variable: Term, rest: Rest, undoing: Undoing) -> None:
    """Of several rests that a variable is, the one that is the others, too."""
    here = rest.of(variable)
    if variable not in found or here in undoing.rests([here], found[variable], ()):
        found[variable] = rest


def _inside(rest: Rest, variable: Term, inputs: Mapping[Term, Term]) -> Rest | None:
    """A rest as which a variable begins, in the words of the body; None where it has none."""
    if any(t.op != CONST and t not in inputs for t in rest.constants.values()):
        return None
    here = rest.where(inputs)
    return replace(here, env={**here.env, here.projection.moving: variable})


def _rests(
    whole: Mapping[Term, tuple[Term, Term]],
    own: Iterable[Rest | None],
    inputs: Iterable[Term],
    undoing: Undoing,
) -> list[Rest]:
    """The rests that state variables may be: those that a trip makes, and that they begin as.

    And the bits that the constants have of which a variable is made, and as many as an input says.
    """
    found: list[Rest] = []
    for rest in own:
        if rest is not None and not any(rest.like(old) for old in found) and len(found) < _RESTS:
            found.append(rest)
    for v, (first, step) in whole.items():
        below = toposort([step])
        numbers = [int(t.attr) for t in (first, *below) if t.op == CONST and t.type is first.type]
        most = max([0, *numbers]).bit_length()
        bits = undoing.rests_of(v, const((1 << most) - 1, first.type)) if most else []
        sizes = [t for t in inputs if t.type is v.type and t in below]
        bits += [rest for size in sizes for rest in undoing.rests_of(v, size)]
        found += [r for r in bits if not any(r.like(old) for old in found)]
    return found
