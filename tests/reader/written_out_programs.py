"""Loops that carry what no kernel carries: where their trips are known, they are written out.

`test_structs.py` compares values with Python and derivatives with differences.
"""

import math

import numpy as np

from egad import cos, float2, sin


def two_names_become_one_vector(a, b):
    now, last, total = float2(a, 0.0), float2(0.0), 0.0
    for _ in range(5):
        now.x += b
        total += last.x
        last = now
    return total


def one_of_two_names_becomes_a_vector_from_before(a, b):
    now, last = float2(a, 0.0), float2(0.0)
    for i in range(5):
        last.x += b
        if i == 2:
            last = now
    return now.x + last.x * a


def a_number_becomes_a_vector(a, b):
    total = 0.0
    for i in range(3):
        total = total + float2(a, b) * (i + a)
    return total.x * total.y


def the_function_changes_by_a_condition(a, b):
    f = sin
    x = a
    for _ in range(4):
        x = f(x) + 0.1 * b
        if x > 0.6:
            f = cos
    return x


def the_function_changes_from_trip_to_trip(a, b):
    f, x = math.sin, a
    for k in range(4):
        x = f(x) + b
        f = math.cos if k % 2 else math.sin
    return x


def the_mode_is_a_text(a, b):
    mode, total = "up", 0.0
    for k in range(6):
        if mode == "up":
            total += a
            mode = "down"
        else:
            total -= b * k
            mode = "up"
    return total


def the_keys_are_numbers(a, b):
    d = {1: a, 2: b}
    for k in range(4):
        d = {1: d[2] * a, 2: d[1] + k}
    return d[1] + d[2]


def two_are_there_after_the_first_trip(a, b):
    first = True
    for _ in range(3):
        if first:
            x, y = a, b
            first = False
        x, y = y, x + y
    return x * y


def a_list_begins_in_the_first_trip(a, b):
    i = 0
    while i < 3:
        if i == 0:
            held = [a]
        else:
            held.append(held[-1] * b)
        i += 1
    return sum(held)


def a_text_from_a_loop_within(a, b):
    total = 0.0
    for i in range(3):
        for j in range(i + 1):
            name = f"{i}{j}"
            if i == j == 0:
                best = a
            elif a * i + b * j > best:
                best = a * i + b * j
        total += best * int(name)
    return total


def views_of_arrays_change_from_trip_to_trip(a, b):
    xs = np.array([a, b, a * b, 2.0, 1.5, -0.3])
    turned, halved, begun = xs, xs[1:4], xs[2:5]
    for _ in range(5):
        turned = turned[::-1]
        xs[2] *= 2.0
        halved = halved * 0.5
        begun[0] = a
        begun = begun * 0.5
    return turned[0] + 2 * turned[3] + halved.sum() + begun[0] * 3 + begun[1]


def variables_of_loops_become_others(a, b):
    total = 0.0
    for point in ((a, b), (b, 2.0), (a * b, 1.0)):
        point = (point[0] - b, point[1] * a)
        total += point[0] * point[1]
    for k, v in enumerate([a, b, a + b]):
        if v > 1.5:
            v, k = v * v, k + 2
        total += v * k
    return total + v


def variables_of_loops_are_lists(a, b):
    rows, total = [[a, b], [b, 1.0]], 0.0
    for row in rows:
        row.append(a)
        row = [x * b for x in row]
        row[0] += 1.0
        total += sum(row)
    for row in np.array([[a, b], [b, 2.0]]):
        row = row / row.sum()
        total += row[0]
    return total + sum(rows[0])
