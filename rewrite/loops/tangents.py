"""The tangent of a loop: a loop that carries tangents beside its state.

    s' = step(k, s, v)    ds' = step_s ds + step_v dv

Takes a loop with tangents of its arguments, gives a loop and the tangents of its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...terms.loop import Loop, Open, State, bound, close, final, opened, zero
from ...terms.program import Program
from ...terms.term import Term, substitute

#: Values and tangents of a body's results, given the tangents of its variables.
Push = Callable[[Program, dict[Term, Term]], tuple[list[Term], list[Term | None]]]


def loop_tangent(
    term: Term, tangents: Sequence[Term | None], push: Push
) -> tuple[Term, dict[int, Term]]:
    """The loop with tangents, and the tangent of each state variable that has one.

    `tangents` belong to the arguments of `term`. The variables of the result come first in the
    order of the loop given, so projections keep their indices.
    """
    loop: Loop = term.attr
    body = loop.body
    seeds = {
        v: bound(f"d_{v.attr}", v.type)
        for v, t in zip(loop.inputs, tangents[1 + loop.carried :], strict=True)
        if t is not None
    }
    active = [j for j in range(loop.carried) if tangents[1 + j] is not None]
    while True:
        twins = {j: bound(f"d_{loop.state[j].attr}", loop.state[j].type) for j in active}
        given = seeds | {loop.state[j]: twin for j, twin in twins.items()}
        values, derivatives = push(body, given)
        more = [j for j, d in enumerate(derivatives[1:]) if d is not None and j not in twins]
        if not more:
            break
        active = sorted([*active, *more])
    outer = opened(term)
    go, *following = values
    place = _places(loop, outer, term)
    place |= {
        seeds[v]: t
        for v, t in zip(loop.inputs, tangents[1 + loop.carried :], strict=True)
        if t is not None
    }
    steps = [derivatives[1 + j] for j in active]
    filled = [
        zero(loop.state[j].type) if s is None else s for j, s in zip(active, steps, strict=True)
    ]
    go, *placed = substitute([go, *following, *filled], place)
    states = [
        replace(s, next=after)
        for s, after in zip(outer.states, placed[: loop.carried], strict=True)
    ]
    for j, after in zip(active, placed[loop.carried :], strict=True):
        first = tangents[1 + j]
        start = zero(loop.state[j].type) if first is None else first
        states.append(State(f"d_{loop.state[j].attr}", twins[j], start, after))
    result = close(replace(outer, go=go, states=tuple(states)))
    return result, {j: final(result, loop.carried + i) for i, j in enumerate(active)}


def _places(loop: Loop, outer: Open, term: Term) -> dict[Term, Term]:
    """What the body's variables are in the open loop."""
    return dict(zip(loop.body.leaves(), [*outer.own, *term.args[1 + loop.carried :]], strict=True))
