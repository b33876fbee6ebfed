"""Conditions that hold for no values: every way through them is looked at."""

import itertools
import random

import pytest

from egad.reader.python.values.bounds import never
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

BOOL = Scalar.BOOL
ATOMS = [var(name, BOOL) for name in "abc"]


def drawn(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*ATOMS, const(True, BOOL), const(False, BOOL)])
    op = rng.choice(["logical_not", "logical_and", "logical_or", "select"])
    count = {"logical_not": 1, "select": 3}.get(op, 2)
    return Term(op, tuple([drawn(rng, depth - 1) for _ in range(count)]), None, BOOL)


def value(term, at):
    if term in at:
        return at[term]
    args = [value(a, at) for a in term.args]
    match term.op:
        case "const":
            return bool(term.attr)
        case "logical_not":
            return not args[0]
        case "logical_and":
            return args[0] and args[1]
        case "logical_or":
            return args[0] or args[1]
    return args[1] if args[0] else args[2]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_never_is_never_wrong(depth):
    rng, proven, true = random.Random(depth), 0, 0
    for _ in range(400):
        term = drawn(rng, depth)
        points = itertools.product([False, True], repeat=len(ATOMS))
        holds = [value(term, dict(zip(ATOMS, at, strict=True))) for at in points]
        true += not any(holds)
        if never(term):
            proven += 1
            assert not any(holds), term
    assert proven > 0.4 * true  # and often found
