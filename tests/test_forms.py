"""Broadcast structs, in every form: each gradient is the sum of those of single calls."""

import numpy as np
import pytest

from egad import Array, derive, diff_pair, float2, float3, float3x3, struct
from egad.codegen.kernel.layout import dtype_of
from egad.terms.errors import DeriveError, DeviceError


@struct
class Ball:
    r: float


@struct
class Box:
    w: float
    h: float


@struct
class Tube:
    axis: float2


def size(s: Ball | Box | Tube, t: float) -> float:
    match s:
        case Ball():
            return s.r * s.r * t
        case Box():
            return s.w * s.h * t
        case Tube():
            return s.axis.x * s.axis.y * t


SHAPES = [Ball(2.0), Box(2.0, 3.0), Tube(float2(2, 3))]
SLOPES = [(4.0,), (3.0, 2.0), (3.0, 2.0)]  # by the fields of each, times t
SIZE = derive(size)


def relaid(records, fields):
    """The same records in another layout."""
    loose = np.zeros(records.shape, fields)
    for name in records.dtype.names:
        loose[name] = records[name]
    return loose


def numbers(shape):
    return [float(x) for part in vars(shape).values() for x in np.ravel(part)]


@pytest.mark.parametrize("t", [np.ones(2), np.arange(5.0), np.ones((2, 3)), np.ones(0)])
@pytest.mark.parametrize(("shape", "slopes"), [*zip(SHAPES, SLOPES, strict=True)])
@pytest.mark.parametrize("run", [SIZE, SIZE.reference])
def test_a_union_keeps_its_struct_where_its_gradient_is_summed(run, shape, slopes, t):
    for given in (shape, [shape]):
        gradient = run(given, t, 1.0).s
        gradient = gradient[0] if given is not shape else gradient
        assert type(gradient) is type(shape)
        assert numbers(gradient) == [slope * t.sum() for slope in slopes]


def test_unions_in_lists_and_records_keep_their_structs():
    t = np.ones((4, 1))
    gradient = SIZE(SHAPES, t, 1.0).s
    assert [type(g) for g in gradient] == [type(s) for s in SHAPES]
    assert [numbers(g) for g in gradient] == [[4.0 * s for s in slopes] for slopes in SLOPES]
    records = np.zeros(3, dtype_of(SIZE.program.params[0].type))
    records["tag"] = [0, 1, 2]
    records["Ball"]["r"], records["Tube"]["axis"] = 2, [2, 3]
    records["Box"]["w"], records["Box"]["h"] = 2, 3
    loose = relaid(records, [(n, records.dtype[n]) for n in records.dtype.names[::-1]])
    for given in (records, loose):
        gradient = SIZE(given, t, 1.0).s
        assert gradient["tag"].tolist() == [0, 1, 2]
        assert gradient["Box"]["w"].tolist() == [0, 12, 0]
        assert SIZE(given[2], t, 1.0).s["tag"] == 2
    for wrong in (3, -1):
        records["tag"][1] = wrong
        with pytest.raises(DeviceError, match=f"no struct has the tag {wrong}") as caught:
            SIZE(records, 1.0, 1.0)
        assert caught.value.hint == "0 is Ball, 1 is Box, 2 is Tube"
    with_fields = SIZE(Box(np.arange(3.0), 2.0), 1.0, 1.0).s
    assert type(with_fields) is Box and with_fields.w.tolist() == [2, 2, 2]


def test_a_tangent_of_another_struct_of_a_union_is_refused():
    forward, product = derive(size, "fwd"), derive(size, "hvp")
    ball, box = Ball(2.0), Box(2.0, 3.0)
    assert forward(diff_pair(box, Box(1.0, 0.0)), 2.0).d == 6.0
    assert forward(diff_pair(box), diff_pair(2.0, 1.0)).d == 6.0  # zeros are of any struct
    assert product(ball, 2.0, Ball(1.0), 0.0).t == 4.0
    both = forward(diff_pair([ball, box], [Ball(1.0), Box(1.0, 1.0)]), 2.0)
    assert both.d.tolist() == [8.0, 10.0]
    text = "of another struct than 's'"
    for value, tangent in ((ball, box), ([box, ball], [box, box]), ([box, box], ball)):
        with pytest.raises(DeviceError, match=text):
            forward(diff_pair(value, tangent), 2.0)
        with pytest.raises(DeviceError, match=text):
            product(value, 2.0, tangent, 0.0)


@struct
class Mass:
    m: float
    v: float2
    k: int


@struct
class Pair:
    ends: Array[Mass, 2]
    x: float


def energy(p: Mass, t: float) -> float:
    return p.m * p.m * t + p.v.x * p.v.y * float(p.k)


def test_the_gradient_of_a_list_is_as_long_as_the_list():
    run = derive(energy)
    t = np.array([1.0, 2.0, 4.0])
    (one,) = run([Mass(2.0, float2(3, 5), 7)], t, 1.0).p
    assert (one.m, one.v.tolist(), one.k) == (28.0, [105, 63], 0)
    two = run([Mass(2.0, float2(3, 5), 7), {"m": 1.0, "v": [1, 2], "k": 1}], t[:, None], 1.0).p
    assert [(p.m, p.v.tolist()) for p in two] == [(28.0, [105, 63]), (14.0, [6, 3])]
    objects = np.empty(1, object)
    objects[0] = Mass(2.0, float2(3, 5), 7)
    assert run(objects, t, 1.0).p[0].m == 28.0
    for shape in ((), (1, 1)):
        with pytest.raises(DeviceError, match="expected a struct, got ndarray"):
            run(objects.reshape(shape), 1.0, 1.0)


