"""What rule sets there are, and where they come from: `egad rules list`.

Takes nothing, gives one entry per set: shipped, shipped but loaded only when named, offered by
an installed package. Every set is loaded, so that one that is broken says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...terms.errors import RuleError
from .closure import Reader
from .load import load
from .parse import Document
from .places import ON_REQUEST, Offer, Place, offered, offers, shipped, shipped_place

SHIPPED, NAMED, OFFERED = "shipped", "shipped, on request", "entry point"


@dataclass(frozen=True, slots=True)
class Listed:
    """One rule set: what is in it, where it is, and what is wrong with it."""

    name: str
    origin: str  # SHIPPED, NAMED or OFFERED
    operators: int = 0  # that it defines
    changes: int = 0  # blocks that change operators: @derivative, @opencl, @primal
    rewrites: int = 0
    facts: int = 0
    version: int = 0  # of the rule language
    files: tuple[str, ...] = ()
    distribution: str = ""  # the package that offers it
    error: str = ""


def listed() -> list[Listed]:
    """The rule sets that names stand for: those of egad, then those of packages.

    >>> [entry.name for entry in listed() if entry.origin == NAMED]
    ['slang']
    """
    own = [_own(name) for name in shipped()]
    own.sort(key=lambda entry: entry.origin != SHIPPED)
    return [*own, *map(_foreign, offers())]


def _own(name: str) -> Listed:
    origin = NAMED if name in ON_REQUEST else SHIPPED
    return _counted(name, origin, [shipped_place(name)])


def _foreign(offer: Offer) -> Listed:
    if offer.name in shipped():
        message = f"hidden by the shipped set {offer.name!r}"
    elif sum(other.name == offer.name for other in offers()) > 1:
        message = "another package offers rules of this name"
    else:
        try:
            load([offer.name])
            return _counted(offer.name, OFFERED, offered(offer), offer.distribution)
        except RuleError as fault:
            message = str(fault)
    return Listed(offer.name, OFFERED, distribution=offer.distribution, error=message)


def _counted(name: str, origin: str, where: Sequence[Place], distribution: str = "") -> Listed:
    reader = Reader()
    for place in where:
        reader.read(place)
    documents = list(reader.done.items())
    rules = load([name] if origin != SHIPPED else [])
    files = {document.source.file for _, document in documents}
    kinds = [block.kind for _, document in documents for block in document.blocks]
    rewrites = sum(rewrite.at.file in files for rewrite in rules.rewrites)
    operators = kinds.count("op")
    facts = sum(fact.at.file in files for fact in rules.facts)
    changes = _changes([document for _, document in documents])
    version = max(document.header.version for _, document in documents)
    paths = tuple(path for path, _ in documents)
    return Listed(name, origin, operators, changes, rewrites, facts, version, paths, distribution)


def _changes(documents: Sequence[Document]) -> int:
    blocks = [block for document in documents for block in document.blocks]
    return sum(
        block.kind in ("derivative", "opencl") or (block.kind == "primal" and bool(block.results))
        for block in blocks
    )


def as_text(entries: Sequence[Listed]) -> str:
    """The sets as a table, with what is wrong below it."""
    head = ("name", "operators", "changes", "rewrites", "facts", "version", "from")
    rows = [head, *map(_row, entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers, row[-1]]))
    return "\n".join([*lines, *(f"{e.name}: {e.error}" for e in entries if e.error)])


def _row(entry: Listed) -> tuple[str, ...]:
    where = entry.files[-1] if entry.files else "nowhere"
    where += f" and {len(entry.files) - 1} more" if len(entry.files) > 1 else ""
    origin = f"{entry.origin}, {entry.distribution}" if entry.distribution else entry.origin
    counts = (entry.operators, entry.changes, entry.rewrites, entry.facts, entry.version)
    numbers = ("-",) * len(counts) if entry.error else tuple(map(str, counts))
    return entry.name, *numbers, f"{origin}: {where}"


def as_json(entries: Sequence[Listed]) -> dict[str, Any]:
    """The sets for tools."""
    return {"format": 1, "sets": [asdict(entry) for entry in entries]}
