"""The tracer: what is written down is what running the function on numbers gives; errors."""

import copy
import math
import operator
import pickle

import numpy as np
import pytest
import scipy.special

import egad
from egad.codegen.host.reference import evaluate
from egad.reader.marks import detach, no_diff
from egad.reader.tracing.symbolic import Tracer
from egad.reader.tracing.tracer import trace
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.program import Program, Slot
from egad.terms.types import Mat, Scalar, Vec

RULES = load()
float2, float3, float2x2 = egad.float2, egad.float3, egad.float2x2


def traced(function, **options) -> Program:
    return trace(function, **{"real": Scalar.F64, "rules": RULES, **options})


def run(program: Program, *args) -> list[float]:
    inputs = {}
    for slot, arg in zip(program.params, args, strict=True):
        leaves = np.asarray(arg, dtype=object).reshape(-1)
        inputs.update(zip(slot.paths(), leaves, strict=True))
    return [float(v) for v in evaluate(program, RULES, inputs)]


SCALAR = [
    lambda x, y: x + y * 2 - 1 / x + 3 - y + 2 * x - x / 4,
    lambda x, y: -x + +y + abs(x - y) + x // y + x % y + 5 // y + 7 % x,
    lambda x, y: x**3 + x**-2 + x**0 + 2**y + x**y + x**2.5,
    lambda x, y: divmod(x, y)[0] + divmod(9, y)[1] + round(x) + math.floor(y) + math.ceil(x),
    lambda x, y: math.trunc(x) * 2,
    lambda x, y: np.sin(x) + np.arctan2(y, x) + np.maximum(x, y) + np.exp(-y) + np.square(x),
    lambda x, y: np.power(x, 2) + np.true_divide(x, y) + np.hypot(x, y) + np.deg2rad(x),
    lambda x, y: np.where(x > y, x, y * 2) + np.clip(x, 0, 1) + np.mod(x, y) + np.positive(x),
    lambda x, y: (
        np.where((x > y) & ~(y == 1) | (x != 2), 1, 2) + np.logical_and(x > 1, y > 1) * 1.0
    ),
    lambda x, y: egad.select((x < y) ^ (x <= y), x, y) + egad.lerp(x, y, 0.5) + egad.max(x, y, 1),
    lambda x, y: np.float64(2.5) * x + np.float64(0.5) / y + np.int32(3) - x,
    lambda x, y: sum([x, y, x * y]) + np.sum([x, y]) + np.dot(np.array([x, y]), np.array([y, 1])),
    lambda x, y: (np.sin(np.array([x, y])) * np.array([2.0, 3.0]))[1] + (np.ones(2) * x)[0],
    lambda x, y: (
        np.prod([x, y, 2.0]) + np.mean([x, y]) + np.max(float3(x, y, 1)) + np.amin(float2(x, y))
    ),
    lambda x, y: egad.sin(x) + egad.atan2(y, 1) + egad.fma(x, y, 1) + egad.sincos(x)[0],
]


@pytest.mark.parametrize("function", SCALAR, ids=range(len(SCALAR)))
@pytest.mark.parametrize("point", [(1.3, 2.6), (0.4, 1.7)])
def test_scalar_functions(function, point):
    (got,) = run(traced(function), *point)
    assert got == pytest.approx(float(function(*point)), rel=1e-12)


def loop(x, y):
    total = []
    for i in range(5):
        x = x * y + i
        total.append(x)
    return total[-1] + sum(total)


def horner(x, y):
    result = 0.0
    for c in [1.5, -2, 3, y]:
        result = result * x + c
    return result


@pytest.mark.parametrize("function", [loop, horner])
def test_loops_and_lists_run(function):
    assert run(traced(function), 1.5, 0.5) == [pytest.approx(function(1.5, 0.5))]


