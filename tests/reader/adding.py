"""Functions that change arrays of their module, as they should and as they should not."""

# ruff: noqa: F403, F405

import numpy as np

from egad import *

WRONG = []

total = [0.0, 0.0, 0.0]
grid = np.zeros((2, 3))
counts = np.zeros(3, dtype=int)
large = np.zeros(5000)
names = ["a", "b"]


def wrong(function):
    WRONG.append(function)
    return function


def ruled(rule):
    """A function with this backward rule."""

    def target(x: float, i: int) -> float:
        return x * x

    return custom_bwd(rule)(target)


@wrong
def changes_a_captured_list(x: float) -> float:
    total[0] = x
    return x * x


@wrong
def adds_without_being_a_rule(x: float) -> float:
    total[0] += x
    return x * x


def helper(x: float, i: int):
    total[i] += x


@wrong
def changes_it_in_a_helper(x: float) -> float:
    helper(x, 1)
    return x * x


@ruled
def reads(x, i, d):
    total[i] += d * total[0]
    return (d, None)


@wrong
def rule_that_reads(x: float) -> float:
    return reads(x, 0)


@ruled
def reads_what_it_stores(x, i, d):
    total[i] = d * total[0]
    return (d, None)


@wrong
def rule_that_reads_what_it_stores(x: float) -> float:
    return reads_what_it_stores(x, 0)


@ruled
def stores_and_helps(x, i, d):
    total[i] = d
    helper(d, i)
    return (d, None)


@wrong
def rule_that_stores_and_adds(x: float) -> float:
    return stores_and_helps(x, 0)


@ruled
def scales(x, i, d):
    total[i] *= d
    return (d, None)


@wrong
def rule_that_scales(x: float) -> float:
    return scales(x, 0)


@ruled
def adds_to_integers(x, i, d):
    counts[i] += d
    return (d, None)


@wrong
def rule_over_integers(x: float) -> float:
    return adds_to_integers(x, 0)


@ruled
def adds_to_names(x, i, d):
    names[i] += d
    return (d, None)


@wrong
def rule_over_names(x: float) -> float:
    return adds_to_names(x, 0)


@ruled
def adds_to_large(x, i, d):
    large[i] += d
    return (d, None)


@wrong
def rule_over_a_large_array(x: float) -> float:
    return adds_to_large(x, 0)


@ruled
def adds(x, i, d):
    total[i] += d
    total[i] = total[i] - 0.25 * d
    grid[1][i] = x * d + grid[1][i]
    return (2 * x * d, None)


@wrong
def derivative_inside(x: float) -> float:
    return bwd_diff(lambda y: adds(y, 0))(x, 1.0)[0]


def weighted(x: float, n: int) -> float:
    s = 0.0
    for k in range(4):
        if k < n:
            s = s + adds(x, k % 3) * (k + 1)
    return s


@struct
class View:
    start: int

    def accumulate(self, i: int, value: float) -> None:
        total[self.start + i] += value


@ruled
def adds_in_others(x, i, d):
    helper(0.5 * d, i)
    View(1).accumulate(i, d)
    return (2 * x * d, None)


def shared(x: float) -> float:
    return adds_in_others(x, 0) + 3 * adds_in_others(x, 1)


@ruled
def stores(x, i, d):
    total[i] = 2 * d
    for j in range(2):
        if d > 0:
            grid[j][i] = d * j + 1
    return (2 * x * d, None)


def stored(x: float, k: int) -> float:
    return stores(x, k) + 3 * stores(x, k + 1)
