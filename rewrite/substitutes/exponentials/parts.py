"""Quotients of a sum and a part of it, in functions that count what these are more than 1.

    acos((r - h)/r)     is    acos(1 - h/r), the angle of a level
    acos(r/(r + h))     is    acos(1 - h/(r + h)), the dip of a horizon
    acosh((a + z)/a)    is    acosh(1 + z/a)

As written, nothing is left of the other part where it is small: in single precision a slope of the
first was 20 times too large at h = 1e-4. Patterns know all of it. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, toposort
from ...factors.common import SUMS, Summand, built, summands, total

_OF_ONE = frozenset({"acos", "acosh"})


def beside_one(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients as 1 and a quotient of the other part."""
    if not any(t.op in _OF_ONE for t in toposort([*program.flat, *program.notes])):
        return program
    return program.rewritten(lambda _, here: _of_rest(here, rules))


def _of_rest(term: Term, rules: RuleSet) -> Term | None:
    """A function by what its argument is more or less than 1; None where that is not written."""
    if term.op not in _OF_ONE or term.args[0].op != "div":
        return None
    above, below = term.args[0].args
    more, less = _without(above, below), _without(below, above)
    rest = more if less is None else _turned(less)
    return None if rest is None else built(rules, term.op, _one_and(rest, below, rules))


def _without(whole: Term, part: Term) -> list[Summand] | None:
    """What a sum has beside one of its summands; None if that is no summand."""
    added = summands(whole) if whole.op in SUMS and part.op != CONST else []
    if (1, part) not in added:
        return None
    place = added.index((1, part))
    return [*added[:place], *added[place + 1 :]]


def _turned(added: Sequence[Summand]) -> list[Summand]:
    return [(-sign, part) for sign, part in added]


def _one_and(rest: Sequence[Summand], below: Term, rules: RuleSet) -> Term:
    """1 + rest/below, or 1 - (-rest)/below where the rest is subtracted."""
    one, minus = const(1.0, below.type), all(sign < 0 for sign, _ in rest)
    whole = total(_turned(rest) if minus else rest, rules, below.type)
    return built(rules, "sub" if minus else "add", one, built(rules, "div", whole, below))
