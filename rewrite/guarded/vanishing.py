"""Arms that are 0 wherever they are taken, by what the condition says of values.

    h = min(max(u, 0), 1);  u == h ? g*(2*k*h - k - 2*k*u + k) : 0    =>    0
    h = max(0, u);          0 < u ? h*h : 0.5*h*h                     =>    0 < u ? h*h : 0
                            0 < u ? h*h : 0                           =>    h*h

Takes a program over primitives, gives it without these. What a formula's parameter is chosen for,
as the blend of a smooth minimum is, often makes its derivative by the parameter 0 (the envelope
theorem), and the rest is rounding. Whether an arm is 0 is asked of its fingerprint, with one of two
equal values in the place of the other: so in whatever way it is computed. An arm that has a factor
0 wherever the other one, 0, is taken needs no choice, if it is a number everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...terms.conditions import few_facts
from ...terms.loop import has_loops, map_loops
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import SELECT, Term, const, is_zero, rebuild, toposort
from ...terms.walk import postorder
from ..fingerprints import TOTAL, Fingerprints
from .images import Images
from .undefined import Undefined

_MOST = 400  # values that are computed again for one arm
_ODD = ("add", "sub", "neg", "abs", "sqrt", "min", "max")  # are 0 where all arguments are
#: What is a number where an argument is 0, beside what is one everywhere.
_FINE = (SELECT, "sqrt", "log1p", "tan", "asin", "cbrt")
_OFTEN = 20  # how often the values of a program are computed again for all arms, in the mean


def without_vanishing(program: Program, rules: RuleSet) -> Program:
    """The program with 0 for each arm that is 0 wherever it is taken, or without that choice.

    Nothing is lost by that, and what was rounding is exact.
    """
    if has_loops(program.flat):
        inner = map_loops(program.flat, lambda body: without_vanishing(body, rules))
        program = program.with_terms(inner)
    terms = toposort(program.flat)
    if not any(_is_choice(t) for t in terms):
        return program
    undefined = Undefined(rules)
    supposing, done = _Supposing(terms, undefined.images), dict[Term, Term]()
    for term in terms:
        args = [done[a] for a in term.args]
        for arm in (1, 2) if _is_choice(term) else ():
            if not is_zero(term.args[arm]) and supposing.is_zero(term, arm):
                args[arm] = const(0.0, term.type)
        done[term] = rebuild(term, tuple(args))
        for choice, arm, beside, found in _one_arm(term, args, done[term]):
            if supposing.is_one_arm(choice, arm, beside) and undefined.nowhere(found):
                done[term] = found
                break
    return program.with_terms(done)


def _one_arm(
    term: Term, args: Sequence[Term], made: Term
) -> Iterator[tuple[Term, int, Term, Term]]:
    """Ways to take one arm of a choice only: the choice, the arm, what has to be 0, and the result.

    That is where the other arm is taken: the arm itself, beside 0, or a factor of the choice.
    """
    if _is_choice(term):
        for arm, other in ((1, 2), (2, 1)):
            if is_zero(args[other]):
                yield term, arm, term.args[arm], args[arm]
    for one, two in ((0, 1), (1, 0)) if term.op == "mul" and term.type.is_real else ():
        choice = term.args[one]
        if _is_choice(choice) and args[one].op == SELECT and args[one].args[0] is choice.args[0]:
            for arm in (1, 2):
                pair = (args[one].args[arm], args[two])
                yield choice, arm, term.args[two], rebuild(made, pair if one == 0 else pair[::-1])


def _is_choice(term: Term) -> bool:
    return term.op == SELECT and term.type.is_real


class _Supposing:
    """The fingerprints of arms, with what the condition of their choice says."""

    def __init__(self, terms: Sequence[Term], images: Images) -> None:
        self.images = images
        self.place = {term: i for i, term in enumerate(terms)}
        self.prints = Fingerprints(terms)
        self.left = _OFTEN * len(terms)  # values that may still be computed again
        self.extremes: dict[int, list[tuple[Term, bool]]] = {}  # by the difference of arguments
        for term in terms:
            if term.op in ("min", "max") and term.type.is_real:
                difference = self._difference(term)
                self.extremes.setdefault(difference, []).append((term, True))
                self.extremes.setdefault(-difference % self.prints.prime, []).append((term, False))

    def is_zero(self, choice: Term, arm: int) -> bool:
        """Whether an arm of a choice is 0 where it is taken, and nothing is divided by 0 there."""
        said = self._said(choice.args[0], holds=arm == 1)
        users = self._users(choice.args[arm], said)
        if not users:
            return False
        supposed = self.prints.supposing(said)
        supposed.add(users)
        return supposed[choice.args[arm]] == 0 and not any(
            supposed[a] == 0 != self.prints[a] for t in users if t not in said for a in _poles(t)
        )

    def is_one_arm(self, choice: Term, arm: int, term: Term) -> bool:
        """Whether a term is 0, without any rounding, where the other arm of a choice is taken."""
        said = self._said(choice.args[0], holds=arm == 2)
        zeros = {each: value == 0 for each, value in said.items()}
        for each in self._users(term, said):
            if each not in said:
                zeros[each] = self._vanishes(each, said, zeros)
        return zeros.get(term, False)

    def _vanishes(self, term: Term, said: Mapping[Term, int], zeros: Mapping[Term, bool]) -> bool:
        """Whether a value is 0 where some of its arguments are, or one is the other one."""
        zero = [zeros.get(a, is_zero(a)) for a in term.args]
        match term.op:
            case "mul":
                return any(zero)
            case "div":
                return zero[0]
            case "pow":
                return zero[0] and self.images.anywhere(term.args[1]).low > 0
            case "sub" if not all(zero):
                pairs = (term.args, term.args[::-1])
                same = (b in a.args and said.get(a) == self.prints[b] for a, b in pairs)
                return any(same)
            case op if op == SELECT:
                return all(zero[1:])
        return term.op in _ODD and all(zero)

    def _users(self, term: Term, said: Mapping[Term, int]) -> list[Term]:
        """Those below a term that use what is said, and it; none where these are too many."""
        if not said or self.left <= 0:
            return []
        first, seen = min(self.place[t] for t in said), 0

        def later(term: Term) -> list[Term]:
            nonlocal seen
            seen += 1
            inside = term not in said and seen < _MOST
            return [a for a in term.args if self.place[a] > first] if inside else []

        users = postorder([term], later)
        self.left -= len(users)
        return users if seen < _MOST else []

    def _said(self, condition: Term, *, holds: bool) -> dict[Term, int]:
        """Values that are others where a condition holds, or not, and the fingerprints of these."""
        found: dict[Term, int] = {}
        for fact, true in few_facts(condition, holds):
            if not fact.args or not fact.args[0].type.is_real:
                continue
            if fact.op == ("eq" if true else "ne"):
                early, late = sorted(fact.args, key=self.place.__getitem__)
                found[late] = self.prints[early]
            below = _is_below(fact.op, true)
            if below is not None:
                for extreme, same in self.extremes.get(self._difference(fact), ()):
                    first = (extreme.op == "min") == (below == same)
                    found[extreme] = self.prints[extreme.args[0 if first else 1]]
        return found

    def _difference(self, term: Term) -> int:
        one, other = term.args
        return (self.prints[one] - self.prints[other]) % self.prints.prime


def _poles(term: Term) -> Sequence[Term]:
    """The arguments that may not be 0, as far as is known."""
    if term.op in TOTAL or term.op in _FINE:
        return ()
    return term.args[1:] if term.op == "div" else term.args


def _is_below(op: str, true: bool) -> bool | None:
    """Whether the first of two values is not above the second, or not below it; None for others."""
    if op in ("lt", "le"):
        return true
    return not true if op in ("gt", "ge") else None
