"""What each workload's derivative costs, stored; a change that makes one dearer is seen.

    python -m bench guard                      # compare with the stored figures
    python -m bench guard --update "REASON"    # store today's, with the reason beside each change

Counts and weighted costs depend on no machine, so tests/bench/test_guard.py compares them in CI.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import egad

from .costs import weighted
from .derivatives import derive
from .workloads import BY_NAME

FILE = Path(__file__).with_name("guard.json")
TOLERANCE = 0.01
# Chains of a thousand links and more cost what ten links cost, per link.
GUARDED = tuple(name for name in BY_NAME if name not in ("chain1000", "chain5000"))


@dataclass(frozen=True)
class Cost:
    """What a derivative costs at the default effort, and why it is so since it last changed."""

    operations: float
    weighted: float
    reason: str = ""

    def dearer(self, stored: Cost) -> list[str]:
        """What costs more than the tolerance above the stored figures, in words."""
        return [
            f"{what}: {now:g}, stored {before:g} ({now / before - 1:+.1%})"
            for what, now, before in (
                ("operations", self.operations, stored.operations),
                ("weighted cost", self.weighted, stored.weighted),
            )
            if now > before * (1 + TOLERANCE)
        ]

    def same(self, stored: Cost) -> bool:
        return (self.operations, self.weighted) == (stored.operations, stored.weighted)


def measured(name: str) -> Cost:
    """Today's figures of a workload."""
    return cost_of(derive(BY_NAME[name], "float32", "default"))


def cost_of(derived: egad.Derived) -> Cost:
    """The figures of a derivative."""
    counts = derived.report.counts_after
    return Cost(sum(counts.values()), weighted(counts))


def load(file: Path = FILE) -> dict[str, Cost]:
    """The stored figures by workload."""
    return {name: Cost(**entry) for name, entry in json.loads(file.read_text()).items()}


def updated(stored: Mapping[str, Cost], today: Mapping[str, Cost], reason: str) -> dict[str, Cost]:
    """The stored figures with today's where they differ, and the reason beside those."""
    found = {}
    for name in BY_NAME:
        before, now = stored.get(name), today.get(name)
        if before is not None and (now is None or now.same(before)):
            found[name] = before
        elif now is not None:
            found[name] = Cost(now.operations, now.weighted, reason)
    return found


def store(costs: Mapping[str, Cost], file: Path = FILE) -> None:
    """Write the figures, one workload per line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(asdict(cost))}" for name, cost in costs.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def report(names: Iterable[str], reason: str | None) -> tuple[str, bool]:
    """A line per workload, and whether one is dearer; with a reason the file is written."""
    stored = load() if FILE.exists() else {}
    today, lines, broken = {}, [], False
    for name in names:
        now = today[name] = measured(name)
        before = stored.get(name)
        dearer = now.dearer(before) if before else []
        broken = broken or bool(dearer)
        lines.append(f"{name}: {now.operations:g} operations, weighted {now.weighted:g}")
        if before is None:
            lines[-1] += " (not stored)"
        elif not now.same(before):
            lines[-1] += f" (stored: {before.operations:g}, {before.weighted:g})"
        lines += [f"  dearer: {line}" for line in dearer]
    if reason is not None:
        store(updated(stored, today, reason))
        broken = False
    return "\n".join(lines), broken
