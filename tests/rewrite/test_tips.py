"""Hessians where a norm or an absolute value is 0, against differences with many digits."""

import math

import numpy as np
import precise
import pytest

from egad import derive, float3, length
from egad.rewrite.derivation import tips


def matern32(x: float, y: float) -> float:
    r = math.sqrt(3.0) * math.sqrt(x * x + y * y)
    return (1 + r) * math.exp(-r)


def matern52(x: float, y: float) -> float:
    r = math.sqrt(5.0) * math.hypot(x, y)
    return (1 + r + r * r / 3) * math.exp(-r)


def bell(x: float, y: float) -> float:
    r = math.sqrt(x * x + y * y)
    return math.exp(-r * r / 2)


def huber(x: float, y: float) -> float:
    r = math.sqrt(x * x + y * y)
    return 0.5 * r * r if r < 1 else r - 0.5


def wave(x: float, y: float) -> float:
    return y * y * math.cos(math.sqrt(x * x + y * y)) + math.cosh(math.sqrt(x * x + y * y))


def between_signs(x: float, y: float) -> float:
    return (1 + abs(x - y)) * math.exp(-abs(x - y))


def cross_entropy(x: float, y: float) -> float:
    return max(x, 0.0) - 0.3 * x + math.log(1 + math.exp(-abs(x))) + y * y


def robust(x: float, y: float) -> float:
    return abs(x) - math.log(1 + abs(x)) + abs(x * y) ** 3


def norm_of_a_norm(x: float, y: float) -> float:
    r = math.hypot(x, y)
    return math.hypot(r * r, 2 * r) ** 2


def steep(x: float, y: float) -> float:
    return (x * x + y * y) ** 1.5 + (3 * x * x + y * y) ** 1.75


SMOOTH = (matern32, matern52, bell, huber, wave, between_signs, cross_entropy, robust,
          norm_of_a_norm, steep)  # fmt: skip


@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("f", SMOOTH, ids=lambda f: f.__name__)
def test_what_is_smooth_at_a_tip_has_its_second_derivative_there(f, effort):
    hessian = derive(f, "hessian", dtype="float64", optimize=effort)
    product = derive(f, "hvp", dtype="float64", optimize=effort)
    for x, y in ((0.0, 0.0), (0.75, -0.25)):
        point = {"x": x, "y": y}
        want = np.array(precise.hessian(hessian.primal.flat[0], point, ["x", "y"]))
        for found in (hessian.reference(x, y), hessian(x, y)):
            assert np.array(found) == pytest.approx(want, rel=1e-10, abs=1e-10)
        for found in (product.reference(x, y, 2.0, -1.0), product(x, y, 2.0, -1.0)):
            assert np.array(found) == pytest.approx(want @ [2.0, -1.0], rel=1e-10, abs=1e-10)


def test_vectors_of_any_length():
    def f(v: float3, s: float) -> float:
        r = length(v)
        return s * (1 + r) * math.exp(-r)

    found = derive(f, "hessian", dtype="float64").reference([0.0, 0.0, 0.0], 2.0)
    assert np.array_equal(found.v.v, -2 * np.eye(3))
    assert np.array_equal(found.v.s, np.zeros(3))


@pytest.mark.numbers
@pytest.mark.parametrize("f", [lambda x, y: math.hypot(x, y), lambda x, y: 2 * abs(x) + y])
def test_a_cone_has_none_and_no_slope_at_its_tip(f):
    assert np.array_equal(derive(f, "hessian")(0.0, 0.0), np.zeros((2, 2)))
    assert derive(f, "value_and_grad")(0.0, 0.0)[1].x == 0


def test_first_derivatives_know_nothing_of_it():
    assert "select" not in derive(between_signs, "bwd", optimize="fast").report.counts_after


def test_so_much_is_looked_at_and_no_more(monkeypatch):
    monkeypatch.setattr(tips, "_MOST", 0)
    assert derive(between_signs, "hessian", cache=False)(1.0, 1.0).x.x == 0


def test_a_cone_pays_for_no_limit():
    def spring(x: float, y: float) -> float:
        return (math.hypot(x, y) - 1.0) ** 2

    def smooth(x: float, y: float) -> float:
        r = math.hypot(x, y)
        return (r - 1.0) ** 2 + 2.0 * r

    counts = [derive(f, "hessian", optimize="fast").report.counts_before for f in (spring, smooth)]
    assert counts[0]["select"] < counts[1]["select"]
