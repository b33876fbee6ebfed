"""Turns around a ring of any size, by any step: `i = (i + 5) % m`.

    y = (x + c) mod m    is undone by    x = (y - c mod m) mod m

where x is such a remainder, too, and x + c does not wrap. Then nothing wraps on the way back:
y and c mod m are between 0 and m, so their difference is between -m and m.

Takes an update and what is known of it, gives what undoes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...terms.term import Term
from ..undo.cases import Case
from ..undo.linear import Form
from ..undo.undoing import Undoing
from .images import Image


@dataclass(frozen=True)
class Turn:
    """What undoes a turn: the last of the `others` is the size; `mirrored`: x is subtracted."""

    target: Term
    others: tuple[Term, ...]
    step: Form
    mirrored: bool
    later: bool
    undoing: Undoing

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """The value of the variable, given that of the update."""
        compute = self.undoing.computed
        step = self.undoing.built(self.step, dict(zip(self.others, others, strict=True)))
        step = compute("floor_mod", step, others[-1])
        left = compute("sub", step, value) if self.mirrored else compute("sub", value, step)
        return compute("floor_mod", left, others[-1])


def turn_of(
    update: Term, target: Term, cases: Sequence[Case], images: Iterable[Image], undoing: Undoing
) -> Turn | None:
    """What undoes an update that is a turn; None where it is none, or may wrap in some case."""
    rest = undoing.rest(update)
    if rest is None or len(rest.constants) != 1:
        return None
    (size,) = rest.constants.values()
    image = next((i for i in images if i.variable is target and i.rest is rest.of(target)), None)
    if image is None or undoing.computed("floor_mod", rest.inner, size) is not update:
        return None
    for factor in (1, -1):
        steps = {case.forms[rest.inner] - case.forms[target] * factor for case in cases}
        step = steps.pop()
        if not steps and target not in step.atoms and all(c.bounds(step) for c in cases):
            others = (*(t for t in step.atoms if t is not size), size)
            return Turn(target, others, step, factor < 0, not image.always, undoing)
    return None
