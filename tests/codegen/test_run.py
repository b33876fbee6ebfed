"""Hand-written kernels on the device of this machine: launches, memory, caches, errors."""

import os
import subprocess
import sys
import threading
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hand_rules import RULES, select, term

from egad.codegen.devices import build, device, run
from egad.codegen.host.arrays import bind
from egad.codegen.host.results import unbind
from egad.codegen.kernel.opencl import emit
from egad.terms import store
from egad.terms.errors import DeviceError, EgadWarning, EmitError
from egad.terms.program import Program, Slot
from egad.terms.types import Scalar, Type, Vec

pytestmark = pytest.mark.skipif(
    not any(info.usable for info in device.devices()), reason="no OpenCL device on this machine"
)
F = Scalar.F32


@dataclass(frozen=True)
class Arg:
    name: str
    type: Type
    role: str
    uniform: bool = False


@dataclass(frozen=True)
class Kernel:
    text: str
    name: str
    args: tuple[Arg, ...]
    scratch: tuple = ()


SAXPY = Kernel(
    """__kernel void saxpy(const float a, __global const float *restrict x,
                    __global const float *restrict y, __global float *restrict z)
{
    size_t i = get_global_id(0);
    z[i] = a * x[i] + y[i];
}
""",
    "saxpy",
    (Arg("a", F, "in", True), Arg("x", F, "in"), Arg("y", F, "in"), Arg("z", F, "out")),
)
SCALE = Kernel(
    """__kernel void scale(__global const float *restrict v, __global const float *restrict s,
                    __global float *restrict w, __global float *restrict d)
{
    size_t i = get_global_id(0);
    float x = v[3 * i], y = v[3 * i + 1], z = v[3 * i + 2];
    w[3 * i] = s[i] * x;
    w[3 * i + 1] = s[i] * y;
    w[3 * i + 2] = s[i] * z;
    d[i] = x + y + z;
}
""",
    "scale",
    (
        Arg("v", Vec(F, 3), "in"),
        Arg("s", F, "in"),
        Arg("w", Vec(F, 3), "out"),
        Arg("d", F, "out"),
    ),
)


@pytest.fixture(scope="module")
def chosen():
    return device.choose()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def fresh(chosen, cache):
    """The device with nothing compiled yet, in memory or on disk."""
    return replace(chosen, programs={})


def saxpy(x, y, where, a=2.0):
    n = len(x)
    return run.launch(SAXPY, {"a": np.float32(a).reshape(()), "x": x, "y": y}, n, where)["z"]


def ramp(n, start=0.0):
    return np.arange(start, start + n, dtype=np.float32)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 127, 128, 1_000_003])
def test_every_element_is_computed(chosen, n):
    x, y = ramp(n), np.ones(n, np.float32)
    z = saxpy(x, y, chosen)
    assert z.shape == (n,) and z.dtype == np.float32
    assert np.array_equal(z, 2 * x + y)


@pytest.fixture(params=["shared", "mapped", "copied"])
def either(request, chosen):
    """The device, as one that takes addresses, maps buffers, or has memory of its own."""
    kind = "gpu" if request.param == "copied" else chosen.info.kind
    other = replace(chosen, info=replace(chosen.info, kind=kind))
    if request.param == "mapped":
        vars(other)["shares_memory"] = False
    return other


@pytest.mark.parametrize("n", [1, 1001, 1_000_003])
def test_all_ways_to_memory_give_the_same(either, n):
    x = ramp(n)
    assert np.array_equal(saxpy(x, x[::-1].copy(), either), 2 * x + x[::-1])


def test_one_array_passed_twice_and_arrays_that_overlap(either):
    x = ramp(200)
    assert np.array_equal(saxpy(x, x, either), 3 * x)
    assert np.array_equal(saxpy(x[:150], x[50:], either), 2 * x[:150] + x[50:])


def test_memory_that_is_read_only_or_not_aligned(either):
    x = ramp(100)
    x.flags.writeable = False
    y = np.frombuffer(b"\0" * 4 + x.tobytes(), np.float32, offset=4)
    assert np.array_equal(saxpy(x, y, either), 3 * x)
    assert np.array_equal(x, ramp(100))


