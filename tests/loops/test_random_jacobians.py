"""Jacobians and Hessians of random loops: all sweeps in one loop give what each gives alone.

`python tests/loops/test_random_jacobians.py FIRST COUNT` tries more of them.
"""

import importlib.util
import sys

import numpy as np
import pytest
from random_loops import program
from test_random_loops import flat, point

from egad import derive
from egad.rewrite.loops import unrolling

#: Programs that are small enough for a short test, and differ.
SEEDS = (1, 7)


#: A function of three results, each with the loops of `f`, at different states.
SEVERAL = """

def several(x: float, y: float, w: Array[float, {size}], n: int):
    return f(x, y, copy(w), n), f(y, x, copy(w), n), f(x, 0.5 * y, copy(w), 2 - n)
"""


def load(seed, size, folder):
    path = folder / f"random_jacobian_{seed}.py"
    path.write_text(program(seed) + SEVERAL.format(size=size))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f, module.several


def check(seed, folder, monkeypatch, optimize="default"):
    """Compare one program at three points, every other one with its short loops written out."""
    with monkeypatch.context() as patch:
        if seed % 2:
            patch.setattr(unrolling, "TRIPS", 0)
        compare(seed, folder, optimize)


def compare(seed, folder, optimize):
    """A Jacobian by gradients of its rows, a Hessian by differences of the gradient."""
    size = int(program(seed).partition("Array[float, ")[2].partition("]")[0])
    settings = {"dtype": "float64", "optimize": optimize}
    f, g = load(seed, size, folder)
    back, many = derive(g, "bwd", **settings), derive(g, "jacobian", **settings)
    gradient, hessian = derive(f, "bwd", **settings), derive(f, "hessian", **settings)
    for k in range(3):
        args = point(1000 * seed + k, size)
        rows = [flat(back.reference(*args, *map(float, e))) for e in np.eye(3)]
        found = flat_all(many(*args))
        np.testing.assert_allclose(flat_all(many.reference(*args)), found, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(found, np.concatenate(rows), rtol=1e-8, atol=1e-9)
        found = flat_all(hessian(*args))
        np.testing.assert_allclose(flat_all(hessian.reference(*args)), found, rtol=1e-8, atol=1e-9)
        found = square(hessian.reference(*args))
        np.testing.assert_allclose(found, found.T, rtol=1e-8, atol=1e-9)
        rough, fine = (slopes(gradient, args, h) for h in (1e-5, 1e-6))
        if (np.abs(rough - fine) <= 1e-5 * (1 + np.abs(fine))).all():
            np.testing.assert_allclose(found, fine, rtol=3e-5, atol=3e-5)


def flat_all(value):
    if isinstance(value, tuple):
        return np.concatenate([flat_all(v) for v in value])
    return np.ravel(value)


def square(blocks):
    """The blocks of a Hessian by x, y and w, as one matrix."""
    rows = []
    for i, row in enumerate(blocks):
        height = np.size(row[i]) if i < 2 else np.shape(row[i])[0]
        rows.append(np.hstack([np.reshape(b, (height, -1)) for b in row]))
    return np.vstack(rows)


def slopes(gradient, args, h):
    x, y, w, n = args
    p = np.array([x, y, *w])
    rows = []
    for e in np.eye(p.size):
        up, down = (
            flat(gradient.reference(q[0], q[1], q[2:].tolist(), n, 1.0))
            for q in (p + h * e, p - h * e)
        )
        rows.append((up - down) / (2 * h))
    return np.array(rows).T


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_random_jacobians(seed, tmp_path, monkeypatch):
    check(seed, tmp_path, monkeypatch, ("default", "fast")[seed == 7])


@pytest.mark.parametrize(("seed", "mode"), [(105, "bwd"), (307, "hessian")])
def test_memories_that_outlive_the_block_that_writes_them(seed, mode, tmp_path, monkeypatch):
    """Two blocks of one condition need what one of them writes: it is declared before both."""
    monkeypatch.setattr(unrolling, "TRIPS", 0)
    size = int(program(seed).partition("Array[float, ")[2].partition("]")[0])
    derived = derive(load(seed, size, tmp_path)[0], mode, dtype="float64", optimize="fast")
    for k in range(3):
        args = [*point(1000 * seed + k, size), *([1.0] if mode == "bwd" else [])]
        wanted = flat_all(derived.reference(*args))
        np.testing.assert_allclose(flat_all(derived(*args)), wanted, rtol=1e-8, atol=1e-9)


def main():
    from pathlib import Path
    from tempfile import mkdtemp

    first, count = (int(a) for a in sys.argv[1:3])
    optimize = sys.argv[3] if len(sys.argv) > 3 else "default"
    folder, failed = Path(mkdtemp()), 0
    for seed in range(first, first + count):
        try:
            check(seed, folder, pytest.MonkeyPatch(), optimize)
        except Exception as error:
            failed += 1
            print(f"--- {seed}: {type(error).__name__}: {str(error)[:600]}", flush=True)
    print(f"{count} programs, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
