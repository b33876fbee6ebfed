"""Deques, sets and counters, and iterators without an end, that cannot be: one error each.

The golden file beside holds the texts.
"""

import itertools
from collections import Counter, deque

FIXED = deque([1.0])


def empty_deque(a: float):
    return deque().popleft() * a


def beyond_a_deque(a: float):
    q = deque([a])
    return q[1]


def no_method_of_a_deque(a: float):
    q = deque([a])
    q.push(a)
    return q[0]


def number_in_a_set(a: float):
    seen = {a}
    return a * len(seen)


def number_added_to_a_set(a: float):
    seen = set()
    seen.add(a)
    return a


def not_in_the_set(a: float):
    modes = {"x", "y"}
    modes.remove("z")
    return a


def frozen_set_changes(a: float):
    modes = frozenset(["x"])
    modes.add("y")
    return a


def counts_of_numbers(a: float):
    return Counter([a, 1.0])[1.0]


def deque_of_the_module_changes(a: float):
    FIXED.append(a)
    return FIXED[0]


def unlike_after_a_branch(a: float):
    q = deque([a])
    if a > 1:
        q.append(2.0)
    return sum(q)


def all_of_what_has_no_end(a: float):
    return sum(a * k for k in itertools.count())


def list_of_what_has_no_end(a: float):
    return a * len(list(itertools.cycle([1.0])))


def never_left(a: float):
    for k in itertools.count():
        a = a + k
    return a


def too_many_of_a_generator(a: float):
    def powers():
        p = a
        while True:
            yield p
            p *= a

    return sum(itertools.islice(powers(), 1000))


def fails_after_some(a: float):
    def inverse():
        n = 3
        while True:
            yield a / (1 << n)
            n -= 1

    return sum(itertools.islice(inverse(), 6))


def taken_on_a_condition(a: float):
    return sum(itertools.takewhile(lambda x: x < a, itertools.count()))
