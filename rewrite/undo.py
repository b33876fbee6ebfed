"""Undoing operators: what a value says of the values that it was made from.

    c = a + b    a = c - b          s' = s ^ (s << 13)    s = s' ^ (s' << 13) ^ (s' << 26)

How an operator is undone stands in the rule files: an exact rewrite `Q(P(a)) >> a`, where `a`
stands in P alone, says that a is Q of the value of P, such as `(a + b) - b >> a`. One to what is
left of a, `Q(P(a)) >> bit_and(a, m)`, says that of it; that nothing more can get lost so, a
rewrite `R(R(a)) >> R(a)` has to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..terms.apply import apply, instantiate
from ..terms.rule import Rewrite, RuleSet, Tag
from ..terms.term import (
    CONST,
    SELECT,
    VAR,
    Term,
    const,
    const_value,
    is_const,
    rebuild,
    substitute,
    toposort,
    var,
)
from ..terms.types import Memory, Scalar
from ..terms.value import scalar
from .fold import folded

_WHOLE = "result"  # no parameter of a rule is called so: see `_Inverse.before`
_FITS = {
    "real": frozenset((Scalar.F16, Scalar.F32, Scalar.F64)),
    "int": frozenset((Scalar.I32,)),
    "bool": frozenset((Scalar.BOOL,)),
}
_FITS["number"] = _FITS["real"] | _FITS["int"]
_FITS["any"] = _FITS["number"] | _FITS["bool"]

#: Of a term that is one of a projection's results, what else it is: `n` is `bit_and(n, 7)`.
Images = Mapping[Term, Term]
_NONE: Images = {}


@dataclass(frozen=True)
class _Inverse:
    """An exact rewrite: the value of `pattern` gives that of `target`, which is over `moving`."""

    pattern: Term
    before: Term
    target: Term
    moving: str
    kinds: Mapping[str, str]
    conditions: tuple[Term, ...]


@dataclass(frozen=True)
class Way:
    """What the value of a term says: that of `target`, given those of `others`.

    `target` is `inner`, a term below, or what is left of it.
    """

    target: Term
    inner: Term
    others: tuple[Term, ...]
    _names: tuple[str, ...]
    _before: Term
    _rules: RuleSet

    def before(self, value: Term, others: Sequence[Term]) -> Term | None:
        """The value of the target; None where it has another type."""
        env = {n: scalar(t) for n, t in zip(self._names, others, strict=True)}
        env[_WHOLE] = scalar(value)
        found = instantiate(self._rules, self._before, env, self.target.type).term
        return folded(self._rules, found) if found.type is self.target.type else None


class Undoing:
    """What the exact rules of a rule set say of how operators are undone."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._projections, self._table = _inverses(rules.rewrites)

    def ways(self, term: Term, images: Images = _NONE) -> Iterator[Way]:
        """What the value of a term says of terms below it, one rule after another."""
        for inverse in self._table.get(term.op, ()):
            env = self._matched(inverse, term, images)
            if env is None or not all(_holds(self.rules, c, env) for c in inverse.conditions):
                continue
            names = tuple([n for n in env if n != inverse.moving])
            others = tuple([env[n] for n in names])
            inner = env[inverse.moving]
            here = {n: scalar(t) for n, t in env.items()}
            target = instantiate(self.rules, inverse.target, here, inner.type).term
            yield Way(target, inner, others, names, inverse.before, self.rules)

    def arms(self, term: Term) -> tuple[Term, Term, Term] | None:
        """The condition and the arms of a choice, or of what is left of a choice."""
        if term.op == SELECT:
            condition, then, other = term.args
            return condition, then, other
        place = self._place(term)
        if place is None or term.args[place].op != SELECT:
            return None
        condition, then, other = term.args[place].args
        return condition, _put(term, place, then), _put(term, place, other)

    def inner(self, term: Term) -> Term:
        """What the term is the rest of."""
        place = self._place(term)
        return term if place is None else term.args[place]

    def image(self, term: Term, variable: Term) -> Term | None:
        """What would be left of a variable, where the term is what is left of a value."""
        place = self._place(term)
        if place is None or term.args[place].type is not variable.type:
            return None
        return _put(term, place, variable)

    def keeps(self, image: Term, value: Term) -> bool:
        """Whether nothing of a value is lost in what would be left of it."""
        place = self._place(image)
        assert place is not None
        whole = _put(image, place, value)
        return folded(self.rules, whole) is value or self.image(value, image.args[place]) is image

    def is_first(self, counter: Term) -> Term:
        """Whether a trip is the first one."""
        args = [scalar(counter), scalar(const(0, counter.type))]
        return apply(self.rules, "eq", args, Scalar.F32).term

    def _place(self, term: Term) -> int | None:
        """Where a projection has what it leaves a part of; all else in it is constant."""
        place = self._projections.get(term.op)
        if place is None or any(a.op != CONST for i, a in enumerate(term.args) if i != place):
            return None
        return place

    def _matched(self, inverse: _Inverse, term: Term, images: Images) -> dict[str, Term] | None:
        """The terms for which a rule's variables stand; None where the pattern is another one."""
        env: dict[str, Term] = {}
        stated: list[tuple[Term, Term]] = []
        stack = [(inverse.pattern, term)]
        while stack:
            pattern, here = stack.pop()
            if pattern.op == VAR:
                if (
                    isinstance(here.type, Memory)
                    or here.type not in _FITS[inverse.kinds[pattern.attr]]
                ):
                    return None
                if env.setdefault(pattern.attr, here) is not here:
                    return None
                continue
            if pattern.op != here.op and here in images:
                here = images[here]
            if here.op == CONST:
                stated.append((pattern, here))
            elif pattern.op != here.op or len(pattern.args) != len(here.args):
                return None
            else:
                stack += zip(pattern.args, here.args, strict=True)
        return env if all(self._is(p, env, t) for p, t in stated) else None

    def _is(self, stated: Term, env: Mapping[str, Term], number: Term) -> bool:
        """Whether an expression of constants is a number: `32 - n`."""
        if stated.op == CONST:
            return const_value(stated) == const_value(number)
        found = _computed(self.rules, stated, env)
        return found is number


