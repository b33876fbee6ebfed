"""Programs that once ended with an exception of Python's, of NumPy's or of the reader itself."""

import numpy as np
import pytest

from egad import Array, derive, float2, float3
from egad.terms.errors import TraceError

pytestmark = pytest.mark.numbers


def copied_vector(a: float, b: float):
    v = float3(a, b, 1.0)
    w = v.copy()
    w.x = 2.0
    return v.x * w.y


def test_vectors_have_a_copy():
    assert tuple(derive(copied_vector)(3.0, 5.0, 1.0)) == (5.0, 3.0)


def truth_of_a_vector(a: float):
    v = float2(a, a) if a > 1 else None
    return a if v else 2 * a


def empty_tuple(a: float, i: int):
    return ()[i] * a


def dictionary_or_none(a: float):
    d = {"x": a}
    for _ in range(20):
        d = None
    return d["x"]


def only_the_word(a: float, i: int):
    return Array[i]


def length_of_the_kernel(a: float, n: int):
    return Array[float, n]()


def text_from_a_loop(a: float):
    for _ in range(20):
        a += 0.1
        if a > 4:
            return "a"
    return -1.0


def slice_of_a_function(a: float):
    xs = [a]
    del xs[len:]
    return a


def too_many_digits(a: float):
    return round(a, 10**6)


def too_many_elements(a: float):
    return (a,) * 10**12


def too_many_arrays(a: Array[float, 3]):
    return np.add(a, a, a, a)


def shapes_of_full(a: Array[float, 6]):
    return np.full((2, 3), a)


REFUSED = {
    truth_of_a_vector: "a float2 is not one truth value",
    empty_tuple: "a tuple of 0 has no elements",
    dictionary_or_none: "a dictionary of 'x' or None",
    only_the_word: r"Array takes a type and a length\n(?s:.)*write Array\[float, 16\]",
    length_of_the_kernel: "the length of an array must be known while reading",
    text_from_a_loop: "cannot compute with a str",
    slice_of_a_function: "slice",
    too_many_digits: "1000000 digits",
    too_many_elements: "1000000000000 elements are too many",
    too_many_arrays: "add takes 2 arrays, not 4",
    shapes_of_full: "full fails in NumPy",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(TraceError, match=REFUSED[f]) as error:
        derive(f, "primal")
    assert error.value.at is not None and error.value.at.file == __file__
