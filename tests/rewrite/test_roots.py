"""Polynomials in one value as products: equal, fewer operators, and all digits near a root."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from test_polynomials import add
from test_regroup import X, Y, Z, exact, mul, number, op

import egad
from egad.rewrite.regroup import by_roots
from egad.rewrite.regroup.roots import split_off
from egad.terms.term import toposort, var
from egad.terms.types import Scalar


def multiplied(roots, leading):
    """The coefficients of a polynomial with these roots, the constant first."""
    found = [Fraction(leading)]
    for r in roots:
        found = [b - r * a for a, b in zip([*found, 0], [0, *found], strict=True)]
    return found


def horner(coefficients, value):
    total = number(float(coefficients[-1]))
    for c in reversed(coefficients[:-1]):
        total = add(number(float(c)), mul(value, total))
    return total


def operators(*flat):
    return sum(bool(t.args) for t in toposort(flat))


def test_planted_roots_are_found():
    rng = random.Random(5)
    for _ in range(200):
        simple = [Fraction(rng.randint(-12, 12), rng.choice((1, 2, 4))) for _ in range(3)]
        roots = [r for r in simple for _ in range(rng.randint(1, 2))]
        whole = {n: c for n, c in enumerate(multiplied(roots, rng.randint(1, 9))) if c}
        found, left = split_off(whole)
        again = [r if degree == 1 else None for (degree, r), n in found.items() for _ in range(n)]
        if None not in again:
            assert sorted(again) == sorted(r for r in roots if r)
            assert len(left) == 1


def test_forms_are_equal_in_rational_numbers_and_shorter():
    rng, count, shorter = random.Random(3), 0, 0
    for _ in range(200):
        value = rng.choice([X, Y, mul(X, Z)])
        parts = []
        for other in rng.sample([Y, Z, mul(Y, Z), op("sub", Y, Z)], 2):
            twice = Fraction(rng.randint(-3, 3))
            roots = [twice, twice, Fraction(rng.randint(-5, 5))]
            parts.append(mul(other, horner(multiplied(roots, rng.randint(1, 5)), value)))
        flat = [add(*parts, rng.choice([Z, number(2)]))]
        values = {v: Fraction(rng.randint(-20, 20), 7) for v in (X, Y, Z)}
        for old, new in by_roots(flat):
            assert exact(old, values) == exact(new, values)
            shorter += operators(new) < operators(old)
            count += 1
    assert count > 100 and shorter > 0.9 * count


def noise(x: float, y: float, a: float, b: float, c: float, d: float) -> float:
    """Ken Perlin's blend, of degree five, of four slopes."""
    u = x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
    v = y * y * y * (y * (y * 6.0 - 15.0) + 10.0)
    low, high = a * x + u * (b * (x - 1.0) - a * x), c * x + u * (d * (x - 1.0) - c * x)
    return low + v * (high - low)


def blend(x: float) -> float:
    return x * x * x * (x * (x * 6.0 - 15.0) + 10.0)


def kernel(q: float) -> float:
    """Wendland's, which is flat where it ends."""
    return (1.0 - q) * (1.0 - q) * (1.0 - q) * (1.0 - q) * (4.0 * q + 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "most"), [(blend, 4), (kernel, 5)])
def test_slopes_have_all_digits_near_their_roots(f, most, dtype):
    slope = egad.derive(f, mode="jacobian", dtype=dtype, cache=False)
    assert slope.report.cost_after <= most
    type_ = np.dtype(dtype).type
    points = np.array([0.0, 1e-7, 0.3, 1 - 2.0**-20, 1 - 2.0**-10, 1.0, 1 + 2.0**-12], type_)
    with mpmath.workdps(60):
        wanted = [float(mpmath.diff(f, mpmath.mpf(float(x)))) for x in points]
    assert np.allclose(slope(points)[0], wanted, rtol=8 * np.finfo(type_).eps, atol=1e-60)


def test_second_derivatives_of_noise_are_right():
    derived = egad.derive(noise, "hessian", dtype="float64", cache=False)
    at = [0.3, 0.8, 0.4, -0.7, 0.2, 0.9]
    rows = [list(row) for row in derived(*at)]
    with mpmath.workdps(40):
        for i in range(6):
            for j in range(6):
                orders = [0] * 6
                orders[i] += 1
                orders[j] += 1
                assert np.isclose(rows[i][j], float(mpmath.diff(noise, at, tuple(orders))))


def test_a_long_program_is_looked_at_once():
    total = X
    for i in range(2_000):
        total = add(mul(total, var(f"v{i % 7}", Scalar.F64)), mul(X, number(i % 5)))
    assert list(by_roots([total])) == []


def test_numbers_far_outside_are_left_alone():
    huge = add(mul(number(1e300), mul(X, X)), mul(number(-2e300), X), number(1e300))
    total = mul(huge, mul(huge, huge))
    assert list(by_roots([add(total, Y)])) == []
    tiny = add(mul(number(1e-300), mul(X, X)), mul(number(-2e-300), X), number(1e-300))
    assert list(by_roots([add(mul(tiny, mul(tiny, tiny)), Y)])) == []
