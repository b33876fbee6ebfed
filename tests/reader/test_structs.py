"""Structs and lists mean in egad what they mean in Python: names refer, changes are seen."""

import inspect

import absent_programs
import alias_programs
import class_programs
import dictionary_programs
import effect_programs
import key_programs
import keyed_programs
import lent_places
import lent_programs
import library_programs
import member_programs
import moving_programs
import nonlocal_programs
import numpy as np
import order_programs
import plain_programs
import protocol_programs
import pytest
import slice_programs
import struct_programs
import written_out_programs

import egad
from egad.codegen.host.reference import evaluate

pytestmark = pytest.mark.numbers

PROGRAMS = [
    f
    for module in (
        struct_programs,
        protocol_programs,
        class_programs,
        alias_programs,
        moving_programs,
        order_programs,
        library_programs,
        effect_programs,
        keyed_programs,
        key_programs,
        dictionary_programs,
        plain_programs,
        nonlocal_programs,
        absent_programs,
        lent_programs,
        lent_places,
        member_programs,
        slice_programs,
        written_out_programs,
    )
    for f in vars(module).values()
    if inspect.isfunction(f) and f.__module__ == module.__name__ and f.__name__[0] != "_"
]
POINTS = [(1.3, 0.7), (0.4, 1.9), (-0.6, 1.2), (2.5, -1.5), (-1.1, -0.8)]
DEAD = {
    "stopped",
    "detach_in_loop",
    "halves",
    "detached_is_a_copy",
    "digits",
}  # detached or in steps: differences see what derivatives do not


def values(f, a, b):
    found = f(a, b)
    return np.array(found if isinstance(found, tuple) else (found,), float)


@pytest.fixture(params=PROGRAMS, ids=lambda f: f.__name__)
def f(request):
    return request.param


def test_the_value_is_what_python_computes(f):
    primal = egad.derive(f, "primal", dtype="float64")
    for a, b in POINTS:
        inputs = {"a": a, "b": b}
        for program in (primal.derivative, primal.program):
            found = [float(v) for v in evaluate(program, primal.rules, inputs)]
            np.testing.assert_allclose(found, values(f, a, b), rtol=1e-12)


def test_derivatives_are_differences_and_each_others_transpose(f):
    fwd, bwd = (egad.derive(f, mode, dtype="float64") for mode in ("fwd", "bwd"))
    h = 1e-6
    for a, b in POINTS:
        count = len(values(f, a, b))
        bars = [0.5 + 0.25 * i for i in range(count)]
        real = [s.diff for s in bwd.primal.results]
        gradient = bwd.reference(a, b, *[c for c, on in zip(bars, real, strict=True) if on])
        given = (egad.diff_pair(a, 0.3), egad.diff_pair(b, -0.8))
        pairs = fwd.reference(*given)
        pairs = pairs if count > 1 else (pairs,)
        product = sum(c * p.d for c, p, on in zip(bars, pairs, real, strict=True) if on)
        assert product == pytest.approx(0.3 * gradient.a - 0.8 * gradient.b, rel=1e-9, abs=1e-9)
        if f.__name__ not in DEAD:
            step = values(f, a + 0.3 * h, b - 0.8 * h) - values(f, a - 0.3 * h, b + 0.8 * h)
            want = sum(c * s for c, s, on in zip(bars, step / (2 * h), real, strict=True) if on)
            assert product == pytest.approx(want, rel=1e-6, abs=1e-6)
