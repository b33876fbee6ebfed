"""What is found of rule sets."""

from __future__ import annotations

import pickle

from egad.terms.rule import RuleSet


def _sources(rules: RuleSet, *how: str) -> tuple[str, ...]:
    _ASKED.append(how)
    return (*rules.sources, *how)


_ASKED: list[tuple[str, ...]] = []


def test_what_is_asked_of_a_rule_set_is_found_once() -> None:
    _ASKED.clear()
    rules, others = RuleSet({}, sources=("a",)), RuleSet({}, sources=("b",))
    assert [rules.once(_sources) for _ in range(3)] == [("a",)] * 3
    assert rules.once(_sources, "x") == ("a", "x")
    assert others.once(_sources) == ("b",)
    assert _ASKED == [(), ("x",), ()]


def test_what_was_found_is_neither_copied_nor_compared() -> None:
    rules = RuleSet({}, sources=("a",))
    before = pickle.dumps(rules)
    rules.once(_sources)
    assert pickle.dumps(rules) == before
    again = pickle.loads(before)
    assert again == rules
    assert again.once(_sources, "y") == ("a", "y")
