"""The engine: the only file that imports egglog. Takes commands as text, gives its answers."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...terms.errors import ExtractError
from .encode import Symbols

if TYPE_CHECKING:
    from egglog import bindings

#: So many commands are sent as text. The bindings make a Python object of every node, with a copy
#: of the whole text; what a file includes they never see: 354 rules take 20 ms instead of 32.
_FEW = 4
# Tables are written and read again at once: in memory, where a system has a folder there, that is
# a seventh of a derivation sooner than on a disk.
_MEMORY = Path("/dev/shm")


T = TypeVar("T")


class Engine:
    """An egglog e-graph with its symbols, to which commands are sent."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="egad-", dir=_place()))
        # Engines are kept: the folder goes with the engine, or with the process.
        self._cleanup = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.graph: bindings.EGraph = _bindings().EGraph(fact_directory=str(self.folder))
        self.symbols = Symbols()

    def send(self, lines: Sequence[str]) -> list[Any]:
        """Run egglog commands, new declarations first."""
        return self.run([*self.symbols.declarations().split("\n"), *lines])

    def run(self, commands: Sequence[str]) -> list[Any]:
        """Run egglog commands."""
        text = "\n".join(commands)
        if len(commands) > _FEW:
            file = self.folder / "commands.egg"
            file.write_text(text, encoding="utf-8")
            text = f"(include {json.dumps(file.as_posix(), ensure_ascii=False)})"
        try:
            answers: list[Any] = self.graph.run_program(*self.graph.parse_program(text, "egad"))
        except BaseException as error:  # a panic of the engine is no Exception
            if isinstance(error, KeyboardInterrupt | MemoryError):
                raise
            raise ExtractError(
                f"the e-graph refused a generated rule: {error}",
                hint="this is a fault of egad: please report it with your function",
            ) from error
        return answers

    def close(self) -> None:
        """Remove the tables on disk."""
        self._cleanup()


_BINDINGS, _LOADING = "egglog.bindings", threading.Lock()


def _bindings() -> Any:
    """The engine of egglog alone: what is around it for Python takes a fifth of a second to import,
    and is of no use here."""
    with _LOADING:
        package = find_spec("egglog") if _BINDINGS not in sys.modules else None
        where = package and package.submodule_search_locations
        spec = PathFinder.find_spec(_BINDINGS, where) if where else None
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[_BINDINGS] = module
        return import_module(_BINDINGS)


def _place() -> Path | None:
    """Where tables are put for the engine; None for the folder of temporary files."""
    wanted = "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK | os.X_OK)
    return _MEMORY if wanted else None


class Kept(threading.local, Generic[T]):
    """What has an engine and is not in use now, what was used last at the end.

    An engine belongs to the thread that made it, and goes with it.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.idle: OrderedDict[Hashable, T] = OrderedDict()

    def take(self, key: Hashable) -> T | None:
        """What was put away under a key, if it is still there."""
        return self.idle.pop(key, None)

    def put(self, key: Hashable, item: T) -> None:
        """Put something away for the next one who has the key."""
        self.idle[key] = item
        while len(self.idle) > self.most:
            self.idle.popitem(last=False)
