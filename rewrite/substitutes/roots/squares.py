"""Where functions of sums of squares meet 0: their slopes there are 0 times infinity as written.

    sqrt(x*x + y*y + z*z)       at the origin: the slope of the root is infinite, that of the sum 0
    sqrt(x*x/a + cos(b)*y*y)    so have weights that are never 0: divisors, and cosines of floats
    x / sqrt(x*x + y*y)         no number there in any case: nothing is worth its guard

Takes the results of a program, gives its terms that are functions of sums of squares, less those
by which the program divides whatever it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from ....terms.loop import LOOP, Loop
from ....terms.program import Program
from ....terms.term import CAST, CONST, PROJ, SELECT, Term, const_value, is_zero, toposort
from ...guards import Guard, guards

_FACTORS = 8  # a product of more than so many different ones is no square that anybody wrote
_ROUNDS = 5  # for what states hand to one another from trip to trip
_FLAT = frozenset({"positive_squared", "versin", "coshm1"})  # squares by their definition
_WEIGHTS = frozenset({"exp", "cos", "cosh"})  # no float is a zero of these
_FACTORS_OF = {"mul": 2, "div": 1, "neg": 1, "abs": 1, "sqrt": 1}  # who is 0 makes it 0
_POLES = {"div": 1, "rcp": 0, "rsqrt": 0, "log": 0}  # what has no value at 0, and for which operand


def of_squares(roots: Sequence[Term], given: Iterable[Term] = ()) -> dict[Term, None]:
    """The terms whose first operand is 0 only where squares are, if they may be 0 themselves.

    `given` are inputs that are known to be sums of squares.
    """
    terms = toposort(roots)
    squares = _sums_of_squares(terms, given)
    found = [t for t in terms if t.args and t.args[0] in squares and t not in squares]
    if not found:
        return {}
    poles = divisors(terms, guards(roots))
    return dict.fromkeys(t for t in found if t not in poles and t.args[0] not in poles)


def squares_in_loops(
    roots: Sequence[Term], given: Iterable[Term] = ()
) -> dict[Program, frozenset[Term]]:
    """By the body of each loop its inputs and states that are sums of squares in every trip.

    What does not change from trip to trip, y*y beside (x - i)**2, is an input of the body. Where
    several loops have one body, those that are so in all of them.
    """
    terms = toposort(roots)
    squares = _sums_of_squares(terms, given)
    found: dict[Program, frozenset[Term]] = {}
    for term in terms:
        if term.op == LOOP:
            loop: Loop = term.attr
            inputs = zip(loop.inputs, term.args[1 + loop.carried :], strict=True)
            own = {leaf for leaf, arg in inputs if arg in squares}
            own.update(loop.state[k] for k in _carried(term, squares))
            found[loop.body] = found.get(loop.body, frozenset(own)) & own
    return found


def divisors(terms: Sequence[Term], needed: Mapping[Term, Guard]) -> set[Term]:
    """What a program divides by, or takes the logarithm of, whatever it is given.

    With a product each of its factors: where one is 0, `dot(a, b) / (|a|*|b|)` has no number.
    """
    found = {
        term.args[_POLES[term.op]]
        for term in terms
        if term.op in _POLES and needed[term].parent is None
    }
    for term in reversed(terms):
        if term in found:
            found.update(term.args[: _FACTORS_OF.get(term.op, 0)])
    return found


@dataclass(frozen=True, slots=True)
class _Sides:
    """The factors above and below the line of a product, also of squares; as one, of too many."""

    above: Set[Term]
    below: Set[Term]

    @staticmethod
    def of(term: Term, args: Sequence[_Sides]) -> _Sides:
        """Those of a product or quotient of two."""
        one, other = args
        if term.op == "div":
            other = _Sides(other.below, other.above)
        found = _Sides(one.above | other.above, one.below | other.below)
        few = len(found.above) + len(found.below) <= 2 * _FACTORS
        return found if few else _Sides({term}, set())

    def never_zero(self, factor: Term) -> bool:
        """Whether a factor is never 0 where a product has a value."""
        only_divides = factor in self.below and factor not in self.above
        return factor.op in _WEIGHTS or (only_divides and factor.op != CONST)


def _sums_of_squares(terms: Sequence[Term], given: Iterable[Term] = ()) -> set[Term]:
    """Terms that are never negative, and smooth: so their slopes are 0 where they are."""
    found = set(given)
    odd: dict[Term, frozenset[Term]] = {}  # the factors that a product has an odd number of times
    sides: dict[Term, _Sides] = {}
    squared: set[Term] = set()  # products with a square among their factors
    loops: dict[Term, set[int]] = {}
    for term in terms:
        if term.op in ("mul", "div"):
            one, other = (odd.get(a, frozenset([a])) - found for a in term.args)
            left = frozenset(t for t in one ^ other if not _is_positive(t))
            sides[term] = _Sides.of(term, [sides.get(a) or _Sides({a}, set()) for a in term.args])
            if len(left) <= _FACTORS:
                odd[term] = left
                if one & other or any(a in found or a in squared for a in term.args):
                    squared.add(term)
                is_square = term in squared if left else not all(map(_is_positive, term.args))
                if is_square and all(map(sides[term].never_zero, left)):
                    found.add(term)
        elif term.op == LOOP:
            loops[term] = _carried(term, found)
        elif (
            term.op in _FLAT
            or (term.op == "pow" and _is_even(term.args[1]))
            or (term.op in ("add", CAST) and _are_sums(term.args, found))
            or (term.op == SELECT and _are_sums(term.args[1:], found))
            or (term.op == PROJ and term.attr - 1 in loops.get(term.args[0], ()))
        ):
            found.add(term)
    return found


def _carried(loop: Term, found: set[Term]) -> set[int]:
    """The state variables of a loop that are sums of squares in every trip."""
    attr: Loop = loop.attr
    first, inputs = loop.args[1 : 1 + attr.carried], loop.args[1 + attr.carried :]
    outside = [own for own, arg in zip(attr.inputs, inputs, strict=True) if arg in found]
    sums = {k for k, arg in enumerate(first) if _are_sums([arg], found) or is_zero(arg)}
    terms = toposort(attr.step)
    for _ in range(_ROUNDS):
        inside = _sums_of_squares(terms, [*outside, *(attr.state[k] for k in sums)])
        kept = {k for k in sums if attr.step[k] in inside}
        if kept == sums:
            return sums
        sums = kept
    return set()


def _are_sums(terms: Sequence[Term], found: set[Term]) -> bool:
    """Whether all of them are sums of squares; those of none at all, 0, beside others."""
    return any(t in found for t in terms) and all(t in found or is_zero(t) for t in terms)


def _is_even(exponent: Term) -> bool:
    return exponent.op == CONST and const_value(exponent) > 0 and const_value(exponent) % 2 == 0


def _is_positive(term: Term) -> bool:
    return term.op == CONST and const_value(term) > 0
