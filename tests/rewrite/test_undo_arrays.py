"""Arrays of which a trip changes a few places: undone, place by place, and exactly."""

import importlib.util

import numpy as np
import pytest

from egad import Array, derive, sin

#: Statements of a trip, over an array `p` of 9 integers, places `i` and `j` that may be one, the
#: number of the trip `k`, and integers `s`, `t` and `m` of any size.
UPDATES = {
    "counted": "p[i] += 1",
    "counted in a condition": "if s & 1:\n    p[i] -= t",
    "counted at one of two": "if s & 1:\n    p[i] += 3\nelse:\n    p[j] ^= 77",
    "counted twice": "p[i] += 1\np[j] -= 5",
    "the same place again": "p[i] += 1\np[i] ^= t\np[i] = 5 - p[i]",
    "multiplied": "p[i] = p[i] * 5 + k",
    "shifted": "p[i] ^= p[i] << 3",
    "by another place": "p[i] += 3 * i\np[3] ^= s\np[k % 9] += m",
    "exchanged": "p[i], p[j] = p[j], p[i]",
    "exchanged by hand": "h = p[i]\np[i] = p[j]\np[j] = h",
    "exchanged in a condition": "if s & 1:\n    p[i], p[j] = p[j], p[i]",
    "exchanged with a neighbour": "a = k % 8\np[a], p[a + 1] = p[a + 1], p[a]",
    "exchanged and counted": "p[i], p[j] = p[j], p[i]\nif s & 2:\n    p[j] += 9",
    "counted and exchanged": "p[i] ^= 21\np[i], p[j] = p[j], p[i]",
    "exchanged twice": "p[i], p[j] = p[j], p[i]\np[0], p[j] = p[j], p[0]",
    "exchanged with a constant place": "p[0], p[i] = p[i], p[0]",
    "exchanged or another": "if s & 1:\n    p[i], p[j] = p[j], p[i]\nelif s & 2:\n    p[i] ^= 5",
    "three places around": "a = k & 3\np[a], p[a + 1], p[a + 2] = p[a + 1], p[a + 2], p[a]",
    "negated": "p[i] = -p[i]\np[j] = ~p[j]",
    "with a variable": "p[i], t = t, p[i]",
    "by a variable": "p[i] += t\nt ^= p[i]",
    "a shuffle": "a = 8 - k % 9\nb = (s >> 8 & 255) % (a + 1)\np[a], p[b] = p[b], p[a]",
    "a cursor": "at = (at + 1) % 9\np[at] += s",
    "two arrays": "p[i] += 1\nq[j] ^= 3\np[j], q[i] = q[i], p[j]",
    "two arrays by each other": "p[i] += q[j]\nq[j] ^= p[i]",
}
#: What nothing is undone of, or cannot be.
KEPT = {
    "set": "p[i] = 5",
    "moved": "p[i] = p[j]",
    "doubled": "p[i] = 2 * p[i]",
    "a larger one": "p[i] = max(p[i], k)",
    "sorted": "if p[i] > p[j]:\n    p[i], p[j] = p[j], p[i]",
    "at its own place": "p[p[i] & 7] += 1",
    "summed, if they are one": "p[i], p[j] = p[j], p[i] + p[j]",
    "one sum of two": "p[i] += p[j]",
    "rotated, if they are two": "h = p[i]\np[i] = p[j]\np[j] = p[k % 9]\np[k % 9] = h",
}
FUNCTION = """
def f(x: float, seed: int, other: int, m: int, trips: int) -> float:
    y, s, t, at = x, seed, other, 0
    p = [1, 2, 3, 4, 5, 6, 7, 8, seed & 127]
    q = [3, 1, 4, 1, 5, 9, 2, 6, 5]
    for k in range(min(trips, 13)):
        s = s * 1103515245 + 12345
        i, j = (s >> 9 & 255) % 9, (s >> 3 & 7)
        n = (p[i] & 255) + (p[j] & 127) + (q[i] & 15) + (t & 31)
        y = y * (1.0 + n / 1024.0)
{body}
        y = y * (1.0 + (p[j] & 63) / 512.0)
    return y
"""
#: The same of a list `p` of 5 integers, whose elements are variables; `i` and `j` are places in it.
SHORT = {
    "counted, short": "p[i] += 1",
    "counted in a condition, short": "if s & 1:\n    p[i] -= t",
    "mixed, short": "p[i] = p[i] * 5 + k\np[i] ^= p[i] << 3",
    "exchanged, short": "p[i], p[j] = p[j], p[i]",
    "exchanged by hand, short": "h = p[i]\np[i] = p[j]\np[j] = h",
    "exchanged in a condition, short": "if s & 1:\n    p[i], p[j] = p[j], p[i]",
    "exchanged with a constant place, short": "p[0], p[i] = p[i], p[0]",
    "exchanged with a neighbour, short": "a = k & 3\np[a], p[a + 1] = p[a + 1], p[a]",
    "by the trip, short": "a = k % 5\np[a], p[j] = p[j], p[a]",
    "rotated, short": "p[0], p[1], p[2], p[3], p[4] = p[1], p[2], p[3], p[4], p[0]",
    "rotated in a condition, short": "if s & 1:\n    p[0], p[1], p[2] = p[1], p[2], p[0]",
}
KEPT_SHORT = {
    "set, short": "p[i] = 5",
    "moved, short": "p[i] = p[j]",
    "doubled, short": "p[i] = 2 * p[i]",
    "sorted, short": "if p[i] > p[j]:\n    p[i], p[j] = p[j], p[i]",
    "summed, if they are one, short": "p[i], p[j] = p[j], p[i] + p[j]",
    "exchanged with what may be none, short": "a = (s >> 4 & 7) - 1\n"
    "if a < 5 and a >= 0:\n    h = p[a]\n    p[a] = p[i] + p[j] * 0\n    p[i] = h + t * 0",
}
SHORT_FUNCTION = """
def f(x: float, seed: int, other: int, m: int, trips: int) -> float:
    y, s, t = x, seed, other
    p = [1, 2, 3, 4, seed & 127]
    for k in range(min(trips, 13)):
        s = s * 1103515245 + 12345
        i, j = (s >> 9 & 255) % 5, (s >> 3 & 3)
        y = y * (1.0 + ((p[i] & 255) + (p[j] & 127) + (p[3] & 15)) / 1024.0)
{body}
        y = y * (1.0 + (p[j] & 63) / 512.0)
    return y
"""
SEEDS = [12345, 0, -5, 2**31 - 1, -(2**31), -123456789, 77777]
SIZES = [1, 7, 2**31 - 1, -1, -(2**31)]
TRIPS = [13, 5, 1, 0, -3]


