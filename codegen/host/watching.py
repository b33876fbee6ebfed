"""Checks that a program asks for: loops that have ended, indices in range.

Takes the program as it was read and packed inputs, and raises where a check fails. It runs
with NumPy, and computes nothing but the checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...terms.errors import DeviceError
from ...terms.program import Program, Slot
from ...terms.rule import RuleSet
from ...terms.types import Scalar
from .reference import evaluate_packed


def checks_of(program: Program) -> Program | None:
    """The program of the checks: its result is the number of the one that fails, or 0."""
    if program.watch is None:
        return None
    slot = Slot("trouble", Scalar.I32, diff=False)
    roots = ((program.watch.term,),)
    return Program(program.name, program.params, (slot,), roots, watch=program.watch)


def watch(checks: Program, rules: RuleSet, inputs: Mapping[str, Any], n: int) -> None:
    """Raise DeviceError for the first element of the inputs at which a check fails.

    `checks` is what `checks_of` gave, without calls that ask for derivatives.
    """
    assert checks.watch is not None
    if not n:
        return
    trouble = evaluate_packed(checks, rules, inputs, n)["trouble"]
    failed = np.flatnonzero(trouble)
    if not len(failed):
        return
    element = int(failed[0])
    message, at = checks.watch.checks[int(trouble.reshape(-1)[element]) - 1]
    raise DeviceError(
        f"{message}, at {_values(checks, inputs, element)}",
        at,
        f"{len(failed)} of {n} elements fail" if n > 1 else "",
    )


def _values(program: Program, inputs: Mapping[str, Any], element: int) -> str:
    """`element 3 (x=2.5, n=4)`: the scalars among the parameters."""
    shown = []
    for slot in program.params:
        if isinstance(slot.type, Scalar):
            packed = inputs[slot.name]
            flat = np.asarray(packed.get() if hasattr(packed, "get") else packed).reshape(-1)
            shown.append(f"{slot.name}={flat[element if len(flat) > 1 else 0]:g}")
    where = f" ({', '.join(shown[:6])})" if shown else ""
    return f"element {element}{where}"
