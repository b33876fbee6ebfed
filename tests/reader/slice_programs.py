"""Slices of lists that are assigned to take over the objects themselves, from whatever has some.

`test_structs.py` compares values with Python and derivatives with differences.
"""

from collections import namedtuple
from typing import NamedTuple

_Entry = namedtuple("_Entry", "key value")


class _Sample(NamedTuple):
    key: int
    value: float


def rows_are_put_into_a_slice(a, b):
    rows = [[a, b], [b, a], [1.0, 2.0]]
    row = [a * b, 3.0]
    rows[:2] = [row, [b, 5.0]]
    row[0] += 1.0
    rows[0][1] *= b
    return rows[0][0] * rows[0][1] + rows[1][0] + row[1]


def rows_are_reversed_and_sorted(a, b):
    rows = [[a, b], [b, a], [1.0, 2.0]]
    rows.reverse()
    rows[0][0] = a * a
    rows.sort(key=lambda row: row[1])
    rows[0][1] += 1.0
    return rows[0][0] * rows[0][1] + rows[2][0] * 3 + rows[1][1]


def named_tuples_are_reversed_and_sorted(a, b):
    entries = [_Entry(0, a), _Entry(2, b), _Entry(1, a * b)]
    entries.sort(key=lambda entry: -entry.key)
    samples = [_Sample(0, a), _Sample(2, b), _Sample(1, a * b)]
    samples.sort(key=lambda sample: sample.value)
    samples.reverse()
    by_key = entries[0].value + 2 * entries[1].value + 3 * entries[2].value
    return by_key + samples[0].value * samples[1].value + samples[2].key


def named_tuples_are_inserted_and_popped(a, b):
    entries = [_Entry(0, a), _Entry(2, b)]
    entries[1:] = [_Entry(4, 2 * a), _Entry(5, b)]
    entries.insert(1, _Entry(3, a * b))
    last = entries.pop(2)
    return last.key * last.value + sum(entry.key * entry.value for entry in entries)


def slices_take_from_iterators(a, b):
    xs = [a, b, 2.0, 3.0]
    xs[:] = (x * 2 for x in xs)
    xs[1:3] = reversed(xs[1:3])
    xs[::2] = [a, b]
    xs[1:1] = [7.0, 8.0 * a]
    xs[4:] = map(lambda x: x * b, xs[4:])
    ys = [0.0, a]
    ys[:1] = range(3)
    return sum((i + 1) * x for i, x in enumerate([*xs, *ys]))


def rows_are_inserted_by_slices(a, b):
    rows = [[a, b], [b, a]]
    rows += [[1.0, a]]
    rows.extend([row[:] for row in rows])
    rows[3][0] = 9.0
    rows[0:0] = [[b, b]]
    rows[0][0] *= 2
    some = rows[1:3]
    some[0][1] = a * b
    return sum(row[0] * (i + 1) + row[1] for i, row in enumerate(rows))


def rows_are_reversed_in_a_loop(a, b):
    rows = [[a, b], [b, a]]
    for i in range(4):
        rows[0], rows[1] = rows[1], rows[0]
        rows[0][0] += 0.1 * i * a
        rows[:] = rows[::-1]
        rows[1][1] *= 1.1
    return rows[0][0] + 2 * rows[0][1] + 3 * rows[1][0] + 4 * rows[1][1]