def test_an_array_of_structs_inside_of_a_dictionary():
    def both(p: Pair) -> float:
        return (p.ends[0].m * p.ends[1].v.x + p.ends[1].v.y) * p.x

    run = derive(both)
    ends = np.zeros(2, dtype_of(run.program.params[0].type)["ends"].base)
    ends["m"], ends["v"] = [2, 3], [[4, 5], [6, 7]]
    loose = relaid(ends, [("k", "i8"), ("v", ">f8", 2), ("m", "f2")])
    for given in (ends, loose, np.stack([ends, ends])):
        gradient = run({"ends": given, "x": 10.0}, 1.0).p
        shape = given.shape[:-1]
        first, second = gradient["ends"]
        np.testing.assert_array_equal(first["m"], np.full(shape, 60.0))
        np.testing.assert_array_equal(second["v"], np.full((*shape, 2), [20.0, 10.0]))
        np.testing.assert_array_equal(first["v"], np.zeros((*shape, 2)))
        assert gradient["x"] == 19.0 * (len(given) if shape else 1)


def test_pyopencl_records_come_back_as_such():
    cla = pytest.importorskip("pyopencl.array")
    from egad.codegen.devices import device

    queue = device.choose(None).queue
    run = derive(energy)
    records = np.zeros(3, dtype_of(run.program.params[0].type))
    records["m"] = [1, 2, 3]
    gradient = run(cla.to_device(queue, records), np.ones((4, 1)), 1.0).p
    assert isinstance(gradient, cla.Array) and gradient.shape == (3,)
    assert gradient.get()["m"].tolist() == [8, 16, 24]


@pytest.mark.parametrize("masked", [np.ma.array([1.0, 2.0], mask=[False, True]), np.ma.masked])
def test_masks_inside_of_lists_are_refused(masked):
    square = derive(lambda x: x * x, "primal")
    for given in (masked, [masked], [[1.0, 2.0], masked], ([masked],)):
        with pytest.raises(DeviceError, match="masked arrays are not supported"):
            square(given)


def test_a_pair_of_one_value_has_no_tangent_whatever_its_type():
    def apply(v: float3, m: float3x3, a: Array[float, 2], x: float) -> float3:
        return m @ v * a[0] * a[1] * x

    run = derive(apply, "fwd")
    v, m, a = np.array([1.0, 2.0, 3.0]), np.eye(3), [2.0, 5.0]
    out = run(diff_pair(v), diff_pair(m), diff_pair(a), diff_pair(1.0, 1.0))
    assert out.p.tolist() == out.d.tolist() == [10, 20, 30]
    batch = run(diff_pair(np.stack([v, v])), m, diff_pair(a), diff_pair(1.0))
    assert batch.p.tolist() == [[10, 20, 30]] * 2 and not batch.d.any()


@struct
class Series:
    xs: list[float]
    scale: float


def test_batches_of_structs_with_lists():
    def ends(s: Series, k: float) -> float:
        return s.xs[0] * s.xs[-1] * s.scale * k

    run = derive(ends)
    rows = [Series([2.0, 5.0, 3.0], 4.0), Series([1.0, 5.0, 7.0], 2.0)]
    for given in (rows, [vars(row) for row in rows]):
        gradient = run(given, 10.0, 1.0)
        assert [s.xs.tolist() for s in gradient.s] == [[120, 0, 80], [140, 0, 20]]
        assert [s.scale for s in gradient.s] == [60, 70] and gradient.k == 24 + 14
    records = np.zeros(2, [("scale", "f8"), ("xs", "f4", 3)])
    records["xs"], records["scale"] = [row.xs for row in rows], [row.scale for row in rows]
    assert run(records, 10.0, 1.0).s["scale"].tolist() == [60, 70]
    for wrong in ({"scale": 1.0}, [{"scale": 1.0}], records[["scale"]]):
        with pytest.raises(DeriveError, match="argument 's' has no value for xs"):
            run(wrong, 1.0, 1.0)
    for wrong in ([], [rows[0], 3.0]):
        with pytest.raises(DeriveError, match="argument 's' must be Series, not list"):
            run(wrong, 1.0, 1.0)


def test_batches_that_are_too_large():
    run = derive(lambda x, y: x * y, "primal")
    wide = np.broadcast_to(np.float32(2), (2**30, 1, 1))
    for more in ((2**30,), (2**20, 2**40)):
        with pytest.raises(DeviceError, match="do not fit into memory"):
            run(wide[..., 0] if len(more) == 1 else wide, np.broadcast_to(np.float32(2), more))
    with pytest.raises(DeviceError, match="a batch has at most 28 axes, not 29"):
        run(np.ones((1,) * 29), 1.0)
    jacobian = derive(lambda m: m * m, "jacobian", types={"m": float3x3})
    assert jacobian(np.ones((1,) * 28 + (3, 3))).m.shape == (1,) * 28 + (3, 3, 3, 3)
