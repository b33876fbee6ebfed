"""The check in an e-graph: rules that explode, that never end, and that merge two numbers."""

import textwrap
import time

import pytest

from egad.rewrite.egraph.explosion import check_growth
from egad.rules import load, loads
from egad.rules.checker.check import check_files
from egad.rules.checker.compare import Tally
from egad.terms.errors import RuleError


def growth(text):
    """The error of the last rule in a text, and the tally."""
    rules = loads(textwrap.dedent(text), "demo.rules")
    tally = Tally()
    try:
        check_growth(rules.rewrites[-1], rules, tally)
    except RuleError as error:
        return error, tally
    return None, tally


EXPLODING = {
    "free associativity": (
        "@rewrite(fast)\ndef f(a, b, c): (a + b) + c >> a + (b + c)",
        "explodes beside the other rules: ",
    ),
    "free associativity of products": (
        "@rewrite(real)\ndef f(a, b, c): a * (b * c) >> (a * b) * c",
        "explodes beside the other rules: ",
    ),
    "a product as a difference of squares": (
        "@rewrite(fast)\ndef f(x, y): x * y >> 0.25 * ((x + y) * (x + y) - (x - y) * (x - y))",
        "explodes alone: ",
    ),
    "a product by squares": (
        "@rewrite(fast)\ndef f(x, y): x * y >> 0.5 * ((x + y) * (x + y) - x * x - y * y)",
        "explodes alone: ",
    ),
    "halving": (
        "@rewrite(fast)\ndef f(x): exp(x) >> exp(0.5 * x) * exp(0.5 * x)",
        "never comes to an end: ",
    ),
}


@pytest.mark.parametrize("case", EXPLODING)
def test_explosive_rules_are_caught(case):
    text, message = EXPLODING[case]
    error, tally = growth(text)
    assert error is not None and message in error.message
    assert error.at.file == "demo.rules" and "rounds=3" in error.hint
    assert tally.samples > 0


def test_the_message_says_what_the_rule_adds():
    error, _ = growth("@rewrite(fast)\ndef f(a, b, c): (a + b) + c >> a + (b + c)")
    assert str(error).startswith("demo.rules:2:17: [f] explodes beside the other rules: ")
    assert "e-nodes after 6 rounds from a + b + c, " in error.message
    assert error.message.endswith(" without it")


BOUNDED = {
    "in few rounds": "@rewrite(fast, rounds=2)\ndef f(x): exp(x) >> exp(0.5 * x) * exp(0.5 * x)",
    "towards what is there": "@rewrite(fast)\ndef f(a, b, c):\n    if exists(a + b):\n"
    "        a + (b + c) >> (a + b) + c",
    "commutativity": "@rewrite(exact)\ndef f(a, b): hypot(a, b) >> hypot(b, a)",
    "distributivity": "@rewrite(fast)\ndef f(a, b, c): a * (b + c) >> a * b + a * c",
    "undone by the shipped rules": "@rewrite(exact)\ndef f(x): abs(x) >> abs(-x)",
    "addition theorem": "@rewrite(fast)\n"
    "def f(x, y): sin(x) * cos(y) + cos(x) * sin(y) >> sin(x + y)",
}


@pytest.mark.parametrize("case", BOUNDED)
def test_bounded_rules_pass(case):
    assert growth(BOUNDED[case])[0] is None


CONTRADICTIONS = {
    "two numbers": ("@rewrite(real)\ndef f(x): x - x >> 1", "0.0 = 1.0"),
    "a number and an input": ("@rewrite(real)\ndef f(x): sin(x) * 0 >> x", "= 0.0"),
    "two inputs": ("@rewrite(real)\ndef f(x, y): min(x, y) >> y", " = "),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_contradictions_are_caught(case):
    text, what = CONTRADICTIONS[case]
    error, _ = growth(text)
    assert error is not None
    assert "leads to a contradiction" in error.message
    assert what in error.message or case != "two numbers"


def test_a_start_without_a_value_proves_nothing():
    # 0/(0/x) is x by one shipped rule and 0 by another, and no number at all.
    zero = next(r for r in load().rewrites if r.name == "mul_zero.2")
    tally = Tally()
    check_growth(zero, load(), tally)
    assert tally.samples > 0


@pytest.mark.long
def test_shipped_rules_stay_far_within_the_budgets():
    rules, used, began = load(), [], time.process_time()
    for rule in rules.rewrites:
        if not rule.primal:
            tally = Tally()
            check_growth(rule, rules, tally)
            assert tally.samples
            used.append(tally.worst)
    used.sort()
    assert len(used) > 200 and used[-1] < 0.5 and used[-2] < 0.1
    assert time.process_time() - began < 60


def test_the_command_joins_both_checks(tmp_path):
    path = tmp_path / "own.rules"
    path.write_text(EXPLODING["free associativity"][0])
    results = check_files([str(path)], growth=check_growth)
    assert [(r.kind, r.problem is None) for r in results] == [("rewrite", True), ("growth", False)]
