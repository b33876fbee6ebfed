"""What each part of egad wins: weighted costs without it, beside those with all of it.

    python -m bench ablation                                # 38 workloads: some minutes
    python -m bench ablation --only ggx,fk6 --markdown docs/ablation.md

Left out are groups of rewrites, one after another, and phases of the optimizer. A group is what
`group=` names in a rule file; of rewrites without it, the section of the file that they stand in,
by its heading. Costs depend on no machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePath

import egad
from egad import rewrite
from egad import rules as rule_files
from egad.terms.rule import MATH_TAGS, Rewrite, RuleSet

from .costs import weighted
from .derivatives import MATH, optimized
from .standing import geometric_mean
from .table import Table
from .workloads import BY_NAME, Workload

_HEADING = re.compile(r"# -{3,} (.+)")


@dataclass(frozen=True)
class Ablation:
    """The weighted cost of a workload: with all, and by what was left out."""

    workload: str
    full: float
    without: Mapping[str, float]


def groups(rules: RuleSet, math: str = MATH) -> dict[str, list[Rewrite]]:
    """The rewrites that `math` admits, by group or section, in file order.

    >>> list(groups(rule_files.load()))[:3]
    ['commute', 'algebra: sums', 'algebra: products']
    """
    found: dict[str, list[Rewrite]] = {}
    for rule in rules.rewrites:
        if rule.tag in MATH_TAGS[math]:
            found.setdefault(_group_of(rule), []).append(rule)
    return found


def _group_of(rule: Rewrite) -> str:
    """What is named by `group=`; else the section of the file, else the file."""
    if rule.group != PurePath(rule.at.file).stem:
        return rule.group
    above = [title for line, title in _sections(rule.at.file) if line < rule.at.line]
    return f"{rule.group}: {above[-1]}" if above else rule.group


@lru_cache(maxsize=100)
def _sections(file: str) -> list[tuple[int, str]]:
    """The headings of a shipped rule file, with their lines."""
    text = (Path(egad.__file__).parent / "rules" / file).read_text(encoding="utf-8")
    lines = enumerate(text.splitlines(), start=1)
    return [(number, found[1].strip()) for number, text in lines if (found := _HEADING.match(text))]


def of_name(name: str) -> Ablation:
    """The ablation of a workload by its name, which another process knows, too."""
    return ablation(BY_NAME[name])


def ablation(workload: Workload, dtype: str = "float32", optimize: str = "default") -> Ablation:
    """All costs of a workload."""
    rules, options = rule_files.load(), rewrite.Options(MATH, rewrite.Effort(optimize))

    def cost(rules: RuleSet, options: rewrite.Options) -> float:
        return weighted(optimized(workload, dtype, rules, options).report.counts_after)

    without = {}
    for name, group in groups(rules).items():
        off = {id(rule) for rule in group}
        kept = tuple([rule for rule in rules.rewrites if id(rule) not in off])
        without[name] = cost(replace(rules, rewrites=kept), options)
    for phase in rewrite.Phase:
        without[phase.value] = cost(rules, replace(options, without=(phase,)))
    every = tuple(rewrite.Phase)
    without["all phases"] = cost(rules, replace(options, without=every))
    return Ablation(workload.name, cost(rules, options), without)


def tables(found: Sequence[Ablation]) -> list[Table]:
    """Costs without each group of rewrites, and without each phase."""
    phases = [*(phase.value for phase in rewrite.Phase), "all phases"]
    names = [name for name in found[0].without if name not in phases]
    idle = [n for n in names if all(one.without[n] == one.full for one in found)]
    shown = [name for name in names if name not in idle]
    rules = f"Weighted cost without a group of rewrites{_idle(idle)}"
    return [_table(rules, found, shown), _table("Weighted cost without a phase", found, phases)]


def _idle(names: Sequence[str]) -> str:
    return f" (without these all stay as they are: {'; '.join(names)})" if names else ""


def _table(title: str, found: Sequence[Ablation], names: Iterable[str]) -> Table:
    names = list(names)
    rows = [
        [one.workload, f"{one.full:g}", *(_cell(one.without[name], one.full) for name in names)]
        for one in found
    ]
    means = [geometric_mean([one.without[name] / one.full for one in found]) for name in names]
    rows.append(["geometric mean of the ratio", "1", *(f"{mean:.3f}" for mean in means)])
    return title, ["workload", "with all", *names], rows


def _cell(cost: float, full: float) -> str:
    return "=" if cost == full else f"{cost:g}"
