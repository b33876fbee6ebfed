"""Rows of matrices: what is changed in them changes in the matrix, as in plain Python."""

import inspect

import numpy as np
import pytest
import row_programs

from egad import EgadError, InOut, Out, derive, float2, float2x2, float3, float3x3

pytestmark = pytest.mark.numbers

PROGRAMS = [
    f
    for f in vars(row_programs).values()
    if inspect.isfunction(f) and f.__module__ == row_programs.__name__
    if list(inspect.signature(f).parameters) == ["m", "v", "a", "c", "i", "n"]
]
M = (np.arange(9.0).reshape(3, 3) - 3.0) ** 2 * 0.25 - 0.75
V = np.array([0.5, -1.5, 2.5])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    d = derive(f, "primal", dtype="float64")
    for a, c, i, n in (
        (1.25, 0.5, 0, 2),
        (-0.75, -0.5, 1, 0),
        (0.5, 2.0, 2, 3),
        (2.0, -1.0, -1, 1),
    ):
        want = f(float3x3(*M.ravel()), float3(*V), a, c, i, n)
        np.testing.assert_allclose(d.reference(M, V, a, c, i, n), want, rtol=1e-12)


def change(v: InOut[float3], x: float):
    v.x = x


def column(m: float3x3, a: float, n: int):
    c = m[:, 0]
    c.x = a
    return c.x


def slice_of_rows(m: float3x3, a: float, n: int):
    s = m[0:2]
    s[0].x = a
    return m[0].x


def row_of_a_slice(m: float3x3, a: float, n: int):
    s = m[0:2]
    m[0].x = a
    return s[0].x


def kept_in_a_loop(m: float3x3, a: float, n: int):
    r = m[0]
    for k in range(n):
        r.x = a
        r = m[k]
    return m[0].x


def two_names_in_a_loop(m: float3x3, a: float, n: int):
    o = m
    for _ in range(n):
        o[0].x += a
    return m[0].x


def perhaps_another_matrix(m: float3x3, a: float, n: int):
    r = m[0]
    for _ in range(n):
        m = m * a
    m[0].x = a
    return r.x


def not_said(v: float3):
    v.x = 1.0


def of_the_caller(m: float3x3, a: float, n: int):
    not_said(m[0])
    return m[0].x


def in_a_long_list(m: float3x3, a: float, n: int):
    ms = [m * float(k) for k in range(100)]
    r = ms[n][0]
    r.x = a
    return ms[n][0].x


def carried_of_a_long_list(m: float3x3, a: float, n: int):
    ms = [m * float(k) for k in range(100)]
    r = ms[n][0]
    for k in range(n + 1):
        ms[k][0].x += a
    return r.x


def held_of_a_long_list(m: float3x3, a: float, n: int):
    ms = [m * float(k) for k in range(100)]
    r = ms[3][0]
    for k in range(n):
        ms[k + 2][0].x += a
    return r.x


def list_at_a_running_index(m: float3x3, a: float, n: int):
    rows = [m[0], m[1], m[2]]
    for k in range(n):
        rows[k % 3].x += a
        m[0].y += 1.0
    return m[0].x + rows[0].y


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (held_of_a_long_list, "a vector that is both"),
        (list_at_a_running_index, "a vector that is both"),
        (column, "a column of a matrix"),
        (slice_of_rows, "the rows of a slice are those of the matrix"),
        (row_of_a_slice, "the rows of a slice are those of the matrix"),
        (kept_in_a_loop, "a vector that is both"),
        (two_names_in_a_loop, "both 'o' and 'm'|both 'm' and 'o'"),
        (perhaps_another_matrix, "may be the same one after the loop"),
        (of_the_caller, "changes the matrix 'm' of of_the_caller"),
        (in_a_long_list, "a row of a matrix in a list"),
        (carried_of_a_long_list, "may be an element of a list since a loop"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_refused(f, words):
    with pytest.raises(EgadError, match=words):
        derive(f, "primal", dtype="float64")


def polar(x: float, y: float, out: Out[float2]):
    out.x = x * y
    out.y = x + y


def first_only(x: float, out: Out[float2]):
    out.x = x


def two_of_them(x: float, y: float, out: Out[float2x2]):
    polar(x, y, out[0])
    out[1].x = 3.0 * x
    out[1][1] = y


def filled(x: float, y: float):
    p = float2(0.0, 0.0)
    polar(x, y, p)
    return p.x + 10.0 * p.y


def partly_filled(x: float, y: float):
    p = float2(0.5, y)
    q = p
    first_only(x, p)
    return p.x + 10.0 * p.y + 100.0 * q.x


def rows_filled(x: float, y: float):
    m = float2x2(x, y, 1.0, 2.0)
    polar(x, y, m[1])
    first_only(3.0, m[0])
    return m[0].x + 3.0 * m[1].x + 10.0 * m[1].y + m[0].y * 100.0


def matrix_filled(x: float, y: float):
    m = float2x2(x, y, 1.0, 2.0)
    two_of_them(x + 1.0, y, m)
    return m[0].x + 3.0 * m[1].x + 10.0 * m[1].y + m[0].y * 100.0


def elements_filled(x: float, y: float):
    ps = [float2(0.0), float2(0.0)]
    for p in ps:
        polar(x, y, p)
    return ps[0].x + 10.0 * ps[1].y


@pytest.mark.parametrize(
    "f",
    [filled, partly_filled, rows_filled, matrix_filled, elements_filled],
    ids=lambda f: f.__name__,
)
def test_out_parameters_are_filled_by_components(f):
    d = derive(f, "primal", dtype="float64")
    np.testing.assert_allclose(d.reference(1.5, 2.5), f(1.5, 2.5), rtol=1e-14)
