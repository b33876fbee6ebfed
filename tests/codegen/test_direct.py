"""Kernels of many inputs and results, which compute in place: the same numbers, in the same way."""

import itertools
import re

import numpy as np
import pytest

import egad

COUNT = 20


def many(*x):
    """Results of all kinds: plain, shared, chosen, negated, inputs and numbers themselves."""
    total = sum((a * b for a, b in itertools.pairwise(x)), 0.0)
    sine, cosine = egad.sin(total), egad.cos(total)
    chosen = egad.select(
        x[0] > 0, egad.exp(x[1]) + egad.sqrt(abs(x[2])) * egad.log(2 + x[3] ** 2), x[4]
    )
    plain = [a * sine + cosine for a in x]
    return [*plain, chosen, -chosen, -plain[0], x[5], -x[6], 2.5, plain[1], cosine]


def derived(**options):
    names = [(f"x{i}", "float") for i in range(COUNT)]
    return egad.derive(egad.traced(many, names), "primal", **options)


@pytest.mark.parametrize("math", ["strict", "safe", "fast"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_are_those_of_the_reference(math, dtype):
    f = derived(math=math, dtype=dtype)
    assert "The same statements" in f.source
    inputs = np.random.default_rng(0).normal(size=(COUNT, 200)).astype(dtype)
    tolerance = 400 * np.finfo(dtype).eps
    for got, wanted in zip(f(*inputs), f.reference(*inputs), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def test_uniform_inputs_and_truth_values():
    def f(*x):
        return [egad.select(x[-1], a, -a) * x[0] for a in x[:-1]]

    names = [*[(f"x{i}", "float") for i in range(COUNT)], ("flag", "bool")]
    g = egad.derive(egad.traced(f, names), "primal")
    assert "The same statements" in g.source
    x = np.random.default_rng(1).normal(size=(COUNT, 100)).astype(np.float32)
    flag = x[3] > 0
    for got, wanted in zip(g(0.5, *x[1:], flag), g.reference(0.5, *x[1:], flag), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_loads_come_late_and_stores_early():
    source = derived().source
    kernel = source[source.index("__kernel") :]
    loads = [m.start() for m in re.finditer(r"_value = x\d+\[i\];", kernel)]
    stores = [m.start() for m in re.finditer(r"out\d+\[i\] = ", kernel)]
    assert len(loads) == COUNT and len(stores) == len(derived().program.flat)
    first_use = kernel.index("fma(") if "fma(" in kernel else kernel.index(" * ")
    assert loads[-1] > first_use and stores[0] < kernel.rindex("const float")
    # And every value is loaded before it is used.
    for name in re.findall(r"const float (x\d+_value) =", kernel):
        assert kernel.index(f"const float {name} =") == kernel.index(name) - len("const float ")


def test_few_inputs_and_results_go_through_the_function():
    assert "The same statements" not in egad.derive(lambda x, y: x * y, "jacobian").source
