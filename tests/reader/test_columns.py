"""Columns and blocks of matrices, read and written, as plain Python and NumPy have them."""

import numpy as np
import pytest

from egad import EgadError, derive, dot, float2, float2x3, float3x3

pytestmark = pytest.mark.numbers

A = np.arange(9.0).reshape(3, 3) + 1.0
B = np.arange(6.0).reshape(2, 3) + 1.0


def column(m: float3x3, n: int, x: float):
    return m[:, 0] * x


def row(m: float3x3, n: int, x: float):
    return m[n, :] * x


def at_run_time(m: float3x3, n: int, x: float):
    return x * dot(m[:, n], m[n, :])


def block(m: float3x3, n: int, x: float):
    return x * m[:2, 1:]


def some_of_a_column(m: float3x3, n: int, x: float):
    return m[1:, -1] * x


def written(m: float3x3, n: int, x: float):
    m[:, n] = x * m[:, 0]
    m[1:, n] = m[:2, 0]
    m[:, 2] += m[:, 1]
    m[0, :] = x
    return m


def not_square(m: float2x3, n: int, x: float):
    m[:, 1] = float2(x, 2.0 * x)
    m[0, :] = m[1, :] * 2.0
    return m


@pytest.mark.parametrize(
    "f", [column, row, at_run_time, block, some_of_a_column, written, not_square]
)
def test_columns(f):
    whole = B if f is not_square else A
    d, back = derive(f, "primal", dtype="float64"), derive(f, "bwd", dtype="float64")
    for n in (0, 1):

        def plain(x, m=whole, n=n):
            own = (float2x3 if f is not_square else float3x3)(*m.ravel())
            return np.asarray(f(own, n, x), float)

        want = plain(0.5)
        for found in (d(whole, n, 0.5), d.reference(whole, n, 0.5)):
            np.testing.assert_allclose(np.asarray(found, float), want, rtol=1e-14)
        cotangent = np.cos(np.arange(want.size) + 1.0).reshape(want.shape)
        slope = ((plain(0.5 + 1e-6) - plain(0.5 - 1e-6)) / 2e-6 * cotangent).sum()
        np.testing.assert_allclose(back(whole, n, 0.5, cotangent).x, slope, rtol=1e-8)


def changed_column(m: float3x3):
    c = m[:, 0]
    c[0] = 3.0
    return m


def column_of_a_list(x: float):
    v = [[x, x], [x, x]]
    return sum(v[:, 0])


def block_written(m: float3x3):
    m[:2, :2] = 0.0
    return m


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (changed_column, "a column of a matrix"),
        (column_of_a_list, r"\[row\[k\] for row in m\]"),
        (block_written, "column by column"),
    ],
)
def test_refused(f, words):
    with pytest.raises(EgadError, match=words):
        derive(f, "primal")


def late(x: float):
    fs = [lambda y: y * i for i in range(3)]  # noqa: B023
    gs = [lambda y, i=i: y * i for i in range(3)]
    hs = [[(lambda y: y * i + j) for j in (1.0, 2.0)] for i in (1.0, 3.0)]  # noqa: B023
    return fs[0](x) + 10.0 * gs[1](x) + 100.0 * hs[0][0](x) + sum(f(x) for f in fs)


def test_functions_made_in_comprehensions_bind_late():
    d = derive(late, "primal", dtype="float64")
    assert d(0.5) == d.reference(0.5) == late(0.5)
