"""Findings stand where the fault is: the line, the overload, the shape that is wanted."""

import textwrap

import pytest

from egad.rules import load
from egad.rules.checker.check import check_rules
from egad.terms.errors import RuleError


def faults(text, path):
    """(line, column, message) of every problem, of rules in a file; of the one that stops it."""
    path = path / "demo.rules"
    path.write_text(textwrap.dedent(text))
    try:
        found = [r.problem for r in check_rules(load([path]), [str(path)]) if r.problem]
    except RuleError as error:
        found = [error]
    return [(p.at.line, p.at.column, p.message) for p in found]


WRONG = {
    "components that only three have": (
        """
        def sq(v: vec) -> s:
            s = dot(v, v)
            ds_dv = [2 * v.x, 2 * v.y, 2 * v.z]
        """,
        (4, 13, "[sq ds_dv] component 2 of a vector of 2 is read, where v is a vector of 2"),
    ),
    "as many components as one size has": (
        """
        def sq(v: vec) -> s:
            s = v.x * v.x + v.y * v.y
            ds_dv = [2 * v.x, 2 * v.y]
        """,
        (
            4,
            13,
            "[sq ds_dv] is a vector of 2, but has to be a vector of 3, where v is a vector of 3",
        ),
    ),
    "a definition for some sizes": (
        """
        def third(v: vec) -> s:
            s = v.z
        """,
        (3, 9, "[third] component 2 of a vector of 2 is read, where v is a vector of 2"),
    ),
    "vectors of two sizes": (
        """
        def third(v: vec) -> s:
            s = dot(v, [1, 2, 3])
        """,
        (3, 9, "[third] mul is given a vector of 2 and a vector of 3, where v is a vector of 2"),
    ),
    "too few components": (
        """
        def q(v: vec3) -> w:
            w = v.x + v.y + v.z
            dw_dv = [1, 1]
        """,
        (4, 13, "[q] dw_dv is a vector of 2, but has to be a vector of 3"),
    ),
    "a number by a vector": (
        """
        def q(v: vec3) -> w:
            w = v.x + v.y + v.z
            dw_dv = 1
        """,
        (4, 13, "[q] dw_dv is a number, but has to be a vector of 3"),
    ),
    "a backward side of another shape": (
        """
        def q(v: vec3, s) -> w:
            w = v * s
            v_bar = dot(v, w_bar)
            s_bar = dot(v, w_bar)
        """,
        (4, 13, "[q] v_bar is a number, but has to be a vector of 3"),
    ),
    "a meaning with too few arguments": (
        """
        @op(cost=3)
        def f(x) -> y:
            numpy = "special.j0(x)"
            mpmath = "besselj(x)"
            opencl = "sin({x})"
            dy_dx = 1
        """,
        (5, 14, "[f] the mpmath meaning 'besselj(x)' cannot be computed: besselj() missing"),
    ),
    "the second overload": (
        """
        def f(x) -> y:
            y = x * x
            dy_dx = 2 * x


        def f(v: vec3) -> y:
            y = dot(v, v)
            dy_dv = 3 * v
        """,
        (9, 13, "[f dy_dv] disagrees"),
    ),
    "a docstring that looks like a rule": (
        '''
        def f(x) -> y:
            """The square.

            dy_dx = 2 * x, they say.
            """
            y = x * x
            dy_dx = 3 * x
        ''',
        (8, 13, "[f dy_dx] disagrees"),
    ),
    "a substitute below a comment": (
        """
        def f(x) -> y:
            y = x * x
            dy_dx = 2 * x

        @primal(
            digits=True,
        )
        # not at all
        def f(x) -> y:
            y = 3 * x * x
        """,
        (11, 9, "[f primal] the sides differ"),
    ),
    "a form feed": (
        """
        def f(x) -> y:
            y = x * x  # \x0c
            dy_dx = 3 * x
        """,
        (4, 13, "[f dy_dx] disagrees"),
    ),
    "a backward line of several results": (
        """
        def f(x) -> (u, v):
            u = sin(x)
            v = cos(x)
            x_bar = v * u_bar + u * v_bar
        """,
        (5, 13, "[f.v dv_dx] disagrees"),
    ),
    "a range": (
        """
        def f(x) -> y:
            range = 0 <= y <= 1
            y = 1.5 / (1 + x * x)
        """,
        (3, 13, "[f range] is left at x=0: the value is 1.5"),
    ),
    "a definition beside a meaning": (
        """
        def f(x) -> y:
            mpmath = "sin(x)"
            y = x - x * x * x / 6
            dy_dx = cos(x)
        """,
        (4, 9, "[f] the definition disagrees with mpmath"),
    ),
    "a meaning in NumPy": (
        """
        @op(cost=1)
        def f(x) -> y:
            numpy = "x + x"
            mpmath = "2 * x + 1"
            opencl = "logb({x})"
            dy_dx = 2
        """,
        (4, 13, "[f numpy] disagrees with the mpmath meaning"),
    ),
    "a second form feed": (
        "\x0cdef f(x) -> y:\n    y = x * x\n\x0c\n    dy_dx = 3 * x\n",
        (4, 13, "[f dy_dx] disagrees"),
    ),
    "other names in an overlay": (
        """
        @derivative
        def atan2(p, q) -> r:
            dr_dp = q / (p * p + q * q)
            dr_dq = p / (p * p + q * q)
        """,
        (5, 13, "[atan2 d"),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_findings_stand_at_the_fault(case, tmp_path):
    text, (line, column, message) = WRONG[case]
    found = faults(text, tmp_path)
    assert any(f[:2] == (line, column) and f[2].startswith(message) for f in found), found
    assert all(f[0] == line for f in found), found


def test_a_line_of_another_shape_is_no_crash_where_it_is_used(tmp_path):
    text = """
        def q(v: vec) -> w:
            w = v.x + v.y
            dw_dv = [1, 1]


        def twice(v: vec3) -> w:
            w = 2 * q(v)
            dw_dv = [2, 2, 0] + 0 * q(v) * v
        """
    assert {f[0] for f in faults(text, tmp_path)} == {4}
