"""Operators of rule files whose results are vectors, with derivatives of their own."""

import numpy as np
import pytest

from egad import derive, diff_pair, float2, float3
from egad.rules import loads

# Each derivative is stated four times too large, so that it shows that it is used.
FORMS = {
    "a backward side": "v_bar = 4 * s * w_bar\n    s_bar = 4 * dot(v, w_bar)",
    "a forward side": "dw = 4 * (s * dv + ds * v)",
}
SCALE = """
def scaled(v: vec3, s) -> w:
    w = s * v
    {}
"""


def rules_of(text, name="vectors.rules"):
    return [loads(text, name)]


@pytest.fixture(params=FORMS)
def scale(request):
    return rules_of(SCALE.format(FORMS[request.param]))


def f(v: float3, s: float) -> float:
    w = scaled(v, s * s)  # noqa: F821
    return w.x + 10 * w.y + 100 * w.z


def test_the_value_is_that_of_the_definition(scale):
    assert derive(f, "primal", dtype="float64", rules=scale)([1.0, 2.0, 3.0], 2.0) == 4 * 321


def test_backward(scale):
    found = derive(f, "bwd", dtype="float64", rules=scale)([1.0, 2.0, 3.0], 2.0, 1.0)
    assert list(found.v) == [16, 160, 1600]
    assert found.s == 4 * 321 * 4


def test_forward_and_its_jacobian():
    rules = rules_of(SCALE.format(FORMS["a forward side"]))
    forward = derive(f, "fwd", dtype="float64", rules=rules)
    one = np.array([0.0, 1.0, 0.0])
    found = forward(diff_pair(np.array([1.0, 2.0, 3.0]), one), diff_pair(2.0, 0.0))
    assert found.d == 160

    def g(v: float3, s: float) -> float3:
        return scaled(v, s)  # noqa: F821

    jacobian = derive(g, "jacobian", dtype="float64", rules=rules)([1.0, 2.0, 3.0], 5.0)
    assert np.array_equal(jacobian.v, 20 * np.eye(3))
    assert list(jacobian.s) == [4, 8, 12]


def test_second_derivatives_are_those_of_the_lines():
    rules = rules_of("def cubes(v: vec2) -> w:\n    w = v * v * v\n    v_bar = 2 * v * v * w_bar\n")

    def total(v: float2) -> float:
        w = cubes(v)  # noqa: F821
        return w.x * w.y

    hessian = derive(total, "hessian", dtype="float64", rules=rules)([2.0, 3.0])
    # The gradient is (2 x^2 w_y, 2 y^2 w_x); the derivative of w in it is 2 v^2 again.
    assert np.array_equal(hessian.v.v, [[4 * 2 * 27, 2 * 4 * 2 * 9], [144, 4 * 3 * 8]])


def test_a_scalar_of_vectors_with_a_forward_side():
    rules = rules_of(
        "def inner(a: vec3, b: vec3) -> y:\n    y = dot(a, b)\n"
        "    dy = 2 * dot(da, b) + 3 * dot(a, db)\n"
    )

    def g(a: float3, b: float3) -> float:
        return inner(a, b)  # noqa: F821

    found = derive(g, "bwd", dtype="float64", rules=rules)([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], 1.0)
    assert list(found.a) == [8, 10, 12]
    assert list(found.b) == [3, 6, 9]


def test_the_lines_may_use_the_result():
    rules = rules_of(
        "def unit(v: vec2) -> w:\n    w = v / length(v)\n"
        "    v_bar = (w_bar - w * dot(w, w_bar)) / length(v)\n"
    )

    def g(v: float2) -> float2:
        return unit(v)  # noqa: F821

    jacobian = derive(g, "jacobian", dtype="float64", rules=rules)([3.0, 4.0])
    assert np.allclose(jacobian.v, np.array([[16, -12], [-12, 9]]) / 125, rtol=1e-14)


def test_overloads_keep_apart():
    block = "def twice(v: {}) -> w:\n    w = 2 * v\n    v_bar = {} * w_bar\n"
    rules = rules_of(block.format("vec2", 20) + block.format("vec3", 30))

    def g(a: float2, b: float3) -> float:
        return twice(a).x + twice(b).y  # noqa: F821

    found = derive(g, "bwd", dtype="float64", rules=rules)([1.0, 2.0], [1.0, 2.0, 3.0], 1.0)
    assert list(found.a) == [20, 0]
    assert list(found.b) == [0, 30, 0]


def test_a_substitute_for_a_vector():
    rules = rules_of(
        "def stairs(v: vec2) -> w:\n    w = floor(v)\n"
        '@primal(unchecked="a ramp")\ndef stairs(v: vec2) -> w:\n    w = 3 * v\n'
    )

    def g(v: float2) -> float:
        w = stairs(v)  # noqa: F821
        return w.x + w.y

    derived = derive(g, "value_and_grad", dtype="float64", rules=rules)
    value, gradients = derived([1.5, 2.5])
    assert value == 12
    assert list(gradients.v) == [3, 3]


def test_the_derivative_of_a_shipped_operator_over_vectors_may_be_restated():
    text = (
        '@derivative(unchecked="scaled")\ndef cross(a, b) -> c:\n'
        "    a_bar = 7 * cross(b, c_bar)\n    b_bar = 7 * cross(c_bar, a)\n"
    )

    def g(a: float3, b: float3) -> float:
        return cross(a, b).z  # noqa: F821

    found = derive(g, "bwd", dtype="float64", rules=rules_of(text))
    assert list(found([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], 1.0).a) == [35, -28, 0]


def test_batches_and_kernels(scale):
    derived = derive(f, "bwd", dtype="float64", rules=scale)
    v, s = np.arange(12.0).reshape(4, 3), np.linspace(1, 2, 4)
    kernel, reference = derived(v, s, 1.0), derived.reference(v, s, 1.0)
    assert np.array_equal(kernel.v, reference.v)
    assert np.array_equal(kernel.s, reference.s)
