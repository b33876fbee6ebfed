"""Which rules a saving came from, as lines of text: credits by rule, over all bodies of code.

Takes a report and what is proven of a derivation, asked for only where it is not too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..rewrite import Report
from ..rewrite.proofs.shares import Credit, credits, executions, ranked
from ..terms.rule import RuleSet
from .account import Proven

# Terms of a plain program of which the saving is shared out: about a second; as its derivation is
# asked for anyway, more.
_QUICK, _LARGEST = 1_000, 5_000
_SMALL = 1e-9  # relative: rounding


def saved(
    report: Report, rules: RuleSet, proofs: Callable[[], Sequence[Proven]], *, anyway: bool
) -> list[str]:
    """A line for each rule that saved something; what is not known is said, too.

    `anyway` says that the proofs are asked for, whatever they take.
    """
    whole = report.cost_before - report.cost_after
    if whole <= report.cost_before * _SMALL:
        return []
    terms = report.terms["plain"]
    if terms > (most := _LARGEST if anyway else _QUICK):
        more = "" if anyway or terms > _LARGEST else "; explain(rules=True) does"
        return [f"  saved by    not shared out among rules: {terms} terms, more than {most}{more}"]
    found = _credits(proofs(), rules)
    if found is None:
        return ["  saved by    not known: the derivation has gaps, see explain(rules=True)"]
    winners = [credit for credit in found if credit.saved > whole * _SMALL]
    rest = whole - sum(credit.saved for credit in winners)
    lines = [f"    {c.saved:>7.4g} {c.saved / whole:>4.0%}  {c.name}" for c in winners]
    if abs(rest) > whole * _SMALL:
        lines.append(f"    {rest:>7.4g} {rest / whole:>4.0%}  with loops: by other bodies or trips")
    head = f"  saved by (of {whole:g}; {len(found) - len(winners)} more rules only led there):"
    return [head, *lines]


def _credits(proofs: Sequence[Proven], rules: RuleSet) -> list[Credit] | None:
    """The credits of all bodies by rule, each as often as it runs; None where one has gaps."""
    total: dict[str, Credit] = {}
    for body, runs in zip(proofs, executions([p.solved for p in proofs]), strict=True):
        own = credits(body.proof, body.solved, rules)
        if own is None:
            return None
        for credit in own:
            known = total.get(credit.name, Credit(credit.name, 0.0, 0))
            gain, steps = known.saved + runs * credit.saved, known.steps + credit.steps
            total[credit.name] = Credit(credit.name, gain, steps)
    return ranked(list(total.values()))
