"""Objects that functions of Python ask, namespaces and unions: values and slopes."""

import asked_programs
import pytest
import stepping_programs
from test_python_errors import functions
from truths import values_and_slopes_are_those_of


@pytest.mark.parametrize(
    "f", [*functions(asked_programs), *functions(stepping_programs)], ids=lambda f: f.__name__
)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.72, 1.34), (1.9, 0.45)])
