"""Results through parameters: in nested derivatives, in rules, and in kernels.

Numbers are worked out by hand, as the reference system's signature rules give them.
"""

import effect_programs
import numpy as np
import pytest

import egad
from egad import (
    Array,
    Const,
    InOut,
    Out,
    bwd_diff,
    copy,
    custom_bwd,
    custom_fwd,
    derive,
    diff_pair,
    float2,
    fwd_diff,
    no_diff,
    struct,
    treat_as_differentiable,
)
from egad.terms.errors import TraceError


@struct
class Cell:
    s: float
    w: float

    def fill(self, x: float) -> None:
        self.s = self.s * x
        self.w = x


def split(x: float, parts: Out[Array[float, 2]], k: float) -> None:
    parts[0] = x * x
    parts[1] = k * x


def both(x: float, y: Out[float]) -> float:
    y = x * x  # noqa: F841
    return 3.0 * x


def scaled(cell: InOut[Cell], x: float) -> float:
    cell.s = cell.s * x
    return cell.s + cell.w


def marked(x: float, n: no_diff[Out[float]]) -> float:
    n = 2.0 * no_diff(abs(x))  # noqa: F841
    return x * x


def with_default(x: float, y: Out[float], k: float = 2.0) -> None:
    y = k * x * x  # noqa: F841


# --- bwd_diff: of an Out parameter the cotangent alone, of an InOut one value and cotangent -------


def out_left_out(x: float) -> float:
    gx, gk = bwd_diff(split)(x, 4.0, [1.0, 10.0])
    return gx + 1000.0 * gk


def out_given(x: float) -> float:
    gx, none, gk = bwd_diff(split)(x, [0.0, 0.0], 4.0, [1.0, 10.0])
    return gx + 1000.0 * gk if none is None else 0.0


def out_beside_a_result(x: float) -> float:
    (gx,) = bwd_diff(both)(x, 1.0, 10.0)
    return gx


def out_by_keyword(x: float) -> float:
    gx, gk = bwd_diff(split)(x, [1.0, 10.0], k=4.0)
    return gx + 1000.0 * gk


def out_with_a_constant(x: float) -> float:
    gx, gk = bwd_diff(split)(x, Const(4.0), [1.0, 10.0])
    return gx if gk is None else 0.0


def out_without_derivative(x: float) -> float:
    return bwd_diff(marked)(x, 1.0)[0]


def inout_is_not_changed(x: float) -> float:
    cell = Cell(2.0, 3.0)
    gcell, gx = bwd_diff(scaled)(cell, x, 1.0, Cell(10.0, 100.0))
    return gcell.s + 1000.0 * gcell.w + gx + 1e6 * cell.s


def a_method_that_changes_self(x: float) -> float:
    gself, gx = bwd_diff(Cell.fill)(Cell(5.0, 7.0), x, Cell(1.0, 10.0))
    return gself.s + 100.0 * gself.w + 1000.0 * gx


def a_closure_that_changes(x: float) -> float:
    cell = Cell(x, 1.0)

    def go(cell: Cell, k: float) -> None:
        cell.s = cell.s * k + x

    gcell, gk = bwd_diff(go)(cell, 3.0, Cell(1.0, 1.0))
    return gcell.s + 10.0 * gcell.w + 100.0 * gk


def twice_over(x: float) -> float:
    """The second derivative of 3 x + 10 x² is 20."""
    gx, gd, gy = bwd_diff(bwd_diff(both))(x, 1.0, 10.0, 1.0)
    return gx + 100.0 * gd + 1000.0 * gy


# --- fwd_diff: a pair for every result; of an Out parameter what comes in means nothing -----------


def fwd_out_left_out(x: float) -> float:
    parts = fwd_diff(split)(diff_pair(x, 1.0), 4.0)
    return parts.d[0] + 10.0 * parts.p[1] + 100.0 * parts.d[1]


def fwd_out_as_a_pair(x: float) -> float:
    parts = diff_pair([5.0, 6.0], [7.0, 8.0])
    parts = fwd_diff(split)(diff_pair(x, 1.0), parts, 4.0)
    return parts.d[0] + 10.0 * parts.p[1] + 100.0 * parts.d[1]


