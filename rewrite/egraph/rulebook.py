"""Rewrites and facts as egglog rules, and the rules that keep an e-graph sound and small.

Takes rewrites, facts and heads, gives egglog text; knows nothing of running it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...terms.rule import Fact, Rewrite
from ...terms.term import CONST, Term, const, const_value, toposort
from ...terms.types import Scalar
from .encode import (
    ACCURATE,
    FOLDABLE,
    RELATIONS,
    SQUARES,
    Head,
    Symbols,
    constant,
    constant_symbol,
    expression,
    lets,
    number,
    rule_text,
    typed,
    variables,
)
from .knowledge import LEAST, SIDES, premises, stated_bound

_FOLD = "fold "  # begins the names of the rules that mark what can be computed


def meeting_types(rule: Rewrite | Fact, used: Sequence[Scalar]) -> list[Scalar]:
    """The types for which a rule is instantiated, among those the program uses."""
    kinds = {p.kind for p in rule.params}
    reals = [t for t in used if t.is_real]
    if kinds == {"int"}:
        return [t for t in used if t is Scalar.I32]
    if "any" in kinds:
        return reals if _names_a_fraction(rule) else list(used)
    if "number" in kinds and not _names_a_fraction(rule):
        return [*reals, *(t for t in used if t is Scalar.I32)]
    return reals


def _names_a_fraction(rule: Rewrite | Fact) -> bool:
    """Whether a rule names a number that is no integer: rounded, it would be another rule."""
    sides = (rule.lhs, rule.rhs) if isinstance(rule, Rewrite) else (rule.conclusion,)
    numbers = [t for t in toposort([*sides, *rule.conditions]) if t.op == CONST]
    return any(not float(const_value(t)).is_integer() for t in numbers)


def rewrite_rule(
    symbols: Symbols,
    rule: Rewrite,
    meet: Scalar,
    ruleset: str,
    name: str,
    witness: str = "",
) -> str:
    """`(rule …)` for a rewrite at one type; each match is a row of the relation `witness`."""
    lhs, rhs = typed(rule.lhs, meet), typed(rule.rhs, meet)
    conditions = [typed(c, meet) for c in rule.conditions]
    names = variables(lhs)
    pattern = expression(symbols, lhs, names)
    asked, _ = premises(symbols, conditions, names)
    if rule.below is not None:
        asked += [f"(= cost ({LEAST} e))", f"(< cost {number(rule.below)})"]
    if rule.digits:
        asked.append(f"({ACCURATE} e)")
    if rule.squares:
        asked.append(f"({SQUARES} e)")
    lines, result = lets(symbols, rhs, names)
    actions = [*lines, f"(union e {result})"]
    if rule.directed:
        actions.append(f"(subsume {pattern})")
    if witness:
        actions.append(f"({witness} {' '.join(names.values())})")
    return rule_text([f"(= e {pattern})", *asked], actions, ruleset, name)


def match_rule(
    symbols: Symbols,
    lhs: Term,
    conditions: Sequence[Term],
    below: float | None,
    ruleset: str,
    witness: str,
) -> str:
    """`(rule …)` that writes down where a typed left side matches and conditions hold."""
    names = variables(lhs)
    asked, _ = premises(symbols, conditions, names)
    if below is not None:
        asked += [f"(= cost ({LEAST} e))", f"(< cost {number(below)})"]
    pattern = f"(= e {expression(symbols, lhs, names)})"
    return rule_text(
        [pattern, *asked], [f"({witness} {' '.join(names.values())})"], ruleset, witness
    )


def fact_rule(symbols: Symbols, fact: Fact, meet: Scalar, ruleset: str, name: str) -> str:
    """`(rule …)` for what a fact says about signs at one type; "" where it says nothing.

    A fact for any bound k is one for 0.
    """
    conclusion, conditions = _at_zero(fact, meet)
    if const_value(conclusion.args[1]) != 0:
        return ""
    names = variables(conclusion.args[0])
    asked, _ = premises(symbols, conditions, names)
    pattern = f"(= e {expression(symbols, conclusion.args[0], names)})"
    action = f"({RELATIONS[conclusion.op]} e)"
    return rule_text([pattern, *asked], [action], ruleset, name)


def _at_zero(fact: Fact, meet: Scalar) -> tuple[Term, list[Term]]:
    """A fact with 0 in the place of its bound."""
    bounds = {p.name for p in fact.params if p.kind == "bound"}

    def zeroed(comparison: Term) -> Term:
        if len(comparison.args) < 2 or bounds.isdisjoint(variables_of(comparison.args[1])):
            return comparison
        return Term(comparison.op, (comparison.args[0], const(0.0, meet)), None, Scalar.BOOL)

    terms = [zeroed(typed(c, meet)) for c in (fact.conclusion, *fact.conditions)]
    return terms[0], terms[1:]


def variables_of(term: Term) -> list[str]:
    """The names of the variables of a rule expression."""
    return [v.attr for v in variables(term)]


def bound_rule(symbols: Symbols, fact: Fact, meet: Scalar, ruleset: str, name: str) -> str:
    """`(rule …)` for what a fact says about bounds at one type; "" where it says nothing."""
    conclusion = typed(fact.conclusion, meet)
    subject, bound = conclusion.args
    if conclusion.op not in ("ge", "le") or not stated_bound(conclusion):
        return ""
    names = variables(subject)
    asked, bounds = premises(symbols, [typed(c, meet) for c in fact.conditions], names)
    pattern = f"(= e {expression(symbols, subject, names)})"
    action = f"(set ({SIDES[conclusion.op]} e) {_number_of(bound, bounds)})"
    return rule_text([pattern, *asked], [action], ruleset, f"bound by {name}")


def _number_of(bound: Term, bounds: Mapping[str, str]) -> str:
    """What a conclusion compares with: a number, k, or -k."""
    if bound.op == CONST:
        return number(const_value(bound))
    return f"(neg {bounds[bound.args[0].attr]})" if bound.args else bounds[bound.attr]


def prune_rule(symbols: Symbols, head: Head, ruleset: str) -> str:
    """A class that holds a constant loses its other nodes, or zero would match everything."""
    args = " ".join(f"x{i}" for i in range(len(head[2])))
    node = f"({symbols.of(head)} {args})"
    premises = [f"(= e ({constant_symbol(head[3])} v))", f"(= e {node})"]
    return rule_text(premises, [f"(subsume {node})"], ruleset, f"prune {symbols.of(head)}")


def leak_rules(
    symbols: Symbols, absorbing: Iterable[str], type_: Scalar, ruleset: str
) -> list[str]:
    """A class that holds `0 if c else a` is never computed by an operator that 0 absorbs.

    They are equal in real numbers, and classes know no more; but a product leaks what is
    undefined where it does not count: 0 * NaN.
    """
    choice = symbols.of(("select", None, (Scalar.BOOL, type_, type_), type_))
    rules = []
    for op in absorbing:
        node = f"({symbols.of((op, None, (type_, type_), type_))} x y)"
        for arm, inner in enumerate(("z q", "q z")):
            premises = [
                f"(= z {constant(const(0.0, type_))})",
                f"(= e ({choice} c {inner}))",
                f"(= e {node})",
                "(!= q e)",
            ]
            name = f"leak {op} {arm} {type_.value}"
            rules.append(rule_text(premises, [f"(subsume {node})"], ruleset, name))
    return rules


def foldable_rule(symbols: Symbols, head: Head, ruleset: str) -> str:
    """An operator over constants is marked, so that its value can be computed."""
    args = [f"x{i}" for i in range(len(head[2]))]
    premises = [f"(= e ({symbols.of(head)} {' '.join(args)}))"]
    for i, (arg, type_) in enumerate(zip(args, head[2], strict=True)):
        premises.append(f"(= {arg} ({constant_symbol(type_)} v{i}))")
    return rule_text(premises, [f"({FOLDABLE} e)"], ruleset, f"{_FOLD}{symbols.of(head)}")


def folds(name: str) -> bool:
    """Whether a rule is one of these, by its name."""
    return name.startswith(_FOLD)


def by_rule(matches: Mapping[str, int]) -> dict[str, int]:
    """Matches summed over the types of each rule (`name#type`); those without are left out."""
    counts: dict[str, int] = {}
    for name, count in matches.items():
        if count:
            plain = name.partition("#")[0]
            counts[plain] = counts.get(plain, 0) + count
    return counts
