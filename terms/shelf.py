"""Values of egad on disk, so that a second process loads what the first has found.

Takes values, and what they follow from, which gives their names: a change of anything finds
nothing, and there is nothing to invalidate. Files are the user's own: a folder that others may
write to is not used, a damaged file is not read, and reading makes nothing but values of egad,
whatever a file says.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import store

VARIABLE = "EGAD_CACHE"
_OFF = ("0", "off", "no", "false")
_LARGEST = 64 << 20
_PACKAGE, _, _ = __name__.partition(".terms.")
#: The functions that put together what files hold as tables.
_MAKERS = ("terms.term._from_table", "terms.program._program")


def is_on() -> bool:
    """Whether anything is remembered: unless `EGAD_CACHE` says `off`."""
    return os.environ.get(VARIABLE, "").strip().casefold() not in _OFF


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder with values whose classes stand in some modules, and how many files it keeps."""

    folder: str
    modules: tuple[str, ...]
    files: int
    size: int | None = None  # bytes, together

    def place(self, name: str) -> Path | None:
        """The file of a value; None where there is no safe place."""
        try:
            folder = store.root() / self.folder
        except (OSError, RuntimeError):  # no home directory
            return None
        return folder / f"{name[:40]}.egad" if store.is_private(folder) else None

    def read(self, path: Path) -> Any:
        """The value in a file; None where there is none that can be trusted."""
        data = store.read_sealed(path)
        if data is None:
            return None
        try:
            name, value = _Reader(data, self.modules).load()
        except Exception:  # whatever is wrong with a file, there is another way
            return None
        return value if name == path.name else None

    def write(self, path: Path, value: Any) -> None:
        """Keep a value, and let the oldest ones go."""
        data = pickle.dumps((path.name, value), protocol=4)
        if len(data) <= _LARGEST and store.write_sealed(path, data):
            store.prune(path.parent, self.files, self.size)


class _Reader(pickle.Unpickler):
    """Reads values of some modules of egad, and refuses everything else."""

    def __init__(self, data: bytes, modules: tuple[str, ...]) -> None:
        super().__init__(io.BytesIO(data))
        self.modules = modules

    def find_class(self, module: str, name: str) -> Any:
        """A class of egad's own values."""
        inside = module.removeprefix(f"{_PACKAGE}.")
        whole = f"{inside}.{name}"
        if inside != module and (whole in _MAKERS or inside.startswith(self.modules)):
            found = getattr(sys.modules.get(module) or __import__(module, fromlist=[name]), name)
            if whole in _MAKERS or (isinstance(found, type) and found.__module__ == module):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is nothing that egad remembers")


@lru_cache(maxsize=8)
def sources(stages: tuple[str, ...]) -> str:
    """The digest of all files in these folders that decide what they give. Raises OSError."""
    root = Path(__file__).parent.parent
    whole = hashlib.sha256(sys.version.encode())
    for folder in stages:
        files = (root / folder).glob("*.py") if folder == "." else (root / folder).rglob("*.*")
        for file in sorted(files):
            if file.suffix in (".py", ".rules"):
                whole.update(f"{file.relative_to(root)} {file.stat().st_size}\n".encode())
                whole.update(file.read_bytes())
    return whole.hexdigest()
