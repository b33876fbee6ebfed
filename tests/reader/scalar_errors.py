"""Functions over integers, members and cases that leave the language, one error each.

The golden file beside holds the texts.
"""

# ruff: noqa: F403, F405

import enum
from collections.abc import Callable

from egad import *


class Colour(enum.Enum):
    RED = 0
    GREEN = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Shape(enum.Enum):
    ROUND = 1
    SQUARE = 2


class Unit(enum.Enum):
    METRE = "m"


def shaded(c: Colour, x):
    return x if c is Colour.RED else 2 * x


def described(x, name: str):
    return x


def odd_steps(x):
    return even_steps(x) + 1


def even_steps(x):
    return odd_steps(x) * 2


def class_pattern(x):
    match x:
        case complex():
            return x
    return 0.0


def sequence_pattern_of_vector(v: float2):
    match v:
        case (x, y):
            return x + y
    return 0.0


def value_pattern_of_vector(v: float2):
    match v:
        case 1:
            return 2.0
    return 0.0


def truth_pattern_of_number(n: int):
    match n:
        case True:
            return 1.0
    return 0.0


def captures_differ(x, v: float2):
    match (x, v):
        case (1.0, n) | (n, _):
            return n
    return 0.0


def bound_in_one_case(n: int):
    match n:
        case 0:
            y = 1.0
        case 1:
            y = 2.0
    return y


def type_changes_by_case(n: int, v: float2):
    match n:
        case 0:
            y = 1.0
        case _:
            y = v
    return y


def returns_in_some_cases(n: int, x):
    match n:
        case 0:
            return x
        case 1:
            return 2 * x


def member_is_no_number_of_it(x):
    return shaded(7, x)


def member_of_another(x):
    return shaded(Level.LOW, x)


def member_of_real(x):
    return shaded(x, x)


def member_name(c: Colour, x):
    return x if c.name == "RED" else 0.0


def member_that_is_text(unit: Unit, x):
    return x


def identity_of_numbers(n: int, x):
    return x if n is x else 0.0


def mask_beyond_32_bits(n: int):
    return n & 0x1FFFFFFFF


def division_by_more_than_32_bits(n: int):
    return n // 10**12


def bits_moved_beyond_all(n: int):
    return n << 2**40


def sum_beyond_32_bits(x, n: int):
    t = 2147483647
    return x * (n + t * t)


def loop_that_begins_beyond_32_bits(x, n: int):
    best = 10**12
    for i in range(n):
        best = min(best, i)
    return x * best


def step_beyond_32_bits(x, n: int):
    for _ in range(0, n, 10**12):
        x = x + x
    return x


def member_times_a_number(x):
    return Shape.ROUND * x


def member_of_run_time_times_a_number(shape: Shape, x):
    return x * shape


def member_that_is_negated(x):
    return -Shape.ROUND * x


def member_in_an_order(shape: Shape, x):
    return x if shape < 2 else 0.0


def slice_to_a_number_of_run_time(x, n: int):
    v = [x, 2.0 * x, 3.0 * x]
    return sum(v[:n])


def slice_of_run_time_that_is_set(x, n: int):
    v = [x, 2.0 * x, 3.0 * x]
    v[n : n + 2] = [0.0, 0.0]
    return v[0]


def slice_by_a_member(x):
    return sum([x, x][Shape.ROUND :])


def slice_without_a_step(x):
    return sum([x, x][::0])


def range_without_a_step(x, n: int):
    for _ in range(0, n, 0):
        x = x + x
    return x


def not_of_real(x):
    return ~x


def integer_beyond_all_types(x):
    return x * 10**400


def component_beyond_all_types(x):
    return float2(x, 10**400)


def text_parameter(x, name: str):
    return x


def function_parameter(g: Callable[[float], float], x):
    return g(x)


def number_for_a_text(x):
    return described(x, x)


def or_of_different(x, v: float2):
    return (x or v).x


def mutual_recursion(x):
    return odd_steps(x)


def recursion_by_derivative(x):
    return fwd_diff(recursion_by_derivative)(diff_pair(x, 1.0)).d


async def coroutine(x):
    return x


HUGE = 10**5000  # more digits than Python writes


def huge_index(x):
    return [x, 1.0][HUGE]


def huge_number_of_digits(x):
    return round(x, HUGE)


def huge_repetition(x):
    return (1.0,) * HUGE + (x,)


def power_beyond_all_numbers(x):
    return x * 10**5000


def pop_at_a_huge_index(x):
    return [x, 1.0].pop(HUGE)


def text_of_other_digits(x: float) -> float:
    return x * int("fg", 16)


def base_that_varies(x: float, n: int) -> float:
    return x * int("11", n)


def random_numbers_of_300_trips(x: float) -> float:
    seed, total = 1, 0.0
    for _ in range(300):
        seed = (1664525 * seed + 1013904223) & 0xFFFFFFFF
        total += x * (seed + 1) / 4294967297
    return total


def number_in_a_text(x: float) -> float:
    return x if 1 in "123" else -x
