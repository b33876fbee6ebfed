"""Functions read from their source compute what Python computes."""

import enum
import functools
import math

import numpy as np
import pytest

import egad
from egad import (
    bool2,
    clamp,
    copy,
    cross,
    determinant,
    dot,
    double,
    float2,
    float2x2,
    float2x3,
    float3,
    float3x3,
    half,
    int3,
    length,
    lerp,
    mul,
    no_diff,
    saturate,
    select,
    sincos,
    transpose,
)
from egad.codegen.host.reference import evaluate
from egad.reader import read, select_wrt
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.term import is_const
from egad.terms.types import Mat, Scalar, Tup, Vec

RULES = load()


def program(f, real=Scalar.F64, **options):
    return read(f, real=real, rules=RULES, **options)


def run(f, *args):
    """The flat results of the program of `f`."""
    p = program(f)
    inputs = {}
    for slot, arg in zip(p.params, args, strict=True):
        inputs.update(zip(slot.paths(), np.ravel(arg), strict=True))
    return [np.asarray(v).item() for v in evaluate(p, RULES, inputs)]


def flat(value):
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in flat(item)]
    return [np.asarray(v).item() for v in np.ravel(np.asarray(value))]


def check(f, *args):
    """The program gives what Python gives."""
    np.testing.assert_allclose(run(f, *args), flat(f(*args)), rtol=1e-14)


# --- statements ----------------------------------------------------------------------------

DEBUG = False
SCALE = 3
WEIGHTS = (0.5, 0.25, 2.0)
LIGHT = float3(1, 2, 3)
TURN = np.array([[0.0, -1.0], [1.0, 0.0]])


class Mode(enum.IntEnum):
    LINEAR = 0
    CUBIC = 2


class Level(enum.Enum):
    LOW = 1


def straight(x: float, y: float) -> float:
    """A docstring."""
    m = n = x + y
    m -= y / 2
    n: float
    k: float = 2
    pass
    a, (b, c) = m, (n, k)
    (d, *rest) = a, b, c
    return a * b - c + d**3 - rest[1] // 1 + (-x) % 3 + +y


def branches(x: float, n: int) -> float:
    if n == SCALE and n // 2 == 1:
        return x
    elif n in (1, 2):
        y = x * 2
    elif n == Mode.LINEAR:
        y = 3
    elif n == Level.LOW.value + 4:
        if x > 1:
            return y_of(x) if x < 2 else -x
        y = x - 1
    else:
        y = x
        if x > 1:
            return y * y
    y += 1
    return y


def y_of(x, scale=2.0, *, shift=1.0):
    return x * scale + shift


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("x", [0.5, 1.5, 2.5])
def test_branches(x, n):
    check(branches, x, n)


def test_straight():
    check(straight, 1.5, -2.25)


def test_early_return_reads_the_rest_once():
    def f(x: float) -> float:
        if x < 0:
            return 0.0
        if x < 1:
            return x
        return math.exp(x)

    ops = [t.op for t in program(f).terms()]
    assert ops.count("exp") == 1
    for x in (-1.0, 0.5, 2.0):
        check(f, x)


def test_known_conditions_are_decided_while_reading():
    def f(x, debug=None, kind="fast"):
        if DEBUG or debug is not None:
            return undefined(x)  # noqa: F821
        if kind == "fast" and not DEBUG:
            return x
        return undefined(x)  # noqa: F821

    p = program(f)
    assert [s.name for s in p.params] == ["x"]
    assert p.roots == ((p.params[0].leaves()[0],),)


def test_enum_members_are_their_values():
    def f(x: float, level: int) -> float:
        return x if level == Level.LOW else -x

    assert [run(f, 2.0, level) for level in (0, 1)] == [[-2.0], [2.0]]


def test_long_programs_are_linear_and_not_recursive():
    lines = ["def f(x: float) -> float:"]
    lines += [f"    if x > {i}: x = x * 1.5 + {i}" for i in range(400)]
    lines += ["    return " + " + ".join(["x"] * 900)]
    lines += ["def g(x: float, n: int) -> float:", "    if n == 0: y = x"]
    lines += [f"    elif n == {i}: y = x * {i}" for i in range(1, 300)]
    lines += ["    else: y = 0", "    return y"]
    scope = exec_with_source("\n".join(lines))
    assert len(program(scope["f"]).terms()) < 4000
    assert run(scope["g"], 2.0, 7) == [14.0]


