"""Constants that products share, where a factor that has one itself is needed elsewhere, too."""

import mpmath
import numpy as np
import pytest

import egad
from egad.rewrite.pipeline import task as module
from egad.rewrite.pipeline.task import Task
from egad.rewrite.regroup import by_shared_constants
from egad.rewrite.regroup.equal import same_function
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

F = Scalar.F64
A, B, C = (var(name, F) for name in "abc")


def op(name, *args):
    return Term(name, args, None, F)


def weighed():
    """Two products with the same constant, over values that have constants, in a sum besides."""
    x, y = op("mul", const(3.0, F), A), op("mul", const(7.0, F), B)
    both = [op("mul", const(9.0, F), op("mul", value, C)) for value in (x, y)]
    return op("add", x, y), *both


def test_constants_of_factors_stay_with_them():
    """`9*(x*c)` and `9*(y*c)` are `x*(9*c)` and `y*(9*c)` for an x = 3*a that is there anyway."""
    flat = weighed()
    pairs = dict(by_shared_constants(flat))
    assert set(pairs) == set(flat[1:])
    assert all(same_function(old, new) for old, new in pairs.items())
    products = [t for t in toposort([flat[0], *pairs.values()]) if t.op == "mul"]
    assert len(products) == 5 < len([t for t in toposort(flat) if t.op == "mul"])


def test_without_such_factors_there_is_nothing_to_share():
    """Products that one value uses are taken apart, as in all other groups."""
    assert by_shared_constants([op("mul", const(9.0, F), op("mul", A, C))]) == []
    alone = op("mul", const(3.0, F), A)
    assert by_shared_constants([op("mul", alone, C), op("mul", alone, alone)]) == []


def luminance(r: float, g: float, b: float) -> float:
    """How far the tone of a colour in sRGB is from grey, after Reinhard."""
    light = 0.0
    for value, weight in ((r, 0.2126), (g, 0.7152), (b, 0.0722)):
        light = light + weight * egad.exp(2.4 * egad.log((value + 0.055) / 1.055))
    tone = light / (1.0 + light)
    return (tone - 0.4) * (tone - 0.4)


def exact(r, g, b):
    """The same in 50 digits."""
    weights = [(r, "0.2126"), (g, "0.7152"), (b, "0.0722")]
    light = sum(
        mpmath.mpf(w) * ((v + mpmath.mpf("0.055")) / mpmath.mpf("1.055")) ** mpmath.mpf("2.4")
        for v, w in weights
    )
    return (light / (1 + light) - mpmath.mpf("0.4")) ** 2


def test_a_colour_needs_one_constant_less_for_each_channel(monkeypatch):
    """And its gradient is that of 50 digits."""
    found = egad.derive(luminance, "value_and_grad", dtype="float64", cache=False)
    monkeypatch.setattr(Task, "weighed", lambda *_: None)
    before = egad.derive(luminance, "value_and_grad", dtype="float64", cache=False)
    assert found.report.cost_after <= before.report.cost_after - 2
    for point in ((0.2, 0.5, 0.7), (0.9, 0.04, 0.3), (0.01, 0.6, 0.99)):
        with mpmath.workdps(50):
            at = [mpmath.mpf(x) for x in point]
            want = [mpmath.diff(exact, at, tuple(int(i == k) for k in range(3))) for i in range(3)]
        gradient = found(*point)[1]
        np.testing.assert_allclose(np.ravel(gradient), [float(w) for w in want], rtol=1e-12)


@pytest.mark.parametrize("math", ["strict", "safe"])
def test_bits_are_kept_where_they_have_to_be(math):
    """In strict mode products stay in the order in which they were written."""
    derived = egad.derive(luminance, "value_and_grad", math=math, cache=False)
    forms = [one.ended for one in derived.report.rounds]
    assert ("constants that products share" in forms) == (math == "safe")


def test_products_that_would_be_made_of_each_other_stay(monkeypatch):
    """Whatever pairs there are: a program is no circle."""

    def circular(flat):
        products = [t for t in toposort(flat) if t.op == "mul"]
        one, other = products[-1], products[-2]
        return [(one, op("mul", other, A)), (other, op("mul", one, A))]

    monkeypatch.setattr(module, "by_shared_constants", circular)
    plain = egad.derive(luminance, "value_and_grad", dtype="float64", cache=False)
    monkeypatch.setattr(Task, "weighed", lambda *_: None)
    other = egad.derive(luminance, "value_and_grad", dtype="float64", cache=False)
    assert plain.source == other.source
