"""Terms and rules as egglog text.

Takes terms, rewrites and facts, gives declarations, tables and rules in egglog's language;
knows nothing of running them. Every scalar type has its own symbols, so that a number of one
type can never be proved equal to a number of another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..terms.rule import Fact, Rewrite
from ..terms.term import CONST, VAR, Term, const, const_value, toposort
from ..terms.types import Scalar

#: What makes an e-node's operator: name, attribute, types of the arguments, type.
Head = tuple[str, Any, tuple[Scalar, ...], Scalar]

SORT = "V"
LEAF = "leaf"
NODE = "node"
FOLDABLE = "foldable"
_RELATIONS = {"ge": "ge0", "gt": "gt0", "le": "le0", "lt": "lt0", "ne": "ne0"}


def head_of(term: Term) -> Head:
    """The head of a term."""
    return term.op, term.attr, tuple([a.type for a in term.args]), term.type


@dataclass
class Symbols:
    """The egglog names of heads, given in the order of first use."""

    names: dict[Head, str] = field(default_factory=dict)
    heads: dict[str, Head] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)  # declarations not yet sent

    def __post_init__(self) -> None:
        self.fresh += [
            f"(sort {SORT})",
            f"(constructor {LEAF} (i64) {SORT})",
            f"(function {NODE} (i64) {SORT} :no-merge)",
        ]
        self.fresh += [f"(relation {name} ({SORT}))" for name in (*_RELATIONS.values(), FOLDABLE)]
        for type_ in (Scalar.F16, Scalar.F32, Scalar.F64):
            self.fresh.append(f"(constructor {constant_symbol(type_)} (f64) {SORT})")
            self.fresh.append(f"(constructor {odd_symbol(type_)} (String) {SORT})")
        for type_ in (Scalar.I32, Scalar.BOOL):
            self.fresh.append(f"(constructor {constant_symbol(type_)} (i64) {SORT})")

    def of(self, head: Head) -> str:
        """The symbol of a head, declared when it is new."""
        name = self.names.get(head)
        if name is None:
            name = f"{head[0]}@{len(self.names)}"
            self.names[head] = name
            self.heads[name] = head
            kinds = " ".join([SORT] * len(head[2]))
            self.fresh.append(f"(constructor {name} ({kinds}) {SORT})")
        return name

    def declarations(self) -> str:
        """The declarations that have come since the last call."""
        text = "\n".join(self.fresh)
        self.fresh.clear()
        return text


def constant_symbol(type_: Scalar) -> str:
    """The constructor of the constants of a type."""
    return f"const@{type_.value}"


def odd_symbol(type_: Scalar) -> str:
    """The constructor of NaN, infinities and -0.0, which take no part in arithmetic."""
    return f"odd@{type_.value}"


def is_odd(value: float) -> bool:
    """Whether a constant is NaN, infinite or -0.0 (egglog's floats would confuse the zeros)."""
    return not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0)


def constant(term: Term) -> str:
    """A constant as an egglog expression."""
    value = const_value(term)
    if term.type in (Scalar.I32, Scalar.BOOL):
        return f"({constant_symbol(term.type)} {int(value)})"
    if is_odd(value):
        return f'({odd_symbol(term.type)} "{term.attr}")'
    return f"({constant_symbol(term.type)} {number(value)})"


def number(value: float) -> str:
    """A finite float64 in egglog's notation, exactly."""
    text = repr(float(value))
    mantissa, e, exponent = text.partition("e")
    mantissa += "" if "." in mantissa else ".0"
    return f"{mantissa}{e}{exponent.removeprefix('+')}"


def expression(symbols: Symbols, term: Term, names: Mapping[Term, str]) -> str:
    """A small term as a nested egglog expression; variables by `names`."""
    text: dict[Term, str] = {}
    for t in toposort([term]):
        if t in names:
            text[t] = names[t]
        elif t.op == CONST:
            text[t] = constant(t)
        else:
            text[t] = f"({symbols.of(head_of(t))} {' '.join(text[a] for a in t.args)})"
    return text[term]


def lets(symbols: Symbols, term: Term, names: Mapping[Term, str]) -> tuple[list[str], str]:
    """A term as one `let` per operator (shared terms stay shared), and its name."""
    lines: list[str] = []
    text: dict[Term, str] = dict(names)
    for t in toposort([term]):
        if t in text:
            continue
        if t.op == CONST:
            text[t] = constant(t)
            continue
        text[t] = f"u{len(lines)}"
        call = f"({symbols.of(head_of(t))} {' '.join(text[a] for a in t.args)})"
        lines.append(f"(let {text[t]} {call})")
    return lines, text[term]


def variables(*terms: Term) -> dict[Term, str]:
    """Egglog names for the variables of a rule, in order of first occurrence."""
    found: dict[Term, str] = {}
    for term in toposort(terms):
        if term.op == VAR and term not in found:
            found[term] = f"x{len(found)}"
    return found


def typed(term: Term, real: Scalar, meet: Scalar) -> Term:
    """A rule expression with its placeholder types made concrete.

    `meet` is the type of the rule's `any` and `number` variables, `real` of all others.
    """
    built: dict[Term, Term] = {}
    for t in toposort([term]):
        type_ = meet if t.type is Scalar.REAL else t.type
        if t.op == CONST and t.type is Scalar.REAL:
            built[t] = const(const_value(t), meet)
        else:
            built[t] = Term(t.op, tuple([built[a] for a in t.args]), t.attr, type_)
    return built[term]


