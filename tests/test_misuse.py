"""Misuse of `derive`, of what it gives, of marks and of rules, as strangers write it.

The golden file holds the texts: where it is, what is wrong, what to write.
"""

import functools
import math
import pickle
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pytest
from test_bad_input import text_of

import egad
from egad import (
    Array,
    custom_bwd,
    custom_bwd_of,
    derive,
    diff_pair,
    float3,
    force_unroll,
    fwd_diff,
    max_iters,
    struct,
)


@struct
class Body:
    mass: float
    at: float3

    @property
    def energy(self) -> float:
        return self.mass


class Shape(Protocol):
    def sdf(self, p: float) -> float: ...


@struct
class Ball:
    r: float

    def sdf(self, p: float) -> float:
        return abs(p) - self.r


def square(x: float) -> float:
    return x * x


def two(x: float, y: float) -> tuple[float, float]:
    return x * y, x + y


def heavy(body: Body) -> float:
    return body.mass * body.at.x


def first(xs: list[float]) -> float:
    return xs[0]


def miss(s: Shape, p: float) -> float:
    return s.sdf(p) ** 2


def of_keys(d: dict[str, float]) -> float:
    return d["a"]


def texts_default(x: float, k: float = "a") -> float:
    return x * k


def bound_of_nothing(x: float) -> float:
    for _ in range(3):
        x = x * x
    max_iters(3)
    return x


def a_million(x: float) -> float:
    for _ in force_unroll(range(10**6)):
        x = x * x
    return x


@custom_bwd
def bare(x: float) -> float:
    return x * x


def of_bare(x: float) -> float:
    return bare(x)


def values(*xs: float) -> float:
    return sum(xs)


def beyond(xs: Array[float, 3]) -> float:
    return xs[5]


def beyond_all(xs: list[float]) -> float:
    return xs[5]


async def waits(x: float) -> float:
    return x


class Nothing:
    pass


@dataclass
class Loose:
    x: float
    y: object


def of_anything(s: Loose) -> float:
    return s.x