def written(name, folder):
    """The function with a statement in its loop, from a file of its own."""
    path = folder / "written.py"
    function = SHORT_FUNCTION if name in SHORT or name in KEPT_SHORT else FUNCTION
    body = (UPDATES | SHORT | KEPT | KEPT_SHORT)[name]
    path.write_text(function.format(body="\n".join(f"        {x}" for x in body.splitlines())))
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("name", [*UPDATES, *SHORT, *KEPT, *KEPT_SHORT])
def test_writes_that_are_undone_cost_no_storage(name, tmp_path):
    """f is linear in x: its gradient is f(1), and reads nothing but the integers."""
    f = written(name, tmp_path)
    backward, primal = derive(f, "bwd", dtype="float64"), derive(f, "primal", dtype="float64")
    kept = [s for s in backward.report.storage if s.type.size != 9]  # what is no array itself
    assert bool(kept) == (name in KEPT or name in KEPT_SHORT), backward.explain()
    assert sum(s.bytes for s in backward.report.storage if s not in kept) <= 2 * 9 * 4
    cases = np.meshgrid(SEEDS, SEEDS[::-1], SIZES, TRIPS)
    given = np.full(cases[0].size, 0.5), *(axis.ravel() for axis in cases)
    want = primal.reference(1.0, *given[1:])
    np.testing.assert_allclose(primal(1.0, *given[1:]), want, rtol=1e-13)
    np.testing.assert_allclose(backward(*given, 1.0).x, want, rtol=1e-13)
    np.testing.assert_allclose(backward.reference(*given, 1.0).x, want, rtol=1e-13)
    small = [c for c in zip(*(a.tolist() for a in given[1:]), strict=True) if abs(c[0]) < 9][:40]
    plain = [f(1.0, *case) for case in small if case[3] <= 1]
    found = [backward.reference(0.5, *case, 1.0).x for case in small if case[3] <= 1]
    np.testing.assert_allclose(found, plain, rtol=1e-13)


