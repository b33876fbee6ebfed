"""Derivations remembered on disk, so that a second process loads what the first has found.

What is remembered has a name made of everything that it follows from: the program as it was read
(with all functions that it calls, constants, structs, names and places), the rules in force, the
options, the sources of egad, the versions of what it computes with. So a change of any of them
finds nothing, and derives anew; there is nothing to invalidate.

Files are the user's own: a folder that others may write to is not used, a damaged file is not
read, and reading makes nothing but programs and reports, whatever a file says.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from .codegen.devices import store
from .rewrite import Report
from .terms.digest import Nameless, digest
from .terms.program import Program

VARIABLE = "EGAD_CACHE"
_OFF = ("0", "off", "no", "false")
_KEPT, _KEPT_BYTES, _LARGEST = 1024, 512 << 20, 64 << 20
_STAGES = (".", "terms", "rules", "reader", "rewrite")
_LIBRARIES = ("numpy", "egglog", "highspy")
#: What files may name: values of these modules, and the two functions that put them together.
_MODULES = (
    "terms.",
    "rewrite.pipeline.report",
    "rewrite.derivation.orders",
    "rewrite.loops.storage",
)
_MAKERS = ("terms.term._from_table", "terms.program._program")

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
    data = pickle.dumps((path.name, *found), protocol=4)
    if len(data) <= _LARGEST and store.write_sealed(path, data):
        store.prune(path.parent, _KEPT, _KEPT_BYTES)
    return found


def is_on() -> bool:
    """Whether derivations are remembered: unless `EGAD_CACHE` says `off`."""
    return os.environ.get(VARIABLE, "").strip().casefold() not in _OFF


def _place(parts: tuple[Any, ...]) -> Path | None:
    """The file of a derivation; None where it has no name, or no safe place."""
    try:
        name = digest(*parts, _versions(), _sources())
        folder = store.root() / "derived"
    except (Nameless, OSError, RuntimeError):  # no sources (a zip file), no home directory
        return None
    return folder / f"{name[:40]}.egad" if store.is_private(folder) else None


def _loaded(path: Path) -> Found | None:
    data = store.read_sealed(path)
    if data is None:
        return None
    try:
        name, derivative, program, report = _Reader(io.BytesIO(data)).load()
    except Exception:  # whatever is wrong with a file, there is another way
        return None
    kinds = isinstance(derivative, Program) and isinstance(program, Program)
    whole = kinds and isinstance(report, Report) and name == path.name
    return (derivative, program, report) if whole else None


class _Reader(pickle.Unpickler):
    """Reads programs and reports, and refuses everything else."""

    def find_class(self, module: str, name: str) -> Any:
        """A class of egad's own values."""
        inside = module.removeprefix(f"{__package__}.")
        whole = f"{inside}.{name}"
        if inside != module and (whole in _MAKERS or inside.startswith(_MODULES)):
            found = getattr(sys.modules.get(module) or __import__(module, fromlist=[name]), name)
            if whole in _MAKERS or (isinstance(found, type) and found.__module__ == module):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is nothing that egad remembers")


@lru_cache(maxsize=1)
def _versions() -> tuple[str, ...]:
    from importlib.metadata import version

    return (sys.version, *(f"{name} {version(name)}" for name in _LIBRARIES))


@lru_cache(maxsize=1)
def _sources() -> str:
    """The digest of all files that decide what a derivation gives. Raises OSError."""
    root = Path(__file__).parent
    whole = hashlib.sha256()
    for folder in _STAGES:
        files = (root / folder).glob("*.py") if folder == "." else (root / folder).rglob("*.*")
        for file in sorted(files):
            if file.suffix in (".py", ".rules"):
                whole.update(f"{file.relative_to(root)} {file.stat().st_size}\n".encode())
                whole.update(file.read_bytes())
    return whole.hexdigest()
