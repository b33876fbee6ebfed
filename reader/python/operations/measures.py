"""Functions that have a case of their own: `round(x, n)`, `dist` on a line, the inverse of `[[s]]`.

Takes argument values, gives a value; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ....terms.errors import Span, TraceError, shown
from ..values.objects import is_tuple
from ..values.scope import Session
from ..values.values import is_number, lift, number
from .arithmetic import operate, stack_of

Handler = Callable[[Session, Sequence[Any], Span], Any]


def exactly(name: str, args: Sequence[Any], count: int, at: Span) -> Sequence[Any]:
    """The arguments. Raises TraceError where there are more or fewer."""
    if len(args) != count:
        few = f"{count} argument" + ("s" if count != 1 else "")
        raise TraceError(f"{name}() takes {few}, not {len(args)}", at)
    return args


def hypot(session: Session, args: Sequence[Any], at: Span) -> Any:
    """`hypot(x, y, …)`: of one number, its size."""
    if len(args) < 2:
        return operate(session, "abs", exactly("hypot", args, 1, at), at)
    return reduce(lambda a, b: operate(session, "hypot", [a, b], at), args)


def rounded(session: Session, args: Sequence[Any], at: Span) -> Any:
    """`round(x)` and `round(x, n)`: the tie between two decimals is that of `x * 10**n`."""
    value, digits = (*args, None)[:2] if len(args) in (1, 2) else exactly("round", args, 2, at)
    if digits is None:
        return operate(session, "round", [value], at)
    if not is_number(digits) or not isinstance(number(digits), int):
        hint = "scale it yourself: round(x * s) / s, where s is a power of 10"
        raise TraceError("the digits that round() keeps are known while reading", at, hint)
    digits = int(number(digits))
    if not any(t.type.is_real for t in lift(value, session.real, at).leaves):
        if digits >= 0:
            return value  # an integer has no digits behind the point
        s = 10**-digits
        hint = f"write round(n / {s}) * {s}"
        raise TraceError("round() of an integer to tens is not in the language", at, hint)
    if abs(digits) > 300:
        raise TraceError(f"round() to {shown(digits)} digits is beyond all numbers", at)
    scale = 10.0 ** abs(digits)
    ways = ("mul", "div") if digits > 0 else ("div", "mul")
    whole = operate(session, "round", [operate(session, ways[0], [value, scale], at)], at)
    return operate(session, ways[1], [whole, scale], at)


def distance(session: Session, args: Sequence[Any], at: Span) -> Any:
    """`dist(p, q)`: of points on a line, too."""
    a, b = exactly("dist", args, 2, at)
    if all(isinstance(v, tuple) and len(v) == 1 for v in (a, b)):
        return operate(session, "abs", [operate(session, "sub", [a[0], b[0]], at)], at)
    return operate(session, "distance", [a, b], at)


def is_large(session: Session, value: Any) -> bool:
    """Whether rows are no matrix of a kernel."""
    return is_tuple(value) and len(value) > 1 and stack_of(session, value) is value


def check_size(session: Session, name: str, value: Any, at: Span) -> None:
    """Raises TraceError for rows that are no matrix of a kernel."""
    if is_large(session, value):
        message = f"{name} is known of matrices of 2 to 4 rows, not of these {len(value)}"
        larger = {"inverse": "np.linalg.inv(m), np.linalg.solve(m, b)"}
        hint = f"larger ones are for {larger.get(name, 'np.linalg.det(m)')}"
        raise TraceError(message, at, hint)


def of_one(name: str) -> Handler:
    """A function of matrices, which are no type where they have one element: `[[s]]`."""

    def handler(session: Session, args: Sequence[Any], at: Span) -> Any:
        (value,) = exactly(name, args, 1, at)
        check_size(session, name, value, at)
        row = value[0] if isinstance(value, tuple) and len(value) == 1 else None
        if not isinstance(row, tuple) or len(row) != 1:
            return operate(session, name, [value], at)
        return row[0] if name == "determinant" else ((operate(session, "div", [1.0, *row], at),),)

    return handler