def test_results_outlive_their_buffers(either):
    kept = [saxpy(ramp(70, i), ramp(70), either) for i in range(50)]
    for i, z in enumerate(kept):
        assert np.array_equal(z, 2 * ramp(70, i) + ramp(70))


@pytest.mark.parametrize("n", [1, 1000, 100_003, 2_000_000])
def test_results_have_places_of_their_own(n):
    """In one block from 4 MiB on, a line apart and at the beginnings of lines."""
    args = [Arg("a", F, "out"), Arg("v", Vec(F, 3), "out"), Arg("k", Scalar.I32, "out")]
    found = run.rooms([build.Passing.of(arg) for arg in args], n)
    assert [(r.shape, r.dtype) for r in found.values()] == [
        ((n,), np.float32),
        ((n, 3), np.float32),
        ((n,), np.int32),
    ]
    for k, array in enumerate(found.values()):
        assert array.flags.c_contiguous and array.flags.writeable
        array[:] = k
    assert [np.unique(array).tolist() for array in found.values()] == [[0], [1], [2]]
    places = [array.ctypes.data for array in found.values()]
    together = sum(array.nbytes for array in found.values()) >= run.LARGE
    assert together is (n == 2_000_000)
    if together:
        assert not any(place % run.LINE for place in places)
        sizes = [array.nbytes for array in found.values()]
        assert all(b - a > size for a, b, size in zip(places, places[1:], sizes, strict=False))


def test_vectors_are_packed(chosen):
    v, s = ramp(21).reshape(7, 3), ramp(7)
    out = run.launch(SCALE, {"v": v, "s": s}, 7, chosen)
    assert np.array_equal(out["w"], v * s[:, None])
    assert np.array_equal(out["d"], v.sum(axis=1))


def test_from_arguments_to_results(chosen):
    params = [Slot("v", Vec(F, 3)), Slot("s", F)]
    v, s = ramp(9).reshape(3, 1, 3), ramp(4).reshape(1, 4)
    bound = bind(params, [v, s])
    outputs = run.launch(SCALE, bound.inputs, bound.size, chosen)
    w, d = unbind(bound.fit, [Slot("w", Vec(F, 3)), Slot("d", F)], outputs)
    assert np.array_equal(w, v * s[:, :, None])
    assert np.array_equal(d, np.broadcast_to(v.sum(axis=2), (3, 4)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "bool"])
