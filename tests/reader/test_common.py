"""What people write with Python's library and NumPy: values and slopes, and what is refused."""

import collections
import math

import common_programs
import counted_programs
import dispatch_programs
import indexed_programs
import kept_programs
import manager_programs
import numpy as np
import pytest
import raising_programs
import with_programs
from common_programs import _Kind, _loss
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

import egad
from egad import bwd_diff, custom_bwd, derive, diff_pair, fwd_diff
from egad.terms.errors import TraceError

pytestmark = pytest.mark.numbers

MODULES = (
    *(common_programs, with_programs, manager_programs, indexed_programs, dispatch_programs),
    *(kept_programs, raising_programs),
)
PROGRAMS = [f for module in MODULES for f in functions(module)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f"{f.__module__}-{f.__name__}")
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, 0.45)])


@pytest.mark.parametrize("f", functions(counted_programs), ids=lambda f: f.__name__)
def test_what_python_counts(f):
    values_and_slopes_are_those_of(f, f, [(0.72, 1.34), (1.9, 0.45)])


def _beyond_32_bits(x: float) -> float:
    larger = math.floor(x * 1e12) > 2**33 and math.ceil(x * 1e12) != math.floor(x * 1e13)
    rest = x * 1e12 - math.floor(x * 1e12) + math.trunc(x * 1e13) * 1e-12 + round(x * 1e12)
    return rest if larger else -rest


def test_rounded_numbers_are_as_large_as_they_are():
    primal = derive(_beyond_32_bits, "primal", dtype="float64")
    for x in (0.72, -1.9, 3.14159):
        assert primal(x) == primal.reference(x) == pytest.approx(_beyond_32_bits(x), rel=1e-15)


def test_derivatives_pass_where_somebody_says_so(tmp_path):
    rules = tmp_path / "straight.rules"
    rules.write_text("@derivative\ndef floor(x: number) -> y:\n    dy_dx = 1\n")

    def quantized(x: float) -> float:
        return 2 * math.floor(x) * x

    assert derive(quantized)(2.5, 1.0) == (4.0,)
    assert derive(quantized, rules=[rules])(2.5, 1.0) == (9.0,)  # 2 * (x + floor(x))
    registered = egad.rules()
    registered.custom_bwd_of(math.floor)(lambda x, d: d)
    registered.custom_fwd_of(round)(lambda x: diff_pair(round(x.p), x.d))
    assert derive(quantized, rules=[registered])(2.5, 1.0) == (9.0,)
    assert derive(lambda x: round(x) * x, "fwd", rules=[registered])(diff_pair(2.5, 1.0)).d == 4.5


def _hashed(x: float, y: float) -> float:
    return ((math.floor(x) * 374761393 + math.floor(y) * 668265263) & 0xFFFFFFFF) / 2**32


def test_hashes_of_cells_have_all_their_bits_in_single_precision():
    primal = derive(_hashed, "primal")
    for x, y in ((3.5, -7.2), (100.0, 12.9)):
        assert primal(x, y) == primal.reference(x, y) == np.float32(_hashed(x, y))


def _pair_made_here(x: float) -> float:
    return collections.namedtuple("Pair", "a b")(x, 1.0).a


def test_what_cannot_be_read_of_python_is_told_at_the_call():
    with pytest.raises(TraceError, match=r"in namedtuple, at .*collections") as error:
        derive(_pair_made_here)
    assert error.value.at.file == __file__
    assert "a function of your own" in error.value.hint


@custom_bwd(lambda r, kind, k, d: (7.0 * d, None, 0.0))
def _ruled(r: float, kind: _Kind, k: float = 3.0) -> float:
    return _loss(r, kind, k)


def _derivatives(a: float) -> float:
    forwards = fwd_diff(_loss)(diff_pair(a, 1.0), _Kind.QUAD, 3.0).d
    return _ruled(a, _Kind.QUAD) + forwards + bwd_diff(_loss)(a, _Kind.QUAD, 1.0, 1.0).r


def test_members_that_are_texts_stay_outside_of_derivatives():
    # 7 by the rule, then the slopes of 3 a and of a
    found = derive(_derivatives, dtype="float64")
    assert found(0.7, 1.0) == found.reference(0.7, 1.0) == (11.0,)


def _bounds_from_the_kernel(x: float, low: float, high: float) -> float:
    return np.clip(x, a_max=high, a_min=low) * x


@pytest.mark.parametrize("x", [0.1, 0.7, 3.0])
def test_bounds_by_keyword(x):
    """Slopes by hand: of x*x inside, of low*x and high*x outside."""
    low, high = 0.5, 2.0
    value = min(max(x, low), high)
    slopes = (2 * x if low < x < high else value, x if x < low else 0.0, x if x > high else 0.0)
    for run in (found := derive(_bounds_from_the_kernel, dtype="float64"), found.reference):
        np.testing.assert_allclose(run(x, low, high, 1.0), slopes, rtol=1e-12)
