"""Dictionaries, texts and plain numbers that only the kernel would know: one error each.

The golden file beside holds the texts.
"""

import collections
import functools
import random
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from egad import max_iters, struct

TABLE = {"gain": 1.0}


class Plain:
    def __init__(self, k):
        self.k = k


@struct
class Untyped:
    def __init__(self, k):
        self.k = k


class State(TypedDict):
    x: float


class Colour(StrEnum):
    RED = "red"


@dataclass
class Spring:
    k: float

    @functools.cached_property
    def period(self):
        return 1.0 / self.k


def missing_key_of_its_own(a: float):
    d = {"gain": a, "offset": 1.0}
    return d["gian"]


def key_of_one_arm(a: float):
    d = {"x": a}
    if a > 1.0:
        d["y"] = a
    return d["y"]


def key_of_the_kernel(a: float, n: int):
    d = {0: a, 1: 2.0}
    d[n] = a
    return d[0]


def new_keys_in_a_loop(a: float):
    max_iters(9)
    d = {"x": a}
    while d["x"] < 5.0:
        d["y"] = a
        d["x"] *= 2.0
    return d["y"]


def keys_of_one_of_two(a: float):
    d, e = {"x": a}, {"x": 1.0}
    best = d if a > 1.0 else e
    best["y"] = a
    return best["y"]


def dictionary_of_the_module(a: float):
    TABLE["gain"] = a
    return TABLE["gain"]


def unknown_method(a: float):
    d = {"x": a}
    return d.pop_item()


def more_keys_in_its_loop(a: float):
    d = {"x": a, "y": 1.0}
    for key in d:
        d[key + "2"] = a
    return d["x2"]


def order_of_dictionaries(a: float):
    return 1.0 if {"x": a} < {"x": 2.0} else a


def dictionary_as_result(a: float) -> dict[str, float]:
    return {"x": a}


def dictionary_as_parameter(s: dict):
    return s["x"]


def text_of_the_kernel(a: float):
    return {"1.0": a}[f"{a}"]


def text_of_a_wrong_form(a: float):
    return len(f"{2.0:d}") * a


def method_of_a_text(a: float):
    return len("x".center(a))


def unknown_method_of_a_text(a: float):
    return len("x".uper()) * a


def hexadecimal(a: float):
    return len(a.hex())


def bits_of_the_kernel(n: int):
    return 1.0 * n.bit_length()


def misspelt_attribute(a: float):
    return a.reel


def digits_of_the_kernel(a: float, n: int):
    return round(a, n)


def tens_of_an_integer(n: int):
    return 1.0 * round(n, -2)


def member_of_no_value(a: float):
    return a if Colour("blue") == "red" else 1.0


def kept_property(a: float):
    spring = Spring(a)
    period, spring.k = spring.period, 2.0
    return period * spring.period


def another_container(a: float):
    return collections.ChainMap({"a": a})["a"]


def default_entries(a: float):
    d = collections.defaultdict()
    d["x"] += a
    return d["x"]


def random_numbers(a: float):
    return a * random.random()


def plain_class(a: float):
    p = Plain(a)
    p.rest = a
    return p.rest


def field_without_a_type(a: float):
    return Untyped(a).k


def put_by_a_number_of_the_kernel(x: float, n: int) -> float:
    d = {0: x, 1: 2.0}
    d[n] = 3.0
    return d[0]


def key_of_each_trip(x: float, n: int) -> float:
    d, total = {0: x, 1: 2.0}, 0.0
    for i in range(n):
        d[i] = total
    return total


def entry_that_is_made_for_a_key_of_the_kernel(x: float, n: int) -> float:
    d = collections.defaultdict(float, {0: x, 1: 2.0})
    return d[n]


def missing_key_of_two_numbers(a: float):
    d = {(1, 0): a}
    return d[0, 1]


def order_of_a_condition(a: float, b: float):
    d, e = {"x": a, "y": b}, {"y": 0.5 * a, "x": b}
    f = d if a > b else e
    for key in f:
        e[key] = f["y"] * 0.5
    return e["x"]


def copy_in_the_order_of_a_condition(a: float, b: float):
    d, e = {"x": a, "y": b}, {"y": 0.5 * a, "x": b}
    f = dict(d if a > b else e)
    return f.get("x")


class Dot:
    def __init__(self, u):
        self.u = u


def the_next_of_objects_that_may_be_one(a: float, b: float):
    d, e = Dot(a), Dot(b)
    z, ds = {"x": d}, [d, e]
    for _ in range(3):
        e = z["x"]
        z["x"] = Dot(b)
    for _ in range(3):
        next((it for it in ds if it.u > 0.4), e).u += a
    return d.u + e.u
