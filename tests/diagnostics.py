"""Functions that the diagnostics of the reference system are about, as Python has them.

Some have no counterpart: there are no members that name a derivative's members (31132, 30310),
no pointers (30118), no read-only references (38036), no zero and sum of a struct but those by
fields (30125), nothing private or not exported (31162, 30600), nothing to extend but functions
(30129), and no memory that a function that is computed twice could write (42050).
"""

# ruff: noqa: F403, F405

from typing import Protocol

from egad import *

WRONG, FINE = [], []


def wrong(function):
    WRONG.append(function)
    return function


def fine(function):
    FINE.append(function)
    return function


@non_differentiable
def table(x: float) -> float:
    return x


def squared(x: float) -> float:
    return x * x


@wrong
def call_carries_derivative_41022(x: float) -> float:
    if x > 5:
        return x + 1
    return table(x * 2.0)


@wrong
def result_feeds_differentiable_call_41022(x: float) -> float:
    y = table(x)
    return squared(y)


@fine
def call_in_no_diff(x: float) -> float:
    return no_diff(table(x * 2.0)) * x


@fine
def call_of_constants(x: float) -> float:
    return table(2.0) * x


@fine
def call_of_what_has_no_derivative(x: float, n: int, w: no_diff[float3]) -> float:
    return table(float(n)) * x + table(sqrt(max(1e-30, dot(w, w)))) + table(detach(x))


@fine
def call_whose_value_is_only_compared(x: float) -> float:
    return x if table(x) > 0 else 2 * x


@wrong
def no_diff_on_variable_38031(x: float) -> float:
    return no_diff(x)


@wrong
def no_diff_on_field_38031(v: float2) -> float:
    return no_diff(v.x) * v.y


@fine
def no_diff_on_element(v: float2) -> float:
    return no_diff(v[0]) * v[1]


@fine
def no_diff_on_differentiable_call_38032(x: float) -> float:
    return no_diff(sin(x)) * x


@wrong
def vector_condition_30055(c: bool3, a: float3, b: float3) -> float3:
    return a if c else b


@fine
def vector_select(c: bool3, a: float3, b: float3) -> float3:
    return select(c, a, b)


@fine
def function_without_mark_30097(x: float) -> float:
    return fwd_diff(squared)(diff_pair(x, 1.0)).d


@wrong
def function_marked_as_not_differentiable_30097(x: float) -> float:
    return fwd_diff(table)(diff_pair(x, 1.0)).d


def cubed(x: float) -> float:
    return x * x * x


@custom_bwd_of(cubed)
def cubed_backward(x, dout):
    return (3 * x * x * dout,)


@wrong
def only_a_backward_rule_38110(x: float) -> float:
    return cubed(x)


only_a_backward_rule_38110.mode = "fwd"


@fine
def a_backward_rule_is_enough(x: float) -> float:
    return cubed(x)


def rule_of_int(x: int):
    return diff_pair(x, 1.0)


@custom_fwd(rule_of_int)
def ruled(x: float) -> float:
    return x


@wrong
def rule_parameter_31149(x: float) -> float:
    return ruled(x)


rule_parameter_31149.mode = "fwd"


def square(x: float) -> float:
    return x * x


@custom_fwd_of(square)
def square_forward(x, dout):
    return diff_pair(x.p * x.p, 2 * x.p * dout)


@wrong
def forward_rule_takes_too_much_31150(x: float) -> float:
    return square(x)


forward_rule_takes_too_much_31150.mode = "fwd"


def stored_backward(x, dout):
    return (dout,)


@custom_bwd(stored_backward)
def stored(x: float) -> None:
    pass


@wrong
def rule_of_what_returns_nothing(x: float) -> float:
    stored(x)
    return x * x


def times(x: float, n: int) -> float:
    return n * x


@custom_fwd_of(times)
def times_forward(x: Pair, n: Pair) -> Pair:
    return diff_pair(n.p * x.p, n.p * x.d)


