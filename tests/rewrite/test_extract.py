"""Extraction against brute force on small random e-graphs, and against its promises."""

from __future__ import annotations

import math
import random
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import highspy
import pytest
from egraphs import gradient, table

from egad.rewrite.egraph.graph import EGraphTable, dag_cost, order
from egad.rewrite.extraction.extract import _LIMITS, Effort, Extraction, extract
from egad.terms.errors import ExtractError


def small(seed):
    rng = random.Random(seed)
    classes = rng.randint(2, 7)
    owners = [*range(classes), *(rng.randrange(classes) for _ in range(rng.randint(1, 12)))]
    rows = []
    for cls in owners:
        args = rng.choices(range(classes), k=rng.choice((0, 1, 1, 2, 2, 3)))
        cost = rng.choice((0, 0, 1, 1, 2, 3, 5)) if rng.random() < 0.8 else rng.random()
        rows.append((cls, cost, args))
    return table(rows, rng.choices(range(classes), k=rng.randint(1, 3)))


def brute_force(e):
    """The least cost over all acyclic choices, by trying every one; inf without any."""
    nodes = [[n for n, c in enumerate(e.owner) if c == cls] for cls in range(e.classes)]
    best = math.inf

    def complete(choice, todo):
        nonlocal best
        todo = [cls for cls in todo if cls not in choice]
        if not todo:
            with suppress(ExtractError):  # cyclic
                best = min(best, dag_cost(e, choice))
            return
        for node in nodes[todo[0]]:
            complete({**choice, todo[0]: node}, [*todo[1:], *e.children[node]])

    complete({}, e.roots)
    return best


def verify(e, found: Extraction):
    assert set(order(e, found.choice)) == set(found.choice)
    assert dag_cost(e, found.choice) == found.cost
    assert found.bound <= found.cost
    assert ("proven optimal" in found.method) == (found.bound == found.cost) == (found.gap == 0)


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_small_graphs_are_solved_to_the_optimum(first):
    for seed in range(first, first + 50):
        e, best = small(seed), brute_force(small(seed))
        if math.isinf(best):
            with pytest.raises(ExtractError, match="no finite program"):
                extract(e)
            continue
        fast, found = extract(e, effort=Effort.FAST), extract(e)
        verify(e, fast)
        verify(e, found)
        assert fast.bound <= best + 1e-9 <= fast.cost + 2e-9
        assert found.cost == pytest.approx(best, abs=1e-9)
        assert found.gap == 0


@pytest.mark.parametrize("seed", range(1, 7))
def test_gradient_programs_are_proven_optimal(seed):
    e = gradient(seed, 60, 1200)
    fast, found = extract(e, effort="fast"), extract(e)
    verify(e, fast)
    verify(e, found)
    assert found.gap == 0
    assert found.cost <= fast.cost <= 1.1 * found.cost


def test_sharing_beats_tree_cost():
    # Alone, a/x costs 8 and a * (1/x) costs 6; three quotients by one x share its reciprocal.
    rows = [(0, 0, ()), (1, 7, (0,)), (2, 8, (0,)), (2, 1, (1,)), (3, 8, (0,)), (3, 1, (1,))]
    assert extract(table(rows, [2])).choice == {0: 0, 2: 2}
    for effort in Effort:
        assert extract(table(rows, [2, 3]), effort=effort).cost == 9


def test_opening_a_class_for_several_users_at_once():
    # One user of the class 1 loses by it, two together gain.
    rows = [(0, 0, ()), (1, 9, (0,)), (2, 8, (0,)), (2, 1, (1,)), (3, 8, (0,)), (3, 1, (1,))]
    assert extract(table(rows, [2, 3]), effort="fast").cost == 11


def test_cheap_cycles_are_refused():
    rows = [(0, 0, (1,)), (1, 0, (0,)), (0, 7, (2,)), (1, 5, (2,)), (2, 0, ())]
    for effort in Effort:
        assert extract(table(rows, [0, 1]), effort=effort).cost == 5


def test_long_cycles_are_refused():
    size = 30
    rows = [(c, 1, ((c + 1) % size,)) for c in range(size)]
    rows += [(c, 50 + c, ()) for c in range(size)]
    found = extract(table(rows, range(0, size, 3)))
    assert (found.cost, found.gap) == (50 + 27, 0)


