"""Repetitions choose alike: copies are acyclic, save what they say, and end the differences."""

import pytest
from egraphs import gradient, table

from egad.rewrite.egraph.graph import EGraphTable, dag_cost
from egad.rewrite.extraction.extract import extract
from egad.rewrite.extraction.greedy import Descent, start
from egad.rewrite.extraction.likeness import Likeness
from egad.rewrite.extraction.reduce import reduce
from egad.terms.types import Scalar

REAL = Scalar.F32


def begun(e, choice=None):
    """A problem, what looks alike in it, and a descent that begins at a choice."""
    problem = reduce(e)
    users = problem.users()
    first = start(problem, users, e.owner)
    likeness = Likeness(e, problem, first)
    if choice is not None:
        first = [choice.get(cls, node) for cls, node in enumerate(first)]
    return problem, likeness, Descent(problem, first, users, e.owner, 10**7)


def whole(e, problem, choice):
    return {c: problem.settled.get(c, choice[c]) for c in range(e.classes)}


def repeated(count):
    """Squares of quotients: x / (y * y), or x times the square of 1 / y, which is cheaper.

    Eight classes each: x, y, y * y, 1 / y, its square, the result, and what is above it.
    """
    heads, children, owner, costs, roots = [], [], [], [], []

    def node(cls, op, cost, *args, attr=None):
        heads.append((op, attr, REAL))
        owner.append(cls)
        costs.append(float(cost))
        children.append(args)

    for i in range(count):
        x, y, square, inverse, again, result, above = range(7 * i, 7 * i + 7)
        node(x, "var", 0, attr=f"x{i}")
        node(y, "var", 0, attr=f"y{i}")
        node(square, "mul", 1, y, y)
        node(inverse, "rcp", 8, y)
        node(again, "mul", 1, inverse, inverse)
        node(again, "rcp", 8, square)
        node(result, "div", 8, x, square)
        node(result, "mul", 1, x, again)
        node(above, "mul", 1, result, inverse)
        node(above, "div", 8, result, y)
        roots.append(above)
    return EGraphTable(heads, children, owner, 7 * count, costs, roots)


#: What to choose in the first repetition: its own quotient costs 11, the other one 17.
CHEAP = {4: 4, 5: 7, 6: 8}


def dear(i):
    """What to choose in a repetition for it to be dear."""
    return {7 * i + 5: 10 * i + 6, 7 * i + 6: 10 * i + 9}


def test_what_one_has_found_the_others_take_over():
    e = repeated(5)
    dear = {7 * i + 6: 10 * i + 9 for i in range(1, 5)} | {
        7 * i + 5: 10 * i + 6 for i in range(1, 5)
    }
    cheap = {6: 8, 5: 7, 4: 4}
    problem, likeness, descent = begun(e, dear | cheap)
    before = dag_cost(e, whole(e, problem, descent.choice))
    assert before == 11 + 4 * 17
    assert likeness.differ(descent.choice)
    saved = likeness.imitate(descent)
    assert dag_cost(e, whole(e, problem, descent.choice)) == before - saved == 5 * 11
    assert not likeness.differ(descent.choice)


def test_variables_look_alike_and_operators_do_not():
    e = repeated(3)
    _, likeness, descent = begun(e)
    assert not likeness.differ(descent.choice)
    other = [("log", None, REAL) if head[0] == "rcp" else head for head in e.heads[20:]]
    apart = EGraphTable(e.heads[:20] + other, e.children, e.owner, e.classes, e.costs, e.roots)
    choice = {**CHEAP, **dear(1), **dear(2)}
    _, likeness, descent = begun(apart, choice)
    assert likeness.differ(descent.choice)
    likeness.imitate(descent)
    chosen = [[descent.choice[7 * i + c] - 10 * i for c in (5, 6)] for i in range(3)]
    assert chosen == [[7, 8], [7, 8], [6, 9]]


@pytest.mark.parametrize("seed", range(70, 82))
def test_copies_are_acyclic_and_save_what_is_said(seed):
    e = gradient(seed, 60, 1200)
    e = EGraphTable(  # all inputs, and all operators of a kind, look alike
        [(op, None, type_) for op, _, type_ in e.heads],
        e.children, e.owner, e.classes, e.costs, e.roots,
    )  # fmt: skip
    problem, likeness, descent = begun(e)
    before = descent.cost()
    saved = likeness.imitate(descent)
    assert saved >= 0.0
    assert descent.cost() == pytest.approx(before - saved)
    choice = whole(e, problem, descent.choice)
    needed = {c: n for c, n in choice.items() if n >= 0}
    assert dag_cost(e, needed) == pytest.approx(descent.cost())  # which is no cycle


def test_the_work_is_bounded():
    e = repeated(300)
    choice = CHEAP.copy()
    for i in range(1, 300):
        choice |= dear(i)
    _, likeness, descent = begun(e, choice)
    likeness.steps = 50
    likeness.imitate(descent)
    assert -400 < likeness.steps <= 0  # the last plan is finished


def test_a_class_without_its_like_changes_nothing():
    e = table([(0, 0, ()), (1, 8, (0,)), (2, 1, (1, 1)), (2, 3, (0, 0))], [2])
    _, likeness, descent = begun(e)
    assert not likeness.differ(descent.choice) and likeness.imitate(descent) == 0.0
    assert extract(e).cost == 3
