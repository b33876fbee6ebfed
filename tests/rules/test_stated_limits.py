"""A limit that a rule states as a double has a slope that is checked, though its digits end."""

import textwrap

import pytest

from egad.rules.checker.check import check_files

# erf(sqrt(x))/sqrt(x), and its slope by its series where x is small.
TEXT = """
def boys(x) -> y:
    domain = x >= 0
    y = 1.128379167095512574 if x == 0 else erf(sqrt(x)) / sqrt(x)
    s = (-1/3 + x * (1/5 + x * (-1/14 + x * (1/54 + x * (-1/264 + x * (1/1560
         + x * (-1/10800 + x * (1/85680 - x / 766080))))))))
    near = 1.128379167095512574 * s
    dy_dx = near if x < LIMIT else (1.128379167095512574 * exp(-x) - y) / (2 * x)
"""


@pytest.mark.parametrize("limit", ["-1.0", "0.0"])
def test_a_slope_that_is_missing_at_a_limit_is_found(tmp_path, limit):
    path = tmp_path / "boys.rules"
    path.write_text(textwrap.dedent(TEXT).replace("LIMIT", limit))
    (problem,) = [str(r.problem) for r in check_files([str(path)]) if r.problem]
    assert "disagrees with central differences at x=0: expected -0.376126" in problem


def test_a_slope_that_is_stated_there_is_right(tmp_path):
    path = tmp_path / "boys.rules"
    path.write_text(textwrap.dedent(TEXT).replace("LIMIT", "0.0625"))
    assert [str(r.problem) for r in check_files([str(path)]) if r.problem] == []
