"""What is known of values, as egglog text: signs, bounds, and what computing them costs.

    ge0(e), …    lower(e) <= e <= upper(e)    least(e): the cheapest form of e, nothing shared

Bounds come from constants, from ranges of operators and from facts; they are numbers of the
program's own types, taken over and never computed with, so that no rounding can make them
wrong. Takes conditions of rules, gives premises. Bounds and costs are sent where a rule asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...terms.rule import Rewrite
from ...terms.term import CONST, VAR, Term, const_value
from ...terms.types import Scalar
from .encode import (
    LEAF,
    RELATIONS,
    SORT,
    Head,
    Symbols,
    constant,
    constant_symbol,
    expression,
    number,
    numbered,
    rule_text,
    typed,
)

LOWER, UPPER, LEAST = "lower", "upper", "least"
SIDES = {"ge": LOWER, "gt": LOWER, "le": UPPER, "lt": UPPER}
_OPPOSITE = {LOWER: UPPER, UPPER: LOWER}
_COMPARE = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "ne": "!="}


def asks_for_bounds(rule: Rewrite) -> bool:
    """Whether a condition of a rule compares with anything but 0."""
    return any(stated_bound(c) for c in rule.conditions)


def stated_bound(comparison: Term) -> bool:
    """Whether a comparison is with a number other than 0, or with any bound."""
    if comparison.op not in SIDES:
        return False
    bound = comparison.args[1]
    return bound.op != CONST or const_value(bound) != 0


def premises(
    symbols: Symbols, conditions: Sequence[Term], names: Mapping[Term, str]
) -> tuple[list[str], dict[str, str]]:
    """Conditions as egglog premises, and the numbers that stand for parameters that are bounds.

    `a >= k and b <= k` holds for some k where the lower bound of a reaches the upper one of b.
    """
    found: list[str] = []
    sides: dict[str, dict[str, list[str]]] = {}
    for i, condition in enumerate(conditions):
        if not stated_bound(condition):
            found.append(_premise(symbols, condition, names, i))
            continue
        subject, bound = condition.args
        side = SIDES[condition.op]
        found.append(f"(= k{i} ({side} {expression(symbols, subject, names)}))")
        if bound.op == CONST:
            found.append(f"({_COMPARE[condition.op]} k{i} {number(const_value(bound))})")
            continue
        # a >= -k is -lower(a) <= k: a bound from the other side.
        name, side, value = bound.attr, side, f"k{i}"
        if bound.op != VAR:
            name, side, value = bound.args[0].attr, _OPPOSITE[side], f"(neg k{i})"
        sides.setdefault(name, {}).setdefault(side, []).append(value)
    bounds: dict[str, str] = {}
    for name, known in sides.items():
        low, high = known.get(LOWER, []), known.get(UPPER, [])
        found += [f"(>= {a} {b})" for a in low for b in high]
        bounds[name] = _joined("min", low) if low else _joined("max", high)
    return found, bounds


def _joined(op: str, values: Sequence[str]) -> str:
    text = values[0]
    for value in values[1:]:
        text = f"({op} {text} {value})"
    return text


def _premise(symbols: Symbols, condition: Term, names: Mapping[Term, str], index: int) -> str:
    """A condition about a sign, being a constant, being computed anyway, or being true."""
    if condition.op == VAR:
        return f"(= {names[condition]} ({constant_symbol(condition.type)} 1))"
    if condition.op == "is_const":
        (subject,) = condition.args
        return f"(= {names[subject]} ({constant_symbol(subject.type)} c{index}))"
    if condition.op == "exists":
        return f"(= c{index} {expression(symbols, condition.args[0], names)})"
    subject, bound = condition.args
    text = expression(symbols, subject, names)
    if condition.op == "eq":
        return f"(= {text} {constant(typed(bound, subject.type))})"
    return f"({RELATIONS[condition.op]} {text})"


def sign_rules(used: Iterable[Scalar], ruleset: str) -> list[str]:
    """What constants say about signs, and how the relations imply each other."""
    rules = []
    for type_ in used:
        if type_ is Scalar.BOOL:
            continue
        for op, primitive in _COMPARE.items():
            zero = "0.0" if type_.is_real else "0"
            asked = [f"(= e ({constant_symbol(type_)} v))", f"({primitive} v {zero})"]
            rules.append(
                rule_text(asked, [f"({RELATIONS[op]} e)"], ruleset, f"sign {op} {type_.value}")
            )
    for stronger, weaker in (("gt", "ge"), ("gt", "ne"), ("lt", "le"), ("lt", "ne")):
        asked, actions = [f"({RELATIONS[stronger]} e)"], [f"({RELATIONS[weaker]} e)"]
        rules.append(rule_text(asked, actions, ruleset, f"sign {stronger} implies {weaker}"))
    return rules


def bound_declarations(types: Iterable[Scalar], ruleset: str) -> list[str]:
    """The functions, and what constants and signs say about them and they about signs."""
    lines = [
        f"(function {LOWER} ({SORT}) f64 :merge (max old new))",
        f"(function {UPPER} ({SORT}) f64 :merge (min old new))",
    ]
    for type_ in types:
        if type_ is not Scalar.BOOL:
            value = "v" if type_.is_real else "(to-f64 v)"
            constant_ = f"(= e ({constant_symbol(type_)} v))"
            actions = [f"(set ({LOWER} e) {value})", f"(set ({UPPER} e) {value})"]
            lines.append(rule_text([constant_], actions, ruleset, f"bounds of {type_.value}"))
    for relation, side in (("ge", LOWER), ("gt", LOWER), ("le", UPPER), ("lt", UPPER)):
        sign = f"({RELATIONS[relation]} e)"
        lines.append(rule_text([sign], [f"(set ({side} e) 0.0)"], ruleset, f"bound of {relation}"))
        known = [f"(= b ({side} e))", f"({_COMPARE[relation]} b 0.0)"]
        lines.append(rule_text(known, [sign], ruleset, f"bound gives {relation}"))
    return lines


def cost_declarations(types: Iterable[Scalar], ruleset: str) -> list[str]:
    """The function, and that leaves cost nothing."""
    lines = [f"(function {LEAST} ({SORT}) f64 :merge (min old new))"]
    leaves = [f"({LEAF} i)", *(f"({constant_symbol(type_)} v)" for type_ in types)]
    for leaf in leaves:
        action = f"(set ({LEAST} e) 0.0)"
        lines.append(rule_text([f"(= e {leaf})"], [action], ruleset, f"cost of {leaf}"))
    return lines


def cost_rule(symbols: Symbols, head: Head, cost: float, ruleset: str) -> str:
    """What an operator costs over its arguments."""
    names = [f"x{i}" for i in range(len(head[2]))]
    more = ["n"] if numbered(head) == head else []
    asked = [f"(= e ({symbols.of(head)} {' '.join([*names, *more])}))"]
    total = number(cost)
    for i, name in enumerate(names):
        asked.append(f"(= c{i} ({LEAST} {name}))")
        total = f"(+ {total} c{i})"
    action = f"(set ({LEAST} e) {total})"
    return rule_text(asked, [action], ruleset, f"cost of {symbols.of(head)}")
