"""What the header of an exported kernel says of the entries of a matrix is where they stand."""

import re

import numpy as np
import pytest

import egad
from egad import Array, derive, float3
from egad.codegen.host.reference import evaluate


@egad.struct
class Lens:
    k: int
    f: float
    centre: float3


def scene(n: int, x: float, lens: Lens, w: Array[float, 2]) -> float:
    c = lens.centre
    return (
        egad.sin(x * lens.f) * c.x + c.y**2 * c.z * w[0] + x**3 * w[1] ** 2 + lens.k * n * x * w[0]
    )


def bends(x: float, lens: Lens, w: Array[float, 2]) -> tuple[float, float3]:
    return x * w[0] * lens.f, lens.centre * (w[1] * x) + float3(x * x, w[0] ** 2, lens.k)


INPUTS = {"n": 2, "x": 0.7, "lens.k": 3, "lens.f": 1.3, "w[0]": -0.4, "w[1]": 0.9}
INPUTS |= {"lens.centre.x": 0.2, "lens.centre.y": -1.1, "lens.centre.z": 0.6, "out_bar": 1.0}


def columns(source):
    """The names of the components that the header gives, in order."""
    head = " ".join(line.strip(" *") for line in source.partition("*/")[0].splitlines())
    names = re.search(r"Entries: .*?(?: over|:) ([\w.\[\], ]+)\. ", head)[1]
    return names.split(", ")


def at(derived, name="", step=0.0):
    """The numbers that a program gives, one of its inputs moved by a step."""
    given = {p: INPUTS[p] for slot in derived.program.params for p in slot.paths()}
    if name:
        given[name] += step
    return np.array([float(v) for v in evaluate(derived.program, derived.rules, given)])


def slopes(derived, names, step=1e-6):
    """A row for each result, a column for each name, by central differences."""
    pairs = [[at(derived, name, move) for move in (step, -step)] for name in names]
    return np.array([(up - down) / (2 * step) for up, down in pairs]).T


@pytest.mark.parametrize("wrt", [None, ["x", "lens"], ["w", "x"]], ids=str)
def test_entries_of_a_hessian(wrt):
    derived = derive(scene, "hessian", wrt=wrt, dtype="float64")
    names = columns(derived.source)
    gradient = derive(scene, "bwd", wrt=wrt, dtype="float64")
    real = [not p.endswith(".k") for slot in gradient.program.results for p in slot.paths()]
    expected = slopes(gradient, names)[real]
    assert expected.shape == (len(names), len(names))
    upper = expected[np.triu_indices(len(names))]
    np.testing.assert_allclose(at(derived), upper, rtol=1e-7, atol=1e-7)


def test_entries_of_a_jacobian():
    derived = derive(bends, "jacobian", dtype="float64")
    names = columns(derived.source)
    assert names == ["x", "lens.f", *[f"lens.centre.{c}" for c in "xyz"], "w[0]", "w[1]"]
    expected = slopes(derive(bends, "primal", dtype="float64"), names)
    results, parameters = np.split(expected, [1]), [1, 5]  # a number and a vector; x, lens, w
    blocks = [b.ravel() for rows in results for b in np.split(rows, parameters, axis=1)]
    np.testing.assert_allclose(at(derived), np.concatenate(blocks), rtol=1e-7, atol=1e-7)


def test_many_components_are_the_first_and_the_last():
    def energy(w: Array[float, 30], x: float) -> float:
        return w[0] * x + w[29] ** 2

    source = derive(energy, "hessian", optimize="fast").source
    assert columns(source.replace(" ... ", ", ")) == ["w[0]", "w[29]", "x"]
