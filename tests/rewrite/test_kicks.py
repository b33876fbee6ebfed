"""Kicks: what they return is acyclic, costs what they say, and never more than the start."""

import math
from itertools import pairwise

import pytest
from egraphs import gradient, table

from egad.rewrite.extraction.cycles import chosen_cycles
from egad.rewrite.extraction.extract import extract
from egad.rewrite.extraction.greedy import Descent, start
from egad.rewrite.extraction.ilp import IlpLimits, solve
from egad.rewrite.extraction.kicks import Kicks
from egad.rewrite.extraction.reduce import Problem, reduce


def descended(e) -> tuple[Problem, Descent]:
    problem = reduce(e)
    users = problem.users()
    descent = Descent(problem, start(problem, users, e.owner), users, e.owner, 10**7)
    descent.run()
    return problem, descent


def paid(problem, part, choice):
    """The cost of a choice, counted anew from what the part needs."""
    stack = [cls for cls in part if problem.needed[cls]]
    seen = set(stack)
    while stack:
        for used in problem.uses[choice[stack.pop()]]:
            if used not in seen:
                seen.add(used)
                stack.append(used)
    return math.fsum(problem.costs[choice[cls]] for cls in seen)


@pytest.mark.parametrize("seed", range(40, 46))
def test_a_choice_is_acyclic_and_costs_what_it_is_said_to_cost(seed):
    problem, descent = descended(gradient(seed, 60, 1200))
    for part in problem.parts():
        before = paid(problem, part, descent.choice)
        search = Kicks(problem, part, descent.choice)
        assert search.cost == pytest.approx(before)
        choice = search.run(20_000, 20_000)
        assert list(choice) == list(part)
        assert all(choice[cls] in problem.nodes[cls] for cls in part)
        assert not list(chosen_cycles(problem, part, choice))
        assert search.cost == pytest.approx(paid(problem, part, choice))
        assert search.cost <= before + 1e-9
        assert Kicks(problem, part, descent.choice).run(20_000, 20_000) == choice


def test_kicks_come_close_to_the_optimum():
    cost = best = before = 0.0
    for seed in range(50, 56):
        problem, descent = descended(gradient(seed, 100, 2000))
        before += descent.cost()
        cost += descent.cost()
        for part in problem.parts():
            size = sum(len(problem.nodes[cls]) for cls in part)
            search = Kicks(problem, part, descent.choice)
            old = search.cost
            search.run(100 * size, 10**6)
            cost += search.cost - old
            best += solve(problem, part, descent.choice, IlpLimits(1e6, 600.0)).bound
    assert best - 1e-6 <= cost < before
    assert cost - best <= 0.5 * (before - best)


def test_several_classes_are_opened_together():
    # x3 = 1/a3 in each row; the powers of 1/a1 are worth it only together, as in 1/r^2, 1/r^4 ...
    # classes: 0 the input, 1 its reciprocal, 2 .. 5 its powers, 6 .. 9 what the outputs need.
    rows = [(0, 0, ()), (1, 8, (0,)), (2, 1, (1,)), (2, 9, (0,))]
    rows += [row for c in (3, 4, 5) for row in ((c, 1, (c - 1, 1)), (c, 9, (0,)))]
    rows += [row for c in (6, 7, 8, 9) for row in ((c, 1, (c - 4,)), (c, 4, (0,)))]
    e = table(rows, [6, 7, 8, 9])
    problem, descent = descended(e)
    (part,) = [part for part in problem.parts() if len(part) > 1]
    search = Kicks(problem, part, descent.choice)
    search.run(5_000, 5_000)
    assert search.cost <= descent.cost()
    assert search.cost == extract(e, effort="best").cost == 16


@pytest.mark.parametrize("most", [0, 10, 1000])
def test_the_work_is_bounded(most):
    problem, descent = descended(gradient(60, 100, 2000))
    part = max(problem.parts(), key=len)
    search = Kicks(problem, part, descent.choice)
    begun = search.steps
    search.run(10**9, most)
    assert search.steps <= max(begun, most) + 20_000  # the last kick is finished


def test_more_patience_costs_no_more():
    problem, descent = descended(gradient(23, 120, 2400))
    part = max(problem.parts(), key=len)
    costs = []
    for patience in (1_000, 10_000, 100_000):
        search = Kicks(problem, part, descent.choice)
        search.run(patience, 10**7)
        costs.append(search.cost)
    assert all(a >= b for a, b in pairwise(costs))
    assert costs[-1] < costs[0]
