"""Parameters that are left to their defaults, where these decide what is derived."""

import numpy as np
import pytest

from egad import derive


def springs(k: float, pairs: list[tuple[int, int]] = [(0, 1), (1, 2)]) -> float:  # noqa: B006
    x = [k, 2.0 * k, k * k]
    return sum((x[i] - x[j]) ** 2 for i, j in pairs)


WEIGHTS = np.array([1.0, 2.0, 3.0])
SCALES = [0.5]


def weighted(x: float, w: np.ndarray = WEIGHTS, *, c: list[float] = SCALES) -> float:
    return x * w.sum() + w[0] * c[0]


@pytest.mark.parametrize("f", [springs, weighted], ids=lambda f: f.__name__)
def test_the_type_is_that_of_the_default(f):
    value, slopes = derive(f, "value_and_grad", dtype="float64")(0.7)
    assert value == pytest.approx(f(0.7))
    assert slopes[0] == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6)


def test_an_argument_has_a_type_of_its_own():
    derived = derive(weighted, "primal", dtype="float64")
    assert derived(0.7, np.ones(5), c=[2.0, 3.0]) == pytest.approx(
        weighted(0.7, np.ones(5), c=[2.0])
    )
    assert derived(0.7) == pytest.approx(weighted(0.7))
