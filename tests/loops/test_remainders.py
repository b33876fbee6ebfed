"""Loops over remainders of integers: what every work-item gets is known to be its own."""

import numpy as np
import pytest
import remainders
from compile_apart import compiles

from egad import derive, diff_pair
from egad.codegen.host.arrays import bind, spread
from egad.codegen.schedule.varying import hazards, varying

POINT = (0.3, 0.2, [0.1, 0.2, 0.3], 1, 2)


@pytest.mark.parametrize("mode", ["primal", "bwd"])
def test_integers_are_passed_for_each_element(mode):
    """And the compiler survives: by value, it did not."""
    derived = derive(remainders.wandering, mode, dtype="float64")
    args = (*POINT, 1.0) if mode == "bwd" else POINT
    found = hazards(derived.program, derived.rules)
    assert found.divides
    xs = np.linspace(-1.0, 1.0, 3)
    bound = bind(derived.program.params, (xs, *args[1:]))
    assert varying(derived.program.params, bound.uniform_names, found) == {"n", "e"}
    bound = bind(derived.program.params, args)
    names = varying(derived.program.params, bound.uniform_names, found)
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
    found = hazards(derived.program, derived.rules)
    assert not found.divides
    bound = bind(derived.program.params, (np.ones(3), 3))
    assert varying(derived.program.params, bound.uniform_names, found) == frozenset()
    assert derived(0.5, 3) == pytest.approx(remainders.plain(0.5, 3))


def test_a_single_point_is_passed_as_a_batch_of_one():
    """Where all parameters were passed by value, the compiler did not survive."""
    derived = derive(remainders.exchanged, "fwd", dtype="float64")
    bound = bind(derived.program.params, (1.3, 0.7, 1.0, 0.0))
    found = hazards(derived.program, derived.rules)
    names = varying(derived.program.params, bound.uniform_names, found)
    kernel = derived.kernel(spread(bound, names).uniform_names)
    assert "__global const double *restrict a" in kernel.text
    assert compiles(kernel, double=True)
    point = diff_pair(1.3, 1.0), diff_pair(0.7, 0.0)
    for found, wanted in zip(derived(*point), derived.reference(*point), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("bars", [1.0, np.ones(3)])
def test_what_decides_when_a_loop_is_left_is_passed_for_each_element(bars):
    """Where the compiler knew that all leave it together, it did not survive."""
    derived = derive(remainders.left_early, dtype="float64")
    args = (1.27, 2.13, bars)
    found = hazards(derived.program, derived.rules)
    assert found.leaving == {"a", "b"}
    bound = bind(derived.program.params, args)
    names = varying(derived.program.params, bound.uniform_names, found)
    kernel = derived.kernel(spread(bound, names).uniform_names)
    assert "__global const double *restrict a" in kernel.text
    assert compiles(kernel, double=True)
    for way, wanted in zip(derived(*args), derived.reference(*args), strict=True):
        np.testing.assert_allclose(way, wanted, rtol=1e-12)


def test_remainders_of_counters_are_taken_before_a_branch():
    """In it, the compiler read arrays at what it had not computed; of what varies, they stay."""
    derived = derive(remainders.looked_up, "primal", dtype="float64")
    body = derived.source[derived.source.index("for (int k = 0") :]
    branch = body.index("} else {")
    assert 0 < body.index("% 9;") < body.rindex("if (", 0, branch)
    assert branch < body.index("% 1021;")
    w = [0.125 * k for k in range(9)]
    for x, m, trips in ((0.1, 3, 6), (-0.4, 5, 9), (0.3, -7, 2), (0.2, 2, 0)):
        want = remainders.looked_up(x, w, m, trips)
        assert derived(x, w, m, trips) == pytest.approx(want, rel=1e-12)
        assert derived.reference(x, w, m, trips) == pytest.approx(want, rel=1e-12)