def fwd_out_beside_a_result(x: float) -> float:
    out, y = fwd_diff(both)(diff_pair(x, 1.0))
    return out.d + 10.0 * y.p + 100.0 * y.d


def fwd_out_without_derivative(x: float) -> float:
    out, n = fwd_diff(marked)(diff_pair(x, 1.0))
    return out.d + 10.0 * n


def fwd_inout(x: float) -> float:
    cell = Cell(2.0, 3.0)
    out, end = fwd_diff(scaled)(diff_pair(cell, Cell(1.0, 0.0)), diff_pair(x, 1.0))
    return out.d + 10.0 * end.d.s + 100.0 * cell.s


def fwd_of_a_method(x: float) -> float:
    end = fwd_diff(Cell.fill)(diff_pair(Cell(5.0, 7.0), Cell(1.0, 1.0)), diff_pair(x, 1.0))
    return end.d.s + 10.0 * end.d.w


def fwd_inside_bwd(x: float) -> float:
    """d/dx of (x², k x)' is (2, 0)."""

    def pushed(x: float) -> float:
        parts = fwd_diff(split)(diff_pair(x, 1.0), 4.0)
        return parts.d[0] + parts.d[1]

    return bwd_diff(pushed)(x, 1.0)[0]


def fwd_with_all_arguments(x: float) -> float:
    return fwd_diff(with_default)(diff_pair(x, 1.0), 0.0, 5.0).d


NESTED = {
    out_left_out: (4.0 + 40.0 + 1000.0 * 20.0, 2.0 + 10000.0),
    out_given: (4.0 + 40.0 + 1000.0 * 20.0, 2.0 + 10000.0),
    out_beside_a_result: (3.0 + 40.0, 20.0),
    out_by_keyword: (4.0 + 40.0 + 1000.0 * 20.0, 2.0 + 10000.0),
    out_with_a_constant: (4.0 + 40.0, 2.0),
    out_without_derivative: (4.0, 2.0),
    inout_is_not_changed: (22.0 + 1000.0 * 101.0 + 22.0 + 2e6, 11.0),
    a_method_that_changes_self: (2.0 + 1000.0 * 15.0, 1.0),
    a_closure_that_changes: (3.0 + 10.0 + 100.0 * 2.0, 100.0),
    twice_over: (20.0 + 300.0 + 4000.0, 2000.0),
    fwd_out_left_out: (4.0 + 80.0 + 400.0, 2.0 + 40.0),
    fwd_out_as_a_pair: (4.0 + 80.0 + 400.0, 2.0 + 40.0),
    fwd_out_beside_a_result: (3.0 + 40.0 + 400.0, 40.0 + 200.0),
    fwd_out_without_derivative: (4.0 + 40.0, 2.0),
    fwd_inout: (4.0 + 40.0 + 200.0, 11.0),
    fwd_of_a_method: (2.0 + 5.0 + 10.0, 1.0),
    fwd_inside_bwd: (2.0, 0.0),
    fwd_with_all_arguments: (20.0, 10.0),
}


@pytest.mark.numbers
@pytest.mark.parametrize("f", NESTED, ids=lambda f: f.__name__)
def test_nested_derivatives(f):
    value, slope = NESTED[f]
    for dtype, rtol in (("float64", 1e-12), ("float32", 1e-6)):
        primal, bwd = derive(f, "primal", dtype=dtype), derive(f, dtype=dtype)
        for found in (primal.reference(2.0), primal(2.0)):
            assert found == pytest.approx(value, rel=rtol)
        for found in (bwd.reference(2.0, 1.0), bwd(2.0, 1.0)):
            assert found.x == pytest.approx(slope, rel=rtol)
        pair = derive(f, "fwd", dtype=dtype).reference(diff_pair(2.0, 1.0))
        assert pair == pytest.approx((value, slope), rel=rtol)


# --- rules that act by what they change, in kernels -----------------------------------------------

KERNELS = [
    effect_programs.method_that_adds,
    effect_programs.in_loops_and_branches,
    effect_programs.through_an_index,
    effect_programs.an_out_parameter_is_written,
    effect_programs.a_vector_is_changed,
    effect_programs.an_object_is_replaced,
    effect_programs.one_of_two_has_a_rule,
]


