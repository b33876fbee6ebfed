"""Arrays that a kernel is given are read where they are: the same numbers, nothing is copied."""

import numpy as np
import pytest

import egad
from egad import Array, max_iters

Nine = Array[float, 9]


def between(t: Nine, x: float) -> float:
    place = min(max(x, 0.0), 7.5)
    i = int(place)
    return t[i] + (t[i + 1] - t[i]) * (place - i)


def summed(t: Nine, x: float, n: int) -> float:
    total = 0.0
    max_iters(9)
    for k in range(n):
        total = total * x + t[k] * t[k]
    return total


def also_alone(t: Nine, x: float, n: int) -> float:
    return t[2] * x + t[n % 9] * t[5]


def of_two(t: Nine, s: Nine, x: float, n: int) -> float:
    return t[n % 9] * x + s[(n + 4) % 9]


def changed(t: Nine, x: float, n: int) -> float:
    max_iters(9)
    for k in range(n):
        t[k] = t[(k + 1) % 9] * x
    return t[n % 9] + t[3]


def turned(t: Nine, x: float, n: int) -> float:
    other = [t[8 - k] for k in range(9)]
    return other[n % 9] * x


def whole_numbers(t: Array[int, 9], x: float, n: int) -> float:
    return t[t[n % 9] % 9] * x


def truths(t: Array[bool, 9], x: float, n: int) -> float:
    return x if t[n % 9] else x * x


READ = [between, summed, also_alone, of_two, whole_numbers]
COPIED = [changed, turned, truths]


def points(f, rng, rows):
    """One array for all elements, or one for each."""
    shape = (7, 9) if rows else (9,)
    found = []
    for name, hint in f.__annotations__.items():
        if name == "return":
            continue
        if hint is float:
            found.append(rng.uniform(0.5, 7.0, 7))
        elif hint is int:
            found.append(rng.integers(0, 9, 7).astype(np.int32))
        elif f is whole_numbers:
            found.append(rng.integers(0, 9, shape).astype(np.int32))
        else:
            found.append(rng.normal(size=shape) if f is not truths else rng.random(shape) > 0.5)
    return found


@pytest.mark.parametrize("rows", [True, False], ids=["each", "one"])
@pytest.mark.parametrize("mode", ["primal", "bwd", "fwd"])
@pytest.mark.parametrize("f", [*READ, *COPIED])
def test_kernels_give_the_numbers_of_the_reference(f, mode, rows):
    derived = egad.derive(f, mode, dtype="float64")
    args = points(f, np.random.default_rng(3), rows)
    if mode == "fwd":
        args = [egad.diff_pair(a, 0.5 * a) if a.dtype == float else a for a in args]
    args += [1.5] if mode == "bwd" else []
    found, want = derived(*args), derived.reference(*args)
    pairs = [(found, want)] if mode != "bwd" else zip(found, want, strict=True)
    for one, other in pairs:
        for a, b in [(one.p, other.p), (one.d, other.d)] if mode == "fwd" else [(one, other)]:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_values_are_those_of_python():
    for f in READ:
        args = points(f, np.random.default_rng(4), rows=True)
        rows = zip(*args, strict=True)
        want = [f(*(a.item() if np.ndim(a) == 0 else a.tolist() for a in row)) for row in rows]
        got = egad.derive(f, "primal", dtype="float64")(*args)
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_what_is_read_in_place_is_handed_on_as_a_pointer():
    for f in READ:
        text = egad.derive(f, "primal", dtype="float64").source
        assert "_item(__global const" in text and "array[" not in text
    for f in COPIED:
        assert "_item(__global" not in egad.derive(f, "primal").source
    alone = egad.derive(also_alone, "primal").source
    assert "float t_2, float t_5" in alone and "t_3" not in alone


def test_statements_are_explained():
    derived = egad.derive(between, wrt=["x"], dtype="float64")
    told = str(derived.explain(rules=True))
    assert "t[" in told
