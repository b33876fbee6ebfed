"""Peers in one harness: what they emit is counted and checked; what they refuse is said."""

import doctest
import importlib
import math
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
for place in (ROOT, Path(__file__).parent):
    if str(place) not in sys.path:
        sys.path.append(str(place))

from bench import standing  # noqa: E402
from bench.accuracy import derivatives, error_against, reference  # noqa: E402
from bench.compare import Comparison, Entry  # noqa: E402
from bench.costs import WEIGHTS, weighted  # noqa: E402
from bench.derivatives import derive  # noqa: E402
from bench.harness import compiler, wrap  # noqa: E402
from bench.harness.compiler import CompileFailure  # noqa: E402
from bench.harness.timing import Time, batch_size  # noqa: E402
from bench.peers import EMITTERS, NAMES, RUNTIMES, llvm, own, textbook  # noqa: E402
from bench.peers.protocol import Emitted, Refused  # noqa: E402
from bench.peers.worker import Worker  # noqa: E402
from bench.workloads import BY_NAME, FURTHER  # noqa: E402

try:
    compiler.compiler()
except CompileFailure as failure:
    pytestmark = pytest.mark.skip(reason=str(failure))

BENCH = sorted(p for p in (ROOT / "bench").rglob("*.py") if ">>> " in p.read_text())


@pytest.mark.parametrize("path", BENCH, ids=[str(p.relative_to(ROOT)) for p in BENCH])
def test_doctests(path):
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def counted(body, rows, outputs=1, functions=""):
    shape = wrap.Shape(len(rows[0]), outputs)
    return compiler.tallied(wrap.counting(Emitted(body, functions), shape), np.array(rows))


@pytest.mark.parametrize(
    ("body", "value", "counts"),
    [
        ("out_0 = in_0 * in_1 + 2.0 * 3.0;", 12.0, {"mul": 1, "add": 1}),
        ("out_0 = -in_0 / in_1;", -2 / 3, {"neg": 1, "div": 1}),
        ("out_0 = in_0 < in_1 ? in_0 : in_1;", 2.0, {"lt": 1, "select": 1}),
        ("out_0 = 0; if (in_0 < in_1) out_0 = in_1 - in_0;", 1.0, {"lt": 1, "select": 1, "sub": 1}),
        ("out_0 = (in_0 < in_1);", 1.0, {"lt": 1}),
        ("out_0 = pow(in_0, 2);", 4.0, {"mul": 1}),
        ("out_0 = pow(in_0, -3);", 0.125, {"mul": 2, "div": 1}),
        ("out_0 = pow(in_0, 1.5);", 2**1.5, {"mul": 1, "sqrt": 1}),
        ("out_0 = pow(in_0, in_1);", 8.0, {"pow": 1}),
        ("out_0 = fma(in_0, in_1, 1.0);", 7.0, {"fma": 1}),
        ("out_0 = fmax(in_0, 2.5) + fabs(in_1);", 5.5, {"max": 1, "abs": 1, "add": 1}),
        ("T c; out_0 = sincos(in_0, &c) * c;", math.sin(4) / 2, {"sincos": 1, "mul": 1}),
    ],
)
def test_operations_are_counted(body, value, counts):
    results, found = counted(body, [[2.0, 3.0]])
    assert found.pop("pairs") == 0 and found == counts
    assert results[0][0] == pytest.approx(value, rel=1e-15)


def test_sines_and_cosines_of_one_angle_are_told():
    _, found = counted("out_0 = sin(in_0) * cos(in_0) + cos(in_1);", [[2.0, 3.0], [0.1, 0.2]])
    assert found == {"sin": 1, "cos": 2, "mul": 1, "add": 1, "pairs": 1}


def test_what_depends_on_the_input_is_the_mean():
    _, found = counted("out_0 = in_0; if (in_0 > 1) out_0 = in_0 * in_0;", [[0.5], [2.0]])
    assert found["mul"] == 0.5 and found["gt"] == 1


COUNTED = (
    "poly",
    "ggx",
    "ba_reproj",
    "fk6",
    "gaussian_splat",
    "neohookean",
    "chain10",
    "smooth_union",
    "disney",
)


@pytest.mark.parametrize("name", COUNTED)
def test_what_egad_emits_costs_what_it_reports(name):
    workload = BY_NAME[name]
    shape = wrap.Shape(workload.n_in, workload.n_results)
    emitted = own.emit(workload, "float64", "fast")
    rows = workload.sample(4)
    results, counts = compiler.tallied(wrap.counting(emitted, shape), rows)
    assert error_against(reference(workload, rows), np.array(results)) < 1e-10
    assert counts.pop("pairs") == 0  # one angle, one sincos
    reported = derive(workload, "float64", "fast").report.counts_after
    fused = counts.get("fma", 0)  # two operators of the report, one call
    # A sign of a factor may have become that of the sum the product is in.
    signs = sum(reported.values()) - sum(counts.values()) - fused
    assert signs in (0, 1) and weighted(counts) == weighted(reported) - signs


