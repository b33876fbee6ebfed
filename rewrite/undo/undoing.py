"""What exact rules say of the terms of a program: how they are undone, and what is left of them.

Takes a rule set, answers for terms. Knows no operator by name.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from types import MappingProxyType

from ...terms.apply import apply, instantiate
from ...terms.rule import RuleSet
from ...terms.term import CONST, SELECT, VAR, Term, const, const_value, is_const, toposort
from ...terms.types import Memory, Scalar
from ...terms.value import scalar
from ..fold import folded
from .linear import Form
from .ranges import Ranges
from .stated import WHOLE, Closure, Inverse, by_head, expanded, statements

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

_MOST = 4  # rule sets whose statements are kept


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
        env[WHOLE] = scalar(value)
        found = instantiate(self._rules, self._before, env, self.target.type).term
        if found.type is not self.target.type:
            return None
        return folded(self._rules, found, {value, *others})


@dataclass(frozen=True)
class Rest:
    """What a projection leaves of a term, such as its low bits."""

    rules: RuleSet
    projection: Inverse
    env: Mapping[str, Term]

    @property
    def inner(self) -> Term:
        """The term of which it is the rest."""
        return self.env[self.projection.moving]

    @property
    def constants(self) -> dict[str, Term]:
        """What it is the rest by: the mask, or the divisor."""
        return {n: t for n, t in self.env.items() if n != self.projection.moving}

    def like(self, other: Rest | None) -> bool:
        """Whether another one is the same rest, of any term."""
        same = other is not None and other.projection is self.projection
        return same and other is not None and other.constants == self.constants

    def of(self, term: Term) -> Term:
        """The same rest of another term."""
        env = {**self.env, self.projection.moving: term}
        return _instance(self.rules, self.projection.target, env)

    def where(self, table: Mapping[Term, Term]) -> Rest:
        """The same rest where what it is the rest by is called otherwise."""
        constants = {n: table.get(t, t) for n, t in self.constants.items()}
        return replace(self, env={**self.env, **constants})


class Undoing:
    """What the exact rules of a rule set say of how operators are undone.

    Rests are by constants, and by what is `fixed`; conditions hold by what `ranges` say, and
    variables are what `images` say.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        projections, inverses, closures = statements(rules.rewrites)
        self._projections = by_head(rules, projections)
        self._table = by_head(rules, inverses)
        self._closures: dict[str, list[Closure]] = {}
        for closure in closures:
            closure = expanded(rules, closure)
            self._closures.setdefault(closure.pattern.op, []).append(closure)
        self._rests: dict[Term, Rest | None] = {}
        self._ways: dict[Term, tuple[Way, ...]] = {}
        self.fixed: Container[Term] = ()
        self.ranges = Ranges()
        self.images = _NONE

    @staticmethod
    def of(rules: RuleSet) -> Undoing:
        """What rules say, read once for each of the rule sets in use."""
        global _READ
        read = next((one for one in _READ if one.rules is rules), None) or Undoing(rules)
        _READ = (read, *[one for one in _READ if one is not read][: _MOST - 1])
        return read.within((), Ranges())

    def within(self, fixed: Container[Term], ranges: Ranges, images: Images = _NONE) -> Undoing:
        """The same of a place where some terms do not change, lie in ranges, and are rests."""
        here = copy(self)
        here._rests, here._ways = {}, {}
        here.fixed, here.ranges, here.images = fixed, ranges, images
        return here

    def ways(self, term: Term) -> tuple[Way, ...]:
        """What the value of a term says of terms below it, one rule after another."""
        if term not in self._ways:
            self._ways[term] = tuple(self._said(term))
        return self._ways[term]

    def _said(self, term: Term) -> Iterator[Way]:
        for inverse in self._table.get(term.op, ()):
            if term.type.is_real and not inverse.of_reals:
                continue
            env = self._matched(inverse, term, self.images)
            if env is None or not all(self._holds(c, env) for c in inverse.conditions):
                continue
            names = tuple([n for n in env if n != inverse.moving])
            others = tuple([env[n] for n in names])
            inner = env[inverse.moving]
            target = _instance(self.rules, inverse.target, env)
            yield Way(target, inner, others, names, inverse.before, self.rules)

    def arms(self, term: Term) -> tuple[Term, Term, Term] | None:
        """The condition and the arms of a choice, or of what is left of a choice."""
        if (rest := self.rest(term)) is not None and rest.inner.op == SELECT:
            condition, then, other = rest.inner.args
            return condition, rest.of(then), rest.of(other)
        if term.op != SELECT:
            return None
        condition, then, other = term.args
        return condition, then, other

    def inner(self, term: Term) -> Term:
        """What the term is the rest of."""
        rest = self.rest(term)
        return term if rest is None else rest.inner

    def rests_of(self, term: Term, by: Term) -> list[Rest]:
        """What projections by a constant, or by what is fixed, leave of a term."""
        found = []
        for one in [p for group in self._projections.values() for p in group]:
            variables = [t.attr for t in toposort([one.target]) if t.op == VAR]
            others = [n for n in variables if n != one.moving]
            found += [Rest(self.rules, one, {one.moving: term, n: by}) for n in others[:1]]
        return found

    def rests(self, terms: Iterable[Term], rest: Rest, variables: Container[Term]) -> set[Term]:
        """The values below the terms that are such a rest, if the variables are.

        By the rules that say so, and in all arms of a choice.
        """
        roots, kind = list(terms), rest.inner.type
        found: set[Term] = set()
        asked: set[Term] = set()  # constants, where they matter

        def holds(term: Term) -> bool:
            if term.op == CONST and term.type is kind and term not in asked:
                asked.add(term)
                if folded(self.rules, rest.of(term)) is term or made(term):
                    found.add(term)
            return term in found

        def made(term: Term) -> bool:
            return any(all(map(holds, over)) for over in self._closed(term, rest))

        for term in toposort(roots):
            if term.type is not kind or term.op == CONST:
                continue
            here = term in variables or rest.like(self.rest(term))
            here = here or (term.op == SELECT and all(map(holds, term.args[1:])))
            if here or made(term):
                found.add(term)
        fitting = [t for t in roots if t.op == CONST and t.type is kind]
        return found.union(filter(holds, fitting))

    def _closed(self, term: Term, rest: Rest) -> Iterator[list[Term]]:
        """Of what a value is such a rest, if these are, by one rule after another."""
        for closure in (*self._closures.get(term.op, ()), *self._closures.get(VAR, ())):
            start = _bound(closure.lhs, rest)
            if start is None:
                continue
            env = self._matched(closure, term, _NONE, start)
            if env is not None and all(self._holds(c, env) for c in closure.conditions):
                yield [env[n] for n in closure.inner]

    def is_primitive(self, term: Term) -> bool:
        """Whether a term is an operator with a meaning of its own."""
        found = self.rules.get(term.op)
        return found is not None and found.definition is None and not found.is_composite

    def is_first(self, counter: Term) -> Term:
        """Whether a trip is the first one."""
        return self.computed("eq", counter, 0)

    def before(self, counter: Term) -> Term:
        """The number of the trip before."""
        return self.computed("sub", counter, 1)

    def computed(self, op: str, a: Term, b: Term | int) -> Term:
        """An operator on integers."""
        args = [scalar(a), scalar(const(b, a.type) if isinstance(b, int) else b)]
        given = {value.term for value in args}
        return folded(self.rules, apply(self.rules, op, args, Scalar.F32).term, given)

    def built(self, form: Form, table: Mapping[Term, Term], kind: Scalar = Scalar.I32) -> Term:
        """A form as a term, its atoms called otherwise; it may wrap on the way."""
        if kind is Scalar.BOOL:
            return table[form.parts[0][0]] if form.parts else const(bool(form.number), kind)
        found: Term | None = None
        for part, factor in sorted(form.parts, key=lambda p: p[1] < 0):
            term = table[part]
            if term.type is Scalar.BOOL:
                one, zero = const(1, Scalar.I32), const(0, Scalar.I32)
                term = Term(SELECT, (term, one, zero), None, Scalar.I32)
            if abs(factor) != 1:
                term = self.computed("mul", term, abs(factor))
            if found is None:
                zero = const(0, Scalar.I32)
                found = term if factor > 0 else self.computed("sub", zero, term)
            else:
                found = self.computed("add" if factor > 0 else "sub", found, term)
        if found is None:
            return const(form.number, Scalar.I32)
        if not form.number:
            return found
        return self.computed("add" if form.number > 0 else "sub", found, abs(form.number))

    def rest(self, term: Term) -> Rest | None:
        """The term as what a projection leaves of another one; nothing else in it changes."""
        if term not in self._rests:
            self._rests[term] = None
            for projection in self._projections.get(term.op, ()):
                env = self._matched(projection, term, _NONE)
                moving = projection.moving
                if env and all(self._is_fixed(t) for n, t in env.items() if n != moving):
                    self._rests[term] = Rest(self.rules, projection, env)
                    break
        return self._rests[term]

    def _matched(
        self,
        inverse: Inverse | Closure,
        term: Term,
        images: Images,
        start: Mapping[str, Term] = MappingProxyType({}),
    ) -> dict[str, Term] | None:
        """The terms for which a rule's variables stand; None where the pattern is another one."""
        env = dict(start)
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

    def _is_fixed(self, term: Term) -> bool:
        return term.op == CONST or term in self.fixed

    def _holds(self, condition: Term, env: Mapping[str, Term]) -> bool:
        """Whether a condition of a rule can be seen to hold: of constants, or by ranges."""
        if condition.op == "is_const":
            return env[condition.args[0].attr].op == CONST
        if condition.op == "exists":
            return False
        found = _instance(self.rules, condition, env)
        return is_const(found, True) or self.ranges.holds(found)

    def _is(self, stated: Term, env: Mapping[str, Term], number: Term) -> bool:
        """Whether an expression of constants is a number: `32 - n`."""
        if stated.op == CONST:
            return const_value(stated) == const_value(number)
        found = _computed(self.rules, stated, env)
        return found is number


