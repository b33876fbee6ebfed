"""What Python catches is asked before: values are Python's, also where something raises."""

import math

import numpy as np
import pytest
import try_programs
from test_python_errors import functions

from egad import derive
from egad.reader.python.statements.raises import ASKING
from egad.terms.errors import TraceError

# The second ones raise in some programs, of which only values are compared.
SMOOTH = [(0.53, 0.71), (-0.8, 2.2), (2.6, -0.55)]
RAISING = [
    (0.5, 0.0),
    (0.0, -1.0),
    (0.0, 0.0),
    (1.0, -2.0),
    (-3.0, 1.0),
    (2.0, 1.0),
    (0.0, 3.0),
    (3.0, -1.0),
]


@pytest.mark.numbers
@pytest.mark.parametrize("f", functions(try_programs), ids=lambda f: f.__name__)
def test_programs(f):
    both = derive(f, "value_and_grad", dtype="float64")
    for way in (both, both.reference):
        for point in (*SMOOTH, *RAISING):
            assert way(*point)[0] == pytest.approx(f(*point), rel=1e-12), point
    for a, b in SMOOTH:
        slopes = both(a, b)[1]
        step = 1e-6
        want = [
            (f(a + step, b) - f(a - step, b)) / (2 * step),
            (f(a, b + step) - f(a, b - step)) / (2 * step),
        ]
        assert [*slopes] == pytest.approx(want, rel=1e-6, abs=1e-8)


def _checked(x):
    if x < 0:
        raise ValueError("negative")
    return x


def raising_inside(a: float):
    try:
        return _checked(a)
    except ValueError:
        return 0.0


def evaluated_twice(a: float, b: float):
    xs = [a, b]
    try:
        return 1 / xs.pop()
    except ZeroDivisionError:
        return 0.0


def in_a_comprehension(a: float):
    try:
        return sum([1 / (a - k) for k in range(3)])
    except ZeroDivisionError:
        return 0.0


def the_exception_is_used(a: float):
    try:
        return 1 / a
    except ZeroDivisionError as error:
        return len(error.args)


def keys_are_known(a: float):
    try:
        return {"x": a}["y"]
    except KeyError:
        return 0.0


def in_a_condition_of_a_loop(a: float):
    n = 0
    try:
        while 1 / (a - n) > 0 and n < 5:
            n += 1
    except ZeroDivisionError:
        n = 7
    return n * a


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f, message",
    [
        (raising_inside, "what _checked() raises inside is not asked before"),
        (evaluated_twice, "this is asked what it raises before: give it a name first"),
        (in_a_comprehension, "what a comprehension raises is not asked before"),
        (the_exception_is_used, "what 'error' says is not known in a kernel"),
        (keys_are_known, "try … except is not in the language"),
        (in_a_condition_of_a_loop, "what the condition of a loop raises is not asked before"),
    ],
)
def test_what_cannot_be_asked_is_said(f, message):
    with pytest.raises(TraceError) as caught:
        derive(f)
    assert message in str(caught.value)


NUMBERS = (-math.inf, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5, 200.0, 800.0, math.inf, math.nan)
OWNERS = {"int": int, "round": round, **vars(math)}


@pytest.mark.parametrize("name", [n for n in ASKING if len(n.split()) == 3])
def test_what_is_asked_is_what_python_raises(name):
    _, kind, called = name.split()
    for x in NUMBERS:
        several = [(x, y) for y in NUMBERS] if called in ("fmod", "pow", "log") else []
        for args in [*several, *([] if called in ("fmod", "pow") else [(x,)])]:
            raised = _raised(OWNERS[called], args)
            if raised in ("", kind):
                assert _says(ASKING[name], args) == (raised == kind), args


def _says(asks, args):
    try:
        return bool(asks(*args))
    except OverflowError:  # where a kernel has infinity
        return True


def _raised(function, args):
    try:
        function(*args)
    except Exception as error:
        return type(error).__name__
    return ""


def _raised_from_another(a: float, b: float):
    try:
        r = math.sqrt(a - b)
    except ValueError as e:
        if a > 3:
            raise RuntimeError(f"no root: {e}") from e
        r = -b
    return r * a


@pytest.mark.numbers
@pytest.mark.parametrize(("a", "b"), [(2.0, 0.5), (0.5, 2.0)])
def test_what_is_caught_may_be_the_cause_of_what_is_raised(a, b):
    both = derive(_raised_from_another, "value_and_grad", dtype="float64")
    step = 1e-6
    for way in (both, both.reference):
        value, gradients = way(a, b)
        assert value == pytest.approx(_raised_from_another(a, b), rel=1e-14)
        change = _raised_from_another(a, b + step) - _raised_from_another(a, b - step)
        assert gradients.b == pytest.approx(change / (2 * step), rel=1e-6)
    checked = derive(_raised_from_another, "primal", dtype="float64")
    with np.errstate(all="ignore"), pytest.raises(Exception, match="RuntimeError: no root"):
        checked.reference(4.0, 9.0)
