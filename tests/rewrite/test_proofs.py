"""Derivations: that every term has one, that checks catch a wrong one, and what is said else."""

from dataclasses import replace

import numpy as np
import pytest

import egad
from egad import rewrite, rules
from egad.rewrite.egraph.egraph import Graph
from egad.rewrite.egraph.saturate import Budget, Saturation
from egad.rewrite.proofs.closure import Closure
from egad.rewrite.proofs.numbers import trial
from egad.rewrite.proofs.prove import prove
from egad.rewrite.proofs.steps import Lemma, Proof, Step, faults
from egad.rewrite.proofs.tally import tally
from egad.rewrite.proofs.witness import Typed
from egad.terms.program import Program, Slot
from egad.terms.rule import MATH_TAGS, Tag
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

F32 = Scalar.F32
RULES = rules.load()
X, Y, Z = (var(n, F32) for n in "xyz")


def op(name, *args):
    return Term(name, args, None, F32)


def solved(root, math="safe", ruleset=RULES):
    """The proof of one result, with the first e-graph; the program is over x, y, z."""
    params = tuple(Slot(n, F32) for n in "xyz")
    program = Program("p", params, (Slot("out", F32),), ((root,),))
    found = []
    report = rewrite.Report("p", "primal", math, "float32")
    options = rewrite.Options(math=math)
    rewrite.optimize(program, ruleset, F32, options, report, True, found)
    proof, parts = prove(found[-1], ruleset)
    return found[-1], proof, parts


def chain_of(proof, term):
    derivation = proof.derivations[term]
    return [
        (s.rule.rule.name if s.rule else s.kind, s.after)
        for s in proof.lemmas[derivation.lemma].steps
    ]


# ---------------------------------------------------------------- the closure


def closure_of(*terms):
    closure = Closure()
    for term in terms:
        closure.add(term, tuple(closure.index[a] for a in term.args), len(closure.terms))
    return closure


def test_equals_below_an_operator_are_equal_above_it():
    tall_x, tall_y = op("sin", op("exp", X)), op("sin", op("exp", Y))
    closure = closure_of(X, Y, op("exp", X), op("exp", Y), tall_x, tall_y)
    a, b = closure.index[tall_x], closure.index[tall_y]
    assert not closure.equal(a, b)
    closure.merge(closure.index[X], closure.index[Y], 7)
    assert closure.equal(a, b)
    assert closure.path(a, b) == [(a, b, None)]
    assert closure.path(closure.index[X], closure.index[Y]) == [(0, 1, 7)]


def test_a_path_goes_by_the_equations_that_were_given_first():
    terms = [var(f"v{i}", F32) for i in range(6)]
    closure = closure_of(*terms)
    for reason, (a, b) in enumerate([(0, 1), (2, 3), (1, 2), (0, 3), (4, 5), (5, 0)]):
        closure.merge(a, b, reason)
    assert [e[2] for e in closure.path(0, 3)] == [0, 2, 1]
    assert [e[2] for e in closure.path(3, 0)] == [1, 2, 0]
    assert [e[2] for e in closure.path(4, 2)] == [4, 5, 0, 2]
    assert closure.path(3, 3) == []


def test_a_term_added_late_joins_its_twin():
    closure = closure_of(X, Y, op("exp", X))
    closure.merge(0, 1, 0)
    late = closure.add(op("exp", Y), (1,), 9)
    assert closure.equal(late, 2) and closure.first[closure.root[late]] == 2


def test_deep_terms_and_long_chains_need_no_recursion():
    n = 5_000
    closure = Closure()
    here, there = closure.add(X, (), 0), closure.add(Y, (), 1)
    for i in range(n):
        here = closure.add(op("sin", closure.terms[here]), (here,), 2 * i + 2)
        there = closure.add(op("sin", closure.terms[there]), (there,), 2 * i + 3)
    closure.merge(0, 1, 0)
    assert closure.equal(here, there)


# ---------------------------------------------------------------- derivations


def test_a_derivation_goes_from_the_plain_term_to_the_chosen_one():
    root = op("add", op("mul", X, Y), op("mul", X, Z))
    one, proof, _ = solved(root)
    best = one.best.flat[0]
    derivation = proof.derivations[best]
    assert derivation.start is root and derivation.origin is None
    assert chain_of(proof, best)[0] == ("factor", op("mul", X, op("add", Y, Z)))
    inner = next(t for t in proof.derivations if t.op == "add")
    assert proof.derivations[inner].origin.rule.rule.name == "factor"
    assert faults(proof, RULES, strict=False) == []


