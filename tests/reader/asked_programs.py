"""Objects that Python's functions ask: `divmod`, `round`, `floor`; namespaces; unions of types."""

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Union

import numpy as np

SETTINGS = SimpleNamespace(k=2.0, table=[1.0, 3.0], inner=SimpleNamespace(n=3))


@dataclass
class Span:
    """A length in feet and inches."""

    feet: float
    inches: float = 0.0

    def __add__(self, other: "Span | float") -> "Span":
        if isinstance(other, Span):
            return Span(self.feet + other.feet, self.inches + other.inches)
        return Span(self.feet + other, self.inches)

    def __mul__(self, k: Union["Span", float, None]) -> "Span | float":
        if k is None:
            return self
        return self.feet * k.feet if isinstance(k, Span) else Span(self.feet * k, self.inches * k)

    def __divmod__(self, k: float) -> "tuple[Span, Span]":
        n = self.feet // k
        return Span(n), Span(self.feet - n * k, self.inches)

    def __rdivmod__(self, k: float) -> "tuple[float, float]":
        return k // self.feet, k - self.feet

    def __round__(self, ndigits=None) -> "Span":
        if ndigits is None:
            return Span(float(round(self.feet)))
        return Span(round(self.feet, ndigits), self.inches)

    def __floor__(self) -> "Span":
        return Span(float(math.floor(self.feet)), 1.0)

    def __trunc__(self) -> float:
        return self.feet * 2.0


def divided(x: float, y: float) -> float:
    whole, rest = divmod(Span(3.0 * x, y), 0.7)
    n, other = divmod(5.0, Span(y))
    return whole.feet * x + rest.feet * y + rest.inches + n * y + other


def rounded(x: float, y: float) -> float:
    a = Span(4.0 * x, y)
    parts = [round(a), round(a, 1), round(a, ndigits=1), math.floor(a)]
    return sum(p.feet * y + p.inches for p in parts) + math.trunc(a)


def of_one_class_or_another(x: float, y: float) -> float:
    a = (Span(x, y) + y) + Span(y, x)
    b = a * 2.0
    return b.feet * (b * Span(y)) + (a * None).inches


def scaled(k: "float | list[float] | np.ndarray | Span", x: float) -> "float | np.ndarray":
    if isinstance(k, Span):
        return k.feet * x
    if isinstance(k, (list, np.ndarray)):
        return k[0] * x
    return k * x


def anything(x: float, y: float) -> float:
    more = np.array([x * y, 2.0])
    return scaled(y, x) + scaled([y], x) * scaled(Span(x), y) - scaled(more, y)


def named(x: float, y: float) -> float:
    state = SimpleNamespace(a=x, b=[y, x], **{"c": 2.0})
    for i in range(SETTINGS.inner.n):
        state.a += SETTINGS.k * y + SETTINGS.table[1] * i
    if state.a > 3.0 * y:
        state.c = x
    same = state
    same.b[0] = y * y
    return state.a * state.b[0] + state.c + isinstance(state, SimpleNamespace) + hasattr(same, "d")


def named_one_way_or_another(x: float, y: float) -> float:
    state = SimpleNamespace(a=x, b=y) if x > y else SimpleNamespace(a=y, b=x * x)
    equal = state == SimpleNamespace(a=state.a, b=state.b)
    return state.a - 2.0 * state.b + (x if equal else 0.0)


def _kind_of(v: "float | np.ndarray | list[float]") -> float:
    if isinstance(v, list):
        return 1.0
    if isinstance(v, np.ndarray):
        return 2.0
    return 3.0 if isinstance(v, numbers.Real) else 4.0


def kinds(x: float, y: float) -> float:
    a = np.array([x, y])
    total = 0.0
    for k, v in enumerate([a, [x, y], (x, y), x, 2, {"a": x}, True]):
        held = [isinstance(v, c) for c in (Iterable, Sequence, numbers.Integral, (int, Mapping))]
        total += _kind_of(v) * x**k + sum(held) * y * k
    return total + isinstance(a[:1], np.ndarray) + isinstance(a * 2, (list, tuple)) * 10.0
