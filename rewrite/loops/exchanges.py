"""Short lists at a running index: they are variables, one for each element, and choices.

    p[i], p[j] = p[j], p[i]    p0 = j == 0 ? p[i] : i == 0 ? p[j] : p0, and so on

Where the choices only move the values of some variables, and whatever the conditions are, twice is
none at all, they are undone by themselves: that is tried with all values that conditions tell
apart. And what an arm knows of its condition is put into it, `i == 0 ? p[i] + 1 : p0` becomes
`i == 0 ? p0 + 1 : p0`, so that the rules can say what it was.

Takes a loop, gives an equal one, and what undoes its exchanges.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ...terms.loop import Loop, bound, varying
from ...terms.term import CONST, SELECT, Term, const, is_const, rebuild, substitute, toposort
from ...terms.types import Memory, Scalar
from ...terms.walk import postorder
from ..egraph.numbers import values
from ..undo.ranges import Ranges
from ..undo.undoing import Undoing

_ARMS, _TERMS = 64, 512  # of one step that are looked at
_CASES = 1 << 13  # that are tried
_MEMBERS = 16
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def with_clear_arms(term: Term) -> Term:
    """The loop, in whose steps no arm asks what is known in it."""
    loop: Loop = term.attr
    steps = [_cleared(t) if t.op == SELECT and _is_small(t) else t for t in loop.step]
    if all(a is b for a, b in zip(steps, loop.step, strict=True)):
        return term
    body = loop.body.with_flat([loop.go, *steps])
    return Term(term.op, term.args, replace(loop, body=body), term.type)


def _is_small(step: Term) -> bool:
    """Whether a step is one of integers, and of few terms: each arm is gone through."""
    return step.type in (Scalar.I32, Scalar.BOOL) and len(toposort([step])) <= _TERMS


def _cleared(step: Term) -> Term:
    """A choice whose arms know its condition."""
    built: list[Term] = []
    stack: list[tuple[Term, Mapping[Term, Term], Term | None]] = [(step, {}, None)]
    opened = 0
    while stack:
        term, known, condition = stack.pop()
        if condition is not None:  # both arms are built
            other, then = built.pop(), built.pop()
            built.append(then if then is other else rebuild(term, (condition, then, other)))
            continue
        if known:
            term = _decided(term, known)
        if term.op != SELECT or opened >= _ARMS:
            built.append(term)
            continue
        opened += 1
        condition, then, other = term.args
        stack.append((term, {}, condition))
        stack.append((other, {condition: const(False, Scalar.BOOL)}, None))
        stack.append((then, _follows(condition, then), None))
    return built[0]


def _follows(condition: Term, arm: Term) -> dict[Term, Term]:
    """What is known in an arm: the condition, and that one number is no other."""
    known = {condition: const(True, Scalar.BOOL)}
    if condition.op == "eq" and CONST in [a.op for a in condition.args]:
        for t in toposort([arm]):
            if t.op == "eq" and t is not condition and _same_but_number(t, condition):
                known[t] = const(False, Scalar.BOOL)
    return known


def _same_but_number(a: Term, b: Term) -> bool:
    """Whether two comparisons are of one value with different numbers."""
    rows = list(zip(a.args, b.args, strict=True))
    different = [(x, y) for x, y in rows if x is not y]
    return len(different) == 1 and all(t.op == CONST and t.type is Scalar.I32 for t in different[0])


def _decided(term: Term, known: Mapping[Term, Term]) -> Term:
    """A term without the choices that are decided."""
    done: dict[Term, Term] = {}
    for t in toposort([term]):
        args = tuple([done[a] for a in t.args])
        done[t] = known.get(t) or rebuild(t, args)
        if t.op == SELECT and args[0].op == CONST:
            done[t] = args[1] if is_const(args[0], True) else args[2]
    return done[term]


@dataclass(frozen=True)
class Exchange:
    """What undoes an exchange: the same exchange, of what the variables have become.

    Others are these but the first, and what the conditions are over.
    """

    target: Term
    others: tuple[Term, ...]
    step: Term
    names: tuple[Term, ...]  # what stands in the step for the value, and for the others
    later: bool = False

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """The variable, given what all of them have become."""
        table = dict(zip(self.names, (value, *others), strict=True))
        return substitute([self.step], table)[0]


def exchanges(loop: Loop, ranges: Ranges, undoing: Undoing) -> dict[Term, list[Exchange]]:
    """What exchanges of variables say of what they were, by the first step of each.

    `ranges` are of the terms of the body.
    """
    moved: dict[Term, list[Term]] = {}
    state = set(loop.state)
    for v, step in zip(loop.state, loop.step, strict=True):
        if step.op == SELECT and not isinstance(v.type, Memory):
            leaves = _leaves(step, state)
            if leaves:
                moved[v] = [t for t in loop.state if t in leaves]
    found: dict[Term, list[Exchange]] = {}
    steps = dict(zip(loop.state, loop.step, strict=True))
    done: set[Term] = set()
    for v in moved:
        members = [] if v in done else _group(v, moved)
        if not 1 < len(members) <= _MEMBERS or not all(t in moved for t in members):
            continue
        own = tuple([steps[t] for t in members])
        atoms = _atoms(own, members, ranges)
        if atoms is not None and _is_own_inverse(members, own, atoms, undoing):
            done.update(members)
            others, known = (*own[1:], *atoms), (*members, *atoms)
            exchange = [Exchange(t, others, s, known) for t, s in zip(members, own, strict=True)]
            found[own[0]] = exchange
    return found


def _group(variable: Term, moved: Mapping[Term, Sequence[Term]]) -> list[Term]:
    """The variables that a variable gets the values of, and those that they do; or too many."""
    group = [variable]
    for v in group:
        if len(group) <= _MEMBERS:
            group += [t for t in moved.get(v, ()) if t not in group]
    return group


def _choices(steps: Sequence[Term]) -> list[Term]:
    """The choices that steps are made of, each after those in its arms."""
    below = postorder(steps, lambda t: t.args[1:] if t.op == SELECT else ())
    return [t for t in below if t.op == SELECT]


def _leaves(step: Term, variables: Container[Term]) -> set[Term]:
    """What a step chooses from; nothing, where that is not variables alone."""
    found: set[Term] = set()
    seen, stack = {step}, [step]
    while stack:
        term = stack.pop()
        if term.op == SELECT:
            more = [a for a in term.args[1:] if a not in seen]
            seen.update(more)
            stack += more
        elif term in variables:
            found.add(term)
        else:
            return set()
    return found


def _atoms(
    steps: Sequence[Term], members: Sequence[Term], ranges: Ranges
) -> dict[Term, list[int]] | None:
    """What the conditions of steps are over, each with the values that they tell apart.

    None where that are the members themselves, or not integers compared with numbers.
    """
    chosen = _choices(steps)
    stack = list(dict.fromkeys(t.args[0] for t in chosen))
    if not varying(stack, members).isdisjoint(stack):
        return None
    found: dict[Term, list[int]] = {}
    seen = set(stack)
    while stack:
        term = stack.pop()
        numbers = [a for a in term.args if a.op == CONST and a.type is Scalar.I32]
        if term.op in _COMPARISONS and len(numbers) == 1:
            (value,) = [a for a in term.args if a is not numbers[0]]
            n = int(numbers[0].attr)
            if value.type is not Scalar.I32 or abs(n) > _CASES:
                return None
            found.setdefault(value, []).extend([n - 1, n, n + 1])
        elif term.args and all(a.type is Scalar.BOOL for a in term.args):
            more = [a for a in term.args if a not in seen]
            seen.update(more)
            stack += more
        elif term.op != CONST:
            found[term] = [0, 1]
    for value, several in found.items():
        low, high = ranges.of(value)
        found[value] = sorted({min(max(n, low), high) for n in several})
    return found


def _is_own_inverse(
    members: Sequence[Term],
    steps: Sequence[Term],
    atoms: Mapping[Term, Sequence[int]],
    undoing: Undoing,
) -> bool:
    """Whether two exchanges are none, in all cases."""
    if prod(len(numbers) for numbers in atoms.values()) > _CASES:
        return False
    chosen = _choices(steps)
    places = {t: bound("given", t.type) for t in atoms}
    conditions = substitute([t.args[0] for t in chosen], places)
    grid = np.meshgrid(*atoms.values(), indexing="ij")
    count = grid[0].size if grid else 1
    types = {Scalar.I32: np.int32, Scalar.BOOL: np.bool_}
    at: dict[Term, Any] = {
        places[t]: axis.ravel().astype(types[t.type]) for t, axis in zip(atoms, grid, strict=True)
    }
    computed = values(undoing.rules, conditions, at)
    pairs = zip(chosen, conditions, strict=True)
    known = {t: np.broadcast_to(computed[c], count) for t, c in pairs}
    once = {t: np.full(count, n) for n, t in enumerate(members)}
    for _ in range(2):
        for t in chosen:
            once[t] = np.where(known[t], once[t.args[1]], once[t.args[2]])
        once = {v: once[step] for v, step in zip(members, steps, strict=True)}
    return all(bool((once[t] == n).all()) for n, t in enumerate(members))
