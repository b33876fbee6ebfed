"""Programs over operators of which two classes could say what they mean. Python runs them too.

Every public function takes two real numbers and gives numbers.
"""

import functools
import operator


class Level:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):  # no equality of mathematics: it matters who is asked
        return self.x > other.x - 0.1

    def __add__(self, other):
        return self.x - other.x

    def __mul__(self, k):
        return type(self)(self.x * k)

    __rmul__ = __mul__

    def __lt__(self, other):
        return self.x < other.x + 0.3


class Warm(Level):
    pass


class Hot(Level):
    def __radd__(self, other):
        return 3.0 * self.x - other.x

    def __gt__(self, other):
        return self.x > other.x * 0.5


class Length:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        return Length(self.x + other.x)

    def __isub__(self, other):
        return NotImplemented

    def __sub__(self, other):
        return Length(self.x - 2.0 * other.x)

    def __eq__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        return self.x > other.x


class Rate:
    def __init__(self, x):
        self.x = x

    def __radd__(self, other):
        return Length(self.x + 3.0 * other.x)

    def __eq__(self, other):
        return self.x > 0.5 * other.x


class Unlike:
    def __init__(self, x):
        self.x = x

    def __ne__(self, other):
        return self.x > other.x


class Base:
    def __init__(self, x):
        self.x = x

    def moved(self, k):
        return self.x + k


class Twice(Base):
    def moved(self, k):
        return 2.0 * super().moved(k)


class Thrice(Twice):
    def moved(self, k):
        return super().moved(k) + super(Twice, self).moved(3.0 * k)


def of_a_derived_class_first(a: float, b: float):
    o, r = Level(a), Warm(b)
    return (a if o == r else b) + (2.0 * a if r == o else b) + (4.0 * a if o != r else b)


def added_by_the_derived_class(a: float, b: float):
    return (Level(a) + Hot(b)) + 10.0 * (Hot(a) + Level(b)) + 100.0 * (Level(a) + Warm(b))


def ordered_by_the_derived_class(a: float, b: float):
    o, r = Level(a), Hot(b)
    first = min([o, r], key=lambda v: v)
    return (a if o < r else b) + (2.0 * a if r > o else b) + 4.0 * first.x


def of_one_class_or_another(a: float, b: float):
    o = Level(0.3) if a > 0.7 else Warm(0.4)
    r = Warm(b)
    found = (a if o == r else b) + (2.0 * a if r == o else b) + (4.0 * a if 0.5 * o == o else b)
    return found + (Hot(a) if b > 0 else Level(b)).x + (o + (Hot(a) if b > 0 else Level(b)))


def in_a_loop(a: float, b: float):
    n = (1 if a > 0.5 else 0) + (1 if b > 0.0 else 0) + 1
    o, r = Level(a), Warm(b)
    for i in range(n):
        if o == r:
            o.x = o.x * 0.5 + i
        elif o != r:
            r.x += 0.25
    return o.x + 10.0 * r.x


def items_are_asked_before_what_is_looked_for(a: float, b: float):
    o, r = Level(a), Level(b)
    found = (a if o in [r] else b) + (2.0 * a if r not in (o, o) else b)
    return found + [r, o].index(o) + 10.0 * [o, Warm(b)].count(r)


def what_is_not_implemented_is_left_to_the_other(a: float, b: float):
    length, rate = Length(a), Rate(b)
    both = length + rate
    both -= Length(b)
    return both.x + sum([length, rate, Length(a)], Length(0.0)).x


def what_is_not_implemented_is_no_truth(a: float, b: float):
    length, rate = Length(a), Rate(b)
    return (a if length == rate else b) + (2.0 * a if length != rate else b)


def what_nobody_implements_is_identity(a: float, b: float):
    length, other = Length(a), Unlike(b)
    return (a if length == other else b) + (2.0 * a if length != length else b)


def unequal_by_one_and_equal_by_the_other(a: float, b: float):
    rate, other = Rate(a), Unlike(b)
    return (a if rate != other else b) + (2.0 * a if other != rate else b)


def as_functions(a: float, b: float):
    added = functools.reduce(operator.add, [Length(a), Rate(b), Length(0.5)])
    return added.x + operator.add(Level(a), Hot(b))


def of_a_class_that_is_said(a: float, b: float):
    return Thrice(a).moved(b) + 0.5 * super(Twice, Thrice(b)).moved(a)


class Near(Level):
    def __eq__(self, other):
        return abs(self.x - other.x) < 0.75

    def __lt__(self, other):
        return self.x < other.x


def items_that_are_equal_and_in_order(a: float, b: float):
    o, r = (Near(a), Near(0.5 * b)), (Near(b), Near(a))
    found = (
        (a if o < r else b) + (2.0 * a if [*o] > [*r] else b) + (4.0 * a if o < (*r, o[0]) else b)
    )
    return found + max(o, r)[0].x


class Least:
    def __init__(self, x):
        self.x = x

    def __isub__(self, other):
        self.x -= 0.5 * other
        return self


class Most(Least):
    def __isub__(self, other):
        self.x -= 2.0 * other
        return self


def what_a_branch_has_settled(a: float, b: float):
    p = Least(a) if a > b else Most(b)
    if a > b:
        p -= 0.7 * b
    elif b > 1.0:
        p -= a
    return p.x