WRONG = {
    "a class": lambda: derive(Body),
    "a class of Python": lambda: derive(float),
    "a module": lambda: derive(math),
    "a property": lambda: derive(Body.energy),
    "a classmethod object": lambda: derive(classmethod(square)),
    "a list of functions": lambda: derive([square, two]),
    "a dictionary of functions": lambda: derive({"f": square}),
    "a coroutine": lambda: derive(waits),
    "a partial of too much": lambda: derive(functools.partial(two, 1.0, 2.0, 3.0)),
    "a partial of no parameter": lambda: derive(functools.partial(two, z=1.0)),
    "a function of NumPy around one": lambda: derive(np.vectorize(square)),
    "any number of parameters": lambda: derive(values),
    "a function that is compiled": lambda: derive(len),
    "a function as mode": lambda: derive(two, mode=square),
    "several modes": lambda: derive(two, mode=("fwd", "bwd")),
    "a type as dtype": lambda: derive(two, dtype=np.int32),
    "a number as effort": lambda: derive(two, optimize=3),
    "mathematics as a flag": lambda: derive(two, math=True),
    "wrt of nothing": lambda: derive(two, wrt=[]),
    "wrt as on the command line": lambda: derive(two, wrt="x,y"),
    "wrt of a field": lambda: derive(heavy, wrt="body.mass"),
    "wrt by place": lambda: derive(two, wrt=0),
    "wrt of an unknown list": lambda: derive(first, wrt="ys"),
    "the type of no parameter": lambda: derive(first, types={"ys": Array[float, 3]}),
    "a value as type": lambda: derive(first, types={"xs": 3}),
    "types as a list": lambda: derive(first, types=["xs"]),
    "a protocol as text": lambda: derive(miss, implementations={"Shape": [Ball]}),
    "implementations of what is nowhere": lambda: derive(square, implementations={Shape: [Ball]}),
    "no rules": lambda: derive(two, rules=None),
    "a function as rules": lambda: derive(two, rules=[square]),
    "a module without rules": lambda: derive(two, rules=[math]),
    "a set that is not shipped": lambda: derive(two, rules="slan"),
    "the text of rules": lambda: derive(two, rules=["def f(x) -> y:\n    y = x\n"]),
    "costs as a dictionary": lambda: derive(two, costs={"add": 1}),
    "a table that is not shipped": lambda: derive(two, costs="intel-cup"),
    "a group that is not there": lambda: derive(two, groups={"algbra": False}),
    "a group switched by a word": lambda: derive(two, groups={"algebra": "off"}),
    "a flag as a number": lambda: derive(two, check=1),
    "an option in capitals": lambda: derive(two, Mode="fwd"),
    "a family derived again": lambda: derive(derive(first)),
    "a default that does not fit": lambda: derive(texts_default),
    "a bound of no loop": lambda: derive(bound_of_nothing),
    "a million trips": lambda: derive(a_million),
    "a decorator without its rule": lambda: derive(of_bare),
    "a decorated function without its rule": lambda: derive(bare),
    "backwards without a cotangent": lambda: derive(square)(2.0),
    "forwards with a tangent behind": lambda: derive(square, "fwd")(2.0, 1.0),
    "a method of what is derived": lambda: derive(derive(square).reference),
    "a result derived": lambda: derive(derive(square)(2.0, 1.0)),
    "an index that is not there": lambda: derive(beyond),
    "an index of an argument": lambda: derive(beyond_all)([1.0], 1.0),
    "a Hessian with a cotangent": lambda: derive(square, "hessian")(2.0, 1.0),
    "one tuple of cotangents": lambda: derive(two)(1.0, 2.0, (1.0, 1.0)),
    "a pair of shapes": lambda: derive(square, "fwd")(diff_pair(np.ones(3), np.ones(4))),
    "a dictionary without a field": lambda: derive(heavy)({"mass": 1.0}, 1.0),
    "a structured array without a field": lambda: derive(heavy)(np.zeros(2, [("mass", "f4")]), 1.0),
    "a class for a struct": lambda: derive(heavy)(Body, 1.0),
    "a class for a protocol": lambda: derive(miss)(Ball, 1.0, 1.0),
    "a list for a protocol": lambda: derive(miss)([Ball(1.0), Ball(2.0)], 1.0, 1.0),
    "a field that may be anything": lambda: derive(of_anything)(Loose(1.0, None), 1.0),
    "an empty dictionary": lambda: derive(of_keys)({}, 1.0),
    "a number for a list": lambda: derive(first)(1.0, 1.0),
    "a masked array": lambda: derive(square)(np.ma.array([1.0, 2.0], mask=[0, 1]), 1.0),
    "text for a number": lambda: derive(square)("3", 1.0),
    "uniform of no parameter": lambda: derive(square).kernel(uniform=["y"]),
    "uniform by place": lambda: derive(square).kernel(uniform=3),
    "a folder that is not there": lambda: derive(square).export("absent/square.cl"),
    "a page in no folder": lambda: derive(square).explain(html="absent/square.html"),
    "a file without a name": lambda: derive(square).export(""),
    "an order that is none": lambda: derive(square).export("square.cl", order="bredth"),
    "sparsity of a gradient": lambda: derive(square).sparsity,
    "a struct that is a function": lambda: struct(square),
    "a rule that is an object": lambda: custom_bwd(Nothing()),
    "a rule of an object": lambda: custom_bwd_of(Nothing())(lambda x, d: d),
    "storage of what has no body": lambda: egad.prefer_checkpoint(math.sin),
    "storage of a number": lambda: egad.prefer_recompute(3),
    "a derivative of a number": lambda: egad.non_differentiable(3),
    "no self in a number": lambda: egad.no_diff_this(3),
    "a derivative outside": lambda: fwd_diff(square)(diff_pair(1.0, 1.0)),
    "nothing to trace": lambda: egad.traced(3),
    "rules of a number": lambda: egad.rules.loads(3),
    "rules of bytes": lambda: egad.rules.loads(b"def f(x) -> y: y = x"),
    "the rule of a number": lambda: egad.explain_rule(3),
    "a rule that is not shipped": lambda: egad.explain_rule("sni"),
}


def said(name, folder):
    with pytest.raises(egad.EgadError) as caught:
        WRONG[name]()
    return text_of(caught.value, folder)


def test_texts(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    golden("misuse.txt", "\n".join(f"{name}\n{said(name, tmp_path)}" for name in WRONG))


def test_errors_are_of_the_family_that_users_know(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = {n for n in egad.__all__ if n.endswith("Error")}
    assert {said(name, tmp_path).partition(":")[0] for name in WRONG} <= known


def test_no_text_has_an_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not [name for name in WRONG if " at 0x" in said(name, tmp_path)]


def test_words_take_their_arguments_by_name():
    assert egad.lerp(a=1.0, t=0.25, b=3.0) == egad.lerp(1.0, 3.0, 0.25)
    with pytest.raises(TypeError, match=r"lerp\(\) got an unexpected keyword argument 'tt'"):
        egad.lerp(1.0, 3.0, 0.5, tt=0.25)

    def blend(x: float) -> float:
        return egad.lerp(x, 2.0, t=0.25)

    assert derive(blend, "primal", dtype="float64").reference(1.0) == blend(1.0)


def test_a_queue_is_no_part_of_a_file():
    cl = pytest.importorskip("pyopencl")
    if not egad.devices():
        pytest.skip("no device")
    context = cl.create_some_context(interactive=False)
    derived = derive(square, device=cl.CommandQueue(context))
    with pytest.raises(egad.DeviceError, match=r"cannot be pickled\n  name the device"):
        pickle.dumps(derived)
    with pytest.raises(egad.DeviceError, match="device=a Context does not name a device"):
        derive(square, device=context)(1.0, 1.0)
