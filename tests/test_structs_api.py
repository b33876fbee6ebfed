"""Structs at the API: what goes in and comes out, in every form, and what kernels see."""

import dataclasses
import pickle
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import pytest

import egad
from egad import (
    Array,
    Buffer,
    InOut,
    Out,
    bwd_diff,
    copy,
    custom_bwd,
    custom_fwd,
    derive,
    diff_pair,
    double,
    float3,
    fwd_diff,
    half,
    no_diff,
    struct,
)
from egad.codegen.kernel.layout import dtype_of
from egad.terms.errors import DeriveError, DeviceError, TraceError

T = TypeVar("T")


@struct
class Material:
    kind: int
    colour: float3
    shiny: bool
    fixed: no_diff[float]


@struct
class Scene:
    light: float
    main: Material
    weights: Array[float, 3]
    others: Array[Material, 2]


def shade(s: Scene, t: float) -> Scene:
    r = copy(s)
    r.light = s.light * t + s.main.colour.y * s.weights[1]
    r.light += s.others[1].colour.z * s.main.fixed
    r.others[0].kind = s.main.kind + 1
    return r


def scene(light=2.0):
    main = Material(3, float3(1, 2, 3), True, 0.5)
    return Scene(light, main, [1.0, 2.0, 3.0], [Material(1), Material(2, float3(4, 5, 6))])


def seed():
    return Scene(1.0, Material(), [0.0] * 3, [Material(), Material()])


PRIMAL = derive(shade, "primal")
BWD = derive(shade)
DTYPE = dtype_of(PRIMAL.program.params[0].type)


def test_instances_go_in_and_come_out():
    for run in (PRIMAL, PRIMAL.reference):
        out = run(scene(), 3.0)
        assert isinstance(out, Scene) and isinstance(out.main, Material)
        assert out.light == 2.0 * 3.0 + 2.0 * 2.0 + 6.0 * 0.5
        assert out.others[0].kind == 4 and out.main.shiny is True


def test_the_gradient_of_a_struct_is_a_struct():
    for run in (BWD, BWD.reference):
        gradient = run(scene(), 3.0, seed())
        assert isinstance(gradient.s, Scene) and gradient.t == 2.0
        assert gradient.s.light == 3.0
        np.testing.assert_array_equal(gradient.s.main.colour, [0, 2, 0])
        np.testing.assert_array_equal(gradient.s.weights, [0, 2, 0])
        np.testing.assert_array_equal(gradient.s.others[1].colour, [0, 0, 0.5])
        assert gradient.s.main.fixed == 0.0 and gradient.s.main.kind == 0


def as_dict(value):
    found = dataclasses.asdict(value)
    found["main"]["colour"] = list(np.asarray(value.main.colour))
    for item, other in zip(found["others"], value.others, strict=True):
        item["colour"] = list(np.asarray(other.colour))
    return found


def test_dicts():
    out = PRIMAL(as_dict(scene()), 3.0)
    assert out["light"] == 13.0 and out["others"][0]["kind"] == 4
    assert BWD(as_dict(scene()), 3.0, as_dict(seed())).s["light"] == 3.0


def batch(n):
    found = np.zeros(n, DTYPE)
    found["light"] = np.arange(n)
    found["weights"] = 2.0
    found["main"]["colour"] = [1, 2, 3]
    return found


def test_structured_arrays_are_batches():
    records = batch(5)
    for run in (PRIMAL, PRIMAL.reference):
        out = run(records, 3.0)
        assert out.dtype == DTYPE and out.shape == (5,)
        np.testing.assert_allclose(out["light"], np.arange(5) * 3.0 + 4.0)
    seeds = np.zeros(5, DTYPE)
    seeds["light"] = 1.0
    gradient = BWD(records, 3.0, seeds)
    np.testing.assert_array_equal(gradient.s["light"], np.full(5, 3.0))
    assert gradient.t == 10.0
    np.testing.assert_array_equal(gradient.s["main"]["colour"], np.tile([0, 2, 0], (5, 1)))


