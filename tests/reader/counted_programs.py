"""What Python counts: rounded numbers are integers, places in tables, loops that are known.

Every public function takes two real numbers and gives numbers; Python runs them too.
"""

import bisect
import math
from bisect import bisect as place_of

import numpy as np

_LATTICE = [151, 160, 137, 91, 90, 15, 131, 13, 201, 95, 96, 53, 194, 233, 7, 225]
_TURNS = ((1, 1), (-1, 1), (1, -1), (-1, -1))
_KNOTS = [0.0, 0.5, 1.0, 2.0]
_RISING = np.array([0.0, 0.6, 1.25, 2.0])
_FALLING = _RISING[::-1].copy()


# --- floor, ceil, trunc and round where integers are asked for --------------------------------


def noise_of_perlin(a, b):
    x, y = a * 2.5 + 3.0, b * 2.5 + 3.0
    xi, yi = math.floor(x) & 15, math.floor(y) & 15
    xf, yf = x - math.floor(x), y - math.floor(y)

    def corner(ix: int, iy: int, dx, dy):
        turn = _TURNS[_LATTICE[(_LATTICE[ix & 15] + iy) & 15] & 3]
        return turn[0] * dx + turn[1] * dy

    def fade(t):
        return t * t * t * (t * (t * 6 - 15) + 10)

    u, v = fade(xf), fade(yf)
    low = corner(xi, yi, xf, yf) * (1 - u) + corner(xi + 1, yi, xf - 1, yf) * u
    high = corner(xi, yi + 1, xf, yf - 1) * (1 - u) + corner(xi + 1, yi + 1, xf - 1, yf - 1) * u
    return low + (high - low) * v


def places_of_rounded_numbers(a, b):
    table = [a, b, a * b, 2.0]
    i = math.floor(abs(a))
    first = table[i] + table[i + 1] * table[-round(abs(b))]
    return first + sum(b * k for k in range(math.ceil(abs(a)) + 1)) + (1 << math.trunc(abs(a))) * b


def hash_of_a_cell(a, b):
    h = (math.floor(a * 7.3) * 374761393 + math.floor(b * 7.3) * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return a * ((h >> 16) / 65536)


def rounded_and_counted(a, b):
    n = math.floor(a * 7)
    up = n if n % 2 else -n
    return up * b + n // 2 + (b if round(b * 4) in (1, 5) else a) + round(a, 1) * round(b)


# --- where a number stands in a table ---------------------------------------------------------


def by_bisection(a, b):
    heights = [0.0, a, b, 1.0]
    x = min(max(a, 0.0), 2.0)
    i = min(bisect.bisect_right(_KNOTS, x) - 1, 2)
    t = (x - _KNOTS[i]) / (_KNOTS[i + 1] - _KNOTS[i])
    return heights[i] + (heights[i + 1] - heights[i]) * t


def bisection_in_every_spelling(a, b):
    own = sorted([a, 1.0, a * b])
    return (
        place_of(_KNOTS, a) * b
        + bisect.bisect_left(_KNOTS, 1.0) * a
        + bisect.bisect(_KNOTS, b, 1, 3) * a
        + bisect.bisect_left(own, 0.8) * b
    )


def searched_for(a, b):
    more = np.searchsorted(_RISING, np.array([a, b, 0.6])) @ np.array([1, 10, 100])
    sides = np.searchsorted(_RISING, 0.6, "right") - np.searchsorted(_RISING, 0.6)
    return (
        np.searchsorted(_KNOTS, a) * b
        + np.searchsorted(_RISING, b, side="right") * a
        + (more * a + sides * b)
    )


def in_bins(a, b):
    more = np.digitize([a, b, 1.25], _FALLING, right=True) @ np.array([1, 10, 100])
    edges = np.digitize(1.25, _RISING) + 10 * np.digitize(1.25, _RISING, True)
    return np.digitize(a, _RISING) * b + np.digitize(b, _FALLING) * a + more * a + edges * b


def beyond_the_ends(a, b):
    x = np.array([a - 1.0, b, 3.0 * a])
    inside = np.interp(x, _KNOTS, [a, 1.0, b, 2.0], right=a)
    return (
        inside.sum()
        + np.interp(a - 5.0, _KNOTS, [a, 1.0, b, 2.0], left=b)
        + np.interp(2.0, _KNOTS, [1.0, 2.0, 3.0, a], -1.0, 1.0)
    )


def slopes_between_uneven_points(a, b):
    x = np.array([0.0, 0.5, 1.5, 2.0, 2.2])
    y = a * x**2 + np.sin(b * x)
    return np.gradient(y, x) @ np.arange(1.0, 6.0) + np.gradient(y, 0.5)[2]


# --- loops whose condition is known in every trip ---------------------------------------------


def steps_of_collatz(a, b):
    n, s = 27, 0.0
    while n != 1:
        s = s * 0.9 + (a if n % 2 else b)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return s


def time_of_euler(a, b):
    t, y = 0.0, a
    while t < 1.0:
        y += 0.1 * (b - y * math.sin(t))
        t += 0.1
    return y


def until_it_is_small(a, b):
    k, s = 1.0, 0.0
    while k > 1e-3:
        s += math.sin(a * k) * b
        k *= 0.5
    return s


def inside_of_a_range(a, b):
    s = 0.0
    for i in range(1, 4):
        n = i * 7
        while n != 1:
            s += a / n * b
            n = n // 2 if n % 2 == 0 else 3 * n + 1
    return s


def left_where_it_began(a, b):
    n, s = 17, 0.0
    while True:
        s += a * n
        n = (n * 5) % 23
        if n == 17:
            break
    return s * b


def eliminated_row_by_row(a, b):
    m = np.array([[2 + a, 1.0, 0.5, 0], [1.0, 3.0, b, 1], [0.5, b, 4.0, 0.2], [0.1, 0.3, 0.2, 5.0]])
    y = np.array([1.0, a, b, 2.0])
    for k in range(4):
        for i in range(k + 1, 4):
            f = m[i, k] / m[k, k]
            m[i, k:] -= f * m[k, k:]
            y[i] -= f * y[k]
    x = np.zeros(4)
    for i in reversed(range(4)):
        x[i] = (y[i] - m[i, i + 1 :] @ x[i + 1 :]) / m[i, i]
    return x @ x
