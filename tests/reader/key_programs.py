"""Dictionaries that are asked for a key which only the kernel knows.

`test_structs.py` compares values with Python and derivatives with differences.
"""

import math

from member_programs import _Count, _Kind


def _kind_of(x):
    return _Kind.A if x > 1 else (_Kind.B if x > 0 else _Kind.C)


def entry_of_a_member(a, b):
    return {_Kind.A: a * b, _Kind.B: b, _Kind.C: a}[_kind_of(a)]


def sums_by_members(a, b):
    sums = {kind: 0.0 for kind in _Kind}
    for x in (a, b, a * b):
        sums[_kind_of(x)] += x
    return sums[_Kind.A] + 10 * sums[_Kind.B] + 100 * sums[_Kind.C]


def weights_of_a_machine_of_states(a, b):
    state, total = _Kind.A, 0.0
    for i in range(6):
        total += {_Kind.A: 1.0, _Kind.B: b, _Kind.C: a}[state]
        if a * i > 1:
            state = _Kind.B
        elif b * i < 0.5:
            state = _Kind.C
    return total


def entry_of_a_number(a, b):
    i = int(abs(a) * 2 + 0.25) % 3
    return {0: a, 1: b, 2: a * b}[i] + {0: a, 5: 2.0}.get(i, 9.0 * b)


def entry_of_a_member_that_is_a_number(a, b):
    n = _Count.NONE if a > 1 else _Count.ONE
    return {_Count.NONE: a, _Count.ONE: b}[n] + {0: 5.0, 1: a * b}[n]


def functions_by_members(a, b):
    return {_Kind.A: math.sin, _Kind.B: math.cos, _Kind.C: abs}[_kind_of(a)](b)


def lists_by_members(a, b):
    kind = _kind_of(a)
    rows = {_Kind.A: [a, 1.0], _Kind.B: [b, 2.0], _Kind.C: [a * b, 3.0]}
    rows[kind][0] += 5.0
    return rows[_Kind.A][0] + 10 * rows[_Kind.B][0] + rows[kind][1] * a


def one_of_two_dictionaries_changes(a, b):
    kind = _kind_of(a)
    first = {_Kind.A: a, _Kind.B: b, _Kind.C: 0.0}
    second = first if b > 0 else {_Kind.A: 1.0, _Kind.B: 2.0, _Kind.C: 3.0}
    second[kind] = 7.0 * a
    return first[_Kind.A] + first[_Kind.B] * 10 + second[kind]


def entries_of_a_loop_are_known(a, b):
    weights = {_Kind.A: a, _Kind.B: b, _Kind.C: 1.0}
    total = 0.0
    for i in range(4):
        kind = (_Kind.A, _Kind.B, _Kind.C)[i % 3]
        weights[kind] *= 1.5
        total += weights[kind]
    return total


def entry_of_a_truth_value(a, b):
    found = {True: a, False: b}[a > b] * 2 + {0: a, 1: b}.get(b > 0, 9.0)
    return found + {1: a * b}.get(a > 0, 3.0) + {False: 1.0}.get(a > 0, a)


def sums_by_truth_values(a, b):
    sums = {True: 0.0, False: 0.0}
    for x in (a, b, a - b):
        sums[x > 0.1] += x
    return sums[True] + 10 * sums[False]


def element_of_a_truth_value(a, b):
    xs = [0.0, 0.0]
    xs[a > b] += a
    xs[not a > b] -= b
    return xs[0] * 2 + xs[1] + (1.0, a)[b > 0] + [[1.0, a], [2.0, b]][a > 0][b > 0]
