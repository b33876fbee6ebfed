"""Loops: values as Python computes them, derivatives as differences say, all ways alike."""

import pickle
from functools import cache

import grids
import long_lists
import numpy as np
import pytest
from objects import LISTS as SHORT
from objects import POINTS as OBJECTS
from programs import POINTS, VECTORS, stopped

import egad
from egad import derive
from egad.codegen.devices import device
from egad.codegen.devices.run import launch
from egad.rewrite.loops import unrolling

LISTS = {**SHORT, **long_lists.LISTS, **grids.LISTS}
ALL = {**POINTS, **VECTORS, **OBJECTS, **long_lists.POINTS, **grids.POINTS, **LISTS}
CASES = [(f, point) for f, points in ALL.items() for point in points]
IDS = [f"{f.__name__}-{i}" for f, points in ALL.items() for i in range(len(points))]


def plain(f, args):
    """The value that Python computes."""
    kind = (lambda items: np.array(items).tolist()) if f in LISTS else lambda v: egad.float3(*v)
    return f(*[kind(a) if isinstance(a, tuple) else a for a in args])


def nudged(args, h):
    """The arguments with every real component, one after the other, moved up and down by h."""
    for i, arg in enumerate(args):
        for k in range(0 if isinstance(arg, int) else np.size(arg)):
            ends = []
            for step in (h, -h):
                if isinstance(arg, tuple):
                    array = np.array(arg, float)
                    array.flat[k] += step
                    moved = tuple(array.tolist())
                else:
                    moved = arg + step
                ends.append([*args[:i], moved, *args[i + 1 :]])
            yield ends


def differences(f, args, h=1e-6):
    """Central differences of what Python computes, by every real component."""
    return np.array([(plain(f, a) - plain(f, b)) / (2 * h) for a, b in nudged(args, h)])


def flat(value):
    if isinstance(value, tuple):
        return np.concatenate([np.ravel(v) for v in value])
    return np.ravel(value)


def stacked(points):
    """Several points as one call: what is no integer gets an axis for the points in front."""
    columns = zip(*points, strict=True)
    return [c[0] if isinstance(c[0], int) else np.array(c, float) for c in columns]


def at_once(value, count):
    """The results of such a call: a row for each point."""
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.reshape(part, (count, -1)) for part in parts], axis=1)


def kernel(d, args):
    """The kernel's flat results at one point."""
    from egad.codegen.host.arrays import bind

    bound = bind(
        d.program.params, [np.asarray(a, float) if not isinstance(a, int) else a for a in args]
    )
    target = device.choose(None, fp64=True)
    outputs = launch(d.kernel(bound.uniform_names), bound.inputs, bound.size, target)
    return np.concatenate([np.ravel(outputs[s.name]) for s in d.program.results])


@pytest.fixture(autouse=True)
def first_as_loops(request, monkeypatch):
    """At the first point of each program short loops stay; at the others they are written out."""
    given = getattr(request.node, "callspec", None)
    if given is not None and "point" in given.params:
        f, point = given.params["f"], given.params["point"]
        monkeypatch.setattr(unrolling, "TRIPS", 0 if point is ALL[f][0] else unrolling.TRIPS)


def derived(f, mode, effort="default", wrt=None, again=False):
    """The derivative of a program, or that of its gradient: once for all its points."""
    return _derived(f, mode, effort, wrt, again, unrolling.TRIPS)


@cache
def _derived(f, mode, effort, wrt, again, trips):
    f = derived(f, "bwd", effort, wrt) if again else f
    return derive(f, mode, dtype="float64", optimize=effort, wrt=wrt)


@pytest.mark.parametrize(("f", "point"), CASES, ids=IDS)
def test_value_and_derivatives(f, point):
    want, slope = plain(f, point), differences(f, point)
    primal = derived(f, "primal")
    for value in (primal.reference(*point), kernel(primal, point)):
        np.testing.assert_allclose(flat(value), want, rtol=1e-12, atol=1e-12)
    back = derived(f, "bwd")
    for value in (back.reference(*point, 1.0), kernel(back, (*point, 1.0))):
        np.testing.assert_allclose(flat(value), slope, rtol=2e-7, atol=2e-7)
    reals = [a for a in point if not isinstance(a, int)]
    direction = [
        np.round(np.cos(7.0 * k + np.arange(np.size(a)) + 1), 2) for k, a in enumerate(reals)
    ]
    tangents = [np.reshape(d, np.shape(a)) for d, a in zip(direction, reals, strict=True)]
    forward = derived(f, "fwd")
    out = kernel(forward, (*point, *tangents))
    assert out[0] == pytest.approx(want, rel=1e-12, abs=1e-12)
    assert out[1] == pytest.approx(
        float(np.concatenate(direction) @ flat(kernel(back, (*point, 1.0)))), rel=1e-10, abs=1e-10
    )


def curvature(f, point, h=1e-5):
    """Central differences of the gradient: the Hessian, row by row."""
    gradient = derived(f, "bwd", "fast")
    up, down = (
        at_once(gradient.reference(*stacked(ends), 1.0), len(ends))
        for ends in zip(*nudged(point, h), strict=True)
    )
    return (up - down) / (2 * h)


