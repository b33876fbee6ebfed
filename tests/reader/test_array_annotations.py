"""`np.ndarray` and `NDArray[…]` as annotations: arrays of NumPy, as large as what is passed."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from egad import Array, InOut, derive, diff_pair, no_diff
from egad.terms.errors import DeriveError, DeviceError

pytestmark = pytest.mark.numbers


def turned(angle: float, v: np.ndarray) -> npt.NDArray[np.float64]:
    def matrix(t: float) -> np.ndarray:
        return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])

    out: np.ndarray = matrix(angle) @ v
    return out


def energy(x: np.ndarray, k: "np.ndarray | None" = None) -> float:
    return np.sum(x**2) if k is None else np.sum(k * x**2)


@dataclass
class Body:
    at: np.ndarray
    speed: npt.NDArray[np.float64]
    mass: float = 1.0

    def moved(self, force: np.ndarray, dt: float) -> "Body":
        speed = self.speed + force / self.mass * dt
        return Body(self.at + speed * dt, speed, self.mass)


class Layer:
    def __init__(self, weights: np.ndarray, bias: np.ndarray):
        self.weights = weights
        self.bias = bias

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.tanh(self.weights @ x + self.bias)


def after(body: Body, k: float) -> float:
    for _ in range(3):
        body = body.moved(-k * body.at, 0.1)
    return body.at @ body.at


def through(layer: Layer, x: np.ndarray) -> float:
    return layer(x).sum()


def twice_in_place(x: np.ndarray) -> None:
    x *= 2.0
    x[0] = 1.0


def slopes(f, *args):
    """Central differences of a function of arrays, one array for each of them."""
    found = []
    for k, arg in enumerate(args):
        steps = []
        for e in np.eye(arg.size).reshape(-1, *arg.shape) * 1e-6:
            up, down = (f(*args[:k], arg + s * e, *args[k + 1 :]) for s in (1, -1))
            steps.append((up - down) / 2e-6)
        found.append(np.array(steps).reshape(arg.shape))
    return found


def test_the_gradient_has_the_shape_of_the_argument():
    gradient = derive(energy, dtype="float64")
    for shape in ((3,), (2, 3), (1,)):
        x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
        np.testing.assert_allclose(gradient(x, 1.0).x, 2 * x)
    assert len(gradient.members) == 3
    np.testing.assert_allclose(gradient([1.0, 2.0], 1.0).x, [2.0, 4.0])
    np.testing.assert_allclose(gradient(np.arange(3), 1.0).x, [0.0, 2.0, 4.0])


def test_results_and_helpers():
    v = np.array([1.5, -0.5])
    np.testing.assert_allclose(derive(turned, "primal", dtype="float64")(0.3, v), turned(0.3, v))
    found = derive(turned, "fwd", dtype="float64")(diff_pair(0.3, 1.0), v).d
    np.testing.assert_allclose(found, turned(0.3 + np.pi / 2, v))


def test_in_structs_and_classes():
    at, speed = np.array([1.0, 0.5]), np.array([-0.3, 0.2])
    found = derive(after, dtype="float64")(Body(at, speed, 2.0), 1.5, 1.0).body
    want = slopes(lambda a, b: after(Body(a, b, 2.0), 1.5), at, speed)
    np.testing.assert_allclose([found.at, found.speed], want, rtol=1e-6)
    weights, bias, x = np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([0.5, 0.1]), at
    found = derive(through, dtype="float64")(Layer(weights, bias), x, 1.0)
    want = slopes(lambda w, b, x: through(Layer(w, b), x), weights, bias, x)
    for got, expected in zip((found.layer.weights, found.layer.bias, found.x), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_an_array_changed_in_place_is_a_result():
    x = np.arange(3.0)
    changed = derive(twice_in_place, "primal", dtype="float64")(x)
    twice_in_place(x)
    np.testing.assert_array_equal(changed, x)


def test_the_numbers_are_those_of_the_annotation():
    def picked(n: npt.NDArray[np.int32], x: npt.NDArray[np.float32], y: float) -> float:
        return y * x[0] * (n[1] // 2)

    assert derive(picked, dtype="float64")(np.array([1, 5]), [3.0], 2.0, 1.0) == ([4.0], 6.0)
    with pytest.raises(DeviceError, match=r"a real number does not convert to int32"):
        derive(picked)(np.array([1.0, 5.0]), [3.0], 2.0, 1.0)


def test_a_type_that_is_given_makes_batches():
    gradient = derive(energy, types={"x": Array[float, 2]}, dtype="float64")
    np.testing.assert_allclose(gradient(np.ones((4, 2)), 1.0).x, 2 * np.ones((4, 2)))


def doubled_positive(x: npt.ArrayLike) -> "float | np.ndarray":
    return 2.0 * np.maximum(x, 0.0)


def of_either(x: float | np.ndarray, k: float) -> float:
    return k * np.sum(doubled_positive(x)) + doubled_positive(k)


def test_a_number_or_an_array_is_what_the_argument_is():
    gradient = derive(of_either, dtype="float64")
    found = gradient(np.array([1.0, -1.0, 3.0]), 2.0, 1.0)
    np.testing.assert_array_equal(found.x, [4.0, 0.0, 4.0])
    assert found.k == 10.0
    assert gradient(3.0, 2.0, 1.0) == (4.0, 8.0)


def scaled_in_place(x: InOut[np.ndarray], by: no_diff[np.ndarray]) -> None:
    x *= by


def first_times(pair: tuple[np.ndarray, list[float], float], k: float) -> float:
    return pair[0].sum() * pair[1][0] * pair[2] * k


def test_inside_of_other_annotations():
    by = np.array([2.0, 3.0])
    (found,) = derive(scaled_in_place, dtype="float64")(np.ones(2), by, np.array([1.0, 5.0]))
    np.testing.assert_array_equal(found, [2.0, 15.0])
    found = derive(first_times, dtype="float64")((np.ones(2), [3.0], 4.0), 1.0, 1.0)
    np.testing.assert_array_equal(found.pair[0], [12.0, 12.0])
    assert found.pair[1:] == ([8.0], 6.0) and found.k == 24.0
    with pytest.raises(DeriveError, match=r"argument 'pair' has 3 items, not 2"):
        derive(first_times)((np.ones(2), 4.0), 1.0, 1.0)


def layer(size):
    """Only annotations name `size`, so no closure has it."""

    def f(w: Array[float, size, size], x: no_diff[Array[float, size]]) -> Array[float, size]:
        return np.tanh(w @ x)

    return f


@pytest.mark.parametrize("size", [2, 3])
def test_lengths_that_only_annotations_name(size):
    w, x = np.arange(size * size).reshape(size, size) / 9, np.linspace(0.1, 0.7, size)
    found = derive(layer(size), "jacobian", dtype="float64")(w, x).w
    slope = 1 - np.tanh(w @ x) ** 2
    want = np.einsum("i,j,ik->ikj", slope, x, np.eye(size))
    np.testing.assert_allclose(np.reshape(found, (size, size, size)), want, rtol=1e-14)


REFUSED = {
    "a number": (2.0, r"argument 'x' must be an array that has elements, not float"),
    "nothing": (np.zeros(0), r"must be an array that has elements, not one of shape \(0,\)"),
    "rows of several lengths": ([[1.0], [1.0, 2.0]], r"has rows of several lengths"),
    "a module": (np, r"must be an array that has elements, not module"),
    "text": (np.array(["a"]), r"text does not convert to float32"),
}


@pytest.mark.parametrize(("given", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(given, message):
    with pytest.raises((DeriveError, DeviceError), match=message):
        derive(energy)(given, 1.0)
