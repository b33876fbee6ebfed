"""Terms and rules as egglog text.

Takes terms, rewrites and facts, gives declarations, tables and rules in egglog's language;
knows nothing of running them. Every scalar type has its own symbols, so that a number of one
type can never be proved equal to a number of another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ...terms.term import CONST, PROJ, VAR, Term, const, const_value, toposort
from ...terms.types import Scalar

#: What makes an e-node's operator: name, attribute, types of the arguments, type.
Head = tuple[str, Any, tuple[Scalar, ...], Scalar]

SORT = "V"
LEAF = "leaf"
NODE = "node"
FOLDABLE = "foldable"
ACCURATE = "accurate"  # classes of terms of which all digits count
SQUARES = "squares"  # classes of functions of sums of squares
RELATIONS = {"ge": "ge0", "gt": "gt0", "le": "le0", "lt": "lt0", "ne": "ne0"}


def head_of(term: Term) -> Head:
    """The head of a term."""
    return term.op, term.attr, tuple([a.type for a in term.args]), term.type


def numbered(head: Head) -> Head | None:
    """The head without its number: all results of loops and calls are one operator, with a number.

    A loop of many results would have as many operators, and each takes time to declare.
    """
    return (PROJ, None, *head[2:]) if head[0] == PROJ else None


@dataclass
class Symbols:
    """The egglog names of heads: by operator and scalar types, whatever else has a name.

    What has an attribute or a memory, which no rule names, is numbered in the order of first use.
    """

    names: dict[Head, str] = field(default_factory=dict)
    heads: dict[str, Head] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=lambda: _prelude())  # declarations not yet sent

    def of(self, head: Head) -> str:
        """The symbol of a head, declared when it is new."""
        name = self.names.get(head)
        if name is not None:
            return name
        shared = numbered(head)
        if shared is not None and shared in self.names:
            self.names[head] = self.names[shared]
            return self.names[head]
        whole = head if shared is None else shared
        op, attr, operands, type_ = whole
        types = (*operands, type_)
        plain = attr is None and all(isinstance(t, Scalar) for t in types)
        kind = ".".join([t.value for t in types]) if plain else len(self.names)
        name = f"{op}@{kind}"
        self.names[head] = self.names[whole] = name
        self.heads[name] = whole
        sorts = [SORT] * len(operands) + ["i64"] * (shared is not None)
        self.fresh.append(f"(constructor {name} ({' '.join(sorts)}) {SORT})")
        return name

    def copy(self) -> Symbols:
        """The same names, to which others may come."""
        return Symbols(dict(self.names), dict(self.heads), list(self.fresh))

    def declarations(self) -> str:
        """The declarations that have come since the last call."""
        text = "\n".join(self.fresh)
        self.fresh.clear()
        return text


def _prelude() -> list[str]:
    """What every e-graph declares."""
    lines = [
        f"(sort {SORT})",
        f"(constructor {LEAF} (i64) {SORT})",
        f"(constructor {NODE} (i64) {SORT})",
    ]
    marks = (*RELATIONS.values(), FOLDABLE, ACCURATE, SQUARES)
    lines += [f"(relation {name} ({SORT}))" for name in marks]
    for type_ in (Scalar.F16, Scalar.F32, Scalar.F64):
        lines.append(f"(constructor {constant_symbol(type_)} (f64) {SORT})")
        lines.append(f"(constructor {odd_symbol(type_)} (String) {SORT})")
    for type_ in (Scalar.I32, Scalar.BOOL):
        lines.append(f"(constructor {constant_symbol(type_)} (i64) {SORT})")
    return lines


def constant_symbol(type_: Scalar) -> str:
    """The constructor of the constants of a type."""
    return f"const@{type_.value}"


def odd_symbol(type_: Scalar) -> str:
    """The constructor of NaN, infinities and -0.0, which take no part in arithmetic."""
    return f"odd@{type_.value}"


def payload_sort(symbol: str) -> str:
    """What a constant's symbol is applied to in egglog."""
    if symbol.startswith("odd@"):
        return "String"
    return "f64" if symbol.startswith("const@float") else "i64"


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


@lru_cache(maxsize=1 << 14)
def typed(term: Term, meet: Scalar) -> Term:
    """A rule expression at a type, which is that of all its placeholders."""
    built: dict[Term, Term] = {}
    for t in toposort([term]):
        type_ = meet if t.type is Scalar.REAL else t.type
        if t.op == CONST and t.type is Scalar.REAL:
            built[t] = const(const_value(t), meet)
        else:
            built[t] = Term(t.op, tuple([built[a] for a in t.args]), t.attr, type_)
    return built[term]


def rule_text(premises: Sequence[str], actions: Sequence[str], ruleset: str, name: str) -> str:
    """`(rule …)` in a rule set, with a name that comes back in reports."""
    body = f"(rule ({' '.join(premises)}) ({' '.join(actions)})"
    return f'{body} :ruleset {ruleset} :name "{name}")'
