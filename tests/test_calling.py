"""Calling conventions: arguments by position and name, results in the form of the mode."""

import pickle

import numpy as np
import pytest

from egad import DeviceError, derive, diff_pair, float2, no_diff
from egad.results import Named, symmetric


def pair_of(u: float, v: float):
    return u * v, u - v


def with_index(x: float, n: int):
    return x * n, n + 1


def plane(p: float2, k: float) -> float:
    return p.x * p.y * k


def test_arguments_by_name_in_any_order():
    bwd = derive(pair_of, "bwd")
    names = [s.name for s in bwd.program.params]
    assert names[:2] == ["u", "v"] and len(names) == 4
    values = dict(zip(names, (2.0, 3.0, 10.0, 100.0), strict=True))
    wanted = (3 * 10 + 100, 2 * 10 - 100)
    assert bwd.reference(**dict(reversed(values.items()))) == wanted
    assert bwd.reference(2.0, 3.0, **{n: values[n] for n in names[2:]}) == wanted
    fwd = derive(pair_of, "fwd")
    assert fwd.reference(v=diff_pair(3.0, 1.0), u=2.0)[0] == (6, 2)


def test_a_parameter_may_be_called_self():
    def method(self: float, args: float, kwargs: list[float]) -> float:
        return self * args * kwargs[0]

    run = derive(method)
    given = dict(kwargs=[5.0], args=3.0, out_bar=1.0, self=2.0)
    for gradient in (run(**given), run.reference(**given), run.of(**given)(**given)):
        assert (gradient.self, gradient.args, [*gradient.kwargs]) == (15.0, 10.0, [6.0])


def test_several_results_have_names():
    found = derive(pair_of, "primal").reference(2.0, 3.0)
    assert isinstance(found, Named) and found.title == "Results" and tuple(found) == (6, -1)
    found = derive(pair_of, "fwd").reference(diff_pair(2.0, 1.0), diff_pair(3.0, 10.0))
    assert [tuple(p) for p in found] == [(6, 23), (-1, -9)]
    jacobian = derive(pair_of, "jacobian").reference(2.0, 3.0)
    assert [tuple(row) for row in jacobian] == [(3, 2), (1, -1)]
    assert jacobian[0].v == 2


def test_results_without_derivative_are_no_pairs():
    first, second = derive(with_index, "fwd").reference(diff_pair(2.0, 1.0), 3)
    assert first == (6, 3) and first.d == 3
    assert second == 4 and not isinstance(second, tuple)
    bwd = derive(with_index, "bwd")
    assert len(bwd.program.params) == 3
    assert bwd.reference(2.0, 3, 1.0) == (3,)


def test_a_plain_value_has_the_tangent_zero():
    fwd = derive(plane, "fwd")
    p = [2.0, 3.0]
    assert fwd.reference(p, diff_pair(5.0, 1.0)) == (30, 6)
    assert fwd.reference(diff_pair(p, [1.0, 0.0]), 5.0) == (30, 15)
    assert fwd.reference(p, 5.0) == (30, 0)


def test_pairs_of_arrays_broadcast_with_their_tangents():
    fwd = derive(pair_of, "fwd")
    u = np.array([1.0, 2.0, 3.0])
    first, second = fwd.reference(diff_pair(u, 1.0), diff_pair(2.0, np.zeros(3)))
    np.testing.assert_array_equal(first.p, 2 * u)
    np.testing.assert_array_equal(first.d, [2, 2, 2])
    np.testing.assert_array_equal(second.d, [1, 1, 1])


def test_pairs_only_where_they_have_a_meaning():
    with pytest.raises(DeviceError, match="only mode='fwd' takes"):
        derive(pair_of, "bwd").reference(diff_pair(1.0, 1.0), 2.0, 1.0, 1.0)
    with pytest.raises(DeviceError, match=r"'v' is not differentiated"):
        derive(pair_of, "fwd", wrt="u").reference(1.0, diff_pair(1.0, 1.0))

    def half_fixed(x: float, y: no_diff[float]) -> float:
        return x * y

    with pytest.raises(DeviceError, match=r"'y' is not differentiated"):
        derive(half_fixed, "fwd").reference(1.0, diff_pair(1.0, 1.0))
    assert derive(half_fixed, "bwd").reference(2.0, 3.0, 1.0).fields == ("x",)


