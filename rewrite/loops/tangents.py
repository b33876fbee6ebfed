"""The tangent of a loop: a loop that carries tangents beside its state.

    s' = step(k, s, v)    ds' = step_s ds + step_v dv

Takes a loop with tangents of its arguments, gives a loop and the tangents of its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...terms.loop import Loop, Open, State, bound, close, final, opened, zero
from ...terms.program import Program
from ...terms.term import Term, substitute

#: Values and tangents of a body's results, given the tangents of its variables.
Push = Callable[[Program, dict[Term, Term]], tuple[list[Term], list[Term | None]]]


@dataclass(frozen=True, slots=True)
class Step:
    """One trip with tangents: those it reads (of inputs, of the state), and all it gives."""

    seeds: dict[int, Term]
    twins: dict[int, Term]
    values: list[Term]  # the test, then the next state
    derivatives: list[Term | None]  # of the next state


#: A loop, the inputs that have tangents, and the state that starts with them.
Seeded = tuple[Loop, tuple[int, ...], tuple[int, ...]]


def loop_tangent(
    term: Term, tangents: Sequence[Term | None], push: Push, known: dict[Seeded, Step]
) -> tuple[Term, dict[int, Term]]:
    """The loop with tangents, and the tangent of each state variable that has one.

    `tangents` belong to the arguments of `term`. The variables of the result come first in the
    order of the loop given, so projections keep their indices. `known` are steps of before: the
    columns of a Jacobian run through the same loops.
    """
    loop: Loop = term.attr
    starts, given = tangents[1 : 1 + loop.carried], tangents[1 + loop.carried :]
    key = loop, _present(given), _present(starts)
    if key not in known:
        known[key] = _step(*key, push)
    step = known[key]
    outer = opened(term)
    place = _places(loop, outer, term)
    place |= {seed: t for i, seed in step.seeds.items() if (t := given[i]) is not None}
    zeros = [zero(loop.state[j].type) for j in step.twins]
    steps = [step.derivatives[j] or nothing for j, nothing in zip(step.twins, zeros, strict=True)]
    go, *placed = substitute([*step.values, *steps], place)
    states = [
        replace(s, next=after)
        for s, after in zip(outer.states, placed[: loop.carried], strict=True)
    ]
    for (j, twin), nothing, after in zip(
        step.twins.items(), zeros, placed[loop.carried :], strict=True
    ):
        states.append(State(f"d_{loop.state[j].attr}", twin, starts[j] or nothing, after))
    result = close(replace(outer, go=go, states=tuple(states)))
    return result, {j: final(result, loop.carried + i) for i, j in enumerate(step.twins)}


def _present(tangents: Sequence[Term | None]) -> tuple[int, ...]:
    return tuple([i for i, t in enumerate(tangents) if t is not None])


def _step(loop: Loop, given: Sequence[int], active: Sequence[int], push: Push) -> Step:
    """The body with tangents of all state that comes to have one, trip by trip."""
    seeds = {i: bound(f"d_{(v := loop.inputs[i]).attr}", v.type) for i in given}
    while True:
        twins = {j: bound(f"d_{(v := loop.state[j]).attr}", v.type) for j in active}
        read = {loop.inputs[i]: seed for i, seed in seeds.items()}
        read |= {loop.state[j]: twin for j, twin in twins.items()}
        values, derivatives = push(loop.body, read)
        more = [j for j, d in enumerate(derivatives[1:]) if d is not None and j not in twins]
        if not more:
            return Step(seeds, twins, values, derivatives[1:])
        active = sorted([*active, *more])


def _places(loop: Loop, outer: Open, term: Term) -> dict[Term, Term]:
    """What the body's variables are in the open loop."""
    return dict(zip(loop.body.leaves(), [*outer.own, *term.args[1 + loop.carried :]], strict=True))
