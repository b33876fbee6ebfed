"""`@primal` patterns that never come to an end, or that lead back to themselves."""

import pytest

from egad.rules import load, loads
from egad.rules.checker.check import check_rules
from egad.rules.checker.circles import check_circle
from egad.terms.errors import RuleError

WITHOUT_END = {
    "in itself": ("sin(x) >> -sin(-x)", "sin(x) >> -sin(-x) >> --sin(--x) >> …"),
    "twice": ("exp(x) >> exp(0.5 * x) * exp(0.5 * x)", "exp(x) >> exp(0.5 * x) * exp(0.5 * x) >> "),
    "and more": ("sin(x) >> sin(x) + 0 * x", "sin(x) >> sin(x) + 0 * x >> "),
}


def problems(text):
    return [r.problem for r in check_rules(loads(text, "demo.rules"), ["demo.rules"]) if r.problem]


@pytest.mark.parametrize("case", WITHOUT_END)
def test_a_pattern_that_makes_what_it_matches(case):
    text, shown = WITHOUT_END[case]
    (problem,) = problems(f"@primal\ndef f(x):\n    {text}\n")
    assert problem.message.startswith(f"[f] never comes to an end: {shown}")
    assert str(problem.at) == "demo.rules:3:5"
    assert "no @primal pattern matches again" in problem.hint


def circles(text):
    """What is said of each pattern, in order, whatever its values are."""
    rules = loads(text, "demo.rules")
    for rule in [r for r in rules.rewrites if r.primal and r.at.file == "demo.rules"]:
        with pytest.raises(RuleError) as caught:
            check_circle(rule, rules)
        yield caught.value.message


def test_patterns_that_make_what_another_one_matches():
    there = "@primal\ndef f(x): sin(x) >> cos(x - pi / 2)\n\n\n"
    back = "@primal\ndef g(x): cos(x) >> sin(x + pi / 2)\n"
    first, second = circles(there + back)
    assert first.startswith("[f] never comes to an end, with g (demo.rules:6:11): sin(x)")
    assert second.startswith("[g] never comes to an end, with f (demo.rules:2:11): cos(x)")


def test_patterns_that_lead_back():
    (problem,) = problems("@primal\ndef f(x, y): x * y >> y * x\n")
    assert problem.message == "[f] leads back to itself: x * y >> y * x >> …"
    there = "@primal\ndef f(x): 2 * sinh(x) >> exp(x) - exp(-x)\n"
    back = "@primal\ndef g(x): exp(x) - exp(-x) >> 2 * sinh(x)\n"
    (first, second) = problems(there + back)
    assert first.message.startswith("[f] ") and second.message.startswith("[g] leads back")
    three = (("f", "cosh", "tan"), ("g", "tan", "sinh"), ("h", "sinh", "cosh"))
    found = circles("".join(f"@primal\ndef {n}(x): {a}(x) >> {b}(x)\n" for n, a, b in three))
    assert [m.partition(" to itself")[0] for m in found] == [
        "[f] leads back",
        "[g] leads back",
        "[h] leads back",
    ]


WITH_END = {
    "into nothing": "sin(asin(sin(x))) >> sin(x)",
    "where nothing is known": "if x > 0: sin(x) >> -sin(-x)",
    "one step": "exp(2 * x) >> exp(x) * exp(x)",
}


@pytest.mark.parametrize("case", WITH_END)
def test_patterns_that_come_to_an_end(case):
    assert not problems(f"@primal\ndef f(x):\n    {WITH_END[case]}\n")


def test_who_leads_into_a_circle_is_not_at_fault():
    text = "@primal\ndef f(x): 0.5 * x + 0.5 * x >> x\n@primal\ndef g(x): asinh(x) >> -asinh(-x)\n"
    (problem,) = problems(text)
    assert problem.message.startswith("[g] ")


def test_shipped_patterns_come_to_an_end():
    for rule in load().rewrites:
        if rule.primal:
            check_circle(rule, load())