def exec_with_source(text, file="<egad test>"):
    import linecache

    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope


# --- expressions ---------------------------------------------------------------------------


def logic(x: float, y: float, n: int) -> tuple[float, float, float]:
    p = (x > 0 and y > 0) or n == 1
    q = 0 < x < y < 10 and not x > 9
    a = 1.0 if p else -1.0
    b = (x and y) + (x or y)
    c = float((x > 1) & ~(y > 1) | (x < y)) + float(not n) + float(n != 1) + bool(n)
    return a + q, b, c


@pytest.mark.parametrize("point", [(1.0, 2.0, 0), (-1.0, 2.0, 1), (0.0, 0.0, 3), (2.0, 1.0, 0)])
def test_logic(point):
    check(logic, *point)


def test_integers():
    def f(x: int, y: int):
        return x // y, x % y, x / y, int(x / 2.0), x**2, -x, abs(x), min(x, y), x * 0.5, float(x)

    for point in [(7, 3), (-7, 3), (7, -3), (-7, -3)]:
        check(f, *point)
    kinds = [s.type for s in program(f, Scalar.F32).results]
    assert kinds == [Scalar.I32] * 2 + [Scalar.F32] + [Scalar.I32] * 5 + [Scalar.F32] * 2


def test_functions_of_python_and_numpy():
    def f(x: float, y: float):
        a = math.sin(x) + np.cos(y) + abs(x) + pow(x, 2) + max(x, y, 1.0) + min((x, y))
        b = np.where(x > y, np.arctan2(y, x), math.hypot(x, y)) + math.pi + np.e
        c = sum((x, y, 2)) + len((x, y)) + round(y) + math.sqrt(4) + np.float64(2.5) * x
        return a, b, c, math.floor(x) + float("inf"), np.square(y), y**0.5, x**-2, math.prod((x, y))

    check(f, 1.25, 3.5)


def test_vectors():
    def f(v: float3, w: float3, s: float):
        u = float3(0.0)
        u.zy = v.yx
        u[0] += s
        u.z *= 2
        a, b, c = w
        m = float3x3(v, w, u)
        m[1][0] = s
        m[2, 1] = a
        m[0] = w
        n = float2x3(v, w)
        r = m @ v + mul(v, m) + LIGHT + cross(v, w) * dot(v, w) + lerp(v, w, s)
        t = n.T @ float2(1, s) + transpose(n)[1].x + clamp(v, 0.0, 1.0) / w + v[0:2].x
        return r, t, n[-1], b + c, length(v), determinant(m), saturate(s), v.rgb

    p = program(f)
    assert [s.type for s in p.results][:3] == [Vec(Scalar.F64, 3)] * 3
    inputs = [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0], 0.3]
    found = run(f, *inputs)
    v, w = np.array(inputs[0]), np.array(inputs[1])
    u = np.array([0.3, v[0], v[1] * 2])
    m = np.array([w, [0.3, w[1], w[2]], [u[0], w[0], u[2]]])
    r = m @ v + v @ m + [1, 2, 3] + np.cross(v, w) * (v @ w) + v + 0.3 * (w - v)
    t = np.array([v, w]).T @ [1, 0.3] + v[1] + np.clip(v, 0, 1) / w + v[0]
    last = [w[1] + w[2], np.linalg.norm(v), np.linalg.det(m), 0.3]
    np.testing.assert_allclose(found, [*r, *t, *w, *last, *v], rtol=1e-13)


def test_vectors_are_objects_as_in_python():
    def f(v: float2):
        w = v
        u = copy(v)
        w.x = 5.0
        return v.x, w.x, u.x

    assert run(f, [1.0, 2.0]) == [5.0, 5.0, 1.0] == list(f(float2(1.0, 2.0)))


