"""OpenCL C text: goldens, literals, names, errors; and kernels against the reference."""

import math
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hand_rules import BOOL, F32, F64, I32, RULES, select, term

from egad.codegen.host import reference
from egad.codegen.kernel.names import Names, identifier, is_reserved
from egad.codegen.kernel.opencl import emit
from egad.codegen.kernel.spell import literal
from egad.terms.errors import EmitError, Span
from egad.terms.program import Call, Note, Program, Slot
from egad.terms.term import Term, const, var
from egad.terms.types import Mat, Scalar, Tup, Vec

GOLDEN = Path(__file__).parent / "golden"
X, Y = var("x", F32), var("y", F32)


def at(line, file="/home/me/shading.py"):
    return Span(file, line)


def heavy(x, times=3):
    for _ in range(times):
        x = term("sin", x)
    return x


def simple():
    a = var("a", F32)
    square = term("mul", X, X)
    root = term("mul", a, square)
    notes = {square: Note("square", at(3)), root: Note("", at(4))}
    return Program("f", (Slot("a", F32), Slot("x", F32)), (Slot("y", F32),), ((root,),), notes)


def branches():
    lit = term("gt", X, 0.0)
    falloff = term("exp", term("neg", Y))
    height = select(lit, heavy(X), falloff)
    slope = select(lit, term("neg", term("mul", height, heavy(Y))), -0.0)
    late = select(lit, heavy(term("exp", height)), term("rcp", slope))
    capped = select(term("lt", Y, 1.0), term("sqrt", Y), math.inf)
    notes = {
        lit: Note("lit", at(7)),
        height: Note("height", at(8)),
        falloff: Note("height", at(10)),
        capped: Note("float", at(12)),
    }
    slots = (Slot("x", F32), Slot("y", F32))
    results = (Slot("height", F32), Slot("x", F32), Slot("late", F32), Slot("capped", F32))
    return Program("shade", slots, results, ((height,), (slope,), (late,), (capped,)), notes)


def shapes():
    v, m = Slot("v", Vec(F64, 3)), Slot("m", Mat(F64, 2, 2))
    n, on, k = Slot("n", I32), Slot("on", BOOL), Slot("k", F64)
    x, y, z = v.leaves()
    (flag,), (count,), (scale,) = on.leaves(), n.leaves(), k.leaves()
    total = term("add", term("mul", x, m.leaves()[3]), term("mul", scale, 0.1))
    chosen = select(flag, total, z)
    bumped = Term("add", (count, const(-1, I32)), None, I32)
    pair = Tup((F64, Vec(F64, 2)))
    results = (Slot("out", pair), Slot("n", I32), Slot("off", BOOL))
    off = term("logical_not", flag)
    roots = ((chosen, y, term("neg", x)), (bumped,), (off,))
    return Program("shapes", (v, m, n, on, k), results, roots)


def halves():
    x = var("x", Scalar.F16)
    root = term("add", term("mul", x, 0.1), math.inf)
    return Program("halves", (Slot("x", Scalar.F16),), (Slot("r", Scalar.F16),), ((root,),))