def test_types(chosen, dtype):
    scalar = Scalar(dtype)
    if not {Scalar.F64: chosen.info.fp64, Scalar.F16: chosen.info.fp16}.get(scalar, True):
        pytest.skip("the device lacks this precision")
    c = {"float32": "float", "float64": "double", "float16": "half", "int32": "int"}
    c = c.get(dtype, "uchar")
    text = f"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void pick(const {c} a, __global const {c} *x, __global {c} *y)
{{ size_t i = get_global_id(0); y[i] = x[i] != 0 ? x[i] : a; }}"""
    if dtype != "float16":
        text = text.split("\n", 1)[1]
    args = (Arg("a", scalar, "in", True), Arg("x", scalar, "in"), Arg("y", scalar, "out"))
    x = np.array([0, 1, 0, 1, 1], dtype)
    a = np.array(1, dtype)
    y = run.launch(Kernel(text, "pick", args), {"a": a, "x": x}, 5, chosen)["y"]
    assert y.dtype == np.dtype(dtype)
    assert y.tolist() == [1, 1, 1, 1, 1]


def small_program():
    x, v, b = Slot("x", F), Slot("v", Vec(F, 3)), Slot("b", Scalar.BOOL)
    (x0,), (v0, v1, v2), (b0,) = x.leaves(), v.leaves(), b.leaves()
    roots = (
        (term("sin", term("mul", x0, v0)),),
        (term("exp", v0), select(b0, x0, v1), term("add", v2, x0)),
        (term("lt", x0, v1, type=Scalar.BOOL),),
    )
    results = (Slot("x", F), Slot("w", Vec(F, 3)), Slot("c", Scalar.BOOL, diff=False))
    return Program("f", (x, v, b), results, roots)


@pytest.mark.parametrize(
    "args",
    [
        (2.0, [0.1, 0.2, 0.3], True),
        (np.linspace(0, 1, 70), [0.1, 0.2, 0.3], np.array([[True], [False]])),
        (np.linspace(0, 1, 3), np.arange(9.0).reshape(3, 3), False),
    ],
)
def test_emitted_kernels(chosen, args):
    program = small_program()
    bound = bind(program.params, args, "f")
    kernel = emit(program, RULES, name="f", uniform=bound.uniform_names)
    outputs = run.launch(kernel, bound.inputs, bound.size, chosen)
    x, w, c = unbind(bound.fit, program.results, outputs)
    given_x, given_v, given_b = (np.asarray(arg, np.float32) for arg in args)
    shape = np.broadcast_shapes(given_x.shape, given_v.shape[:-1], given_b.shape)
    assert np.shape(x) == np.shape(c) == shape and np.shape(w) == (*shape, 3)
    assert np.allclose(x, np.sin(given_x * given_v[..., 0]), rtol=1e-6)
    assert np.allclose(w[..., 1], np.where(given_b, given_x, given_v[..., 1]), rtol=1e-6)
    assert np.array_equal(c, np.broadcast_to(given_x < given_v[..., 1], shape))


# --- pyopencl arrays


@pytest.fixture
def queue(chosen):
    import pyopencl as cl

    context = cl.Context([chosen.cl_device])
    queue = cl.CommandQueue(context)
    yield queue
    queue.finish()
    del context


@pytest.mark.parametrize("n", [0, 1, 65, 1000])
def test_pyopencl_arrays_stay_on_their_queue(queue, n):
    import pyopencl.array as cla

    x = cla.to_device(queue, ramp(n)) if n else cla.empty(queue, (0,), np.float32)
    params = [Slot("a", F), Slot("x", F), Slot("y", F)]
    bound = bind(params, [2.0, x, ramp(n)])
    assert bound.fit.kind == "pyopencl"
    if n != 1:
        assert tuple(a.uniform for a in bound.fit.arguments) == (True, False, False)
        outputs = run.launch(SAXPY, bound.inputs, bound.size, device.of_queue(bound.queue))
        (z,) = unbind(bound.fit, [Slot("z", F)], outputs)
        assert isinstance(z, cla.Array) and z.queue == queue
        assert np.array_equal(z.get(), 3 * ramp(n))


def test_pyopencl_views_and_conversions(queue):
    import pyopencl.array as cla

    whole = cla.to_device(queue, ramp(100))
    double = cla.to_device(queue, np.arange(99.0))
    bound = bind([Slot("a", F), Slot("x", F), Slot("y", F)], [2, whole[1:], double])
    out = run.launch(SAXPY, bound.inputs, bound.size, device.of_queue(queue))["z"]
    assert np.array_equal(out.get(), 2 * ramp(99, 1) + ramp(99))


def test_pyopencl_arrays_broadcast(queue):
    import pyopencl.array as cla

    x = cla.to_device(queue, ramp(3).reshape(3, 1))
    y = cla.to_device(queue, ramp(4))
    bound = bind([Slot("a", F), Slot("x", F), Slot("y", F)], [cla.to_device(queue, ramp(1)), x, y])
    assert bound.fit.arguments[0].uniform
    out = run.launch(SAXPY, {**bound.inputs}, bound.size, device.of_queue(queue))
    assert np.array_equal(np.asarray(out["z"]).reshape(3, 4), np.broadcast_to(ramp(4), (3, 4)))


def test_pyopencl_arrays_of_two_contexts_are_refused(queue, chosen):
    import pyopencl as cl
    import pyopencl.array as cla

    other = cl.Context([chosen.cl_device])
    x, y = cla.to_device(queue, ramp(3)), cla.to_device(cl.CommandQueue(other), ramp(3))
    with pytest.raises(DeviceError, match="'x' and 'y' are pyopencl arrays of different contexts"):
        bind([Slot("x", F), Slot("y", F)], [x, y])
    with pytest.raises(DeviceError, match="another context than the device's"):
        saxpy(x, x, chosen)


def test_pyopencl_arrays_on_an_unordered_queue(chosen):
    import pyopencl as cl
    import pyopencl.array as cla

    context = cl.Context([chosen.cl_device])
    mode = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = cl.CommandQueue(context, properties=mode)
    x = y = cla.to_device(queue, ramp(100_000))
    for _ in range(5):
        y = saxpy(x, y, device.of_queue(queue), a=1.0)
    assert np.array_equal(y.get(), 6 * ramp(100_000))


# --- compilation


def test_binaries_are_kept_between_processes(fresh, cache):
    first = build.compiled(SAXPY, fresh)
    assert not first.cached and first.seconds > 0
    assert build.compiled(SAXPY, fresh) is first
    again = replace(fresh, programs={})
    second = build.compiled(SAXPY, again)
    assert second.cached
    assert np.array_equal(saxpy(ramp(70), ramp(70), again), 3 * ramp(70))


def test_damaged_binaries_are_compiled_again(fresh, cache):
    build.compiled(SAXPY, fresh)
    (file,) = (cache / "kernels").iterdir()
    file.write_bytes(file.read_bytes()[:-7])
    assert not build.compiled(SAXPY, replace(fresh, programs={})).cached
    store.write_sealed(file, b"whole, but no binary")
    assert not build.compiled(SAXPY, replace(fresh, programs={})).cached


def test_cache_that_cannot_be_written(chosen, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert len(saxpy(ramp(3), ramp(3), replace(chosen, programs={}))) == 3


@pytest.mark.parametrize("content", [None, "no database"])
def test_cache_of_pyopencl_that_is_of_no_use(content, tmp_path):
    """Its folder is a file, or its database is damaged."""
    folder = tmp_path / "pytools"
    code = (
        "import platformdirs, egad\n"
        f"platformdirs.user_cache_dir = lambda *_, **__: {str(folder)!r}\n"
        "print(egad.derive(lambda x: x * x)(3.0, 1.0))"
    )
    env = {**os.environ, "EGAD_CACHE_DIR": str(tmp_path / "egad")}
    run = [sys.executable, "-c", code]
    if content is None:
        folder.write_text("")
    else:
        subprocess.run(run, env=env, check=True, capture_output=True)
        (database,) = folder.iterdir()
        database.write_text(content)
    done = subprocess.run(run, env=env, capture_output=True, text=True)
    assert done.stdout.strip() == "Gradients(x=6.0)", done.stderr


def test_users_build_options_are_kept_away_and_reported(fresh, monkeypatch):
    monkeypatch.setenv("PYOPENCL_BUILD_OPTIONS", "-cl-fast-relaxed-math")
    monkeypatch.setattr(build, "_told", set())
    text = "__kernel void f(__global const float *x, __global float *y)\n"
    text += "{ size_t i = get_global_id(0); y[i] = isnan(x[i] - x[i]); }"
    kernel = Kernel(text, "f", (Arg("x", F, "in"), Arg("y", F, "out")))
    with pytest.warns(EgadWarning, match="PYOPENCL_BUILD_OPTIONS='-cl-fast-relaxed-math' is ign"):
        y = run.launch(kernel, {"x": np.full(64, np.inf, np.float32)}, 64, fresh)["y"]
    assert np.all(y == 1)
    assert os.environ["PYOPENCL_BUILD_OPTIONS"] == "-cl-fast-relaxed-math"


def test_building_is_silent(fresh):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build.compiled(SAXPY, fresh)
        build.compiled(SAXPY, replace(fresh, programs={}))


BAD = Kernel(
    "__kernel void bad(__global float *x)\n{\n    size_t i = get_global_id(0);\n"
    "    x[i] = sinn(1.0f);\n}\n",
    "bad",
    (Arg("x", F, "out"),),
)


def test_compile_errors_show_the_line_of_the_kernel(fresh, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    Path(tmp_path / "scratch").mkdir()
    with pytest.raises(EmitError) as error:
        run.launch(BAD, {}, 4, fresh)
    assert (error.value.at.file, error.value.at.line) == ("bad.cl", 4)
    assert error.value.at.text == "    x[i] = sinn(1.0f);"
    assert f"{fresh.info.label} does not compile kernel 'bad'" in error.value.message
    assert "sinn" in error.value.hint
    assert not list((tmp_path / "scratch").iterdir())  # pyopencl leaves the source there


@pytest.mark.parametrize(
    "log",
    [
        "Compilation started\n2:4:10: error: no 'sinn'\n 4 | x[i]\nCompilation failed",
        "error: /root/.cache/pocl/tempfile_R1.cl:4:10: no 'sinn'\nDevice failed",
        "input.cl:4:10: error: no 'sinn'\n",
        "<kernel>:2:1: warning: old\n<kernel>:4:10: error: no 'sinn'\n",
    ],
)
def test_logs_of_several_compilers(log):
    at, complaint = build._place(log, BAD)
    assert (at.line, at.column, at.text) == (4, 10, "    x[i] = sinn(1.0f);")
    assert complaint == "no 'sinn'"


def test_the_log_of_a_compiler_that_only_warns():
    """NVIDIA's: the assembler stops at the name, without a place."""
    warning = "implicit declaration of function 'sinn' is invalid in OpenCL"
    log = (
        f"<kernel>:4:12: warning: {warning}\n  x\nptxas fatal   : Unresolved extern function 'sinn'"
    )
    at, complaint = build._place(log, BAD)
    assert (at.line, at.column, complaint) == (4, 12, warning)