def test_dynamic_indices():
    def f(v: float3, i: int, j: int):
        w = copy(v)
        w[i] = 7
        m = float2x3(v, w)
        m[j][i] += 1
        m[0, i] *= 2
        return w[j], m[j][i], WEIGHTS[i], m[0]

    for i in range(3):
        for j in range(2):
            v = np.array([1.0, 2.0, 3.0])
            w = v.copy()
            w[i] = 7
            m = np.array([v, w])
            m[j][i] += 1
            m[0, i] *= 2
            assert run(f, v, i, j) == [w[j], m[j][i], WEIGHTS[i], *m[0]]


def test_numpy_arrays_of_the_module():
    def f(v: float2):
        return TURN @ v, np.dot(v, v), np.array([v.x, 1.0]), np.linalg.norm(v), TURN.T @ v

    assert run(f, [3.0, 4.0]) == [-4.0, 3.0, 25.0, 3.0, 1.0, 5.0, 4.0, -3.0]


def test_constructors():
    def f(x: float, v: float2):
        a = float3(x, v) + float3(x) + float3(v, 1)
        b = float2x2(x, v, 1.0)
        return a, b, int3(a), float2x2(x)[1], float3(), bool2(v)

    found = run(f, 2.5, [0.0, 4.0])
    a = [2.5 + 2.5, 0.0 + 2.5 + 4.0, 4.0 + 2.5 + 1]
    assert found == [*a, 2.5, 0, 4, 1, 5, 6, 7, 2.5, 2.5, 0, 0, 0, False, True]


def test_select_by_component_and_sincos():
    def f(v: float2, w: float2):
        s, c = sincos(v.x)
        return select(v < w, v, w), np.where(v.x > w.x, v, w), s, c

    assert run(f, [1.0, 5.0], [2.0, 3.0]) == [1, 3, 2, 3, math.sin(1.0), math.cos(1.0)]


# --- functions in functions ----------------------------------------------------------------


def test_nested_functions_and_closures():
    def outer(k):
        def f(x: float, y: float) -> float:
            def g(t, s=k):
                return t * s * x

            h = lambda t: g(t, s=y)  # noqa: E731
            x = x + 1
            return h(x) + g(y) + y_of(x, shift=y) + scaled(y)

        return f

    check(outer(4), 1.5, 2.5)


scaled = functools.partial(y_of, scale=3.5)


def test_lambdas_on_one_line():
    pair = (lambda x: x + 1, lambda x: x * 3)
    assert [run(f, 2.0) for f in pair] == [[3.0], [6.0]]
    ünïcode = (lambda x: 2 * x, lambda x: x * "é".count("z") if x is None else x - 4)
    assert run(ünïcode[1], 2.0) == [-2.0]


class Lens:
    power = 2.5

    def bend(self, x: float) -> float:
        return x * self.power


@functools.cache
def cached(x):
    return x + 1


def test_methods_partials_and_caches():
    assert run(Lens().bend, 2.0) == [5.0]
    assert run(functools.partial(y_of, scale=5.0), 2.0, 1.0) == [11.0]
    assert run(functools.partial(y_of, 2.0), 3.0, 1.0) == [7.0]
    assert run(cached, 2.0) == [3.0]
    assert run(lambda x: cached(x) * 2, 2.0) == [6.0]
    assert run(math.atan2, 1.0, 2.0) == [math.atan2(1, 2)]


def test_partials_bind_what_a_function_has():
    with pytest.raises(TraceError, match="y_of has 3 parameters, and 4 values are bound"):
        run(functools.partial(y_of, 1.0, 2.0, 3.0, 4.0), 1.0)
    with pytest.raises(TraceError, match="binds 'scal', which y_of does not have; did you mean"):
        run(functools.partial(y_of, scal=1.0), 1.0)


@egad.struct
class Weight:
    by: float


def weighed(x: float, w: Weight, v: egad.float2, xs: list[float], n: int) -> float:
    return x * w.by + v.y * xs[1] * float(n)


half_bound = functools.partial(weighed, v=np.array([3.0, 5.0]), n=np.int64(2), xs=[7.0, 11.0])
all_bound = functools.partial(half_bound, w=Weight(np.float32(0.5)))