CASES = {
    "simple": (simple, {}),
    "simple_fast_uniform": (simple, {"math": "fast", "uniform": frozenset({"a"})}),
    "branches": (branches, {"about": ["Value and slopes of shade (shading.py:6)."]}),
    "shapes": (shapes, {"uniform": frozenset({"m", "on", "k"})}),
    "halves": (halves, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_golden(name, request):
    make, options = CASES[name]
    text = emit(make(), RULES, name=name, **options).text
    path = GOLDEN / f"{name}.cl"
    if request.config.getoption("--update-golden", False) or not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_text_is_the_same_in_every_process():
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_opencl import *\nprint(emit(branches(), RULES, name='b').text)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("0", "1", "7")
    }
    assert len(texts) == 1 and b"__kernel" in texts.pop()


def test_arguments_are_described():
    kernel = emit(shapes(), RULES, name="shapes", uniform=frozenset({"m", "on"}))
    assert [(a.name, a.symbol, a.role, a.uniform) for a in kernel.args] == [
        ("v", "v", "in", False),
        ("m", "m", "in", True),
        ("n", "n", "in", False),
        ("on", "on", "in", True),
        ("k", "k", "in", False),
        ("out[0]", "out_0", "out", False),
        ("out[1]", "out_1", "out", False),
        ("n", "out_n", "out", False),
        ("off", "off", "out", False),
    ]
    assert kernel.args[6].type == Vec(F64, 2)


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (0.1, F32, "0.1f"),
        (1.0, F32, "1.0f"),
        (1e20, F32, "1e+20f"),
        (1e-45, F32, "1e-45f"),
        (16777216.0, F32, "16777216.0f"),
        (1e39, F32, "INFINITY"),
        (-math.inf, F32, "(-INFINITY)"),
        (math.nan, F32, "NAN"),
        (-0.0, F32, "(-0.0f)"),
        (-2.5, F32, "(-2.5f)"),
        (0.1, F64, "0.1"),
        (math.inf, F64, "((double)INFINITY)"),
        (-math.inf, F64, "((double)-INFINITY)"),
        (0.1, Scalar.F16, "0.1h"),
        (-3, I32, "(-3)"),
        (-(2**31), I32, "(-2147483647 - 1)"),
        (True, BOOL, "true"),
    ],
)
def test_literals(value, type_, text):
    assert literal(value, type_) == text


def test_literals_are_exact():
    rng = random.Random(1)
    for _ in range(3000):
        value = np.uint32(rng.getrandbits(32)).view(np.float32)
        if np.isfinite(value):
            text = literal(float(value), F32)
            assert np.float32(text.strip("()").rstrip("f")) == value, text
    assert (
        "0.1f"
        in emit(Program("p", (), (Slot("r", F32),), ((const(0.1, F32),),)), RULES, name="p").text
    )


def test_names():
    given = {"kernel": "kernel_", "sin": "sin_", "x0": "x0", "Höhe": "Hohe", "Δx": "deltax"}
    given |= {"a-b": "a_b", "__x": "_x", "": "v", "_": "v", "native_sin": "v_native_sin"}
    assert {name: identifier(name) for name in given} == given
    names = Names()
    assert [names.fresh("t0"), names.temporary(), names.temporary()] == ["t0", "t1", "t2"]
    assert [names.fresh("x"), names.fresh("x"), names.fresh("x_1"), names.fresh("x")] == [
        "x",
        "x_1",
        "x_1_1",
        "x_2",
    ]
    for word in (
        "float4",
        "native_sin",
        "get_global_id",
        "M_PI",
        "convert_int_sat",
        "size_t",
        "for",
    ):
        assert is_reserved(word) and not is_reserved(identifier(word))
    for word in ("λ", "你好", "a b", "9", "*/", "x\n", "__", "half_life"):
        assert re.fullmatch(r"[A-Za-z_]\w*", identifier(word), re.ASCII)


def test_source_text_cannot_break_the_comment():
    p = simple()
    notes = {p.flat[0]: Note("n*/", Span("/x/a*/\nb\\", 3))}
    p = Program("f*/", p.params, p.results, p.roots, notes)
    text = emit(p, RULES, name="f*/", about=["*/ evil(); /*"]).text
    assert text.count("*/") == 1 and "\\" not in text


def test_a_missing_spelling_says_what_to_add():
    x = var("x", Scalar.F16)
    root = term("erf", x)
    p = Program(
        "p",
        (Slot("x", Scalar.F16),),
        (Slot("r", Scalar.F16),),
        ((root,),),
        {root: Note("r", at(9))},
    )
    with pytest.raises(EmitError) as caught:
        emit(p, RULES, name="p")
    text = str(caught.value)
    assert "'erf' has no OpenCL spelling for f16 (it has f32, f64)" in text
    assert "shading.py:9" in text and "hand.rules:1" in text
    assert '@opencl / def erf(x): / f16 = "erf({x})"' in text


