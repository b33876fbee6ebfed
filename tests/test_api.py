"""Derived objects as values: called, compared, pickled, exported; arrays of every kind."""

import copy
import math
import os
import pickle
import re
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import egad
from egad import (
    DeriveError,
    DeviceError,
    EgadError,
    EgadWarning,
    EmitError,
    TraceError,
    derive,
    diff_pair,
    no_diff,
)
from egad.codegen.devices import device
from egad.rules import loads

USABLE = [info for info in device.devices() if info.usable]
needs_device = pytest.mark.skipif(not USABLE, reason="no OpenCL device on this machine")


def scaled_square(a: float, x: float) -> float:
    return a * x * x


def wave(x: float, y: float) -> float:
    return math.sin(x) * y


def lit(n: egad.float3, l: egad.float3) -> float:  # noqa: E741
    return max(egad.dot(n, l), 0.0)


def transform(m: egad.float2x2, v: egad.float2) -> egad.float2:
    return egad.mul(m, v)


def counted(x: float, n: int, on: bool) -> float:
    return x**2 * n if on else x


@pytest.fixture(scope="module")
def bwd():
    return derive(scaled_square, "bwd")


# --- the examples of the guide --------------------------------------------------------------


def test_forward_mode():
    fwd = derive(scaled_square, mode="fwd")
    assert fwd(diff_pair(2.0, 0.0), diff_pair(3.0, 1.0)) == (18.0, 12.0)
    assert fwd(2.0, diff_pair(3.0, 1.0)).d == 12
    assert fwd(diff_pair(2.0), diff_pair(3.0)) == (18, 0)


def test_backward_mode(bwd):
    gradient = bwd(2.0, 3.0, 1.0)
    assert gradient == (9.0, 12.0) and gradient.a == 9 and gradient.x == 12
    assert repr(gradient) == "Gradients(a=9.0, x=12.0)"
    assert type(gradient.a) is float


def test_all_modes_give_their_forms():
    def results(mode, *args):
        return derive(scaled_square, mode)(*args)

    assert results("primal", 2.0, 3.0) == 18
    assert results("value_and_grad", 2.0, 3.0) == (18, (9, 12))
    jacobian = results("jacobian", 2.0, 3.0)
    assert repr(jacobian) == "Jacobian(a=9.0, x=12.0)"
    hessian = results("hessian", 2.0, 3.0)
    assert repr(hessian) == "Hessian(a=Row(a=0.0, x=6.0), x=Row(a=6.0, x=4.0))"
    assert results("hvp", 2.0, 3.0, 1.0, 10.0) == (60, 46)


# --- values ---------------------------------------------------------------------------------


def test_deriving_twice_gives_the_same_text_and_an_equal_object(bwd):
    again = derive(scaled_square, "bwd")
    assert again.source == bwd.source
    assert again == bwd and hash(again) == hash(bwd) and len({again, bwd}) == 1


@pytest.mark.parametrize(
    "other",
    [
        dict(mode="fwd"),
        dict(dtype="float64"),
        dict(math="strict"),
        dict(wrt="x"),
    ],
)
def test_other_derivations_are_other_objects(bwd, other):
    assert derive(scaled_square, **other) != bwd
    assert bwd != "bwd"


def test_pickle_keeps_everything(bwd):
    bwd.source  # noqa: B018  (a cached kernel must not be in the way)
    copy = pickle.loads(pickle.dumps(bwd))
    assert copy == bwd and copy.source == bwd.source and copy.explain() == bwd.explain()
    assert copy.reference(2.0, 3.0, 1.0) == (9, 12)
    assert derive(copy, "fwd", dtype="float64").reference(
        *(diff_pair(v, 1.0) for v in (2.0, 3.0, 1.0))
    )[0] == (9, 15)


def test_a_report_prints_as_it_explains_and_shows_as_one_line(bwd):
    report = bwd.report
    assert str(report) == report.text() and "rewrites that fired" in str(report)
    cost = f"{report.cost_before:g} -> {report.cost_after:g}"
    assert repr(report) == f"<Report of {report.name}: mode 'bwd', float32, cost {cost}>"


def test_seconds_tell_of_the_first_kernel_only(bwd):
    bwd.kernel()
    before = dict(bwd.report.seconds)
    bwd.kernel(frozenset({"x"}))
    assert "emit" in before and bwd.report.seconds == before


def test_pickle_travels_to_another_process(bwd, tmp_path):
    path = tmp_path / "derived.pickle"
    path.write_bytes(pickle.dumps(bwd))
    code = f"import pickle; print(pickle.load(open({str(path)!r}, 'rb')).reference(2.0, 3.0, 1.0))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout.strip() == "Gradients(a=9.0, x=12.0)", run.stderr


