"""Saturation: which rules run, what is folded, and how growth ends."""

import math

import numpy as np
import pytest

from egad import derive
from egad.rewrite.egraph.egraph import Graph
from egad.rewrite.egraph.saturate import Budget, Saturation, absorbing, reachable
from egad.rewrite.fold import evaluate
from egad.rules import load, loads
from egad.terms.rule import MATH_TAGS
from egad.terms.term import Term, const, const_value, var
from egad.terms.types import Scalar

F, F32, BOOL, I32 = Scalar.F64, Scalar.F32, Scalar.BOOL, Scalar.I32
RULES = load()
X, Y = var("x", F), var("y", F)


def op(name, *args, type=F):
    return Term(name, args, None, type)


def number(value, type_=F):
    return const(value, type_)


def saturated(roots, math_mode="safe", rules=RULES, budget=None):
    """Classes and growth after saturation."""
    with Graph(roots) as graph:
        saturation = Saturation(graph, rules, MATH_TAGS[math_mode], roots)
        growth = saturation.run(budget or Budget(), len(roots))
        return graph.read(), growth


def same(a, b, math_mode="safe", rules=RULES):
    """Whether the rules prove a = b."""
    classes, _ = saturated([a, b], math_mode, rules)
    return classes.loaded[a] == classes.loaded[b]


@pytest.mark.parametrize(
    ("a", "b", "modes"),
    [
        (op("add", X, Y), op("add", Y, X), {"strict", "safe", "fast"}),
        (op("neg", op("neg", X)), X, {"strict", "safe", "fast"}),
        (op("mul", X, number(1.0)), X, {"strict", "safe", "fast"}),
        (op("add", X, number(-0.0)), X, {"strict", "safe", "fast"}),
        (op("add", X, number(0.0)), X, {"safe", "fast"}),  # -0.0 + 0.0 is 0.0
        (op("mul", X, number(0.0)), number(0.0), {"safe", "fast"}),  # inf * 0
        (op("sub", X, X), number(0.0), {"safe", "fast"}),  # inf - inf
        (op("add", X, Y), op("mul", X, Y), set()),
    ],
)
def test_which_identities_hold_in_which_mode(a, b, modes):
    assert {m for m in MATH_TAGS if same(a, b, m)} == modes


def test_conditions_on_signs():
    root = op("sqrt", op("mul", X, X))
    assert same(root, op("abs", X))
    assert not same(root, X)
    e = op("exp", X)  # is positive
    assert same(op("abs", e), e)
    assert not same(op("abs", op("sub", X, Y)), op("sub", X, Y))


def test_constants_are_folded():
    two = op("add", number(1.0), number(1.0))
    assert same(op("mul", two, X), op("mul", number(2.0), X))
    assert same(op("sin", op("mul", two, number(0.0))), number(0.0))


def test_what_follows_from_a_folded_constant_is_folded():
    """However many e-nodes over constants there are: some become one, while others are new."""
    n = var("n", I32)
    four = op("sub", op("add", n, const(4, I32), type=I32), n, type=I32)
    most = op("min", op("max", four, const(0, I32), type=I32), const(8, I32), type=I32)
    assert same(op("sub", most, const(1, I32), type=I32), const(3, I32))


def test_strict_folding_is_done_in_the_type():
    a, b = number(0.1, F32), number(0.2, F32)
    strict, loose = (evaluate(RULES, "add", F32, (a, b), on) for on in (True, False))
    assert const_value(strict) == float(np.float32(0.1) + np.float32(0.2))
    assert const_value(loose) == 0.1 + 0.2


def test_what_folds_to_no_finite_number_is_left():
    one, zero = number(1.0), number(0.0)
    assert evaluate(RULES, "div", F, (one, zero), False) is None
    assert const_value(evaluate(RULES, "div", F, (one, zero), True)) == math.inf
    assert evaluate(RULES, "sqrt", F, (number(-1.0),), False) is None
    assert evaluate(RULES, "unknown", F, (one,), False) is None


def test_folding_gives_the_type_of_the_operator():
    less = evaluate(RULES, "lt", BOOL, (number(1.0), number(2.0)), False)
    assert less is const(True, BOOL)
    seven = evaluate(RULES, "mul", I32, (const(-7, I32), const(3, I32)), True)
    assert seven is const(-21, I32)


def test_a_class_with_a_constant_has_no_other_node():
    zero = op("mul", X, number(0.0))
    classes, _ = saturated([zero])
    assert [n.leaf for n in classes.nodes if n.owner == classes.loaded[zero]] == [number(0.0)]


GROWING = loads(
    "@op(cost=1)\ndef f(x) -> y:\n"
    '    numpy = "sin(x)"\n    opencl = "sin({x})"\n    dy_dx = cos(x)\n'
    "@rewrite(exact)\ndef grow(x):\n    f(x) >> f(f(x))\n",
    "grow.rules",
)
LADDER = loads(
    "@rewrite(exact)\ndef climb(x):\n    sin(x) >> sin(cos(x))\n", "ladder.rules"
)  # sin(x) = sin(cos(x)) = sin(cos(cos(x))) = …


def test_a_budget_of_iterations_ends_growth():
    _, growth = saturated([op("sin", X)], rules=LADDER, budget=Budget(iterations=3))
    assert growth.iterations == 3 and growth.ended == "3 iterations"
    assert growth.matches["ladder.rules:3:5 climb"] == 3


def test_a_budget_of_nodes_ends_growth():
    roots = [op("sin", X), op("sin", Y)]
    budget = Budget(nodes=3, growth=0.0, iterations=50)
    _, growth = saturated(roots, rules=LADDER, budget=budget)
    assert growth.ended == "4 e-nodes"
    assert 4 < growth.nodes < 12
    assert growth.iterations < 50


