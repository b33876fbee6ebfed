"""Which forms of arrays are views and which are copies: NumPy's own run says it.

What is written through a form is seen in the array only where the numbers stand in its order.
"""

import importlib.util

import numpy as np
import pytest

from egad import derive
from egad.codegen.host.reference import evaluate
from egad.reader import read
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.types import Scalar

#: What a function makes of an array, whose numbers stand row after row or column after column.
MADE = [
    *("m * 2.0", "-m", "np.tanh(m)", "np.maximum(m, m[0])", "m[::-1] * 1.0", "m.astype(float)"),
    *("m[:, [1, 0]]", "m[[2, 0, 1]]", "m[..., [0, 2]]", "m.copy()", "np.copy(m)", "np.array(m)"),
    *(
        "np.zeros_like(m)",
        "np.full_like(m, 2.0)",
        "np.where(m > 0.3, m, 0.5)",
        "np.sort(m, axis=0)",
    ),
    *("np.cumsum(m, axis=1)", "np.roll(m, 1, axis=0)", "np.concatenate([m, m])", "m @ m.T"),
    *("np.take(m, [1, 0], axis=1)", "np.select([m > 0.3], [m], 0.1)", "np.gradient(m, axis=0)"),
    *("np.interp(m, [0.0, 1.0], [0.0, 2.0])", "np.broadcast_to(m[0], (2, 3)) + 1.0"),
    *("np.clip(m, 0.1, 0.9)", "np.diff(m, axis=0)", "np.stack([m, m])[0]", "np.outer(m[0], m[1])"),
]
#: What stands for an array itself, or is a copy of it.
SAME = [
    *("np.einsum('ij->ij', m)", "np.einsum('ij->ji', m)", "np.einsum('ii->i', m[:3])"),
    *("np.diff(m, n=0)", "np.take(m, 1, axis=0)", "np.ascontiguousarray(m)", "np.ravel(m)"),
    *("np.reshape(m, (6, 2))", "m.T.reshape(-1)", "np.asarray(m)", "np.array(m)", "m.flatten()"),
    *("np.linalg.matrix_power(m[:3], 1)", "np.linalg.matrix_power(m[:3], 2)"),
    *("np.concatenate([m])", "np.repeat(m, 1, axis=0)", "np.tile(m, 1)", "np.clip(m, -9.0, 9.0)"),
]
ORDERS = {"rows": "m.reshape(4, 3)", "columns": "m.reshape(3, 4).T"}
HEAD = """import numpy as np


def f(a: float, b: float):
    m = np.array([a, 0.1, b, 0.2, 0.3, b * 0.5, 1.1, a, 0.6, b, a * 0.4, 0.8])
    m = {form}
"""


def agrees(text, order, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEAD.format(form=ORDERS[order]) + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    f = module.f
    program = read(f, real=Scalar.F64, rules=load())
    for a, b in ((1.3, 0.7), (-0.6, 1.2)):
        found = evaluate(program, load(), {"a": a, "b": b})
        assert [float(v) for v in found] == pytest.approx(f(a, b), rel=1e-12), text


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_made_keeps_the_order_that_numpy_keeps(order, tmp_path):
    lines = []
    for k, made in enumerate(MADE):
        lines += [f"    x{k} = {made}", f"    x{k}.reshape(-1)[1] = 9.0"]
    result = ", ".join(f"*(x{k} * 1.0).ravel()" for k in range(len(MADE)))
    agrees("\n".join([*lines, f"    return {result}", ""]), order, tmp_path)


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_written_is_seen_in_the_array_that_it_is_a_part_of(order, tmp_path):
    lines = ["    seen = []", "    begin = m.copy()"]
    for same in SAME:
        lines += ["    m[...] = begin", f"    x = {same}", "    x[-1] = x[-1] * 2.0 + 1.0"]
        lines += ["    seen = [*seen, *m.ravel(), *x.ravel()]"]
    agrees("\n".join([*lines, "    return (*seen,)", ""]), order, tmp_path)


# --- in a loop ------------------------------------------------------------------------------


def _turned(x: np.ndarray, n: int):
    m = x.reshape(3, 3).copy()
    for _ in range(n):
        m = m[:, [1, 2, 0]] * 0.5
    return m


def read_in_a_row(x: np.ndarray, n: int):
    m, total = x.reshape(3, 3).copy(), 0.0
    for _ in range(n):
        total = total + m.ravel() @ np.arange(9.0)
        m = m[:, [1, 2, 0]] * 0.5
    return total + m.T.reshape(-1) @ np.arange(9.0) + m.reshape(9)[5]


def parts_are_views_in_every_order(x: np.ndarray, n: int):
    m = _turned(x, n)
    row, transposed = m[1], m.T
    row[0], transposed[2, 0] = 7.0, 5.0
    return m.copy()


def copies_are_in_order(x: np.ndarray, n: int):
    m = _turned(x, n).copy()
    m.reshape(9)[1] = 3.0
    return m


def in_order_all_the_time(x: np.ndarray, n: int):
    m = x.reshape(3, 3).copy()
    for _ in range(n):
        m = m @ m.T * 0.1 + 1.0
        m.reshape(9)[1] = 3.0
    m.ravel()[0] = 5.0
    return m


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f", [read_in_a_row, parts_are_views_in_every_order, copies_are_in_order, in_order_all_the_time]
)
def test_arrays_of_loops(f):
    primal = derive(f, "primal", dtype="float64")
    for n in (0, 1, 2):
        x = np.linspace(-1.0, 2.0, 9) ** 3
        np.testing.assert_allclose(primal.reference(x, n), f(x.copy(), n), rtol=1e-12)


def written_in_a_row(x: np.ndarray, n: int):
    m = _turned(x, n)
    m.reshape(9)[0] = 5.0
    return m


def written_in_a_trip(x: np.ndarray, n: int):
    m = x.reshape(3, 3).copy()
    for _ in range(n):
        m.ravel()[0] = 5.0
        m = m[:, [1, 2, 0]]
    return m


def written_after_a_part_was_taken(x: np.ndarray, n: int):
    m = np.tanh(_turned(x, n))
    row = m.reshape(9)
    m[0, 0] = 5.0
    return row


def numbers_as_they_stand(x: np.ndarray, n: int):
    return _turned(x, n).flatten("K")


def test_what_depends_on_the_order_of_a_loop_is_an_error(golden):
    texts = []
    fs = (written_in_a_row, written_in_a_trip, written_after_a_part_was_taken)
    for f in (*fs, numbers_as_they_stand):
        with pytest.raises(TraceError) as caught:
            derive(f, "primal", types={"x": "Array[float, 9]"})
        texts.append(f"{f.__name__}\n{caught.value}".replace(__file__, "test_memory_order.py"))
    golden("memory_order.txt", "\n\n".join(texts) + "\n")