def test_derived_objects_are_immutable(bwd):
    with pytest.raises(AttributeError):
        bwd.mode = "fwd"


def test_export_in_another_order(tmp_path):
    """The same statements, those first from which the way to the results is longest."""

    def f(a: float, b: float, c: float, d: float) -> float:
        return np.exp(a * b) * np.sin(c * d) + a / c

    derived = derive(f, "bwd")
    deep, wide = (
        derived.export(tmp_path / f"{order}.cl", order=order).read_text()
        for order in ("depth", "breadth")
    )
    assert deep == derived.source != wide
    assert len(deep.splitlines()) == len(wide.splitlines())
    body = wide.partition("{")[2]
    products, calls = (
        [m.start() for m in re.finditer(p, body)]
        for p in (r"= [abcd] \* [abcd];", r"exp\(|sincos\(")
    )
    assert len(products) == 2 and max(products) < min(calls)
    with pytest.raises(EmitError, match=r"use one of depth, breadth, registers"):
        derived.export(tmp_path / "f.cl", order="long")
    with pytest.raises(EmitError, match=r"'bredth' does not exist; .*; did you mean 'breadth'\?$"):
        derived.export(tmp_path / "f.cl", order="bredth")
    for order in (None, 3, ["depth"]):
        with pytest.raises(EmitError, match=r"does not exist; use one of depth"):
            derived.export(tmp_path / "f.cl", order=order)


def test_export_and_text(bwd, tmp_path):
    path = bwd.export(tmp_path / "square.cl")
    text = path.read_text(encoding="utf-8")
    assert text == bwd.source == str(bwd)
    assert "__kernel" in text and "scaled_square_bwd" in text
    with pytest.raises(DeviceError, match="cannot write"):
        bwd.export(tmp_path / "absent" / "square.cl")


def test_a_derived_function_is_derived_again(bwd):
    second = derive(derive(scaled_square, "bwd", wrt="x"), "fwd", wrt="x")
    assert second(2.0, diff_pair(3.0, 1.0), 1.0) == (12, 4)


def test_sympy_and_lambdas():
    import sympy

    a, x = sympy.symbols("a x")
    by_name = derive(a * sympy.sin(x), "bwd", dtype="float64")
    assert by_name.reference(2.0, 0.5, 1.0) == (math.sin(0.5), 2 * math.cos(0.5))
    turned = derive(a * sympy.sin(x), "bwd", params=[x, a], dtype="float64")
    assert turned.reference(0.5, 2.0, 1.0)[1] == math.sin(0.5)
    assert derive(lambda u, v: u * v * v).reference(2.0, 3.0, 1.0) == (9, 12)


def test_rules_of_the_call():
    mine = loads("@derivative\ndef sin(x) -> y:\n    dy_dx = 1000\n", "lie.rules")
    assert derive(wave, rules=mine).reference(0.5, 1.0, 1.0).x == 1000
    assert derive(wave, rules=[mine]).reference(0.5, 2.0, 1.0).x == 2000
    assert derive(wave, dtype="float64").reference(0.5, 1.0, 1.0).x == math.cos(0.5)


# --- arrays ---------------------------------------------------------------------------------


def both(d, *args, **kwargs):
    """The results on the device and of the reference, which must agree."""
    first, second = d(*args, **kwargs), d.reference(*args, **kwargs)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    return first


@needs_device
def test_numbers_lists_and_arrays_in_the_same_kind_out(bwd):
    for args in ((2.0, 3.0, 1.0), (2, 3, 1)):
        assert [type(v) for v in bwd(*args)] == [float, float]
    assert [type(v) for v in bwd(np.float32(2), np.float64(3), 1)] == [np.float32] * 2
    x = [1.0, 2.0, 3.0]
    gradient = both(bwd, 2.0, x, 1.0)
    assert isinstance(gradient.x, np.ndarray) and gradient.x.dtype == np.float32
    np.testing.assert_array_equal(gradient.x, [4, 8, 12])
    backwards = np.array(x[::-1])
    for array in (np.array(x), np.array(x, np.float32), np.array([1, 2, 3]), backwards[::-1]):
        np.testing.assert_array_equal(bwd(2.0, array, 1.0).x, [4, 8, 12])


