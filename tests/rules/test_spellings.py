"""OpenCL spellings against what the built-in in them means."""

import textwrap

import pytest

from egad.rules import load
from egad.rules.checker.check import check_rules


def results(text, path):
    path = path / "demo.rules"
    path.write_text(textwrap.dedent(text))
    return [r for r in check_rules(load([path]), [str(path)]) if r.kind == "opencl"]


WRONG = {
    "another function": ('@opencl\ndef sin(x):\n    f32 = "«sinh({x})"', "sinh({x})"),
    "of one type": (
        '@opencl\ndef exp(u):\n    f32 = "native_exp({u})"\n    f16 = f64 = "«exp2({u})"',
        "exp2({x})",
    ),
    "by a fast built-in": ('@opencl\ndef cos(x):\n    f32 = "«native_sin({x})"', "native_sin({x})"),
    "swapped": ('@opencl\ndef atan2(y, x):\n    f32 = "«atan2({x}, {y})"', "atan2({x}, {y})"),
    "an operator": (
        "@op(cost=1)\ndef gap(x, y) -> z:\n"
        '    numpy = "x - y"\n    mpmath = "x - y"\n    opencl = "«({y} - {x})"\n'
        "    dz_dx = 1\n    dz_dy = -1",
        "({y} - {x})",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_spellings_of_another_function(case, tmp_path):
    text, spelling = WRONG[case]
    before = text[: text.index("«")]
    (found,) = [r.problem for r in results(text.replace("«", ""), tmp_path) if r.problem]
    assert found.message.endswith(f": {spelling} is another function")
    assert "the sides differ at" in found.message
    assert found.at.line == before.count("\n") + 1
    assert found.at.column == len(before) - before.rindex("\n") - 1


RIGHT = {
    "a fast built-in": '@opencl\ndef exp(x):\n    f32 = "native_exp({x})"',
    "a number": "@op(cost=1)\ndef twice(x) -> y:\n"
    '    numpy = "x + x"\n    mpmath = "x + x"\n    opencl = "({x} * 2.0f)"\n    dy_dx = 2',
    "a built-in that no operator is": '@opencl\ndef sin(x):\n    f32 = "logb({x})"',
    "of whole numbers": '@opencl\ndef max(a: number, b: number):\n    i32 = "max({a}, {b})"',
}


@pytest.mark.parametrize("case", RIGHT)
def test_right_spellings_and_those_that_nothing_is_known_of(case, tmp_path):
    found = results(RIGHT[case], tmp_path)
    assert not [r.problem for r in found if r.problem]
    assert bool(found) == (case == "a number")
