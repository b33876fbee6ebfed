"""Arguments in, packed arrays out: shapes, dtypes, kinds, and the texts of refusals."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from egad.codegen.host.arrays import MOST_FITS, Binder, Fit, bind
from egad.codegen.host.results import unbind, unbroadcast
from egad.terms.errors import DeviceError
from egad.terms.program import Slot
from egad.terms.types import Mat, Scalar, Tup, Vec

F = Scalar.F32
A, X = Slot("a", F), Slot("x", F)
V, M = Slot("v", Vec(F, 3)), Slot("m", Mat(F, 2, 2))
K, B = Slot("k", Scalar.I32), Slot("b", Scalar.BOOL)


def test_scalars_broadcast_as_in_numpy():
    bound = bind([A, X], [np.ones((3, 1)), np.arange(4.0).reshape(1, 4)])
    assert bound.fit.shape == (3, 4)
    assert bound.size == 12
    assert tuple(a.uniform for a in bound.fit.arguments) == (False, False)
    assert all(v.flags.c_contiguous and v.dtype == np.float32 for v in bound.inputs.values())
    assert np.array_equal(bound.inputs["x"], np.broadcast_to(np.arange(4.0), (3, 4)))
    assert [argument.shape for argument in bound.fit.arguments] == [(3, 1), (1, 4)]


def test_vectors_and_matrices_use_trailing_axes():
    bound = bind([V, M], [np.ones((5, 1, 3)), np.ones((7, 2, 2))])
    assert bound.fit.shape == (5, 7)
    assert bound.inputs["v"].shape == (5, 7, 3)
    assert bound.inputs["m"].shape == (5, 7, 2, 2)


def test_single_values_are_uniform():
    bound = bind([A, X, V], [2.0, np.ones(5), np.ones((1, 3))])
    assert tuple(a.uniform for a in bound.fit.arguments) == (True, False, True)
    assert bound.inputs["a"].shape == ()
    assert bound.inputs["v"].shape == (3,)


def test_empty_batches():
    bound = bind([A, X], [2.0, np.ones((0, 3))])
    assert (bound.fit.shape, bound.size) == ((0, 3), 0)
    assert bind([A], [[]]).fit.shape == (0,)


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        ([1.0, [1, 2, 3]], "number"),
        ([1, (1.0, 2.0, 3.0)], "number"),
        ([np.float32(1), [1, 2, 3]], "numpy"),
        ([np.float64(1), [1, 2, 3]], "numpy"),
        ([1.0, np.ones(3)], "numpy"),
        ([[1.0, 2.0], [1, 2, 3]], "numpy"),
    ],
)
def test_kind_of_inputs(args, kind):
    assert bind([A, V], args).fit.kind == kind


def test_results_come_back_in_the_kind_of_the_inputs():
    outputs = {"a": np.float32([1.5]), "v": np.float32([[1, 2, 3]])}
    number, vector = unbind(bind([A], [1.0]).fit, [A, V], outputs)
    assert type(number) is float
    assert isinstance(vector, np.ndarray) and vector.shape == (3,)
    scalar, _ = unbind(bind([A], [np.float32(1)]).fit, [A, V], outputs)
    assert type(scalar) is np.float32
    batch = {"a": np.zeros(12, np.float32), "v": np.zeros((12, 3), np.float32)}
    grid = unbind(Fit((3, 4), (), "numpy"), [A, V], batch)
    assert [g.shape for g in grid] == [(3, 4), (3, 4, 3)]


@pytest.mark.parametrize("dtype", ["float16", "float64", "longdouble", "int64", "uint8", "bool"])
def test_real_parameters_take_reals_and_integers(dtype):
    bound = bind([A], [np.ones(3, dtype)])
    assert bound.inputs["a"].dtype == np.float32


def test_conversion_overflows_to_infinity_without_a_warning(recwarn):
    assert bind([A], [1e300]).inputs["a"] == np.inf
    assert not recwarn.list


def test_integers_and_booleans():
    assert bind([K], [np.int64(7)]).inputs["k"].dtype == np.int32
    assert bind([K], [True]).inputs["k"] == 1
    assert bind([B], [[2, 0]]).inputs["b"].tolist() == [True, False]


def test_strided_arguments_are_packed():
    x = np.arange(10, dtype=np.float32)[::-2]
    bound = bind([X], [x])
    assert bound.inputs["x"].flags.c_contiguous
    assert np.array_equal(bound.inputs["x"], x)


LIMITS = ", the integers of kernels\n  they go from -2147483648 to 2147483647"
BEYOND = "; for numbers up to 2**32 - 1, annotate k: egad.uint"
REFUSED = [
    ([A, X], [1], "f takes 2 arguments (a, x), got 1"),
    ([A], [1, 2], "f takes 1 argument (a), got 2"),
    (
        [V],
        [np.ones((4, 2))],
        "argument 'v' (float3): expected trailing axes (3,), got an array of shape (4, 2)\n"
        "  the last axis holds the components; axes before them are the elements of a batch",
    ),
    (
        [M],
        [1.0],
        "argument 'm' (float2x2): expected trailing axes (2, 2), got an array of shape ()\n"
        "  the last two axes hold the rows and columns; axes before them are the elements of a "
        "batch",
    ),
    (
        [A, V, X],
        [np.ones(3), 1.0 * np.ones((1, 3)), np.ones(4)],
        "the leading axes of the arguments do not broadcast: a (3,), v (1,), x (4,)\n"
        "  aligned at the right, axes must be equal or 1, as in NumPy",
    ),
    (
        [K],
        [1.5],
        "argument 'k' (int): a real number does not convert to int32\n"
        "  round it yourself, for example with `.astype(numpy.int32)`",
    ),
    (
        [B],
        [1.0],
        "argument 'b' (bool): a real number does not convert to bool\n"
        "  compare it, for example `x != 0`",
    ),
    (
        [A],
        [1j],
        "argument 'a' (float): complex128 does not convert to float32\n"
        "  pass the real and the imaginary part as two parameters",
    ),
    ([A], ["1"], "argument 'a' (float): text does not convert to float32"),
    ([A], [b"1"], "argument 'a' (float): bytes does not convert to float32"),
    ([A], [None], "argument 'a' (float): a NoneType does not convert to float32"),
    (
        [A],
        [[1, -(10**400)]],
        "argument 'a' (float): -10000000… (1329 bits) is beyond all float32 numbers",
    ),
    (
        [A],
        [[[1.0], [1.0, 2.0]]],
        "argument 'a' (float): its rows have several lengths\n  make them equally long",
    ),
    (
        [A],
        [np.zeros(2, [("q", "f4")])],
        "argument 'a' (float): an array of records does not convert to float32",
    ),
    (
        [A],
        [[Fraction(1, 3)]],
        "argument 'a' (float): a Fraction does not convert to float32\n"
        "  convert it first: float(x)",
    ),
    (
        [K],
        [Decimal(1)],
        "argument 'k' (int): a Decimal does not convert to int32\n  convert it first: int(x)",
    ),
    ([K], [2**31], "argument 'k' (int): 2147483648 does not fit into int32" + LIMITS + BEYOND),
    ([K], [[0, -(2**31) - 1]], "argument 'k' (int): -2147483649 does not fit into int32" + LIMITS),
    ([K], [10**30], "argument 'k' (int): 10000000… (100 bits) does not fit into int32" + LIMITS),
    (
        [K],
        [10**5000],
        "argument 'k' (int): 10000000… (16610 bits) does not fit into int32" + LIMITS,
    ),
    (
        [A],
        [np.ma.array([1.0])],
        "argument 'a' (float): masked arrays are not supported\n  fill it: `array.filled(0.0)`",
    ),
    (
        [Slot("t", Tup((F, F)))],
        [(1, 2, 3)],
        "argument 't' (tuple[float, float]): expected a tuple of 2 items, got (1, 2, 3)",
    ),
]


@pytest.mark.parametrize(("params", "args", "text"), REFUSED)
def test_refusals(params, args, text):
    with pytest.raises(DeviceError) as error:
        bind(params, args, "f")
    assert str(error.value) == text


def test_tuples_are_opened_and_closed():
    slot = Slot("t", Tup((F, Tup((V.type, F), ("v", "w")))))
    bound = bind([A, slot], [1.0, (2.0, (np.ones((5, 3)), 4.0))])
    assert [argument.slot.name for argument in bound.fit.arguments] == [
        "a",
        "t[0]",
        "t[1].v",
        "t[1].w",
    ]
    assert bound.uniform_names == {"a"}  # a tuple is uniform as a whole
    outputs = {"t[0]": np.zeros(5), "t[1].v": np.ones((5, 3)), "t[1].w": np.ones(5)}
    ((first, (v, w)),) = unbind(bound.fit, [slot], outputs)
    assert (first.shape, v.shape, w.shape) == ((5,), (5, 3), (5,))


class Refuses:
    """As a tensor of another library does that takes part in its derivatives."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("call detach() first")


