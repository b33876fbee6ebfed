"""Rules are tried beside conditions over several numbers: a series that ends too early is found."""

import textwrap

import pytest

from egad.rules import loads
from egad.rules.checker.check import check_files
from egad.rules.checker.crossings import conditions, crossings
from egad.rules.checker.operators import Trial

# exp(z) - 1 over z, and its slope by its series up to z^8 where z is small.
TEXT = """
def grown(x, y) -> g:
    z = x * x + y * y
    g = 1 if z == 0 else expm1(z) / z
    s = (1/2 + z * (1/3 + z * (1/8 + z * (1/30 + z * (1/144 + z * (1/840 + z * (1/5760
         + z * (1/45360 + z * LAST))))))))
    d = s if z < 0.064 else (exp(z) - g) / z
    dg_dx = 2 * x * d
    dg_dy = 2 * y * d
"""


@pytest.fixture
def problems(tmp_path):
    def found(last):
        path = tmp_path / "grown.rules"
        path.write_text(textwrap.dedent(TEXT).replace("LAST", last))
        return [str(r.problem) for r in check_files([str(path)]) if r.problem]

    return found


def test_the_last_term_of_a_series_counts(problems):
    assert problems("1/403200") == []
    assert "disagrees with central differences" in problems("0")[0]


def test_points_lie_on_both_sides_of_a_change():
    rules = loads(TEXT.replace("LAST", "1/403200"))
    operator = rules.operators["grown"][0]
    trial = Trial(operator, rules)
    (condition,) = conditions(operator.partials, operator.names, rules)
    points = [{"x": 1.0, "y": 3.0}, {"x": 0.1, "y": 0.2}, {"x": -2.0, "y": 0.0}]
    found = list(crossings([condition], points, lambda term, at: trial.term(term, trial.env(at))))
    squares = [point["x"] ** 2 + point["y"] ** 2 for point in found]
    assert squares == pytest.approx([0.064] * 4, rel=1e-4)
    assert [z < 0.064 for z in squares] == [False, True, True, False]


def test_what_cannot_be_compared_is_left_out():
    rules = loads(TEXT.replace("LAST", "0"))
    operator = rules.operators["grown"][0]
    nan = float("nan")
    points = [{"x": nan, "y": 0.0}, {"x": 5.0, "y": 0.0}]
    trial = Trial(operator, rules)
    compared = conditions(operator.partials, operator.names, rules)
    assert list(crossings(compared, points, lambda t, at: trial.term(t, trial.env(at)))) == []
    assert conditions(operator.partials, ("x",), rules) == []  # y is no number of these
