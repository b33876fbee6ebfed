"""Deques, sets, counters and iterators without an end compute what they compute in Python."""

import collected_programs
import endless_programs
import pytest
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

from egad import derive

PROGRAMS = [
    f
    for module in (collected_programs, endless_programs)
    for f in functions(module)
    if not f.__name__.startswith("_")
]


@pytest.mark.numbers
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, -0.4)])


def test_a_deque_that_stays_full_is_carried_by_a_loop():
    assert "for (" in derive(collected_programs.full, "primal").source


@pytest.mark.parametrize("names", [("c", "aa", "bbb"), ("bbb", "c", "aa")])
def test_sets_are_run_over_in_one_order(names):
    def weighted(a: float):
        total = 0.0
        for name in set(names):
            total = total * a + len(name)
        return total

    assert derive(weighted, "primal")(10.0) == 231.0
