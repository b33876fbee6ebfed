"""Derivative lines over vectors, when a file is read: their shapes, and what is ambiguous."""

import textwrap

import pytest

from egad.rules import load, loads
from egad.terms.errors import RuleError


def refused(text):
    with pytest.raises(RuleError) as caught:
        loads(textwrap.dedent(text), "demo.rules")
    error = caught.value
    return (error.at.line, error.at.column), error.message, error.hint


AMBIGUOUS = {
    "a vector by a vector": ("v: vec3", "w = 2 * v", "dw_dv = [2, 2, 2]", "a vector of 3"),
    "a vector by a number": ("v: vec3, k", "w = k * v", "dw_dk = v", "a vector of 3"),
    "of any size": ("v: vec", "w = 2 * v", "dw_dv = 2", "a vector"),
    "a matrix": ("v: mat2", "w = 2 * v", "dw_dv = 2 * v", "a matrix of 2 by 2"),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_a_partial_of_a_vector_is_ambiguous(case):
    params, value, line, shape = AMBIGUOUS[case]
    by = line[4]
    place, message, hint = refused(f"def f({params}) -> w:\n    {value}\n    {line}\n")
    assert place == (3, 5)
    assert message == f"[f] w is {shape}: a partial of it is ambiguous"
    assert hint == f"write {by}_bar = … over w_bar, or dw = … over d{by}"


def test_so_it_is_where_a_derivative_is_added():
    text = """
        @derivative
        def cross(p: vec3, q: vec3) -> r:
            dr_dp = q
            dr_dq = p
        """
    place, message, hint = refused(text)
    assert place == (4, 5) and message == "[cross] r is a vector of 3: a partial of it is ambiguous"
    assert hint == "write p_bar = … over r_bar, or dr = … over dp"


SHAPES = {
    "a number for a vector": ("v: vec3", "w = dot(v, v)", "v_bar = 2 * w_bar", "a number", "v"),
    "a vector for a number": ("v: vec2, k", "w = k * v", "k_bar = w_bar * v", "a vector of 2", "k"),
    "two of three": ("v: vec3", "w = v.x + v.y", "dw_dv = [1, 1]", "a vector of 2", "v"),
    "a row for a matrix": ("m: mat2", "w = determinant(m)", "dw_dm = m[0]", "a vector of 2", "m"),
    "a number for any vector": ("v: vec", "w = sum(v)", "dw_dv = 1", "a number", "v"),
    "a result that is one": ("v: vec3", "w = dot(v, v)", "dw = 2 * v * dv", "a vector of 3", "w"),
    "a result that is none": ("v: vec3", "w = 2 * v", "dw = 2 * dv.x", "a number", "w"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_line_has_the_shape_of_what_it_is_about(case):
    params, value, line, found, about = SHAPES[case]
    place, message, hint = refused(f"def f({params}) -> w:\n    {value}\n    {line}\n")
    name = line.partition(" ")[0]
    assert place == (3, line.index("=") + 7)
    assert message.startswith(f"[f] {name} is {found}, but has to be a ")
    assert hint == f"write it in the shape of {'the result' if about == 'w' else about}, or 0"


RIGHT = {
    "zero": "def f(v: vec3, k) -> w:\n    w = k * [1, 2, 3]\n    dw_dv = 0\n    dw_dk = 0\n",
    "zero backwards": "def f(v: vec3) -> w:\n    w = floor(v)\n    v_bar = 0\n",
    "zero forwards": "def f(v: vec3) -> w:\n    w = floor(v)\n    dw = 0\n",
    "numbers of vectors": "def f(v: vec3) -> w:\n    w = dot(v, v)\n    dw_dv = 2 * v\n",
    "of any size": "def f(v: vec) -> w:\n    w = v.x + v.y\n    dw_dv = [1, 1]\n",
    "by the rows": "def f(m: mat2) -> w:\n    w = m[0][0]\n    m_bar = [[w_bar, 0], [0, 0]]\n",
    "vectors": "def f(v: vec3, k) -> w:\n    w = k * v\n    v_bar = k * w_bar\n"
    "    k_bar = dot(v, w_bar)\n    dw = dk * v + k * dv\n",
}


@pytest.mark.parametrize("case", RIGHT)
def test_right_lines_are_read(case):
    assert loads(RIGHT[case], "demo.rules").operator("f").has_derivative or case.startswith("zero")


def test_shipped_lines_are_read():
    assert load().operators["length"][0].partials