@pytest.mark.numbers
@pytest.mark.parametrize("f", KERNELS, ids=lambda f: f.__name__)
def test_kernels_compute_what_python_does(f):
    a, b = np.array([1.3, -0.6, 2.5]), np.array([0.7, 1.2, -1.5])
    primal, bwd = derive(f, "primal", dtype="float64"), derive(f, dtype="float64")
    found = primal(a, b)
    found = found if isinstance(found, tuple) else (found,)
    bars = [np.full(3, 0.5 + 0.25 * i) for i in range(len(found))]
    gradient = bwd(a, b, *bars)
    for k in range(3):
        want = f(a[k], b[k])
        want = want if isinstance(want, tuple) else (want,)
        np.testing.assert_allclose([v[k] for v in found], want, rtol=1e-12)
        exact = bwd.reference(a[k], b[k], *[c[k] for c in bars])
        np.testing.assert_allclose([g[k] for g in gradient], exact, rtol=1e-9)


@struct
class Counter:
    total: float

    def wrong_on_purpose(self, x, d):
        return Counter(7.0 * d.total), 1001.0 * d.total

    @custom_bwd(wrong_on_purpose)
    def add(self, x: float) -> None:
        self.total += x


def counted(c: Counter, x: float) -> float:
    c.add(x)
    c.add(x)
    return c.total


def test_the_rule_counts_and_not_the_body():
    gradient = derive(counted).reference(Counter(1.0), 2.0, 1.0)
    assert gradient.c.total == 49.0
    assert gradient.x == 7.0 * 1001.0 + 1001.0


def test_a_method_with_a_rule_is_derived_on_its_own():
    end = derive(Counter.add, "primal").reference(Counter(1.0), 2.0)
    assert end == Counter(3.0)
    gradient = derive(Counter.add).reference(Counter(1.0), 2.0, Counter(1.0))
    assert (gradient.self.total, gradient.x) == (7.0, 1001.0)


def test_what_a_void_function_changes_is_its_result():
    end = derive(Cell.fill, "primal").reference(Cell(3.0, 1.0), 2.0)
    assert end == Cell(6.0, 2.0)
    gradient = derive(Cell.fill)(Cell(3.0, 1.0), 2.0, Cell(1.0, 10.0))
    assert (gradient.self.s, gradient.self.w, gradient.x) == (2.0, 0.0, 13.0)
    assert derive(Cell.fill, wrt=["x"]).reference(Cell(3.0, 1.0), 2.0, Cell(1.0, 10.0)).x == 13.0


@treat_as_differentiable
def idle(cell: Cell) -> None:
    pass


def test_a_function_that_changes_nothing_is_nothing():
    def f(x: float) -> float:
        cell = Cell(x, 1.0)
        idle(cell)
        return cell.s * cell.s

    assert derive(f).reference(3.0, 1.0).x == 6.0


def doubled_fwd(x, y: InOut[egad.Pair]):
    y = diff_pair(x.p * y.p, 5.0 * x.d + y.d)


@custom_fwd(doubled_fwd)
def doubled(x: float, y: InOut[float]) -> None:
    y = x * y


def test_a_rule_may_annotate_the_parameter_itself():
    pair = derive(doubled, "fwd").reference(diff_pair(2.0, 1.0), diff_pair(3.0, 10.0))
    assert pair == diff_pair(6.0, 15.0)
    gradient = derive(doubled).reference(2.0, 3.0, 1.0)
    assert (gradient.x, gradient.y) == (5.0, 1.0)


# --- where tangents begin -------------------------------------------------------------------------


@struct
class Begun:
    v: float
    w: float

    @staticmethod
    def dzero():
        return Begun(42.0, 1.0)


def used(f: Begun, t: float) -> float:
    return f.v * t + f.w


def begun_inside(t: float) -> float:
    return fwd_diff(used)(diff_pair(Begun(2.0, 3.0)), diff_pair(t, 1.0)).d


