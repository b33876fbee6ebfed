"""What rules can ask for: bounds, costs, integers, truth values, and groups."""

import numpy as np
import pytest

import egad
from egad import DeriveError, RuleError, cos, derive, exp, rules, sin, tanh
from egad.rules.checker.check import check_rules


def fired(f, text="", **options):
    """The rules of a text that fired, and the program's numbers against Python's."""
    own = [rules.loads(text, "own.rules")] if text else []
    primal = derive(f, "primal", dtype="float64", rules=own, **options)
    points = np.linspace(-2.5, 2.5, 41)
    wanted = [float(f(x)) for x in points.tolist()]
    np.testing.assert_allclose(primal.reference(points), wanted, rtol=1e-13, atol=1e-13)
    return {name.split()[-1]: n for name, n in primal.report.fired.items()}


BIG = """
@rewrite(real)
def big(x):
    if x >= 1: abs(x) >> x
"""


@pytest.mark.parametrize(
    ("f", "known"),
    [
        (lambda x: abs(egad.max(x, 1.0)), True),
        (lambda x: abs(egad.max(x, 0.5)), False),
        (lambda x: abs(2.0 + x * x), True),
        (lambda x: abs(egad.max(x, 1.5) + exp(x)), True),
        (lambda x: abs(-egad.min(x, -1.0)), True),
        (lambda x: abs(-egad.min(x, -0.5)), False),
        (lambda x: abs(egad.min(egad.max(x, 1.0), 3.0)), True),
        (lambda x: abs(egad.select(x > 0.0, egad.max(x, 1.0), 2.0)), True),
        (lambda x: abs(x + 1.0), False),
    ],
)
def test_bounds_of_values(f, known):
    assert ("big" in fired(f, BIG)) == known


@pytest.mark.parametrize(
    ("f", "gone"),
    [
        (lambda x: egad.max(sin(x), -1.0), True),
        (lambda x: egad.min(tanh(x), 1.0), True),
        (lambda x: egad.clamp(cos(x), -1.0, 1.0), True),
        (lambda x: egad.clamp(x * x, 0.0, 1.0), True),
        (lambda x: egad.clamp(x, 0.0, 1.0), False),
        (lambda x: egad.max(egad.saturate(x), -1.0), True),
        (lambda x: egad.max(-cos(x), -2.0), True),
        (lambda x: egad.max(sin(x), -0.5), False),
        (lambda x: egad.max(egad.min(x, 1.0), 2.0), True),
        (lambda x: egad.min(egad.max(x, 1.0), egad.max(x, 2.0)), False),
    ],
)
def test_extrema_of_what_lies_apart_vanish(f, gone):
    names = ("extrema_ordered", "clamp_ordered")
    assert any(name.startswith(names) for name in fired(f)) == gone


def test_a_rule_below_a_cost():
    text = "@rewrite(real, below=10)\ndef spread(x, y, z):\n    (x + y) * z >> x * z + y * z"
    assert "spread" in fired(lambda x: (x + 2.0) * 3.0, text)
    assert "spread" not in fired(lambda x: (sin(x) + exp(x)) * 3.0, text)
    cheaper = text.replace("below=10", "below=1.5")
    assert "spread" not in fired(lambda x: (x + 2.0) * 3.0, cheaper)


INTEGERS = """
@op(cost=4)
def step_by(x, n: int) -> y:
    numpy  = "x + n"
    mpmath = "x + n"
    opencl = "({x} + {n})"
    dy_dx = 1

@rewrite(real)
def many(x, n: int):
    if n >= 2: step_by(x, n) >> x + n

@rewrite(real)
def one(x, n: int):
    if n == 1: step_by(x, n) >> x + 1

@rewrite(real)
def back(x, n: int):
    if n < 0: step_by(x, n) >> x - (-n)

@rewrite(real)
def chosen(c: bool, x, y):
    if c: step_by(x if c else y, 0) >> x
"""


def test_conditions_on_integers_and_truth_values():
    own = rules.loads(INTEGERS, "own.rules")
    assert [r.problem for r in check_rules(own, ["own.rules"])] == [None] * 6

    def stepped(n):
        return lambda x: step_by(x, n)  # noqa: F821

    names = {}
    for n in (0, 1, 2, 3, -4):
        primal = derive(stepped(n), "primal", rules=[own])
        assert primal(0.5) == primal.reference(0.5) == 0.5 + n
        fired = {name.split()[-1] for name in primal.report.fired}
        names[n] = sorted(fired & {"many", "one", "back"})
    assert names == {0: [], 1: ["one"], 2: ["many"], 3: ["many"], -4: ["back"]}


OFF = """
@rewrite(fast, group="logs", on=False)
def undone(x):
    exp(log(x)) >> x
"""


def test_groups_are_switched_by_name():
    own = rules.loads(OFF, "own.rules")

    def f(x):
        return exp(egad.log(x)) + 1.0

    def report(**options):
        return derive(f, "primal", math="fast", rules=[own], **options).report

    off, on = report(), report(groups={"logs": True})
    assert any("off: groups={'logs': True} switches it on" in why for why in off.idle.values())
    assert any(name.endswith(" undone") for name in on.fired) and not on.idle
    plain = report(groups={"algebra": False})
    by_name = {f"{rule.at} {rule.name}": rule.group for rule in own.rewrites}
    assert {by_name[name] for name in plain.fired} <= {"commute", "compare"}
    with pytest.raises(DeriveError, match="there is no group of rewrites 'lgos'; did you mean"):
        report(groups={"lgos": True})
    with pytest.raises(DeriveError, match="is not clear"):
        report(groups={"logs": "yes"})


@pytest.mark.parametrize(
    ("lines", "place", "message"),
    [
        ("if a >= k: max(a, b) >> a", "3:8", "'k' is bounded from one side only"),
        ("if a >= k and b <= k: max(a, b) >> k", "3:40", "the bound 'k' is no value"),
        ("if a >= b and b <= k and a >= k: max(a, b) >> a", "3:8", "compares an expression with a"),
        ("if a != 1 and b <= k and a >= k: max(a, b) >> a", "3:8", "differ from 0 only"),
        ("if a == k and b <= k: max(a, b) >> a", "3:8", "a bound is no value"),
    ],
)
def test_mistakes_in_bounds(lines, place, message):
    text = f"@rewrite(real)\ndef wrong(a, b, k: bound):\n    {lines}"
    with pytest.raises(RuleError, match=r".") as raised:
        rules.loads(text, "own.rules")
    assert str(raised.value).startswith(f"own.rules:{place}") and message in raised.value.message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("if a >= k: max(a, b) <= k", "the bound 'k' of the conditions is not that of"),
        ("max(a, b) >= k", "no condition says anything about 'k'"),
        ("if a >= k and b <= k: max(a, b) >= k", "the bound 'k' of the conditions is not that of"),
    ],
)
def test_mistakes_in_facts_about_bounds(line, message):
    text = f"@fact\ndef wrong(a, b, k: bound):\n    {line}"
    with pytest.raises(RuleError, match=r".") as raised:
        rules.loads(text, "own.rules")
    assert message in raised.value.message


def test_a_bound_is_no_parameter_of_an_operator():
    with pytest.raises(RuleError, match="bounds are for rewrites and facts"):
        rules.loads("def f(x, k: bound) -> y:\n    y = x", "own.rules")
