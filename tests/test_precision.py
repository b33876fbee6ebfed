"""Half, single and double in one function: types, values, and derivatives, three ways.

The judge is the same text with every precision replaced by double: what differs is rounding.
"""

import linecache

import numpy as np
import pytest

import egad
from egad.codegen.devices import device
from egad.codegen.host.reference import evaluate
from egad.terms.errors import DeviceError
from egad.terms.types import Scalar, Vec

EPSILON = {"half": 2.0**-10, "float": 2.0**-23, "double": 2.0**-52}
POINT = {"h": 1.25, "x": 0.7, "d": 2.3, "v": (0.5, -1.5, 2.0), "i": 3}
PROGRAMS = {
    "mixed": "def f(h: half, x: float, d: double):\n    return h * x + d * h, h * h + x\n",
    "narrow": "def f(x: float, d: double):\n    return half(x) * half(d), float(d) * x\n",
    "wide": "def f(h: half, x: float):\n    return double(h) / 3 + double(x) * double(0.1)\n",
    "branch": "def f(h: half, x: float):\n"
    "    if h > x:\n        y = h * h\n    else:\n        y = x * x * x\n    return y * x\n",
    "vectors": "def f(v: half3, x: float):\n    w = v * x\n    return dot(w, v) + v.x, half3(w)\n",
    "functions": "def f(h: half, d: double):\n"
    "    return sin(h) * exp(d) + sqrt(h) + max(h, d) ** 2 + log(float(d)) * 0.5\n",
    "integers": "def f(h: half, i: int):\n    return h * i + (i // 2) / 4, i + half(0.5) * h\n",
    "many_uses": "def f(h: half, x: float):\n"
    "    return h * x + h * x * x + h / x + h * 0.125 + (h + x) * (h - x)\n",
}


def function_of(text, name):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = dict(vars(egad))
    exec("from egad import *", scope)
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def flat(program, values):
    inputs = {}
    for slot, value in zip(program.params, values, strict=True):
        for path, leaf in zip(slot.paths(), np.ravel(value), strict=True):
            inputs[path] = leaf
    return inputs


def arguments(program):
    """Values by name; every cotangent is 1."""
    shape = {3: np.ones(3), 1: 1.0}
    return [POINT.get(s.name, shape[len(s.paths())]) for s in program.params]


def available(*kinds):
    try:
        device.choose(None, fp64="double" in kinds, fp16="half" in kinds)
    except DeviceError:
        return False
    return True


def precisions(text):
    return [kind for kind in EPSILON if kind in text] or ["float"]


@pytest.mark.parametrize("mode", ["primal", "bwd"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_three_ways(name, mode):
    text = PROGRAMS[name]
    kinds = precisions(text)
    d = egad.derive(function_of(text, f"<{name}>"), mode)
    doubled = text.replace("half", "double").replace("float", "double")
    judge = egad.derive(function_of(doubled, f"<{name} doubled>"), mode, dtype="float64")
    values = arguments(d.program)
    wanted = evaluate(judge.derivative, judge.rules, flat(judge.program, values))
    ways = {
        "derivative": evaluate(d.derivative, d.rules, flat(d.program, values)),
        "extracted": evaluate(d.program, d.rules, flat(d.program, values)),
    }
    if available(*kinds):
        found = d(*values)
        found = found if isinstance(found, tuple) else (found,)
        ways["kernel"] = [leaf for part in found for leaf in np.ravel(part)]
    coarsest = EPSILON[kinds[0]]
    for way, results in ways.items():
        got = np.array([float(r) for r in results])
        np.testing.assert_allclose(
            got, np.array(wanted, float), rtol=16 * coarsest, atol=16 * coarsest, err_msg=way
        )


def types(text, mode="primal"):
    d = egad.derive(function_of(text, "<types>"), mode)
    return [slot.type for slot in d.program.results]


def test_the_widest_decides_and_constants_adapt():
    half, single, double = Scalar.F16, Scalar.F32, Scalar.F64
    text = "def f(h: half, x: float, d: double, i: int):\n    return "
    for expression, type_ in (
        ("h * 2", half),
        ("h * 0.1", half),
        ("h + i", half),
        ("h + x", single),
        ("x * d", double),
        ("x * double(0.1)", double),
        ("x * half(0.1)", single),
        ("half(x) + h", half),
        ("float(h)", single),
        ("h if x > 0 else d", double),
        ("max(h, x)", single),
        ("i / 2", single),
    ):
        assert types(text + expression + "\n") == [type_], expression


def test_a_gradient_has_the_type_of_its_parameter():
    text = PROGRAMS["mixed"]
    assert types(text, "bwd") == [Scalar.F16, Scalar.F32, Scalar.F64]
    assert types(PROGRAMS["vectors"], "bwd") == [Vec(Scalar.F16, 3), Scalar.F32]


def test_a_constant_of_half_is_rounded():
    f = function_of("def f(x: float):\n    return half(0.1) * x\n", "<rounded>")
    assert egad.derive(f, "primal").reference(1.0) == float(np.float16(0.1))


def test_a_device_needs_what_the_program_uses():
    mixed = egad.derive(function_of(PROGRAMS["mixed"], "<needs>"))
    assert mixed._needs == {"fp64": True, "fp16": True}
    f = function_of("def f(x: float):\n    return float(half(x))\n", "<inside>")
    assert egad.derive(f)._needs == {"fp64": False, "fp16": True}
    assert egad.derive(lambda x: x * x)._needs == {"fp64": False, "fp16": False}
