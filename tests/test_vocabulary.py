"""The words that users import: numbers, arrays and vectors in, the same out."""

import builtins
import copy
import inspect
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import egad
from egad import vocabulary
from egad.terms.errors import TraceError

float2, float3, float2x2, int3 = egad.float2, egad.float3, egad.float2x2, egad.int3


def test_numbers_in_numbers_out():
    for value, expected in [
        (egad.sin(0.5), math.sin(0.5)),
        (egad.sin(1), math.sin(1)),
        (egad.atan2(1.0, -1.0), 3 * math.pi / 4),
        (egad.lerp(1.0, 3.0, 0.25), 1.5),
        (egad.rcp(4), 0.25),
        (egad.max(1, 2), 2),
        (egad.max(1.5, 2, 7), 7.0),
        (egad.min(1.5, 2, 7), 1.5),
        (egad.add(2**40, 1), float(2**40 + 1)),
        (egad.isnan(math.nan), True),
        (egad.select(False, 1, 2.5), 2.5),
        (egad.sign(-3), -1),
    ]:
        assert value == expected
        assert type(value) is type(expected)
    assert egad.sincos(0.5) == (math.sin(0.5), math.cos(0.5))
    assert math.isinf(egad.rcp(0.0))


def test_arrays_keep_their_precision():
    for dtype in (np.float16, np.float32, np.float64):
        got = egad.sin(np.array([1, 2], dtype=dtype))
        assert got.dtype == dtype
        np.testing.assert_allclose(got, np.sin(np.array([1, 2], dtype=dtype)), rtol=1e-3)
    assert egad.mul(np.float32([1, 2]), 2).dtype == np.float32
    assert egad.sin(np.arange(3)).dtype == np.float64
    assert egad.add(np.arange(3), 1).tolist() == [1, 2, 3]
    assert egad.add(np.array([2**40]), 1).tolist() == [2**40 + 1]
    assert egad.select(np.array([True, False]), 1.0, np.array([3.0, 4.0])).tolist() == [1.0, 4.0]
    assert egad.add(np.ones((3, 1)), np.ones(2)).shape == (3, 2)


def test_vectors():
    a, b = float3(1, 2, 3), float3(4, 5, 6)
    assert egad.dot(a, b) == 32.0
    assert egad.cross(a, b) == float3(-3, 6, -3)
    assert egad.length(float2(3, 4)) == 5.0
    assert egad.normalize(float2(3, 4)) == float2(0.6, 0.8)
    assert egad.max(a, 2.5) == float3(2.5, 2.5, 3)
    assert egad.clamp(a, 1.5, float3(2)) == float3(1.5, 2, 2)
    assert egad.select(a > 1, a, -a) == float3(-1, 2, 3)
    assert egad.sincos(float2(0, math.pi / 2))[0] == float2(0, 1)
    assert egad.transpose(egad.float2x3(1, 2, 3, 4, 5, 6)) == egad.float3x2(1, 4, 2, 5, 3, 6)
    m = float2x2(1, 2, 3, 4)
    assert egad.mul(m, float2(1, 1)) == m @ float2(1, 1) == float2(3, 7)
    assert egad.mul(float2(1, 1), m) == float2(1, 1) @ m == float2(4, 6)
    assert egad.mul(m, m) == m @ m == float2x2(7, 10, 15, 22)
    assert egad.determinant(m) == -2.0
    assert egad.inverse(m) == float2x2(-2, 1, 1.5, -0.5)
    assert repr(egad.abs(egad.int2(-1, 2))) == "int2(1, 2)"
    assert repr(egad.exp(egad.double2(0))) == "double2(1.0, 1.0)"


def test_stacked_arrays_are_vectors_where_vectors_are_asked_for():
    a = np.arange(15.0).reshape(5, 3)
    np.testing.assert_allclose(egad.dot(a, a), (a * a).sum(-1))
    np.testing.assert_allclose(egad.cross(a, a + 1), np.cross(a, a + 1))
    m = np.random.default_rng(0).normal(size=(7, 3, 3))
    np.testing.assert_allclose(egad.determinant(m), np.linalg.det(m))
    np.testing.assert_allclose(egad.inverse(m), np.linalg.inv(m))
    assert egad.transpose(np.ones((7, 2, 3))).shape == (7, 3, 2)
    assert egad.dot([1, 2, 3], [4, 5, 6]) == 32


def test_many_vectors_at_once():
    v = float3(np.arange(4.0), 1, 2)
    assert np.asarray(v * 2).tolist() == [[2 * i, 2, 4] for i in range(4)]
    np.testing.assert_allclose(egad.length(v), [math.sqrt(i * i + 5) for i in range(4)])


def test_components():
    v = float3(1, 2, 3)
    v.zy = v.xy * 10
    v.x += 1
    v[-1] = 7
    assert (v.x, v.y, v.z, v.r, v.bg) == (2.0, 20.0, 7.0, 2.0, float2(7, 20))
    assert v.xxzz == egad.float4(2, 2, 7, 7)
    assert list(v) == [2.0, 20.0, 7.0]
    assert v[0:2] == v.xy
    assert len(v) == 3
    m = float2x2(1, 2, 3, 4)
    m[0][1] = 9
    m[1] = float2(7, 8)
    m[1, 0] += 1
    assert m == float2x2(1, 9, 8, 8)
    assert m.T[0] == float2(1, 8)
    assert m.shape == (2, 2)


