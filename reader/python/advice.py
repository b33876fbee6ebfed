"""What is said about loops whose bound cannot be found, or is not what max_iters says.

Takes a loop that has been read, gives errors and warnings that name the variable at fault.
"""

from __future__ import annotations

import ast

from ...terms.errors import Span, TraceError, warn
from ...terms.loop import Open
from ...terms.term import CONST
from .induction import Counted

_REMEDY = (
    "write max_iters(n) before it, where n is the most trips it can make, or use for i in range(…)"
)


def unbounded(node: ast.While, loop: Open, slim: Counted, at: Span) -> TraceError:
    """The error for a loop of which nobody knows when it ends."""
    message = "how often this loop runs has no bound that can be found"
    steps = {loop.states[j].name: step for j, (_, step) in slim.induced.items()}
    changed = [s.name for s in loop.states]
    tested = [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)]
    moving = [name for name in tested if name in changed]
    if tested and not moving:
        others = ", ".join(repr(name) for name in changed if name.isidentifier())
        still = ", ".join(repr(name) for name in dict.fromkeys(tested))
        wrong = (
            f"the loop tests {still}, which no trip changes; a trip changes {others or 'nothing'}"
        )
        warn(wrong, at, "change the variable that is tested")
        return TraceError(f"{message}: {wrong}", at, f"change what is tested, or {_REMEDY}")
    for name in moving:
        step = steps.get(name)
        if step is not None and step.op == CONST:
            away = f"every trip changes {name!r} by {step.attr}, which does not lead to its end"
            return TraceError(f"{message}: {away}", at, f"turn the step around, or {_REMEDY}")
    if moving:
        uneven = f"{moving[0]!r} is not changed by the same amount in every trip"
        return TraceError(f"{message}: {uneven}", at, _REMEDY)
    return TraceError(message, at, _REMEDY)


def check_told(node: ast.For | ast.While, told: int | None, trips: int, at: Span) -> None:
    """Warn where max_iters admits more trips than a range of plain numbers makes."""
    args = node.iter.args if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) else ()
    plain = bool(args) and all(isinstance(n, ast.Constant | ast.UnaryOp) for n in args)
    if plain and told is not None and trips < told:
        warn(
            f"max_iters({told}) admits more trips than the {max(trips, 0)} that the loop makes",
            at,
            "leave max_iters away",
        )
