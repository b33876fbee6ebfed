"""Functions that a stranger writes wrongly, one error each: hidden names, misspelled words.

The golden file beside holds the texts.
"""

# ruff: noqa: F403, F405

import contextlib
import dataclasses
import logging
import math
import operator
import threading
import time
import warnings
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from egad import *


@dataclass
class Point:
    x: float
    y: float


class Kind(Enum):
    LINEAR = "linear"
    QUAD = "quad"


def _scaled(x: float, *, scale: float, offset: float = 0.0) -> float:
    return x * scale + offset


def _loss(r: float, kind: Kind) -> float:
    return r if kind is Kind.LINEAR else r * r


def a_variable_hides_a_function(x: float) -> float:
    max = x * 2
    return max(x, 2.0)


def by_position_what_has_a_name(x: float) -> float:
    return _scaled(x, 2.0)


def a_name_is_missing(x: float) -> float:
    return _scaled(x)


def product_of_two_lengths(v: float3, u: float2) -> float:
    return dot(v, u)


def no_such_half_of_a_pair(x: float) -> float:
    return fwd_diff(lambda t: t * t)(diff_pair(x, 1.0)).tangent


def word_of_sorted(x: float) -> float:
    return sorted([x, 2.0], keys=abs)[0]


def word_of_zip(x: float) -> float:
    return next(zip([x], [1.0], strict=True, fill=0))


def method_of_a_list(x: float) -> float:
    xs = [x]
    xs.apend(2.0)
    return xs[0]


def method_of_an_array(x: float) -> float:
    return np.array([x, 1.0]).reshap(2)


def word_of_clip(x: float) -> float:
    return np.clip(x, amin=0.0)


def too_many_bounds(x: float) -> float:
    return np.clip(x, 0, 1, 2, 3)


def numpy_has_no_lerp(x: float) -> float:
    return np.lerp(x, 1, 2)


def two_results_where_one_is_said(x: float) -> float:
    return x, x


def deleted_name(x: float) -> float:
    y = x * 2
    del y
    return y  # noqa: F821


def deleted_in_one_branch(x: float) -> float:
    y = x * 2
    if x > 0:
        del y
    return y


def element_that_the_kernel_knows(x: float) -> float:
    xs = [x, 2.0, 3.0]
    xs.remove(x * x)
    return xs[0]


def element_that_is_not_there(x: float) -> float:
    xs = [1, 2]
    xs.remove(3)
    return x * xs[0]


def fields_of_a_number(x: float) -> float:
    return len(dataclasses.fields(x))


def fields_of_one_or_another(x: float) -> float:
    p = Point(x, 1.0) if x > 0 else Point(1.0, x)
    return dataclasses.astuple(p)[0]


def getter_of_two(x: float) -> float:
    return operator.itemgetter(0)([x], [1.0])


def function_for_a_library(x: float) -> float:
    return np.frompyfunc(lambda t: t * t, 1, 1)(x)


def text_for_a_member(x: float) -> float:
    return _loss(x, "quad")


def number_for_a_member_with_a_text(x: float) -> float:
    return _loss(x, int(x))


def parameter_with_texts(x: float, kind: Kind) -> float:
    return _loss(x, kind)


def shape_from_the_kernel(x: float, n: int) -> float:
    return sum(x for _ in np.ndindex(n, 2))


def a_number_is_entered(x: float) -> float:
    with x as y:
        return y


def of_a_library(x: float) -> float:
    with contextlib.redirect_stdout(x) as y:
        return y


_lock = threading.Lock()


def locked(x: float) -> float:
    with _lock:
        return x


def a_set_for_a_kernel(x: float, s: set[int]) -> float:
    return x * len(s)


def factorial_of_a_parameter(x: float, n: int) -> float:
    return x * math.factorial(n)


def _of_a_set(s: set[int]) -> float:
    return 1.0 * len(s)


def a_number_for_a_set(x: float) -> float:
    return _of_a_set(x)


def a_warning(x: float) -> float:
    if x < 0:
        warnings.warn("negative", stacklevel=2)
    return x


def a_message(x: float) -> float:
    logging.getLogger("egad").debug("x = %s", x)
    return x


def a_clock(x: float) -> float:
    return x * time.perf_counter()


def eigenvalues(x: float) -> float:
    return np.linalg.eigvals(np.eye(3) * x)[0]


def singular_vectors(x: float) -> float:
    return np.linalg.svd(np.ones((2, 3)) * x)[0][0, 0]


def another_condition(x: float) -> float:
    return np.linalg.cond(np.eye(2) * x, 1)


def eigenvectors(x: float) -> float:
    return np.linalg.eig(np.eye(2) * x)[1][0, 0]


def a_spectrum(x: float) -> float:
    return abs(np.fft.fft2([[x, 1.0]])[0, 0])


def small_integers(x: float) -> float:
    return np.uint8(x) * x


def a_fraction(x: float) -> float:
    return Fraction(1, 3) * x


def a_complex_exponential(x: float) -> float:
    return np.expm1(1j * x).real


def an_array_that_is_written_nowhere(x: float) -> float:
    return np.sum(np.sqrt(np.array([x, 1.0]), where=np.array([True, False])))


def a_step_of_an_unknown_maximum(x: float) -> float:
    return max((y for y in [x, 2.0] if y > 1), key=abs)


def text_of_numpy(x: float):
    return np.kaiser(3, x)[1]