@needs_device
def test_arrays_broadcast_and_gradients_are_summed_back(bwd):
    a = np.array([[1.0], [2.0], [3.0]])
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    gradient = both(bwd, a, x, 1.0)
    assert gradient.a.shape == (3, 1) and gradient.x.shape == (1, 4)
    np.testing.assert_array_equal(gradient.a, np.full((3, 1), 1 + 4 + 9 + 16))
    np.testing.assert_array_equal(gradient.x, 2 * a.sum() * x)
    value, _ = derive(scaled_square, "value_and_grad")(a, x)
    np.testing.assert_array_equal(value, a * x * x)


@needs_device
def test_a_number_beside_an_array_gets_the_summed_gradient(bwd):
    x = np.arange(5.0)
    gradient = both(bwd, 2.0, x, 1.0)
    assert gradient.a == 30 and np.ndim(gradient.a) == 0


@needs_device
def test_empty_arrays(bwd):
    gradient = bwd(2.0, np.zeros(0), 1.0)
    assert gradient.x.shape == (0,) and gradient.a == 0


@needs_device
def test_vectors_and_matrices():
    gradient = both(derive(lit, "bwd"), [1, 0, 0], np.array([[2, 3, 4], [-1, 1, 1]]), 1.0)
    np.testing.assert_array_equal(gradient.l, [[1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(gradient.n, [2, 3, 4])
    m, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])
    jacobian = derive(transform, "jacobian")(m, v)
    np.testing.assert_array_equal(jacobian.v, m)
    wanted = np.zeros((2, 2, 2))
    wanted[0, 0] = wanted[1, 1] = v
    np.testing.assert_array_equal(jacobian.m, wanted)
    many = derive(transform, "jacobian")(np.stack([m, -m, 2 * m]), v)
    assert many.m.shape == (3, 2, 2, 2) and many.v.shape == (3, 2, 2)
    np.testing.assert_array_equal(many.v[2], 2 * m)


@needs_device
def test_hessians_of_batches():
    hessian = derive(lit, "hessian")([[1, 0, 0], [0, 1, 0]], [1.0, 1.0, 1.0])
    assert hessian.n.l.shape == (2, 3, 3)
    np.testing.assert_array_equal(hessian.n.l[0], np.eye(3))
    np.testing.assert_array_equal(hessian.n.n, np.zeros((2, 3, 3)))


@needs_device
def test_integers_and_booleans():
    d = derive(counted, "value_and_grad")
    value, gradient = d([1.0, 2.0], [3, 4], [True, False])
    np.testing.assert_array_equal(value, [3, 2])
    np.testing.assert_array_equal(gradient.x, [6, 1])
    assert gradient.fields == ("x",)


def has(feature):
    return any(getattr(info, feature, False) for info in USABLE)


@pytest.mark.skipif(not has("fp64"), reason="no device with double precision")
def test_double_precision():
    d = derive(wave, dtype="float64")
    gradient = d(np.array([0.5, 1.5]), 1.0, 1.0)
    assert gradient.x.dtype == np.float64
    np.testing.assert_allclose(gradient.x, np.cos([0.5, 1.5]), rtol=1e-15)


def test_half_precision(monkeypatch):
    monkeypatch.delenv("EGAD_DEVICE", raising=False)
    d = derive(scaled_square, dtype="float16")
    gradient = d.reference(np.float16(2), np.array([3, 4], np.float16), 1.0)
    assert gradient.x.dtype == np.float16
    np.testing.assert_array_equal(gradient.x, np.array([12, 16], np.float16))
    assert "cl_khr_fp16" in d.source and "half" in d.source
    if has("fp16"):
        np.testing.assert_array_equal(d(2.0, np.array([3, 4]), 1.0).x, gradient.x)
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = d(2.0, np.array([3, 4]), 1.0)
        np.testing.assert_array_equal(found.x, gradient.x)
        assert [w.category for w in caught] == [EgadWarning]


@needs_device
def test_arrays_of_pyopencl_stay_on_the_device(bwd):
    import pyopencl.array as cl_array

    queue = device.choose().queue
    x = cl_array.to_device(queue, np.array([1, 2, 3], np.float32))
    gradient = bwd(2.0, x, 1.0)
    assert isinstance(gradient.x, cl_array.Array) and gradient.x.queue is queue
    np.testing.assert_array_equal(gradient.x.get(), [4, 8, 12])
    pairs = derive(scaled_square, "fwd")(2.0, diff_pair(x, x))
    np.testing.assert_array_equal(pairs.d.get(), [4, 16, 36])
    hessian = derive(scaled_square, "hessian")(2.0, x)
    np.testing.assert_array_equal(hessian.x.a.get(), [2, 4, 6])
    n = cl_array.to_device(queue, np.eye(3, dtype=np.float32))
    jacobian = derive(lit, "jacobian")(n, [1, 2, 3])
    np.testing.assert_array_equal(jacobian.l.get(), np.eye(3))


@needs_device
@pytest.mark.parametrize(
    "values",
    [
        np.float32([[2.0, 3.0]]).T,
        np.float64([2.0, 3.0]),
        np.float32([2.0]),
        np.float32(2.0),
        np.float64([]),
        np.asfortranarray(np.ones((2, 3), np.float32)),
    ],
)
def test_arrays_of_pyopencl_of_any_kind_give_arrays_of_pyopencl(bwd, values):
    import pyopencl.array as cl_array

    x = cl_array.to_device(device.choose().queue, values)
    gradient = bwd(2.0, x, 1.0)
    assert all(isinstance(g, cl_array.Array) for g in gradient)
    np.testing.assert_array_equal(gradient.x.get(), 4 * values)
    jacobian = derive(scaled_square, "jacobian")(2.0, x)
    assert all(isinstance(g, cl_array.Array) for g in jacobian)
    np.testing.assert_array_equal(jacobian.a.get(), values**2)


@needs_device
def test_threads_share_a_derived_object(bwd):
    found = {}

    def work(k):
        found[k] = bwd(float(k), np.arange(100.0), 1.0).x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        np.testing.assert_array_equal(found[k], 2 * k * np.arange(100.0))


# --- without a device -----------------------------------------------------------------------


@pytest.fixture
def nowhere(monkeypatch):
    def refuse(*args, **kwargs):
        raise DeviceError("no device here")

    monkeypatch.delenv(device.VARIABLE, raising=False)
    monkeypatch.setattr(device, "choose", refuse)


def test_without_a_device_the_reference_runs_and_says_so(bwd, nowhere):
    with pytest.warns(EgadWarning, match="the NumPy reference runs: no device here") as caught:
        assert bwd(2.0, 3.0, 1.0) == (9, 12)
    assert caught[0].filename == __file__
    assert bwd.runs_on == "NumPy"


def test_a_device_that_was_asked_for_is_not_replaced(nowhere, monkeypatch):
    with pytest.raises(DeviceError, match="no device here"):
        derive(scaled_square, device="gpu")(2.0, 3.0, 1.0)
    monkeypatch.setenv(device.VARIABLE, "gpu")
    with pytest.raises(DeviceError, match="no device here"):
        derive(scaled_square)(2.0, 3.0, 1.0)
    with pytest.raises(DeviceError, match="no device here"):
        derive(scaled_square).runs_on  # noqa: B018


# --- errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (dict(wrt=3), "wrt=3 is not a list of names"),
        (dict(wrt=[3]), r"wrt=\[3\] is not a list of names"),
        (dict(rules=3), "rules=3: a rule file is given by its path"),
        (dict(rules=[3]), r"rules=\[3\]: a rule file is given by its path"),
    ],
)
def test_names_and_rules_of_the_wrong_type(options, text):
    with pytest.raises(egad.EgadError, match=text):
        derive(scaled_square, **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (dict(mode="backwards"), "mode='backwards' is not one of 'primal', 'fwd', 'bwd'"),
        (dict(mode=3), "mode=3 is not one of"),
        (dict(math="fats"), "did you mean 'fast'"),
        (dict(dtype="float46"), "did you mean 'float64'"),
        (dict(optimize=True), "optimize=True is not one of"),
        (dict(mode="Bwd"), "did you mean 'bwd'"),
        (dict(math="FAST"), "did you mean 'fast'"),
        (dict(check="no"), "check='no' is neither True nor False"),
        (dict(cache="off"), "cache='off' is neither True nor False"),
        (dict(types=3), "types= takes a dictionary, not 3"),
        (dict(types=["x"]), r"types= takes a dictionary, not \['x'\]"),
        (dict(types={"xx": float}), "scaled_square has no such parameter; did you mean 'x'"),
        (dict(types={3: float}), "types= names 3, and scaled_square has no such parameter"),
        (dict(params=3), "params=3 is not a list of names"),
        (dict(params=["a", "x"]), "params= gives the parameters of a SymPy expression"),
    ],
)
def test_options_that_do_not_exist(options, text):
    with pytest.raises(DeriveError, match=text):
        derive(scaled_square, **options)


