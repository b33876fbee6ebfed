"""What loops keep: how much, where, and that the numbers do not depend on it."""

import re

import numpy as np
import pytest

from egad import (
    Array,
    copy,
    derive,
    detach,
    float3,
    prefer_checkpoint,
    prefer_recompute,
    select,
    sin,
    struct,
)
from egad.codegen.devices import timing
from egad.codegen.devices.device import choose
from egad.codegen.kernel import memory
from egad.rewrite.loops import segments, unrolling
from egad.rewrite.loops.prune import pruned
from egad.rules.loader.load import load

pytestmark = pytest.mark.usefixtures("as_loops")


def stored(f, mode="bwd", **options):
    """Bytes per work-item, as explain() says."""
    text = derive(f, mode, **options).explain()
    return int(re.search(r"storage +(\d+) bytes", text).group(1))


def plain(y: float) -> float:
    t = y
    for i in range(3):
        t = t * (i + 1)
    return t


def continued(y: float) -> float:
    t = y
    for i in range(3):
        if i == 1:
            continue
        t = t * t + i
    return t


def weighted(y: float) -> float:
    w = 0.0
    w3 = float3(0.0)
    for i in range(8):
        k = float(i) * y
        g = select(k > 0.0, k, 0.0)
        w = w + g
        w3 = w3 + float3(g) * y
    return (w3 / float3(w)).x


def long(x: float, y: float) -> float:
    s, i = x, 0
    for i in range(3000):  # noqa: B007
        s = s + 0.001 * sin(s * y)
    return s + i


def stopped(x: float, y: float) -> float:
    s = x
    for i in range(3000):
        if s > 4.0:
            break
        s = s + 0.01 * sin(y * i) * s
    return s


@pytest.mark.parametrize(("f", "most"), [(plain, 0), (continued, 12), (weighted, 0)])
def test_bytes_that_loops_keep(f, most):
    """No more than the reference system keeps (0, 20 and 16 bytes)."""
    assert stored(f) == most


def test_explain_names_what_is_kept():
    text = derive(continued, "bwd").explain()
    assert re.search(r"storage +12 bytes per work-item: t \(3 x float32, loop at line \d+\)", text)


@struct
class Rope:
    at: Array[float3, 2]


def swung(x: float) -> float:
    rope = Rope()
    seen = [0.0, 1.0]

    def note() -> None:
        seen[0] = seen[0] * seen[1] + sin(rope.at[1].y)

    for i in range(1, 5):
        rope.at[1].y = sin(rope.at[1].y + x * i)
        note()
    return seen[0]


def test_what_is_kept_is_named_as_python_reaches_it():
    derived = derive(swung, "bwd", dtype="float64")
    assert "rope_at_1__y (4 x float64" in derived.explain()
    assert "1 * k" not in derive(swung, "primal").source
    h = 1e-6
    assert derived(0.3, 1.0).x == pytest.approx(
        (swung(0.3 + h) - swung(0.3 - h)) / (2 * h), rel=1e-8
    )


@pytest.mark.parametrize("f", [long, stopped], ids=["long", "stopped"])
def test_segments_give_the_same_numbers_from_less(f, monkeypatch):
    x, y = np.linspace(0.3, 2.0, 70), np.linspace(-1.0, 2.0, 70)
    small = derive(f, "bwd", dtype="float64")
    few = stored(f, dtype="float64")
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 1 << 30)
    whole = derive(f, "bwd", dtype="float64")
    many = stored(f, dtype="float64")
    assert few * 20 < many
    for a, b in zip(small(x, y, 1.0), whole(x, y, 1.0), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)
    for a, b in zip(small(x, y, 1.0), small.reference(x[:3], y[:3], 1.0), strict=True):
        np.testing.assert_allclose(a[:3], b, rtol=1e-9)


def orbit(x: float, y: float) -> tuple[float, float]:
    for _ in range(3000):
        x = x + 0.0005 * sin(3.0 * x)
        y = y + 0.0005 * x * sin(y)
    return y, x


def test_segments_begin_with_what_is_read_alone(monkeypatch):
    """What nobody reads is not there to be pruned; y's adjoint keeps 24 KB, that of x no more."""
    sizes = []
    forward = segments.Segments.forward

    def watched(self, wanted):
        results, starts = forward(self, wanted)
        terms = [*results.values(), *starts.values()]
        (before,) = {t.args[0] for t in terms if t.op == "proj"}
        (after,) = {t.args[0] for t in pruned(terms, load()) if t.op == "proj"}
        sizes.append((before.attr.carried, after.attr.carried, self.loop.carried))
        return results, starts

    monkeypatch.setattr(segments.Segments, "forward", watched)
    derived = derive(orbit, "jacobian", dtype="float64")
    assert len(sizes) == 2  # one adjoint for each result
    for before, after, candidates in sizes:
        assert before in (after, after + 1)  # how often it ran is known
        assert before < candidates
    assert sum(m.bytes for m in derived.report.storage) < 24_000
    found = derived(0.4, 0.9)
    h = 1e-7
    for i, (row, step) in enumerate([((h, 0.0), h), ((0.0, h), h)]):
        more, less = (orbit(0.4 + s * row[0], 0.9 + s * row[1]) for s in (1, -1))
        slope = [(a - b) / (2 * step) for a, b in zip(more, less, strict=True)]
        np.testing.assert_allclose([r[i] for r in found], slope, rtol=1e-6)