def swizzles(v: "float3", s: float) -> "float3":
    u = float3(0.0)
    u.zy = v.xy * s
    u[0] += s
    v.x = u.y
    return u.zxy + v.bgr * u


def matrices(v: "float3", s: float) -> "float2":
    m = float2x2(v.xy, float2(s))
    m[0][1] = v.z
    m[1, 0] = 3
    m[1] += s
    return (m @ v.xy + m.T @ v.yz + v.xy @ m) * egad.determinant(m) + (m @ m)[0] + (m * m)[1]


def unpacked(v: "float3", s: float):
    a, b, c = v
    k = float3(1, 2, 3)
    return a * b - c, k * v + v / k, egad.dot(k, v), v[1:], v[-1] + len(v), (k < v).x


def constructors(v: "float3", s: float):
    return float2(s), float3(s, v.xy), float2x2(v.xy, 1, s), egad.double2(v.x, 1), egad.int2(v.xy)


def numpy_vectors(v: "float3", s: float):
    total = np.sum(v) + np.dot(v, v) + np.linalg.norm(v) + np.max(v)
    return np.sin(v), np.cross(v, np.array([1, 2, 3])), np.where(v > s, v, s), v * total, np.abs(v)


def products(v: "float3", s: float):
    m = float2x2(v.x, s, v.y, 2)
    return egad.mul(m, v.xy), egad.mul(v.xy, m), egad.mul(m, m), egad.mul(v, v), egad.mul(s, v)


@pytest.mark.parametrize(
    "function", [swizzles, matrices, unpacked, constructors, numpy_vectors, products]
)
def test_vectors_run_as_python_and_traced(function):
    """The vectors of numbers and the symbolic ones say the same."""
    v, s = [0.5, -1.25, 2.0], 0.75
    plain = function(float3(*v), s)
    leaves = [np.asarray(part, dtype=float).reshape(-1) for part in _parts(plain)]
    assert run(traced(function), v, s) == pytest.approx(np.concatenate(leaves).tolist(), rel=1e-12)


def _parts(value):
    return value if isinstance(value, tuple) else (value,)


def test_dynamic_index():
    def pick(v: float3, m: float2x2, i: int):
        v[i] = 10.0
        return v[i] + m[i][1], v

    program = traced(pick)
    for i in (0, 1):
        expected = [10.0, 1.0, 2.0, 3.0]
        expected[1 + i] = 10.0
        expected[0] += [2.0, 4.0][i]
        assert run(program, [1, 2, 3], [1, 2, 3, 4], i) == expected


def test_parameter_types():
    def f(a, b: int, c: "egad.float3", d: np.float32, e: bool, m: float2x2, h: "half"):  # noqa: F821
        return a

    with pytest.raises(TraceError, match="float32"):
        traced(f)
    f.__annotations__["d"] = "float"
    program = traced(f, real=Scalar.F32, wrt=["a"])
    assert [p.type for p in program.params] == [
        Scalar.F32,
        Scalar.I32,
        Vec(Scalar.F32, 3),
        Scalar.F32,
        Scalar.BOOL,
        Mat(Scalar.F32, 2, 2),
        Scalar.F16,
    ]
    assert [p.name for p in program.params if p.diff] == ["a"]
    given = traced(lambda u, n: u * n, params=[("u", "float2"), Slot("n", Scalar.I32)])
    assert [p.type for p in given.params] == [Vec(Scalar.F64, 2), Scalar.I32]


def test_result_type_is_converted():
    def f(n: int) -> float:
        return n + 1

    assert traced(f).results[0].type is Scalar.F64

    def g(x: float) -> float3:
        return x

    with pytest.raises(TraceError, match="returns double, its annotation says double3"):
        traced(g)


def test_results():
    program = traced(lambda x: (x, [x * 2, 1.0][0], np.array([x, 2 * x])))
    assert [s.name for s in program.results] == ["out0", "out1", "out2"]
    assert program.results[2].type == Vec(Scalar.F64, 2)
    assert traced(lambda x: 1.5).results[0].type is Scalar.F64