def test_tangents_of_a_struct_begin_with_its_dzero():
    fwd = derive(used, "fwd")
    for found in (fwd.reference, fwd):
        assert found(diff_pair(Begun(2.0, 3.0)), diff_pair(5.0, 1.0)).d == 42.0 * 5.0 + 2.0 + 1.0
        assert found(diff_pair(Begun(2.0, 3.0), Begun(1.0, 0.0)), diff_pair(5.0)).d == 5.0
    primal = derive(begun_inside, "primal")
    assert primal.reference(5.0) == primal(5.0) == 213.0
    assert derive(begun_inside).reference(5.0, 1.0).t == 42.0


@struct
class Summed:
    v: float

    @staticmethod
    def dadd(a, b):
        return Summed(a.v - b.v)


def squared(s: Summed) -> float:
    return s.v * s.v


def test_dadd_has_no_part_in_derivatives_and_egad_says_so():
    with pytest.warns(egad.EgadWarning, match="Summed.dadd is not called"):
        assert derive(squared).reference(Summed(3.0), 1.0).s == Summed(6.0)


@struct
class Halved:
    v: float
    w: float

    class Differential:
        v: float


def of_both(s: Halved) -> float:
    return s.v * s.w


def test_a_differential_of_its_own_is_not_used_and_egad_says_so():
    with pytest.warns(egad.EgadWarning, match=r"Halved\.Differential is not used"):
        assert derive(of_both).reference(Halved(3.0, 2.0), 1.0).s == Halved(2.0, 3.0)


# --- what cannot be done --------------------------------------------------------------------------


def idle_fwd(cell, x):
    copy(cell.p).s = x.p


@custom_fwd(idle_fwd)
def moved(cell: Cell, x: float) -> None:
    cell.s = x


def rule_that_changes_nothing(x: float) -> float:
    cell = Cell(x, 1.0)
    moved(cell, x)
    return cell.s


def two_bwd(a, b, d):
    return d, d


@custom_bwd(two_bwd)
def added(a: Cell, b: Cell) -> None:
    a.s += b.s


def one_object_for_two(x: float) -> float:
    cell = Cell(x, 1.0)
    added(cell, cell)
    return cell.s


def same_bwd(a, x, d, end):
    return Cell(d.s + end.s, d.w + end.w), d.s + end.s


@custom_bwd(same_bwd)
def fluent(a: Cell, x: float) -> Cell:
    a.s += x
    return a


def changed_behind_its_back(x: float) -> float:
    cell = Cell(1.0, 1.0)
    other = fluent(cell, x)
    other.s += 1.0
    return cell.s


def anew_bwd(a, x, d):
    return d, 0.0


@custom_bwd(anew_bwd)
def assigned(a: InOut[Cell], x: float) -> None:
    a = Cell(x, x)  # noqa: F841


def assigned_as_a_whole(x: float) -> float:
    cell = Cell(1.0, 1.0)
    assigned(cell, x)
    return cell.s


def dropped(x: float) -> float:
    pair = diff_pair(Cell(x, 1.0), Cell(1.0, 0.0))
    fwd_diff(Cell.fill)(pair, diff_pair(x, 1.0))
    return pair.d.s


def one_too_few(x: float) -> float:
    return bwd_diff(split)(x, 4.0)[0]


def one_too_many(x: float) -> float:
    return bwd_diff(both)(x, 0.0, 1.0, 1.0, 1.0)[0]


def with_or_without(x: float) -> float:
    return fwd_diff(with_default)(diff_pair(x, 1.0), 3.0).d


def of_a_bound_method(x: float) -> float:
    cell = Cell(x, 1.0)
    return bwd_diff(cell.fill)(x, Cell(1.0, 1.0))[0]


def component_of_an_out_pair(x: float) -> float:
    return fwd_diff(marked)(diff_pair(x, 1.0), float2(1.0)).d


WRONG = [
    rule_that_changes_nothing,
    one_object_for_two,
    changed_behind_its_back,
    assigned_as_a_whole,
    dropped,
    one_too_few,
    one_too_many,
    with_or_without,
    of_a_bound_method,
    component_of_an_out_pair,
]


def test_error_texts(golden):
    texts = []
    for f in WRONG:
        with pytest.raises(TraceError) as caught:
            derive(f)
        texts.append(f"{f.__name__}\n{caught.value}".replace(__file__, "test_effects.py"))
    golden("effects.txt", "\n\n".join(texts) + "\n")