def meeting_types(rule: Rewrite | Fact, used: Sequence[Scalar]) -> list[Scalar]:
    """The types for which a rule is instantiated, among those the program uses."""
    kinds = {p.kind for p in rule.params}
    reals = [t for t in used if t.is_real]
    if "any" in kinds:
        return list(used)
    if "number" in kinds:
        return [*reals, *(t for t in used if t is Scalar.I32)]
    return reals


def rewrite_rule(symbols: Symbols, rule: Rewrite, meet: Scalar, ruleset: str, name: str) -> str:
    """`(rule …)` for a rewrite at one type."""
    lhs, rhs = typed(rule.lhs, meet, meet), typed(rule.rhs, meet, meet)
    conditions = [typed(c, meet, meet) for c in rule.conditions]
    names = variables(lhs, *conditions)
    pattern = expression(symbols, lhs, names)
    premises = [
        f"(= e {pattern})",
        *(condition(symbols, c, names, i) for i, c in enumerate(conditions)),
    ]
    lines, result = lets(symbols, rhs, names)
    actions = [*lines, f"(union e {result})"]
    if rule.directed:
        actions.append(f"(subsume {pattern})")
    return _rule(premises, actions, ruleset, name)


def fact_rule(symbols: Symbols, fact: Fact, meet: Scalar, ruleset: str, name: str) -> str:
    """`(rule …)` for a statement about signs at one type: it holds for terms that exist."""
    conclusion = typed(fact.conclusion, meet, meet)
    subject = conclusion.args[0]
    conditions = [typed(c, meet, meet) for c in fact.conditions]
    names = variables(subject, *conditions)
    premises = [condition(symbols, c, names, i) for i, c in enumerate(conditions)]
    premises.insert(0, f"(= e {expression(symbols, subject, names)})")
    return _rule(premises, [f"({_RELATIONS[conclusion.op]} e)"], ruleset, name)


def condition(symbols: Symbols, term: Term, names: Mapping[Term, str], index: int) -> str:
    """A condition as an egglog premise: a sign, being a constant, or being computed anyway."""
    if term.op == "is_const":
        (subject,) = term.args
        return f"(= {names[subject]} ({constant_symbol(subject.type)} c{index}))"
    if term.op == "exists":
        return f"(= c{index} {expression(symbols, term.args[0], names)})"
    subject, bound = term.args
    assert term.op in _RELATIONS and bound.op == CONST and const_value(bound) == 0
    return f"({_RELATIONS[term.op]} {expression(symbols, subject, names)})"


def sign_rules(used: Iterable[Scalar], ruleset: str) -> list[str]:
    """What constants say about signs, and how the relations imply each other."""
    rules = []
    for type_ in used:
        if not type_.is_real:
            continue
        for op, primitive in (("ge", ">="), ("gt", ">"), ("le", "<="), ("lt", "<"), ("ne", "!=")):
            premises = [f"(= e ({constant_symbol(type_)} v))", f"({primitive} v 0.0)"]
            rules.append(
                _rule(premises, [f"({_RELATIONS[op]} e)"], ruleset, f"sign {op} {type_.value}")
            )
    for stronger, weaker in (("gt", "ge"), ("gt", "ne"), ("lt", "le"), ("lt", "ne")):
        premises, actions = [f"({_RELATIONS[stronger]} e)"], [f"({_RELATIONS[weaker]} e)"]
        rules.append(_rule(premises, actions, ruleset, f"sign {stronger} implies {weaker}"))
    return rules


def prune_rule(symbols: Symbols, head: Head, ruleset: str) -> str:
    """A class that holds a constant loses its other nodes, or zero would match everything."""
    args = " ".join(f"x{i}" for i in range(len(head[2])))
    node = f"({symbols.of(head)} {args})"
    premises = [f"(= e ({constant_symbol(head[3])} v))", f"(= e {node})"]
    return _rule(premises, [f"(subsume {node})"], ruleset, f"prune {symbols.of(head)}")


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
            rules.append(_rule(premises, [f"(subsume {node})"], ruleset, name))
    return rules


def foldable_rule(symbols: Symbols, head: Head, ruleset: str) -> str:
    """An operator over constants is marked, so that its value can be computed."""
    args = [f"x{i}" for i in range(len(head[2]))]
    premises = [f"(= e ({symbols.of(head)} {' '.join(args)}))"]
    for i, (arg, type_) in enumerate(zip(args, head[2], strict=True)):
        premises.append(f"(= {arg} ({constant_symbol(type_)} v{i}))")
    return _rule(premises, [f"({FOLDABLE} e)"], ruleset, f"fold {symbols.of(head)}")


def by_rule(matches: Mapping[str, int]) -> dict[str, int]:
    """Matches summed over the types of each rule (`name#type`); those without are left out."""
    counts: dict[str, int] = {}
    for name, count in matches.items():
        if count:
            plain = name.partition("#")[0]
            counts[plain] = counts.get(plain, 0) + count
    return counts


def _rule(premises: Sequence[str], actions: Sequence[str], ruleset: str, name: str) -> str:
    body = f"(rule ({' '.join(premises)}) ({' '.join(actions)})"
    return f'{body} :ruleset {ruleset} :name "{name}")'
