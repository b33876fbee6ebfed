"""What rules and phases win, and what rounding costs: counts and NumPy, no times."""

import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from bench import ablation, costs, rounding, table  # noqa: E402
from bench.__main__ import main  # noqa: E402
from bench.derivatives import derive, optimized  # noqa: E402
from bench.workloads import BY_NAME  # noqa: E402
from egad import rewrite, rules  # noqa: E402
from egad.terms.rule import Tag  # noqa: E402


def test_all_rewrites_are_in_a_group():
    loaded = rules.load()
    grouped = ablation.groups(loaded)
    safe = [rule for rule in loaded.rewrites if rule.tag is not Tag.FAST]
    assert sum(map(len, grouped.values())) == len(safe) > 300
    assert {"commute", "compare", "algebra: quotients", "stability: roots"} <= set(grouped)
    names = [rule.name for rule in grouped["algebra: quotients"]]
    assert "div_is_mul_rcp" in names and "factor" not in names


@pytest.mark.long
def test_costs_without_groups_and_phases():
    names = ("homography", "volume", "chain10")
    plane, ray, chain = (ablation.ablation(BY_NAME[name]) for name in names)
    assert plane.full < plane.without["commute"] and ray.full < ray.without["reuse"]
    assert ray.without["algebra: what undoes an operator"] == ray.full
    assert chain.full == chain.without["kicks"]
    assert plane.full < plane.without["rounds"] <= plane.without["all phases"]
    assert plane.full < plane.without["regrouping"] and plane.full < plane.without["orders"]
    assert chain == ablation.ablation(BY_NAME["chain10"])


@pytest.mark.parametrize("name", ["poly", "homography"])
def test_the_full_cost_is_that_of_the_benchmark(name):
    report = derive(BY_NAME[name], "float32", "default").report
    assert ablation.ablation(BY_NAME[name]).full == costs.weighted(report.counts_after)


def test_the_tables_name_what_changes_nothing():
    phases = [*(phase.value for phase in rewrite.Phase), "all phases"]
    names = [*ablation.groups(rules.load()), *phases]
    arm, chain = (ablation.Ablation(n, 40, dict.fromkeys(names, 40)) for n in ("arm", "chain"))
    arm.without.update(commute=50, rounds=44)
    by_group, by_phase = ablation.tables([arm, chain])
    assert by_group[1] == ["workload", "with all", "commute"]
    assert "algebra: what undoes an operator" in by_group[0]
    assert by_phase[1][2:] == phases
    assert by_phase[2][0] == ["arm", "40", "=", "44", *["="] * (len(phases) - 2)]
    assert by_phase[2][1] == ["chain", "40", *["="] * len(phases)]
    assert by_phase[2][2][:4] == ["geometric mean of the ratio", "1", "1.000", "1.049"]


def test_the_command_writes_its_page(tmp_path, capsys):
    page = tmp_path / "ablation.md"
    page.write_text(f"above\n{table.BEGIN_ABLATION}\n{table.END}\nbelow\n")
    assert main(["ablation", "--only", "poly", "--markdown", str(page)]) == 0
    assert "| poly | 3 |" in page.read_text() and page.read_text().endswith("below\n")
    assert "Weighted cost without a phase" in capsys.readouterr().out


def test_a_page_that_is_not_there_is_missed_before_anything_is_measured(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["ablation", "--markdown", str(tmp_path / "nowhere.md")])
    assert "there is no file" in capsys.readouterr().err


@lru_cache(maxsize=5)
def with_all(name):
    """A workload optimized with all phases."""
    return optimized(BY_NAME[name], "float64", rules.load(), rewrite.Options())


@pytest.mark.parametrize("phase", list(rewrite.Phase))
def test_without_a_phase_programs_are_right_and_explained(phase):
    """And no cheaper in sum: a single one may be, by what a search happens to meet."""
    loaded, sums = rules.load(), [0.0, 0.0]
    for name in ("ggx", "pendulum", "two_link", "homography", "se3_between"):
        workload, full = BY_NAME[name], with_all(name)
        less = optimized(workload, "float64", loaded, rewrite.Options(without=(phase,)))
        sums[0] += less.report.cost_after
        sums[1] += full.report.cost_after
        rows = workload.sample(3)
        right, got = (rounding.results(p, loaded, rows) for p in (full.plain, less.best))
        np.testing.assert_allclose(got, right, rtol=1e-9, atol=1e-12)
    assert sums[0] >= sums[1]
    if phase is rewrite.Phase.KICKS:
        assert "kicks" not in less.report.method
    if phase is rewrite.Phase.PROGRAM:
        assert "integer program" not in less.report.method
    if phase is rewrite.Phase.ROUNDS:
        saturated = [[r for r in one.report.rounds if r.nodes] for one in (less, full)]
        assert len(saturated[0]) == 1 < len(saturated[1])


# ---------------------------------------------------------------- rounding


def test_worse_rounding_is_seen(monkeypatch, capsys):
    right = np.array([[1.0, 4.0], [2.0, 1.0]] * (rounding.SAMPLES // 2))
    off = rounding._errors(right, right + np.array([0.0, 4e-6]))
    assert off.median == pytest.approx(2e-6) and off.large == off.largest == pytest.approx(2e-6)
    assert rounding._errors(right, right * np.nan).median == np.inf
    good = rounding.Errors(1e-7, 2e-7, 3e-7)
    assert not rounding.Rounding("poly", good, off).holds
    assert rounding.Rounding("poly", good, rounding.Errors(1.5e-7, 3e-7, 1e-3)).holds
    assert not rounding.Rounding("poly", good, rounding.Errors(1e-7, 4e-7, 4e-7)).holds
    monkeypatch.setattr(rounding, "rounding", lambda w: rounding.Rounding(w.name, good, off))
    assert main(["rounding", "--only", "poly"]) == 1
    assert "over the limit: poly" in capsys.readouterr().err
