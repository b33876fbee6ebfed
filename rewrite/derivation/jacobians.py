"""Jacobians: by rows, by columns, or by elimination of vertices.

All give the same sums of products of partials, in other brackets; which is cheapest depends on the
program. Takes a program, results and variables, gives the rows of the Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...terms.loop import LOOP, is_unlimited, zero
from ...terms.program import Program
from ...terms.term import Term, const
from .elimination import can_eliminate, eliminated
from .forward import pushforward
from .local import Setting
from .orders import Order
from .reverse import pullback

_FEW = 2  # times as many sweeps as in the other order

#: Entries of a Jacobian, row by row.
Rows = list[list[Term]]


def orders(
    program: Program, roots: Sequence[Term], wrt: Sequence[Term], setting: Setting
) -> tuple[Order, ...]:
    """The orders that a Jacobian can be accumulated in, that with the fewest sweeps first.

    One where others would be the same: a gradient is cheapest in reverse, a tangent in forward
    order. Loops, memories and calls with rules of their own are differentiated in sweeps; forward
    ones store nothing, so they are compared where they are not many more, and stand in where
    nobody knows how much a reverse one would have to store.
    """
    loops = [t.attr for t in program.terms() if t.op == LOOP]
    fewest, most = sorted((len(roots), len(wrt)))
    usual = [Order.REVERSE, Order.FORWARD]
    if len(roots) > len(wrt) or (loops and fewest == most > 1):
        usual.reverse()
    if fewest > 1 and can_eliminate(program, setting, wrt):
        return (*usual, Order.MIXED)
    if any(map(is_unlimited, loops)) or (loops and fewest > 1 and most <= _FEW * fewest):
        return tuple(usual)
    return tuple(usual[:1])


def accumulated(
    order: Order, program: Program, roots: Sequence[Term], wrt: Sequence[Term], setting: Setting
) -> Rows | None:
    """The Jacobian of `roots` by `wrt`; None where this order takes far too many products."""
    rows = _ACCUMULATE[order](program, roots, wrt, setting)
    if rows is None:
        return None
    return [
        [zero(root.type) if entry is None else entry for entry in row]
        for root, row in zip(roots, rows, strict=True)
    ]


_Sparse = list[list[Term | None]]


def _by_rows(
    program: Program, roots: Sequence[Term], wrt: Sequence[Term], setting: Setting
) -> _Sparse:
    seeds = [[(root, const(1.0, root.type))] for root in roots]
    return [pullback(program, seed, wrt, setting) for seed in seeds]


def _by_columns(
    program: Program, roots: Sequence[Term], wrt: Sequence[Term], setting: Setting
) -> _Sparse:
    index: dict[Term, int] = {}
    for i, term in enumerate(program.flat):
        index.setdefault(term, i)
    columns = []
    for leaf in wrt:
        _, tangents = pushforward(program, {leaf: const(1.0, leaf.type)}, setting)
        columns.append([tangents[index[root]] for root in roots])
    return [list(row) for row in zip(*columns, strict=True)]


_ACCUMULATE: dict[
    Order,
    Callable[[Program, Sequence[Term], Sequence[Term], Setting], _Sparse | None],
] = {
    Order.REVERSE: _by_rows,
    Order.FORWARD: _by_columns,
    Order.MIXED: eliminated,
}
