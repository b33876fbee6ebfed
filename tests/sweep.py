"""A long run of the checks of random programs.

python tests/sweep.py --programs 20000 --seed 7
"""

import argparse
import random
import sys
import time

from program_checks import EFFORTS, MATHS, Tally, Way, checked
from random_programs import RULES, sample

from egad.rewrite import Effort


def sweep(
    programs: int,
    seed: int,
    batch: int = 16,
    maths=MATHS,
    second: int = 1,
    efforts=EFFORTS,
    say=print,
) -> tuple[list, Tally]:
    """Check `programs` random programs in batches: (reports of failures, totals).

    Second derivatives in every batch, or in one of `second`.
    """
    reports, total, drawn, discarded, number = [], Tally(), 0, 0, 0
    while total.programs < programs:
        rng = random.Random(f"{seed} {number}")
        samples = []
        while len(samples) < batch:
            found = sample(rng, drawn, text=len(samples) % 3 != 2)
            drawn += 1
            discarded += found is None
            if found is not None:
                samples.append(found)
        turn, k = divmod(number, len(maths))
        way = Way(maths[k], number, True, turn % second == 0, efforts[turn % len(efforts)])
        failed, tally = checked(samples, way)
        for report in failed:
            say(f"\nbatch {number}: {report}\n")
        reports += failed
        total.add(tally)
        total.programs += len(samples) - tally.programs
        number += 1
    total.skipped["not drawn"] = discarded
    return reports, total


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Draw random programs over all operators, derive them and compare: the "
        "derivative program, the extracted program and the OpenCL kernel with values, "
        "gradients and second derivatives in high precision. Exit code 1 on a failure, with "
        "the smallest program found that fails."
    )
    parser.add_argument("--programs", type=int, default=2000, help="how many (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="other programs for every number")
    parser.add_argument("--batch", type=int, default=16, help="programs at once (default 16)")
    parser.add_argument("--math", choices=sorted(set(MATHS)), help="one mode only")
    parser.add_argument("--effort", choices=[e.value for e in Effort], help="one effort only")
    parser.add_argument(
        "--second", type=int, default=1, help="second derivatives in one batch of N (default 1)"
    )
    args = parser.parse_args()
    began = time.perf_counter()
    maths = (args.math,) if args.math else MATHS
    efforts = (Effort(args.effort),) if args.effort else EFFORTS
    reports, tally = sweep(args.programs, args.seed, args.batch, maths, args.second, efforts)
    seconds = time.perf_counter() - began
    unused = sorted(set(RULES.words) - set(tally.operators))
    print(f"{tally.programs} programs in {seconds:.0f} s, {len(reports)} failures")
    print(f"exact rewrites only: {tally.exact_only}")
    print(f"ill-conditioned everywhere: {tally.ill}, skipped: {dict(tally.skipped)}")
    print(f"compared: {dict(tally.compared)}")
    print("seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in tally.seconds.items()))
    print(f"operators not used: {', '.join(unused) or 'none'}")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