def test_constants_are_steps_of_their_own():
    root = op("mul", const(2.0, F32), op("mul", const(3.0, F32), X))
    one, proof, _ = solved(root)
    best = one.best.flat[0]
    kinds = {s.kind for s in proof.steps(proof.derivations[best])}
    assert const(6.0, F32) in best.args and {"rule", "constants", "arguments"} <= kinds
    assert faults(proof, RULES, strict=False) == []


def test_what_stays_has_a_derivation_without_steps():
    root = op("sin", X)
    _, proof, _ = solved(root)
    derivation = proof.derivations[root]
    assert derivation.start is root and proof.lemmas[derivation.lemma].steps == ()


@pytest.mark.parametrize("math", MATH_TAGS)
def test_all_maths_are_explained(math):
    root = op("div", op("sub", op("mul", X, Y), op("mul", Z, X)), op("neg", op("neg", X)))
    one, proof, _ = solved(root, math)
    assert all(d.lemma is not None for d in proof.derivations.values())
    assert faults(proof, RULES, strict=one.tags == (Tag.EXACT,)) == []
    assert trial(proof, RULES, one.plain.flat).differing == ()


def test_what_is_not_proven_is_named(monkeypatch):
    monkeypatch.setattr("egad.rewrite.proofs.replay.LIMIT", -1)
    one, proof, _ = solved(op("add", op("mul", X, Y), op("mul", X, Z)))
    missing = [d for d in proof.derivations.values() if d.lemma is None]
    assert [d.term for d in missing][-1] is one.best.flat[0]
    assert "no chain of rules was found (-1 applications of rules)" in missing[0].problem
    assert faults(proof, RULES, strict=False) == []  # what there is, is right


def test_a_deep_program_is_proven_quickly():
    term = X
    for _ in range(3_000):
        term = op("sub", op("mul", term, Y), op("neg", Z))
    one, proof, _ = solved(term)
    assert all(d.lemma is not None for d in proof.derivations.values())
    assert len(proof.derivations) == len([t for t in one.best.terms() if t.args])


# ---------------------------------------------------------------- the checks


def wronged(proof, change):
    """The proof with its first step that a rule makes changed."""
    lemmas, done = list(proof.lemmas), False
    for i, lemma in enumerate(lemmas):
        for j, step in enumerate(lemma.steps):
            if step.rule is not None and not done:
                steps = (*lemma.steps[:j], change(step), *lemma.steps[j + 1 :])
                lemmas[i], done = replace(lemma, steps=steps), True
    assert done
    return Proof(proof.derivations, tuple(lemmas))


def test_a_wrong_step_is_found():
    _, proof, _ = solved(op("add", op("mul", X, Y), op("mul", X, Z)))
    turned = wronged(proof, lambda s: replace(s, forwards=not s.forwards))
    assert "does not match" in faults(turned, RULES, strict=False)[0]
    other = wronged(proof, lambda s: replace(s, bound=(Z, *s.bound[1:])))
    assert "does not match" in faults(other, RULES, strict=False)[0]
    ended = wronged(proof, lambda s: replace(s, after=op("cos", X)))
    assert "gives another term" in faults(ended, RULES, strict=False)[0]
    broken = wronged(proof, lambda s: replace(s, rule=None, lemmas=()))
    assert "not a computation with constants" in faults(broken, RULES, strict=False)[0]


def test_a_circle_is_found():
    root = op("sin", op("add", op("mul", X, Y), op("mul", X, Z)))
    _, proof, _ = solved(root)
    lemmas = list(proof.lemmas)
    place = next(i for i, lemma in enumerate(lemmas) if lemma.start is root and lemma.steps)
    (step,) = lemmas[place].steps
    lemmas[place] = replace(lemmas[place], steps=(replace(step, lemmas=(place,)),))
    wrong = faults(Proof(proof.derivations, tuple(lemmas)), RULES, strict=False)
    assert "an argument changes without an earlier lemma" in wrong[0]
    lemmas[place] = replace(lemmas[place], steps=(replace(step, lemmas=(None,)),))
    wrong = faults(Proof(proof.derivations, tuple(lemmas)), RULES, strict=False)
    assert "an argument changes without an earlier lemma" in wrong[0]


def test_a_derivation_of_another_term_is_found():
    _, proof, _ = solved(op("add", op("mul", X, Y), op("mul", X, Z)))
    term = next(t for t, d in proof.derivations.items() if proof.lemmas[d.lemma].steps)
    wrong = replace(proof.derivations[term], start=op("cos", X))
    found = faults(Proof({**proof.derivations, term: wrong}, proof.lemmas), RULES, strict=False)
    assert "is about other terms" in found[-1]


