"""Forward lines over vectors: linear is what the definitions of what they call are linear in."""

import textwrap

import pytest

from egad.rules import loads
from egad.rules.checker.check import check_rules
from egad.terms.errors import RuleError

HELPERS = """
def _blend(a: vec, b: vec, t) -> v:
    v = a + t * (b - a)


def _cubed(a: vec) -> v:
    v = a * a * a


def _first(a: vec, b: vec) -> v:
    v = a


def _swap(m: mat) -> t:
    t = [c for c in columns(m)]
"""

RIGHT = {
    "a product of a matrix and a vector": (
        "m: mat3, v: vec3",
        "matmul(m, v)",
        "matmul(dm, v) + matmul(m, dv)",
    ),
    "a product of matrices": ("a: mat2, b: mat2", "matmul(a, b)", "matmul(da, b) + matmul(a, db)"),
    "between two vectors": ("a: vec3, b: vec3", "lerp(a, b, 0.25)", "lerp(da, db, 0.25)"),
    "by a number": ("a: vec3, t", "lerp(0, a, t)", "lerp(0, da, t) + dt * a"),
    "a helper": ("a: vec3, b: vec3", "_blend(a, b, 0.25)", "_blend(da, db, 0.25)"),
    "a helper below": ("a: vec3", "_below(a)", "_below(da)"),
    "what a helper leaves out": ("a: vec3", "_first(a, a)", "_first(da, a * a)"),
    "helpers in one another": ("m: mat2", "_swap(2 * m)", "2 * _swap(_swap(_swap(dm)))"),
    "a choice": ("a: vec3", "a if a.x > 0 else 2 * a", "da if a.x > 0 else 2 * da"),
    "a choice of nothing": ("a: vec3", "abs(a.x)", "da.x if a.x > 0 else 0 if a.x == 0 else -da.x"),
    "a fused product": ("a: vec3, k", "k * a", "fma(dk, a, k * da)"),
    "an inner product": ("a: vec3, b: vec3", "dot(a, b)", "dot(da, b) + dot(a, db)"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_linear_lines(case):
    params, value, line = RIGHT[case]
    below = "\n\ndef _below(a: vec) -> v:\n    v = 2 * a - a * 3\n"
    text = f"{HELPERS}\n\ndef f({params}) -> w:\n    w = {value}\n    dw = {line}\n{below}"
    rules = loads(text, "demo.rules")
    assert not [r.problem for r in check_rules(rules, ["demo.rules"]) if r.problem]


WRONG = {
    "a square": ("v: vec3", "v", "dv * dv", "dv * dv"),
    "a helper": ("v: vec3", "v", "_cubed(dv)", "_cubed(dv)"),
    "an inner product of tangents": ("v: vec3", "dot(v, v)", "dot(dv, dv)", "dot(dv, dv)"),
    "a weight that changes": ("a: vec3, t", "a", "lerp(a, a, dt)", "lerp(a, a, dt)"),
    "a number beside": ("v: vec3", "v", "_blend(v, dv, 0.5)", "_blend(v, dv, 0.5)"),
    "an arm without a tangent": ("v: vec3", "v", "dv if v.x > 0 else v", "dv if v[0] > 0 else v"),
    "a primitive": ("v: vec3", "v", "abs(dv)", "abs(dv)"),
    "a quotient": ("v: vec3", "v", "v / dv", "v / dv"),
}


@pytest.mark.parametrize("case", WRONG)
def test_lines_that_are_not_linear(case):
    params, value, line, shown = WRONG[case]
    text = f"{HELPERS}\n\ndef f({params}) -> w:\n    w = {value}\n    dw = {line}\n"
    with pytest.raises(RuleError) as caught:
        loads(text, "demo.rules")
    error = caught.value
    assert error.message == f"[f] {shown} is not linear in the tangents"
    assert (error.at.line, error.at.column) == (text[: text.index("dw =")].count("\n") + 1, 10)
    assert error.hint.startswith("a forward rule is linear in d")


def test_a_line_that_depends_on_no_tangent():
    for line in ("v", "_first(v, dv)", "[1, 2, 3]"):
        with pytest.raises(RuleError, match="does not depend on a tangent"):
            loads(f"{HELPERS}\n\ndef f(v: vec3) -> w:\n    w = v\n    dw = {line}\n", "demo.rules")


def test_a_line_in_a_block_of_its_own():
    text = """
        @derivative
        def matmul(p: mat, q: vec) -> r:
            dr = matmul({}, q) + matmul(p, dq)
        """
    rules = loads(textwrap.dedent(text).format("dp"), "demo.rules")
    assert any(o.pushforward is not None for o in rules.operators["matmul"])
    with pytest.raises(
        RuleError, match=r"\[matmul\] matmul\(p, q\) \+ matmul\(p, dq\) is not linear"
    ):
        loads(textwrap.dedent(text).format("p"), "demo.rules")
