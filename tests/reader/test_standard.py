"""What libraries of Python give for lists of numbers: values and slopes."""

import pytest
import standard_programs
from test_python_errors import functions
from truths import values_and_slopes_are_those_of


@pytest.mark.parametrize("f", functions(standard_programs), ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, 0.4)])
