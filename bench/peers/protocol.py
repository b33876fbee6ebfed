"""What a peer gives: the text of a workload's derivative in a form that all harnesses take.

The text reads the inputs `in_0`, `in_1`, … and assigns each of the outputs `out_0`, `out_1`, …
once; its real type is `T`, its truth values are `B`. Both are C: statements, and before them
functions of file scope. Whoever wraps it says what `T` and `B` are, and spells the functions
of mathematics (harness/wrap.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OPENCL, C = "OpenCL", "C"


@dataclass(frozen=True)
class Emitted:
    """The statements, the functions that they call, and the least seconds of two derivations."""

    body: str
    functions: str = ""
    seconds: float = 0.0
    language: str = OPENCL  # C: uses what OpenCL does not have
    note: str = ""


class Refused(Exception):
    """The peer does not do this workload; the text says why."""


def renamed(text: str, names: dict[str, str]) -> str:
    """The text with whole identifiers replaced, all at once.

    >>> renamed("x1 = x0 * x10;", {"x0": "x1", "x1": "y"})
    'y = x1 * x10;'
    """
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda match: names.get(match[0], match[0]), text)


def from_cpp(text: str) -> str:
    """C from the C++ of generators that write `std::` and a template's `Scalar`.

    >>> from_cpp("std::max<Scalar>(Scalar(1) / x, y)")
    'fmax(1.0 / x, y)'
    """
    text = re.sub(r"\bstd::(min|max)(<Scalar>)?\(", r"f\1(", text).replace("std::", "")
    cast = r"\b(?:static_cast<)?(?:Scalar|int64_t)>?\("
    text = re.sub(cast + r"(-?\d+\.?\d*(?:e[-+]?\d+)?)\)", _number, text)
    text = re.sub(cast, "(T)(", text)
    return renamed(text, {"Scalar": "T", "int64_t": "T", "bool": "B"})


def _number(match: re.Match[str]) -> str:
    text = repr(float(match[1]))
    return f"({text})" if text.startswith("-") else text


def inputs(count: int) -> list[str]:
    return [f"in_{k}" for k in range(count)]


def outputs(count: int) -> list[str]:
    return [f"out_{k}" for k in range(count)]
