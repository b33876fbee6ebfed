"""Loops over remainders of integers: what every work-item gets is known to be its own."""

import numpy as np
import pytest
import remainders
from compile_apart import compiles

from egad import derive, diff_pair
from egad.calling import bind
from egad.codegen.host.arrays import spread
from egad.codegen.schedule.varying import divides, varying

POINT = (0.3, 0.2, [0.1, 0.2, 0.3], 1, 2)


@pytest.mark.parametrize("mode", ["primal", "bwd"])
def test_integers_are_passed_for_each_element(mode):
    """And the compiler survives: by value, it did not."""
    derived = derive(remainders.wandering, mode, dtype="float64")
    args = (*POINT, 1.0) if mode == "bwd" else POINT
    assert divides(derived.program, derived.rules)
    bound = bind(derived.program.params, args)
    names = varying(derived.program.params, bound.uniform_names)
    assert names == {"n", "e"}
    kernel = derived.kernel(spread(bound, names).uniform_names)
    assert "__global const int *restrict n" in kernel.text
    assert compiles(kernel, double=True)
    found, wanted = derived(*args), derived.reference(*args)
    if mode == "primal":
        found, wanted = [found], [wanted]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_the_numbers_of_a_batch():
    derived = derive(remainders.wandering, "primal", dtype="float64")
    xs = np.linspace(-1.0, 1.0, 70)
    wanted = [remainders.wandering(x, *POINT[1:]) for x in xs.tolist()]
    np.testing.assert_allclose(derived(xs, *POINT[1:]), wanted, rtol=1e-12)


def test_where_no_loop_divides_they_are_passed_by_value():
    derived = derive(remainders.plain, "primal")
    assert not divides(derived.program, derived.rules)
    assert derived(0.5, 3) == pytest.approx(remainders.plain(0.5, 3))


def test_a_single_point_is_passed_as_a_batch_of_one():
    """Where all parameters were passed by value, the compiler did not survive."""
    derived = derive(remainders.exchanged, "fwd", dtype="float64")
    bound = bind(derived.program.params, (1.3, 0.7, 1.0, 0.0))
    names = varying(derived.program.params, bound.uniform_names)
    kernel = derived.kernel(spread(bound, names).uniform_names)
    assert "__global const double *restrict a" in kernel.text
    assert compiles(kernel, double=True)
    point = diff_pair(1.3, 1.0), diff_pair(0.7, 0.0)
    for found, wanted in zip(derived(*point), derived.reference(*point), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
