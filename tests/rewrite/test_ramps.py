"""A number beside a square under a root: far out, where the square is infinite, and near by."""

import math

import numpy as np
import pytest
from far import right_to_second_order

from egad import derive

FAR = {"float16": 300.0, "float32": 1e25, "float64": 1e200}  # squares overflow
LIMIT = {"float32": 1e-6, "float64": 1e-14}
NEAR = {"float16": 6e-3, "float32": 1e-6, "float64": 1e-14}  # 1/256 is little beside 1


def unit(x: float) -> float:
    return x / math.sqrt(1.0 + x * x)


def multiple(x: float, a: float) -> float:
    return a * x / math.sqrt(x * x + 0.5)


def smooth_abs(x: float, y: float) -> float:
    """Charbonnier's loss, of whose second derivative single precision had lost 5 % at 1."""
    return math.sqrt((x - y) ** 2 + 1e-6)


def excess(x: float) -> float:
    return math.sqrt(1.0 + x * x) - 1.0


def pseudo_huber(x: float, d: float) -> float:
    return d * d * (math.sqrt(1.0 + (x / d) ** 2) - 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (unit, [(0.0,), (1e-6,), (0.3,), (-2.0,), (300.0,), (-1e5,)]),
        (multiple, [(0.0, 1.3), (0.3, 1.3), (-2.0, 1.3), (300.0, 1.3)]),
        (smooth_abs, [(0.0, 1.0), (0.1, 1.0), (1.0, 1.0), (1e-4, 0.0), (300.0, 1.0)]),
        (excess, [(0.0,), (1e-6,), (0.3,), (-2.0,), (300.0,), (-1e5,)]),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_all_digits_to_second_order(f, points, dtype):
    right_to_second_order(f, points, dtype, limit=LIMIT[dtype], least=1e-37)


@pytest.mark.numbers
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("dtype", FAR)
def test_slopes_do_not_vanish_where_squares_are_infinite(dtype, side):
    """Slopes were 0, and so were x/sqrt(1 + x*x) and the loss; half precision is there at 256."""
    x, limit = side * FAR[dtype], NEAR[dtype]
    for call in ("__call__", "reference"):
        value, slopes = getattr(derive(unit, "value_and_grad", dtype=dtype), call)(x)
        assert [value, *slopes] == pytest.approx([x / math.hypot(1.0, x), 0.0], rel=limit, abs=1e-7)
        found = getattr(derive(smooth_abs, "bwd", dtype=dtype), call)(x, 1.0, 1.0)
        assert [*found] == pytest.approx([side, -side], rel=limit)
        value, slopes = getattr(derive(excess, "value_and_grad", dtype=dtype), call)(x)
        assert [value, *slopes] == pytest.approx([math.hypot(1.0, x) - 1.0, side], rel=limit)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", FAR)
def test_a_loss_by_its_scale(dtype):
    """d*d*(hypot(x/d, 1) - 1) is |x|*d - d*d, and its slope by d |x| - 2*d, both rounded."""
    x = FAR[dtype]
    value, slopes = derive(pseudo_huber, "value_and_grad", dtype=dtype)(x, 0.75)
    want = [0.75 * x - 0.75**2, 0.75, x - 2 * 0.75]
    assert [value, *slopes] == pytest.approx(want, rel=NEAR[dtype])


def test_first_derivatives_of_a_reciprocal_cost_what_they_did():
    def reciprocal(x: float) -> float:
        return 1.0 / math.sqrt(1.0 + x * x)

    text = derive(reciprocal, "bwd").source
    assert "INFINITY" not in text and "INFINITY" in derive(unit, "value_and_grad").source
    assert np.isfinite(derive(reciprocal, "bwd")(1e25, 1.0).x)
