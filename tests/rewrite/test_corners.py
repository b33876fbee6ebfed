"""Linear facts of integers: what is said of them holds at every point, and nothing is missed."""

import random
from itertools import product

import pytest

from egad.rewrite.undo.cases import Case
from egad.rewrite.undo.linear import Form, atom, impossible, tightest
from egad.terms.term import var
from egad.terms.types import Scalar

ATOMS = [atom(var(name, Scalar.I32)) for name in "ijk"]
SIZE = 4  # each atom is from 0 to SIZE


def _form(rng) -> Form:
    """A sum of a few atoms, each some times."""
    total = Form((), rng.randint(-5, 5))
    for each in rng.sample(ATOMS, rng.randint(1, 3)):
        total += each * rng.choice((-2, -1, -1, 1, 1, 2))
    return total


def _points(facts):
    """All points in the box at which facts hold."""
    for numbers in product(range(SIZE + 1), repeat=len(ATOMS)):
        table = {a.parts[0][0]: Form((), n) for a, n in zip(ATOMS, numbers, strict=True)}
        if all(fact.where(table).number >= 0 for fact in facts):
            yield table


@pytest.mark.parametrize("seed", range(200))
def test_what_a_case_says_holds_at_every_point(seed):
    rng = random.Random(seed)
    box = [fact for a in ATOMS for fact in (a, -a + SIZE)]
    case = Case(tightest([*box, *[_form(rng) for _ in range(rng.randint(0, 3))]]), {})
    points = list(_points(case.facts))
    for asked in (_form(rng) for _ in range(8)):
        said = case.says(asked)
        assert not said or all(asked.where(table).number >= 0 for table in points)
        if points:  # what contradicts itself says everything, or nothing
            assert said == impossible((*case.facts, -asked - 1))


def test_bounds_alone_prove_and_refute():
    i, j, _ = ATOMS
    case = Case(tightest([i, -i + 9, j, -j + 1]), {})
    assert case.corners.excludes([-(i + 3) - 1])
    assert case.corners.allows([-(-i + 5) - 1])
    assert case.says(i + 3)
    assert not case.says(-i + 5)
    assert case.says(i * 2 + j)


def test_what_has_no_bounds_is_eliminated():
    i, j, k = ATOMS
    case = Case(tightest([i - j, j - k]), {})
    assert not case.corners.excludes([k - i - 1])
    assert not case.corners.allows([k - i - 1])
    assert case.says(i - k)
    assert not case.says(k - i)