def test_large_memories_are_buffers(monkeypatch):
    """Values kept in a global buffer are those kept in each work-item."""
    x, y = np.linspace(0.3, 2.0, 200), np.linspace(-1.0, 2.0, 200)
    private = derive(continued, "value_and_grad")
    wanted = private(x)
    monkeypatch.setattr(memory, "PRIVATE_BYTES", 4)
    shared = derive(continued, "value_and_grad")
    assert "float *restrict t_tape" in shared.source
    assert "scratch" in shared.source
    assert "[3]" not in shared.source
    for a, b in zip(shared(x), wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    monkeypatch.setattr("egad.codegen.devices.run.SCRATCH_BYTES", 64 * 12)  # several launches
    for a, b in zip(shared(x), wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    assert y.size == x.size
    device, kernel = choose(), shared.kernel()
    assert timing.largest(kernel, 640, device) == 64  # as many as are timed at once
    inputs = {arg.name: np.ones(64, np.float32) for arg in kernel.args if arg.role == "in"}
    assert min(timing.time_kernel(kernel, inputs, 64, device, 3)) > 0


@prefer_checkpoint
def costly(s: float, x: float) -> float:
    return sin(s * x) * sin(s + x)


@prefer_recompute
def again(s: float, x: float) -> float:
    return sin(s * x) * sin(s + x)


def keeps(x: float) -> float:
    s = x
    for _ in range(6):
        c = costly(s, x)
        s = s + c * c * c
    return s


def repeats(x: float) -> float:
    s = x
    for _ in range(6):
        c = again(s, x)
        s = s + c * c * c
    return s


def test_a_function_may_ask_for_its_results_to_be_stored():
    """Two values per trip instead of one: the state, and the result of the call."""
    assert stored(repeats) == 24
    assert stored(keeps) == 48
    for x in (0.3, 1.1):
        found = [derive(f, "bwd", dtype="float64")(x, 1.0).x for f in (keeps, repeats)]
        assert found[0] == pytest.approx(found[1], rel=1e-13)
    for mode in ("fwd", "hessian"):
        found = [derive(f, mode, dtype="float64").source for f in (keeps, repeats)]
        assert all("keep" not in text.partition("static")[2] for text in found[1:])


def narrow(x: float) -> float:
    v = float3(x, 0.5, 0.25)
    s = 0.0
    for _ in range(6):
        s = s + sin(detach(v.x * v.y + v.z) * x)
        v = v.yzx * 0.9 + 0.1
    return s


def inner_result(x: float) -> float:
    s = 0.0
    for i in range(6):
        r = detach(x) + i
        for _ in range(40):
            r = 0.5 * (r + 2.0 / r)
        s = s * 0.9 + r * x
    return s


def decided(x: float) -> float:
    s = x
    for _ in range(6):
        s = s * 1.5 if sin(s) > 0.25 else s * 0.5 + x
    return s


@pytest.mark.parametrize(("f", "most"), [(narrow, 24), (inner_result, 24), (decided, 6)])
def test_a_value_is_kept_instead_of_all_that_it_follows_from(f, most):
    """One float instead of three, the result of an inner loop, a bool instead of a float."""
    assert 0 < stored(f) <= most
    h = 1e-6
    slope = (f(0.7 + h) - f(0.7 - h)) / (2 * h)
    if f is narrow:  # what is detached counts as constant: only the factor varies
        v, slope = np.array([0.7, 0.5, 0.25]), 0.0
        for _ in range(6):
            t = v[0] * v[1] + v[2]
            slope += np.cos(t * 0.7) * t
            v = np.array([v[1], v[2], v[0]]) * 0.9 + 0.1
    if f is inner_result:
        slope = f(0.7) / 0.7
    backward = derive(f, "bwd", dtype="float64")
    assert backward.reference(0.7, 1.0).x == pytest.approx(slope, rel=1e-6)
    assert backward(0.7, 1.0).x == pytest.approx(slope, rel=1e-6)


def kept_decision(x: float, y: float) -> float:
    s = x
    for i in range(5):
        if sin(s * y) > 0.25:  # dear enough to be kept as one bool, and the arms to be branches
            s = s * 0.5 + sin(x * i) * sin(y + i)
        else:
            s = s * 0.75 + sin(x * x + i) * sin(y * i)
    return s


def test_a_decision_that_is_kept_is_the_condition_of_a_branch():
    backward = derive(kept_decision, "bwd", dtype="float64")
    assert "bool" in backward.explain().partition("storage")[2].partition("\n")[0]
    points = np.linspace(0.3, 1.9, 9), np.linspace(-1.0, 2.0, 9)
    for a, b in zip(backward(*points, 1.0), backward.reference(*points, 1.0), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def ring(u: Array[float, 12], k: float):
    """Heat on a ring: what is carried has the names of what comes in and goes out."""
    for _ in range(7):
        old = copy(u)
        for i in range(12):
            u[i] = old[i] + k * (old[(i + 11) % 12] + old[(i + 1) % 12] - 2 * old[i])
    return u


def test_buffers_have_names_of_their_own(monkeypatch):
    u = np.random.default_rng(2).normal(size=(3, 12))
    monkeypatch.setattr(unrolling, "TRIPS", 0)
    wanted = derive(ring, "jacobian", wrt=["u"], dtype="float64")(u, 0.1)
    monkeypatch.setattr(memory, "PRIVATE_BYTES", 4)
    shared = derive(ring, "jacobian", wrt=["u"], dtype="float64")
    kernel = shared.kernel()
    assert kernel.scratch
    for part in kernel.scratch:
        assert f"*restrict {part.symbol}" in shared.source
    for a, b in zip(shared(u, 0.1), wanted, strict=True):
        np.testing.assert_array_equal(a, b)
