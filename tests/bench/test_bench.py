"""The benchmark runs, its figures have the promised form, and the counts do not get worse.

Counts are the same on every machine and are compared; times are only looked at for sanity.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import egad

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench():
    """The package `bench` of the repository, which is not part of egad."""
    sys.path.append(str(ROOT))
    import bench.__main__ as command

    yield command
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def quick(bench, tmp_path_factory):
    pytest.importorskip("pyopencl")
    file = tmp_path_factory.mktemp("bench") / "figures.json"
    assert bench.main(["--quick", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    return found["environment"], {run["workload"]: run for run in found["runs"]}


def test_quick_measures_four_workloads(quick):
    environment, runs = quick
    assert list(runs) == ["poly", "ggx", "ba_reproj", "chain10"]
    assert {"date", "cpu", "device", "peers"} <= set(environment)
    for run in runs.values():
        phases = "read derive define check regroup saturate extract scale emit"
        assert set(run["seconds"]) == set(phases.split())
        assert run["enodes"] >= run["terms"] > 0
        assert run["cached_batch"] % 64 == 0
        assert 0 < run["cached_best_ns"] <= run["cached_ns"]
        assert run["build_seconds"] > 0
        assert run["large_ns"] is None


def test_derivatives_are_right(quick):
    for run in quick[1].values():
        assert run["error"] < 1e-5, run["workload"]


def test_programs_do_not_get_dearer(quick):
    for run in quick[1].values():
        assert run["weighted_after"] <= run["weighted_before"], run["workload"]


@pytest.mark.parametrize("name", ["ggx", "ba_reproj"])
def test_programs_cost_no_more_than_the_best_peer(quick, name):
    run = quick[1][name]
    assert run["weighted_after"] <= run["peers"]["weighted"]["value"]


def test_markdown_goes_between_the_markers(bench, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"above\n{bench.table.BEGIN}\nold\n{bench.table.END}\nbelow\n")
    bench.table.rewrite_between_markers(page, "new")
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("above\n") and text.endswith("\nbelow\n")
    page.write_text("no markers")
    with pytest.raises(ValueError, match="has no lines"):
        bench.table.rewrite_between_markers(page, "new")


def test_unknown_workloads_are_named(bench):
    with pytest.raises(SystemExit, match="no workload nosuch"):
        bench.main(["--only", "nosuch"])


def test_unknown_operators_have_no_weight(bench):
    from bench.costs import weighted

    with pytest.raises(KeyError, match="lgamma"):
        weighted({"add": 1, "lgamma": 1})


def test_the_reference_knows_a_derivative_in_closed_form(bench):
    """poly is a x^2: its gradient is (x^2, 2 a x)."""
    from bench.accuracy import derivatives, largest_error

    workload = bench.BY_NAME["poly"]
    row = np.array([1.5, -0.25])
    np.testing.assert_allclose(derivatives(workload, row), [0.0625, -0.75], rtol=1e-15)
    assert largest_error(workload, row[None], np.array([[0.0625, -0.75 * 1.001]])) > 1e-4


@pytest.fixture(scope="module")
def loops(bench):
    pytest.importorskip("pyopencl")
    from bench import loops

    return loops


@pytest.mark.parametrize("mode", ["fwd", "bwd"])
def test_trips_cost_nothing_to_derive(loops, mode):
    figures = loops.growth(*loops.PROGRAMS[0], mode)
    few, many = figures.characters
    assert many < 1.05 * few
    assert figures.seconds[1] < 3 * figures.seconds[0]
    assert loops.STEPS == loops.FEW


def test_many_loops_cost_what_each_costs(loops):
    for mode in loops.MODES:
        figures = loops.growth(*loops.SEQUENCE, mode, (8, 32))
        few, many = figures.characters
        assert 3 * few < many < 4.2 * few
    steep = loops.Growth("loops", "bwd", (1.0, 16.0), (1, 10))
    figures = loops.Figures([], [steep], [], [])
    assert figures.broken == ["loops bwd: ten times the loops take 16.0 times as long"]


@pytest.mark.parametrize("loop", [0, 1], ids=["pendulum", "march"])
def test_a_loop_is_little_longer_than_its_body(loops, loop):
    for mode in ("primal", "fwd", "bwd"):
        assert loops.text(*loops.LOOPS[loop], mode).ratio < loops.TEXT_LIMIT, mode


def test_loops_run_backwards_in_a_few_times_their_own_time(loops):
    from egad.codegen.devices.device import choose

    found = loops.pace(loops.WORKLOADS[0], "float32", choose())
    assert 0 < found.primal < found.backward < 2 * found.workload.limit * found.primal
    assert found.stored <= 4 * 2 * 64  # of every trip, how far the ray was and the least distance
    figures = loops.Figures([], [], [found], [loops.Text("loop", "bwd", 100, 301)])
    assert figures.broken[-1] == "loop bwd: the loop's text is 3.0 times its body's"


def test_importing_egad_is_cheap(bench):
    assert bench.import_seconds(attempts=3) < bench.IMPORT_LIMIT


def test_the_rules_that_are_loaded_for_their_time_are_rules(bench):
    from bench.rules import report, user_rules

    loaded = egad.rules.loads(user_rules(30))
    assert loaded.get("user_27") and loaded.rewrites[-1].name == "rule_28"
    assert loaded.facts[-1].name == "fact_29"
    text, _ = report(check=False, attempts=1)
    assert "all shipped rules, cold: " in text and "5000 rules of a user: " in text


@pytest.mark.parametrize("name", ["poly", "ba_reproj", "se3_between", "fk6", "neohookean"])
def test_every_statement_of_a_workload_is_derived(bench, name):
    from bench.derivatives import derive
    from bench.workloads import BY_NAME

    account = derive(BY_NAME[name], "float32", "fast").account
    assert account.coverage == 1.0 and len(account.lines) >= 5
    for body in account.bodies:
        assert body.faults == () and body.trial.differing == () and body.trial.untried == 0


def test_growth_is_fitted_and_limited(bench, monkeypatch):
    from bench import scale

    def run(links, seconds, megabytes):
        terms = {"optimized": 16 * links}
        return scale.Chain(links, {"read": 0.1}, seconds, seconds, megabytes, terms, "greedy", 30.0)

    even = [run(n, n / 500, n / 10) for n in (10, 100, 5000)]
    assert scale.exponent(even, lambda r: r.processor) == pytest.approx(1)
    said = []
    monkeypatch.setattr(scale, "in_own_process", lambda n, *_: run(n, n**1.3 / 900, n**1.2))
    broken = scale.chain_report((100, 5000), "float32", "default", said.append)
    assert [b for b in broken if b.startswith("time grows as links ** 1.30")]
    assert [b for b in broken if b.startswith("memory grows as links ** 1.20")]
    assert [b for b in broken if b.startswith("5000 links take 71.5 s")]
    assert len([b for b in broken if "builds in 30.0 s" in b]) == 2
    assert any("limit 1.15" in line for line in said)
    monkeypatch.setattr(scale, "in_own_process", lambda n, *_: replace_build(run(n, n / 500, 50.0)))
    assert scale.chain_report((100, 5000), "float32", "default", said.append) == []


def replace_build(run):
    from dataclasses import replace

    return replace(run, build_seconds=None)


def test_a_chain_is_derived_run_and_compared(bench):
    from bench import scale

    found = scale.in_own_process(3, "float32", "default")
    assert found.links == 3 and found.terms["optimized"] > 20 and found.processor > 0
    assert found.error is None or found.error < 1e-5


def test_whole_calls_are_timed(bench, device, capsys):
    assert bench.main(["calls", "--only", "poly"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "poly" in line]
    assert [row[:2] for row in rows] == [["poly", "1"], ["poly", "1024"], ["poly", "524288"]]
    assert all(float(row[2]) > 0 for row in rows)


def test_orders_of_statements_are_compared(bench, capsys):
    pytest.importorskip("pyopencl")
    assert bench.main(["orders", "--only", "neohookean"]) == 0
    name, *figures = capsys.readouterr().out.splitlines()[-1].split()
    alive, again, seconds = figures[0::3], figures[1::3], figures[2::3]
    assert name == "neohookean" and all(float(ns) > 0 for ns in seconds)
    depth, breadth, registers = (int(n) for n in alive)
    assert registers <= depth < breadth and int(again[2]) <= int(again[0]) < int(again[1])
