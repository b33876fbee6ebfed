"""Parts that are alike are solved once, and get the choice that they would have got alone."""

import pytest

from egad import derive
from egad.rewrite.extraction import extract, ilp, twins
from egad.rewrite.extraction.reduce import Problem


def chain(x: float, y: float) -> float:
    for k in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        x = x * (y * k) + (x * y) * (x * k) / (1.0 + x * x * k * y)
    return x


class _Alone(twins.Twins):
    """Knows no twins."""

    def recall(self, problem, part, start):
        return None


@pytest.mark.parametrize("mode", ["bwd", "hessian"])
def test_twins_get_what_they_would_have_got_alone(mode, monkeypatch):
    shared = derive(chain, mode)
    monkeypatch.setattr(extract, "Twins", _Alone)
    alone = derive(chain, mode)
    assert shared.report.cost_after == alone.report.cost_after
    assert shared.report.bound == alone.report.bound
    assert shared.source == alone.source


def two_alike(last_cost):
    """Two parts of four classes each; the second is the first with other numbers."""
    uses = [(), (3,), (0,), (1,), (3,), ()]
    costs = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    return Problem(
        nodes=[[0], [1, 2], [3, 4], [5], [6], [7, 8], [9, 10], [11]],
        uses=[*uses, *(tuple(u + 4 for u in used) for used in uses)],
        costs=[*costs, *costs[:-1], last_cost],
        needed=[False, False, True, False] * 2,
        settled={},
        strong=list(range(8)),
        classes=list(range(8)),
    )


@pytest.mark.parametrize(("last_cost", "solves"), [(1.0, 1), (2.0, 2)])
def test_a_twin_is_not_solved_again(last_cost, solves):
    problem, found, asked = two_alike(last_cost), twins.Twins(), 0
    limits = ilp.IlpLimits(1e6, 60.0)
    start = [group[0] for group in problem.nodes]
    results = []
    for part in ([0, 1, 2, 3], [4, 5, 6, 7]):
        known = found.recall(problem, part, start)
        if known is None:
            asked += 1
            result = ilp.solve(problem, part, start, limits)
            found.remember(problem, part, start, result, result.choice)
            known = result, result.choice
        results.append(known)
    assert asked == solves
    for part, (result, choice) in zip(([0, 1, 2, 3], [4, 5, 6, 7]), results, strict=True):
        alone = ilp.solve(problem, part, start, limits)
        assert choice == alone.choice
        assert result.bound == pytest.approx(alone.bound)