def test_types_say_something_of_functions_only(bwd):
    x = pytest.importorskip("sympy").Symbol("x")
    said = dict(types={"x": int}), dict(implementations={float: [int]})
    for thing in (bwd, x * x):
        for options in said:
            with pytest.raises(DeriveError, match=f"{min(options)}= says nothing of a"):
                derive(thing, **options)
    with pytest.raises(DeriveError, match="implementations= says nothing of a traced function"):
        derive(egad.traced(scaled_square), **said[1])


@pytest.mark.parametrize("thing", [3.0, "x*x", None, [1, 2], np.ones(2)])
def test_things_that_are_no_function(thing):
    with pytest.raises(EgadError, match="needs a function"):
        derive(thing)


def total(xs: list[float]) -> float:
    return xs[0] * xs[-1]


def test_what_depends_on_the_types_of_arguments_is_no_one_function():
    family = derive(total)
    with pytest.raises(DeriveError, match="depends on the types") as caught:
        derive(family)
    assert caught.value.at and "derive(g.of(…))" in caught.value.hint
    with pytest.raises(DeriveError, match="cannot be pickled"):
        pickle.dumps(family)
    assert copy.copy(family) is family and copy.deepcopy(family) is family
    with pytest.raises(DeriveError, match="argument 'xs' has rows of several lengths"):
        family([[1.0, 2.0], [3.0]], 1.0)
    with pytest.raises(DeviceError, match="'xs' is given twice"):
        family([1.0, 2.0], 1.0, xs=[1.0])
    again = pickle.loads(pickle.dumps(family.of([1.0, 2.0])))
    assert derive(again, "jacobian").reference([2.0, 3.0], 1.0).out_bar.tolist() == [3, 2]


