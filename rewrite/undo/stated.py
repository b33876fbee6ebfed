"""What rules state of how operators are undone.

    c = a + b    a = c - b          s' = s ^ (s << 13)    s = s' ^ (s' << 13) ^ (s' << 26)

It stands in the rule files: an exact rewrite `Q(P(a)) >> a`, where `a` stands in P alone, says
that a is Q of the value of P, such as `(a + b) - b >> a`. One to what is left of a,
`Q(P(a)) >> bit_and(a, m)`, says that of it; that nothing more can get lost so, a rewrite
`R(R(a)) >> R(a)` has to say. Takes rewrites, gives what they state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeVar

from ...terms.apply import instantiate
from ...terms.rule import Rewrite, RuleSet, Tag
from ...terms.term import VAR, Term, substitute, toposort, var
from ...terms.types import Scalar
from ...terms.value import scalar

WHOLE = "result"  # no parameter of a rule is called so: see `Inverse.before`


@dataclass(frozen=True)
class Inverse:
    """An exact rewrite: the value of `pattern` gives that of `target`, which is over `moving`."""

    pattern: Term
    before: Term
    target: Term
    moving: str
    kinds: Mapping[str, str]
    conditions: tuple[Term, ...]

    @cached_property
    def of_reals(self) -> bool:
        """Whether it may speak of reals."""
        return not {"int", "bool"}.issuperset(self.kinds.values())


@dataclass(frozen=True)
class Closure:
    """An exact rewrite `R(P(R(a))) >> P(R(a))`: what P makes of rests is such a rest.

    `inner` are the variables that stand in `pattern` for the rests.
    """

    lhs: Term
    pattern: Term
    inner: tuple[str, ...]
    kinds: Mapping[str, str]
    conditions: tuple[Term, ...]


Stated = TypeVar("Stated", Inverse, Closure)


@lru_cache(maxsize=16)
def statements(
    rewrites: tuple[Rewrite, ...],
) -> tuple[list[Inverse], list[Inverse], list[Closure]]:
    """The projections, what undoes operators, and what stays a rest, in the order of the rules."""
    exact = [r for r in rewrites if r.tag is Tag.EXACT and not r.primal]
    projections: dict[Term, Inverse] = {}
    for rule in exact:
        kinds = {p.name: p.kind for p in rule.params}
        for arg in rule.rhs.args:
            if arg.op == VAR and substitute([rule.rhs], {arg: rule.rhs})[0] is rule.lhs:
                one = Inverse(rule.rhs, rule.rhs, rule.rhs, str(arg.attr), kinds, ())
                projections.setdefault(rule.rhs, one)
    moving = {t.op: t.args.index(_variable(one)) for t, one in projections.items()}
    inverses = [i for rule in exact for i in _inverses_of(rule, moving)]
    closures = [c for rule in exact for c in _closures_of(rule, moving)]
    return list(projections.values()), inverses, closures


def _closures_of(rule: Rewrite, moving: Mapping[str, int]) -> Iterator[Closure]:
    """What a rewrite `R(t) >> t` says of the values of which t is made."""
    place = moving.get(rule.lhs.op)
    if place is None or rule.lhs.args[place] is not rule.rhs:
        return
    rests = []
    for term in toposort([rule.rhs]):
        others = zip(term.args, rule.lhs.args, strict=False)
        same = all(a is b or i == place for i, (a, b) in enumerate(others))
        if term.op == rule.lhs.op and term is not rule.rhs and same and term.args[place].op == VAR:
            rests.append(term)
    table = {t: var(f"{WHOLE}{i}", t.type) for i, t in enumerate(rests)}
    (pattern,) = substitute([rule.rhs], table)
    kinds = {p.name: p.kind for p in rule.params}
    kinds |= {str(v.attr): kinds[str(t.args[place].attr)] for t, v in table.items()}
    inner = tuple([str(v.attr) for v in table.values()])
    conditions = tuple(substitute(rule.conditions, table))
    yield Closure(rule.lhs, pattern, inner, kinds, conditions)


def _variable(inverse: Inverse) -> Term:
    return next(a for a in inverse.target.args if a.attr == inverse.moving)


def by_head(rules: RuleSet, inverses: Sequence[Inverse]) -> dict[str, list[Inverse]]:
    """By the operator that the pattern is in programs: functions are what they are defined as."""
    table: dict[str, list[Inverse]] = {}
    for inverse in inverses:
        if any(_is_function(rules, t.op) for t in _over(inverse.pattern, inverse.moving)):
            inverse = expanded(rules, inverse)
        table.setdefault(inverse.pattern.op, []).append(inverse)
    return table


def expanded(rules: RuleSet, stated: Stated) -> Stated:
    """Functions in its pattern as what they are in programs."""
    here = {v.attr: scalar(v) for v in toposort([stated.pattern]) if v.op == VAR}
    return replace(stated, pattern=instantiate(rules, stated.pattern, here, Scalar.F32).term)


def _is_function(rules: RuleSet, op: str) -> bool:
    operator = rules.get(op)
    return operator is not None and operator.definition is not None


def _over(pattern: Term, name: str) -> list[Term]:
    """The terms of a pattern that a variable stands in."""
    found: dict[Term, None] = {}
    for term in toposort([pattern]):
        if (term.op == VAR and term.attr == name) or any(a in found for a in term.args):
            found[term] = None
    return list(found)


def _inverses_of(rule: Rewrite, projections: Mapping[str, int]) -> Iterator[Inverse]:
    """What a rewrite says of the terms of its left side, the smallest first."""
    moving = rule.rhs
    if moving.args and moving.op in projections:
        moving = moving.args[projections[moving.op]]
    if moving.op != VAR:
        return
    kinds = {p.name: p.kind for p in rule.params}
    asked = _variables(rule.conditions)
    for pattern in _over(rule.lhs, moving.attr):
        if pattern in (moving, rule.lhs, rule.rhs):
            continue
        (before,) = substitute([rule.lhs], {pattern: var(WHOLE, pattern.type)})
        over = _variables([before])
        if moving not in over and over | asked <= _variables([pattern, var(WHOLE, pattern.type)]):
            target, name = rule.rhs, str(moving.attr)
            yield Inverse(pattern, before, target, name, kinds, rule.conditions)


def _variables(terms: Iterable[Term]) -> set[Term]:
    return {t for t in toposort(terms) if t.op == VAR}