def test_a_false_rule_is_found_with_numbers():
    false = "@rewrite(real)\ndef wrong(x):\n    sin(x) * cos(x) >> 0.75 * x\n"
    ruleset = rules.loads(false, "false.rules", RULES)
    bad = next(r for r in ruleset.rewrites if r.name == "wrong")
    start, end = op("mul", op("sin", X), op("cos", X)), op("mul", const(0.75, F32), X)
    made = Typed(bad, start, end, (), (X,))
    lie = Proof({}, (Lemma(start, end, (Step(start, end, made, True, (X,)),)),))
    assert faults(lie, ruleset, strict=False) == []
    assert len(trial(lie, ruleset, [start]).differing) == 1


# ---------------------------------------------------------------- what fired


def test_matches_near_misses_and_rules_that_never_matched_are_told_apart():
    _, _, parts = solved(op("mul", op("sqrt", X), op("sqrt", X)))
    counted = tally(parts, RULES, MATH_TAGS["safe"])
    name = next(n for n in counted.near if n.endswith(" root_products.5"))
    assert counted.near[name] == {"x >= 0": 1} and name not in counted.fired
    assert any(n.endswith(" mul_commutes") for n in counted.fired)
    assert any(n.endswith(" pythagoras") for n in counted.never)
    assert not set(counted.never) & {*counted.fired, *counted.near}
    known = op("mul", op("sqrt", op("mul", X, X)), op("sqrt", op("mul", X, X)))
    _, _, parts = solved(known)
    counted = tally(parts, RULES, MATH_TAGS["safe"])
    assert any(n.endswith(" root_products.5") for n in counted.fired)


def test_a_derivation_goes_on_where_factors_were_regrouped():
    products = [op("mul", op("mul", X, op(f, X)), Y) for f in ("sin", "cos", "exp", "tanh")]
    total = products[0]
    for product in products[1:]:
        total = op("max", total, product)
    one, proof, _ = solved(total)
    assert len(one.stages) > 1 and len(one.best.terms()) < len(one.plain.terms())
    (result,) = proof.results
    lemma = proof.lemmas[result.lemma]
    assert lemma.start is total and lemma.end is one.best.flat[0]
    assert any(
        s.groups for n in proof.below(result.lemma, lambda _: False) for s in proof.lemmas[n].steps
    )
    assert faults(proof, RULES, strict=False) == []
    wrong = Step(products[0], products[1], groups=True)
    assert (
        "another function"
        in faults(Proof({}, (Lemma(products[0], products[1], (wrong,)),)), RULES, strict=False)[0]
    )


def test_the_witnessed_graph_is_the_graph_that_was_chosen_from():
    one, _, [(found, _)] = solved(op("add", op("mul", X, Y), op("mul", X, Z)))
    with Graph(one.plain.flat) as graph:
        Saturation(graph, RULES, one.tags, one.plain.flat).run(Budget(), len(one.plain.terms()))
        plain = graph.read()
    own = {(n.head, n.leaf) for n in plain.nodes}
    assert own <= {(n.head, n.leaf) for n in found.classes.nodes}
    assert plain.count <= found.classes.count


# ---------------------------------------------------------------- whole derivations


def shaded(n: egad.float3, rough: float) -> float:
    u = egad.normalize(n)
    d = u.x * u.x * (rough - 1) + 1
    return rough / (np.pi * d * d)


def steps_of(x: float, k: int) -> float:
    total = 0.0
    egad.max_iters(8)
    for _ in range(k):
        total = total * x + np.sin(total) / (1 + x * x)
    return total


def chosen(x: float, y: float) -> float:
    if x > y:
        return np.sqrt(x * x + y * y) / x
    return np.exp(x) * np.exp(y) if y > 0 else x


@pytest.mark.parametrize("f", [shaded, steps_of, chosen])
@pytest.mark.parametrize("mode", ["bwd", "fwd"])
def test_every_statement_is_derived(f, mode):
    derived = egad.derive(f, mode)
    account = derived.account
    assert account.coverage == 1.0
    for body in account.bodies:
        assert body.faults == () and body.trial.differing == ()
    assert sum(len(b.proof.lemmas) for b in account.bodies) > 5
    assert (len(account.bodies) > 1) == (f is steps_of)
    if f is steps_of:
        assert len({line.body for line in account.lines}) > 1
