"""Arrays that a kernel is given, read where they are.

A program that reads an array at a place that only the kernel knows holds it in memory: it stores
element after element, and then reads. Nobody has to write what stands in an argument already.
Takes a program and its arguments, gives both with such arrays; knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...terms.loop import MEMORY, STORE, accesses
from ...terms.program import Program
from ...terms.term import CONST, Term, replaced, toposort, var
from ...terms.types import Memory, is_record
from .abi import Port
from .spell import CTYPES


@dataclass(frozen=True, slots=True)
class Given:
    """A program over the arrays that it is given, and what its terms were without them."""

    program: Program
    inputs: list[Port]
    before: Mapping[Term, Term]


def read_in_place(program: Program, inputs: Sequence[Port]) -> Given:
    """The program over the arrays themselves, and arguments that say which of them are read so.

    Of the components of such an argument only those are handed on that are used otherwise.
    """
    owners = {leaf: (port, k) for port in inputs for k, (leaf, _) in enumerate(port.pieces)}
    found = {t: _held(t, owners) for t in _last_writes(program.terms(), program.flat)}
    arrays = {t: var(port.symbol, t.type) for t, port in found.items() if port is not None}
    if not arrays:
        return Given(program, list(inputs), {})
    done = replaced(program.flat, arrays)
    made = {t: done.get(t, t) for t in (*program.flat, *program.notes)}
    after = program.with_terms(made)
    named, used = {array.attr: array for array in arrays.values()}, set(toposort(after.flat))
    ports = []
    for port in inputs:
        left = frozenset([k for k, (leaf, _) in enumerate(port.pieces) if leaf in used])
        whole = named.get(port.symbol)
        ports.append(port if whole is None else replace(port, array=whole, single=left))
    return Given(after, ports, {new: old for old, new in done.items() if new is not old})


def _last_writes(terms: Sequence[Term], roots: Iterable[Term]) -> list[Term]:
    """The versions of memories that are only read."""
    _, makers = accesses(terms)
    results = set(roots)
    return [t for t in terms if t.op == STORE and t not in makers and t not in results]


def _held(last: Term, owners: Mapping[Term, tuple[Port, int]]) -> Port | None:
    """The array of numbers of which a memory holds all elements, in their order."""
    assert isinstance(last.type, Memory)
    places: dict[int, Port] = {}
    version = last
    while version.op == STORE:
        version, index, value = version.args
        port, k = owners.get(value, (None, -1))
        if port is None or index.op != CONST or index.attr != k or k in places:
            return None
        places[k] = port
    if version.op != MEMORY or len(places) != last.type.size or len(places) < 2:
        return None
    found = places[0]
    is_whole = len(found.pieces) == len(places) and all(p is found for p in places.values())
    is_plain = not is_record(found.type) and found.stored == CTYPES[last.type.elem]
    return found if is_whole and is_plain else None
