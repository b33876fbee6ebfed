"""Takes the statements of many inputs and results, gives a kernel that computes them in place.

A kernel that calls the device function loads all inputs before it and stores all results after
it, and compilers leave it so: with more of them than a processor has registers, most are spilled.
Here each input is loaded where it is first used, and each result stored as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.loop import LOOP
from ...terms.rule import RuleSet
from ...terms.term import LEAVES, Term, toposort
from ...terms.types import Memory
from ..schedule.schedule import Schedule
from .abi import Port, around, loaded
from .memory import arrays
from .names import Names
from .spell import CTYPES, Spelling, unwrapped
from .writer import INDENT, Writer

REGISTERS = 32  # of a processor's vector unit
MOST = 3000  # statements: the text has them twice
_ABOUT = (
    "// The same statements: inputs are loaded late and results stored early, to spare registers."
)


def is_wide(plan: Schedule, ports: Sequence[Port]) -> bool:
    """Whether a kernel without loops has more inputs and results than there are registers."""
    if sum(len(port.pieces) for port in ports) <= REGISTERS or len(plan.statements) > MOST:
        return False
    return not any(t.op == LOOP or isinstance(t.type, Memory) for t in toposort(plan.roots))


def direct_kernel(
    name: str, rules: RuleSet, plan: Schedule, inputs: Sequence[Port], outputs: Sequence[Port]
) -> list[str]:
    """The kernel, with the statements of the device function in its body."""
    names = Names()
    for port in (*inputs, *outputs):
        names.fresh(port.symbol)
    index = names.fresh("i")
    named: dict[Term, str] = {}
    late: dict[Term, str] = {}
    for port in inputs:
        for k, (leaf, piece) in enumerate(port.pieces):
            local = named[leaf] = names.fresh(f"{piece}_value")
            late[leaf] = f"{INDENT}const {CTYPES[leaf.type]} {local} = {loaded(port, k, index)};"
    writer = Writer(Spelling(rules, plan.notes), plan, named, arrays(plan.roots, names))
    writer.late = late
    places = [port.element(k, index) for port in outputs for k in range(len(port.pieces))]
    last: list[tuple[Term, str]] = []  # results that no statement defines
    for root, place in zip(plan.roots, places, strict=True):
        if root.op in LEAVES or root in plan.inline:
            last.append((root, place))
        else:
            writer.stores.setdefault(root, []).append(place)
    lines = writer.statements(plan.statements)
    for root, place in last:
        text = f"{INDENT}{place} = {unwrapped(writer.operand(root))};"
        lines += [*writer.loads(), text]
    return [_ABOUT, *around(name, [*inputs, *outputs], index, lines)]
