"""What a function returns under names is there under these names."""

import pickle

import numpy as np
import pytest

import egad
from egad import derive, diff_pair
from egad.terms.errors import TraceError


def quote(spot: float, deviation: float) -> dict[str, float]:
    found = {"price": spot * deviation}
    if spot > 1.0:
        found["delta"] = deviation * deviation
    else:
        found["delta"] = spot
    found["point"] = egad.float2(spot, deviation)
    return found


@pytest.mark.numbers
@pytest.mark.parametrize("way", ["kernel", "reference"])
@pytest.mark.parametrize("point", [(2.0, 3.0), (0.5, 3.0)])
def test_entries_are_results(way, point):
    primal = derive(quote, "primal", dtype="float64")
    found, want = (primal if way == "kernel" else primal.reference)(*point), quote(*point)
    assert list(found.keys()) == ["price", "delta", "point"]
    assert dict(found)["price"] == found["price"] == found.price == found[0] == want["price"]
    assert found["delta"] == want["delta"]
    np.testing.assert_array_equal(found["point"], point)


def test_their_derivatives_have_the_names():
    a, b = 2.0, 3.0
    pairs = derive(quote, "fwd", dtype="float64")(diff_pair(a, 1.0), diff_pair(b, 0.0))
    assert (pairs["price"].d, pairs["delta"].d) == (b, 0.0)
    rows = derive(quote, "jacobian", dtype="float64")(a, b)
    assert (*rows["price"],) == (b, a) and (*rows["delta"],) == (0.0, 2 * b)
    back = derive(quote, dtype="float64")
    assert "price_bar" in back.source
    assert (*back(a, b, 0.5, 2.0, (1.0, 10.0)),) == (0.5 * b + 1.0, 0.5 * a + 4 * b + 10.0)


def test_each_return_may_begin_with_another_key():
    def f(x: float):
        if x > 0:
            return {"up": x, "down": 2 * x}
        return {"down": -x, "up": x * x}

    primal = derive(f, "primal", dtype="float64")
    assert dict(primal(2.0)) == f(2.0) and dict(primal(-3.0)) == f(-3.0)


def test_results_are_asked_by_name():
    found = derive(quote, "primal")(2.0, 3.0)
    assert found[:2] == (6.0, 9.0) and pickle.loads(pickle.dumps(found))["delta"] == 9.0
    with pytest.raises(KeyError, match="Results has no 'gamma'; it has price, delta, point"):
        found["gamma"]


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f",
    [
        lambda x: {"alone": x},
        lambda x: {"two words": x, "b": x},
        lambda x: {1: x, 2: x},
        lambda x: {"a": x, "inner": {"b": x}},
    ],
)
def test_what_names_no_results_is_said(f):
    with pytest.raises(TraceError, match="returns a dictionary"):
        derive(f)
