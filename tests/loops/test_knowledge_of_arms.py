"""What one arm of a choice says of an array says nothing of the other arm."""

import numpy as np

from egad import derive


def moved(x: float, a: int, b: int) -> float:
    p = [1, 0, 5, 1, 6, 1, 1, -3, 1]
    y = x
    for k in range(9):
        y = y * (1.0 + p[k % 9] / 4.0)
        if a > 0:
            p[b % 9] = p[a % 9]
    return y


def test_a_place_that_one_arm_writes_over_is_not_undone():
    """f is linear in x: its gradient is f(1)."""
    backward = derive(moved, "bwd", dtype="float64")
    a, b = (axis.ravel() for axis in np.meshgrid([1, 2, -1, 9], [0, 3, 8]))
    want = [moved(1.0, *case) for case in zip(a.tolist(), b.tolist(), strict=True)]
    np.testing.assert_allclose(backward.reference(np.full(12, 0.5), a, b, 1.0).x, want, rtol=1e-13)
    np.testing.assert_allclose(backward(np.full(12, 0.5), a, b, 1.0).x, want, rtol=1e-13)


def least(x: float, a: int) -> float:
    """Begins with numbers below 0 alone, which have no low bits to be found."""
    n, y = -2147483647 ^ (a & 0), x
    for _ in range(5):
        y = y * (1.0 + (n % 1021) / 4096.0)
        n = ~n
    return y


def halved(x: float, n: int) -> float:
    for _ in range(3):
        x = x * (1.0 + (n % 1021) / 4096.0)
        n //= 6
    return x


def test_the_least_integers():
    """They are divided as Python divides them, and begin loops."""
    for f, cases in ((least, [0, 7]), (halved, [-(2**31), 1 - 2**31, -7, -1, 0, 6, 2**31 - 1])):
        backward = derive(f, "bwd", dtype="float64")
        want = [f(1.0, n) for n in cases]
        given = np.full(len(cases), 0.5), np.array(cases, np.int32), 1.0
        np.testing.assert_allclose(backward.reference(*given).x, want, rtol=1e-13)
        np.testing.assert_allclose(backward(*given).x, want, rtol=1e-13)
