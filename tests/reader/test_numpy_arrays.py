"""Whole arrays of NumPy: the value is what NumPy computes, and so are derivatives and kernels."""

import inspect
from pathlib import Path

import numpy as np
import numpy_errors
import numpy_loops
import numpy_places
import numpy_programs
import numpy_said
import numpy_truths
import pytest

import egad
from egad.reader import read
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.types import Arr, Scalar


def functions(module):
    return [
        f
        for f in vars(module).values()
        if inspect.isfunction(f) and f.__module__ == module.__name__ and f.__name__[0] != "_"
    ]


MODULES = (numpy_programs, numpy_places, numpy_loops, numpy_said, numpy_truths)
PROGRAMS = [f for module in MODULES for f in functions(module)]
SHAPES = {"x": (6,), "y": (6,), "m": (3, 6), "s": ()}


def drawn(f, rng):
    """Short decimals for every parameter; `s` is one that makes rows of it an index."""
    names = inspect.signature(f).parameters
    return [np.round(rng.normal(size=SHAPES[n]), 2) if n != "s" else 0.7 for n in names]


def by_numpy(f, args):
    """The function itself, on arrays of its own."""
    return np.asarray(f(*(np.array(a) if np.ndim(a) else float(a) for a in args)), float)


@pytest.fixture(params=PROGRAMS, ids=lambda f: f.__name__)
def f(request):
    return request.param


def test_the_value_is_what_numpy_computes(f):
    primal = egad.derive(f, "primal", dtype="float64", optimize="fast")
    for seed in range(4):
        args = drawn(f, np.random.default_rng(seed))
        want = by_numpy(f, args)
        found = np.asarray(primal.reference(*args), float)
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, rtol=1e-11, atol=1e-12)


def test_derivatives_are_differences_and_each_others_transpose(f):
    rng = np.random.default_rng(5)
    args = drawn(f, rng)
    along = [np.round(rng.normal(size=np.shape(a)), 2) for a in args]

    def moved(h):
        return by_numpy(f, [a + h * d for a, d in zip(args, along, strict=True)])

    want = (moved(1e-6) - moved(-1e-6)) / 2e-6
    weights = np.round(rng.normal(size=want.shape), 2)
    settings = {"dtype": "float64", "optimize": "fast"}  # what is read is tried, not what it costs
    fwd, bwd = (egad.derive(f, mode, **settings) for mode in ("fwd", "bwd"))
    pairs = [egad.diff_pair(a, d) for a, d in zip(args, along, strict=True)]
    tangent = np.asarray(fwd.reference(*pairs).d)
    np.testing.assert_allclose(tangent, want, rtol=1e-6, atol=1e-6)
    gradient = bwd.reference(*args, weights)
    product = sum(np.sum(bar * d) for bar, d in zip(gradient, along, strict=True))
    assert product == pytest.approx(np.sum(weights * tangent), rel=1e-9, abs=1e-9)
    for found, bar in zip(bwd(*args, weights), gradient, strict=True):
        np.testing.assert_allclose(found, bar, rtol=1e-9, atol=1e-9)


def test_memory_that_nobody_has_written_is_zero():
    def f(x: egad.Array[float, 6]):
        return np.empty(6) + np.empty_like(x) + x

    found = egad.derive(f, "primal", dtype="float64").reference(np.arange(6.0))
    np.testing.assert_array_equal(found, np.arange(6.0))


# --- what is refused --------------------------------------------------------------------------

FILE = Path(numpy_errors.__file__)


def error_of(f):
    with pytest.raises(TraceError) as caught:
        read(f, real=Scalar.F32, rules=load(), types=LISTS.get(f.__name__))
    return caught.value


LISTS = {"list_that_is_no_array": {"x": Arr(Scalar.F32, 6)}}
ERRORS = functions(numpy_errors)


def test_error_texts(golden):
    texts = [f"{f.__name__}\n{error_of(f)}".replace(str(FILE), FILE.name) for f in ERRORS]
    golden("numpy_errors.txt", "\n\n".join(texts) + "\n")


@pytest.mark.parametrize("f", ERRORS, ids=lambda f: f.__name__)
def test_the_place_is_the_line_that_is_wrong(f):
    error = error_of(f)
    assert FILE.read_text().splitlines()[error.at.line - 1] == error.at.text
