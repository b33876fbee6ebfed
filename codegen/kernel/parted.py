"""Takes the statements of a function, gives its lines; those of a long one stand in parts of it.

A compiler takes more than proportionally longer for a longer function: Intel's 26 seconds for
20,000 statements, and 7 for functions of 1,000 to 2,000, which run as fast. The parts hand on
what they compute in arrays of the work-item.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.loop import LOOP
from ...terms.term import Term, toposort
from ...terms.types import Memory, Scalar
from ..schedule.parts import Part, Parts, in_parts
from ..schedule.schedule import Schedule
from .abi import Port, wrapped
from .memory import too_large
from .spell import CTYPES
from .writer import INDENT, Writer

LONG = 10_000  # statements of one function
_PART = 1_000
_ABOUT = (
    "// The work in {} functions, since compilers take very long for one; `kept` goes through all."
)
_ALONE = "static __attribute__((noinline)) void"


def body(
    writer: Writer, plan: Schedule, inputs: Sequence[Port], name: str
) -> tuple[list[str], list[str]]:
    """The functions that are parts of the function `name`, if it is long, and its own lines."""
    cut = _cut(writer, plan)
    if cut is None:
        return [], writer.statements(plan.statements)
    functions = [_ABOUT.format(len(cut.parts))]
    lines: list[str] = []
    arrays: dict[Scalar, str] = {}
    for memory in cut.kept:
        arrays[memory.elem], text = writer.arrays.declare("kept", memory)
        lines.append(INDENT + text)
    places = {t: writer.arrays.place(arrays[t.type], str(k)) for t, k in cut.places.items()}
    pointers = [f"{CTYPES[kind]} *{array}" for kind, array in arrays.items()]
    symbols = {leaf: symbol for port in inputs for leaf, symbol in port.pieces}
    for k, part in enumerate(cut.parts, 1):
        function = writer.names.fresh(f"{name}_{k}")
        numbers = [f"const {CTYPES[t.type]} {symbols[t]}" for t in part.inputs]
        functions += wrapped(f"{_ALONE} {function}(", [*numbers, *pointers], ")", INDENT)
        functions += ["{", *_lines(writer, part, places), "}", ""]
        given = [*(symbols[t] for t in part.inputs), *arrays.values()]
        lines += wrapped(f"{INDENT}{function}(", given, ");", INDENT * 2)
    writer.late = _loads(writer, cut.results, places)
    return functions, lines


def _cut(writer: Writer, plan: Schedule) -> Parts | None:
    """The parts of a long function, if it has no loops and they need not hand on too much."""
    if len(plan.statements) <= LONG:
        return None
    if any(t.op == LOOP or isinstance(t.type, Memory) for t in toposort(plan.roots)):
        return None
    cut = in_parts(writer.joined(plan.statements), plan.roots, plan.inline, plan.fused, _PART)
    return None if too_large(cut.kept) else cut


def _lines(writer: Writer, part: Part, places: dict[Term, str]) -> list[str]:
    """What is kept is loaded where it is first read, and stored as soon as it is computed."""
    writer.late = _loads(writer, part.reads, places)
    writer.stores = {term: [places[term]] for term in part.keeps}
    return writer.statements(part.statements)


def _loads(writer: Writer, terms: Sequence[Term], places: dict[Term, str]) -> dict[Term, str]:
    """Kept values, and the lines that load them, under the names that they had."""
    return {t: f"{INDENT}const {CTYPES[t.type]} {writer.named[t]} = {places[t]};" for t in terms}
