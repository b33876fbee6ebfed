"""What the check of rules tries: sides with cotangents, sizes of vectors, bounds, conditions."""

import textwrap

import pytest

from egad.rules import loads
from egad.rules.checker.check import check_rules


def problems(text):
    results = check_rules(loads(textwrap.dedent(text), "demo.rules"), ["demo.rules"])
    return [r.problem.message for r in results if r.problem]


SOUND = {
    "a backward side of a function": """
        def f(a, b) -> y:
            y = a * b
            a_bar = b * y_bar
            b_bar = a * y_bar
        """,
    "a backward side of a primitive": """
        @op(cost=3)
        def f(a, b) -> y:
            numpy = "a * b"
            mpmath = "a * b"
            opencl = "({a} * {b})"
            a_bar = b * y_bar
            b_bar = a * y_bar
        """,
    "a backward side for an operator that is there": """
        @derivative
        def exp(x) -> y:
            x_bar = y * y_bar
        """,
    "a substitute over vectors": """
        def size(v: vec) -> l:
            l = sqrt(dot(v, v))

        @primal
        def size(v: vec) -> l:
            l = sqrt(sum(v * v))
        """,
    "vectors of any size": """
        def sq(v: vec, s) -> q:
            q = s * dot(v, v)
            dq_dv = 2 * s * v
            dq_ds = dot(v, v)
        """,
    "a slope of 0 by a vector": """
        def none(v: vec3) -> y:
            y = 2
            dy_dv = 0
        """,
    "a narrow condition of a fact": """
        @fact
        def r(x):
            if x > 50 and x < 60: log(x) > 3
        """,
    "a narrow condition of a rewrite": """
        @rewrite(real)
        def r(x, y):
            if x > 50 and x < 52 and y > 90 and y < 91: abs(x + y) >> x + y
        """,
    "a narrow domain": """
        def f(x) -> y:
            domain = 273.15 < x < 373.15
            y = log(x)
            dy_dx = 1 / x
        """,
    "a narrow domain of several parameters": """
        def f(x, t) -> y:
            domain = 50 < x < 55 and 100 < t < 101
            y = log(x) * t
            dy_dx = t / x
            dy_dt = log(x)
        """,
    "a narrow domain of whole numbers": """
        def f(n: int, x) -> y:
            domain = n > 50 and n < 54
            y = n * x
            dy_dx = n
        """,
}


@pytest.mark.parametrize("case", SOUND)
def test_right_rules_are_accepted(case):
    assert problems(SOUND[case]) == []


WRONG = {
    "a backward side in floats": (
        """
        def bump(x) -> y:
            domain = x != 0
            y = exp(-1 / (x * x))
            x_bar = (1 if y == 0 else 2 * y / (x * x * x)) * y_bar
        """,
        "[bump x_bar] disagrees with central differences in float64",
    ),
    "a substitute over vectors": (
        """
        def sq(v: vec) -> s:
            s = dot(v, v)

        @primal
        def sq(v: vec) -> s:
            s = 3 * dot(v, v)
        """,
        "[sq primal] the sides differ at v=[1, 1, 1]",
    ),
    "a substitute over vectors that is less accurate": (
        """
        def grown(v: vec2) -> w:
            w = [v.x, expm1(v.y)]

        @primal
        def grown(v: vec2) -> w:
            w = [v.x, exp(v.y) - 1]
        """,
        "[grown primal] loses accuracy in float64 at v=",
    ),
    "a component that is forgotten in vectors of 4": (
        """
        def sq(v: vec) -> s:
            s = dot(v, v)
            ds_dv = 2 * v * (1 if dot(v, 0 * v + 1) == sum(v) else 0) + 0 * v.z
        """,
        "component 2 of a vector of 2 is read, where v is a vector of 2",
    ),
    "a fact at its own bound": (
        "@fact\ndef r(x):\n    if x >= -0.05: exp(x) >= 1\n",
        "[r] does not hold in float32 at x=-0.0",
    ),
    "a fact between bounds": (
        "@fact\ndef r(x):\n    if x > 50 and x < 60: log(x) > 4\n",
        "[r] does not hold in float32 at x=5",
    ),
    "the ends of clamp": (
        """
        def f(x) -> y:
            y = clamp(x, 50, 60)
            dy_dx = 0
        """,
        "[f dy_dx] disagrees with central differences at x=5",
    ),
    "the ends of min and max": (
        """
        def f(x) -> y:
            y = min(max(x, 2 * 50), 120)
            dy_dx = 0
        """,
        "[f dy_dx] disagrees with central differences at x=1",
    ),
    "the ends in what is called": (
        """
        def held(x, lo, hi) -> y:
            y = lo if x < lo else hi if x > hi else x

        def f(x) -> y:
            y = held(x, 50, 60)
            dy_dx = 0
        """,
        "[f dy_dx] disagrees with central differences at x=5",
    ),
    "a bound of whole numbers": (
        """
        def f(n: int, x) -> y:
            y = x if n > 50 and n < 54 else 0
            dy_dx = 0
        """,
        "[f dy_dx] disagrees with central differences at n=5",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_rules_are_refuted(case):
    text, message = WRONG[case]
    found = problems(text)
    assert any(message in m for m in found), found