@pytest.mark.parametrize(
    "name", ["poly", "ba_reproj", "gaussian_splat", "neohookean", *(w.name for w in FURTHER)]
)
def test_the_textbook_is_right(name):
    workload = BY_NAME[name]
    rows = workload.sample(2, seed=5)
    shape = wrap.Shape(workload.n_in, workload.n_results)
    results, _ = compiler.tallied(wrap.counting(textbook.emit(workload, "float64"), shape), rows)
    assert error_against(reference(workload, rows), np.array(results)) < 1e-9


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scalar_and_batch_compute_the_same(dtype):
    workload = BY_NAME["ba_reproj"]
    emitted = wrap.in_dtype(textbook.emit(workload, dtype), dtype)
    shape = wrap.Shape(workload.n_in, workload.n_results)
    rows = np.ascontiguousarray(workload.sample(70).astype(dtype))
    one = np.zeros((70, workload.n_results), dtype)
    compiler.shared(wrap.scalar(emitted, shape, dtype), compiler.PLAIN)(70, rows, one)
    many = np.zeros((workload.n_results, 70), dtype)
    columns = np.ascontiguousarray(rows.T)
    compiler.shared(wrap.batch(emitted, shape, dtype), compiler.VECTOR)(70, columns, many)
    expected = np.stack([derivatives(workload, row) for row in rows[:3]])
    limit = {"float32": 1e-4, "float64": 1e-12}[dtype]
    assert error_against(expected, one[:3]) < limit
    assert np.max(np.abs(one - many.T) / np.max(np.abs(one), axis=1, keepdims=True)) < limit


def test_the_compiler_says_what_is_wrong():
    with pytest.raises(CompileFailure, match=r"error: .*nonsense"):
        compiler.shared("nonsense", compiler.PLAIN)


# ---------------------------------------------------------------- peers that fail


@pytest.fixture(scope="module")
def misbehaving():
    worker = Worker("misbehaving", limit=20.0, module="misbehaving")
    yield worker
    worker.stop()


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        ("ggx", "^has no microfacets$"),
        ("fk6", "^its process ends with 3$"),
        ("radtan", "^ValueError: no lens"),
        ("springs", r"^not installed \(no_such_package_anywhere\)$"),
    ],
)
def test_a_failure_is_a_reason(misbehaving, workload, why):
    with pytest.raises(Refused, match=why):
        misbehaving.ask("emit", workload, "float64")
    assert misbehaving.ask("emit", "poly", "float64").body.startswith("out_0 = in_1")


def test_a_peer_that_takes_too_long_is_stopped(misbehaving):
    misbehaving.ask("emit", "poly", "float64")
    misbehaving.limit = 0.5
    with pytest.raises(Refused, match=r"^no result in 0.5 s$"):
        misbehaving.ask("emit", "lj8", "float64")
    misbehaving.limit = 20.0
    assert misbehaving.ask("emit", "poly", "float64").seconds < 1


def test_wrong_numbers_are_said_and_do_not_count():
    comparison = Comparison(["textbook"], None, 60.0, "fast")
    comparison.workers["casadi"] = Worker("casadi", 60.0, "misbehaving")
    try:
        entries = comparison.entries(BY_NAME["poly"], timed=True)
    finally:
        comparison.close()
    by_peer = {entry.peer: entry for entry in entries}
    assert by_peer["egad"].right and by_peer["textbook"].right
    wrong = by_peer["casadi"]
    assert not wrong.right and wrong.weighted == 5 and wrong.errors["C float64"] > 0.1
    assert {"C float64", "C batch float32, cache"} <= set(by_peer["egad"].times)
    [found] = standing.standings(entries, lambda e: e.weighted)
    assert (found.own, found.best, found.peer) == (3, 4, "textbook")
    tables = {title: rows for title, _, rows in standing.tables(entries, {"memcpy": 10.0})}
    assert tables["Weighted cost"][0] == ["poly", "3", "4", "(5)", "textbook", "0.75"]
    assert ["CasADi", "poly", "wrong numbers"] in tables["What is missing"]


def test_what_is_refused_has_a_line():
    entries = [
        Entry("poly", "egad", "", weighted=3.0),
        Entry("poly", "sympy", "", refused="no result in 60 s"),
        Entry("ggx", "sympy", "", refused="no result in 60 s"),
        Entry("poly", "jax", "", refused="not installed (jax)"),
    ]
    rows = {title: rows for title, _, rows in standing.tables(entries, {})}["What is missing"]
    assert rows == [
        ["SymPy", "poly, ggx", "no result in 60 s"],
        ["JAX", "poly", "not installed (jax)"],
    ]


