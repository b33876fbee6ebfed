"""The shapes of derivative lines, as far as they are known when a file is read.

Takes what a line is, and what it is about; gives what is wrong with it. Knows nothing of syntax
or files. For vectors of any size, `egad check` tries more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.rule import Parameter
from ...terms.types import Scalar
from .calls import Shape, Typed, fits, shape_of_kind
from .derivatives import is_zero


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a derivative line: with its name, or with its expression."""

    message: str
    hint: str = ""
    of_name: bool = False


def misshapen(
    name: str, found: Typed, like: Parameter, params: Sequence[Parameter], result: Parameter
) -> Fault | None:
    """What is wrong with a line that has to be `like` a parameter, or like the result."""
    if found.term.type is Scalar.BOOL:
        hint = "write `1 if condition else 0`"
        return Fault("a derivative is a number, not a condition", hint)
    shape, wanted = found.shape, shape_of_kind(like.kind)
    if is_zero(found.term):
        return None  # of any shape
    if all(p.is_scalar for p in (*params, result)):
        return Fault("the derivative of a scalar operator is a number") if shape != () else None
    if name == f"d{result.name}_d{like.name}" and not result.is_scalar:
        what = shape_text(shape_of_kind(result.kind))
        message = f"{result.name} is {what}: a partial of it is ambiguous"
        ways = (
            f"{like.name}_bar = … over {result.name}_bar, or d{result.name} = … over d{like.name}"
        )
        return Fault(message, f"write {ways}", of_name=True)
    if fits(wanted, shape):
        return None
    message = f"{name} is {shape_text(shape)}, but has to be {shape_text(wanted)}"
    whose = "the result" if like is result else like.name
    return Fault(message, f"write it in the shape of {whose}, or 0")


def shape_text(shape: Shape) -> str:
    """How an error calls what has these axes: `a vector of 3`.

    >>> shape_text((0,)), shape_text((2, 2))
    ('a vector', 'a matrix of 2 by 2')
    """
    if shape is None:
        return "a tuple"
    kind = ("a number", "a vector", "a matrix")[len(shape)]
    return f"{kind} of {' by '.join(map(str, shape))}" if all(shape) and shape else kind
