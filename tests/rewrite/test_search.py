"""Searches from several starts, and rounds that are given up."""

from itertools import combinations, pairwise

import pytest

from egad import Array, derive, float3, rewrite, sqrt
from egad.rewrite.egraph.cost import program_cost
from egad.rewrite.egraph.saturate import Budget
from egad.rewrite.pipeline import search
from egad.rules import load
from egad.terms.types import Scalar

RULES = load()


def lengths(x: float, y: float, z: float) -> float:
    r = x * x + y * y + z * z
    return (x * y + y * z + z * x) / (r * r * r) - (x + y + z) * r + x * y * z / r


def searched(effort, **budget):
    program = derive(lengths, mode="primal", math="strict").program
    plain = rewrite.derive(program, "bwd", RULES, Scalar.F32)
    report = rewrite.Report("lengths", "bwd", "safe", "float32")
    options = rewrite.Options(effort=rewrite.Effort(effort), budget=Budget(**budget))
    solved = []
    rewrite.optimize(plain, RULES, Scalar.F32, options, report, True, solved)
    return solved[-1], report


def test_more_starts_never_end_higher():
    _, default = searched("default")
    one, best = searched("best")
    assert best.cost_after <= default.cost_after < default.cost_before
    assert best.bound <= best.cost_after
    assert [s.before for s in one.stages[1:]] == [s.after for s in one.stages[:-1]]


def gravity(x: float, y: float, z: float, mass: float, bulge: float) -> float3:
    """Of a body that is flat at its poles."""
    q = x * x + y * y + z * z
    g = -mass / (q * sqrt(q))
    k = 1.5 * bulge / q
    pole = 5.0 * (z * z / q)
    near, far = 1.0 + k * (1.0 - pole), 1.0 + k * (3.0 - pole)
    return float3(g * x * near, g * y * near, g * z * far)


def test_the_most_effort_ends_no_higher_than_the_usual_one():
    """Also where the order that the usual one takes by a short search is another one."""
    places = ["x", "y", "z"]
    usual, best = (
        derive(gravity, "jacobian", wrt=places, optimize=effort, dtype="float64").report
        for effort in ("default", "best")
    )
    assert best.cost_after <= usual.cost_after


PAIRS = tuple(combinations(range(13), 2))


def attraction(places: Array[float, 39], masses: Array[float, 13]) -> float:
    total = 0.0
    for i, j in PAIRS:
        x = places[3 * i] - places[3 * j]
        y = places[3 * i + 1] - places[3 * j + 1]
        z = places[3 * i + 2] - places[3 * j + 2]
        total += masses[i] * masses[j] / sqrt(x * x + y * y + z * z)
    return total


def test_larger_programs_are_searched_in_some_rounds():
    report = derive(attraction, wrt="places", dtype="float64").report
    assert 2_000 < report.terms["plain"] < 6_000
    first = report.rounds[0]
    assert [r.nodes > 0 for r in report.rounds].count(True) > 1
    assert report.cost_after < first.cost < report.cost_before


def test_a_stage_says_with_what_it_was_saturated():
    one, report = searched("default", iterations=3)
    saturated = [s for s in one.stages if s.budget.iterations]  # the others were written anew
    assert [s.budget.iterations for s in saturated] == [3, *[1] * (len(saturated) - 1)]
    assert not one.stages[0].equal
    # Every round that gains is a stage; the last of each kind, in other groups and multiplied out,
    # may gain nothing.
    costs = [each.cost for each in report.rounds]
    gained = sum(now < before for before, now in pairwise(costs))
    assert gained == len(one.stages) - 1 and len(costs) - 1 - gained <= 2


def test_a_later_round_that_explodes_is_given_up(monkeypatch):
    _, whole = searched("default")
    monkeypatch.setattr(search, "_FAR", 0)
    one, report = searched("default")
    assert sum(s.budget.iterations > 0 for s in one.stages) == 1
    first, *_, given_up = [r for r in report.rounds if r.nodes]
    before = one.stages[0].after
    assert first.cost == program_cost(RULES, before.flat)
    after = report.rounds[report.rounds.index(given_up) + 1 :]
    assert not any(r.nodes for r in after) and "values of others" in [r.ended for r in after]
    assert given_up.cost > report.cost_after >= whole.cost_after


@pytest.mark.parametrize("effort", ["fast", "default", "best"])
def test_a_search_is_the_same_every_time(effort):
    (one, first), (two, second) = searched(effort), searched(effort)
    assert one.best.flat == two.best.flat
    assert first.rounds == second.rounds