def test_repeated_roots_are_paid_once():
    e = table([(0, 0, ()), (1, 3, (0, 0))], [1, 1, 0])
    assert extract(e).cost == 3
    assert extract(table([(0, 0, ())], [])).choice == {}


def test_ties_prefer_fewer_arguments_then_the_earlier_node():
    rows = [(0, 0, ()), (1, 2, (0, 0)), (1, 2, (0,)), (1, 2, (0,))]
    assert extract(table(rows, [1])).choice == {0: 0, 1: 2}


@pytest.mark.parametrize("cost", [math.nan, -1.0, math.inf, 1e308])
def test_costs_that_are_no_costs(cost):
    with pytest.raises(ExtractError, match="cost"):
        extract(table([(0, 0, ()), (1, cost, (0,)), (1, cost, (0,))], [1]))
    with pytest.raises(ExtractError, match=r"'op'|too large"):
        extract(table([(0, cost, ()), (1, cost, (0,))], [1]))


def test_an_output_without_a_finite_program():
    with pytest.raises(ExtractError, match="output 1"):
        extract(table([(0, 1, ()), (1, 1, (2,)), (2, 1, (1, 0))], [0, 2]))


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_costs_of_any_unit(scale):
    e = gradient(3, 40, 600)
    scaled = EGraphTable(
        e.heads, e.children, e.owner, e.classes, [cost * scale for cost in e.costs], e.roots
    )
    assert extract(scaled).cost == pytest.approx(extract(e).cost * scale, rel=1e-9)


def test_equal_input_gives_equal_output():
    for effort in (Effort.FAST, Effort.DEFAULT):
        assert extract(gradient(2, 50, 800), effort=effort) == extract(
            gradient(2, 50, 800), effort=effort
        )


def test_small_parts_are_kicked_for_a_shorter_time():
    usual = _LIMITS[Effort.DEFAULT]
    assert [usual.idle(size) for size in (12, 50, 100, 2_000, 4_000)] == [
        *(2_400, 10_000, 20_000, 20_000, 40_000)
    ]
    for limits in _LIMITS.values():
        idle = [limits.idle(size) for size in range(12, 6_000, 50)]
        assert idle == sorted(idle) and idle[0] > 0


def test_the_callers_use_of_highs_does_not_matter():
    other = highspy.Highs()
    other.setOptionValue("output_flag", False)
    other.setOptionValue("threads", 2)
    x = [other.addBinary() for _ in range(30)]
    other.addConstr(sum(x) <= 11)
    other.maximize(sum((i % 7 + 1) * v for i, v in enumerate(x)))
    results = [extract(gradient(1, 40, 500))]
    thread = threading.Thread(target=lambda: results.append(extract(gradient(1, 40, 500))))
    thread.start()
    thread.join()
    assert results[0] == results[1]
    assert results[0].gap == 0


def test_nothing_is_printed(capfd):
    extract(gradient(1, 40, 500))
    assert capfd.readouterr() == ("", "")


def test_a_failure_of_highs_is_reported(monkeypatch):
    monkeypatch.setattr(highspy.Highs, "run", lambda self: highspy.HighsStatus.kError)
    e = gradient(1, 40, 500)
    found = extract(e)
    verify(e, found)
    assert "HiGHS ended with" in found.method
    assert found.gap > 0


def test_the_clock_is_reported(monkeypatch):
    clock = SimpleNamespace(monotonic=iter([0.0, *[1e9] * 1000]).__next__)
    monkeypatch.setitem(extract.__globals__, "time", clock)
    found = extract(gradient(1, 40, 500))
    assert "stopped by the clock" in found.method


@pytest.mark.parametrize("depth", [20_000])
def test_deep_chains_need_no_recursion(depth):
    rows = [(0, 0, ())]
    for cls in range(1, depth):
        rows += [(cls, 2, (cls - 1, max(cls - 2, 0))), (cls, 3, (cls - 1,)), (cls, 1, (cls,))]
        rows += [(cls, 0.5, (min(cls + 1, depth - 1), cls - 1))] if cls % 5 == 0 else []
    e, began = table(rows, [depth - 1]), time.process_time()
    found = extract(e, effort="fast")
    verify(e, found)
    assert time.process_time() - began < 30