def test_arrays_that_do_not_convert_are_refused_with_what_they_say():
    with pytest.raises(DeviceError, match=r"argument 'a'.*call detach\(\) first"):
        bind([Slot("a", Scalar.F32)], [Refuses()])


def test_ragged_lists_are_refused():
    with pytest.raises(DeviceError, match=r"argument 'a' \(float\): its rows have several lengths"):
        bind([A], [[1, [2, 3]]])


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (1, 4), (1, 1), (2, 3, 4), (2, 1, 4)])
def test_unbroadcast_sums_repeated_axes(shape):
    gradient = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
    extra = 3 - len(shape)
    axes = tuple(i for i in range(3) if i < extra or shape[i - extra] == 1)
    expected = gradient.sum(axis=axes).reshape(shape)
    assert np.array_equal(unbroadcast(gradient, shape), expected)


def test_unbroadcast_is_accurate_and_repeatable():
    x = np.random.default_rng(0).random((1001, 999)).astype(np.float32)
    total = unbroadcast(x, ())
    assert total.dtype == np.float32
    assert total == np.float32(x.astype(np.float64).sum())
    # the order of the sum depends on the values' places, not on the memory layout
    assert unbroadcast(np.asfortranarray(x), ()).tobytes() == total.tobytes()


def test_unbroadcast_of_nothing_is_zero():
    assert unbroadcast(np.ones((0, 3), np.float32), (3,)).tolist() == [0, 0, 0]
    assert unbroadcast(np.float32(2.0), ()) == 2.0


