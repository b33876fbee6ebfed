"""How often each rewrite took part: matched, was used, would have matched but for a condition.

Takes witnessed e-graphs and proofs, gives counts per rewrite, with the conditions as the rule
file says them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rules.show import show_expression
from ...terms.rule import RuleSet, Tag
from .steps import Proof
from .witness import Witnessed


@dataclass(frozen=True)
class Tally:
    """Counts by a rewrite's place and name; `near` also by condition that was not known."""

    fired: dict[str, int]
    used: dict[str, int]
    near: dict[str, dict[str, int]]
    never: tuple[str, ...]
    shown: dict[str, str]  # `left >> right`


def tally(bodies: Sequence[tuple[Witnessed, Proof]], rules: RuleSet, tags: Sequence[Tag]) -> Tally:
    """Counts over all bodies of code of a program."""
    fired: dict[str, int] = {}
    used: dict[str, int] = {}
    near: dict[str, dict[str, int]] = {}
    for witnessed, proof in bodies:
        for i, typed in enumerate(witnessed.rules):
            if witnessed.matches[i]:
                fired[typed.name] = fired.get(typed.name, 0) + len(witnessed.matches[i])
            _near(witnessed, i, near)
        for lemma in proof.lemmas:
            for step in lemma.steps:
                if step.rule is not None:
                    used[step.rule.name] = used.get(step.rule.name, 0) + 1
    chosen = [r for r in rules.rewrites if r.tag in tags and not r.primal]
    names = [f"{r.at} {r.name}" for r in chosen]
    shown = {
        name: f"{show_expression(r.lhs)} >> {show_expression(r.rhs)}"
        for name, r in zip(names, chosen, strict=True)
    }
    never = tuple(n for n in names if n not in fired and n not in near)
    return Tally(fired, used, near, never, shown)


def _near(witnessed: Witnessed, number: int, near: dict[str, dict[str, int]]) -> None:
    """Where the left side of a rewrite matched, and conditions were not known to hold."""
    if number not in witnessed.near:
        return
    typed = witnessed.rules[number]
    matched = set(witnessed.matches[number])
    texts = [show_expression(c) for c in typed.rule.conditions]
    if typed.rule.below is not None:
        texts.append(f"the left side costs less than {typed.rule.below:g}")
    holding = [set(rows) for rows in witnessed.holding[number]]
    for row in witnessed.near[number]:
        if row in matched:
            continue
        missing = [text for text, rows in zip(texts, holding, strict=True) if row not in rows]
        # Each may hold by itself, and not all of them together: for bounds that have to meet.
        counts = near.setdefault(typed.name, {})
        text = " and ".join(missing or texts)
        counts[text] = counts.get(text, 0) + 1
