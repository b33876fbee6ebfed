"""Engines that are kept: what comes out does not depend on what came before, or beside it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from egad import derive
from egad.rewrite.egraph import saturate
from egad.rewrite.egraph.engine import Engine, Kept
from egad.rules import load
from egad.terms.errors import ExtractError
from egad.terms.rule import MATH_TAGS
from egad.terms.term import Term, const, var
from egad.terms.types import Memory, Scalar

F32 = Scalar.F32
RULES = load()
SAFE = MATH_TAGS["safe"]
X, Y = var("x", F32), var("y", F32)


def op(name, *args):
    return Term(name, args, None, F32)


ONE = [op("add", op("mul", X, Y), op("mul", Y, X))]
OTHER = [op("mul", op("add", X, Y), op("add", X, op("mul", Y, Y)))]


@pytest.fixture(autouse=True)
def none_kept(monkeypatch):
    monkeypatch.setattr(saturate, "_KEPT", Kept(2))


def saturated(roots):
    with saturate.saturating(RULES, SAFE, roots) as saturation:
        saturation.run(saturate.Budget(), 10)
        return saturation.graph.read()


def test_a_kept_engine_gives_what_a_new_one_gives(monkeypatch):
    first = saturated(ONE)
    assert saturate.concerned(ONE) == saturate.concerned(OTHER)
    between = saturated(OTHER)
    made = []
    monkeypatch.setattr(saturate, "Engine", lambda: made.append(1) or Engine())
    again = saturated(ONE)
    assert not made
    assert (again.nodes, again.count, again.loaded) == (first.nodes, first.count, first.loaded)
    assert between.nodes != first.nodes


def test_as_many_engines_are_kept_as_asked_for():
    for name in ("exp", "sin", "cos", "tan"):
        saturated([op(name, X)])
    kept = [ops for _, _, _, ops in saturate._KEPT.idle]
    assert kept == [saturate.reached(RULES, SAFE, frozenset([name])) for name in ("cos", "tan")]


def test_operators_that_rules_bring_in_ask_for_no_engine_of_their_own(monkeypatch):
    """A quotient is a product with a reciprocal, and the other way round."""
    ratio, product = [op("div", X, Y)], [op("mul", X, op("rcp", Y)), op("neg", X)]
    assert saturate.concerned(ratio)[1] < saturate.reached(RULES, SAFE, frozenset(["div"]))
    alone = saturated(product)
    monkeypatch.setattr(saturate, "_KEPT", Kept(2))
    saturated(ratio)
    made = []
    monkeypatch.setattr(saturate, "Engine", lambda: made.append(1) or Engine())
    again = saturated(product)
    assert not made
    assert (again.nodes, again.count, again.loaded) == (alone.nodes, alone.count, alone.loaded)


def test_what_no_rule_names_asks_for_no_engine_of_its_own():
    memory = Memory(F32, 4)
    kept = Term("load", (var("m", memory), const(0, Scalar.I32)), None, F32)
    assert saturate.concerned([op("sin", kept)])[1] == frozenset(["sin"])


def test_after_an_error_an_engine_is_not_used_again():
    saturated(ONE)
    with pytest.raises(ExtractError), saturate.saturating(RULES, SAFE, ONE) as saturation:
        saturation.graph.send(["(nonsense)"])
    assert not saturate._KEPT.idle
    assert saturated(ONE).nodes


def test_threads_do_not_share_an_engine():
    def f(x: float, y: float) -> float:
        return np.sin(x * y) * np.exp(x) + x * y

    alone = derive(f, "bwd").source
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: derive(f, "bwd").source, range(8))) == {alone}


def test_rule_sets_do_not_share_an_engine(tmp_path):
    def f(x: float) -> float:
        return x + x

    plain = derive(f, "primal")
    text = "@rewrite(real)\ndef twice(x):\n    x + x >> x * 2\n\n@rewrite(real)\ndef back(x):\n"
    text += "    x * 2 >> x - (0 - x)\n"
    path = tmp_path / "own.rules"
    path.write_text(text)
    other = derive(f, "primal", rules=[str(path)])
    assert any(name.endswith(" twice") for name in other.report.fired)
    assert not any(name.endswith(" twice") for name in derive(f, "primal").report.fired)
    assert derive(f, "primal").source == plain.source
