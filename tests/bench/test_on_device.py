"""Kernels on a whole device: who is compared, and how it is told; no times here."""

import pytest

pytest.importorskip("pyopencl")

from bench import on_device
from bench.on_device import OWN, PRICED, Found
from bench.peers.protocol import Emitted
from bench.peers.worker import Worker
from bench.workloads import BY_NAME


def test_who_is_wrong_is_not_timed(device, monkeypatch):
    """poly is a*x*x, with its gradient by a and x."""
    answers = {
        "casadi": Emitted("".join(f"out_{k} = 2.0 * in_0;" for k in range(2))),
        "textbook": Emitted("out_0 = nonsense;out_1 = 0.0;"),
        "enzyme": Emitted("", language="C"),
    }
    monkeypatch.setattr(Worker, "ask", lambda self, *_: answers[self.peer])
    monkeypatch.setattr(on_device, "LARGE_BYTES", 1 << 16)
    [found] = on_device.measured([BY_NAME["poly"]], ["float32"], list(answers), "fast", device)
    assert set(found.nanoseconds) <= {OWN, PRICED} and found.nanoseconds[OWN] > 0
    assert found.errors[OWN] < 1e-6
    assert found.left_out["CasADi"].startswith("wrong by ")
    assert "does not compile" in found.left_out["textbook"]
    assert found.left_out["Enzyme"] == "its code is no OpenCL"
    assert found.best is None


def test_ratios_are_to_the_best_and_to_the_costs_of_rule_files(device):
    times = {OWN: 4.0, PRICED: 2.0, "CasADi": 8.0, "Enzyme": 3.0}
    found = [Found("poly", "float32", 12, times, {OWN: 1e-7, PRICED: 2e-7})]
    found.append(Found("ggx", "float32", 12, {OWN: 1.0}, {OWN: 1e-7}))
    title, _, rows = on_device.table(found, device)
    assert device.info.label in title
    assert rows == [
        ["poly", "float32", "4.0000", "2.0000", "3.0000 Enzyme", "0.67", "6", "2.0e-07"],
        ["ggx", "float32", "1.0000", "1.0000", "", "", "12", "1.0e-07"],
        ["geometric mean", "", "", "0.707 of egad", "", "0.667", "", ""],
    ]
