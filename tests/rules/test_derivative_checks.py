"""What the check of derivatives sees beyond one line at one point: second order, kinks, floats."""

import textwrap

import mpmath
import pytest

from egad import derive
from egad.rules import loads
from egad.rules.checker.check import check_rules
from egad.rules.checker.faults import Unknown
from egad.rules.checker.judge import Precise, evaluate
from egad.rules.checker.tangents import Tangents, lifted, tangents_of
from egad.terms.term import Term, var

TIES = """
    def upper(a, b) -> m:
        m = 0.5 * (a + b + abs(a - b))
        dm_da = {0}
        dm_db = {1}
    """


def problems(text):
    results = check_rules(loads(textwrap.dedent(text), "demo.rules"), ["demo.rules"])
    return [r.problem.message for r in results if r.problem]


WRONG = {
    "a choice that cuts the mixed derivative off": (
        """
        def power(x, y) -> z:
            domain = x > 0
            z = exp(y * log(x))
            dz_dx = 0 if y == 0 else y * z / x
            dz_dy = z * log(x)
        """,
        "[power dz_dx] disagrees with second differences at x=",
    ),
    "the right value from an operator with a wrong rule": (
        """
        @op(cost=1)
        def odd_cube(x) -> y:
            numpy = "x * x * x"
            mpmath = "x * x * x"
            opencl = "cbrt({x})"
            dy_dx = 3 * x

        def fourth(x) -> y:
            y = 0.25 * x * x * x * x
            dy_dx = odd_cube(x)
        """,
        "[fourth dy_dx] disagrees with second differences at x=",
    ),
    "a wrong slope beside a value that is no number": (
        """
        def above(x) -> y:
            y = x if x >= 0 else nan
            dy_dx = 2 if x >= 0 else nan
        """,
        "[above dy_dx] disagrees with central differences at x=",
    ),
    "partials that do not fit together": (
        TIES.format("1 if a >= b else 0", "1 if b >= a else 0"),
        "[upper dm_da] dm_da and dm_db do not fit together at a=0, b=0: along (1, 1) the slope "
        "is 1.0, the rule gives 2.0",
    ),
    "an edge that no partial takes": (
        """
        def limited(x, lo) -> y:
            y = x if x > lo else lo
            dy_dx = 1 if x > lo else 0
            dy_dlo = 1 if x < lo else 0
        """,
        "do not fit together at x=0, lo=0",
    ),
    "a backward side that takes another slope than the forward side": (
        """
        def fold(x) -> y:
            y = abs(x)
            dy = sign(x) * dx
            x_bar = (1 if x >= 0 else -1) * y_bar
        """,
        "[fold x_bar] the backward side is not the transpose of the forward side at x=0",
    ),
    "what only floats reach": (
        """
        def bump(x) -> y:
            domain = x != 0
            y = exp(-1 / (x * x))
            dy_dx = 1 if y == 0 else 2 * y / (x * x * x)
        """,
        "[bump dy_dx] disagrees with central differences in float64 at x=0.001",
    ),
    "a value that floats do not reach": (
        """
        def logistic(x) -> y:
            domain = abs(x) < 1e6
            y = 1 / (1 + exp(-x))
            dy_dx = exp(x) / ((1 + exp(x)) * (1 + exp(x)))
        """,
        "in float64 at x=1000: expected 0.0, rule gives nan",
    ),
    "a constant with too few digits": (
        """
        @op(cost=15)
        def two_to(x) -> y:
            numpy = "exp2(x)"
            mpmath = "power(2, x)"
            opencl = "exp2({x})"
            dy_dx = 0.69314718056 * y
        """,
        "expected 0.693147, rule gives 0.693147 (relative error 7.9e-14)",
    ),
    "a series that ends too early": (
        """
        def grown(x) -> y:
            y = 1 if x == 0 else expm1(x) / x
            dy_dx = 1/2 + x * (1/3 + x * (1/8 + x / 30)) if abs(x) < 0.01 else (exp(x) - y) / x
        """,
        "[grown dy_dx] disagrees with central differences at x=",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_derivatives(case):
    text, message = WRONG[case]
    found = [m for m in problems(text) if message in m]
    assert found, problems(text)


SOUND = {
    "ties": TIES.format(
        "1 if a > b else 0.5 if a == b else 0", "1 if b > a else 0.5 if a == b else 0"
    ),
    "one side at ties": TIES.format("1 if a >= b else 0", "1 if b > a else 0"),
    "constants rounded to doubles": """
        @op(cost=15)
        def two_to(x) -> y:
            numpy = "exp2(x)"
            mpmath = "power(2, x)"
            opencl = "exp2({x})"
            dy_dx = 0.69314718055994531 * y

        def turn(x) -> y:
            mpmath = "sin(2 * pi * x)"
            domain = abs(x) < 100
            y = sin(6.283185307179586 * x)
            dy_dx = 6.283185307179586 * cos(6.283185307179586 * x)
        """,
    "second derivatives by definitions and both kinds of sides": """
        def area(v: vec3, s) -> w:
            w = v * (s * s)
            dw = dv * (s * s) + v * (2 * s * ds)
            v_bar = s * s * w_bar
            s_bar = 2 * s * dot(v, w_bar)

        def outer(v: vec3, s) -> l:
            l = dot(area(v, s), area(v, s))
            dl_dv = 2 * s * s * area(v, s)
            dl_ds = 4 * s * s * s * dot(v, v)
        """,
}


@pytest.mark.parametrize("case", SOUND)
def test_right_derivatives(case):
    assert problems(SOUND[case]) == []


def test_an_operator_that_lies_on_purpose_is_no_fault_of_others():
    lie = """
        @op(cost=1, unchecked="straight through")
        def steps(x) -> y:
            numpy = "rint(x)"
            mpmath = "nint(x)"
            opencl = "rint({x})"
            dy_dx = 1

        def ramp(x) -> y:
            domain = abs(x - 0.5 - rint_of(x)) > 0.01
            y = x * steps(x)
            dy_dx = steps(x)

        def rint_of(x) -> y:
            y = floor(x)
        """
    assert problems(lie) == []


def test_the_mixed_derivative_of_pow():
    def power(x: float, y: float) -> float:
        return x**y

    hessian = derive(power, mode="hessian", dtype="float64")(2.0, 0.0)
    assert hessian.x.y == hessian.y.x == pytest.approx(0.5)  # d/dy of y * x**(y - 1)
    assert derive(power, dtype="float64")(0.0, 0.0, 1.0).x == 0


def test_tangents_are_those_of_the_rules():
    rules = loads("def twice(x) -> y:\n    y = 2 * x\n    dy_dx = 5", "demo.rules")
    how = Tangents(rules, Precise())
    x = lifted(mpmath.mpf(3), mpmath.mpf(1))
    call = Term("mul", (Term("twice", (var("x"),)), var("x")))
    (rate,) = tangents_of(evaluate(call, {"x": x}, rules, how))
    assert rate == 5 * 3 + 6  # by the rule that was stated, not by the definition
    nothing = Term("select", (Term("lt", (var("x"), var("x"))), var("x"), var("c")))
    still = {"x": x, "c": lifted(mpmath.mpf(2))}
    assert tangents_of(evaluate(nothing, still, rules, how)) == [None]


def test_the_derivative_of_a_square_that_ends_at_0_has_a_corner():
    block = """
        def positive(x) -> y:
            y = max(x, 0) * max(x, 0)
            dy_dx = {0}
        """
    assert problems(block.format("2 * max(x, 0)")) == []
    (wrong,) = problems(block.format("2 * max(x, 0) if x != 0 else 5 * x"))
    assert "[positive dy_dx] disagrees with second differences at x=0" in wrong


ARMS = """
def nested(x, y) -> z:
    c = x > 0
    d = y > 0
    g = exp(1e9 * x)
    z = ((sqrt(g) if d else log(g)) if c else y) + (1 if d else 2)
"""


def test_of_a_choice_in_an_arm_nothing_is_computed_where_the_arm_is_not_taken():
    """`d` decides elsewhere, too; `g`, of which both inner arms are, is far out of reach."""
    rules = loads(ARMS, "own.rules")
    (function,) = rules.operators["nested"]
    wanted = {(-1, 3): 4, (-1, -3): -1, (0, 3): 4}
    for (x, y), value in wanted.items():
        env = {"x": mpmath.mpf(x), "y": mpmath.mpf(y)}
        assert evaluate(function.definition, env, rules, Precise()) == value
    with pytest.raises(Unknown):
        evaluate(function.definition, {"x": mpmath.mpf(1), "y": mpmath.mpf(1)}, rules, Precise())