def _arguments(rng):
    """Arguments for a real number, an integer and a vector, of any type and of many shapes."""
    shape = rng.choice([(), (1,), (3,), (2, 3), (2, 1), (0,)])
    shape = shape[rng.randrange(len(shape) + 1) :]
    dtype = rng.choice(["float16", "float32", "float64", "int64", "bool"])
    real = rng.choice([2, 0.1, True, 1e300, np.float64(1e300), np.float32(0.1), np.int64(3)])
    array = np.full((*shape, 2), 0.3).astype(dtype)[..., 0]  # strided
    whole = rng.choice([7, True, np.uint8(3), np.full(shape, 5, "int16")])
    vector = np.array([0, 1, 2]).astype(dtype)
    return [
        rng.choice([real, array, np.ascontiguousarray(array)]),
        whole,
        rng.choice([vector, np.broadcast_to(vector, (*shape, 3)), [0.5, 1, 2]]),
    ]


def test_what_is_kept_of_calls_changes_none():
    """A binder that has seen arguments of many types and shapes gives what `bind` gives."""
    params, rng = [A, K, V], random.Random(5)
    binder = Binder(params, "f")
    calls, again = [_arguments(rng) for _ in range(MOST_FITS)], 0
    for args in calls * 4:
        again += binder.known(args) is not None
        kept, fresh = binder(args), bind(params, args)
        assert kept.fit == fresh.fit
        for name, array in fresh.inputs.items():
            assert kept.inputs[name].dtype == array.dtype
            assert kept.inputs[name].shape == array.shape
            assert kept.inputs[name].flags.c_contiguous
            assert np.array_equal(kept.inputs[name], array)
    assert again > 100


def test_values_are_checked_in_calls_of_a_kind_that_is_known():
    binder = Binder([K, X], "f")
    for good, bad in ((7, 2**31), (np.array([1, 2]), np.array([1, 2**40]))):
        assert binder.known([good, 1.0]) is None
        binder([good, 1.0])
        assert binder.known([good, 1.0]) is not None
        with pytest.raises(DeviceError, match="does not fit into int32"):
            binder([bad, 1.0])
    binder([7, 2.0])
    with pytest.raises(DeviceError, match="beyond all float32 numbers"):
        binder([7, 10**400])
    objects = np.array([1.0, 2.0], object)
    binder([7, objects])
    objects[1] = "two"
    with pytest.raises(DeviceError, match="str does not convert"):
        binder([7, objects])


def test_as_many_kinds_of_calls_are_kept_as_there_is_room_for():
    binder = Binder([X], "f")
    for size in range(2, 3 * MOST_FITS):
        x = np.ones(size, np.float32)
        binder([x])
        assert binder.known([x]).inputs["x"] is x