def test_a_class_is_reported_where_derive_is_called():
    with pytest.raises(TraceError) as caught:
        derive(float)
    assert caught.value.at.file == __file__


@pytest.mark.parametrize("path", [None, 3, b"kernel.cl", "a\0b", ["kernel.cl"]])
def test_what_is_no_path(bwd, path):
    with pytest.raises(DeviceError, match="cannot write") as caught:
        bwd.export(path)
    assert "give the path of a file" in caught.value.hint


def test_wrt_names_are_checked():
    with pytest.raises(EgadError, match=r"'z'"):
        derive(scaled_square, wrt=["z"])
    with pytest.raises(EgadError):
        derive(scaled_square, wrt=[])

    def stopped(x: float, s: no_diff[float]) -> float:
        return x * s

    for wrt in ("s", ["x", "s"]):
        with pytest.raises(EgadError, match="wrt names 's', which is annotated no_diff"):
            derive(stopped, wrt=wrt)


def test_errors_are_one_family_and_have_places():
    def broken(x: float) -> float:
        return sinn(x)  # noqa: F821

    with pytest.raises(TraceError) as caught:
        derive(broken)
    error = caught.value
    assert isinstance(error, EgadError)
    assert os.path.samefile(error.at.file, __file__)
    assert "sinn" in error.at.text and error.at.text[error.at.column - 1 :].startswith("sinn")


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((1.0,), {}, "needs x, out_bar"),
        ((1.0, 2.0, 3.0, 4.0), {}, "takes 3 arguments"),
        ((1.0, 2.0), {"out_baar": 1.0}, "did you mean 'out_bar'"),
        ((1.0, 2.0, 3.0), {"x": 1.0}, "'x' twice"),
        ((np.ones(2), np.ones(3), 1.0), {}, "broadcast"),
        (("a", 2.0, 3.0), {}, "'a'"),
        ((1j, 2.0, 3.0), {}, "'a'"),
        ((None, 2.0, 3.0), {}, "'a'"),
    ],
)
def test_calls_that_do_not_fit(bwd, args, kwargs, text):
    with pytest.raises(DeviceError, match=text):
        bwd.reference(*args, **kwargs)


@pytest.mark.parametrize("given", [np.float64, np.dtype("f8"), np.dtype(float)], ids=str)
def test_precisions_as_numpy_names_them(given):
    assert derive(scaled_square, dtype=given) == derive(scaled_square, dtype="float64")
    with pytest.raises(DeriveError, match=r"dtype=.* is not one of 'float16'"):
        derive(scaled_square, dtype=np.int32)


def test_uniform_parameters_are_named_in_any_way(bwd):
    kernel = bwd.kernel("x")
    assert [a.name for a in kernel.args if a.uniform] == ["x"]
    assert all(bwd.kernel(given) is kernel for given in (["x"], ("x",), {"x"}, frozenset("x")))
    with pytest.raises(TraceError, match=r"write uniform=\['x'\]"):
        bwd.kernel(3)
    with pytest.raises(EmitError, match="uniform names 'q'"):
        bwd.kernel(["q"])


def test_the_module_has_its_names_and_no_others():
    assert {"derive", "sin", "float3", "EgadError"} <= set(egad.__all__)
    assert set(egad.__all__) <= set(dir(egad))
    with pytest.raises(AttributeError, match="did you mean 'derive'"):
        egad.derivee  # noqa: B018