def test_kernel_that_the_program_does_not_have(fresh):
    with pytest.raises(EmitError, match="does not compile kernel 'other'"):
        run.launch(replace(SAXPY, name="other", args=(Arg("z", F, "out"),)), {}, 1, fresh)


@pytest.mark.parametrize(("c", "what"), [("double", "double (fp64)"), ("half", "half (fp16)")])
def test_devices_without_the_precision_refuse(fresh, c, what):
    poor = replace(fresh, info=replace(fresh.info, fp64=False, fp16=False))
    text = f"__kernel void f(__global {c} *x) {{ x[get_global_id(0)] = 1; }}"
    with pytest.raises(DeviceError) as error:
        run.launch(Kernel(text, "f", (Arg("x", F, "out"),)), {}, 4, poor)
    assert str(error.value) == (
        f"the device {poor.info.label} does not compute in {what}\n"
        "  derive with dtype='float32' and use neither half nor double, or ask for another "
        "device (see `egad devices`)"
    )


def test_words_in_comments_do_not_ask_for_a_precision(fresh):
    poor = replace(fresh, info=replace(fresh.info, fp64=False, fp16=False))
    text = "// half the double\n" + SAXPY.text
    assert build.compiled(replace(SAXPY, text=text), poor)


def test_arrays_that_are_too_short_are_refused(chosen):
    with pytest.raises(DeviceError, match="argument 'y' needs 5 contiguous values of float32, got"):
        run.launch(SAXPY, {"a": np.float32(1), "x": ramp(5), "y": ramp(4)}, 5, chosen)


def test_more_memory_than_there_is(chosen):
    text = "__kernel void f(__global float *x) { x[get_global_id(0)] = 1; }"
    kernel = Kernel(text, "f", (Arg("x", F, "out"),))
    with pytest.raises(DeviceError, match="fails to run kernel 'f' over"):
        run.launch(kernel, {}, 1 << 55, chosen)


def test_threads_share_kernels(fresh):
    problems = []

    def work(seed):
        for i in range(30):
            x, y = ramp(500 + seed, i), ramp(500 + seed)
            if not np.array_equal(saxpy(x, y, fresh, a=seed), np.float32(seed) * x + y):
                problems.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert len(fresh.programs) == 1
