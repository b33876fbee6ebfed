"""Reals that are doubled and halved: undone where no bit can get lost, and kept elsewhere."""

import importlib.util

import numpy as np
import pytest

from egad import derive

#: First value, update, and how many trips.
UNDONE = {
    "halved": ("1.0", "h = h / 2", 20),
    "doubled": ("0.75", "h *= 2.0", 20),
    "an octave": ("0.1", "h = 0.5 * h", 20),
    "added": ("0.3", "h = h + h", 20),
    "turned": ("-0.3", "h = -h", 20),
    "turned and halved": ("0.3", "h = h * -0.25", 20),
    "in a condition": ("0.3", "if k % 3 == s:\n            h = h * 0.5", 20),
    "either": ("0.7", "h = 2.0 * h if k % 3 == s else h / 4.0", 20),
    "as far as it goes": ("1.0", "h = h * 0.5", 126),
    "as far up as it goes": ("1.0", "h = h * 2.0", 126),
}
KEPT = {
    "below the normal range": ("1.0", "h = h * 0.5", 130),
    "to infinity": ("1.0", "h = h * 2.0", 130),
    "any number": ("x", "h = h * 0.5", 20),
    "a third": ("1.0", "h = h / 3.0", 20),
    "one from it": ("1.0", "h = 1.0 - h * 0.5", 20),
    "the other way": ("1.0", "h = 2.0 / h + h", 20),
}
FUNCTION = """
def f(x: float, s: int) -> float:
    h = {first}
    y = 1.0
    for k in range({trips}):
        y = y * (1.0 + 0.125 * h / (1.0 + h * h)) * x
        {update}
    return y
"""


def written(first, update, trips, folder):
    path = folder / "written.py"
    path.write_text(FUNCTION.format(first=first, update=update, trips=trips))
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("name", [*UNDONE, *KEPT])
def test_powers_of_two_are_undone_where_nothing_gets_lost(name, tmp_path):
    """Bit for bit: what is read backwards is what was read forwards."""
    f = written(*(UNDONE | KEPT)[name], tmp_path)
    x, s = np.linspace(0.9, 1.1, 7), np.arange(7) % 3
    for dtype in ("float32", "float64"):
        backward, primal = derive(f, "bwd", dtype=dtype), derive(f, "primal", dtype=dtype)
        wide = dtype == "float64" and (UNDONE | KEPT)[name][2] == 130
        values = len(backward.report.storage)  # in each trip: y, or what it is made of
        assert values == (2 if name in KEPT and not wide else 1), backward.explain()
        step = 1e-6
        up, down = (primal.reference(x + d, s) for d in (step, -step))
        if dtype == "float64":
            slope = (up - down) / (2 * step)
            np.testing.assert_allclose(backward(x, s, 1.0).x, slope, rtol=1e-6, atol=1e-9)
        found, wanted = backward(x, s, 1.0).x, backward.reference(x, s, 1.0).x
        np.testing.assert_allclose(found, wanted, rtol=2e-4 if dtype == "float32" else 1e-12)
