"""`itertools`, `operator`, `getattr` and texts: what is known while reading arranges numbers."""

import functools
import itertools
import math
import operator

import pytest
from truths import values_and_slopes_are_those_of

from egad import derive, dot, float2, float3, struct
from egad.terms.errors import TraceError


@struct
class Ball:
    at: float2
    mass: float


def products(x: float, y: float) -> float:
    s = 0.0
    for a, b in itertools.product([x, y], [1.0, 2.0, x]):
        s += a * b
    for i, j, k in itertools.product(range(2), repeat=3):
        s += (x * i + y * j) * k
    return s


def pairs_of_structs(x: float, y: float) -> float:
    balls = [Ball(float2(x * i, y - i), 1.0 + i) for i in range(4)]
    e = 0.0
    for a, b in itertools.combinations(balls, 2):
        d = a.at - b.at
        e += a.mass * b.mass / (1.0 + dot(d, d))
        a.at += 0.1 * d
        b.mass = b.mass * 1.1
    return e + balls[0].at.x + balls[3].mass


def pairs_of_vectors(x: float, y: float) -> float:
    """A vector that changes has changed in the pairs to come."""
    ps = [float2(x, y), float2(y, 1.0), float2(0.5, x)]
    e = 0.0
    for a, b in itertools.combinations(ps, 2):
        a += 0.1 * b
        b.x *= 1.2
        e += dot(a, b)
    return e + ps[0].x * ps[2].y + ps[1].x


def pairs_of_numbers(x: float, y: float) -> float:
    """An element that is replaced is not seen in the pairs to come."""
    a = [x, y, 1.0]
    s = 0.0
    for u, v in itertools.combinations(a, 2):
        s = s * 1.1 + u * v
        a[2] = s
    return s + a[2]


def permutations(x: float, y: float) -> float:
    s = sum(u * v**2 for u, v in itertools.permutations((x, y, 2.0), 2))
    s += sum(u * v for u, v in itertools.combinations_with_replacement((x, y), r=2))
    return s + sum(a * b + c for a, b, c in itertools.permutations([x, y, 0.5]))


def accumulated(x: float, y: float) -> float:
    a = list(itertools.accumulate([x, y, x * y]))
    b = list(itertools.accumulate([x, y, 2.0], lambda p, q: p * q, initial=3.0))
    c = list(itertools.accumulate([x, y, 2.0], max))
    return a[2] * b[3] + a[1] + len(b) + c[2] + c[1]


def repeated(x: float, y: float) -> float:
    s = sum(map(lambda a, b: a * b, [x, y, x * y], itertools.repeat(y, 3)))
    s += sum(itertools.starmap(lambda a, b: a**b, [(x * x, 2), (y, 3)]))
    v = float2(x, y)
    for w in itertools.repeat(v, 3):
        w *= 1.5
    return s + v.x * v.y


def sliced(x: float, y: float) -> float:
    a = [x, y, 1.0, 2.0]
    s = sum(itertools.islice([x, y, 3.0, x], 1, 4, 2))
    for v in itertools.islice(a, 3):  # a list is read when its turn comes
        s += v
        a[2] = s
    return s


def operators(x: float, y: float) -> float:
    s = functools.reduce(operator.mul, [x, y, 2.0])
    s += sum(map(operator.add, [x, y], [y, 1.0])) + operator.truediv(x, y)
    s += operator.pow(y, 2) + operator.neg(x) * operator.floordiv(y, 0.4)
    if operator.gt(x, y):
        s += operator.mod(x, 0.5)
    return s + operator.and_(6, 3) * x + operator.getitem([x, y], 1)


def fields_by_name(x: float, y: float) -> float:
    v, ball = float3(x, y, 2.0), Ball(float2(x, y), x * y)
    s = 0.0
    for name, weight in zip(("x", "y", "z"), (1.0, 2.0, 3.0), strict=True):
        s += getattr(v, name) * weight
    return s + getattr(ball, "mass") * getattr(ball.at, "yx").x + getattr(math, "sin")(x)  # noqa: B009


@struct
class Spring:
    k: float

    def __call__(self, x: float) -> float:
        return self.k * x * x


def asked(x: float, y: float) -> float:
    """What values have, while reading; of one object or the other, as the branch says."""
    ball, spring = Ball(float2(x, y), x * y), Spring(y)
    s = 0.0
    for part in (ball, spring, x, [x, y], math):
        s += getattr(part, "mass", 3.0) * x
        s = s * 1.1 if hasattr(part, "k") else s + y
        s += part(x) if callable(part) else 0.5
        s += 0.25 if hasattr(part, "append") else y
    other = ball if x > y else spring
    s += getattr(other, "k", x) + getattr(other, "mass", y * y)
    if hasattr(other, "mass"):
        s *= x
    return s + issubclass(Ball, (Spring, object)) + 2 * issubclass(Ball, Spring)


def letters(x: float, y: float) -> float:
    d = dict(zip("abc", (x, y, x * y), strict=True))
    s = 0.0
    for c in "abca":
        s = s * 0.5 + d[c]
    for i, c in enumerate("xy"):
        s += getattr(float2(x, y), c) * i
    a, b = "ab"
    return s + d[a] * d[b] + sum(d[k] for k in "ab")


PROGRAMS = [
    products,
    pairs_of_structs,
    pairs_of_vectors,
    pairs_of_numbers,
    permutations,
    accumulated,
    repeated,
    sliced,
    operators,
    fields_by_name,
    asked,
    letters,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python_has_it(f):
    values_and_slopes_are_those_of(f, f, [(1.27, 2.13), (0.83, 0.59)])


def endless(x: float) -> float:
    return sum(a * b for a, b in zip([x], itertools.repeat(x), strict=False))


def too_many(x: float) -> float:
    return sum(row[0] for row in itertools.product([x, 1.0], repeat=20))


def no_step(x: float) -> float:
    return sum(itertools.islice([x, x], 0, 2, 0))


def of_a_number(x: float) -> float:
    return sum(a * b for a, b in itertools.combinations([x, x], int(x)))


def no_name(x: float) -> float:
    return getattr(float2(x), x)


def of_the_library(x: float) -> float:
    return sum(next(xs) for xs in itertools.tee([x]))


def of_a_text(x: float) -> float:
    return eval("x * x")


def of_all_fields(x: float) -> float:
    return sum(vars(Ball(float2(x), x)).values())


ERRORS = [
    (of_a_text, r"(?s)eval\(\) is not in the language.*write what the text says"),
    (of_all_fields, r"(?s)vars\(\) is not in the language.*name the fields"),
    (endless, r"repeat\(…\) has no end"),
    (too_many, r"too many arrangements to be written out"),
    (no_step, r"the step of islice\(…\) must not be 0"),
    (of_a_number, r"r must be an integer that is known, and not negative"),
    (no_name, r"a float is no name of a field"),
    (of_the_library, r"(?s)the function tee has no source.*use functions written in Python"),
]


@pytest.mark.parametrize(("f", "said"), ERRORS, ids=lambda f: getattr(f, "__name__", ""))
def test_errors_say_what_to_write(f, said):
    with pytest.raises(TraceError) as error:
        derive(f)
    error.match(said)
    assert f"{__file__}:{f.__code__.co_firstlineno + 1}:" in str(error.value)
