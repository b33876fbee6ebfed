"""What a loop carries but nothing reads is dropped; what never changes is no state.

A loop that is left with nothing but its trips to count is none: their number is known.

Takes result terms, gives equal ones over smaller loops. Derivation builds loops that carry
everything anybody might want; this is what makes them small again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from ...terms.loop import LOOP, Loop, close, final, has_loops, map_loops, opened, zero
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import PROJ, Term, rebuild, substitute, toposort
from ...terms.trips import ran
from .closure import bits, closed


def pruned(roots: Sequence[Term], rules: RuleSet) -> list[Term]:
    """The roots over loops that carry only what is needed."""
    return _pruned(roots, rules, {})


def without_idle(roots: Sequence[Term], rules: RuleSet) -> dict[Term, Term]:
    """The terms below, where a loop of which no trip changes anything is none."""
    done: dict[Term, Term] = {}
    for term in toposort(roots):
        here = done[term] = rebuild(term, tuple([done[a] for a in term.args]))
        if here.op == PROJ and here.args[0].op == LOOP and _is_idle(here.args[0].attr):
            (loop,) = here.args
            done[term] = loop.args[here.attr] if here.attr else ran(loop, rules)
    return done


def _is_idle(loop: Loop) -> bool:
    return all(v is after for v, after in zip(loop.state, loop.step, strict=True))


def _pruned(roots: Sequence[Term], rules: RuleSet, known: dict[Program, Program]) -> list[Term]:
    """The same; `known` are bodies that are done, and what they have become."""
    current = list(roots)
    while has_loops(current):
        inner = map_loops(current, lambda body: _pruned_body(body, rules, known))
        after = _smaller([inner[t] for t in current], rules)
        if after == current:
            return after
        current = after
    return current


def _pruned_body(body: Program, rules: RuleSet, known: dict[Program, Program]) -> Program:
    if body not in known:
        done = body
        if has_loops(body.flat):
            done = body.with_flat(_pruned(body.flat, rules, known))
        known[body] = known[done] = done
    return known[body]


def _smaller(roots: Sequence[Term], rules: RuleSet) -> list[Term]:
    live = _live(roots)
    used: dict[Term, dict[int, None]] = {}
    for term in live:
        if term.op == PROJ and term.args[0].op == LOOP:
            states = used.setdefault(term.args[0], {})
            if term.attr:
                states[term.attr - 1] = None
    done: dict[Term, Term] = {}
    kept: dict[Term, dict[int, Term]] = {}  # of a loop: what its state variables have become
    for term in toposort(roots):
        if term.op == LOOP and term in used:
            args = [done[a] if a in live else zero(a.type) for a in term.args]
            now = Term(LOOP, tuple(args), term.attr, term.type)
            done[term], kept[term] = _loop(now, used[term])
        elif term not in live:
            continue
        elif term.op == PROJ and term.args[0] in kept:
            loop = term.args[0]
            done[term] = kept[loop][term.attr - 1] if term.attr else ran(done[loop], rules)
        else:
            done[term] = rebuild(term, tuple([done[a] for a in term.args]))
    return [done[t] for t in roots]


def _live(roots: Iterable[Term]) -> dict[Term, None]:
    """The terms that the roots depend on: of what enters a loop, what its results depend on."""
    found: dict[Term, None] = {}
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term not in found:
            found[term] = None
            stack.extend(read_by(term))
    return found


def _loop(term: Term, used: Iterable[int]) -> tuple[Term, dict[int, Term]]:
    """A loop with the state variables that are needed, and what the old ones are after it."""
    loop: Loop = term.attr
    both = zip(loop.state, loop.step, strict=True)
    constant = {j: None for j, (var, after) in enumerate(both) if var is after}
    same = _merged(loop, term.args[1:])
    needed = _needed(loop, [same[j] for j in used], list(same.values()))
    left = [j for j in needed if j not in constant]
    live = set(loop.body.terms())
    if len(left) == loop.carried and all(v in live for v in loop.inputs):
        return term, {j: final(term, j) for j in range(loop.carried)}
    outer = opened(term)
    table = {s.var: outer.states[same[j]].var for j, s in enumerate(outer.states)}
    table |= {outer.states[j].var: outer.states[j].first for j in constant}
    table |= {s.var: table.get(table[s.var], table[s.var]) for s in outer.states}
    go, *after = substitute(outer.roots, table)
    states = tuple([replace(outer.states[j], next=after[j]) for j in left])
    result = close(replace(outer, go=go, states=states))
    place = {j: i for i, j in enumerate(left)}
    finals: dict[int, Term] = {}
    for j in range(loop.carried):
        k = same[j]
        if k in constant:
            finals[j] = term.args[1 + k]
        elif k in place:
            finals[j] = final(result, place[k])
    return result, finals


def _merged(loop: Loop, args: Sequence[Term]) -> dict[int, int]:
    """For each state variable the first one that is always equal.

    Two are: they begin equal, and step alike where those that are held to be equal are one.
    """
    firsts = args[: loop.carried]
    same = first_of(firsts)
    state = loop.state
    while True:
        table = {v: state[same[j]] for j, v in enumerate(state)}
        steps = substitute(loop.step, {v: one for v, one in table.items() if v is not one})
        finer = first_of([(same[j], step) for j, step in enumerate(steps)])
        if finer == same:
            return same
        same = finer


def first_of(keys: Iterable[Hashable]) -> dict[int, int]:
    """For each index the first one with the same key."""
    seen: dict[Hashable, int] = {}
    return {j: seen.setdefault(key, j) for j, key in enumerate(keys)}


def _needed(loop: Loop, used: Iterable[int], same: Sequence[int]) -> list[int]:
    """The state variables that the used ones and the end of the loop depend on."""
    end, reached = _reached(loop, same)
    for j in used:
        end |= 1 << j | reached[j]
    return [j for j in range(loop.carried) if end >> j & 1]


def needed(loop: Loop, index: int) -> list[int]:
    """The state variables that a result depends on, by the index of its projection."""
    return _needed(loop, [index - 1] if index else [], range(loop.carried))


def read_by(term: Term) -> Sequence[Term]:
    """What a term depends on; of a loop's result, the loop's arguments."""
    if term.op != PROJ or term.args[0].op != LOOP:
        return term.args
    (whole,) = term.args
    trips, *others = whole.args
    return [trips, *(others[i] for i in bits(_read_places(whole)[term.attr]))]


@lru_cache(maxsize=1000)
def _read_places(term: Term) -> list[int]:
    """For each result of a loop the arguments of the loop that it depends on, after the first."""
    end, reached = _reached(term.attr, range(term.attr.carried))
    return [end, *(end | 1 << j | mask for j, mask in enumerate(reached))]


def _reached(loop: Loop, same: Sequence[int]) -> tuple[int, list[int]]:
    """What the condition, and what each step, depends on in any number of trips, as bits.

    State variables, then inputs; `same` says which state variable stands for one.
    """
    found = {v: 1 << j for v, j in zip(loop.state, same, strict=True)}
    found |= {v: 1 << i for i, v in enumerate(loop.inputs, loop.carried)}
    found[loop.counter] = 0
    for term in loop.body.terms():
        if term not in found:
            mask = 0
            for arg in read_by(term):
                mask |= found[arg]
            found[term] = mask
    reached = closed([found[t] for t in loop.step])
    end = found[loop.go]
    for j in bits(end & ((1 << loop.carried) - 1)):
        end |= reached[j]
    return end, reached
