"""What states of loops depend on in any number of steps, against Warshall's closure."""

import random

import pytest

from egad.rewrite.loops.closure import bits, closed


def warshall(masks):
    found = list(masks)
    for k in range(len(found)):
        for j, mask in enumerate(found):
            if mask >> k & 1:
                found[j] |= found[k]
    return found


@pytest.mark.parametrize("part", [0.04, 0.15, 0.3, 0.6])
def test_closures_are_warshalls(part):
    rng = random.Random(7)
    for _ in range(400):
        count = rng.randint(0, 14)
        inputs = 3  # bits that stand for nothing that depends on something
        masks = [
            sum(1 << i for i in range(count + inputs) if rng.random() < part) for _ in range(count)
        ]
        assert closed(masks) == warshall(masks)


def test_bits_are_those_of_the_number():
    for mask in (0, 1, 6, 1 << 70, (1 << 70) - 3):
        assert list(bits(mask)) == [k for k in range(80) if mask >> k & 1]


@pytest.mark.parametrize(
    ("depends", "reached"),
    [
        (lambda j, n: 1 << (j + 1) % n, lambda j, n: (1 << n) - 1),
        (lambda j, n: 1 << j >> 1, lambda j, n: (1 << j) - 1),
        (lambda j, n: (1 << j) - 1, lambda j, n: (1 << j) - 1),
        (lambda j, n: (1 << n) - (1 << j), lambda j, n: (1 << n) - (1 << j)),
    ],
    ids=["ring", "chain", "all before", "all after"],
)
def test_thousands_are_closed(depends, reached):
    """Warshall's closure would need some seconds for each of these."""
    count = 6000
    masks = [depends(j, count) for j in range(count)]
    assert closed(masks) == [reached(j, count) for j in range(count)]
