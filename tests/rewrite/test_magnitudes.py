"""Programs in units of atoms and planets: in float32 they are right where plain ones are."""

from types import FunctionType

import mpmath
import numpy as np
import pytest

from egad import derive, max_iters

ATOMS, PLANETS, ONES = (2e-10, 8e-10), (6.5e6, 4e7), (0.5, 2.0)


def lennard_jones(r):
    return 4 * 1.65e-21 * ((3.4e-10 / r) ** 12 - (3.4e-10 / r) ** 6)


def shared_powers(r):
    q = (3.4e-10 / r) ** 6
    return 4 * 1.65e-21 * (q * q - q)


def coulomb(x, y, z):
    return 2.307e-28 * x / (x * x + y * y + z * z) ** 1.5


def flattened(x, y, z):
    s = x * x + y * y + z * z
    r = np.sqrt(s)
    return 3.986e14 / r * (1 - 1.0826e-3 * (6.378e6 / r) ** 2 * (1.5 * z * z / s - 0.5))


def two_repulsions(r, b):
    return 1.7e-15 * np.exp(-b * r / 2.7e-11) + 1.05e-17 * (1e-10 / r) ** 6


CASES = [
    (lennard_jones, [ATOMS]),
    (shared_powers, [ATOMS]),
    (coulomb, [ATOMS] * 3),
    (flattened, [PLANETS] * 3),
    (two_repulsions, [ATOMS, ONES]),
]


class _Exact:
    """What NumPy's functions are with 50 digits."""

    exp, sqrt = staticmethod(mpmath.exp), staticmethod(mpmath.sqrt)


@pytest.mark.parametrize("mode", ["jacobian", "hessian"])
@pytest.mark.parametrize(("f", "ranges"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_derivatives_in_single_precision(f, ranges, mode):
    derived = derive(f, mode, dtype="float32", cache=False)
    rng = np.random.default_rng(1)
    columns = [np.float32(np.exp(rng.uniform(*np.log(ends), 40))) for ends in ranges]
    names = f.__code__.co_varnames[: len(ranges)]
    for run in (derived.reference, derived):
        found = run(*columns)
        rows = [getattr(found, a) for a in names]
        if mode == "hessian":
            rows = [getattr(row, b) for row in rows for b in names]
        np.testing.assert_allclose(rows, _wanted(f, columns, mode), rtol=2e-3)


def _wanted(f, columns, mode):
    """Every slope at every point, by mpmath."""
    exact = FunctionType(f.__code__, {"np": _Exact})
    orders = [tuple(map(int, row)) for row in np.eye(len(columns))]
    if mode == "hessian":
        orders = [tuple(map(sum, zip(a, b, strict=True))) for a in orders for b in orders]
    with mpmath.workdps(50):
        points = [tuple(map(mpmath.mpf, map(float, row))) for row in zip(*columns, strict=True)]
        return [[float(mpmath.diff(exact, at, order)) for at in points] for order in orders]


def cross_entropy(x, y):
    p = 1.0 / (1.0 + np.exp(-x))
    return -(y * np.log(p + 1e-7) + (1.0 - y) * np.log(1.0 - p + 1e-7))


def test_a_number_that_is_exact_by_luck_is_no_measure():
    """Slopes are a part of value and slopes: they may not be dearer, as the plain ones were."""
    made = [derive(cross_entropy, mode, dtype="float32") for mode in ("bwd", "value_and_grad")]
    slopes, whole = (one.report.cost_after for one in made)
    assert slopes <= whole


def root(a):
    """The condition of a loop is a result of its body: a truth beside numbers like 1e-13."""
    x = a
    max_iters(50)
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


def test_truths_are_no_numbers():
    made = derive(root, "primal", dtype="float32", cache=False)
    at = np.float32([0.25, 1.0, 3.0])
    np.testing.assert_allclose(made(at), np.sqrt(at), rtol=1e-6)
