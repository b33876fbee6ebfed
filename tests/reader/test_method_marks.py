"""Marks on methods: above `@staticmethod`, `@classmethod` and `@property` as below them."""

import pytest

import egad
from egad import (
    custom_bwd,
    custom_fwd,
    diff_pair,
    no_diff_this,
    non_differentiable,
    primal_substitute_of,
    struct,
    treat_as_differentiable,
)
from egad.terms.errors import DeriveError, RuleError


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
