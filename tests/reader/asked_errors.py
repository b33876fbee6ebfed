"""What objects do not say, and namespaces do not have: one error each.

The golden file beside holds the texts.
"""

import math
from dataclasses import dataclass
from types import SimpleNamespace


@dataclass
class Span:
    feet: float


def nothing_says_how_to_divide(x: float) -> float:
    whole, _ = divmod(Span(x), 2.0)
    return whole.feet


def nothing_says_how_to_round(x: float) -> float:
    return round(Span(x), 2).feet


def nothing_says_what_is_below(x: float) -> float:
    return math.floor(Span(x))


def a_namespace_has_the_names_that_it_began_with(x: float) -> float:
    state = SimpleNamespace(speed=x)
    state.place = x
    return state.place


def a_namespace_takes_names(x: float) -> float:
    return SimpleNamespace({"speed": x}).speed


def a_kernel_takes_no_union(k: "Span | float", x: float) -> float:
    return x
