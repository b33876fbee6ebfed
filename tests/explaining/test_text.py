"""The text of `explain(rules=True)`: a derivation for every statement, and what the rules did."""

import pickle
import re

import numpy as np
import pytest

from egad import DeriveError, derive


def wave(a: float, x: float) -> float:
    r = x * x + a * a
    s = np.sqrt(r)
    return s * np.sin(r) / (1 + s) + np.exp(a * x)


@pytest.fixture(scope="module")
def derived():
    return derive(wave)


@pytest.fixture(scope="module")
def text(derived):
    return derived.explain(rules=True)


def test_every_statement_of_the_kernel_is_there(derived, text):
    body = derived.source.partition("{")[2].partition("}")[0]
    statements = [line.split("//")[0].strip() for line in body.splitlines() if "=" in line]
    assert len(statements) > 20
    for statement in statements:
        assert f"\n  {statement}\n" in text
    assert f"{len(statements)} of {len(statements)} statements are derived completely" in text
    assert "NOT DERIVED" not in text and "NOT CHECKED" not in text


def test_a_derivation_reads_from_start_to_end(text):
    found = re.search(r"const float t\d+ = (s \+ 1.0f|1.0f \+ s);\n", text)
    part = text[found.end() :]
    assert re.match(r"    1 \+ s  p\d+ of the plain program\n", part)
    assert re.search(r"of the plain program\n      = .*  by algebra", text)
    assert "brought in by" in text and re.search(r"since p\d+ = t\d+", text)


def test_derivative_rules_are_named(text):
    assert re.search(r"p\d+ = .*  # arithmetic\.rules:\d+:\d+ pull\.mul\.0", text)
    assert re.search(r"test_text\.py:\d+:\d+", text)


def test_what_the_rules_did(text):
    assert re.search(r"\d+ +\d+  algebra\.rules:\d+:\d+ mul_commutes: a \* b >> b \* a", text)
    assert re.search(r"mul_constants: not known that const\(c\) and const\(d\)", text)
    assert re.search(r"\d+ rewrites never matched:\n  algebra\.rules: .*pythagoras", text)


def test_the_explanation_of_a_pickled_derivation_is_the_same(derived, text):
    again = pickle.loads(pickle.dumps(derived))
    steady = re.compile(r"seconds .*")
    assert steady.sub("", again.explain(rules=True)) == steady.sub("", text)
    assert again == derived and hash(again) == hash(derived)


def test_deriving_keeps_nothing_for_explanations(derived):
    fresh, again = derive(wave), derive(wave)  # the first of all shares no names with its rules
    assert "account" not in fresh.__dict__
    assert len(pickle.dumps(fresh)) == len(pickle.dumps(again))


def test_settings_are_those_of_the_derivation():
    for settings in ({"math": "strict"}, {"math": "fast", "optimize": "fast"}, {"mode": "hessian"}):
        account = derive(wave, **{"mode": "bwd", **settings}).account
        assert account.coverage == 1.0


def test_a_derivation_that_is_not_this_one_is_refused(derived):
    other = derive(lambda x: x * x)
    from dataclasses import replace

    mixed = replace(derived, program=other.program)
    with pytest.raises(DeriveError, match="deriving it again gives another program"):
        mixed.explain(rules=True)
