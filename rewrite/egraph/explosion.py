"""Rules that explode, or that lead an e-graph into a contradiction: the part of `egad check` that
needs one.

Takes a rewrite and the rule set it lives in, raises RuleError. The rule is applied to a small
program made of its own left side: copies over other variables, and one with copies in the place
of its variables; alone, and with all rules that run beside it. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...rules.checker.compare import Tally
from ...rules.checker.judge import Floats, evaluate
from ...rules.checker.samples import columns, points
from ...rules.show import show_expression
from ...terms.errors import RuleError
from ...terms.rule import MATH_TAGS, Parameter, Rewrite, RuleSet, Tag
from ...terms.term import VAR, Term, const, substitute, toposort, var
from ...terms.types import Scalar
from .canary import contradiction
from .egraph import Graph
from .encode import typed
from .saturate import Budget, Growth, Saturation

# Shipped rules end alone after 6 rounds at most, with 40 e-nodes; together they reach 202, and one
# of them 3,339 (two roots over a quotient of roots). Free associativity reaches 18,672.
_ALONE = Budget(nodes=2_000, growth=1e9, iterations=30)
_TOGETHER = Budget(nodes=10_000, growth=1e9, iterations=8)
_MODES = {Tag.EXACT: "strict", Tag.REAL: "safe", Tag.FAST: "fast"}
_COPIES = 3
_REAL = Scalar.F32
_HINT = (
    "write it towards smaller terms, ask for what is there already (exists(a * b)), or let it "
    "run in few rounds only: @rewrite(rounds=3)"
)


def check_growth(rule: Rewrite, rules: RuleSet, tally: Tally) -> None:
    """A rule alone comes to an end, or at least beside the others; both within a budget.

    The tally counts rounds; its error is the part of the budget that was used.
    """
    program = _program(rule, rules)
    if not program:
        return
    others = [r for r in rules.rewrites if r != rule]
    alone, doubt = _grown(replace(rules, rewrites=(rule,)), rule, program, _ALONE)
    beside, more = _grown(rules, rule, program, _TOGETHER)
    for growth, budget in ((alone, _ALONE), (beside, _TOGETHER)):
        tally.samples += growth.iterations
        tally.error(growth.nodes / budget.nodes)
    start = show_expression(rule.lhs, 60)
    if alone.nodes > _ALONE.nodes:
        raise _fault(rule, f"explodes alone: {_reached(alone)} from {start}", _HINT)
    if beside.nodes > _TOGETHER.nodes or (alone.ended != "saturated" != beside.ended):
        before, _ = _grown(replace(rules, rewrites=tuple(others)), rule, program, _TOGETHER)
        if beside.nodes > _TOGETHER.nodes >= before.nodes:
            what = f"explodes beside the other rules: {_reached(beside)} from {start}, "
            raise _fault(rule, f"{what}{before.nodes} without it", _HINT)
        if alone.ended != "saturated":
            what = f"never comes to an end: {_reached(alone)} from {start}, alone, and counting"
            raise _fault(rule, what, _HINT)
    if found := doubt or more:
        raise _fault(
            rule,
            f"leads to a contradiction{'' if doubt else ' beside the other rules'}: {found}, "
            f"from {start}",
            "add a condition under which both sides are equal, or correct the rule",
        )


def _fault(rule: Rewrite, message: str, hint: str) -> RuleError:
    return RuleError(f"[{rule.name}] {message}", rule.at, hint)


def _reached(growth: Growth) -> str:
    return f"{growth.nodes} e-nodes after {growth.iterations} rounds"


def _grown(
    rules: RuleSet, rule: Rewrite, program: Sequence[Term], budget: Budget
) -> tuple[Growth, str]:
    """What becomes of the program, and the contradiction in it."""
    with Graph(program) as graph:
        saturation = Saturation(graph, rules, MATH_TAGS[_MODES[rule.tag]], program)
        growth = saturation.run(budget, len(toposort(program)))
        return growth, "" if growth.nodes > budget.nodes else contradiction(graph.read())


def _program(rule: Rewrite, rules: RuleSet) -> list[Term]:
    """Copies of the left side, and one whose variables are copies, as far as they have values.

    What a rule's conditions ask for is there: constants, signs, terms that exist.
    """
    more = [c.args[0] for c in rule.conditions if c.op == "exists"]
    sides = [rule.lhs, *more]
    free = [t for t in toposort(sides) if t.op == VAR]
    copies = [substitute(sides, {v: _leaf(rule, v, k) for v in free}) for k in range(_COPIES)]
    inner = {
        v: copies[(i + 1) % _COPIES][0]
        if v.type is rule.lhs.type and not _asked(rule, v)
        else _leaf(rule, v, 0)
        for i, v in enumerate(free)
    }
    found = [t for copy in copies for t in copy] + substitute(sides, inner)
    plain = [typed(t, _REAL) for t in dict.fromkeys(found) if _has_values(t, rules)]
    # Rules of integers, too, run in programs that compute something real.
    return [*plain, var("real", _REAL)] if plain else []


def _variables(term: Term) -> Iterator[Term]:
    return (t for t in toposort([term]) if t.op == VAR)


def _asked(rule: Rewrite, variable: Term) -> bool:
    """Whether a condition asks for a sign of the variable, or for a constant."""
    asked = [c for c in rule.conditions if c.op != "exists"]
    return any(v is variable for c in asked for v in _variables(c))


def _leaf(rule: Rewrite, variable: Term, k: int) -> Term:
    """A fresh variable; a constant or a term with a sign, where a condition asks for it."""
    name, type_ = variable.attr, variable.type
    fresh = var(f"{name}{k}", type_)
    for condition in rule.conditions:
        if condition.args[0] is not variable:
            continue
        match condition.op:
            case "is_const":
                return const(3.0 + 2 * k if type_.is_real else 3 + 2 * k, type_)
            case "ge" | "gt" | "ne":
                return Term("cosh", (fresh,), None, type_)
            case "le" | "lt":
                return Term("neg", (Term("cosh", (fresh,), None, type_),), None, type_)
    return fresh


def _has_values(term: Term, rules: RuleSet) -> bool:
    """Whether the term is a number anywhere: 0/(0/x) is none, and proves what you like."""
    params = [Parameter(v.attr, _kind(v)) for v in _variables(term)]
    env: Mapping[str, np.ndarray] = columns(points(params, "explosion", 24), np.float64)
    with np.errstate(all="ignore"):
        value = np.asarray(evaluate(term, env, rules, Floats(np.float64)))
    return value.dtype.kind != "f" or bool(np.isfinite(value).any())


def _kind(variable: Term) -> str:
    return {Scalar.BOOL: "bool", Scalar.I32: "int"}.get(variable.type, "real")