def test_a_function_without_source():
    scope: dict[str, object] = {"np": np}
    exec("def f(x, y):\n    return np.sin(x) * y", scope)
    assert run(traced(scope["f"]), 0.5, 2.0) == [pytest.approx(2 * math.sin(0.5))]


def test_notes_say_where():
    program = traced(lambda x: np.sin(x) + 1)
    (term,) = [t for t in program.terms() if t.op == "sin"]
    at = program.notes[term].at
    assert at is not None
    assert at.file == __file__
    assert at.text[at.column - 1 : at.end - 1] == "np.sin(x)"


def test_detach_is_written_down():
    program = traced(lambda x: detach(x * x) + no_diff(x))
    assert [t.op for t in program.terms()].count("detach") == 2


def test_copies_are_copies():
    def f(v: float3):
        w = copy.copy(v)
        w.x = 0.0
        return v.x + w.y + copy.deepcopy(w).x

    assert run(traced(f), [1, 2, 3]) == [3.0]


def test_known_numbers_stay_numbers():
    def f(x):
        k = x * 0 + 1 if float3(1, 2, 3).y > 1 else x
        return [10, 20][int(float3(1).x)] * k

    assert run(traced(f), 5.0) == [20.0]


ERRORS = [
    (lambda x: x if x > 0 else -x, ["condition", "x > 0", "egad.select", "np.where"]),
    (lambda x: 1 if x and x else 2, ["condition", "& | ~"]),
    (lambda x: max(x, 1), ["condition", "egad.max"]),
    (lambda x: math.sin(x), ["math.sin(x)", "np.sin"]),
    (lambda x: float(x), ["float()"]),
    (lambda x: int(x), ["int()", "egad.trunc"]),
    (lambda x: [1, 2, 3][x], ["an int, not double", "annotate"]),
    (lambda x: [i for i in x], ["scalar cannot be iterated"]),
    (lambda x: len(x), ["no length"]),
    (lambda x: x[0], ["no components"]),
    (lambda x: x.y, ["no component 'y'"]),
    (lambda x: x.foo, ["no component 'foo'"]),
    (lambda x: np.linalg.eigvals(x), ["numpy.eigvals has no operator"]),
    (lambda x: np.arctan2(x, "a"), ["str"]),
    (lambda x: egad.sin(x, x), ["sin(double, double) does not exist", "sin(x)"]),
    (lambda x: np.sum(x, axis=0), ["axis"]),
    (lambda x: x & 1, ["conditions"]),
    (lambda x: round(x, 2), ["round", "1e2"]),
    (lambda x: complex(x), ["real"]),
    (lambda x: abs(1j * x), ["1j is complex", "in a file"]),
    (lambda x: x @ x, ["use *"]),
    (lambda x: None, ["returns nothing"]),
    (lambda x: {"a": x}, ["dict"]),
    (lambda x: float2(x, x, x), ["2 components, 3"]),
    (lambda x: float3(x).xy.z, ["double2", "'z'", "x, y"]),
    (lambda x: float3(x) + float2(x), ["shapes differ"]),
    (lambda x: egad.float2(x)[5], ["outside of 2"]),
    (lambda *x: x[0], ["'*x'"]),
    (lambda x, *, k: x, ["'k'"]),
    (lambda x: x + 10**400, ["too large"]),
]


@pytest.mark.parametrize(("function", "words"), ERRORS, ids=range(len(ERRORS)))
def test_errors(function, words):
    with pytest.raises(TraceError) as caught:
        traced(function)
    for word in words:
        assert word in str(caught.value)


def test_errors_point_at_the_line():
    def f(x):
        y = x * 2
        return 1 if y > 3 else 0

    with pytest.raises(TraceError) as caught:
        traced(f)
    at = caught.value.at
    assert at is not None
    assert at.line == f.__code__.co_firstlineno + 2
    assert at.text[at.column - 1 : at.end - 1] == "y > 3"


