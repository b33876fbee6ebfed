"""Cosines and sines of an angle in the plane, beside what is 0 with the distance.

    f(l) * cos(atan2(y, x))        as    f(l) * x/l                  for l = hypot(x, y)
    g(l) * cos(2*atan2(y, x))      as    g(l) * (x*x - y*y)/(l*l)
    f(l) * sin(atan2(y, x) + a)    as    f(l) * (y*cos(a) + x*sin(a))/l

is what a camera does with the angle of incidence, and polynomials of Zernike with multiples of it.
The angle jumps where l is 0, and the whole is smooth if f is 0 there; alone the cosine stays,
which is a number at 0, and x/l is none. Takes products, gives products with x/l; and takes a
program, gives one in which angles are of sides as they were before they were divided by a length.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, const
from ...factors.common import Summand, built, shortly, summands, total
from ...factors.factored import WHOLE, Factor, Product
from .lengths import Lengths

_ALONG = ("cos", "sin")
_TIMES = 6  # the most of an angle


@dataclass(frozen=True, slots=True)
class _Angle:
    """times * atan2(y, x) + shift."""

    plane: Term
    times: int
    shift: tuple[Summand, ...]


def is_of_angle(term: Term) -> bool:
    """Whether it is the cosine or the sine of a multiple of an angle in the plane, and a shift."""
    return _angle(term) is not None


def by_sides_of_angles(product: Product, lengths: Lengths, rules: RuleSet) -> Product | None:
    """The product with sides over lengths, where the lengths are there; None without any."""
    found: Product | None = None
    for factor in product.factors:
        angle = _angle(factor.term) if factor.power >= WHOLE else None
        length = lengths.get(frozenset(angle.plane.args)) if angle is not None else None
        if angle is None or length is None:
            continue
        side, below = Product.of(_side(factor.term.op, angle, rules)), Product.of(length)
        if side is not None and below is not None:
            one = Product(1.0, [Factor(factor.term, WHOLE, None)])
            found = (found or product).times(one, -1).times(side).times(below, -abs(angle.times))
    return found


def of_directions(program: Program, rules: RuleSet) -> Program:
    """The program with angles in the plane of sides that are not both over the same length."""
    return program.rewritten(
        lambda _, here: _by_longer_sides(here, rules) if here.op == "atan2" else None
    )


def _by_longer_sides(angle: Term, rules: RuleSet) -> Term | None:
    """atan2(y/l, x/l) as atan2(y, x), and so of whatever size both are a multiple of."""
    y, x = map(Product.of, angle.args)
    if y is None or x is None:
        return None
    shared = Product()
    for factor in y.factors:
        powers = factor.power, x.power_of(factor)
        if factor.is_size and powers[0] * powers[1] > 0:
            shared.put(factor.term, min(powers, key=abs))
    if not shared.varies():
        return None
    sides = [side.times(shared, -1).whole(rules, angle.type) for side in (y, x)]
    return built(rules, "atan2", *sides)


def _angle(term: Term) -> _Angle | None:
    """What a cosine or sine is of."""
    if term.op not in _ALONG:
        return None
    planes, shift = list[tuple[int, Term]](), list[Summand]()
    for sign, part in summands(term.args[0]):
        product = Product.of(part)
        match product:
            case Product(number=number, factors=[Factor(term=Term(op="atan2") as plane) as factor]):
                if factor.power != WHOLE or not number.is_integer() or abs(number) > _TIMES:
                    return None
                planes.append((sign * int(number), plane))
            case _:
                shift.append((sign, part))
    if len(planes) != 1:
        return None
    ((times, plane),) = planes
    return _Angle(plane, times, tuple(shift))


def _side(op: str, angle: _Angle, rules: RuleSet) -> Term:
    """The real part of (x + i*y)**n * exp(i*shift), or the imaginary part of it."""
    y, x = angle.plane.args

    def times(one: tuple[Term, Term], other: tuple[Term, Term]) -> tuple[Term, Term]:
        (a, b), (c, d) = one, other
        products = [shortly(rules, "mul", *pair) for pair in ((a, c), (b, d), (a, d), (b, c))]
        real = shortly(rules, "sub", *products[:2])
        return real, shortly(rules, "add", *products[2:])

    zero = const(0.0, x.type)
    whole = (const(1.0, x.type), zero)
    for _ in range(abs(angle.times)):
        whole = times(whole, (x, y if angle.times > 0 else shortly(rules, "neg", y)))
    if angle.shift:
        shift = total(angle.shift, rules, x.type)
        whole = times(whole, (shortly(rules, "cos", shift), shortly(rules, "sin", shift)))
    return whole[_ALONG.index(op)]