def test_the_kernel_that_users_have_stands_beside_the_fastest_way_of_each_peer():
    own = {"OpenCL float32, cache": Time(2.0, 1.0), "kernel float32, cache": Time(1.0, 1.0)}
    theirs = {"OpenCL float32, cache": Time(2.0, 1.0), "C batch float32, cache": Time(5.0, 1.0)}
    runtime = {"batch float32, cache": Time(4.0, 1.0)}
    entries = [
        Entry("poly", peer, "", times=times)
        for peer, times in (("egad", own), ("casadi", theirs), ("drjit", runtime))
    ]
    _, _, rows = standing._summary(entries, {})
    ratios = {row[0]: row[2] for row in rows}
    assert ratios["OpenCL or own runtime, float32, batch in cache: nanoseconds"] == "1.000"
    fastest = "egad's kernel by the device's costs, every peer's fastest way"
    assert ratios[f"{fastest}, float32, cache"] == "0.500"
    assert ratios[f"{fastest} but OpenCL, float32, cache"] == "0.250"


def test_the_best_of_a_run_stands_beside_egad():
    time = {"OpenCL float32, cache": Time(2.0, 1.0), "C batch float32, cache": Time(1.5, 1.0)}
    entries = [
        Entry("poly", "egad", "", weighted=4.0, times=dict(time)),
        Entry("poly", "casadi", "", weighted=3.0, times=dict(time)),
        Entry("poly", "drjit", "", times={"batch float32, cache": Time(1.75, 1.0)}),
    ]
    best = standing.best(entries)["poly"]
    assert (best.weighted.value, best.weighted.tool) == (3.0, "CasADi")
    assert (best.float32.value, best.float32.tool) == (1.5, "CasADi")
    assert best.float64 is None


def test_every_peer_is_a_module_and_has_a_name():
    rooms = {path.stem for path in (ROOT / "bench" / "peers").glob("*.py")}
    assert {*EMITTERS, *RUNTIMES} <= rooms
    assert set(NAMES) == {"egad", *EMITTERS, *RUNTIMES}


def test_batches_fit_and_do_not_start_at_the_same_place_of_a_page():
    for bytes_each in (16, 152, 1000, 2840):
        for place, most in (("cache", 512 << 10), ("memory", 128 << 20)):
            n = batch_size(bytes_each, place, 1.0)
            assert n % 64 == 0 and 64 <= n <= most // bytes_each
            assert n < 1216 or n * 4 % 4096 == 768
    assert batch_size(16, "cache", 1e9) == 64


# ---------------------------------------------------------------- LLVM's intermediate code

CODE = """
define dso_local void @entry(ptr noalias %outs, ptr %ins) local_unnamed_addr #0 {
entry:
  %0 = load ptr, ptr %outs, align 8, !tbaa !14
  %1 = load ptr, ptr %ins, align 8, !tbaa !14
  %.val = load double, ptr %1, align 8, !tbaa !9
  %2 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %.val2 = load double, ptr %2, align 8, !tbaa !9
  %sincos = tail call { double, double } @llvm.sincos.f64(double %.val)
  %sin = extractvalue { double, double } %sincos, 0
  %mul = fmul fast double %.val2, %sin
  %big = fcmp fast ogt double %mul, 5.000000e-01
  %most = select i1 %big, double %mul, double f0x3FE0000000000000
  %root = tail call fast double @llvm.sqrt.f64(double %most)
  store double %root, ptr %0, align 8, !tbaa !9
  ret void
}
"""


def test_intermediate_code_becomes_c():
    body = llvm.in_c(CODE, "double")
    results, found = counted(body, [[1.0, 2.0], [0.1, 2.0]])
    assert [r[0] for r in results] == pytest.approx([(2 * math.sin(1)) ** 0.5, 0.5**0.5])
    found.pop("pairs")
    assert found == {"sincos": 1, "mul": 1, "gt": 1, "select": 1, "sqrt": 1}
    told = llvm.operations(body)
    assert {name: count for name, count in told.items() if count} == {
        "sincos": 1, "mul": 1, "select": 1, "sqrt": 1,
    }  # fmt: skip
    assert set(told) <= set(WEIGHTS)


def test_what_is_not_arithmetic_is_refused():
    code = CODE.replace("ret void", "br label %loop")
    with pytest.raises(Refused, match="'br label %loop', which is not straight-line arithmetic"):
        llvm.in_c(code, "double")


# ---------------------------------------------------------------- whatever is installed

INSTALLED = [
    peer
    for peer in ("casadi", "sympy", "symengine", "symforce", "wrenfold", "slang", "enzyme")
    if importlib.util.find_spec({"slang": "slangpy", "enzyme": "enzyme_ad"}.get(peer, peer))
]


@pytest.mark.parametrize("peer", INSTALLED)
@pytest.mark.parametrize("name", ["poly", "radtan", "harmonics"])
def test_installed_peers_are_right(peer, name):
    workload = BY_NAME[name]
    worker = Worker(peer)
    try:
        emitted = worker.ask("emit", name, "float64")
    finally:
        worker.stop()
    shape = wrap.Shape(workload.n_in, workload.n_results)
    rows = workload.sample(2)
    results, counts = compiler.tallied(wrap.counting(emitted, shape), rows)
    assert error_against(reference(workload, rows), np.array(results)) < 1e-9
    assert counts["mul"] > 0 and emitted.seconds > 0
