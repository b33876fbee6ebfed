"""Random programs over vectors in lists compute what Python computes, or are refused.

`python tests/reader/test_random_lent.py FIRST COUNT` tries more of them.
"""

import importlib.util
import sys

import numpy as np
import pytest
from random_lent import Writer

from egad.codegen.host.reference import evaluate
from egad.reader import read
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.types import Scalar

POINTS = [(1.3, 0.7), (0.4, 1.9), (-0.6, 1.2), (2.5, -1.5), (-1.1, -0.8)]


def right(seed, folder, writer=Writer):
    """Whether a program is read; what it computes is compared where it stays in bounds."""
    path = folder / f"{writer.__module__}_{seed}.py"
    path.write_text(writer(seed).program())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses ask for it
    spec.loader.exec_module(module)
    rules = load()
    try:
        program = read(module.f, real=Scalar.F64, rules=rules)
    except TraceError:
        return False
    for a, b in POINTS:
        try:
            want = np.array(module.f(a, b), float)
        except OverflowError:
            continue
        found = [float(v) for v in evaluate(program, rules, {"a": a, "b": b})]
        if np.abs(want).max() < 1e9:
            np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-6, err_msg=path.read_text())
    return True


@pytest.mark.parametrize("part", range(3))
def test_random_programs(part, tmp_path):
    read = [right(seed, tmp_path) for seed in range(15 * part, 15 * part + 15)]
    assert sum(read) >= 5  # the others may be refused


def main():
    from pathlib import Path
    from tempfile import mkdtemp

    first, count = (int(a) for a in sys.argv[1:3])
    folder, read, failed = Path(mkdtemp()), 0, 0
    for seed in range(first, first + count):
        try:
            read += right(seed, folder)
        except Exception as error:
            failed += 1
            print(f"--- {seed}: {type(error).__name__}", flush=True)
    print(f"{count} programs, {read} read, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
