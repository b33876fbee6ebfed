"""Programs that look up known numbers at places that only the kernel knows."""

import math
from functools import partial

import numpy as np

from egad import max_iters

SHUFFLED = [(7 * k * k + 3 * k + 5) % 31 for k in range(32)]
HEIGHTS = tuple(math.sin(1.3 * k) + 0.1 * k for k in range(12))
CURVE = np.array([0.5 * k * k - k for k in range(9)])
GRID = np.array([[math.cos(2.0 * i + 0.7 * j) for j in range(5)] for i in range(4)])
SLOPES = [
    (1, 1, 0),
    (-1, 1, 0),
    (1, -1, 0),
    (-1, -1, 0),
    (1, 0, 1),
    (-1, 0, 1),
    (1, 0, -1),
    (0, 1, 1),
]
OPEN = [k % 3 != 0 for k in range(10)]
MIXED = [1, 2.5, 3, -4, 5, 6, 0.125, 8, 9]


def an_integer_leads_to_the_next(x: float, y: float) -> float:
    i = math.floor(x * 5) & 15
    return y * SHUFFLED[SHUFFLED[i] + 1] + x


def between_two(x: float, y: float) -> float:
    place = min(max(x, 0.0), 10.5)
    i = int(place)
    return (HEIGHTS[i] + (HEIGHTS[i + 1] - HEIGHTS[i]) * (place - i)) * y


def an_array(x: float, y: float) -> float:
    i = int(np.floor(x)) % 9
    return CURVE[i] * y + CURVE[i - 1] * x


def rows_and_columns(x: float, y: float) -> float:
    i, j = math.floor(x) & 3, math.floor(y * 3) % 5
    return GRID[i, j] * x + GRID[i][j - 2] * y


def a_row(x: float, y: float) -> float:
    a, b, c = SLOPES[math.floor(x * 3) & 7]
    return a * x + b * y + c


def from_the_end(x: float, y: float) -> float:
    return HEIGHTS[-1 - (math.floor(x) & 7)] * y


def truths(x: float, y: float) -> float:
    return x * y if OPEN[math.floor(x) % 10] else x - y


def integers_and_reals(x: float, y: float) -> float:
    return MIXED[math.floor(x) % 9] * y


def weights_of_a_loop(x: float, y: float, n: int) -> float:
    total = 0.0
    max_iters(15)
    for k in range(n):
        total = total * x + HEIGHTS[k % 12] * y
    return total


def a_list_that_changes(x: float, y: float, n: int) -> float:
    kept = [0.5 * k for k in range(12)]
    max_iters(15)
    for k in range(n):
        kept[(k * 5) % 12] += x * kept[k % 12]
    return kept[3] * y + kept[8] + HEIGHTS[n % 12]


def an_array_that_changes(x: float, y: float, n: int) -> float:
    kept = CURVE.copy()
    max_iters(15)
    for k in range(n):
        kept[k % 9] = kept[(k + 4) % 9] * x + y
    return kept.sum() + CURVE[n % 9]


def a_table_is_begun_anew_in_every_trip(x: float, y: float, n: int) -> float:
    total = 0.0
    max_iters(15)
    for k in range(n):
        row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
        row[k % 8] = x
        total += row[(k + 1) % 8] * row[k % 8] * y
    return total


def one_of_two(x: float, y: float, n: int) -> float:
    kept = list(HEIGHTS) if x > y else [0.25] * 12
    return kept[n % 12] * x + y


def _picked(rows, x, i):
    return rows[i % len(rows)] * x


picked = partial(_picked, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5])


def of_a_function(x: float, y: float, n: int) -> float:
    return picked(x, n) * y


UNSIGNED = np.array([(0x9E3779B9 * k) & 0xFFFFFFFF for k in range(16)], np.uint32)


def without_a_sign(x: float, y: float) -> float:
    i = math.floor(x * 3) & 15
    return float((UNSIGNED[i] >> 28) + (UNSIGNED[(UNSIGNED[i] >> 8) & 15] & 7)) * y
