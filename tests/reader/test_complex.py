"""Complex numbers: values and slopes, as arguments and as results."""

import cmath

import complex_programs
import numpy as np
import pytest
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

from egad import derive, diff_pair

pytestmark = pytest.mark.numbers


@pytest.mark.parametrize("f", functions(complex_programs), ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, 0.45)])


def product(z: complex, w: complex) -> complex:
    return z * cmath.exp(w)


def loudness(z: np.ndarray, gain: float) -> float:
    return gain * np.sum(np.abs(z) ** 2)


def test_arguments_and_results():
    z, w = 1.0 + 2.0j, 0.3 - 1.0j
    assert derive(product, "primal", dtype="float64")(z, w) == pytest.approx(product(z, w))
    # Holomorphic: along dz = 1j the result moves by 1j times its derivative.
    moved = derive(product, "fwd", dtype="float64")(diff_pair(z, 1j), diff_pair(w, 0j))
    assert moved.d == pytest.approx(1j * cmath.exp(w))
    # Backwards, the derivative is conjugated.
    bars = derive(product, dtype="float64")(z, w, 1.0 + 0j)
    assert bars.z == pytest.approx(cmath.exp(w).conjugate())
    assert bars.w == pytest.approx(product(z, w).conjugate())


def test_a_real_number_for_a_complex_parameter():
    assert derive(product, "primal", dtype="float64")(2.0, 1j) == pytest.approx(product(2.0, 1j))


def test_batches():
    z = np.array([1.0 + 2.0j, -0.5j, 3.0])
    found = derive(product, "primal", dtype="float64")(z, 0.5j)
    assert found.dtype == complex
    np.testing.assert_allclose(found, z * np.exp(0.5j))
    assert derive(product, "primal")(z, 0.5j).dtype == np.complex64


def test_arrays_of_complex_numbers():
    z = np.array([1.0 + 2.0j, -0.5j, 3.0])
    value, bars = derive(loudness, "value_and_grad", dtype="float64")(z, 2.0)
    assert value == pytest.approx(loudness(z, 2.0))
    np.testing.assert_allclose(bars.z, 4.0 * z)  # the gradient by both parts
    assert bars.gain == pytest.approx(loudness(z, 1.0))
