"""Random programs over all operators, each judged in high precision: a short run.

What is checked stands in `program_checks.py`; `python tests/sweep.py` draws more of them.
"""

import os
import pickle
import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from program_checks import MATHS, Tally, checked, derived, packed
from program_text import text
from random_programs import RULES, Lit, Sketch, Step, build, sample
from sweep import sweep

from egad.terms.types import Scalar

PROGRAMS, BATCH = 160, 16
SECOND = 4  # second derivatives in one round of batches out of four
# Fixed draws, all of them tried; our own search for a smaller program replaces shrinking.
_FIXED = settings(
    max_examples=PROGRAMS * 11 // 10,
    phases=[Phase.generate],
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Batches:
    """Collects distinct programs, checks them BATCH at a time, and counts."""

    def __init__(self) -> None:
        self.tally, self.seen, self.waiting, self.number = Tally(), set(), [], 0
        self.drawn = self.discarded = 0
        self.reports: list[str] = []

    def done(self) -> bool:
        """Whether there are enough programs, or one that fails."""
        return len(self.seen) >= PROGRAMS or bool(self.reports)

    def add(self, found) -> None:
        """One draw: None where no program came of it."""
        self.drawn += 1
        self.discarded += found is None
        if found is not None and found.sketch not in self.seen:
            self.seen.add(found.sketch)
            self.waiting.append(found)
        if len(self.waiting) == BATCH:
            self.check()

    def check(self) -> None:
        samples, self.waiting = self.waiting, []
        number, self.number = self.number, self.number + 1
        math = MATHS[number % len(MATHS)]
        second = number // len(MATHS) % SECOND == 0
        self.reports, tally = checked(samples, math, number, second=second)
        self.tally.add(tally)


def test_programs():
    batches = Batches()

    @_FIXED
    @given(st.randoms(use_true_random=False), st.integers(0, 2))
    def draw(rng, kind):
        found = sample(rng, text=kind < 2)  # always: Hypothesis wants its numbers to be drawn
        if not batches.done():
            batches.add(found)

    draw()
    if batches.waiting:
        batches.check()
    tally = batches.tally
    assert not batches.reports, "\n\n".join(batches.reports)
    assert tally.programs == len(batches.seen) >= PROGRAMS
    assert batches.discarded <= batches.drawn // 20
    assert tally.ill <= PROGRAMS // 50, "derivatives too ill-conditioned to be judged"
    assert tally.exact_only <= PROGRAMS // 20, "programs in which most rewrites were turned off"
    enough = {"python": 2, "fwd": 6, "bwd": 6, "inner product": 2, "bits float64": 1}
    for kind, each in enough.items():
        assert tally.compared[kind] >= 0.8 * each * PROGRAMS, (kind, tally.compared)
    assert tally.compared["hvp"] + tally.compared["fwd over bwd"] >= PROGRAMS
    for kind in ("fwd", "bwd", "hvp", "fwd over bwd"):
        assert tally.skipped[kind] <= tally.compared[kind] // 20, (kind, tally.skipped)
    assert len(tally.operators) >= len(RULES.operators) // 2


def _texts(programs) -> list[str]:
    modes = [(m, math) for m in ("fwd", "bwd", "jacobian") for math in ("safe", "strict", "fast")]
    return [
        derived(program, *modes[k % len(modes)], Scalar.F32).source
        for k, program in enumerate(programs)
    ]


def _some_programs() -> list:
    rng = random.Random(11)
    samples = [s for s in (sample(rng) for _ in range(48)) if s is not None]
    return [
        packed([build(s.sketch, Scalar.F32) for s in samples[i : i + 4]])
        for i in range(0, len(samples) - 3, 4)
    ]


def test_the_text_is_the_same_twice():
    programs = _some_programs()
    assert _texts(programs) == _texts(programs)


_CHILD = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from hashlib import sha256
from test_random_programs import _texts
print(sha256("\\0".join(_texts(pickle.load(sys.stdin.buffer))).encode()).hexdigest())
"""


@pytest.mark.parametrize("seed", ["1", "77"])
def test_the_text_is_the_same_under_another_hash_seed(seed):
    programs = _some_programs()
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, str(Path(__file__).parent)],
        input=pickle.dumps(programs),
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
    )
    want = sha256("\0".join(_texts(programs)).encode()).hexdigest()
    assert child.stdout.decode().strip() == want


def test_a_seed_draws_the_same_programs_again():
    first, again = (sample(random.Random(5)).sketch for _ in range(2))
    assert first == again


def test_a_wrong_derivative_is_found_and_made_small(monkeypatch):
    """The checks see a slip in one rule, and report the smallest program that shows it."""
    import program_checks

    wrong = "@derivative\ndef atan(x) -> y:\n    dy_dx = 1 / (1.001 + x * x)\n"
    from egad.rules import loads

    monkeypatch.setattr(program_checks, "RULES", loads(wrong, "wrong.rules", RULES))
    reports = []
    for seed in range(400):
        found = sample(random.Random(seed))
        if found is not None and "atan" in found.sketch.operators():
            reports, _ = checked([found], "safe", 0)
            break
    assert reports
    assert "atan(" in reports[0]
    assert reports[0].count("\n    t") <= 3, reports[0]


def test_the_text_of_a_choice():
    """Arms hold what only they need; the result returns early."""
    steps = (
        Step("log", (0,)),
        Step("mul", (0, 0)),
        Step("gt", (0, Lit(1.0))),
        Step("select", (3, 1, 2)),
    )
    assert text(Sketch((("x", "float"),), steps, 4)) == (
        "def f(x: float):\n"
        "    t2 = x > 1.0\n"
        "    if t2:\n"
        "        t0 = log(x)\n"
        "        return t0\n"
        "    t1 = x * x\n"
        "    return t1\n"
    )


def test_the_sweep_counts_what_it_checks():
    reports, tally = sweep(16, seed=3, batch=8)
    assert not reports
    assert tally.programs == 16
