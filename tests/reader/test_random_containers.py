"""Random programs over containers that names share: Python's own numbers, or an error.

`python tests/reader/test_random_containers.py FIRST COUNT` tries more of them.
"""

import importlib.util
import math
import sys
import tempfile
from pathlib import Path

import pytest
from random_containers import program

from egad import EgadError, derive

PARTS, COUNT = 4, 20
POINTS = ((0.3, 0.7, 0), (0.31, -0.52, 1), (-0.4, 0.83, 2), (0.9, 0.12, 3))


def load(seed, folder):
    path = folder / f"containers_{seed}.py"
    path.write_text(program(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def is_read(seed, folder):
    """Whether a program is read; then it has Python's values."""
    f = load(seed, folder)
    try:
        derived = derive(f, "primal", dtype="float64", optimize="fast")
    except EgadError:
        return False
    for point in POINTS:
        found = float(derived.reference(*point))
        assert math.isclose(found, f(*point), rel_tol=1e-9, abs_tol=1e-9), f"{seed} at {point}"
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_random_containers(part, tmp_path):
    read = [is_read(seed, tmp_path) for seed in range(part, PARTS * COUNT, PARTS)]
    assert sum(read) > 0.6 * len(read)


def main():
    first, count = map(int, sys.argv[1:3])
    failed, read = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            try:
                read += is_read(seed, Path(folder))
            except Exception as error:
                failed += 1
                print(f"{type(error).__name__}: {error}\n{program(seed)}")
    print(f"{count} programs, {read} read, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
