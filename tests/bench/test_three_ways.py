"""The derivative, the optimized program and the kernel: the same numbers, however derived.

With the usual effort in every mode of mathematics, with less and more in one of them in turn:
`python -m bench ways` does all of it, for the long workloads, too.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

pytest.importorskip("pyopencl")

from bench import three_ways  # noqa: E402
from bench.__main__ import main  # noqa: E402
from bench.three_ways import LIMIT, Difference  # noqa: E402
from bench.workloads import BY_NAME  # noqa: E402
from egad.codegen.devices.device import choose  # noqa: E402
from egad.terms.errors import DeviceError  # noqa: E402

SHORT = ("poly", "fk6", "neohookean", "radtan", "quaternion", "harmonics", "polynomials")
NAMES = [name for name in BY_NAME if name not in ("chain100", "chain1000", "chain5000")]
CASES = [(name, "default", math) for name in NAMES for math in three_ways.MODES]
CASES += [
    (name, effort, three_ways.MODES[turn % len(three_ways.MODES)])
    for effort, names in (("fast", NAMES), ("best", SHORT))
    for turn, name in enumerate(names)
]


@pytest.fixture(scope="module")
def device():
    try:
        return choose(fp64=True)
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "effort", "math"), CASES)
def test_three_ways_give_the_same_numbers(name, effort, math, device):
    found = three_ways.difference(BY_NAME[name], math, effort, device)
    assert found.program <= LIMIT and found.kernel <= LIMIT


def test_a_difference_is_told(monkeypatch, capsys, device):
    wrong = [Difference("poly", math, "fast", 0.0, 2 * LIMIT) for math in three_ways.MODES]
    monkeypatch.setattr(three_ways, "differences", lambda *_: iter(wrong))
    assert main(["ways", "--only", "poly", "--optimize", "fast"]) == 1
    out, err = capsys.readouterr()
    assert "2e-12" in out and "differs: Difference(workload='poly'" in err
