"""What a function returns and what its InOut and Out parameters end with have names apart."""

# ruff: noqa: F841
import numpy as np
import pytest

from egad import InOut, Out, derive, diff_pair

pytestmark = pytest.mark.numbers


def named_out(x: float, out: Out[float]) -> float:
    out = x * x
    return x


def numbered(x: float, out0: Out[float], out1: Out[float]) -> tuple[float, float]:
    out0 = x * x
    out1 = x * 3.0
    return x, 2.0 * x


def also_returned(x: float, o: Out[float]) -> tuple[float, float]:
    o = x * x
    return o, x * 2.0


def with_a_dash(x: float, out_: Out[float], out: Out[float]) -> float:
    out = x * x
    out_ = x * 5.0
    return x


def changed(out: InOut[float], k: float) -> float:
    out = out * k
    return out + 1.0


CASES = [  # at 3 (and 2): the values in order, their slopes by the first parameter
    (named_out, (3.0,), (3.0, 9.0), (1.0, 6.0)),
    (numbered, (3.0,), (3.0, 6.0, 9.0, 9.0), (1.0, 2.0, 6.0, 3.0)),
    (also_returned, (3.0,), (9.0, 6.0, 9.0), (6.0, 2.0, 6.0)),
    (with_a_dash, (3.0,), (3.0, 15.0, 9.0), (1.0, 5.0, 6.0)),
    (changed, (3.0, 2.0), (7.0, 6.0), (2.0, 2.0)),
]


@pytest.mark.parametrize(("f", "args", "values", "slopes"), CASES, ids=lambda f: str(f)[:20])
def test_every_result_is_its_own(f, args, values, slopes):
    primal = derive(f, "primal", dtype="float64")
    names = [s.name for s in primal.program.results]
    assert len(set(names)) == len(names)
    np.testing.assert_allclose(tuple(primal(*args)), values)
    pairs = [diff_pair(a, 1.0 if k == 0 else 0.0) for k, a in enumerate(args)]
    tangents = [r.d for r in derive(f, "fwd", dtype="float64")(*pairs)]
    np.testing.assert_allclose(tangents, slopes)
    bars = [10.0**k for k in range(len(values))]
    first = derive(f, dtype="float64")(*args, *bars)[0]
    assert first == pytest.approx(float(np.dot(bars, slopes)))
