"""Generators run to their end at once: programs, and what would tell."""

import generator_programs
import pytest
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

PROGRAMS = [f for f in functions(generator_programs) if not f.__name__.startswith("_")]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, -0.4)])