#: Those of the rule sets that were asked for last; they answer for no terms.
_READ: tuple[Undoing, ...] = ()


def _bound(closed: Term, rest: Rest) -> dict[str, Term] | None:
    """What the variables of a rule stand for where it is about this rest; None where it is not."""
    found: dict[str, Term] = {}
    stack = [(closed, rest.projection.target)]
    while stack:
        mine, other = stack.pop()
        if other.op == VAR and other.attr == rest.projection.moving:
            continue
        if mine.op == VAR == other.op:
            found[mine.attr] = rest.constants[other.attr]
        elif mine.op != other.op or mine.attr != other.attr:
            return None
        else:
            stack += zip(mine.args, other.args, strict=True)
    return found


def _computed(rules: RuleSet, expression: Term, env: Mapping[str, Term]) -> Term | None:
    """An expression over constants as a constant; None where it is over anything else."""
    names = [t.attr for t in toposort([expression]) if t.op == VAR]
    if not all(n in env and env[n].op == CONST for n in names):
        return None
    here = {n: scalar(env[n]) for n in names}
    return folded(rules, instantiate(rules, expression, here, Scalar.F32).term)


def _instance(rules: RuleSet, expression: Term, env: Mapping[str, Term]) -> Term:
    """An expression of a rule over terms, with what is over constants computed."""
    here = {n: scalar(t) for n, t in env.items()}
    given = set(env.values())
    return folded(rules, instantiate(rules, expression, here, Scalar.F32).term, given)
