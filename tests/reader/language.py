"""Functions that leave the language, one error each; the golden file beside holds the texts.

The cases with a number come from the diagnostics of the reference system.
"""

# ruff: noqa: F403, F405, F841

import math

import numpy as np

from egad import *

PAIR = (1.0, 2.0)


class Settings:
    epsilon = 1e-3


def helper(a, b):
    return a


def inner(v):
    return v.q


def unknown_name(x):
    total = x
    return totl + x


def unknown_word(x, lerpp=None):
    return larp(x, 1.0, 0.5)


def unknown_of_module(x):
    return math.sni(x)


def unknown_field(v: float3):
    return v.q


def field_in_called_function(v: float2):
    return inner(v * 2)


def field_of_number(x):
    return x.y


def field_of_object(x):
    return Settings.epsilom * x


def index_out_of_range(v: float3):
    return v[3]


def real_index(x, i: float):
    return PAIR[i]


def store_to_tuple(x):
    PAIR[0] = x
    return x


def store_to_global(x):
    LIGHT.x = x
    return x


LIGHT = float3(1.0)


def swizzle_twice(v: float3):
    v.xx = 3
    return v


def missing_return(x):
    if x > 0:
        return x


def returns_nothing(x):
    x + 1


def returns_differ(x):
    if x > 0:
        return x, 1
    return x


def maybe_unbound(x):
    if x > 0:
        y = 1.0
    return y


def two_types(x: float3):
    y = 1.0
    if x.x > 0:
        y = x
    return y


def used_before(x):
    y = z
    z = 1
    return y + z


def without_nonlocal(x):
    total = x

    def add():
        total += 1  # noqa: F823

    add()
    return total


def for_loop(x):
    for i in range(3):
        i = i + 1
        x += i
    return x


def while_loop(x):
    while x > 0:
        x -= 1
    return x


def comprehension(x):
    return {w: x * w for w in PAIR}


def raising_no_exception(x):
    if x < 0:
        raise x
    return x


def false_assertion(x):
    assert len(PAIR) == 3, "three are needed"
    return x


def raising(x):
    raise ValueError(f"no {x}")


def printing(x):
    print(x)
    return x


def matching(x):
    match x:
        case complex():
            return x
    return 0.0


def star_parameter(x, *rest):
    return x


def bit_operation(n: float):
    return n & 3


def complex_number(x):
    return max(1j * x, 2j)


def division_by_zero(x):
    return 1 / 0 + x


def string(x):
    return x + "1"


def tuple_arithmetic(x):
    return (x, 1) * x


def shapes(x: float2, y: float3):
    return x + y


def matrix_shapes(m: float2x2, v: float3):
    return m @ v


def matrix_times_vector(m: float2x2, v: float2):
    return m * v


def operator_arity(x):
    return lerp(x, 1.0)


def operator_keyword(x):
    return clamp(x, low=0, hi=1)


def constructor(x):
    return float3(x, x)


def call_arity(x):
    return helper(x)


def call_keyword(x):
    return helper(x, c=1)


def unpacking(x):
    a, b = x, x, x
    return a


def annotation(x: "flaot"):
    return x


def vector_for_number(v: float3):
    return narrow(v)


def narrow(x: float):
    return x


def result_annotation(x: float) -> float3:
    return x


def real_to_int(x: float) -> int:
    return x * 2


def no_diff_on_variable_38031(x):
    return no_diff(x)


def vector_condition_30055(c: bool3, a: float3, b: float3):
    return a if c else b


def recursion_55201(x, n: int):
    if n <= 0:
        return 0.0
    return x + recursion_55201(x * 0.5, n - 1)


def late_mark(x):
    return custom_fwd(helper)(narrow)(x)


def derivative_of_value(x):
    return fwd_diff(narrow(x))


def no_pair(x):
    return fwd_diff(helper)(x, x)


def pair_for_int(x, n: int):
    return fwd_diff(scaled)(x, diff_pair(n, 1.0))


def scaled(x: float, n: int):
    return x * n


def cotangents(x):
    return bwd_diff(helper)(x, x)


def pair_in_bwd(x):
    return bwd_diff(narrow)(diff_pair(x, 1.0), 1.0)


def rule_with_one_parameter(x):
    return x


@custom_fwd(rule_with_one_parameter)
def two_parameters(x, y):
    return x * y


def rule_arity(x):
    return two_parameters(x, x)


def rule_of_int(x: int):
    return x


@custom_fwd(rule_of_int)
def one_parameter(x: float):
    return x


def rule_parameter_31149(x):
    return one_parameter(x)


def rule_without_pair(x):
    return x.p


@custom_fwd(rule_without_pair)
def plain_rule(x):
    return x


def rule_result(x):
    return plain_rule(x)


def too_many_gradients(x, dout):
    return dout, dout


@custom_bwd(too_many_gradients)
def one_gradient(x):
    return x


def rule_gradients(x):
    return one_gradient(x)


def unknown_function(x):
    return np.random.rand() * x


def generator(x):
    yield x
    yield 2 * x


def inner_generator(x):
    def parts():
        y = yield x
        yield 2 * y

    return sum(parts())


def exception_handler(x):
    try:
        return {"a": x}["b"]
    except KeyError:
        return 0.0


def with_statement(x):
    with open("x") as f:
        return 1 / x


def global_statement(x):
    global LIMIT
    LIMIT = 2.0
    return x


def nonlocal_called_by_another(x):
    total = 0.0

    def add(y):
        nonlocal total
        total = total + y

    def twice(y):
        add(2.0 * y)

    twice(x)
    return total


def nonlocal_of_one_of_two_returns(x):
    def begun():
        n = x

        def add():
            nonlocal n
            n = n * x
            return n

        if x > 0.5:
            add()
            return add
        return add

    return begun()()


def nonlocal_that_is_read_meanwhile(x):
    def counter():
        n = x

        def add():
            nonlocal n
            n = n + twice()
            return n

        def twice():
            return n * 2

        return add

    return counter()()


def nonlocal_in_a_part_of_a_statement(x):
    total = 0.0

    def add(y):
        nonlocal total
        total = total + y
        return total

    return add(x) if x > 0 else total


def nonlocal_read_meanwhile(x):
    total = 0.0

    def seen():
        return total

    def add(y):
        nonlocal total
        total = seen() + y

    add(x)
    return total


def nonlocal_component(x):
    v = float2(x, 1.0)

    def turn():
        nonlocal v
        v.x = v.y

    turn()
    return v.x


def nonlocal_without_a_value(x):
    def add(y):
        nonlocal total
        total = total + y

    add(x)
    total = x
    return total


def inner_class(x):
    class Point:
        y = x

    return x * Point.y


def entry_missing(x):
    return {"gain": x}["gian"]


def key_of_run_time(x):
    return {1.0: x}[x]


def dictionaries_added(x):
    d = {"a": x}
    return (d + d)["a"]


def argument_given_twice(x):
    return helper(x, b=x, **{"b": 2.0})


def no_dictionary_of_arguments(x):
    return helper(x, **x)


def dictionary_returned(x):
    return x, {"a": x}


def other_keys_in_a_branch(x):
    d = {"a": x} if x > 0 else {"b": x}
    return d["a"]


def all_arguments_by_name(x, **rest):
    return x
