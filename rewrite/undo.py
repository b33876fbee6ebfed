"""Undoing an update: the value that a variable had before.

    x' = c ? x + a : x    x = c ? x' - a : x'

How an operator is undone stands in the rule files: `(a + b) - b >> a`, where that is exact,
says that the first argument of `+` is its result minus the second one.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..terms.apply import instantiate
from ..terms.loop import varying
from ..terms.rule import Rewrite, RuleSet, Tag
from ..terms.term import CONST, SELECT, VAR, Term, is_const, substitute, toposort, var
from ..terms.types import Memory, Scalar, ScalarType
from ..terms.value import Value, scalar
from .fold import folded
from .guards import Parts, accumulate, guards

_WHOLE = "result"  # no parameter of a rule is called so: see `_Inverse.before`
_FITS = {
    "real": frozenset((Scalar.F16, Scalar.F32, Scalar.F64)),
    "int": frozenset((Scalar.I32,)),
    "bool": frozenset((Scalar.BOOL,)),
}
_FITS["number"] = _FITS["real"] | _FITS["int"]
_FITS["any"] = _FITS["number"] | _FITS["bool"]


@dataclass(frozen=True)
class _Inverse:
    """An argument of an operator, as an expression in its result and its other arguments."""

    kind: str
    others: tuple[tuple[int, str], ...]
    before: Term
    conditions: tuple[Term, ...]

    def fits(self, type_: ScalarType) -> bool:
        """Whether the argument may be of a type."""
        return not isinstance(type_, Memory) and type_ in _FITS[self.kind]

    def argument(self, rules: RuleSet, term: Term, index: int, result: Term) -> Term | None:
        """The argument `index` of a term that is `result`; None for a type the rule is not for."""
        type_ = term.args[index].type
        if isinstance(type_, Memory) or not self.fits(type_):
            return None
        env = {name: scalar(term.args[i]) for i, name in self.others}
        if not all(_holds(rules, c, env, type_) for c in self.conditions):
            return None
        found = instantiate(rules, self.before, {**env, _WHOLE: scalar(result)}, type_).term
        return folded(rules, found) if found.type is type_ else None


def _holds(rules: RuleSet, condition: Term, env: Mapping[str, Value], type_: Scalar) -> bool:
    """Whether a condition of a rule can be seen to hold: it is about constants."""
    asked = {t.attr for t in toposort([condition]) if t.op == VAR}
    if condition.op == "exists" or not all(n in env and env[n].term.op == CONST for n in asked):
        return False
    if condition.op == "is_const":
        return True
    return is_const(folded(rules, instantiate(rules, condition, env, type_).term), True)


def undone(rules: RuleSet, update: Term, variable: Term, result: Term) -> Term | None:
    """The value of `variable` for which `update` is `result`; None where no rule says it.

    Exact: rules that hold bit for bit are used, and none else.
    """
    moving = varying([update], [variable])
    if update not in moving:
        return None
    try:
        return _walked(rules, update, variable, result, moving)
    except _Twice:
        return None


def _walked(
    rules: RuleSet, update: Term, variable: Term, result: Term, moving: Container[Term]
) -> Term | None:
    """From the update down to the variable, with the value of each term on the way."""
    order = [t for t in toposort([update]) if t in moving]
    guard = guards([update])
    parts: dict[Term, Parts] = {update: [(guard[update], result)]}
    for term in reversed(order):
        value = accumulate(parts[term], guard[term], _twice)
        if term is variable:
            return value
        on = [i for i, a in enumerate(term.args) if a in moving]
        if term.op == SELECT and on == [1, 2]:
            for i in on:
                arm = guard[term].under(term.args[0], i == 1)
                parts.setdefault(term.args[i], []).append((arm, value))
            continue
        before = _argument(rules, term, on[0], value) if len(on) == 1 else None
        if before is None:
            return None
        parts.setdefault(term.args[on[0]], []).append((guard[term], before))
    raise AssertionError("the variable is below the update")


def may_be_undone(rules: RuleSet, update: Term) -> bool:
    """Whether it is worth trying: a rule undoes every operator that an update ends with."""
    table = _inverses(rules.rewrites)
    stack, seen = [update], {update}
    while stack:
        term = stack.pop()
        if term.op == SELECT:
            stack += [a for a in term.args[1:] if a not in seen]
            seen.update(term.args[1:])
        elif term.op != VAR and not any(
            inverse.fits(a.type)
            for i, a in enumerate(term.args)
            for inverse in table.get((term.op, i), ())
        ):
            return False
    return True


class _Twice(Exception):
    """Two values for one term: `c ? (c ? x + 1 : x) : x` has an arm that is never taken."""


def _twice(a: Term, b: Term) -> Term:
    raise _Twice


def _argument(rules: RuleSet, term: Term, index: int, result: Term) -> Term | None:
    for inverse in _inverses(rules.rewrites).get((term.op, index), ()):
        found = inverse.argument(rules, term, index, result)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=16)
def _inverses(rewrites: tuple[Rewrite, ...]) -> dict[tuple[str, int], list[_Inverse]]:
    """By operator and argument: what the exact rules say of how it is undone."""
    table: dict[tuple[str, int], list[_Inverse]] = {}
    for rule in rewrites:
        if rule.tag is not Tag.EXACT or rule.primal or rule.rhs.op != VAR:
            continue
        kinds = {p.name: p.kind for p in rule.params}
        for inner in toposort([rule.lhs]):
            index = _place(inner, rule)
            if index is None:
                continue
            others = tuple([(i, a.attr) for i, a in enumerate(inner.args) if i != index])
            (before,) = substitute([rule.lhs], {inner: var(_WHOLE, inner.type)})
            inverse = _Inverse(kinds[rule.rhs.attr], others, before, rule.conditions)
            table.setdefault((inner.op, index), []).append(inverse)
    return table


def _place(inner: Term, rule: Rewrite) -> int | None:
    """Where the right side stands among the arguments of `inner`, if it stands nowhere else."""
    plain = inner.args and all(a.op == VAR for a in inner.args)
    if inner is rule.lhs or not plain or inner.args.count(rule.rhs) != 1:
        return None
    elsewhere = [t for t in toposort([rule.lhs]) if t is not inner and rule.rhs in t.args]
    return None if elsewhere else inner.args.index(rule.rhs)