def test_a_structured_array_of_another_layout():
    loose = np.dtype([(n, DTYPE[n]) for n in reversed(DTYPE.names)])
    records = np.zeros(3, loose)
    records["light"] = [1, 2, 3]
    np.testing.assert_allclose(PRIMAL(records, 2.0)["light"], [2, 4, 6])


def test_fields_broadcast():
    many = dataclasses.replace(scene(), light=np.arange(4.0))
    out = PRIMAL(many, 3.0)
    np.testing.assert_allclose(out.light, np.arange(4.0) * 3 + 7)
    gradient = BWD(many, 3.0, seed())
    assert gradient.s.light.shape == (4,)
    np.testing.assert_allclose(gradient.s.weights, [0, 8, 0])  # summed back
    one = batch(1)[0]
    gradient = BWD(one, np.arange(4.0), batch(4))
    assert gradient.s.shape == () and gradient.t.shape == (4,)


def test_pairs_of_structs():
    fwd = derive(shade, "fwd")
    pair = fwd(diff_pair(scene(), seed()), diff_pair(3.0, 1.0))
    assert isinstance(pair.p, Scene) and isinstance(pair.d, Scene)
    assert pair.d.light == 3.0 + 2.0
    assert fwd(diff_pair(scene()), 3.0).d.light == 0.0


def energy(s: Scene) -> float:
    return s.light * s.light * s.main.colour.x * s.main.kind


def test_other_modes_take_structs():
    value, gradient = derive(energy, "value_and_grad")(scene())
    assert value == 12.0 and gradient.s.light == 12.0
    jacobian = derive(energy, "jacobian")(scene()).s
    assert jacobian.shape == (16,)  # one column per real component
    assert jacobian[0] == 12.0
    hessian = derive(energy, "hessian")(scene()).s.s
    assert hessian.shape == (16, 16) and hessian[0, 0] == 6.0
    assert derive(energy, "hvp")(scene(), seed()).s.light == 6.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "expected a struct, got float"),
        ({"light": 1.0}, "there is no value for main, weights, others"),
        ({"lihgt": 1.0}, "it has no field 'lihgt'; did you mean 'light'?"),
        (dataclasses.replace(scene(), weights=[1.0, 2.0]), "expected trailing axes (3,)"),
        (dataclasses.replace(scene(), others=[Material()]), "expected a list of 2 Material"),
        (dataclasses.replace(scene(), light="x"), "text does not convert"),
    ],
)
def test_wrong_arguments(value, text):
    with pytest.raises(DeviceError) as caught:
        PRIMAL(value, 3.0)
    assert text in str(caught.value)


@struct
class Counted:
    x: float = 1.0
    n: int = 2
    v: float3 = float3(0.0)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (Counted(n=2.7), "argument 'p[1].n' (int): a real number does not convert to int32"),
        (Counted(n=2**40), "1099511627776 does not fit into int32"),
        (Counted(x="1.5"), "text does not convert"),
        (Counted(x=None), "a NoneType does not convert"),
        (Counted(x=10**400), "beyond all float32 numbers"),
        (Counted(v=3.0), "expected trailing axes (3,)"),
        (Counted(x=np.ones(2)), "expected one value, got a batch of shape (2,)"),
    ],
)
def test_structs_in_a_list_are_checked_like_one(item, text):
    counted = derive(lambda p: p.x * p.n + p.v.x, "primal", types={"p": Counted})
    with pytest.raises(DeviceError) as caught:
        counted([Counted(), item])
    assert text in str(caught.value)


def test_masked_structured_arrays_are_refused():
    product = derive(lambda p: p.x * p.n, "primal", types={"p": Counted})
    records = np.zeros(2, dtype_of(product.primal.params[0].type))
    with pytest.raises(DeviceError, match="masked arrays are not supported"):
        product(np.ma.array(records, mask=[False, True]))