@pytest.mark.parametrize("mode", ["fwd", "bwd", "primal"])
@pytest.mark.parametrize(
    "given",
    [
        [diff_pair(1.0, 1.0), diff_pair(2.0, 0.0)],
        [1.0, diff_pair(2.0, 0.0)],
    ],
)
def test_pairs_in_lists_are_no_batches(mode, given):
    product = derive(lambda u, v: u * v, mode)
    with pytest.raises(DeviceError, match="parameter 'u' got a diff_pair inside of a list"):
        product.reference(given, 2.0, *([1.0] if mode == "bwd" else []))


@pytest.mark.parametrize(
    "given", [diff_pair(diff_pair(1.0, 1.0), 1.0), diff_pair(1.0, diff_pair(1.0, 1.0))]
)
def test_pairs_in_pairs_are_no_batches(given):
    with pytest.raises(DeviceError, match="parameter 'u' got a diff_pair inside of a list or of"):
        derive(lambda u, v: u * v, "fwd").reference(given, 2.0)


def test_gradients_have_the_shapes_of_their_arguments():
    bwd = derive(plane, "bwd")
    p = np.arange(12.0).reshape(2, 3, 2)
    k = np.array([[1.0], [2.0]])
    found = bwd.reference(p, k, 1.0)
    assert found.p.shape == (2, 3, 2) and found.k.shape == (2, 1)
    np.testing.assert_array_equal(found.k, (p[..., 0] * p[..., 1]).sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(found.p, p[..., ::-1] * k[..., None])
    single = bwd.reference(p[0, 1], 3.0, 1.0)
    assert single.p.shape == (2,) and single.k == p[0, 1].prod()


def test_hvp_takes_one_direction_per_parameter():
    hvp = derive(plane, "hvp")
    assert [s.name for s in hvp.program.params] == ["p", "k", "v_p", "v_k"]
    found = hvp.reference([2.0, 3.0], 5.0, [1.0, 10.0], 100.0)
    # H = [[0, k, y], [k, 0, x], [y, x, 0]] at x = 2, y = 3, k = 5
    np.testing.assert_array_equal(found.p, [5 * 10 + 3 * 100, 5 * 1 + 2 * 100])
    assert found.k == 3 * 1 + 2 * 10
    assert found.title == "HessianVector"


def test_hessians_are_symmetric_blocks():
    hessian = derive(plane, "hessian").reference([2.0, 3.0], 5.0)
    np.testing.assert_array_equal(hessian.p.p, [[0, 5], [5, 0]])
    np.testing.assert_array_equal(hessian.p.k, [3, 2])
    np.testing.assert_array_equal(hessian.k.p, [3, 2])
    assert hessian.k.k == 0


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("number", [float, np.float64])
def test_matrices_have_the_precision_of_the_kernel(dtype, number):
    """As gradients have: arrays where there are axes, numbers like those that came in."""
    jacobian = derive(plane, "jacobian", dtype=dtype)([2.0, 3.0], number(5.0))
    hessian = derive(plane, "hessian", dtype=dtype)([2.0, 3.0], number(5.0))
    assert jacobian.p.dtype == hessian.p.p.dtype == hessian.p.k.dtype == dtype
    kind = float if number is float else np.dtype(dtype).type
    assert type(jacobian.k) is type(hessian.k.k) is kind
    assert jacobian.p.tolist() == [15, 10] and hessian.p.k.tolist() == [3, 2]


@pytest.mark.parametrize("shape", [(0,), (1,), (3,), (1, 1), (2, 1)])
def test_the_gradient_of_one_number_is_a_number(shape):
    gradient = derive(plane).reference(np.ones((*shape, 2)), 2.0, 1.0)
    assert type(gradient.k) is np.float32 and gradient.k == np.prod(shape)


def test_symmetric_mirrors_the_upper_triangle():
    full = symmetric(np.array([[1, 2, 3, 4, 5, 6]]), 3)
    np.testing.assert_array_equal(full, [[[1, 2, 3], [2, 4, 5], [3, 5, 6]]])


def test_named_tuples():
    named = Named("Gradients", ("a", "x"), (9.0, 12.0))
    a, x = named
    assert (a, x) == named == (named.a, named[1])
    assert named._asdict() == dict(named.items()) == {"a": 9.0, "x": 12.0}
    with pytest.raises(AttributeError, match=r"Gradients has no 'y'; it has a, x"):
        named.y  # noqa: B018
    import copy

    for twin in (pickle.loads(pickle.dumps(named)), copy.deepcopy(named), copy.copy(named)):
        assert twin == named and twin.x == 12 and repr(twin) == "Gradients(a=9.0, x=12.0)"


def test_names_that_a_tuple_has_itself():
    def f(count: float, index: float) -> float:
        return count * index

    gradient = derive(f, "bwd").reference(2.0, 3.0, 1.0)
    assert gradient._asdict() == {"count": 3, "index": 2}
    assert gradient == (3, 2) and (gradient.count, gradient.index) == (3, 2)

    def g(title: float, fields: float, items: float) -> float:
        return title * fields + items

    named = derive(g, "bwd").reference(2.0, 3.0, 4.0, 1.0)
    assert (named.title, named.fields, named.items) == named == (3, 2, 1)
    assert repr(pickle.loads(pickle.dumps(named))) == repr(named)
    assert named._asdict() == {"title": 3, "fields": 2, "items": 1}


def test_what_has_a_default_may_be_left_out():
    """In every mode, numbers, vectors, tuples, lists and structs; not cotangents and directions."""

    def power(a: float, x: float, n: int = 2, *, k: float = 1.5) -> float:
        return a * x**n * k

    assert derive(power, "primal")(2.0, 3.0) == power(2.0, 3.0)
    assert derive(power, "primal")(2.0, 3.0, 3, k=2.0) == power(2.0, 3.0, 3, k=2.0)
    assert derive(power)(2.0, 3.0, out_bar=1.0) == derive(power)(2.0, 3.0, 2, 1.5, 1.0)
    assert derive(power, "fwd")(diff_pair(2.0, 1.0), 3.0).d == 13.5
    assert derive(power, "hvp")(2.0, 3.0, v_a=0.0, v_x=1.0, v_k=0.0).x == 6.0
    twice = derive(derive(power), "fwd")(diff_pair(2.0, 1.0), 3.0, out_bar=1.0)
    assert twice.x_bar.d == 9.0
    with pytest.raises(
        DeviceError, match=r"power_bwd needs out_bar\n  .*\(a, x, n=…, k=…, out_bar\)"
    ):
        derive(power)(2.0, 3.0, 1)


def test_defaults_that_are_no_numbers():
    from egad import Array, dot, float3
    from egad.terms.errors import TraceError

    up = float3(1.0, 2.0, 3.0)

    def f(
        x: float,
        v: float3 = up,
        w: float3 = 2.0,
        t=(1.0, 3.0),
        c: Array[float, 2] = [1.0, 0.5],  # noqa: B006
        on: bool = True,
    ) -> float:
        return x * dot(v, w) * t[1] * c[1] if on else 0.0

    found = derive(f, "value_and_grad")
    assert found(2.0)[0] == found(2.0, [1, 2, 3], [2, 2, 2], (1, 3), [1, 0.5], True)[0] == 36.0
    assert found(2.0)[1].v.tolist() == [6.0, 6.0, 6.0]
    assert found(2.0, on=False)[0] == 0.0

    def wrong(x: float, n: int = 2.5) -> float:
        return x * n

    with pytest.raises(TraceError, match="the default of 'n' must be an int"):
        derive(wrong)


def test_a_struct_that_is_left_out_is_an_instance():
    from egad import struct

    @struct
    class Spring:
        k: float
        rest: float

    def energy(x: float, s: Spring = Spring(3.0, 1.0)) -> float:  # noqa: B008
        return 0.5 * s.k * (x - s.rest) ** 2

    value, gradient = derive(energy, "value_and_grad")(3.0)
    assert value == 6.0 and gradient.s == Spring(2.0, -6.0)


def test_the_sparsity_of_matrices():
    """What is False is 0 at all inputs, and in the kernel; the report counts it."""
    from egad import Array
    from egad.terms.errors import DeriveError

    def f(x: Array[float, 4], y: float):
        return [x[0] * x[1], y * x[2] - y * x[2], x[3] * 2.0 + y]

    jacobian = derive(f, "jacobian")
    found = jacobian.sparsity
    assert found.x.tolist() == [
        [True, True, False, False],
        [False] * 4,
        [False, False, False, True],
    ]
    assert found.y.tolist() == [False, False, True]
    assert "zeros       11 of 15 entries are always 0, and not computed" in jacobian.explain()
    given = jacobian([1.5, 2.5, 3.5, 4.5], 5.5)
    assert all(np.array_equal(a != 0, b) for a, b in zip(given, found, strict=True))

    def g(x: Array[float, 3], y: float) -> float:
        return x[0] * x[1] + x[2] * y + y

    hessian = derive(g, "hessian")
    assert hessian.sparsity.x.x.astype(int).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert hessian.sparsity.x.y.tolist() == [False, False, True]
    assert hessian.sparsity.y.y is False
    assert "zeros       8 of 10 entries of the upper half" in hessian.explain()
    with pytest.raises(DeriveError, match="mode='bwd' has no sparsity\n  mode='jacobian'"):
        _ = derive(g).sparsity
