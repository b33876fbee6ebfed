"""Derivations remembered on disk, so that a second process loads what the first has found.

What is remembered has a name made of everything that it follows from: the program as it was read
(with all functions that it calls, constants, structs, names and places), the rules in force, the
options, the sources of egad, the versions of what it computes with. So a change of any of them
finds nothing, and derives anew; there is nothing to invalidate. How files are kept, and why none
is trusted, stands in `terms/shelf.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from .rewrite import Report
from .terms.digest import Nameless, digest
from .terms.program import Program
from .terms.shelf import Shelf, is_on, sources

_STAGES = (".", "terms", "rules", "reader", "rewrite")
_LIBRARIES = ("numpy", "egglog", "highspy")
#: What files may name: values of these modules.
_MODULES = (
    "terms.",
    "rewrite.pipeline.report",
    "rewrite.derivation.orders",
    "rewrite.loops.storage",
)
_SHELF = Shelf("derived", _MODULES, files=1024, size=512 << 20)

#: A derivative, the cheapest program for it, and how they were found.
Found = tuple[Program, Program, Report]


def remembered(parts: tuple[Any, ...], work: Callable[[], Found], wanted: bool) -> Found:
    """What `work` gives; from disk, where it has been done before with the same `parts`."""
    path = _place(parts) if wanted and is_on() else None
    if path is None:
        return work()
    began = time.perf_counter()
    found = _loaded(path)
    if found is not None:
        found[2].loaded = time.perf_counter() - began
        return found
    found = work()
    _SHELF.write(path, found)
    return found


def _place(parts: tuple[Any, ...]) -> Path | None:
    """The file of a derivation; None where it has no name, or no safe place."""
    try:
        name = digest(*parts, _versions(), sources(_STAGES))
    except (Nameless, OSError):  # no sources: a zip file
        return None
    return _SHELF.place(name)


def _loaded(path: Path) -> Found | None:
    match _SHELF.read(path):
        case (Program() as derivative, Program() as program, Report() as report):
            return derivative, program, report
    return None


@lru_cache(maxsize=1)
def _versions() -> tuple[str, ...]:
    from importlib.metadata import version

    return tuple([f"{name} {version(name)}" for name in _LIBRARIES])
