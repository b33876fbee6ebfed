"""Which of two objects an operator asks, and in which order: as in Python's own run."""

from pathlib import Path

import operator_programs
import pytest
from test_python_errors import functions

from egad import derive
from egad.terms.errors import TraceError

POINTS = [(1.31, 0.72), (0.43, 1.9), (-0.6, 1.2), (2.5, -1.5), (-1.17, -0.8), (0.31, 0.45)]


@pytest.mark.numbers
@pytest.mark.parametrize("f", functions(operator_programs), ids=lambda f: f.__name__)
def test_programs(f):
    both = derive(f, "value_and_grad", dtype="float64")
    for a, b in POINTS:
        value, slopes = both(a, b)
        assert value == pytest.approx(f(a, b), rel=1e-12), (a, b)
        step = 1e-6
        want = [
            (f(a + step, b) - f(a - step, b)) / (2 * step),
            (f(a, b + step) - f(a, b - step)) / (2 * step),
        ]
        assert [*slopes] == pytest.approx(want, rel=1e-6, abs=1e-7), (a, b)


def added_to_what_no_class_knows(a: float, b: float):
    return (operator_programs.Length(a) + operator_programs.Unlike(b)).x


def of_no_instance(a: float):
    return super(operator_programs.Twice, a).moved(1.0)


def test_error_texts(golden):
    texts = []
    for f in (added_to_what_no_class_knows, of_no_instance):
        with pytest.raises(TraceError) as caught:
            derive(f)
        texts.append(f"{f.__name__}\n{caught.value}".replace(__file__, Path(__file__).name))
    golden("operator_errors.txt", "\n\n".join(texts) + "\n")