@struct
class Mixed:
    a: half
    b: bool
    c: double
    d: bool
    e: int
    f: float


def mix(m: Mixed, x: float) -> Mixed:
    return Mixed(m.a + x, not m.b, m.c * 2.0, m.b and m.d, m.e + 1, m.f - x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_layout_in_kernels_is_that_of_numpy(dtype):
    d = derive(mix, "primal", dtype=dtype)
    kind = dtype_of(d.program.params[0].type)
    records = np.zeros(7, kind)
    records["a"], records["b"], records["c"] = 0.5, [1, 0, 1, 0, 1, 1, 0], np.arange(7.0)
    records["d"], records["e"], records["f"] = True, np.arange(7), 0.25
    expected = d.reference(records, 1.0)
    if any(info.usable and info.fp16 and info.fp64 for info in egad.devices()):
        np.testing.assert_array_equal(d(records, 1.0), expected)
    np.testing.assert_array_equal(expected["e"], np.arange(7) + 1)
    np.testing.assert_array_equal(expected["b"], records["b"] == 0)


def test_derived_objects_with_structs_can_be_pickled():
    twin = pickle.loads(pickle.dumps(BWD))
    assert twin == BWD and twin(scene(), 3.0, seed()).t == 2.0


# --- InOut and Out --------------------------------------------------------------------------


@struct
class State:
    a: float
    b: float


def advance(x: float, s: InOut[State], k: InOut[float], o: Out[float]) -> float:
    if x > 0.0:
        s.a = s.b * x
        k = k * 2.0
        return 1.0 * k
    o = x * k  # noqa: F841
    s.b = s.a
    return x


def test_final_values_are_results():
    out = derive(advance, "primal")(2.0, State(5.0, 3.0), 4.0)
    assert out == (8.0, State(6.0, 3.0), 8.0, 0.0)
    assert derive(advance, "primal")(-2.0, State(5.0, 3.0), 4.0) == (
        -2.0,
        State(5.0, 5.0),
        4.0,
        -8.0,
    )


def test_cotangents_of_final_values_in_and_of_initial_values_out():
    bwd = derive(advance)
    assert [p.name for p in bwd.program.params] == [
        "x",
        "s",
        "k",
        "out_bar",
        "s_bar",
        "k_bar",
        "o_bar",
    ]
    gradient = bwd(2.0, State(5.0, 3.0), 4.0, 1.0, State(10.0, 100.0), 1000.0, 1.0)
    assert gradient._asdict() == {"x": 30.0, "s": State(0.0, 120.0), "k": 2002.0}
    gradient = bwd(-2.0, State(5.0, 3.0), 4.0, 1.0, State(10.0, 100.0), 1000.0, 1.0)
    assert gradient._asdict() == {"x": 5.0, "s": State(110.0, 0.0), "k": 998.0}


def test_a_no_diff_parameter_is_changed_like_any_other():
    def grown(s: no_diff[InOut[State]], w: no_diff[Array[float, 2]], x: float) -> float:
        w[0] = w[0] + 1.0
        for _ in range(2):
            s.a = s.a * w[0] + egad.detach(x)
        return x * s.a

    start, w = State(1.0, 2.0), [2.0, 0.0]
    value, end = derive(grown, "primal", dtype="float64")(start, w, 0.5)
    assert (value, end.a) == (5.5, 11.0)
    assert derive(grown, dtype="float64")(start, w, 0.5, 1.0).x == 11.0


def test_pairs_of_final_values():
    out = derive(advance, "fwd")(diff_pair(2.0, 1.0), diff_pair(State(5, 3), State(0, 1)), 4.0)
    assert out.s.d == State(5.0, 1.0) and out.k.d == 0.0 and out.o == diff_pair(0.0, 0.0)


def scale(x: float, s: InOut[State]) -> None:
    s.a = s.b * x


def scale_bwd(x, s, d):
    return 7.0 * d.a, State(0.0, x * d.a)


@custom_bwd(scale_bwd)
def scale_with_rule(x: float, s: InOut[State]) -> None:
    s.a = s.b * x


def test_inside_functions():
    def plain(x: float, y: float) -> float:
        s = State(x, y)
        scale(x, s)
        return s.a

    def ruled(x: float, y: float) -> float:
        s = State(x, y)
        scale_with_rule(x, s)
        return s.a

    def asked(x: float, y: float):
        s = State(x, y)
        g = bwd_diff(scale)(x, s, State(1.0, 0.0))
        p = fwd_diff(scale)(diff_pair(x, 1.0), s)
        return s.a, g[0], g[1].b, p.p.a, p.d.a

    assert derive(plain)(2.0, 3.0, 1.0) == (3.0, 2.0)
    assert derive(ruled)(2.0, 3.0, 1.0) == (7.0, 2.0)
    assert derive(asked, "primal")(2.0, 3.0) == (2.0, 3.0, 2.0, 6.0, 3.0)  # s is not changed


# --- rules ----------------------------------------------------------------------------------


def lit_fwd(m, t):
    return diff_pair(t.p * m.p.fixed, 100.0 * m.d.colour.x + t.d)


def lit_bwd(m, t, d):
    return Material(0, float3(100.0 * d, 0, 0), False, 0.0), d


@custom_fwd(lit_fwd)
def by_forward(m: Material, t: float) -> float:
    return t * m.fixed


@custom_bwd(lit_bwd)
def by_backward(m: Material, t: float) -> float:
    return t * m.fixed


@pytest.mark.parametrize("rule", [by_forward, by_backward])
def test_rules_over_structs_with_integers(rule):
    def f(m: Material, t: float) -> float:
        return rule(m, 2.0 * t)

    gradient = derive(f)(scene().main, 1.0, 1.0)
    np.testing.assert_array_equal(gradient.m.colour, [100, 0, 0])
    assert gradient.t == 2.0 and gradient.m.kind == 0


# --- types that depend on the arguments -----------------------------------------------------


def ends(x: float, y: list[float]) -> float:
    return x * y[0] + y[2] * y[-1]


def test_lists_are_as_long_as_the_argument():
    bwd = derive(ends)
    with pytest.raises(DeriveError, match="there is no 'source' yet"):
        _ = bwd.source
    assert list(bwd(1.0, [1.0, 2.0, 3.0], 1.0).y) == [1.0, 0.0, 6.0]
    assert bwd(1.0, np.ones((2, 4)), 1.0).y.shape == (2, 4)
    assert len(bwd.members) == 2 and "double" not in bwd.source
    given = derive(ends, types={"y": Array[float, 3]})
    assert list(given(1.0, [1.0, 2.0, 3.0], 1.0).y) == [1.0, 0.0, 6.0]


def from_table(table: Buffer[float3], i: int, x: float) -> float:
    return table[i].x * x + table[0].y


def test_a_buffer_is_as_long_as_the_argument():
    gradient = derive(from_table)([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 1, 2.0, 1.0)
    np.testing.assert_array_equal(gradient.table, [[0, 1, 0], [2, 0, 0]])
    assert gradient.x == 4.0


@struct
class Holder(Generic[T]):
    value: T
    xs: list[float]


def held(h: Holder[T], k: float) -> float:
    return h.xs[1] * h.value * k


def test_generic_structs_are_derived_for_what_they_hold():
    gradient = derive(held)(Holder(3.0, [1.0, 2.0]), 1.0, 1.0)
    assert gradient.h.value == 2.0 and list(gradient.h.xs) == [0.0, 3.0]


def test_methods_are_functions_of_self():
    bwd = derive(Ball.sdf)
    assert bwd(Ball(1.0), 3.0, 1.0) == (Ball(-2.0), 6.0)
    assert derive(Ball(1.0).sdf)(3.0, 1.0) == (6.0,)


class Shape(Protocol):
    def sdf(self, p: float) -> float: ...


@struct
class Ball:
    r: float

    def sdf(self, p: float) -> float:
        return p * p - self.r * self.r


@struct
class Wall:
    slope: float
    height: float

    def sdf(self, p: float) -> float:
        return p * self.slope + self.height


@struct
class Flat:
    steps: int
    h: float

    def sdf(self, p: float) -> float:
        return self.h * self.steps


def squared(s: Shape, p: float) -> float:
    return s.sdf(p) ** 2


CLASSES = [Ball, Wall, Flat]
SHAPES = [Ball(1.0), Wall(1.0, 2.0), Flat(2, 3.0)]
GRADIENTS = [(Ball(-32.0), 96.0), (Wall(30.0, 10.0), 10.0), (Flat(0, 24.0), 0.0)]


def test_a_protocol_is_dispatched_statically():
    bwd = derive(squared, dtype="float64")
    for shape, expected in zip(SHAPES, GRADIENTS, strict=True):
        p = 1.0 if isinstance(shape, Flat) else 3.0
        assert bwd(shape, p, 1.0) == expected
    assert len(bwd.members) == 3
    with pytest.raises(DeriveError, match="argument 's' must be Shape, not State"):
        bwd(State(), 1.0, 1.0)


def test_a_closed_set_is_dispatched_when_the_kernel_runs():
    bwd = derive(squared, dtype="float64", implementations={Shape: CLASSES})
    assert "int tag;" in bwd.source
    for run in (bwd, bwd.reference):
        for shape, expected in zip(SHAPES, GRADIENTS, strict=True):
            assert run(shape, 3.0, 1.0) == expected
        mixed = run(SHAPES, 3.0, 1.0)
        assert mixed.s == [g for g, _ in GRADIENTS] and mixed.p == 106.0
    with pytest.raises(DeviceError, match="expected Ball or Wall or Flat, got float"):
        bwd(3.0, 3.0, 1.0)
    with pytest.raises(TraceError, match="State is no implementation of Shape"):
        derive(squared, implementations={Shape: [Ball, State]})


def grown(s: Ball | Wall, k: float) -> Ball | Wall:
    if isinstance(s, Ball):
        s.r = s.r * k
    else:
        s.slope += k
    return s


def test_unions_are_closed_sets():
    primal = derive(grown, "primal")
    assert primal(Ball(2.0), 3.0) == Ball(6.0)
    assert primal([Ball(2.0), Wall(1.0, 2.0)], 3.0) == [Ball(6.0), Wall(4.0, 2.0)]
    bwd = derive(grown)
    assert bwd(Ball(2.0), 3.0, Ball(1.0)) == (Ball(3.0), 2.0)


class Plain:
    a: float = 1.0


@struct
class Figure:
    a: float

    def area(self) -> float:
        return self.a


@struct
class Tile(Figure):
    def area(self) -> float:
        return self.a * self.a


def test_what_is_no_struct_and_what_is_another_one():
    def of_plain(p: Plain) -> float:
        return p.a

    def of_shape(s: Figure) -> float:
        return s.area()

    with pytest.raises(DeriveError, match="argument 'p' is a Plain, which is no struct"):
        derive(of_plain)(Plain(), 1.0)
    with pytest.raises(DeviceError, match="expected a Figure, got a Tile"):
        derive(of_shape)(Tile(3.0), 1.0)
    assert derive(of_shape, "primal", types={"s": Tile})(Tile(3.0)) == 9.0
    assert derive(of_shape, "primal")(Figure(3.0)) == 3.0


@struct
class Table:
    fixed: Array[no_diff[float], 2]
    deep: Array[Array[no_diff[float], 2], 1]
    free: Array[float, 2]


def looked_up(t: Table) -> float:
    t.fixed[1] = t.fixed[1] * 2.0
    return t.fixed[0] * t.free[0] + t.fixed[1] * t.deep[0][1] * t.free[1]


def test_an_array_of_no_diff_is_a_no_diff_array():
    table = Table([2.0, 3.0], [[4.0, 5.0]], [6.0, 7.0])
    bar = derive(looked_up, dtype="float64")(table, 1.0).t
    assert list(bar.fixed) == [0.0, 0.0] and np.ravel(bar.deep).tolist() == [0.0, 0.0]
    assert list(bar.free) == [2.0, 30.0]
    moved = Table([1.0, 1.0], [[1.0, 1.0]], [0.5, -0.25])
    assert derive(looked_up, "fwd", dtype="float64")(diff_pair(table, moved)).d == 1.0 - 7.5


class Sample(NamedTuple):
    pos: float3
    w: float = 2.0

    def energy(self, k: float) -> float:
        return k * self.w * (self.pos.x * self.pos.x + self.pos.z)


@dataclasses.dataclass(frozen=True, slots=True)
class Lit:
    pos: float3
    w: float

    def energy(self, k: float) -> float:
        return k * self.w * self.pos.y


@dataclasses.dataclass
class Both:
    lit: Lit
    samples: Array[Sample, 2]


def both_energies(b: Both, s: Sample, k: float) -> float:
    pos, w = b.samples[1]
    return b.lit.energy(k) + s.energy(k) + pos.x * w * len(s)


def heavier(s: Sample) -> Sample:
    return s._replace(w=s.w * 3.0)


def test_dataclasses_and_named_tuples_are_structs():
    s, lit = Sample(float3(1.0, 2.0, 3.0)), Lit(float3(1.0, 4.0, 1.0), 3.0)
    both = Both(lit, [s, Sample(float3(5.0, 0.0, 0.0), 0.5)])
    assert derive(both_energies, "primal")(both, s, 0.5) == both_energies(both, s, 0.5)
    bar = derive(both_energies)(both, s, 0.5, 1.0)
    assert isinstance(bar.b, Both) and isinstance(bar.b.lit, Lit) and isinstance(bar.s, Sample)
    assert (bar.b.lit.w, bar.b.samples[1].w, bar.b.samples[0].w) == (2.0, 10.0, 0.0)
    assert list(bar.s.pos) == [2.0, 0.0, 1.0] and bar.s.w == 2.0
    assert derive(heavier, "primal")(s).w == 6.0
    assert derive(heavier)(s, Sample(float3(0.0), 1.0)).s.w == 3.0
    many = derive(Sample.energy)([s, s, s], 0.5, 1.0).self
    assert [m.w for m in many] == [2.0] * 3
    assert derive(Lit.energy)(lit, 0.5, 1.0).self.w == 2.0


def test_a_parameter_that_may_be_none():
    def scaled(x: float, k: float | None = None) -> float:
        return x if k is None else k * x

    assert derive(scaled)(2.0, 1.0) == (1.0,)
    assert derive(scaled, types={"k": float})(2.0, 3.0, 1.0) == (3.0, 2.0)


def statistics(a: Array[float, 5], b: Array[float, 5], m: Array[Array[float, 3], 2]) -> float:
    own = a.copy()
    own[0] = 7.0
    total = a.sum() + a.dot(b) + a @ b + a.max() * b.min() + a.mean() + own.prod()
    return total + a[0] * own[0] + m.sum() * m.T[2][1]


def test_methods_of_arrays_in_arrays_of_the_language():
    given = np.arange(1.0, 6.0), np.arange(3.0, 8.0) ** 2, np.arange(6.0).reshape(2, 3)
    d = derive(statistics, dtype="float64")
    found = d(*given, 1.0)
    assert derive(statistics, "primal", dtype="float64")(*given) == statistics(*given)
    for which in range(3):
        for place in np.ndindex(given[which].shape):
            ends = [[g.copy() for g in given] for _ in range(2)]
            ends[0][which][place] += 1e-6
            ends[1][which][place] -= 1e-6
            slope = (statistics(*ends[0]) - statistics(*ends[1])) / 2e-6
            assert found[which][place] == pytest.approx(slope, rel=1e-6)