@pytest.mark.parametrize(("f", "point"), CASES, ids=IDS)
def test_forward_over_backward(f, point):
    want = curvature(f, point)
    found = derived(f, "hessian").reference(*point)
    sizes = [np.size(a) for a in point if not isinstance(a, int)]
    if len(sizes) > 1:  # one block for each pair of parameters
        blocks = [
            [np.reshape(block, (n, m)) for block, m in zip(row, sizes, strict=True)]
            for row, n in zip(found, sizes, strict=True)
        ]
        found = np.block(blocks)
    np.testing.assert_allclose(np.reshape(found, want.shape), want, rtol=3e-5, atol=3e-5)


@pytest.mark.parametrize(("f", "point"), CASES, ids=IDS)
def test_backward_over_backward(f, point):
    real = [i for i, a in enumerate(point) if not isinstance(a, int)]
    names = tuple(f.__code__.co_varnames[i] for i in real)
    want = curvature(f, point)
    weights = 1.0 + 0.5 * np.arange(len(want))
    rest, given = iter(weights), []
    for i in real:
        size = np.size(point[i])
        part = [next(rest) for _ in range(size)]
        given.append(np.reshape(part, np.shape(point[i])).tolist())
    again = derived(f, "bwd", wrt=names, again=True)
    twice = flat(again.reference(*point, 1.0, *given))[: len(want)]
    np.testing.assert_allclose(twice, want @ weights, rtol=3e-5, atol=3e-5)


def test_batches_stop_each_for_itself():
    f = next(f for f in POINTS if f.__name__ == "with_break")
    x, y = np.linspace(-3, 4, 101), np.linspace(0.1, 2, 101)
    back = derive(f, "bwd", dtype="float64")
    want = back.reference(x, y, 1.0)
    found = back(x, y, 1.0)
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    primal = derive(f, "primal", dtype="float64")
    np.testing.assert_allclose(
        primal(x, y), [f(a, b) for a, b in zip(x, y, strict=True)], rtol=1e-12
    )


def test_detach_in_a_loop():
    """w - detach(w) is 0 as a value and alive as a derivative."""
    assert derive(stopped, "primal", dtype="float64").reference(0.7) == pytest.approx(0.7)
    assert derive(stopped, "bwd", dtype="float64").reference(0.7, 1.0).x == pytest.approx(16.0)


@pytest.mark.parametrize("f", list(ALL), ids=lambda f: f.__name__)
def test_a_loop_stays_a_loop(f, as_loops):
    if f.__name__ in ("unrolled", "over_items", "zero_trips", "written_out_else"):
        return
    for mode in ("primal", "bwd"):
        assert "for (" in derive(f, mode).source


def test_nothing_is_stored_where_nothing_is_needed(as_loops):
    def scaled(y: float):
        t = y
        for i in range(3):
            t = t * (i + 1)
        return t

    source = derive(scaled, "bwd").source
    assert "tape" not in source
    assert source.count("for (") == 1


def test_no_loop_counts_trips_that_are_known_without_it(as_loops):
    def weighted(x: float, n: int):
        total = 0.0
        egad.max_iters(5)
        for i in range(n):
            total += x * (i + 1)
        return total

    backward = derive(weighted, "bwd", dtype="float64")
    assert backward.source.count("for (") == 1
    for n, trips in ((-2, 0), (0, 0), (3, 3), (9, 5)):
        assert backward(0.5, n, 1.0).x == sum(range(1, trips + 1))


def test_constants_of_a_loop_are_folded_with_what_is_around_them():
    def blended(x: float, y: float):
        for _ in range(4):
            h = egad.saturate(0.5 + 0.5 * (x - y) / 0.25)
            x = egad.lerp(x, y, h) - 0.25 * h * (1.0 - h)
        return x

    derived = derive(blended, "bwd")
    assert "0.25f" not in derived.source  # 0.5 / 0.25 is 2
    assert "div" not in derived.report.counts_after


def test_what_an_inner_loop_counts_is_no_number_that_compilers_know_to_be_shared():
    """Intel's compiler crashes otherwise, where items leave the outer loop at their own trips."""

    def counted(x: float, n: int) -> float:
        total = 0
        egad.max_iters(8)
        while x < 4.0:
            for j in range(n):
                total = total + j
            x = x * 1.5 + 1.0
        return x + total

    hidden = "= 0 + (int)((ulong)get_global_id(0) >> 62);"
    assert derive(counted, "primal").source.count(hidden) == 1
    found = derive(counted, "primal", dtype="float64")
    x, n = np.array([0.0, 1.0, 3.0, 9.0]), np.array([3, 2, 1, 5])
    np.testing.assert_array_equal(found(x, n), [counted(*each) for each in zip(x, n, strict=True)])


def test_loops_keep_their_text_and_travel():
    """Derived twice, or sent through pickle, a loop gives the same kernel."""
    for name in ("nested", "with_return", "history", "filled"):
        f = next(f for f in ALL if f.__name__ == name)
        first = derive(f, "bwd")
        derive(stopped, "fwd")  # bound variables are numbered by what came before
        assert derive(f, "bwd").source == first.source
        assert pickle.loads(pickle.dumps(first)) == first