def _put(term: Term, place: int, inner: Term) -> Term:
    return rebuild(term, (*term.args[:place], inner, *term.args[place + 1 :]))


def _computed(rules: RuleSet, expression: Term, env: Mapping[str, Term]) -> Term | None:
    """An expression over constants as a constant; None where it is over anything else."""
    names = [t.attr for t in toposort([expression]) if t.op == VAR]
    if not all(n in env and env[n].op == CONST for n in names):
        return None
    here = {n: scalar(env[n]) for n in names}
    return folded(rules, instantiate(rules, expression, here, Scalar.F32).term)


def _holds(rules: RuleSet, condition: Term, env: Mapping[str, Term]) -> bool:
    """Whether a condition of a rule can be seen to hold: it is about constants."""
    if condition.op == "is_const":
        return env[condition.args[0].attr].op == CONST
    if condition.op == "exists":
        return False
    found = _computed(rules, condition, env)
    return found is not None and is_const(found, True)


_Tables = tuple[dict[str, int], dict[str, list[_Inverse]]]


@lru_cache(maxsize=16)
def _inverses(rewrites: tuple[Rewrite, ...]) -> _Tables:
    """Projections, with the place of what they leave a part of; by operator, what undoes it."""
    exact = [r for r in rewrites if r.tag is Tag.EXACT and not r.primal]
    projections: dict[str, int] = {}
    for rule in exact:
        for place, arg in enumerate(rule.rhs.args):
            if arg.op == VAR and substitute([rule.rhs], {arg: rule.rhs})[0] is rule.lhs:
                projections.setdefault(rule.rhs.op, place)
    table: dict[str, list[_Inverse]] = {}
    for rule in exact:
        inverse = _inverse(rule, projections)
        if inverse is not None:
            table.setdefault(inverse.pattern.op, []).append(inverse)
    return projections, table


def _inverse(rule: Rewrite, projections: Mapping[str, int]) -> _Inverse | None:
    """A rewrite as one that undoes an operator, if it is one."""
    moving = rule.rhs
    if moving.args and moving.op in projections:
        moving = moving.args[projections[moving.op]]
    if moving.op != VAR:
        return None
    order = toposort([rule.lhs])
    over = {moving}
    for term in order:
        if any(a in over for a in term.args):
            over.add(term)
    for pattern in order:
        if pattern not in over or pattern in (moving, rule.lhs, rule.rhs):
            continue
        whole = var(_WHOLE, pattern.type)
        (before,) = substitute([rule.lhs], {pattern: whole})
        rest = [t for t in toposort([before]) if t.op == VAR and t is not whole]
        inside = {t for t in toposort([pattern]) if t.op == VAR}
        asked = {t for c in rule.conditions for t in toposort([c]) if t.op == VAR}
        if moving in rest or not {*rest, *asked} <= inside:
            continue
        kinds = {p.name: p.kind for p in rule.params}
        return _Inverse(pattern, before, rule.rhs, str(moving.attr), kinds, rule.conditions)
    return None
