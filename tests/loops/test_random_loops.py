"""Random loops against plain Python, differences and the inner product.

`python tests/loops/test_random_loops.py FIRST COUNT` tries more of them.
"""

import importlib.util
import math
import sys

import numpy as np
import pytest
from random_loops import program

from egad import derive
from egad.codegen.devices import device
from egad.codegen.devices.run import launch
from egad.codegen.host.arrays import bind, spread
from egad.codegen.schedule.varying import hazards, varying
from egad.rewrite.loops import unrolling

COUNT = 48


def load(seed, folder):
    path = folder / f"random_loop_{seed}.py"
    path.write_text(program(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def point(seed, size):
    rng = np.random.default_rng(seed)
    x, y = (float(v) for v in np.round(rng.uniform(-1, 1, 2), 3))
    return x, y, [float(v) for v in np.round(rng.uniform(-1, 1, size), 3)], int(rng.integers(0, 3))


def slopes(f, args, h):
    x, y, w, n = args
    moved = []
    for sign in (1, -1):
        row = [f(x + sign * h, y, list(w), n), f(x, y + sign * h, list(w), n)]
        row += [
            f(x, y, [v + sign * h * (j == k) for j, v in enumerate(w)], n) for k in range(len(w))
        ]
        moved.append(row)
    return (np.array(moved[0]) - np.array(moved[1])) / (2 * h)


def kernel(d, args):
    """The results of the kernel that a call runs."""
    bound = bind(d.program.params, [np.asarray(a) for a in args])
    found = hazards(d.program, d.rules)
    bound = spread(bound, varying(d.program.params, bound.uniform_names, found))
    outputs = launch(
        d.kernel(bound.uniform_names), bound.inputs, bound.size, device.choose(None, fp64=True)
    )
    return np.concatenate([np.ravel(outputs[s.name]) for s in d.program.results])


def flat(value):
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(p) for p in parts])


def check(seed, folder):
    """Compare one program at two points, every other one with its short loops written out."""
    given = unrolling.TRIPS
    unrolling.TRIPS = 0 if seed % 2 else given
    try:
        return compare(seed, folder)
    finally:
        unrolling.TRIPS = given


def compare(seed, folder):
    """Value and derivatives, three ways; False where no point is smooth."""
    f = load(seed, folder)
    size = int(program(seed).partition("Array[float, ")[2].partition("]")[0])
    primal, back = derive(f, "primal", dtype="float64"), derive(f, "bwd", dtype="float64")
    forward = derive(f, "fwd", dtype="float64") if seed % 3 == 0 else None
    smooth = False
    for k in range(2):
        args = point(1000 * seed + k, size)
        x, y, w, n = args
        want = f(x, y, list(w), n)
        assert math.isfinite(want)
        np.testing.assert_allclose(flat(primal.reference(*args)), want, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(kernel(primal, args), want, rtol=1e-9, atol=1e-9)
        gradient = flat(back.reference(*args, 1.0))
        np.testing.assert_allclose(kernel(back, (*args, 1.0)), gradient, rtol=1e-8, atol=1e-9)
        rough, fine = slopes(f, args, 1e-5), slopes(f, args, 1e-6)
        steady = np.abs(rough - fine) <= 1e-5 * (1 + np.abs(fine))
        smooth |= bool(steady.all())
        if steady.all():
            np.testing.assert_allclose(gradient, fine, rtol=3e-5, atol=3e-5)
        if forward is not None:
            d = np.cos(np.arange(2 + size) + 1.0)
            pair = kernel(forward, (*args, d[0], d[1], d[2:]))
            assert pair[1] == pytest.approx(float(gradient @ d), rel=1e-8, abs=1e-9)
    return smooth


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_random_loops(part, tmp_path):
    smooth = [check(seed, tmp_path) for seed in range(part, COUNT, 8)]
    assert sum(smooth) >= len(smooth) // 2


def main():
    from pathlib import Path
    from tempfile import mkdtemp

    first, count = (int(a) for a in sys.argv[1:3])
    folder, failed = Path(mkdtemp()), 0
    for seed in range(first, first + count):
        try:
            check(seed, folder)
        except Exception as error:
            failed += 1
            print(f"--- {seed}: {type(error).__name__}: {str(error)[:600]}\n{program(seed)}")
    print(f"{count} programs, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
