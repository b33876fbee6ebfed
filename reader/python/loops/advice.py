"""What is said about loops whose bound cannot be found, or is not what max_iters says.

Takes a loop that has been read, gives errors and warnings that name the variable at fault.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....terms.errors import Span, warn
from ....terms.loop import Open, State, trips_run
from ....terms.term import CONST, Term, const, is_const, toposort
from ....terms.types import Scalar
from ....terms.value import scalar
from ..operations.arithmetic import operate
from ..values.checking import forbid
from ..values.induction import Counted
from ..values.scope import Session
from ..values.varying import Varying
from .ending import both

_REMEDY = (
    "write max_iters(n) before it, where n is the most trips it can make, or use for i in range(…)"
)


def unbounded(
    node: ast.While, loop: Open, slim: Counted, stopped: Term | None, at: Span
) -> Varying:
    """The error for a loop of which nobody knows when it ends.

    `stopped` is the variable that is true where a `break` or a `return` has ended it.
    """
    message = "how often this loop runs has no bound that can be found"
    read = set(toposort([loop.go]))
    tested = [s for s in loop.states if s.var in read and s.var is not stopped]
    names = [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)]
    if not tested and stopped is not None:
        why = "it is left by break or return, and nothing says after how many trips"
        return Varying(f"{message}: {why}", at, _REMEDY)
    if not tested and names:
        changed = [s.name for s in loop.states if s.name.isidentifier()]
        others = ", ".join(repr(name) for name in changed)
        still = ", ".join(repr(name) for name in dict.fromkeys(names))
        wrong = (
            f"the loop tests {still}, which no trip changes; a trip changes {others or 'nothing'}"
        )
        warn(wrong, at, "change the variable that is tested")
        return Varying(f"{message}: {wrong}", at, f"change what is tested, or {_REMEDY}")
    for state in tested if stopped is None else ():
        if _leads_away(state, tested, slim):
            step = slim.steps[state.var][1].attr
            away = f"every trip changes {state.name!r} by {step}, which does not lead to its end"
            return Varying(f"{message}: {away}", at, f"turn the step around, or {_REMEDY}")
    if tested:
        tested.sort(key=lambda s: s.var in slim.steps)
        return Varying(f"{message}: {_unknown(tested[0], slim)}", at, _REMEDY)
    return Varying(message, at, _REMEDY)


def _leads_away(state: State, tested: Sequence[State], slim: Counted) -> bool:
    """Whether nothing but conditions is tested that hold for ever, one of them of a variable."""
    apart = [set(toposort([condition])) for condition in slim.away]
    own = slim.steps.get(state.var)
    alone = all(any(s.var in terms for terms in apart) for s in tested)
    return alone and own is not None and own[1].op == CONST and not is_const(own[1], 0)


def _unknown(state: State, slim: Counted) -> str:
    """Why it is not known how a variable gets where it ends the loop."""
    if state.var in slim.steps:
        return (
            f"every trip changes {state.name!r} by one amount, but when the condition fails does "
            "not follow from that"
        )
    if state.var.type is Scalar.I32:
        return f"{state.name!r} is not seen to change by the same amount in every trip"
    if state.var.type is Scalar.BOOL:
        return f"{state.name!r} is a truth value, and nothing says which trip changes it"
    return f"{state.name!r} is no integer, and only integers are counted"


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


def watch(
    session: Session, told: int, loop: Term, trips: Term | None, goes_on: Term, at: Span
) -> None:
    """Say so where the loop would go on after the trips that max_iters admits."""
    op, count = ("gt", trips) if trips is not None else ("ge", trips_run(loop))
    if count.op == CONST:
        if int(count.attr) < told + (op == "gt"):
            return
        beyond = const(True, Scalar.BOOL)
    else:
        beyond = operate(session, op, [scalar(count), told], at).term
    message = f"the loop has not ended after the {told} trips that max_iters admits"
    forbid(session, both(beyond, goes_on), message, at)
