"""Loops that cannot be bounded, and what is said about them."""

import warnings

import pytest

from egad import EgadWarning, derive, max_iters
from egad.terms.errors import TraceError


def another_one(x: float) -> float:
    i, j = 0, 0
    while i < 4:
        x = x * 2.0
        j += 1
    return x * j


def wrong_way(x: float) -> float:
    i = 0
    while i < 4:
        x = x * 2.0
        i -= 1
    return x


def uneven(x: float) -> float:
    i = 0
    while i < 5:
        i = int(x)
        i += 1
    return x


def by_value(x: float) -> float:
    while x < 100.0:
        x = x * x
    return x


def misses(x: float) -> float:
    i = 0
    while i != 5:
        x = x * x
        i += 2
    return x


def skipped(x: float) -> float:
    i = 0
    while i < 5:
        x = x * x
        if x > 3.0:
            continue
        i += 1
    return x


def both_tested(x: float) -> float:
    i = 0
    while i < 5 and x < 100.0:
        x = x * x
        i -= 1
    return x


def squares(x: float) -> float:
    i = int(x)
    while i * i < 20:
        x = x * x
        i += 1
    return x


def by_flag(x: float) -> float:
    more = True
    while more:
        x = x * x
        more = x < 9.0
    return x


def left(x: float) -> float:
    while True:
        x = x * x
        if x > 9.0:
            break
    return x


def too_many(x: float) -> float:
    max_iters(30)
    for i in range(5):
        x = x * i
    return x


def exact(x: float) -> float:
    max_iters(5)
    for i in range(5):
        x = x * i
    return x


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (another_one, "the loop tests 'i', which no trip changes; a trip changes 'x', 'j'"),
        (wrong_way, "every trip changes 'i' by -1, which does not lead to its end"),
        (misses, "every trip changes 'i' by 2, which does not lead to its end"),
        (uneven, "'i' is not seen to change by the same amount in every trip"),
        (skipped, "'i' is not seen to change by the same amount in every trip"),
        (by_value, "'x' is no integer, and only integers are counted"),
        (both_tested, "'x' is no integer, and only integers are counted"),
        (squares, "'i' by one amount, but when the condition fails does not follow from that"),
        (by_flag, "'more' is a truth value, and nothing says which trip changes it"),
        (left, "it is left by break or return, and nothing says after how many trips"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_unbounded(f, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EgadWarning)
        with pytest.raises(TraceError) as caught:
            derive(f, "bwd")
    text = str(caught.value)
    assert words in text
    assert "no bound that can be found" in text
    assert "while" in text.splitlines()[1]
    assert "max_iters(n)" in text


def test_warnings():
    with pytest.warns(EgadWarning, match="the loop tests 'i'"), pytest.raises(TraceError):
        derive(another_one, "primal")
    with pytest.warns(EgadWarning, match=r"max_iters\(30\) admits more trips than the 5"):
        derive(too_many, "bwd")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derive(exact, "bwd")
