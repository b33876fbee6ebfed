"""The check of rules, checked: no wrong rule may pass it.

python tests/mutations.py --jobs 2

Makes every mutant of the shipped rules (mutants.py), runs the check of that rule alone, and asks a
second judge (dense.py, dense_rewrites.py) whether those that pass mean something else at all.
"""

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import dense
from dense_rewrites import unsound
from mutants import Mutant, Source, siblings

import egad.rules
from egad.rules import load, loads, shipped
from egad.rules.checker.compare import Tally
from egad.rules.checker.derivatives import check_derivative
from egad.rules.checker.rewrites import check_rewrite
from egad.terms.errors import RuleError
from egad.terms.rule import Rewrite, Tag

#: refused by the loader, refuted by the check, no change of meaning, passed although wrong.
REFUSED, CAUGHT, SAME, ALIVE = "refused", "caught", "same", "alive"
FOLDER = Path(egad.rules.__file__).parent


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and why."""

    mutant: Mutant
    outcome: str
    why: str = ""


@cache
def base(file: str):
    """The rules that a mutant stands on: those shipped, with the set it is from."""
    return load(["slang"] if file == "slang.rules" else [])


@cache
def all_mutants() -> list[Mutant]:
    """The mutants of all shipped files."""
    near = siblings(load().operators)
    return [m for name in shipped() for m in Source(FOLDER / f"{name}.rules", near).mutants()]


def judge(mutant: Mutant) -> Verdict:
    """What becomes of one mutant."""
    below = base(mutant.file)
    try:
        rules = loads(mutant.text, "mutant.rules", below)
    except RuleError as error:
        return Verdict(mutant, REFUSED, error.message)
    try:
        _check(mutant, rules)
    except RuleError as error:
        return Verdict(mutant, CAUGHT, error.message)
    if mutant.what == "derivative":
        right = loads(mutant.original, "mutant.rules", below)
        changed = _other_derivative(mutant.rule, right, rules)
        return Verdict(mutant, ALIVE if changed else SAME, changed)
    reason = unsound(_rewrite(mutant, rules), rules)
    return Verdict(mutant, ALIVE if reason else SAME, reason)


def _check(mutant, rules):
    if mutant.what == "derivative":
        operator = rules.operator(mutant.rule)
        check_derivative(operator, rules, Tally(), lambda o, line: o.at)
    else:
        check_rewrite(_rewrite(mutant, rules), rules, Tally())


def _rewrite(mutant, rules):
    if mutant.what == "rewrite":
        return rules.rewrites[-1]
    o = rules.operator(mutant.rule)
    return Rewrite(f"{o.name} primal", o.definition, o.primal, Tag.REAL, o.at, o.params)


def _other_derivative(name, right, wrong):
    """The first line of a derivative that means something else."""
    a, b = right.operator(name), wrong.operator(name)
    for what in ("partials", "pullbacks"):
        for param, x, y in zip(a.params, getattr(a, what), getattr(b, what), strict=False):
            if x is not y and not dense.same_derivative(a, x, y, right):
                return f"{what} by {param.name}"
    if a.pushforward is not b.pushforward:
        return "" if dense.same_derivative(a, a.pushforward, b.pushforward, right) else "forward"
    return ""


def judged(mutants: list[Mutant], jobs: int = 1) -> list[Verdict]:
    """The verdicts, in the order of the mutants."""
    if jobs == 1:
        return [judge(m) for m in mutants]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(judge, mutants, chunksize=16))


def rates(verdicts: list[Verdict]) -> dict[str, tuple[int, int]]:
    """By what is mutated: how many are wrong, and how many of them pass."""
    found: dict[str, tuple[int, int]] = {}
    for v in verdicts:
        what = "derivative" if v.mutant.what == "derivative" else "rewrite"
        wrong, alive = found.get(what, (0, 0))
        found[what] = wrong + (v.outcome != SAME), alive + (v.outcome == ALIVE)
    return found


def main() -> int:
    """Run the sweep; exit code 1 where too much survives."""
    parser = argparse.ArgumentParser(
        description="Change one token of every shipped derivative and rewrite, and see whether "
        "`egad check` notices. Exit code 1 where a derivative survives, or 2 % of rewrites."
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--every", type=int, default=1, help="one mutant of N (default 1)")
    parser.add_argument("--rule", help="the mutants of one rule only")
    parser.add_argument("--same", action="store_true", help="list those that mean the same")
    args = parser.parse_args()
    began = time.perf_counter()
    mutants = [m for m in all_mutants() if args.rule in (None, m.rule.partition(".")[0])]
    verdicts = judged(mutants[:: args.every], args.jobs)
    shown = (ALIVE, SAME) if args.same else (ALIVE,)
    for v in verdicts:
        if v.outcome in shown:
            print(f"{v.outcome}: {v.mutant}\n    {v.why}")
    print(f"{len(verdicts)} mutants in {time.perf_counter() - began:.0f} s")
    for (what, outcome), n in sorted(Counter((v.mutant.what, v.outcome) for v in verdicts).items()):
        print(f"  {what:10} {outcome:8} {n}")
    failed = False
    for what, (wrong, alive) in rates(verdicts).items():
        print(f"{what}: {wrong - alive} of {wrong} wrong ones are caught")
        failed |= alive > (0 if what == "derivative" else 0.02 * wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
