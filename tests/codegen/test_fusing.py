"""Products inside sums become `fma`, but where the difference of two of them has to be exact."""

from fractions import Fraction

import numpy as np
import pytest

import egad
from egad import rules
from egad.codegen.kernel.opencl import emit
from egad.rules.costs import CostTable, priced
from egad.terms.program import Program, Slot
from egad.terms.term import Term, var
from egad.terms.types import Scalar


def lines(f, **options):
    source = egad.derive(f, "primal", **options).source
    return [line.split("//")[0].strip() for line in source.splitlines() if "const float t" in line]


def emitted(names, total, costs=None):
    """The text of a program of one result, as it stands."""
    slots = tuple(Slot(name, Scalar.F32) for name in names)
    program = Program("p", slots, (Slot("r", Scalar.F32),), ((total,),))
    known = rules.load()
    return emit(program, priced(known, costs) if costs else known, name="p").text


def test_a_product_inside_a_sum_is_one_operation():
    assert lines(lambda a, b, c: a * b + c) == ["const float t0 = fma(a, b, c);"]
    assert lines(lambda a, b: a * b - 2.0) == ["const float t0 = fma(a, b, -2.0f);"]
    assert lines(lambda a, c: c - a * 3.0) == ["const float t0 = fma(a, -3.0f, c);"]
    assert lines(lambda a, c: c - 0.1 * -a) == lines(lambda a, c: c + 0.1 * a)
    for f in (lambda a, b, c: a * b - c, lambda a, b, c: c - a * b):  # as many operations as before
        assert not any("fma" in line for line in lines(f))


def test_strict_rounds_every_operation():
    assert not any("fma" in line for line in lines(lambda a, b, c: a * b + c, math="strict"))


CHEAP = CostTable(
    "cheap", "any", "1", "today", {Scalar.F32: {"fma": 1.0, "mul": 1.0, "add": 1.0, "neg": 0.5}}
)


def test_where_fma_is_cheap_every_sum_computes_the_product_again():
    def f(a, b, c, d):
        return [a * b + c, d - a * b]

    assert not any("fma" in line for line in lines(f))
    assert lines(f, costs=CHEAP) == [
        "const float t0 = fma(a, b, c);",
        "const float t1 = fma(-a, b, d);",
    ]
    used_alone = lines(lambda a, b, c, d: [a * b + c, d - a * b, a * b], costs=CHEAP)
    assert not any("fma" in line for line in used_alone)


def test_squares_cannot_cancel():
    """|v|**2 has one operation less; the difference of two squares stays exact where it is 0."""
    assert lines(lambda x, y: x * x + y * y)[1:] == ["const float t1 = fma(y, y, t0);"]
    x, y = var("x", Scalar.F32), var("y", Scalar.F32)
    squares = [Term("mul", (v, v), None, Scalar.F32) for v in (x, y)]
    assert "fma(y, y, " in emitted("xy", Term("add", tuple(squares), None, Scalar.F32))
    assert "fma" not in emitted("xy", Term("sub", tuple(squares), None, Scalar.F32))
    assert "fma" not in egad.derive(lambda x, y, z: x * y + z * z, "primal").source


def test_a_product_that_is_used_twice_or_has_a_name_stays():
    def named(a: float, b: float, c: float) -> float:
        area = a * b
        return area + c

    assert not any("fma" in line for line in lines(lambda a, b, c: [a * b + c, a * b]))
    assert "fma" not in egad.derive(named, "primal").source


def difference(a: float, b: float, c: float, d: float) -> float:
    return egad.sqrt(a * b + -2.0 * c * d)


def test_equal_products_cancel():
    """One of two products rounded and the other not: a difference below 0, and NaN."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 2, (2, 1000)).astype(np.float32)
    root = egad.derive(difference, "primal")
    assert "fma" not in root.source
    assert not np.any(root(a, b, a / 2, b))
    assert "fma" in egad.derive(difference, "primal", math="fast").source


def test_choices_of_products_cancel_too():
    def f(a: float, b: float, c: float) -> float:
        return a * b - (c * b if a > 0 else c)

    assert "fma(a" not in egad.derive(f, "primal").source


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_sum_is_rounded_once(dtype):
    """a*a - 1 for a just above 1: the square needs twice the digits."""
    f = egad.derive(lambda a: a * a - 1.0, "primal", dtype=dtype, math="safe")
    eps = float(np.finfo(dtype).eps)
    a = (1 + 3 * eps * np.arange(64)).astype(dtype)
    exact = np.array([float(Fraction(float(x)) ** 2 - 1) for x in a]).astype(dtype)
    assert "fma(a, a, -1" in f.source
    assert np.array_equal(f(a), exact)
    assert not np.array_equal(f.reference(a), exact)


def test_an_expensive_fma_is_not_used():
    slow = CostTable("slow", "any", "1", "today", {Scalar.F32: {"fma": 20.0}})
    a, b, c = (var(name, Scalar.F32) for name in "abc")
    total = Term("add", (Term("mul", (a, b), None, Scalar.F32), c), None, Scalar.F32)
    assert "fma(a, b, c)" in emitted("abc", total)
    assert "fma" not in emitted("abc", total, slow)


def test_loops_are_fused_too():
    def horner(x: float) -> float:
        s = 0.0
        for _ in range(10):
            s = s * x + 0.5
        return s

    f = egad.derive(horner, "primal")
    assert "fma(" in f.source
    np.testing.assert_allclose(f(0.5), horner(0.5), rtol=1e-6)


def test_long_functions_are_inlined():
    def long(x: float) -> float:
        for _ in range(300):
            x = egad.sin(x) + 0.5
        return x

    kernel = egad.derive(egad.traced(long), "primal").source
    assert "__attribute__((always_inline))\nstatic inline void" in kernel
    assert "__attribute__" not in egad.derive(lambda x: x * x, "primal").source
