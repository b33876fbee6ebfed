"""Updates that are undone by cases: the value after a trip tells which way it went."""

import importlib.util

import numpy as np
import pytest

from egad import derive

#: How a counter begins, and what a trip does to it and to `d`, which begins with 1, and `up`.
UPDATES = {
    "down from the last": ("m - 1", "i -= 1\nif i < 0:\n    i = m - 1"),
    "down, as it is told": ("m - 1", "i -= 1\nif i == -1:\n    i = m - 1"),
    "down from 0": ("0", "i -= 1\nif i < 0:\n    i = m - 1"),
    "down, chosen": ("m - 1", "i = m - 1 if i == 0 else i - 1"),
    "down from 0, chosen": ("0", "i = m - 1 if i == 0 else i - 1"),
    "down, at most 0": ("m - 1", "i = m - 1 if i <= 0 else i - 1"),
    "down, above 0": ("m - 1", "i = i - 1 if i > 0 else m - 1"),
    "down, at least 1": ("m - 1", "i = i - 1 if i >= 1 else m - 1"),
    "down from m": ("m", "i = m if i == 0 else i - 1"),
    "down from m, below 0": ("m", "i -= 1\nif i < 0:\n    i = m"),
    "down to 1": ("m", "i -= 1\nif i == 0:\n    i = m"),
    "down to 1, at most 0": ("m", "i -= 1\nif i <= 0:\n    i = m"),
    "down in a condition": (
        "m - 1",
        "if k % 3 == 1:\n    i -= 1\n    if i < 0:\n        i = m - 1",
    ),
    "down by two": ("0", "i -= 2\nif i < 0:\n    i += max(m, 2)"),
    "down by any turn": ("0", "i -= 1\nif i < 0:\n    i += max(m, 1)"),
    "up from 1": ("1", "i += 1\nif i > m:\n    i = 1"),
    "up from 2": ("2", "i += 1\nif i >= m:\n    i = 2"),
    "up by a turn": ("0", "i += 1\nif i >= max(m, 1):\n    i -= max(m, 1)"),
    "up between": ("w", "i += 1\nif i >= m:\n    i = w"),
    "down between": ("m", "i -= 1\nif i < w:\n    i = m"),
    "up by five": ("0", "i += 5\nif i >= max(m, 5):\n    i -= max(m, 5)"),
    "turn by five": ("0", "i = (i + 5) % q"),
    "turn back by five": ("0", "i = (i - 5) % q"),
    "turn by some": ("0", "i = (i + (w & 7)) % q"),
    "turn back by some": ("0", "i = (i - (w & 7)) % q"),
    "turn by the trip": ("0", "i = (k + i) % q"),
    "mirrored turn": ("0", "i = (5 - i) % max(m, 1)"),
    "turn in a condition": ("0", "if k % 3 == 1:\n    i = (i + 3) % q"),
    "turn twice": ("0", "i = (i + 3 + (w & 1)) % q"),
    "both ways": (
        "0",
        "if k % 3 == 1:\n    i = m - 1 if i == 0 else i - 1\n"
        "else:\n    i = 0 if i == m - 1 else i + 1",
    ),
    "there and back": ("0", "i += d\nif i == 0 or i == m - 1:\n    d = -d"),
    "there and back, in bounds": ("0", "i += d\nif i <= 0 or i >= m - 1:\n    d = -d"),
    "there and back, set": ("0", "i += d\nif i == 0:\n    d = 1\nelif i == m - 1:\n    d = -1"),
    "there and back, set before": (
        "0",
        "if i == 0:\n    d = 1\nelif i == m - 1:\n    d = -1\ni += d",
    ),
    "there and back, the ends twice": (
        "0",
        "i += d\nif i == m:\n    d = -1\n    i = m - 1\nelif i < 0:\n    d = 1\n    i = 0",
    ),
    "mirrored": ("0", "i += d\nif i < 0 or i >= m:\n    d = -d\n    i += 2 * d"),
    "a flag": (
        "0",
        "i = i + 1 if up else i - 1\nif i == m:\n    up = False\nif i == 0:\n    up = True",
    ),
    "a flag in arms": (
        "0",
        "if up:\n    i += 1\n    if i == m:\n        up = False\n"
        "else:\n    i -= 1\n    if i == 0:\n        up = True",
    ),
    "a flag, in bounds": (
        "0",
        "if up:\n    i += 1\n    if i >= m - 1:\n        up = False\n"
        "else:\n    i -= 1\n    if i <= 0:\n        up = True",
    ),
    "a flag that is turned": (
        "0",
        "i = i + 1 if up else i - 1\nif i == m or i == 0:\n    up = not up",
    ),
}
KEPT = {
    "turn by anything": ("0", "i = (i + w) % q"),
    "turn from anywhere": ("w", "if k % 3 == 1:\n    i = (i + 3) % q"),
    "by a turn of any size": ("0", "i += 1\nif i >= m:\n    i -= m"),
    "set in any bounds": ("0", "i += d\nif i <= 0:\n    d = 1\nif i >= m - 1:\n    d = -1"),
    "two ways to 0": ("0", "i += 2\nif i >= m:\n    i = 0"),
    "stays": ("m", "i -= 1\nif i < 0:\n    i = 0"),
}
FUNCTION = """
from egad import max_iters
def f(x: float, m: int, w: int, trips: int) -> float:
    y, d, up, i = x, 1, True, {start}
    q = m if m != 0 else 3
    max_iters(40)
    for k in range(trips):
        n = (i & 255) + (d & 7) * 3 + (1 if up else 0)
        y = y * (1.0 + n / 1024.0)
{body}
    return y
"""
SIZES = [
    *range(-4, 12),
    100,
    2**31 - 6,
    2**31 - 2,
    2**31 - 1,
    -100,
    -(2**31) + 1,
    -(2**31),
    -(2**31) + 20,
]


def written(start, body, folder):
    """The function with these statements, from a file of its own."""
    path = folder / "written.py"
    inner = "\n".join(f"        {line}" for line in body.splitlines())
    path.write_text(FUNCTION.format(start=start, body=inner))
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("name", [*UPDATES, *KEPT])
def test_what_can_be_told_is_not_kept(name, tmp_path):
    """f is linear in x: its gradient is f(1), and reads nothing but the integers."""
    f = written(*(UPDATES | KEPT)[name], tmp_path)
    backward, primal = derive(f, "bwd", dtype="float64"), derive(f, "primal", dtype="float64")
    assert bool(backward.report.storage) == (name in KEPT)
    sizes, others, trips = np.meshgrid(SIZES, SIZES, [0, 1, 2, 5, 40])
    given = sizes.ravel(), others.ravel(), trips.ravel()
    want = primal.reference(1.0, *given)
    np.testing.assert_allclose(backward(0.5, *given, np.ones(want.shape)).x.sum(), want.sum())
    x = np.full(want.shape, 0.5)
    np.testing.assert_allclose(backward(x, *given, 1.0).x, want, rtol=1e-13)
    np.testing.assert_allclose(backward.reference(x, *given, 1.0).x, want, rtol=1e-13)
    small = [row for row in zip(*given, strict=True) if max(map(abs, row)) <= 100]
    plain = [f(1.0, *map(int, row)) for row in small]
    found = backward(np.full(len(small), 0.5), *np.array(small).T, 1.0).x
    np.testing.assert_allclose(found, plain, rtol=1e-12)
