"""The edges of a program. Takes names, types and values, gives slots; knows no source language."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..terms.errors import Span, TraceError, nearest
from ..terms.lowering import in_memory, lowered
from ..terms.program import Note, Program, Slot
from ..terms.term import Term
from ..terms.types import Type, is_differentiable
from ..terms.value import Value


def parameter_slots(
    typed: Sequence[tuple[str, Type]], wrt: Collection[str] | None, at: Span | None = None
) -> tuple[Slot, ...]:
    """Parameters; those that are real, and named by `wrt` where it is given, carry derivatives.

    Raises TraceError for a name of `wrt` that is no parameter, or that cannot be differentiated.
    """
    types = dict(typed)
    for name in wrt or ():
        if name not in types:
            known = f"parameters: {', '.join(types) or 'none'}{_meant(name, types)}"
            raise TraceError(f"wrt names {name!r}, which is not a parameter", at, known)
        if not is_differentiable(types[name]):
            raise TraceError(f"wrt names {name!r}, which has no derivative: it is not real", at)
    return tuple(
        Slot(name, type_, is_differentiable(type_) and (wrt is None or name in wrt))
        for name, type_ in typed
    )


def _meant(name: str, known: Collection[str]) -> str:
    """How to write what a name of `wrt` that is no parameter may stand for."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and all(part in known for part in parts):
        return f"; write wrt={parts}"
    owner = name.partition(".")[0]
    if owner != name and owner in known:
        return f"; name all of {owner!r}: a field without a derivative is annotated no_diff[…]"
    return nearest(name, known)


def program(
    name: str,
    params: tuple[Slot, ...],
    values: Sequence[Value],
    notes: Mapping[Term, Note],
    at: Span | None = None,
) -> Program:
    """The program of these results: `out`, or `out0`, `out1`, … when several."""
    names = ["out"] if len(values) == 1 else [f"out{i}" for i in range(len(values))]
    stored = tuple(replace(p, type=in_memory(p.type, f"argument {p.name!r}", at)) for p in params)
    kinds = [in_memory(v.type, f"the result of {name}", at) for v in values]
    results = tuple(Slot(n, k, is_differentiable(k)) for n, k in zip(names, kinds, strict=True))
    done = lowered([t for v in values for t in v.leaves])
    roots = tuple(tuple([done.get(t, t) for t in v.leaves]) for v in values)
    notes = {done.get(t, t): note for t, note in notes.items()}
    return Program(name, stored, results, roots, notes, at)


def python_names(names: Sequence[str]) -> list[str]:
    """Python identifiers for names of any form; distinct names stay distinct.

    >>> python_names(["x_{1}", "lambda", "x_1"])
    ['x_1_2', 'lambda_', 'x_1']
    """
    # A name that is fine already always keeps its spelling.
    taken = {n for n in names if _is_plain(n)}
    result = []
    for name in names:
        if not _is_plain(name):
            stem = re.sub(r"[\W_]+", "_", name).strip("_") or "v"
            stem = f"_{stem}" if stem[0].isdigit() else stem
            stem = f"{stem}_" if keyword.iskeyword(stem) else stem
            name, count = stem, 1
            while name in taken:
                count += 1
                name = f"{stem}_{count}"
            taken.add(name)
        result.append(name)
    return result


def _is_plain(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)
