"""Which rules a saving came from: credits add up, name the rules that did it, and do not change."""

import math
import re

import pytest

from egad import derive
from egad.explaining import saved as module
from egad.rewrite.proofs.shares import credits


def shading(n: float, light: float, h: float) -> float:
    d = n * h + light * h
    return (d / n + light / n) * math.exp(-d) / math.sqrt(light * light + h * h)


def ratio(x: float, y: float) -> float:
    return x * y / (x + y)


def common_factor(a: float, b: float, c: float) -> float:
    return a * b + a * c


def fall(x: float, k: float) -> float:
    for _ in range(20):
        x = x + k / (1 + x * x) + x / (1 + x * x)
    return x


def section(text):
    """What the text says of savings, without the places of rules."""
    found = re.search(r"^  saved by.*\n(?:    .*\n)*", text, re.MULTILINE)[0]
    return re.sub(r"(\.rules):\d+:\d+", r"\1", found)


def lines(text):
    """The saving of each rule."""
    found = re.findall(r"^ +([\d.e+]+) +\d+%  (.*)$", section(text), re.MULTILINE)
    return {re.sub(r"^\S*\.rules ", "", name): float(saved) for saved, name in found}


def test_the_text_says_what_each_rule_saved(golden):
    golden("saved.txt", section(derive(ratio, "jacobian").explain()))


@pytest.mark.parametrize("mode", ["value_and_grad", "hessian"])
@pytest.mark.parametrize("effort", ["fast", "default"])
def test_credits_add_up_to_the_saving(mode, effort):
    derived = derive(shading, mode, optimize=effort)
    (body,) = derived._proven[1]
    found = credits(body.proof, body.solved, derived.rules)
    assert all(credit.saved >= 0 and credit.steps > 0 for credit in found)
    saving = derived.report.cost_before - derived.report.cost_after
    assert sum(credit.saved for credit in found) == pytest.approx(saving)
    assert [c.saved for c in found] == sorted((c.saved for c in found), reverse=True)


def test_one_rule_that_does_it_all_has_all_credit():
    derived = derive(common_factor, "primal")
    assert lines(derived.explain()) == {"factor": 1.0}
    assert "(of 1; 0 more rules only led there)" in derived.explain()


def test_a_rule_is_credited_with_what_is_lost_without_it(tmp_path):
    file = tmp_path / "given.rules"
    file.write_text(
        "rules_version = 1\n@rewrite(real)\ndef quarter_turn(x):\n"
        "    asin(x) + acos(x) >> 1.5707963267948966\n"
    )

    def turned(x: float, y: float) -> float:
        return (math.asin(x) + math.acos(x)) * y + (x * y + x * y * y)

    with_it = derive(turned, "primal", rules=[file])
    without = derive(turned, "primal").report.cost_after
    assert lines(with_it.explain())["quarter_turn"] == without - with_it.report.cost_after > 50


def test_the_body_of_a_loop_counts_as_often_as_it_runs():
    derived = derive(fall, "fwd")
    saving = derived.report.cost_before - derived.report.cost_after
    found = lines(derived.explain())
    assert max(found.values()) >= 20  # of one body it is a few
    assert sum(found.values()) == pytest.approx(saving)


def test_where_nothing_was_saved_nothing_is_said():
    assert "saved by" not in derive(lambda x: x + 1, "primal").explain()


def test_large_programs_are_not_shared_out(monkeypatch):
    monkeypatch.setattr(module, "_QUICK", 10)
    derived = derive(shading, "value_and_grad")
    text = derived.explain()
    assert "not shared out among rules: 47 terms, more than 10; explain(rules=True) does" in text
    assert "_proven" not in derived.__dict__


def test_gaps_are_told(monkeypatch):
    monkeypatch.setattr(module, "credits", lambda *_: None)
    text = derive(shading, "primal").explain()
    assert "saved by    not known: the derivation has gaps" in text
