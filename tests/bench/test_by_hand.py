"""The opponents written by hand compute the same derivatives, as exactly; no times here."""

import pytest

pytest.importorskip("pyopencl")

from bench import by_hand, standing
from bench.by_hand import Duel
from bench.workloads import BY_NAME


def test_three_workloads_have_an_opponent():
    assert by_hand.NAMES == ("fk6", "ggx", "lj8")


@pytest.mark.parametrize("name", by_hand.NAMES)
def test_opponents_are_right_and_egad_is_as_exact(name, device):
    workload = BY_NAME[name]
    own, other = by_hand.errors(workload, by_hand.pair(workload, device), device)
    assert 0 < other < 1e-5
    assert own < 1.5 * other and other < 2 * own


def test_speeds_are_those_of_the_opponent_over_egad(monkeypatch):
    times = {"cache": (2.0, 1.0), "memory": (3.0, 3.0)}
    found = Duel("fk6", (1e-7, 2e-7), times, {"cache": 0.5, "memory": 1.0})
    title, head, rows = by_hand.table([found])
    assert "by hand" in title and head[0] == "workload"
    assert rows == [["fk6", "2", "1", "50%", "3", "3", "100%", "1.0e-07", "2.0e-07"]]


def test_what_reaches_the_bandwidth_is_said():
    from bench.compare import Entry
    from bench.harness.timing import Time

    def entry(peer, single, double):
        times = {
            "OpenCL float32, memory": Time(single, single),
            "OpenCL float64, memory": Time(double, double),
        }
        return Entry("poly", peer, "1", times=times)

    # poly reads three and writes two numbers: 20 and 40 bytes.
    tables = standing.tables(
        [entry("egad", 2.0, 8.0), entry("casadi", 1.0, 4.0)],
        {"OpenCL float32": 10.0, "OpenCL float64": 10.0},
    )
    (rows,) = [rows for title, _, rows in tables if "bytes in and out" in title]
    workload = BY_NAME["poly"]
    size = 4 * (workload.n_in + workload.n_results)
    assert rows[0][:3] == ["poly", f"{size / 2:.1f}", f"{size / 20:.0%}"]
    assert rows[0][3] == "2.00" and rows[0][7] == "2.00"
    assert rows[0][4] == ("at the bandwidth" if size / 20 >= standing.REACHED else "behind")
    assert rows[0][8] == ("at the bandwidth" if size / 40 >= standing.REACHED else "behind")
