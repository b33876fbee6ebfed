"""The derivatives of the workloads cost no more than what is stored; counts, never times."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from bench import guard  # noqa: E402
from bench.guard import Cost  # noqa: E402


@pytest.mark.parametrize("name", guard.GUARDED)
def test_no_workload_gets_dearer(name):
    stored = guard.load()[name]
    dearer = guard.measured(name).dearer(stored)
    assert not dearer, (
        f"{name} is dearer than in bench/guard.json: {'; '.join(dearer)}. Make it cheaper, or "
        "store it in the same commit: python -m bench guard --update REASON"
    )


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
