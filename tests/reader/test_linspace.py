"""np.linspace between ends that are known only when the kernel runs."""

import numpy as np
import pytest

from egad import EgadError, derive

pytestmark = pytest.mark.numbers


def ends(a: float, b: float, n: int):
    t = np.linspace(a, b, 5)
    return t[1] * t[3] + np.sum(t) + t[4] * 3.0 + t[0]


def one(a: float, b: float, n: int):
    return np.linspace(a * b, b, 1)[0]


def none(a: float, b: float, n: int):
    return a + len(np.linspace(a, b, 0))


def without_the_end(a: float, b: float, n: int):
    t = np.linspace(a, b, num=4, endpoint=False)
    return t[1] * t[3]


def fifty(a: float, b: float, n: int):
    s = 0.0
    for x in np.linspace(a, b):
        s += x * x
    return s


def changed(a: float, b: float, n: int):
    t = np.linspace(a, 3, 4, True)
    t[1] = b
    return t[n] * t[2] + len(t)


def by_name(a: float, b: float, n: int):
    return np.linspace(stop=b, start=a, num=3, dtype=float)[1]


def integers(a: float, b: float, n: int):
    t = np.linspace(n, 2 * n, 3)
    return t[0] / 2 + t[1]


@pytest.mark.parametrize(
    "f",
    [ends, one, none, without_the_end, fifty, changed, by_name, integers],
    ids=lambda f: f.__name__,
)
def test_as_in_numpy(f):
    d = derive(f, "primal", dtype="float64")
    for a, b, n in ((0.3, 3.7, 1), (2.0, -1.0, 3), (1.0, 1.0, 0)):
        np.testing.assert_allclose(d.reference(a, b, n), f(a, b, n), rtol=1e-14)


def test_its_derivative():
    d = derive(ends, "bwd", dtype="float64")
    found = d.reference(0.3, 3.7, 1, 1.0)
    for name, (da, db) in {"a": (1e-6, 0.0), "b": (0.0, 1e-6)}.items():
        slope = (ends(0.3 + da, 3.7 + db, 1) - ends(0.3 - da, 3.7 - db, 1)) / 2e-6
        np.testing.assert_allclose(getattr(found, name), slope, rtol=1e-8)


def unknown_number(a: float, b: float, n: int):
    return np.linspace(a, b, n)[0]


def negative_number(a: float, b: float, n: int):
    return np.linspace(a, b, -1)[0]


def arrays_as_ends(a: float, b: float, n: int):
    return np.linspace([a, b], b, 3)[0][0]


def whole_numbers(a: float, b: float, n: int):
    return np.linspace(a, b, 3, dtype=int)[0]


def step_too(a: float, b: float, n: int):
    return np.linspace(a, b, 3, retstep=True)[1]


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (unknown_number, "must be known while reading"),
        (negative_number, "0 or more"),
        (arrays_as_ends, "are two numbers here"),
        (whole_numbers, r"astype\(int\)"),
        (step_too, "no keyword argument 'retstep'"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_refused(f, words):
    with pytest.raises(EgadError, match=words):
        derive(f, "primal")
