"""Programs of every kind: their numbers are Python's, their slopes those of differences, and the
three ways and all modes agree.
"""

import numpy as np
import pytest
import unusual_1
import unusual_2
import unusual_3
import unusual_4
import unusual_5

from egad import derive, diff_pair

MODULES = [unusual_1, unusual_2, unusual_3, unusual_4, unusual_5]
PROGRAMS = [f for m in MODULES for name, f in vars(m).items() if name.startswith("program_")]
POINTS = [(1.27, 2.13), (2.25, 1.63), (0.31, 3.71)]
DIRECTION = (0.6, -0.8)


def slope(f, point, k, step):
    ends = [list(point), list(point)]
    ends[0][k] += step
    ends[1][k] -= step
    return (np.asarray(f(*ends[0])) - np.asarray(f(*ends[1]))) / (2 * step)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f):
    rest = [12345] * (f.__code__.co_argcount - 2)
    primal, back = (derive(f, mode, dtype="float64") for mode in ("primal", "bwd"))
    ahead, product = (derive(f, m, dtype="float64", optimize="fast") for m in ("fwd", "hvp"))
    for point in POINTS:
        wanted = float(f(*point))
        for way in (primal, primal.reference):
            assert float(way(*point, *rest)) == pytest.approx(wanted, rel=1e-10)
        slopes = [slope(f, point, k, 1e-6) for k in range(2)]
        found = [list(way(*point, *rest, 1.0))[:2] for way in (back, back.reference)]
        units = [(1.0, 0.0), (0.0, 1.0)]
        found.append([ahead(*map(diff_pair, point, unit), *rest).d for unit in units])
        for gradient in found:
            np.testing.assert_allclose(gradient, found[0], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(found[0], slopes, rtol=2e-4, atol=2e-5)
        columns = [slope(lambda *p: list(back(*p, *rest, 1.0))[:2], point, k, 1e-5) for k in (0, 1)]
        curved = np.array(columns).T @ DIRECTION
        got = list(product(*point, *rest, *DIRECTION))[:2]
        np.testing.assert_allclose(got, curved, rtol=1e-3, atol=1e-3)


@pytest.mark.filterwarnings("ignore")
def test_what_is_reported_does_not_depend_on_what_came_before():
    def told(f, mode):
        d = derive(f, mode, dtype="float64")
        return d.source, sorted(d.report.fired.items()), d.report.nodes, d.report.dormant

    jobs = [(f, mode) for f in PROGRAMS[7::14] for mode in ("fwd", "bwd")]
    first = [told(*job) for job in jobs]
    assert [told(*job) for job in reversed(jobs)] == first[::-1]
