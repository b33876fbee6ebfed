"""Backward rules that add to arrays of their module."""

import adding
import numpy as np
import pytest

import egad
from egad.terms.errors import EgadError


@pytest.fixture(autouse=True)
def nothing_added():
    adding.total[:] = [0.0, 0.0, 0.0]
    adding.grid[:] = 0.0


def text(function):
    with pytest.raises(EgadError) as caught:
        egad.derive(function, "bwd")
    assert caught.value.at is not None
    return f"{function.__name__}\n{caught.value}".replace(adding.__file__, "adding.py")


def test_error_texts(golden):
    golden("adding.txt", "\n\n".join(text(f) for f in adding.WRONG) + "\n")


def added(x, n):
    """What the rules of `weighted` add, by hand."""
    total, grid = np.zeros(3), np.zeros((2, 3))
    for k in range(n):
        total[k % 3] += 0.75 * (k + 1)
        grid[1, k % 3] += x * (k + 1)
    return total, grid


@pytest.mark.parametrize("way", ["kernel", "reference"])
@pytest.mark.parametrize("mode", ["bwd", "value_and_grad"])
def test_rules_in_a_loop_and_a_branch(mode, way):
    derived = egad.derive(adding.weighted, mode, dtype="float64")
    call = derived if way == "kernel" else derived.reference
    found = call(1.5, 3, *([1.0] if mode == "bwd" else []))
    gradient = found[1] if mode == "value_and_grad" else found
    assert gradient.x == pytest.approx(2 * 1.5 * 6)
    total, grid = added(1.5, 3)
    np.testing.assert_allclose(adding.total, total)
    np.testing.assert_allclose(adding.grid, grid)
    assert all(isinstance(value, float) for value in adding.total)


def test_a_rule_may_add_in_what_it_calls():
    """In a function of its module, and in a method."""
    assert egad.derive(adding.shared, "bwd")(2.0, 1.0).x == 4 * 2.0 * 2
    assert adding.total == [0.5, 1.0 + 1.5, 3.0]


@pytest.mark.numbers
@pytest.mark.parametrize("way", ["kernel", "reference"])
def test_a_rule_may_store(way):
    """The element has the value afterwards, whatever it was; the others stay."""
    adding.total[:] = [7.0, 7.0, 7.0]
    adding.grid[:] = 7.0
    derived = egad.derive(adding.stored, "bwd")
    call = derived if way == "kernel" else derived.reference
    for _ in range(2):
        assert call(2.0, 1, 1.0).x == 4 * 2.0 * 2
        assert adding.total == [7.0, 2.0, 6.0]
        np.testing.assert_array_equal(adding.grid, [[7.0, 1.0, 1.0], [7.0, 2.0, 4.0]])
    call(2.0, 0, -1.0)
    assert adding.total == [-2.0, -6.0, 6.0]
    np.testing.assert_array_equal(adding.grid, [[7.0, 1.0, 1.0], [7.0, 2.0, 4.0]])


def test_two_stores_to_one_element_are_an_error():
    derived = egad.derive(adding.stored, "bwd")
    with pytest.raises(egad.DeviceError, match=r"element \[1\] of 'total' is stored to 2 times"):
        derived(2.0, np.array([0, 1]), 1.0)
    assert adding.total == [0.0, 0.0, 0.0]


def test_a_batch_adds_the_sum():
    derived = egad.derive(adding.weighted, "bwd", dtype="float64")
    xs, ns = np.linspace(-1.0, 2.0, 7), np.array([0, 1, 2, 3, 4, 4, 2])
    derived(xs, ns, 1.0)
    pairs = [added(x, n) for x, n in zip(xs, ns, strict=True)]
    np.testing.assert_allclose(adding.total, sum(total for total, _ in pairs))
    np.testing.assert_allclose(adding.grid, sum(grid for _, grid in pairs))


@pytest.mark.parametrize("mode", ["primal", "jacobian", "hessian"])
def test_other_modes_add_nothing(mode):
    egad.derive(adding.weighted, mode, dtype="float64").reference(1.5, 3)
    assert adding.total == [0.0, 0.0, 0.0]


def test_an_array_that_has_changed_its_shape_is_refused():
    derived = egad.derive(adding.weighted, "bwd")
    adding.total.append(0.0)
    try:
        with pytest.raises(egad.DeviceError, match="'total', which a rule adds to"):
            derived(1.5, 3, 1.0)
    finally:
        adding.total.pop()
