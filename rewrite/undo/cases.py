"""What integers of 32 bits are, case by case: in each a linear form.

    i - 1 if i > 0 else m    is  i - 1  where i >= 1, and  m  where i <= 0

A sum that wraps around is a case, too, unless what is known excludes it, so that nothing is left
out. Of a remainder that is far from what it is of, bounds are known. Takes terms and facts, gives
the cases that can be.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...terms.term import CAST, CONST, SELECT, Term, const_value
from ...terms.types import Scalar
from .corners import Corners
from .linear import Form, Known, atom, equal, number, tightest
from .ranges import ALL, Ranges

TURN = 1 << 32
_MOST = 48  # cases
_FACTOR = 4  # of products that may wrap
_STEPS = 1024  # of all of them together

Outcome = tuple[list[Form], Form]  # facts, and what a term is if they hold


@dataclass(frozen=True)
class Case:
    """Facts, each a form that is at least 0, and what terms are then."""

    facts: tuple[Form, ...]
    forms: Mapping[Term, Form]

    def beside(self, facts: Iterable[Form]) -> Case:
        """The same where more is known."""
        return Case(tightest((*self.facts, *facts)), self.forms)

    def says(self, fact: Form) -> bool:
        """Whether a form is at least 0."""
        return self.excludes([-fact - 1]) if fact.parts else fact.number >= 0

    def excludes(self, facts: Sequence[Form]) -> bool:
        """Whether these cannot hold."""
        if all(not fact.parts and fact.number >= 0 for fact in facts):
            return False
        if self.corners.excludes(facts):
            return True
        return not self.corners.allows(facts) and self.known.excludes(facts)

    @cached_property
    def corners(self) -> Corners:
        """What is found out at once: nine in ten questions, in a fifth of the time."""
        return Corners(self.facts)

    @cached_property
    def known(self) -> Known:
        """The facts, for all other questions."""
        return Known(self.facts)

    def bounds(self, form: Form) -> bool:
        """Whether a form is an integer of 32 bits."""
        return self.says(form - ALL[0]) and self.says(-form + ALL[1])


def cases(
    roots: Sequence[Term], start: Case, moving: Container[Term], ranges: Ranges
) -> list[Case] | None:
    """The cases of some terms; None where there are too many, or one is no linear form.

    What is not `moving`, and nothing simple, is an atom.
    """
    found: list[Case] = []
    work = [(start, list(roots[::-1]))]
    steps = 0
    while work:
        here, stack = work.pop()
        while stack:
            steps += 1
            term = stack[-1]
            if term in here.forms:
                stack.pop()
                continue
            missing = _missing(term, here.forms, term in moving)
            if missing is not None:
                stack.append(missing)
                continue
            outcomes = _outcomes(term, here, term in moving, ranges)
            if outcomes is None or steps > _STEPS or len(work) + len(found) > _MOST:
                return None
            outcomes = [o for o in outcomes if len(outcomes) == 1 or not here.excludes(o[0])]
            made = [replace(here.beside(o), forms={**here.forms, term: f}) for o, f in outcomes]
            work += [(case, list(stack)) for case in made[:0:-1]]
            if not made:
                break  # cannot be
            here = made[0]
        else:
            found.append(here)
    return found


def _missing(term: Term, forms: Mapping[Term, Form], moving: bool) -> Term | None:
    """What has to be known before a term; of a choice, the arm that is taken."""
    args = term.args
    if not (moving or _is_simple(term)):
        return None
    if term.op == SELECT:
        args = term.args[:1]
        if args[0] in forms:
            args = (term.args[1 if forms[args[0]].number else 2],)
    return next((a for a in args if a not in forms), None)


def _is_simple(term: Term) -> bool:
    """Whether a term that does not move is worth looking into."""
    return term.op in _BETWEEN or (
        term.op in _COMPARED and all(a.type is Scalar.I32 and _is_plain(a) for a in term.args)
    )


def _is_plain(term: Term) -> bool:
    return not term.args or (term.op in _BETWEEN and all(not a.args for a in term.args))


def _outcomes(term: Term, here: Case, moving: bool, ranges: Ranges) -> list[Outcome] | None:
    """What a term may be, its arguments being known; None where that is no linear form."""
    if term.type not in (Scalar.I32, Scalar.BOOL):
        return None
    if term.op == CONST:
        return [([], number(int(const_value(term))))]
    if not term.args or not (moving or _is_simple(term)):
        return _atoms(term, ranges)
    if term.op == SELECT:
        return [([], here.forms[term.args[1 if here.forms[term.args[0]].number else 2]])]
    args = [here.forms[a] for a in term.args]
    if term.op == CAST:
        return [([], args[0])] if term.args[0].type is Scalar.BOOL else None
    if term.op in _COMPARED:
        return _compared(term.op, args[0] - args[1])
    if term.op in _TRUTHS:
        return [([], number(_TRUTHS[term.op](*(a.number for a in args))))]
    if term.op in _LINEAR:
        return _wrapped(_LINEAR[term.op](*args), here)
    if term.op == "mul":
        return _product(args, here)
    if term.op in _CHOSEN:
        return _chosen(_CHOSEN[term.op], args)
    return _remainder(term, args[0], args[1], here) if term.op == "fmod" else None


def _atoms(term: Term, ranges: Ranges) -> list[Outcome]:
    """A value of its own: a number in a range, or one of two truth values."""
    here = atom(term)
    low, high = ranges.of(term)
    if term.type is Scalar.I32:
        return [([here - low, -here + high], here)]
    return [(equal(here, number(n)), number(n)) for n in range(low, high + 1)]


def _wrapped(form: Form, here: Case, turns: int = 1) -> list[Outcome]:
    """A sum: as it is, or around the end of the integers."""
    if here.bounds(form):
        return [([], form)]
    found = [form + n * TURN for n in sorted(range(-turns, turns + 1), key=abs)]
    return [([f - ALL[0], -f + ALL[1]], f) for f in found]


def _product(args: Sequence[Form], here: Case) -> list[Outcome] | None:
    """A small multiple."""
    constants = [a for a in args if not a.parts]
    if not constants:
        return None
    moving = args[1] if args[0] is constants[0] else args[0]
    factor = constants[0].number
    return _wrapped(moving * factor, here, abs(factor)) if abs(factor) <= _FACTOR else None


def _compared(op: str, less: Form) -> list[Outcome]:
    """Whether a difference is below, at, or above 0."""
    parts = ([-less - 1], [less, -less], [less - 1])
    if not less.parts:
        n = less.number
        return [([], number(_COMPARED[op][0 if n < 0 else 1 if n == 0 else 2]))]
    if _COMPARED[op][0] == _COMPARED[op][1]:
        return [([-less], number(_COMPARED[op][0])), (parts[2], number(_COMPARED[op][2]))]
    if _COMPARED[op][1] == _COMPARED[op][2]:
        return [(parts[0], number(_COMPARED[op][0])), ([less], number(_COMPARED[op][2]))]
    return [(facts, number(n)) for facts, n in zip(parts, _COMPARED[op], strict=True)]


def _chosen(signs: Sequence[int], args: Sequence[Form]) -> list[Outcome]:
    """The least or the greatest of two numbers; of three, one between the others."""
    found: list[Outcome] = [([], args[0])]
    for sign, other in zip(signs, args[1:], strict=True):  # 1: at least so much
        held: list[Outcome] = []
        for facts, form in found:
            above = (form - other) * sign
            held += [([*facts, above], form), ([*facts, -above - 1], other)]
        found = held
    return found


def _remainder(term: Term, a: Form, b: Form, here: Case) -> list[Outcome]:
    """What a division that truncates leaves; by 0 there is none."""
    found: list[Outcome] = []
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        most, size = a * signs[0], b * signs[1]
        known = [most if signs[0] > 0 else most - 1, size - 1]
        found.append(([*known, size - most - 1], a))
        further = [*known, most - size]
        if here.beside(further).says(size * 2 - most - 1):
            found.append((further, (most - size) * signs[0]))
        else:
            left = atom(term) * signs[0]
            found.append(([*further, left, size - left - 1, most - size - left], atom(term)))
    return found


_BETWEEN = ("add", "sub", "neg", "min", "max", "clamp")
_COMPARED: Mapping[str, tuple[int, int, int]] = {  # below, at, and above
    "lt": (1, 0, 0),
    "le": (1, 1, 0),
    "eq": (0, 1, 0),
    "ne": (1, 0, 1),
    "ge": (0, 1, 1),
    "gt": (0, 0, 1),
}
_LINEAR: Mapping[str, Callable[..., Form]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
}
_TRUTHS: Mapping[str, Callable[..., int]] = {
    "logical_and": lambda a, b: a & b,
    "logical_or": lambda a, b: a | b,
    "logical_not": lambda a: 1 - a,
}
_CHOSEN: Mapping[str, tuple[int, ...]] = {"min": (-1,), "max": (1,), "clamp": (1, -1)}
