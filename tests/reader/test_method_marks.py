"""Marks on methods, above and below their decorators, and on the items of tuples."""

import pytest

import egad
from egad import (
    Array,
    custom_bwd,
    custom_fwd,
    derive,
    diff_pair,
    no_diff,
    no_diff_this,
    non_differentiable,
    primal_substitute_of,
    struct,
    treat_as_differentiable,
)
from egad.terms.errors import DeriveError, RuleError, TraceError


@struct
class Marked:
    v: float

    @staticmethod
    def rule(v, d):
        return (100.0 * d,)

    @staticmethod
    def forward(cls, v):
        return diff_pair(v.p * v.p, 10.0 * v.d)

    @custom_bwd(rule)
    @staticmethod
    def ruled_above(v: float) -> float:
        return v * v

    @staticmethod
    @custom_bwd(rule)
    def ruled_below(v: float) -> float:
        return v * v

    @custom_fwd(forward)
    @classmethod
    def forward_above(cls, v: float) -> float:
        return v * v

    @classmethod
    @custom_fwd(forward)
    def forward_below(cls, v: float) -> float:
        return v * v

    @treat_as_differentiable
    @classmethod
    def zero_above(cls, v: float) -> float:
        return v * v

    @classmethod
    @treat_as_differentiable
    def zero_below(cls, v: float) -> float:
        return v * v

    @treat_as_differentiable
    @property
    def property_above(self) -> float:
        return self.v * self.v

    @no_diff_this
    @property
    def stopped_above(self) -> float:
        return self.v * self.v

    @staticmethod
    def replaced(v: float) -> float:
        return v * v

    @primal_substitute_of(replaced)
    @staticmethod
    def substitute(v: float) -> float:
        return 3.0 * v

    @non_differentiable
    @staticmethod
    def fixed(v: float) -> float:
        return v * v


def slope(f, mode="bwd"):
    derivative = egad.derive(f, mode, dtype="float64").reference
    return derivative(2.0, 1.0).x if mode == "bwd" else derivative(diff_pair(2.0, 1.0)).d


@pytest.mark.numbers
@pytest.mark.parametrize("of", [Marked, Marked(1.0)], ids=["class", "instance"])
def test_a_mark_holds_above_the_decorator_of_a_method_as_below(of):
    assert slope(lambda x: of.ruled_above(x)) == slope(lambda x: of.ruled_below(x)) == 100.0
    above, below = (lambda x: of.forward_above(x)), (lambda x: of.forward_below(x))
    assert slope(above, "fwd") == slope(below, "fwd") == 10.0
    assert slope(lambda x: of.zero_above(x) + x) == slope(lambda x: of.zero_below(x) + x) == 1.0
    assert slope(lambda x: of.replaced(x)) == 3.0


def test_marks_of_properties_hold():
    assert slope(lambda x: Marked(x).property_above * x) == 4.0
    assert slope(lambda x: Marked(x).stopped_above * x) == 4.0
    assert Marked(3.0).property_above == 9.0


def test_a_static_method_without_derivative_is_refused():
    with pytest.raises(DeriveError, match="not differentiable"):
        slope(lambda x: Marked.fixed(x))


def test_a_mark_above_a_property_with_a_setter_is_refused():
    changed = property(lambda self: self.v, lambda self, v: None)
    with pytest.raises(RuleError, match="two functions"):
        treat_as_differentiable(changed)


def _halves(x: float) -> tuple[float, no_diff[float]]:
    return x * x, x * x * x


def _product(p: tuple[float, no_diff[float]]) -> float:
    return p[0] * p[1]


def test_an_item_of_a_tuple_that_is_no_diff_has_no_derivative():
    def of_a_variable(x: float) -> float:
        v: tuple[no_diff[float], float] = (x * x, x)
        return v[0] * v[1]

    assert slope(lambda x: _halves(x)[0] + _halves(x)[1]) == 4.0
    assert slope(lambda x: _product((x * x, x * x))) == 16.0
    assert slope(of_a_variable) == 4.0
    fwd = egad.derive(_halves, "fwd", dtype="float64").reference(diff_pair(2.0, 1.0))
    assert fwd == ((4.0, 4.0), 8.0)
    assert egad.derive(_halves, dtype="float64").reference(2.0, 1.0).x == 4.0


def test_single_elements_of_an_array_are_not_no_diff():
    def first(xs: Array[no_diff[float], 2]) -> float:
        return xs[0]

    with pytest.raises(TraceError, match="single elements cannot be no_diff"):
        egad.derive(first).reference([1.0, 2.0], 1.0)


@struct
class Gauge:
    k: float

    def _read_bwd(self, x, d):
        return Gauge(5.0 * d), 6.0 * d

    def _read_fwd(self, x):
        return diff_pair(self.p.k * x.p, 5.0 * self.d.k + 6.0 * x.d)

    @custom_fwd(_read_fwd)
    @custom_bwd(_read_bwd)
    def read(self, x: float) -> float:
        return self.k * x

    def _grow_bwd(self, d, after):
        return Gauge(7.0 * d + after.k)

    @custom_bwd(_grow_bwd)
    def grow(self) -> float:
        self.k *= 3.0
        return self.k


@struct
class Dial(Gauge):
    j: float


def test_rules_of_a_base_class_hold_for_its_heirs():
    def read(x: float, y: float) -> float:
        dial = Dial(x, 2.0 * y)
        return dial.read(y) + dial.j + Gauge(y).read(x)

    assert tuple(derive(read, dtype="float64")(3.0, 2.0, 1.0)) == (5.0 + 6.0, 6.0 + 2.0 + 5.0)
    forward = derive(read, "fwd", dtype="float64")
    assert forward(diff_pair(3.0, 1.0), diff_pair(2.0, 10.0)).d == 11.0 + 130.0


def test_a_rule_of_a_base_class_leaves_other_fields_alone():
    def grown(x: float, y: float) -> float:
        dial = Dial(x, 2.0 * y)
        return dial.grow() + 10.0 * dial.k + 100.0 * dial.j

    assert tuple(derive(grown, dtype="float64")(3.0, 2.0, 1.0)) == (7.0 + 10.0, 200.0)
