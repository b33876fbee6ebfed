"""Classes whose fields are what their methods assign: in programs, as arguments, and refused."""

from collections import namedtuple

import inferred_programs
import numpy as np
import pytest
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

from egad import InOut, derive, diff_pair
from egad.terms.errors import DeriveError, TraceError

pytestmark = pytest.mark.numbers


@pytest.mark.parametrize("f", functions(inferred_programs), ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, -0.4)])


class Spring:
    def __init__(self, k, rest=1.0):
        self.k, self.rest = k, rest

    def energy(self, x):
        return 0.5 * self.k * (x - self.rest) ** 2


class Filter:
    def __init__(self, gain: float, taps: list[float]):
        self.gain = gain
        self.taps: list[float] = taps

    def response(self, x: float):
        return self.gain * sum(self.taps) * x


class Shape:
    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, side: float):
        self.side = side

    def area(self):
        return self.side**2


class Strip(Shape):
    def __init__(self, width: float):
        self.width = width

    def area(self):
        return 3.0 * self.width


Pair = namedtuple("Pair", "x y")


def energy(s: Spring, x: float):
    return s.energy(x)


def area(s: Shape):
    return s.area()


def test_arguments_and_gradients_are_instances():
    found = derive(energy)(Spring(2.0), 3.0, 1.0)
    assert type(found.s) is Spring and vars(found.s) == {"k": 2.0, "rest": -4.0} and found.x == 4.0
    many = derive(energy)(Spring(np.arange(3.0)), 3.0, 1.0)
    assert vars(many.s)["k"].tolist() == [2.0, 2.0, 2.0] and many.s.rest == -6.0
    lists = derive(Filter.response)(Filter(2.0, [1.0, 2.0]), 3.0, 1.0)[0]
    assert lists.gain == 9.0 and lists.taps.tolist() == [6.0, 6.0]
    pair = derive(energy, "fwd")(diff_pair(Spring(2.0, 1.0), Spring(1.0, 0.0)), 3.0)
    assert tuple(pair) == (4.0, 2.0)


def test_results_are_instances():
    def made(a: float):
        return Spring(a, a * a)

    def stiffer(s: InOut[Spring], x: float):
        s.k *= x

    assert vars(derive(made, "primal")(2.0)) == {"k": 2.0, "rest": 4.0}
    assert vars(derive(stiffer, "primal")(Spring(2.0), 3.0)) == {"k": 6.0, "rest": 1.0}


def test_one_of_several():
    assert derive(area)(Square(2.0), 1.0).s.side == 4.0
    mixed = derive(area, implementations={Shape: [Square, Strip]})
    square, strip = mixed([Square(2.0), Strip(1.0)], 1.0).s
    assert square.side == 4.0 and strip.width == 3.0


def test_named_tuples_without_types():
    def product(p: Pair, x: float):
        return p.x * p.y * x

    assert derive(product)(Pair(2.0, 3.0), 4.0, 1.0).p == Pair(12.0, 8.0)


class Odd:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return 0.0


def begun_elsewhere(a: float):
    s = Spring(a)
    s.tension = a
    return s.tension


def read_before_it_is_begun(a: float):
    return Spring(a).tension


def too_many(a: float):
    return Spring(a, 1.0, 2.0).k


def odd(a: float):
    return Odd(a).x


REFUSED = {
    begun_elsewhere: r"'tension' of a Spring does not exist\n(?s:.)*self.tension = …",
    read_before_it_is_begun: r"a Spring has no field 'tension'\n(?s:.)*it has k, rest, energy",
    too_many: r"__init__\(self, k, rest=…\) takes 3 arguments, not 4",
    odd: r"egad does not know the class Odd\n(?s:.)*it defines __getattr__, .*leave that away",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(TraceError, match=REFUSED[f]) as error:
        derive(f)
    assert error.value.at is not None


def test_another_argument_than_such_an_instance():
    with pytest.raises(DeriveError, match="argument 's' must be Spring, not float"):
        derive(energy)(3.0, 3.0, 1.0)