def test_loops_over_parameters():
    def f(n: int):
        return sum(range(n))

    with pytest.raises(TraceError, match="fixed number of steps"):
        traced(f)


def test_no_source_for_the_parameters():
    with pytest.raises(TraceError, match="lambda"):
        traced(dict)


def test_errors_of_the_function_pass_through():
    with pytest.raises(ZeroDivisionError):
        traced(lambda x: x / (1 // 0))


@pytest.mark.numbers
@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("x * sinn(x)", NameError, "NameError: name 'sinn' is not defined"),
        ("[x][5]", IndexError, "IndexError: list index out of range"),
        ("{}['k'] * x", KeyError, "KeyError: 'k'"),
        ("np.zeros(2).sum(axis=5)", ValueError, "ValueError: axis 5 is out of bounds"),
        ("b'\\xff'.decode()", UnicodeError, "UnicodeDecodeError: 'utf-8' codec"),
        ("open('/nope/nope')", OSError, "FileNotFoundError: "),
    ],
)
def test_errors_of_a_function_without_source_say_where(body, kind, said):
    names = {"np": np, "__name__": "made"}
    exec(f"def f(x):\n    return {body}\n", names)
    with pytest.raises(TraceError, match=f"f fails in Python: {said}") as caught:
        egad.derive(names["f"])
    assert isinstance(caught.value, kind)
    assert str(caught.value).startswith("<string>:2:")


def test_functions_without_an_operator_are_called_by_their_names():
    with pytest.raises(TraceError, match=r"scipy\.special\.i0e has no operator"):
        egad.derive(egad.traced(lambda x: scipy.special.i0e(x)))
    with pytest.raises(TraceError, match=r"numpy\.spacing has no operator"):
        egad.derive(egad.traced(lambda x: np.spacing(x)))


def test_errors_of_the_users_own_stay_as_they_are():
    class Own(Exception):
        pass

    def f(x):
        raise Own("mine")

    with pytest.raises(Own) as caught:
        egad.derive(egad.traced(f))
    assert type(caught.value) is Own


def test_large_programs():
    def f(x, y):
        for _ in range(50_000):
            x = x * y + 2.0
        return x

    program = traced(f)
    assert len(program.terms()) == 100_003


def test_programs_can_be_pickled():
    program = traced(lambda x: np.sin(x) * 2)
    assert pickle.loads(pickle.dumps(program)) == program


def test_every_operator_method_is_there():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_"):
        method = name.rstrip("_")
        assert hasattr(Tracer, f"__{method}__"), name
        assert hasattr(Tracer, f"__r{method}__"), name
        assert hasattr(operator, name)


def test_what_has_a_default_may_be_left_out():
    def power(x, k=2.0, n: int = 3):
        return k * x * n

    assert egad.derive(egad.traced(power))(2.0, out_bar=1.0) == (6.0, 6.0)
    assert egad.derive(egad.traced(power), "primal")(2.0, n=1) == 4.0


def test_types_of_parameters_of_functions_without_source():
    space = {}
    exec("def power(n, v): return v * n * n\ndef said(n: float, v): return v * n * n", space)
    types = {"n": int, "v": "float2"}
    for function in (
        space["power"],
        space["said"],
        egad.traced(space["power"], [("n", "float"), ("v", "float")]),
    ):
        gradient = egad.derive(function, types=types)(3, [1.0, 2.0], [1.0, 10.0])
        assert [*gradient._asdict()] == ["v"] and gradient.v.tolist() == [9.0, 90.0]
        with pytest.raises(TraceError, match="parameter 'n' has the type '3'"):
            egad.derive(function, types={"n": 3})
    with pytest.raises(TraceError, match="implementations= needs the source"):
        egad.derive(space["power"], implementations={float: [int]})