def test_partials_bind_all_that_a_function_finds_outside():
    assert run(all_bound, 4.0) == [4.0 * 0.5 + 5.0 * 11.0 * 2]
    assert run(lambda x: all_bound(x) * 2, 4.0) == [2 * 112.0]
    others = dict(v=egad.float2(3, 5), xs=np.array([7, 11]), n=np.uint8(2), w=Weight(np.float64(2)))
    assert run(functools.partial(weighed, np.float16(4.0), **others)) == [118.0]

    def changed(x: float, w: Weight) -> float:
        w.by = x
        return w.by

    with pytest.raises(TraceError, match="this Weight cannot be changed"):
        run(functools.partial(changed, w=Weight(1.0)), 2.0)


def test_functions_without_source_are_traced():
    scope = {}
    exec("def f(x):\n    return x * x + 1", scope)
    assert run(scope["f"], 3.0) == [10.0]


# --- signatures ----------------------------------------------------------------------------


def test_parameters():
    def f(a, b: float, n: int, p: bool, v: float3, m: "float2x2", w: no_diff[float2], d: double):
        return a * b * v.x * m[0][0] * w.x * d + n + p

    p = program(f, Scalar.F32)
    assert [s.diff for s in p.params] == [True, True, False, False, True, True, False, True]
    assert [s.type for s in p.params] == [
        Scalar.F32,
        Scalar.F32,
        Scalar.I32,
        Scalar.BOOL,
        Vec(Scalar.F32, 3),
        Mat(Scalar.F32, 2, 2),
        Vec(Scalar.F32, 2),
        Scalar.F64,
    ]
    assert p.results[0].type is Scalar.F64
    some = program(f, Scalar.F32, wrt=["v", "a"])
    assert [s.name for s in some.params if s.diff] == ["a", "v"]
    assert select_wrt(p, ["v", "a"]) == some


def test_result_names():
    def named(x):
        y, z = x + 1, x * 2
        return y, z

    def mixed(x, c: bool):
        y = x + 1
        if c:
            return y, x
        return y, 2 * x

    assert [s.name for s in program(named).results] == ["y", "z"]
    assert [s.name for s in program(mixed).results] == ["y", "out1"]
    assert [s.name for s in program(straight).results] == ["out"]


def test_annotations_of_results():
    def f(x: float, n: int) -> tuple[float, half]:
        return n, 2

    def g(x: no_diff[float]) -> no_diff[float]:
        return x * x

    p = program(f, Scalar.F32)
    assert [s.type for s in p.results] == [Scalar.F32, Scalar.F16]
    assert p.roots[1][0].type is Scalar.F16
    assert is_const(p.roots[1][0])
    assert [s.diff for s in program(g).results] == [False]


def test_tuples_as_parameters():
    def f(p: tuple[float, float3], k=(1.0, 2.0)):
        a, v = p
        return a * v * k[1]

    p = program(f)
    assert isinstance(p.params[0].type, Tup)
    assert p.params[0].paths() == ["p[0]", "p[1].x", "p[1].y", "p[1].z"]


def test_wrt_is_checked():
    with pytest.raises(TraceError, match="did you mean 'scale'"):
        program(y_of, wrt=["scal"])
    with pytest.raises(TraceError, match="not real"):
        program(branches, wrt=["n"])


def test_notes_name_terms_after_variables():
    def f(x: float, v: float2) -> float:
        square = x * x
        other = square
        w = v * 2
        if x > 0:
            w.x = other + 1
        return w.x + w.y

    p = program(f)
    named = [(note.name, term.op) for term, note in p.notes.items()]
    assert named == [
        ("square", "mul"),
        ("w.x", "mul"),
        ("w.y", "mul"),
        ("w.x", "add"),
        ("w.x", "select"),
    ]
    assert all(note.at is not None and note.at.file == __file__ for note in p.notes.values())


def test_reading_is_deterministic():
    first, second = program(branches), program(branches)
    assert first == second
    assert hash(first) == hash(second)