def test_constructors():
    assert float3(2) == float3(2, 2, 2)
    assert float3(1, float2(2, 3)) == float3(float2(1, 2), 3) == float3([1, 2, 3])
    assert float3(np.array([1, 2, 3])) == float3(1, 2, 3)
    assert float2x2(5) == float2x2(5, 5, 5, 5)
    assert float2x2(float2(1, 2), float2(3, 4)) == float2x2(1, 2, 3, 4)
    assert float2x2(egad.float3x3(*range(9))) == float2x2(0, 1, 3, 4)
    assert list(int3(1.7, -1.7, True)) == [1, -1, 1]
    assert list(egad.bool2(0, 3)) == [False, True]
    assert egad.half(1) == 1.0 and isinstance(egad.double(2), float)


def test_arithmetic():
    v = float3(1, -2, 4)
    assert -v == float3(-1, 2, -4)
    assert 1 / float3(0, -2, 4) == float3(math.inf, -0.5, 0.25)
    assert math.isnan((v * 0 / 0).x)
    assert v**2 == float3(1, 4, 16)
    assert math.isnan((v**0.5).y)
    assert v // 3 == float3(0, -1, 1)
    assert v % 3 == float3(1, 1, 1)
    assert abs(v) == float3(1, 2, 4)
    assert 2 * v + np.array([1, 2, 3]) == float3(3, -2, 11)
    assert np.array([1, 2, 3]) - v == float3(0, 4, -1)
    assert np.float64(2) * v == 2 * v
    assert np.maximum(v, 0) == float3(1, 0, 4)
    assert np.where(v > 0, v, 0) == float3(1, 0, 4)
    assert np.dot(v, v) == 21.0
    assert np.linalg.norm(float2(3, 4)) == 5.0
    assert repr(int3(1, 2, 3) * 2) == "int3(2, 4, 6)"
    assert repr(int3(1, 2, 4) / 2) == "float3(0.5, 1.0, 2.0)"
    assert repr(~(v > 0) & (v < 5)) == "bool3(False, True, False)"
    assert float2x2(1, 2, 3, 4) * float2x2(2) + 1 == float2x2(3, 5, 7, 9)


def test_equality_is_by_components_and_has_a_truth():
    v = float3(1, 2, 3)
    assert repr(v == float3(1, 0, 3)) == "bool3(True, False, True)"
    assert bool(v == float3(1, 0, 3)) is False
    assert bool(v != float3(1, 0, 3)) is True
    assert bool(v != float3(1, 2, 3)) is False
    assert v != float2(1, 2)
    assert v is not None and v != "x"
    with pytest.raises(TypeError, match=r"all\(...\)"):
        bool(v > 0)
    with pytest.raises(TypeError):
        hash(v)


def test_copies_and_pickles():
    v, m = float3(1, 2, 3), float2x2(1, 2, 3, 4)
    for value in (v, m):
        for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            twin[0] = 5
            assert twin != value
    assert m[0] == float2(1, 2)
    for word in (float3, egad.sin):
        assert pickle.loads(pickle.dumps(word)) is word is copy.deepcopy(word)


def test_words_describe_themselves():
    assert repr(egad.sin) == "egad.sin"
    assert egad.sin.__name__ == egad.sin.operator == egad.sin.__egad_name__ == "sin"
    assert egad.lerp.__doc__ == "Linear interpolation from a (t = 0) to b (t = 1)."
    assert str(inspect.signature(egad.lerp)) == "(a, b, t)"
    assert repr(float3) == "egad.float3"
    assert float3.type_name == float3.__egad_name__ == "float3"
    assert float2x2.__doc__ == "A matrix of kind float, 2 by 2 components."
    assert isinstance(float3(1), float3) and not isinstance(float3(1), float2)
    assert not isinstance(float3, float3)


def test_errors():
    for call, error, words in [
        (lambda: egad.sin("a"), TraceError, ["sin", "str"]),
        (lambda: egad.sin(1.0, 2.0), TraceError, ["sin(x)"]),
        (lambda: egad.dot(float3(1), float2(1)), TraceError, ["shapes differ"]),
        (lambda: egad.cross(np.ones(5), np.ones(5)), TraceError, ["(5,)"]),
        (lambda: egad.sin(np.array(["a"])), TraceError, ["<U1"]),
        (lambda: float3(1, 2), TypeError, ["3 components, 2"]),
        (lambda: float3("abc"), TypeError, ["'abc'"]),
        (lambda: egad.float3x3(float2x2(1)), TypeError, ["too small"]),
        (lambda: float3(1) + float2(1), TypeError, ["add", "float3 and float2", "shapes"]),
        (lambda: float3(1).w, AttributeError, ["float3 has no component 'w'"]),
        (lambda: egad.nosuch, AttributeError, ["nosuch"]),
        (lambda: egad.atan3, AttributeError, ["did you mean 'atan"]),
    ]:
        with pytest.raises(error) as caught:
            call()
        for word in words:
            assert word in str(caught.value)


def test_names():
    names = vocabulary.names()
    assert names == vocabulary.names() and len(set(names)) == len(names)
    assert {"sin", "dot", "float3", "half4x4", "select", "bool2", "double"} <= set(names)
    assert not any(hasattr(builtins, name) for name in names)
    assert all(vocabulary.get(name) is getattr(egad, name) for name in names)
    assert egad.max.operator == "max" and vocabulary.get("nosuch") is None


def test_importing_is_light():
    script = (
        "import sys, egad; egad.float3(1).xy; "
        "heavy = {'numpy', 'scipy', 'sympy', 'egglog', 'highspy', 'pyopencl', 'mpmath'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_marks_of_the_language_are_those_of_the_package():
    from egad.reader.python.values.words import MARKS

    homes = [egad._HOMES[f"reader.{name}"] for name in ("marks", "passing", "structs")]
    assert sorted(MARKS) == sorted(name for home in homes for name in home)
