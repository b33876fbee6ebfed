"""Sums that are multiplied out: equal terms in Horner's form, and no digit lost."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from test_regroup import X, Y, Z, exact, mul, number, op

import egad
from egad.rewrite.regroup import multiplied_out
from egad.rewrite.regroup.bounds import Bounds
from egad.terms.term import toposort, var
from egad.terms.types import Scalar


def add(*terms):
    total = terms[0]
    for term in terms[1:]:
        total = op("add", total, term)
    return total


def drawn(rng, depth=5):
    """A random polynomial with small whole coefficients, which float64 has exactly."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([X, Y, Z, number(rng.randint(-5, 5))])
    name = rng.choice(["add", "add", "sub", "mul", "mul", "neg"])
    args = [drawn(rng, depth - 1) for _ in range(1 if name == "neg" else 2)]
    return op(name, *args)


def test_forms_are_equal_in_rational_numbers():
    rng, count = random.Random(11), 0
    for _ in range(400):
        flat = [drawn(rng) for _ in range(3)]
        values = {v: Fraction(rng.randint(-20, 20), rng.randint(1, 9)) for v in (X, Y, Z)}
        for old, new in multiplied_out(flat):
            assert exact(old, values) == exact(new, values)
            count += 1
    assert count > 200


def test_a_derivative_is_written_in_horner_form():
    inner = add(number(3), mul(X, add(number(5), mul(number(7), X))))
    total = add(inner, mul(X, add(number(5), mul(number(14), X))))
    new = dict(multiplied_out([total]))[total]
    assert sum(t.op == "mul" for t in toposort([new])) == 2
    assert sum(t.op in ("add", "sub") for t in toposort([new])) == 2


def test_of_two_sums_one_stays_a_factor():
    first = add(number(2), mul(X, add(number(3), mul(number(5), X))))
    second = add(number(7), mul(number(11), Y))
    total = add(mul(first, second), mul(Y, mul(first, number(13))))
    new = dict(multiplied_out([total, first]))[total]
    assert first in toposort([new])


def test_what_is_exact_near_a_root_is_not_multiplied_out():
    near = op("sub", X, number(1))
    small = mul(number(1e-5), X)
    total = add(small, mul(X, near))
    assert total not in dict(multiplied_out([total]))
    far = add(mul(number(3), X), mul(X, near))  # there the 3 is rounded to, whatever the form
    assert far in dict(multiplied_out([far]))


def test_differences_of_inputs_stay_whole():
    difference = op("sub", X, Y)
    total = add(mul(Z, difference), mul(X, Y))
    for _, new in multiplied_out([total]):
        assert difference in toposort([new])


def test_bounds_know_a_cancelling_form():
    square = mul(op("sub", X, number(1)), op("sub", X, number(1)))
    apart = add(op("sub", mul(X, X), mul(number(2), X)), number(1))
    bounds = Bounds(toposort([square, apart]))
    assert not bounds.are_kept(square, apart)
    assert bounds.are_kept(apart, mul(number(1), apart))


def curve(x: float) -> float:
    return 1 - 0.5 * x + 0.25 * x**2 - 0.125 * x**3 + 0.3 * x**4 - 0.01 * x**5 + 0.7 * x**6


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_polynomials_slope_has_one_operator_for_each_power(dtype):
    slope = egad.derive(curve, mode="jacobian", dtype=dtype)
    assert slope.report.counts_after == {"add": 5, "mul": 5}
    points = np.linspace(-2, 2, 41)
    with mpmath.workdps(40):
        wanted = [float(mpmath.diff(curve, mpmath.mpf(float(x)))) for x in points]
    found = slope(points).x
    tolerance = 3e-6 if dtype == "float32" else 1e-13
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance)


def test_sums_too_long_are_left_alone():
    total = X
    for i in range(300):
        total = op("add", mul(total, var(f"v{i % 7}", Scalar.F64)), number(i % 5))
    for _, new in multiplied_out([total]):
        assert new is not total
