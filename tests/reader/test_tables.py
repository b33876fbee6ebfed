"""Numbers that are known, at places that only the kernel knows: one array, which nobody writes."""

import inspect
import re

import numpy as np
import pytest
import table_programs

import egad
from egad.terms.errors import EgadError

PROGRAMS = [
    f
    for f in vars(table_programs).values()
    if inspect.isfunction(f) and f.__module__ == "table_programs" and f.__name__[0] != "_"
]
STEP = 1e-6


@pytest.fixture(params=PROGRAMS, ids=lambda f: f.__name__)
def f(request):
    return request.param


def points(f):
    """Two numbers with a distance to all places where an index changes, and a count."""
    rng = np.random.default_rng(4)
    x, y = ((rng.integers(-40, 40, 30) + rng.uniform(0.2, 0.8, 30)) / 15 for _ in range(2))
    count = rng.integers(0, 15, 30).astype(np.int32)
    return (x, y, count) if "n" in inspect.signature(f).parameters else (x, y)


def of_each(f, args):
    return np.array([float(f(*map(_plain, row))) for row in zip(*args, strict=True)])


def _plain(number):
    return number.item()


def test_values_and_slopes_are_those_of_python(f):
    args = points(f)
    derived = egad.derive(f, "value_and_grad", dtype="float64")
    for found in (derived.reference(*args), derived(*args)):
        value, slopes = found
        np.testing.assert_allclose(value, of_each(f, args), rtol=1e-12, atol=1e-13)
        for k, name in enumerate("xy"):
            moved = [
                [a + sign * STEP if i == k else a for i, a in enumerate(args)] for sign in (1, -1)
            ]
            want = (of_each(f, moved[0]) - of_each(f, moved[1])) / (2 * STEP)
            np.testing.assert_allclose(getattr(slopes, name), want, rtol=1e-7, atol=1e-6)


def test_a_table_is_declared_once_and_not_written(f):
    text = egad.derive(f, dtype="float64").source
    tables = re.findall(r"^__constant \w+ (\w+)\[\d+\] = \{([^}]*)\};", text, re.M)
    assert tables and len({numbers for _, numbers in tables}) == len(tables)
    body = text[text.index("static inline") :]
    for name, _ in tables:
        assert re.search(rf"\b{name}\[", body)
        assert not re.search(rf"\b{name}\[[^\]]*\] = ", body)


def test_tables_stand_beside_buffers_of_loops(monkeypatch):
    """What a loop keeps is in buffers with strides where it is large, and a table is not."""
    monkeypatch.setattr("egad.codegen.kernel.memory.PRIVATE_BYTES", 64)
    f = table_programs.a_list_that_changes
    derived = egad.derive(f, dtype="float64", cache=False)
    assert "stride" in derived.source and "__constant" in derived.source
    args = points(f)
    got, want = derived(*args, 1.0), derived.reference(*args, 1.0)
    np.testing.assert_allclose(got.x, want.x, rtol=1e-12)
    np.testing.assert_allclose(got.y, want.y, rtol=1e-12)


def test_in_half_precision_and_in_single():
    for dtype in ("float16", "float32"):
        primal = egad.derive(table_programs.an_array, "primal", dtype=dtype)
        x, y = (a.astype(dtype) for a in points(table_programs.an_array))
        found = primal.reference(x, y)
        assert found.dtype == dtype
        want = of_each(table_programs.an_array, (x, y))
        np.testing.assert_allclose(found, want, rtol=4 * np.finfo(dtype).eps, atol=0.02)


def test_places_that_are_out_of_range_are_said():
    derived = egad.derive(lambda n: table_programs.SHUFFLED[n], "primal", types={"n": int})
    numbers = table_programs.SHUFFLED
    found = derived.reference(np.array([0, 30, -1], np.int32)).tolist()
    assert found == [numbers[0], numbers[30], numbers[-1]]
    with pytest.raises(EgadError, match="index is out of range: valid are -32 to 31, at element 0"):
        derived.reference(np.array([32], np.int32))


def test_short_ones_are_chosen():
    def f(x: float, n: int) -> float:
        return (1.0, 2.0, 4.0)[n] * x

    assert "__constant" not in egad.derive(f).source


def test_rows_of_several_lengths_are_no_table():
    rows = [(1, 2)] * 8 + [(1, 2, 3)]

    def f(x: float, n: int) -> float:
        return rows[n][0] * x

    with pytest.raises(EgadError, match="items of different types"):
        egad.derive(f)