@wrong
def rule_parameter_without_tangent_31149(x: float, n: int) -> float:
    return times(x, n)


rule_parameter_without_tangent_31149.mode = "fwd"


def rule_of_one(dout):
    return dout


@custom_bwd(rule_of_one)
def sum_of_two(x: float, y: float) -> float:
    return x + y


@wrong
def rule_with_too_few_parameters_31150(x: float, y: float) -> float:
    return sum_of_two(x, y)


def rule_of_pairs(x: Pair, d: float):
    return d


@custom_bwd(rule_of_pairs)
def ruled_backward(x: float) -> float:
    return x


@wrong
def pair_in_a_backward_rule_31149(x: float) -> float:
    return ruled_backward(x)


def rule_with_self(self, x: Pair) -> Pair:
    return x


@struct
class Scale:
    factor: float

    @staticmethod
    @custom_fwd(rule_with_self)
    def twice(x: float) -> float:
        return 2 * x


@wrong
def rule_of_a_static_method_takes_no_self_31156(x: float) -> float:
    return Scale.twice(x)


rule_of_a_static_method_takes_no_self_31156.mode = "fwd"


@wrong
def derivative_is_not_called_30131(x: float) -> float:
    return bwd_diff(squared)


@fine
def derivative_of_an_object_that_is_called(x: float) -> float:
    return fwd_diff(Doubling(x))(diff_pair(x, 1.0)).d


@struct
class Doubling:
    factor: float

    def __call__(self, x: float) -> float:
        return self.factor * x


def constant() -> float:
    return 2.0


@fine
def derivative_by_nothing(x: float) -> float:
    return fwd_diff(constant)().d + x


def added(v: float) -> float:
    return v + 1


@primal_substitute_of(added)
@non_differentiable
def added_differently(v: float) -> float:
    return v + 1.0


@wrong
def substitute_without_derivative_31158(v: float) -> float:
    return added(v) * v


def one_more(v: float) -> float:
    return v + 1


@primal_substitute_of(one_more)
def more_by(v: float, by: float) -> float:
    return v + by


@wrong
def substitute_with_another_parameter_31150(v: float) -> float:
    return one_more(v) * v


@wrong
def recursion_55201(x: float, n: int) -> float:
    if n <= 0:
        return 0.0
    return x + recursion_55201(x * 0.5, n - 1)


def even_terms(x: float, n: int) -> float:
    return 0.0 if n <= 0 else x + odd_terms(x * 0.5, n - 1)


def odd_terms(x: float, n: int) -> float:
    return 0.0 if n <= 0 else even_terms(x * 0.5, n - 1)


@wrong
def mutual_recursion_55201(x: float, n: int) -> float:
    return even_terms(x, n)


@wrong
def recursion_through_a_derivative_55201(x: float) -> float:
    return bwd_diff(recursion_through_a_derivative_55201)(x, 1.0)


@fine
def one_function_called_twice(x: float) -> float:
    return squared(squared(x)) + fwd_diff(squared)(diff_pair(squared(x), 1.0)).d


@fine
def arguments_of_bwd_diff_are_values_30047(x: float) -> float:
    return bwd_diff(squared)(x * 2, 1.0)[0]


@struct
class Kept:
    v: no_diff[float]


@struct
class Sample:
    distance: float
    at: float3


def doubled(v: InOut[float]) -> None:
    v = v * 2.0


@wrong
def derivative_into_field_41031(x: float) -> float:
    kept = Kept(0.0)
    kept.v = x * x
    return kept.v


@fine
def detached_into_field(x: float) -> float:
    kept = Kept(0.0)
    kept.v = detach(x * x)
    return kept.v * x


@wrong
def derivative_into_result_after_a_loop_41031(x: float, sample: no_diff[Out[Sample]]) -> None:
    v = 0.0
    for i in range(2):
        r = squared(v)
        v = x if i == 0 else r
    sample.distance = squared(v)


