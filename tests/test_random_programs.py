"""2,000 random programs over all operators, each judged in high precision.

What is checked stands in `program_checks.py`; `python tests/sweep.py` draws more of them.
"""

import os
import pickle
import random
import subprocess
import sys
from hashlib import sha256
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from program_checks import EFFORTS, Tally, Way, checked, derived, packed
from program_text import text
from random_programs import RULES, Lit, Sketch, Step, build, sample
from sweep import sweep

from egad import rewrite
from egad.codegen.host.reference import evaluate
from egad.terms.rule import MATH_TAGS
from egad.terms.types import Scalar

PARTS, PROGRAMS, BATCH = 8, 256, 16  # the workers share the parts
ROUND = ("safe", "strict", "fast")  # batches take turns
SECOND = 2  # second derivatives in every other round of batches
# Fixed draws, all of them tried; our own search for a smaller program replaces shrinking.
_FIXED = settings(
    max_examples=PROGRAMS * 11 // 10,
    phases=[Phase.generate],
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
# Numbers would be drawn from the constants of all modules that happen to be loaded, too.
_BITS = st.lists(st.booleans(), min_size=64, max_size=64)
# What a program is compared in, on the average.
_EACH = {
    "python": 1.7,
    "fwd": 6.0,
    "bwd": 6.0,
    "inner product": 2.9,
    "bits float64": 1.2,
    "bits float32": 0.4,
}


class Batches:
    """Collects distinct programs, checks them BATCH at a time, and counts."""

    def __init__(self, part: int) -> None:
        self.tally, self.seen, self.waiting, self.number = Tally(), set(), [], 0
        self.turn = part * PROGRAMS
        self.drawn = self.discarded = 0
        self.used: set[str] = set()
        self.reports: list[str] = []

    def done(self) -> bool:
        """Whether there are enough programs, or one that fails."""
        return len(self.seen) >= PROGRAMS or bool(self.reports)

    def next_turn(self) -> int:
        """The operator that begins the next program: in turn, those first that none has used."""
        names = list(RULES.words)
        turns = range(self.turn, self.turn + len(names))
        left = [t for t in turns if names[t % len(names)] not in self.used] or turns
        return left[self.drawn % len(left)]

    def draw(self, rng, kind: int) -> None:
        """One draw: it may be that no program comes of it."""
        found = sample(rng, self.next_turn(), text=kind < 2)
        if self.done():  # Hypothesis wants its numbers to be drawn all the same
            return
        self.drawn += 1
        self.discarded += found is None
        if found is not None and found.sketch not in self.seen:
            self.seen.add(found.sketch)
            self.used |= found.sketch.operators()
            self.waiting.append(found)
        if len(self.waiting) == BATCH:
            self.check()

    def check(self) -> None:
        samples, self.waiting = self.waiting, []
        number, self.number = self.number, self.number + 1
        turn, k = divmod(number, len(ROUND))
        effort = EFFORTS[turn % len(EFFORTS)]
        way = Way(ROUND[k], number, second=turn % SECOND == 0, effort=effort)
        self.reports, tally = checked(samples, way)
        self.tally.add(tally)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_programs(part):
    batches = Batches(part)

    @seed(part)
    @_FIXED
    @given(_BITS)
    def draw(bits):
        rng = random.Random(sum(bit << i for i, bit in enumerate(bits)))
        batches.draw(rng, rng.randrange(3))

    draw()
    tally = batches.tally
    assert not batches.reports, "\n\n".join(batches.reports)
    assert tally.programs == len(batches.seen) == PROGRAMS
    assert batches.discarded <= PROGRAMS // 50
    assert tally.ill <= PROGRAMS // 100, "derivatives too ill-conditioned to be judged"
    assert tally.exact_only <= PROGRAMS // 40, "programs in which most rewrites were turned off"
    for kind, each in _EACH.items():
        assert tally.compared[kind] >= each * PROGRAMS, (kind, tally.compared)
    second = tally.compared["hvp"] + tally.compared["fwd over bwd"]
    assert second >= 7 * PROGRAMS / 4, tally.compared
    for kind in ("fwd", "bwd", "hvp", "fwd over bwd"):
        assert tally.skipped[kind] <= 1 + tally.compared[kind] // 100, (kind, tally.skipped)
    unused = set(RULES.words) - set(tally.operators)
    assert not unused, f"operators that no program uses: {sorted(unused)}"


def _texts(programs) -> list[str]:
    modes = [(m, math) for m in ("fwd", "bwd", "jacobian") for math in ("safe", "strict", "fast")]
    return [
        derived(program, *modes[k % len(modes)], Scalar.F32, effort=EFFORTS[k % 2]).source
        for k, program in enumerate(programs)
    ]


def _some_programs() -> list:
    rng = random.Random(11)
    samples = [s for s in (sample(rng, k) for k in range(48)) if s is not None]
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
    first, again = (sample(random.Random(5), 0).sketch for _ in range(2))
    assert first == again


def _gradients(found, rules) -> list[np.ndarray]:
    """The gradient of the sum of a program's results, before any algebra, at its own inputs."""
    form = rewrite.substitute_primals(build(found.sketch, Scalar.F64), rules, MATH_TAGS["safe"], {})
    back = rewrite.derive(form, "bwd", rules, Scalar.F64)
    given = {path: 1.0 for slot in back.params for path in slot.paths()} | found.inputs
    with np.errstate(all="ignore"):
        return evaluate(back, rules, given, derived=True)


def _are_told_apart(found, rules, others) -> bool:
    """Whether the gradients by two sets of rules are different numbers."""
    pairs = zip(_gradients(found, rules), _gradients(found, others), strict=True)
    return not all(np.allclose(a, b, equal_nan=True) for a, b in pairs)


@pytest.mark.long
def test_a_wrong_derivative_is_found_and_made_small(monkeypatch):
    """The checks see a slip in one rule wherever it changes a number, and report the smallest
    program that shows it.
    """
    import program_checks

    wrong = "@derivative\ndef atan(x) -> y:\n    dy_dx = 1 / (1.001 + x * x)\n"
    from egad.rules import loads

    slipped = loads(wrong, "wrong.rules", RULES)
    monkeypatch.setattr(program_checks, "RULES", slipped)
    drawn = (sample(random.Random(number), number) for number in range(1400))
    with_atan = (s for s in drawn if s is not None and "atan" in s.sketch.operators())
    # Of f / f, ceil(f) and detach(f) there is no derivative to be wrong; atan(1 / f) is another
    # function when it is derived.
    changed = list(islice((s for s in with_atan if _are_told_apart(s, RULES, slipped)), 4))
    assert len(changed) == 4
    for one in changed:
        (report, *_), _ = checked([one], Way("safe"))
        assert "atan(" in report
        assert report.count("\n    t") <= 3, report


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
