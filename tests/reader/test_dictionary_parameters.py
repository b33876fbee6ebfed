"""Parameters that are dictionaries with names: those of the argument, in its order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NotRequired, TypedDict

import numpy as np
import pytest

from egad import DeriveError, DeviceError, derive, diff_pair


class Stage(TypedDict):
    q: float
    w: np.ndarray
    n: NotRequired[int]


@dataclass
class Model:
    weights: dict[str, np.ndarray]
    scale: float


def cost(stage: Stage, k: float) -> float:
    found = stage["q"] * k + stage["w"] @ stage["w"] + stage.get("n", 3) * k
    stage["q"] = k * k
    return found + stage["q"] + sum(1.0 for key in stage if key != "w")


def powers(p: dict[str, float], k: float) -> float:
    return sum(v ** (i + 1) for i, v in enumerate(p.values())) * k + p["a"]


def over_all(layers: list[Stage], k: float) -> float:
    for layer in layers:
        k = np.tanh(layer["w"].sum() * k + layer["q"])
    return k


def of_a_model(m: Model, k: float) -> float:
    return (m.weights["in"] * k) @ m.weights["out"] * m.scale


def doubled(p: Mapping[str, float]) -> dict[str, float]:
    return {key: 2.0 * v for key, v in p.items()}


class Layer(TypedDict):
    w: np.ndarray
    b: np.ndarray


def network(layers: list[Layer], k: float) -> float:
    h = np.array([k, 1.0])
    for layer in layers:
        h = np.tanh(layer["w"] @ h + layer["b"])
    return layers[-1]["b"][0] * h.sum()


W = np.array([0.5, -1.5])
WIDE = {"w": np.arange(6.0).reshape(3, 2) * 0.1, "b": np.arange(3.0)}
NARROW = {"w": np.arange(3.0).reshape(1, 3) * 0.3, "b": np.array([0.2])}
CASES = [
    (cost, {"q": 2.0, "w": W}),
    (cost, {"w": W, "n": 4, "q": 2.0}),
    (powers, {"a": 2.0, "b": 3.0}),
    (powers, {"b": 3.0, "a": 2.0}),
    (over_all, [{"q": 0.1, "w": W}, {"q": 0.3, "w": W * 0.7}]),
    (network, [WIDE, NARROW]),
    (of_a_model, Model({"in": W, "out": W * 2.0}, 1.5)),
]


def _copy(value, k=None, step=0.0, place=()):
    """The argument, whose number `k` is larger by a step."""
    if isinstance(value, dict):
        return {key: _copy(v, k, step, (*place, key)) for key, v in value.items()}
    if isinstance(value, list):
        return [_copy(v, k, step, (*place, i)) for i, v in enumerate(value)]
    if isinstance(value, Model):
        return Model(_copy(value.weights, k, step, (*place, "weights")), value.scale)
    return value + step if place == k else value


@pytest.mark.numbers
@pytest.mark.parametrize(("f", "arg"), CASES)
def test_values_and_gradients(f, arg):
    primal, backward = derive(f, "primal", dtype="float64"), derive(f, dtype="float64")
    for way, slopes in ((primal, backward), (primal.reference, backward.reference)):
        assert way(arg, 0.7) == pytest.approx(f(_copy(arg), 0.7), rel=1e-12)
        found = slopes(arg, 0.7, 1.0)[0]
        for place in _places(arg):
            given, got = arg, found
            for step in place:
                given = getattr(given, step) if isinstance(given, Model) else given[step]
                got = getattr(got, step) if isinstance(got, Model) else got[step]
            if isinstance(given, int):
                continue
            up, down = (f(_copy(arg, place, h), 0.7) for h in (1e-6, -1e-6))
            assert np.sum(got) == pytest.approx((up - down) / 2e-6, rel=1e-7, abs=1e-9)


def _places(value, place=()):
    """The ways to the numbers and arrays of an argument."""
    if isinstance(value, Model):
        value = {"weights": value.weights}
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    for step, item in rows:
        here = (*place, step)
        yield from _places(item, here) if isinstance(item, dict | list) else [here]


def test_gradients_have_the_keys_of_the_argument():
    found = derive(powers)({"b": 3.0, "a": 2.0}, 2.0, 1.0).p
    assert list(found) == ["b", "a"] and found == {"b": 2.0, "a": 9.0}
    assert derive(doubled, "primal")({"u": 2.0, "v": 3.0}) == (4.0, 6.0)


def test_entries_are_batches_as_numbers_are():
    found = derive(powers, dtype="float64")({"a": np.array([1.0, 2.0]), "b": 3.0}, 2.0, 1.0)
    np.testing.assert_allclose(found.p["a"], [3.0, 3.0])
    assert found.p["b"] == 24.0


def test_a_pair_is_of_whole_dictionaries():
    pair = diff_pair({"a": 2.0, "b": 3.0}, {"a": 1.0, "b": 0.0})
    assert derive(powers, "fwd")(pair, 2.0).d == 3.0
    with pytest.raises(DeviceError, match="a diff_pair inside of a dict"):
        derive(powers, "fwd")({"a": diff_pair(2.0, 1.0), "b": 3.0}, 2.0)


@pytest.mark.parametrize(
    ("f", "arg", "text"),
    [
        (cost, {"q": 2.0, "w": W, "r": 1.0}, "'stage' has a key 'r', which its annotation does"),
        (powers, {"a": 2.0, "b c": 1.0}, "'p' has a key 'b c', which is no name"),
        (powers, {"a": 2.0, 3: 1.0}, "'p' has a key 3, which is no name"),
        (powers, 2.0, "argument 'p' must be dict, not float"),
    ],
)
def test_what_is_no_such_dictionary(f, arg, text):
    with pytest.raises(DeriveError) as caught:
        derive(f, "primal")(arg, 1.0)
    assert text in caught.value.message


def test_a_typed_dictionary_of_the_function_around():
    class Local(TypedDict):
        q: float

    def squared(p: Local) -> float:
        return p["q"] * p["q"]

    assert derive(squared).reference({"q": 3.0}, 1.0).p == {"q": 6.0}
