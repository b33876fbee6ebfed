"""The check of rules, checked: a sample of the sweep `python tests/mutations.py`."""

import dense
import mutations
import pytest
from dense_rewrites import unsound
from mutants import Mutant, Source, siblings

from egad.rules import load, loads

#: Every so many mutants of the shipped rules are tried here; all of them in the sweep.
EVERY = 61


@pytest.mark.long
def test_a_sample_of_wrong_rules_is_caught():
    sample = mutations.all_mutants()[::EVERY]
    verdicts = mutations.judged(sample)
    alive = [f"{v.mutant}: {v.why}" for v in verdicts if v.outcome == mutations.ALIVE]
    assert alive == []
    rates = mutations.rates(verdicts)
    assert rates["derivative"][0] > 40 and rates["rewrite"][0] > 150


def test_the_sweep_reaches_all_shipped_rules():
    made = mutations.all_mutants()
    rules = load()
    assert len(made) > 7000 and len({str(m) + m.text for m in made}) == len(made)
    mutated = {(m.file, m.rule) for m in made}
    missing = [r.name for r in rules.rewrites if (r.at.file, r.name) not in mutated]
    operators = [o for group in rules.operators.values() for o in group]
    missing += [
        o.name
        for o in operators
        if o.has_derivative and not o.unchecked and (o.at.file, o.name) not in mutated
    ]
    assert missing == []


TEXT = """
@rewrite(real)
def root(x, y):
    if x >= 0 and const(y):
        y * sqrt(x * x) >> x * y


def cap(x, hi) -> z:
    z = x if x < hi else hi
    s = 1 if x < hi else 0
    dz_dx = s
    dz_dhi = 1 - s
"""


def test_mutants_of_a_text(tmp_path):
    path = tmp_path / "own.rules"
    path.write_text(TEXT)
    made = list(Source(path, siblings(load().operators)).mutants())
    changes = {(m.rule, m.kind, m.text.splitlines()[-1].strip()) for m in made}
    assert ("root", "operator", "(y * sqrt(x * x)) >> (x + y)") in changes
    assert ("root", "operator", "(y * sqrt(x / x)) >> (x * y)") in changes
    assert ("root", "sign", "(y * sqrt(x * x)) >> (-x * y)") in changes
    assert ("root", "argument", "(y * sqrt(x * x)) >> (y * y)") in changes
    assert ("cap", "constant", "dz_dhi = (0 - s)") in changes
    conditions = {m.text.splitlines()[2].strip() for m in made if m.kind == "condition"}
    assert {"if x < 0 and const(y):", "if x > 0 and const(y):", "if const(y):"} <= conditions
    assert {"if x >= 0:"} <= conditions
    assert all(m.text != m.original for m in made)
    for mutant in made:  # the same block, unchanged, is accepted
        assert loads(mutant.original if mutant.what == "rewrite" else TEXT, "own.rules")


def verdict(what, rule, text, original):
    return mutations.judge(Mutant("own.rules", 1, rule, what, "sign", "", text, original))


CASES = {
    "refused": ("rewrite", "f", "@rewrite(real)\ndef f(x): sin(x) >> y", mutations.REFUSED),
    "caught": ("rewrite", "f", "@rewrite(real)\ndef f(x): sin(-x) >> sin(x)", mutations.CAUGHT),
    "sound": ("rewrite", "f", "@rewrite(real)\ndef f(x): cos(-x) >> cos(x)", mutations.SAME),
    "derivative": ("derivative", "sin", "@derivative\ndef sin(x) -> y: dy_dx = -cos(x)", "caught"),
    "as before": ("derivative", "sin", "@derivative\ndef sin(x) -> y: dy_dx = cos(-x)", "same"),
}


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case):
    what, rule, text, outcome = CASES[case]
    original = "@derivative\ndef sin(x) -> y: dy_dx = cos(x)"
    assert verdict(what, rule, text, original).outcome == outcome


UNSOUND = {
    "exact": "@rewrite(exact)\ndef f(x): x + 0 >> x",
    "value": "@rewrite(real)\ndef f(x): sqrt(x * x) >> x",
    "definedness": "@rewrite(real)\ndef f(x): log(x * x) >> 2 * log(x)",
    "region": "@rewrite(real)\ndef f(x): sin(asin(x)) >> x",
    "digits": "@rewrite(real)\ndef f(x): expm1(x) >> exp(x) - 1",
    "idle": "@rewrite(real)\ndef f(x):\n    if x > 4 and x < 3: abs(x) >> x",
    "only at a point": "@rewrite(fast)\ndef f(x):\n    if x >= 0: sqrt(x) >> sqrt(-x)",
}


@pytest.mark.parametrize("case", UNSOUND)
def test_the_second_judge_finds_what_is_unsound(case):
    rules = loads(UNSOUND[case], "own.rules")
    assert unsound(rules.rewrites[-1], rules)


def test_the_second_judge_accepts_shipped_rules():
    rules = load()
    for rule in rules.rewrites[::7]:
        assert unsound(rule, rules) == "", rule.name


def test_the_second_judge_knows_all_primitives():
    primitives = [o.name for g in load().operators.values() for o in g if o.definition is None]
    assert [name for name in primitives if name not in dense.MEANING] == []
