"""What the adjoint of a loop keeps: the cheapest choice there is, found by trying all."""

import itertools
import random

import pytest

from egad.rewrite.loops import choosing
from egad.rewrite.loops.storage import SIZES
from egad.rewrite.loops.undoing import Undone
from egad.terms.loop import bound
from egad.terms.term import Term, var
from egad.terms.types import Scalar

COUNTER = var("k", Scalar.F32)


def load(term):
    return choosing.BYTE_COST * SIZES[term.type]


def drawn(rng):
    """A body over state and inputs, and roots of an adjoint over it."""
    state = [var(f"s{i}", rng.choice([Scalar.F32, Scalar.F64])) for i in range(3)]
    terms = [*state, COUNTER]
    costs = {}
    for i in range(rng.randrange(3, 8)):
        args = tuple(rng.choices(terms, k=rng.randrange(1, 4)))
        term = Term(f"op{i}", args, None, rng.choice([Scalar.BOOL, Scalar.F32, Scalar.F64]))
        costs[term] = rng.choice([1, 2, 40, 90, 130, 400])
        terms.append(term)
    bars = [bound("bar", Scalar.F32) for _ in range(2)]
    roots = [Term("mul", (rng.choice(terms), rng.choice([*bars, *terms])), None) for _ in bars]
    roots = [Term("add", (root, bar)) for root, bar in zip(roots, bars, strict=True)]
    keepable = {t for t in terms if t in state or (t in costs and rng.random() < 0.8)}
    undone = Undone()
    for i in range(rng.randrange(3)):  # what the last ones were follows from the first one
        end, start = bound("end", state[i].type), state[i + 1]
        undone.ends[end] = state[i]
        undone.values[start] = Term(f"undo{i}", (end, rng.choice(terms[4:])), None, start.type)
        costs[undone.values[start]] = rng.choice([1, 2, 40, 90])
    return roots, state, keepable, costs, undone


def spent(roots, state, kept, costs, undone):
    """What it takes to have everything that the roots read; None where something is missing."""
    total, seen = sum(load(t) for t in kept), set()
    stack = [a for root in roots for a in root.args]
    while stack:
        term = stack.pop()
        if term in seen or term in kept:
            continue
        seen.add(term)
        if term in state or term in undone.ends:
            over = undone.over(term)
            if over is None:
                return None
            stack.extend(over)
            continue
        moving = not {*state, COUNTER, *undone.ends}.isdisjoint(below(term))
        total += costs.get(term, 0) if moving else 0
        stack.extend(term.args if moving else ())
    return total


def below(term):
    stack, found = [term], []
    while stack:
        found.append(stack.pop())
        stack.extend(found[-1].args)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_choice_is_the_cheapest(seed):
    roots, state, keepable, costs, undone = drawn(random.Random(seed))
    kept, followed = choosing.chosen(
        roots, state, COUNTER, keepable, lambda t: costs.get(t, 0), undone
    )
    assert set(kept) <= keepable and set(followed) <= set(undone.values) - set(kept)
    best = min(
        cost
        for size in range(len(keepable) + 1)
        for some in itertools.combinations(keepable, size)
        if (cost := spent(roots, state, set(some), costs, undone)) is not None
    )
    assert spent(roots, state, set(kept), costs, undone) == pytest.approx(best)


def test_large_bodies():
    """20,000 terms, one after another: the state is kept, and all else computed again."""

    def one(term):
        return 1.0

    state = var("s", Scalar.F32)
    term = state
    for _ in range(20_000):
        term = Term("sin", (term,), None, Scalar.F32)
    root = Term("mul", (Term("sin", (state,), None, Scalar.F32), bound("bar", Scalar.F32)))
    assert choosing.chosen([root], [state], COUNTER, {state}, one, Undone()) == ([state], [])
    root = Term("mul", (term, bound("bar", Scalar.F32)), None, Scalar.F32)
    assert choosing.chosen([root], [state], COUNTER, {state, term}, one, Undone()) == ([term], [])
