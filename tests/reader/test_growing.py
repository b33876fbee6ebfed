"""Lists that grow and shrink, recursion that ends by what is known: the numbers are Python's."""

import importlib.util
import math

import growing_programs
import numpy as np
import pytest
from random_growing import program

from egad import EgadError, TraceError, derive, diff_pair

PROGRAMS = [f for name, f in vars(growing_programs).items() if name.startswith("program_")]
POINTS = [(1.3, 2.1), (0.4, 3.3), (2.2, 0.7)]


def slopes(f, point):
    found = []
    for k in range(2):
        ends = [list(point), list(point)]
        ends[0][k] += 1e-6
        ends[1][k] -= 1e-6
        found.append((f(*ends[0]) - f(*ends[1])) / 2e-6)
    return found


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f):
    plain = getattr(f, "plain", f)
    primal, back, ahead = (
        derive(f, mode, dtype="float64", optimize="fast") for mode in ("primal", "bwd", "fwd")
    )
    for point in POINTS:
        wanted = plain(*point)
        for way in (primal, primal.reference):
            assert float(way(*point)) == pytest.approx(wanted, rel=1e-10)
        expected = slopes(plain, point)
        for way in (back, back.reference):
            np.testing.assert_allclose(list(way(*point, 1.0)), expected, rtol=1e-6, atol=1e-6)
        units = [(1.0, 0.0), (0.0, 1.0)]
        found = [ahead(*map(diff_pair, point, unit)).d for unit in units]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def imported(text, path):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_random_lists(tmp_path):
    compared = 0
    for seed in range(100):
        module = imported(program(seed), tmp_path / f"random_{seed}.py")
        try:
            primal = derive(module.f, "primal", dtype="float64", optimize="fast", math="strict")
        except EgadError as error:
            assert "elements" in error.message or "list" in error.message, (seed, error)
            continue
        for point in [(1.3, 2.1), (0.4, 1.7), (0.9, 3.3), (2.2, 1.1), (0.5, 0.5)]:
            wanted = module.f(*point)
            assert math.isclose(primal.reference(*point), wanted, rel_tol=1e-9, abs_tol=1e-9), seed
            compared += 1
    assert compared > 300


def longer(xs: list[float], k: float) -> float:
    xs.append(k)
    return sum(x * x for x in xs) * len(xs)


def test_a_parameter_that_grows():
    gradients = derive(longer, dtype="float64")([1.0, 2.0], 3.0, 1.0)
    np.testing.assert_allclose(gradients.xs, [6.0, 12.0])
    assert gradients.k == 18.0


def test_long_loops_are_written_out_where_that_is_asked_for():
    from egad import force_unroll

    def asked(a: float):
        xs = [a]
        for _ in force_unroll(range(300)):
            xs.append(0.5 * xs[-1])
        return xs[2] + len(xs)

    def unasked(a: float):
        xs = [a]
        for _ in range(300):
            xs.append(0.5 * xs[-1])
        return xs[2] + len(xs)

    assert derive(asked, "primal").reference(4.0) == 302.0
    with pytest.raises(TraceError, match=r"300 trips .*force_unroll"):
        derive(unasked, "primal")
