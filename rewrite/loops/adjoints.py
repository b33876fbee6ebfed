"""The adjoint of a loop: a loop over the same trips in reverse, over what was stored.

    s' = step(k, s, v)    s_bar = step_s^T s'_bar    v_bar += step_v^T s'_bar

Takes a loop with cotangents of its final state, gives cotangents of its arguments. Values of
the body are computed again from the stored state; decisions are replayed because they depend
on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.errors import DeriveError
from ...terms.loop import (
    Loop,
    Open,
    State,
    bound,
    close,
    final,
    load,
    restore,
    store,
    zero,
)
from ...terms.program import Program
from ...terms.term import Term, const, substitute, toposort
from ...terms.types import Memory, Scalar
from ..undo import Undoing
from .choosing import Cost, chosen
from .tapes import taped_terms
from .undoing import undone

Seeds = list[tuple[Term, Term]]


@dataclass(frozen=True)
class Rules:
    """What the adjoint of a body is made with: handed in, because derivation stands on this."""

    #: Cotangents of variables (a list like `wrt`) given those of results and first values.
    pull: Callable[[Program, Seeds, list[Term], Mapping[Term, Term]], list[Term | None]]
    #: The variables of a body, among those given, that its results depend on differentiably.
    active: Callable[[Program, list[Term]], set[Term]]
    add: Callable[[Term, Term], Term]
    subtract: Callable[[Term, Term], Term]
    expand: Callable[[Sequence[Term]], list[Term]]
    cost: Cost
    undoing: Undoing


def loop_adjoint(
    term: Term,
    run: Term,
    bars: Mapping[int, Term],
    wanted: Sequence[bool],
    begun: Mapping[int, Term],
    rules: Rules,
) -> dict[int, Term]:
    """Cotangents of the loop's arguments, by index.

    `run` is how often its body ran, `bars` are those of the final state; `wanted` says which
    arguments need one; `begun` holds memories in which cotangents are collected already.
    """
    loop: Loop = term.attr
    leaves = loop.body.leaves()
    inputs = [
        v for i, v in enumerate(loop.inputs, 1 + loop.carried) if wanted[i] and v.type.is_real
    ]
    states = _active_states(loop, wanted, inputs, rules)
    live = sorted(set(bars) & set(states))
    index = {v: i for i, v in enumerate(leaves)}
    totals = {v: bound(f"{v.attr}_bar", v.type) for v in inputs}
    while True:
        carried = {j: bound(f"{loop.state[j].attr}_bar", loop.state[j].type) for j in live}
        seeds = [(loop.step[j], bar) for j, bar in carried.items()]
        wrt = [loop.state[j] for j in states] + inputs
        found = dict(zip(wrt, rules.pull(loop.body, seeds, wrt, totals), strict=True))
        more = [j for j in states if found[loop.state[j]] is not None and j not in carried]
        if not more:
            break
        live = sorted([*live, *more])
    changed = [v for v in inputs if found[v] is not None and found[v] is not totals[v]]
    reverse = bound("trip", Scalar.I32)
    counter = rules.subtract(rules.subtract(run, const(1, Scalar.I32)), reverse)
    parts: list[tuple[str, Term, Term, Term]] = []
    for j, var in carried.items():
        bar = found[loop.state[j]]
        first = bars.get(j)
        start = zero(var.type) if first is None else first
        parts.append(
            (f"{loop.state[j].attr}_bar", var, start, zero(var.type) if bar is None else bar)
        )
    for v in changed:
        bar = found[v]
        assert bar is not None
        first = begun.get(index[v])
        start = zero(v.type) if first is None else first
        parts.append((f"{v.attr}_bar", totals[v], start, bar))
    nexts, followed = _replayed(term, counter, rules.expand([part[3] for part in parts]), rules)
    carried_states = tuple(
        State(name, var, first, after)
        for (name, var, first, _), after in zip(parts, nexts, strict=True)
    )
    always = const(True, Scalar.BOOL)
    result = close(
        Open(reverse, run, always, (*carried_states, *followed), loop.limit, loop.at, {})
    )
    out: dict[int, Term] = {}
    for i, j in enumerate(live):
        if wanted[1 + j]:
            out[1 + j] = final(result, i)
    for i, v in enumerate(changed, len(live)):
        out[index[v]] = final(result, i)
    return out


def added(a: Term, b: Term, add: Callable[[Term, Term], Term]) -> Term:
    """The sum of two memories, a loop over their elements."""
    assert isinstance(a.type, Memory)
    counter, total = bound("i", Scalar.I32), bound("total", a.type)
    element = add(load(total, counter), load(b, counter))
    size = const(a.type.size, Scalar.I32)
    state = State("total", total, a, store(total, counter, element))
    return final(close(Open(counter, size, const(True, Scalar.BOOL), (state,), a.type.size)), 0)


def _active_states(
    loop: Loop, wanted: Sequence[bool], inputs: list[Term], rules: Rules
) -> list[int]:
    """The state variables through which a derivative can pass."""
    real = [j for j in range(loop.carried) if loop.state[j].type.is_real]
    active = {j for j in real if wanted[1 + j]}
    while True:
        reached = rules.active(loop.body, [*(loop.state[j] for j in sorted(active)), *inputs])
        more = {j for j in real if loop.step[j] in reached} - active
        if not more:
            return sorted(active)
        active |= more


def _replayed(
    term: Term, counter: Term, roots: Sequence[Term], rules: Rules
) -> tuple[list[Term], list[State]]:
    """Terms of the body, over the values that its variables had in the trip `counter`.

    And the variables that are followed backwards for it, from where the loop left them.
    """
    loop: Loop = term.attr
    tapes = taped_terms(loop)
    table: dict[Term, Term] = {loop.counter: counter}
    table |= dict(zip(loop.inputs, term.args[1 + loop.carried :], strict=True))
    ways = undone(term, rules.undoing)
    bounded = loop.limit is not None
    kept, followed = chosen(roots, loop.state, loop.counter, tapes, rules.cost, ways, bounded)
    for stored in kept:
        if stored not in tapes:
            raise DeriveError("the adjoint needs the contents of a memory at every trip", loop.at)
        tape = final(term, tapes[stored])
        if isinstance(stored.type, Memory):
            table[stored] = restore(tape, counter, stored.type)
        else:
            table[stored] = load(tape, counter)
    number = {v: j for j, v in enumerate(loop.state)}
    for first, variable in ways.firsts.items():
        table[first] = term.args[1 + number[variable]]
    for variable in followed:
        (table[variable],) = substitute([ways.values[variable]], table)
    read = set(toposort([ways.values[v] for v in followed]))
    ends = {end: start for end, start in ways.ends.items() if end in read}
    states = [
        State(str(start.attr), end, final(term, number[start]), table[start])
        for end, start in ends.items()
    ]
    return substitute(roots, table), states