def test_what_should_be_gone_before_emission_is_an_error():
    with pytest.raises(EmitError, match="has to be expanded before"):
        emit(
            Program("p", (Slot("x", F32),), (Slot("r", F32),), ((term("softplus", X),),)),
            RULES,
            name="p",
        )
    call = Term("call", (X,), Call("g", simple()), F32)
    with pytest.raises(EmitError, match="'g' is still a call"):
        emit(
            Program("p", (Slot("x", F32),), (Slot("r", F32),), ((Term("proj", (call,), 0, F32),),)),
            RULES,
            name="p",
        )
    with pytest.raises(EmitError, match=r"no rule defines 'sine'.*did you mean 'sin'"):
        emit(
            Program("p", (Slot("x", F32),), (Slot("r", F32),), ((term("sine", X),),)),
            RULES,
            name="p",
        )
    with pytest.raises(EmitError, match="uniform names 'z'"):
        emit(simple(), RULES, name="p", uniform=frozenset({"z"}))


def test_a_hundred_thousand_operations():
    x = X
    for i in range(50_000):  # numbers that never come again, so that there is nothing to repeat
        x = term("add", term("mul", x, Y), float(i))
    p = Program("p", (Slot("x", F32), Slot("y", F32)), (Slot("r", F32),), ((x,),))
    start = time.process_time()
    text = emit(p, RULES, name="p").text
    assert time.process_time() - start < 20
    assert text.count("\n") > 100_000


# On a device: the same numbers as the reference.


@pytest.fixture(scope="module")
def gpu():
    from egad.codegen.devices import device
    from egad.terms.errors import DeviceError

    try:
        return device.choose()
    except DeviceError as error:
        pytest.skip(str(error))


def launch(kernel, inputs, n, on):
    from egad.codegen.devices import run

    return run.launch(kernel, inputs, n, on)


def close(got, wanted, tolerance=1e-5):
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def test_branches_on_a_device(gpu):
    p = branches()
    inputs = {
        "x": np.float32([1, -1, 0, -0.0, 2.5, np.nan, -3] * 11),
        "y": np.float32([2, 0.5, -1, 0, 0.25, 1, np.inf] * 11),
    }
    got = launch(emit(p, RULES, name="branches"), inputs, 77, gpu)
    wanted = reference.evaluate(p, RULES, inputs)
    for slot, value in zip(p.results, wanted, strict=True):
        close(got[slot.name], value)


def test_choices_of_choices_on_a_device(gpu):
    """Forty deep: clang must not ask both arms of each whether they are known while compiling."""
    x, y = X, Y
    for i in range(40):
        held = term("lt", y, x)
        x, y = select(held, x, term("add", y, 0.25 * i)), select(held, y, term("sub", x, 0.5))
    p = Program("p", (Slot("x", F32), Slot("y", F32)), (Slot("r", F32),), ((term("sub", x, y),),))
    kernel = emit(p, RULES, name="p")
    assert kernel.text.count(" ? ") == 80
    assert not re.search(r"const [^;]* \? ", kernel.text)
    inputs = {"x": np.float32([1, -1, 0, 7.5, -33]), "y": np.float32([2, 0.5, -1, 0, 0.25])}
    wanted = reference.evaluate(p, RULES, inputs)[0]
    assert (launch(kernel, inputs, 5, gpu)["r"] == wanted).all()


