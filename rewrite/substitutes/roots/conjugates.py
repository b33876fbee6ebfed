"""A value and a root that nearly cancel, by what their product with the conjugate is.

    h + sqrt(h*h - q)    is    q / (h - sqrt(h*h - q))    where h is negative
    1 - sqrt(max(1 - q, 0))    is the same of min(q, 1): what is seen of a sphere
    (-b + sqrt(b*b - 4*a*c)) / (2*a)    is the root of 2*a*r*r + 2*b*r + 2*c, also where a is 0

Which of both it is, the operators `conjugate_sum` and `quadratic_root` choose, and their slopes do
not cancel. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, const_value, is_zero, toposort
from ...factors.common import SUMS, Summand, built, summands, total
from ...factors.digits import accurate
from ...factors.factored import WHOLE, Factor, Product
from ...guarded.images import Images

_EVEN = 2 * WHOLE  # powers of squares


@dataclass(frozen=True, slots=True)
class _Sum:
    """sign * (h + sqrt(h*h - q))."""

    sign: int
    h: Term
    q: Sequence[Summand]
    divided: bool  # and so only of use as a root of a quadratic equation
    digits: bool  # only of use where digits count


def without_cancellation(program: Program, rules: RuleSet) -> Program:
    """The program with sums of a value and a root as operators that keep their digits."""
    roots = [*program.flat, *program.notes]
    order = toposort(roots)
    if not any(t.op == "sqrt" for t in order):
        return program
    images, digits = Images(rules), accurate(program.flat)
    sums = {t: s for t in order if (s := _sum_of(t, rules, images)) is not None}

    def step(term: Term, _: Term) -> Term | None:
        found = sums.get(term)
        if found is not None and not found.divided and (term in digits or not found.digits):
            return _whole(found, rules)
        return _quotient(term, sums, rules) if term.op in ("mul", "div") else None

    return program.rewritten(step) if sums else program


def _sum_of(term: Term, rules: RuleSet, images: Images) -> _Sum | None:
    """A term as a sum of a value and a root that may cancel; None of anything else."""
    added = summands(term) if term.op in SUMS else []
    if len(added) < 2 or sum(part.op == "sqrt" for _, part in added) != 1:
        return None
    *others, (sign, root) = sorted(added, key=lambda part: part[1].op == "sqrt")
    own = others[0][0]
    value = total([(own * side, part) for side, part in others], rules, term.type)
    h = value if own == sign else _negative(value, rules)
    inside, is_kept = _kept(root.args[0])
    below = summands(inside)
    rest = _without_square(below, value)
    if is_kept and (rest is None or h.op != CONST):
        return None
    if rest is None or all(low >= 0 for low, _ in images.anywhere(h).parts):
        return None
    is_bound = len(rest) == 1 and _has_factor(rest[0][1], {value, *(part for _, part in others)})
    depends = not {value}.isdisjoint(toposort([part for _, part in rest]))
    if depends and not is_bound and h.op != CONST:
        return None  # h + sqrt(h*h*(1 - a) + a) is a sum of lengths more often than a root
    # Lengths have slopes of their own at the origin, and those of sums are no loss beside others:
    # but a + b + k - sqrt((a + b + k)**2 - 4*a*b) has no digits of b where that is small.
    # A number under the root is no length: x + sqrt(x*x + 4) is a ramp without an origin.
    is_smooth = all(s > 0 and part.op == CONST for s, part in rest)
    is_length = all(s > 0 and _is_square(part) for s, part in rest) and h.op != CONST
    divided = (len(others) > 1 and not is_bound) or is_length
    q, digits = [(-s, part) for s, part in rest], h.op == CONST or is_smooth
    if is_kept:
        most = const(float(const_value(h)) ** 2, h.type)
        q = [(1, built(rules, "min", total(q, rules, h.type), most))]
    return _Sum(sign, h, q, divided and not is_smooth, digits)


def _kept(term: Term) -> tuple[Term, bool]:
    """What a maximum with 0 is of, and whether a term is one."""
    if term.op != "max" or not any(is_zero(a) for a in term.args):
        return term, False
    first, second = term.args
    return (second if is_zero(first) else first), True


def _negative(term: Term, rules: RuleSet) -> Term:
    if term.op == CONST:
        return const(-float(const_value(term)), term.type)
    return built(rules, "neg", term)


def _without_square(added: Sequence[Summand], value: Term) -> list[Summand] | None:
    """What a sum has beside the square of a value; None where it has no such square."""
    root = Product.of(value)
    if root is None or len(added) < 2:
        return None
    for i, (sign, part) in enumerate(added):
        product = Product.of(part)
        if product is not None and sign > 0:
            left = product.times(root, -2)
            if left.number == 1 and not left.varies():
                return [*added[:i], *added[i + 1 :]]
    return None


def _has_factor(term: Term, own: Set[Term]) -> bool:
    """Whether a product has one of these as a factor, and is no square."""
    product = Product.of(term)
    return (
        product is not None
        and not _is_square(term)
        and any(factor.term in own for factor in product.factors)
    )


def _is_square(term: Term) -> bool:
    product = Product.of(term)
    return (
        product is not None
        and product.number > 0
        and all(factor.power % _EVEN == 0 for factor in product.factors)
    )


def _whole(found: _Sum, rules: RuleSet) -> Term:
    made = built(rules, "conjugate_sum", found.h, total(found.q, rules, found.h.type))
    return made if found.sign > 0 else built(rules, "neg", made)


def _quotient(term: Term, sums: Mapping[Term, _Sum], rules: RuleSet) -> Term | None:
    """A sum over what q has as a factor: the root of a quadratic equation."""
    product = Product.of(term)
    factors = product.factors if product is not None else []
    found = next((f for f in factors if f.power == WHOLE and f.term in sums), None)
    below = [Factor(f.term, -f.power, f.linear) for f in factors if f.power < 0]
    if product is None or found is None or not below:
        return None
    whole = sums[found.term]
    q = Product.of(whole.q[0][1]) if len(whole.q) == 1 else None
    if q is None or any(q.power_of(f) < f.power for f in below):
        return None
    divisor = Product(1 / abs(product.number), below)
    last = q.times(divisor, -1)
    last.number *= whole.q[0][0]
    sign = whole.sign if product.number > 0 else -whole.sign
    above = [f for f in factors if f.power > 0 and f is not found]
    ends = [part.whole(rules, term.type) for part in (divisor, last)]
    root = built(rules, "quadratic_root", ends[0], whole.h, ends[1])
    return Product(float(sign), above).build(rules, root, term.type)