def mixed(x: float, w: Array[float, 9], seed: int) -> float:
    s, y = seed, 1.0
    for k in range(40):
        s = s * 1103515245 + 12345
        i, j = k % 9, s >> 9 & 7
        w[i], w[j] = w[j], w[i]
        y = y + 0.0625 * sin(y * x + w[i] * w[3]) * w[j]
    return y


def long(x: float, w: Array[float, 9], seed: int) -> float:
    """So many trips that they are in segments: each begins with the array as it was."""
    p = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    s, y = seed, 1.0
    for k in range(3000):
        s = s * 1103515245 + 12345
        i, j = k % 9, s >> 9 & 7
        p[i], p[j] = p[j], p[i]
        p[s >> 5 & 7] ^= k & 15
        y = 0.75 * y + 0.0625 * sin(y * x) * w[i] * (p[j] & 63)
    return y


def nested(x: float, w: Array[float, 9], seed: int) -> float:
    p = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    y = x
    for k in range(5):
        for i in range(8):
            p[i], p[i + 1] = p[i + 1], p[i] + k
            y = y + 0.0625 * sin(y * p[i]) * w[i]
        p[k] += 3
    return y


def left(x: float, w: Array[float, 9], seed: int) -> float:
    """The array is read after the loop, which ends early, and written in a loop that follows."""
    p = [3, 1, 4, 1, 5, 9, 2, 6, 5]
    y = x
    for k in range(30):
        if y > 2.0:
            break
        p[k % 9] += k
        y = y + 0.03125 * (p[(k + 4) % 9] & 7) * w[k % 9] * y
    for k in range(9):
        p[k], p[8 - k] = p[8 - k], p[k]
        y = y + 0.0625 * sin(y * (p[k] & 3) + w[k])
    return y * p[4]


@pytest.mark.long
@pytest.mark.parametrize("f", [mixed, long, nested, left])
def test_gradients_over_arrays_that_are_undone(f):
    """Those of differences, in the NumPy reference and in the kernel; and second derivatives."""
    w = np.array([0.3, -0.2, 0.7, 0.45, -0.6, 0.25, 0.8, -0.1, 0.55])
    seeds = [7, -5, 123456789]
    backward = derive(f, "bwd", dtype="float64")
    step = 1e-6
    for x, seed in zip((0.4, 0.9, 1.3), seeds, strict=True):
        found, same = backward(x, w, seed, 1.0), backward.reference(x, w, seed, 1.0)
        np.testing.assert_allclose(found.x, same.x, rtol=1e-10)
        np.testing.assert_allclose(found.w, same.w, rtol=1e-10, atol=1e-14)
        slope = (f(x + step, [*w], seed) - f(x - step, [*w], seed)) / (2 * step)
        np.testing.assert_allclose(found.x, slope, rtol=2e-6, atol=1e-8)
        for n in range(9):
            turned = [np.where(np.arange(9) == n, w + d, w).tolist() for d in (step, -step)]
            slope = (f(x, turned[0], seed) - f(x, turned[1], seed)) / (2 * step)
            np.testing.assert_allclose(found.w[n], slope, rtol=2e-6, atol=1e-8)
    second = derive(f, "hvp", dtype="float64", wrt=("x",))
    more = [backward(0.4 + d, w, 7, 1.0).x for d in (step, -step)]
    np.testing.assert_allclose(
        np.ravel(second(0.4, w, 7, 1.0))[0], (more[0] - more[1]) / (2 * step), rtol=1e-5
    )


def test_bytes_of_arrays_that_are_undone():
    """The state of each trip, and the arrays themselves; in segments, those at their starts."""
    derived = derive(mixed, "bwd", dtype="float64")
    assert f"storage     {40 * 8 + 2 * 9 * 8} bytes" in derived.explain()  # y, w and its cotangent
    kept = derive(long, "bwd", dtype="float64").report.storage
    assert {s.type.size for s in kept} == {9, 55, 9 * 55}  # an array, 55 values, 55 arrays
    assert sorted(s.name for s in kept if s.type.size == 55) == ["j", "s", "y", "y"]
    assert [s.name for s in kept if s.type.size == 9 * 55] == ["p_0"]