def test_shapes_on_a_device(gpu):
    if not gpu.info.fp64:
        pytest.skip("no double precision")
    p, n, rng = shapes(), 70, np.random.default_rng(3)
    v, m = rng.normal(size=(n, 3)), rng.normal(size=(2, 2))
    count = np.arange(n, dtype=np.int32)
    flat = {f"v.{c}": v[:, i] for i, c in enumerate("xyz")} | {"n": count, "on": True, "k": 2.5}
    flat |= {f"m[{i}][{j}]": m[i, j] for i in range(2) for j in range(2)}
    wanted = reference.evaluate(p, RULES, flat)
    packed = {"v": v, "m": m, "n": count, "on": np.array([True]), "k": np.array([2.5])}
    kernel = emit(p, RULES, name="shapes", uniform=frozenset({"m", "on", "k"}))
    got = launch(kernel, packed, n, gpu)
    close(got["out[0]"], wanted[0])
    close(got["out[1]"], np.stack(wanted[1:3], -1))
    assert (got["n"] == wanted[3]).all() and not got["off"].any()


def test_half_precision_on_a_device(gpu):
    if not gpu.info.fp16:
        pytest.skip("no half precision")
    x = var("x", Scalar.F16)
    root = term("mul", term("add", x, 0.1), -1.5)
    p = Program("h", (Slot("x", Scalar.F16),), (Slot("r", Scalar.F16),), ((root,),))
    inputs = {"x": np.linspace(-2, 2, 65).astype(np.float16)}
    got = launch(emit(p, RULES, name="h"), inputs, 65, gpu)
    assert (got["r"] == reference.evaluate(p, RULES, inputs)[0]).all()


def test_every_literal_arrives_with_its_bits(gpu):
    rng = random.Random(2)
    values = [0.0, -0.0, math.inf, -math.inf, 1e-45, -3.4e38, 0.1, 1 / 3]
    values += [float(np.uint32(rng.getrandbits(30)).view(np.float32)) for _ in range(50)]
    types = [F32, F64, Scalar.F16] if gpu.info.fp16 and gpu.info.fp64 else [F32]
    for type_ in types:
        terms = [const(v, type_) for v in values]
        slots = tuple(Slot(f"r{i}", type_) for i in range(len(terms)))
        p = Program("c", (Slot("x", F32),), slots, tuple((t,) for t in terms))
        got = launch(emit(p, RULES, name="c"), {"x": np.float32([0])}, 1, gpu)
        wanted = reference.evaluate(p, RULES, {"x": np.float32([0])})
        for slot, value in zip(slots, wanted, strict=True):
            assert got[slot.name].tobytes() == value.tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_on_a_device(gpu, seed):
    from test_schedule import random_program

    p = random_program(random.Random(seed), 80)
    rng = np.random.default_rng(seed)
    drawn = {n: rng.choice(np.float32([-2, -0.5, 0, 0.5, 3]), 280) for n in "xyz"}
    # The sine of something huge is decided by the last digit of an exponential, and so by the
    # machine: 70 points at which it is not.
    beside = {n: x * np.float32(1 + 2**-22) for n, x in drawn.items()}
    pairs = zip(*(reference.evaluate(p, RULES, at) for at in (drawn, beside)), strict=True)
    sure = [np.isclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True) for a, b in pairs]
    inputs = {n: x[np.all(sure, axis=0)][:70] for n, x in drawn.items()}
    assert all(len(x) == 70 for x in inputs.values())
    got = launch(emit(p, RULES, name="random"), inputs, 70, gpu)
    for slot, value in zip(p.results, reference.evaluate(p, RULES, inputs), strict=True):
        np.testing.assert_allclose(got[slot.name], value, rtol=1e-3, atol=1e-3)


def test_a_deep_chain_of_conditions_on_a_device(gpu):
    root = heavy(Y)
    for i in range(60):
        root = select(term("gt", X, float(i - 60)), heavy(term("add", Y, float(i))), root)
    p = Program("deep", (Slot("x", F32), Slot("y", F32)), (Slot("r", F32),), ((root,),))
    inputs = {
        "x": np.linspace(-65, 1, 130, dtype=np.float32),
        "y": np.linspace(0, 1, 130, dtype=np.float32),
    }
    got = launch(emit(p, RULES, name="deep"), inputs, 130, gpu)
    close(got["r"], reference.evaluate(p, RULES, inputs)[0])
