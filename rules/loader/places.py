"""Where rule files are: shipped sets, paths, and what installed packages offer.

Takes a name or a path, gives the files behind it. A package offers files in its metadata, under
the entry point group `egad.rules`; they are found without importing the package. Reads nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ...terms.errors import RuleError, nearest

if TYPE_CHECKING:  # they take longer to import than most rule files to load
    from importlib.machinery import ModuleSpec
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable

GROUP = "egad.rules"
_HERE = Path(__file__).parent.parent
# Shipped, but loaded only when named: sets that change the conventions.
ON_REQUEST = frozenset(("slang",))
_FORMS = (
    f'an entry point of {GROUP} is "package:file.rules", or "package" for all rule files '
    "directly in its folder"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A file that can be opened, and the name under which errors show it."""

    path: Traversable
    shown: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule set that an installed package offers: its name, and who says so."""

    name: str
    value: str  # "package:file.rules"
    distribution: str  # "mypackage 1.2"


@lru_cache(maxsize=1)
def shipped() -> tuple[str, ...]:
    """The names of the rule sets that come with egad, sorted."""
    return tuple(sorted(path.stem for path in _HERE.glob("*.rules")))


def shipped_place(name: str) -> Place:
    """The file of a shipped set."""
    return Place(_HERE / f"{name}.rules", f"{name}.rules")


def set_name(file: str) -> str:
    """The name of the shipped set that a path leads to; otherwise the path."""
    path = Path(file)
    if path.stem not in shipped():
        return file
    try:
        inside = path.suffix == ".rules" and path.parent.resolve() == _HERE.resolve()
    except (OSError, ValueError):  # no path at all
        return file
    by_name = file in (path.stem, path.name) and not _exists(path)
    return path.stem if inside or by_name else file


def places(source: str | Path) -> list[Place]:
    """The files that a name or a path stands for.

    A shipped set goes before a file, a file before what a package offers under that name.
    """
    name = str(source)
    stem = name.removesuffix(".rules")
    if stem in shipped() and not (name.endswith(".rules") and _exists(Path(name))):
        return [shipped_place(stem)]
    if not isinstance(source, str) or not _is_name(name) or _exists(Path(name)):
        return [Place(Path(source), name)]
    found = [offer for offer in offers() if offer.name == name]
    if not found:
        known = [*shipped(), *dict.fromkeys(offer.name for offer in offers())]
        hint = f"there are {', '.join(known)}; a file is given by its path"
        raise RuleError(f"there is no rule set {name!r}{nearest(name, known)}", None, hint)
    if len(found) > 1:
        who = " and ".join(offer.distribution for offer in found)
        hint = "uninstall one of the two, or give the path of the file"
        raise RuleError(f"two packages offer rules called {name!r}: {who}", None, hint)
    return offered(found[0])


def _is_name(text: str) -> bool:
    """Whether a text can be the name of a rule set, rather than a path."""
    return not text.endswith(".rules") and all(c.isalnum() or c in "_-." for c in text)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def offers() -> list[Offer]:
    """What the installed packages offer, sorted by name."""
    from importlib.metadata import entry_points

    found = {Offer(e.name, e.value, _distribution(e)): None for e in entry_points(group=GROUP)}
    return sorted(found, key=lambda offer: (offer.name, offer.distribution, offer.value))


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "?"


def offered(offer: Offer) -> list[Place]:
    """The files of an offer; the code of the package does not run."""
    package, colon, file = (part.strip() for part in offer.value.partition(":"))
    who = f"{offer.distribution} offers rules {offer.name!r} as {offer.value!r}"
    folder = _folder(package)
    if folder is None:
        raise RuleError(f"{who}, but there is no package {package!r}", None, _FORMS)
    if colon:
        if not file.endswith(".rules") or "/" in file or "\\" in file:
            raise RuleError(f"{who}, which names no rule file", None, _FORMS)
        names = [file]
    else:
        names = sorted(p.name for p in folder.iterdir() if p.name.endswith(".rules"))
        if not names:
            raise RuleError(f"{who}, which has no rule files", None, _FORMS)
    return [Place(path, str(path)) for path in (folder.joinpath(name) for name in names)]


def _folder(package: str) -> Traversable | None:
    """The folder of an importable package, found as an import finds it, without running it."""
    from importlib import resources

    spec: ModuleSpec | None = None
    for name in _prefixes(package):
        path = None if spec is None else spec.submodule_search_locations
        if spec is not None and path is None:
            return None
        spec = _spec(name, path)
        if spec is None:
            return None
    if spec is None or spec.submodule_search_locations is None:
        return None
    module = ModuleType(package)  # the loader's own could load a shared library
    module.__spec__ = spec
    module.__path__ = spec.submodule_search_locations
    return resources.files(module)


def _prefixes(package: str) -> Iterator[str]:
    """`a.b.c` -> a, a.b, a.b.c."""
    parts = package.split(".")
    if all(part.isidentifier() for part in parts):
        yield from (".".join(parts[: n + 1]) for n in range(len(parts)))


def _spec(name: str, path: list[str] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        found = finder.find_spec(name, path)
        if found is not None:
            return found
    return None