@fine
def values_without_derivative_into_result(
    x: float, at: no_diff[float3], sample: no_diff[Out[Sample]]
) -> float:
    v = 1.0
    for i in range(3):
        v = sqrt(max(1e-30, dot(at, at))) * v + i
    sample.distance = v
    v = x
    return v * x


@fine
def detached_into_result(x: float, sample: Out[no_diff[Sample]]) -> float:
    sample.distance = detach(x)
    return x * x


@wrong
def field_as_result_of_a_call_41025(x: float) -> float:
    kept = Kept(detach(x))
    doubled(kept.v)
    return kept.v


@wrong
def counter_is_assigned_30510(x: float) -> float:
    i = 0
    while i < 5:
        i = int(x)
        i += 1
    return x


@wrong
def step_changes_another_variable_30507(x: float) -> float:
    i, j = 0, 0
    while i < 4:
        x = x * 2
        j += 1
    return x


@struct
class Spring:
    k: float

    def pull(self, x: float) -> float:
        return self.k * x


@custom_fwd_of(Spring.pull)
def pull_forward(self, x):
    return diff_pair(self.k * x.p, self.k * x.d)


@wrong
def rule_reads_a_field_of_a_pair(spring: Spring, x: float) -> float:
    return spring.pull(x)


rule_reads_a_field_of_a_pair.mode = "fwd"


class Module(Protocol):
    def forward(self, x: float) -> float: ...


def forward_backward(self, x, d):
    return (None, d)


@struct
class Linear:
    slope: no_diff[float]

    @custom_bwd(forward_backward)
    def forward(self, x: float) -> float:
        return self.slope * x


@wrong
def implementation_with_a_backward_rule_only_38110(module: Module, x: float) -> float:
    return module.forward(x)


implementation_with_a_backward_rule_only_38110.mode = "fwd"
implementation_with_a_backward_rule_only_38110.options = {"implementations": {Module: [Linear]}}


@fine
def implementation_with_a_backward_rule(module: Module, x: float) -> float:
    return module.forward(x)


implementation_with_a_backward_rule.options = {"implementations": {Module: [Linear]}}


@custom_fwd(Module.forward)
def half(x: float) -> float:
    return 0.5 * x


@wrong
def declared_method_as_rule_31153(x: float) -> float:
    return half(x)


declared_method_as_rule_31153.mode = "fwd"


class Marked(Protocol):
    @treat_as_differentiable
    def forward(self, x: float) -> float: ...


@wrong
def mark_on_a_declared_method_30313(module: Marked, x: float) -> float:
    return module.forward(x)


mark_on_a_declared_method_30313.options = {"implementations": {Marked: [Linear]}}


def third(x: float) -> float:
    return x / 3


@custom_bwd_of(third)
def third_backward(x: "T", dout: "T"):
    return (dout / 3,)


@wrong
def rule_over_a_type_that_nothing_says_31151(x: float) -> float:
    return third(x)


@wrong
def warn_case_twice(x: float, n: int) -> float:
    match n:
        case 0 | 1:
            return x
        case 1:
            return 2 * x
        case 2 if x > 0:
            return 3 * x
        case 2:
            return 4 * x
    return 5 * x


@wrong
def warn_cases_twice(x: float, n: int) -> float:
    match n:
        case 0:
            return x
        case 1:
            return 2 * x
        case 1 | 0:
            return 3 * x
        case _:
            return 4 * x


def steeper(x: float, y: float) -> float:
    return max(x, y)


@custom_fwd_of(steeper)
def steeper_forward(x: Pair, y: Pair) -> Pair:
    return diff_pair(max(x.p, y.p), max(x.d, y.d))


@wrong
def rule_that_is_not_linear(x: float, y: float) -> float:
    return steeper(x, y)


def shifted(x: float) -> float:
    return x * x


@custom_fwd_of(shifted)
def shifted_forward(x: Pair) -> Pair:
    return diff_pair(x.p * x.p, 2 * x.p * x.d + 1.0)


@wrong
def rule_with_a_tangent_from_nothing(x: float) -> float:
    return shifted(x)
