"""Variables that have a value on every path that gets there, though not in every arm."""

import pytest

from egad import EgadError, derive

pytestmark = pytest.mark.numbers


def continued(x: float, y: float, n: int):
    s = 0.0
    for i in range(n):
        a, b = x - i, y - i
        if a > 0:
            if b > 0:
                continue
            r = 1.0
        else:
            r = 2.0
        s += r
    return s


def left(x: float, y: float, n: int):
    s = 0.0
    for i in range(n):
        a, b = x - i, y - i
        if a > 0:
            if b > 0:
                break
            if b < -2:
                continue
            r = a
        else:
            if b > 1:
                s += 1.0
                continue
            r = b
        s += r
        if s > 3.0:
            continue
        s += r
    return s


def returned(x: float, y: float, n: int):
    s = 0.0
    for i in range(n):
        if x > i:
            if y > i:
                return 100.0 + s
            r = x
        elif y > 0.5:
            if s > 1.0:
                s -= 1.0
                continue
            r = y
        else:
            r = 2.0
        s += r * r
    return s


def written_out(x: float, y: float, n: int):
    s = 0.0
    for k in (1.0, 2.0, 3.0):
        if x > k:
            if y > k:
                if n > 1:
                    break
                continue
            r = x
        else:
            r = k
        s += r
    return s


@pytest.mark.parametrize("f", [continued, left, returned, written_out], ids=lambda f: f.__name__)
def test_as_in_python(f):
    d = derive(f, "primal", dtype="float64")
    for x in (-1.0, 0.5, 1.5, 3.5):
        for y in (-1.5, 0.75, 1.25, 4.5):
            for n in (0, 1, 4):
                assert d.reference(x, y, n) == f(x, y, n)


def missing(x: float, y: float, n: int):
    s = 0.0
    for i in range(n):
        if x > i:
            if y > i:
                continue
            r = 1.0
        elif y > 0:
            r = 2.0
        s += r
    return s


def test_a_path_without_a_value_is_refused():
    with pytest.raises(EgadError, match="'r' has no value"):
        derive(missing, "primal", dtype="float64")
