"""How long rule files take: all shipped ones to load and to check, and thousands of a user's."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from egad import rules
from egad.rewrite.egraph.explosion import check_growth
from egad.rules.checker.check import check_files

COLD_LIMIT = 0.060
USER_LIMIT = 2.0
CHECK_LIMIT = 60.0
RULES = 5_000

_COLD = """
import time
from egad import rules
began = time.perf_counter()
rules.load()
print(time.perf_counter() - began)
"""
_BLOCKS = (
    "def user_{n}(x, y) -> z:\n"
    '    """Doc."""\n'
    "    t = x * y + {n}\n"
    "    z = sin(t) * exp(x)\n"
    "    dz_dx = y * cos(t) * exp(x) + z\n"
    "    dz_dy = x * cos(t) * exp(x)\n",
    "@rewrite(real)\ndef rule_{n}(a, b):\n"
    "    if a > 0 and b >= {n}:\n"
    "        sin(a) * {n} + b * a >> a * b + {n} * sin(a)\n",
    "@fact\ndef fact_{n}(a):\n    if a > {n}: a * exp(a) > 0\n",
)


def user_rules(count: int = RULES) -> str:
    """A file of operators, rewrites and facts, a third of each."""
    return "\n\n".join(_BLOCKS[n % len(_BLOCKS)].format(n=n) for n in range(count))


def cold_seconds(attempts: int) -> tuple[float, float]:
    """Best and median seconds of the first load in a fresh interpreter."""
    command = [sys.executable, "-c", _COLD]
    seconds = [float(subprocess.check_output(command, text=True)) for _ in range(attempts)]
    return min(seconds), statistics.median(seconds)


def again_seconds(attempts: int = 1000) -> float:
    """Median seconds of a load of what has been loaded before."""
    rules.load()
    return statistics.median(_seconds(rules.load) for _ in range(attempts))


def user_seconds(attempts: int) -> float:
    """Median seconds for a user's file, each time another one."""
    rules.load()
    texts = [user_rules() + "\n" * attempt for attempt in range(attempts)]
    return statistics.median(_seconds(partial(rules.loads, text)) for text in texts)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def check_seconds() -> float:
    """Seconds for the check of all shipped rules, of the processor."""
    began = time.process_time()
    check_files(growth=check_growth)
    return time.process_time() - began


def report(*, check: bool, attempts: int = 15) -> tuple[str, bool]:
    """The figures, and whether a limit is broken: by the best, for others use the machine too."""
    (best, median), again = cold_seconds(attempts), again_seconds()
    user = user_seconds(min(attempts, 3))
    broken = best > COLD_LIMIT or user > USER_LIMIT
    lines = [
        f"all shipped rules, cold: {best * 1e3:.1f} ms at best, {median * 1e3:.1f} ms mostly "
        f"(limit {COLD_LIMIT * 1e3:.0f} ms)",
        f"all shipped rules, again: {again * 1e6:.1f} us",
        f"{RULES} rules of a user: {user:.2f} s (limit {USER_LIMIT:.0f} s)",
    ]
    if check:
        checked = check_seconds()
        broken |= checked > CHECK_LIMIT
        lines.append(f"all shipped rules, checked: {checked:.1f} s (limit {CHECK_LIMIT:.0f} s)")
    return "\n".join(lines), broken