def test_an_iteration_that_would_explode_is_not_begun():
    """Numbers that are sorted by their negatives, and of others the one furthest from 0."""

    def f(x: float, y: float) -> float:
        z = x * y
        ys = sorted([z, z, x, 6.0, 2.0 * y], key=lambda v: -v)
        total = sum(i * v for i, v in enumerate(ys, start=1))
        return total + max(x, z, z, x, key=abs) + min(ys)

    report = derive(f, "primal", dtype="float64", optimize="fast", cache=False).report
    assert report.ended.endswith(" e-nodes")
    assert report.nodes < 4 * int(report.ended.split()[0])


def test_growth_without_news_ends_by_itself():
    _, growth = saturated([op("f", X)], rules=GROWING)  # f(x) = f(f(x)) closes on itself
    assert growth.ended == "saturated" and growth.iterations < 8


def test_budgets_scale_with_the_program():
    budget = Budget(nodes=1000, growth=2.0)
    assert budget.limit(10) == 1000
    assert budget.limit(10_000) == 20_000


def test_rules_that_cannot_apply_are_not_sent():
    _, growth = saturated([op("add", X, Y)])
    assert any("sqrt" in name or "exp" in name for name in growth.dormant)
    assert not any("add_commutes" in name for name in growth.dormant)


def test_rules_that_become_possible_are_sent():
    rules = loads(
        "@rewrite(exact)\ndef one(x):\n    sin(x) >> cos(x)\n"
        "@rewrite(exact)\ndef two(x):\n    cos(x) >> tan(x)\n"
        "@rewrite(exact)\ndef three(x):\n    exp(x) >> log(x)\n",
        "steps.rules",
    )
    mine = [r for r in rules.rewrites if r.at.file == "steps.rules"]
    assert [r.name for r in reachable(mine[::-1], {"sin"})] == ["two", "one"]
    assert same(op("sin", X), op("tan", X), rules=rules)


def test_a_rule_that_asks_for_what_cannot_exist_brings_nothing_in():
    text = """
@rewrite(real)
def asks(x):
    if exists(sqrt(x)):
        rcp(x) >> rsqrt(x) * rsqrt(x)

@rewrite(real)
def follows(x):
    rsqrt(x) >> exp(x)
"""
    mine = [r for r in loads(text, "asks.rules").rewrites if r.at.file == "asks.rules"]
    assert len(mine) == 2 and reachable(mine, {"rcp"}) == []
    assert reachable(mine, {"rcp", "sqrt"}) == mine


def test_growth_is_the_same_every_time():
    root = op("div", op("mul", X, op("exp", Y)), op("add", op("mul", X, X), op("sin", Y)))
    runs = [saturated([root]) for _ in range(2)]
    assert runs[0][1].matches == runs[1][1].matches
    assert runs[0][0].nodes == runs[1][0].nodes


def test_what_zero_absorbs_follows_from_the_rules():
    assert absorbing(RULES.rewrites) == ["mul", "div"]
    rules = loads("@rewrite(real)\ndef dark(x): fmod(0, x) >> 0\n", "dark.rules", RULES)
    assert "fmod" in absorbing(rules.rewrites)


def test_many_constants_are_folded_by_few_commands(monkeypatch):
    """One command for each once took gigabytes."""
    sent = []
    send = Graph.send
    monkeypatch.setattr(Graph, "send", lambda self, lines: sent.extend(lines) or send(self, lines))
    roots = [op("mul", number(k + 0.5), number(0.3)) for k in range(500)]
    roots += [op("div", number(1.0), op("sub", number(k + 0.5), X)) for k in range(3)]
    classes, _ = saturated(roots)
    few = len(sent)
    constants = classes.constants()
    for k, root in enumerate(roots[:500]):
        assert const_value(constants[classes.loaded[root]]) == (k + 0.5) * 0.3
    sent.clear()
    saturated([roots[0], *roots[500:]])
    assert few <= len(sent) + 5


def test_rules_of_few_rounds_stop_growing():
    """`rounds=2` of a rule that adds one per round; the others go on."""
    text = """
@rewrite(exact, rounds=2)
def grow(x):
    sin(x) >> sin(x + 1)
"""
    root = op("sin", X)
    _, growth = saturated([root], rules=loads(text, "grow.rules", base=RULES))
    _, without = saturated([root], rules=loads(text.replace(", rounds=2", ""), "g.rules", RULES))
    assert growth.matches["grow.rules:4:5 grow"] == 2
    assert without.matches["g.rules:4:5 grow"] > 2


def test_a_chain_of_choices_stays_small():
    """n choices with one value in common have exponentially many joined forms."""
    root = Y
    for i in range(30):
        root = op("select", var(f"c{i}", BOOL), op("mul", root, X), Y)
    nested = X
    for i in range(30):
        nested = op("select", var(f"c{i}", BOOL), nested, Y)
    for chain in (root, nested):
        _, growth = saturated([chain])
        assert growth.nodes < 3_000


def test_a_rule_that_names_a_fraction_is_for_reals():
    text = "@rewrite(exact)\ndef r(a: number):\n    a * 0.5 >> a / 2\n    a * 3 >> a + a * 2\n"
    rules, n = loads(text), var("n", I32)
    zero, thrice = (op("mul", n, const(c, I32), type=I32) for c in (0, 3))
    assert not same(zero, op("div", n, const(2, I32), type=I32), rules=rules)
    twice = op("mul", n, const(2, I32), type=I32)
    assert same(thrice, op("add", n, twice, type=I32), rules=rules)
    assert same(op("mul", X, number(0.5)), op("div", X, number(2.0)), rules=rules)
