"""What the derivatives of the workloads cost, and what they lose by rounding; never times.

Chains of a thousand links and more are left to `python -m bench`.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from bench import guard, rounding  # noqa: E402
from bench.derivatives import derive  # noqa: E402
from bench.guard import Cost  # noqa: E402
from bench.workloads import BY_NAME  # noqa: E402


@pytest.fixture(scope="module", params=guard.GUARDED)
def derived(request):
    """A workload, and its derivative as users get it."""
    workload = BY_NAME[request.param]
    return workload, derive(workload, "float32", "default")


def test_no_workload_gets_dearer(derived):
    workload, derivative = derived
    dearer = guard.cost_of(derivative).dearer(guard.load()[workload.name])
    assert not dearer, (
        f"{workload.name} is dearer than in bench/guard.json: {'; '.join(dearer)}. Make it cheaper,"
        " or store it in the same commit: python -m bench guard --update REASON"
    )


def test_float32_errors_are_at_most_half_as_large_again(derived):
    """The median error, and what one evaluation in a hundred exceeds, of 16,384 evaluations."""
    found = rounding.rounding_of(*derived)
    assert max(found.ratios) <= rounding.LIMIT, found
    assert 0 < found.plain.median < 1e-4 and found.plain.median <= found.plain.large


def test_every_figure_has_a_reason():
    stored = guard.load()
    assert set(stored) == set(guard.GUARDED)
    assert all(cost.reason for cost in stored.values())


def test_one_percent_is_the_limit():
    stored = Cost(200, 1000.0, "why")
    assert Cost(202, 1010.0).dearer(stored) == []
    assert Cost(100, 500.0).dearer(stored) == []
    assert Cost(203, 1011.0).dearer(stored) == [
        "operations: 203, stored 200 (+1.5%)",
        "weighted cost: 1011, stored 1000 (+1.1%)",
    ]


def test_an_update_keeps_the_reasons_of_what_did_not_change(tmp_path):
    stored = {"poly": Cost(3, 3.0, "old"), "ggx": Cost(310, 363.0, "old")}
    today = {"ggx": Cost(300, 350.0), "fk6": Cost(177, 315.0)}
    found = guard.updated(stored, today, "new rules")
    assert found == {
        "poly": Cost(3, 3.0, "old"),
        "ggx": Cost(300, 350.0, "new rules"),
        "fk6": Cost(177, 315.0, "new rules"),
    }
    guard.store(found, tmp_path / "guard.json")
    assert guard.load(tmp_path / "guard.json") == found


def test_the_command_fails_where_a_workload_is_dearer(monkeypatch, tmp_path, capsys):
    from bench.__main__ import main

    file = tmp_path / "guard.json"
    monkeypatch.setattr(guard, "FILE", file)
    monkeypatch.setattr(guard, "load", lambda: {"poly": Cost(2, 2.0, "too good")})
    file.touch()
    assert main(["guard", "--only", "poly"]) == 1
    out, err = capsys.readouterr()
    assert "dearer: operations: 3, stored 2 (+50.0%)" in out and "--update REASON" in err
