"""`match` and members of enumerations give what plain Python gives."""

import enum
from dataclasses import dataclass

import numpy as np
import pytest

import egad
from egad.codegen.host.reference import evaluate
from egad.reader import read
from egad.rules import load
from egad.terms.types import Scalar

RULES = load()
LIMIT = 3


class Colour(enum.Enum):
    RED = 0
    GREEN = 1
    BLUE = 5


class Op(enum.IntEnum):
    A = 1
    B = 2


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2
    RUN = 4


def check(f, *arguments):
    """The function read and run with NumPy, against itself."""
    program = read(f, real=Scalar.F64, rules=RULES)
    plain = [a.value if isinstance(a, enum.Enum) else a for a in arguments]
    inputs = {slot.name: value for slot, value in zip(program.params, plain, strict=True)}
    wanted = f(*arguments)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    found = [v.item() for v in evaluate(program, RULES, inputs)]
    assert found == [v.value if isinstance(v, enum.Enum) else v for v in wanted]


def numbers(i: int, x: float):
    y = 3.0
    match i:
        case 0 | 1:
            y = x * 2
        case -1:
            return x
        case n if n > 10:
            y = x * n
        case 4:
            pass
        case k if k == 7:
            y = float(k)
        case _:
            y = -x
    return y + i


def no_default(i: int, x: float):
    y = x
    match i:
        case 3:
            y = 1.0
        case Op.B:
            y = 5.0
    return y


def tuples(i: int, j: int, b: bool):
    match (i, j):
        case (0, _):
            r = 1
        case (a, 0) if b:
            r = a
        case (1, c) | (c, 1):
            r = c * 10
        case (a, *rest):
            r = a + rest[0] * 100
    return r


def guards_keep_names(i: int, b: bool):
    n = 100
    match i:
        case 2 as n if b:
            r = 1
        case n if n > 3:
            r = 2
        case _:
            r = 3
    return r * 1000 + n


def truths(b: bool, x: float):
    match b:
        case True:
            y = 1.0
        case False:
            y = x
    match x:
        case 0.5:
            return y, 1
        case 1:
            return y, 2
        case None:
            return y, 3
    return y, 4


def texts(x: float, kind="b"):
    match kind, LIMIT:
        case "a", _:
            return x
        case "b" | "c", 3:
            return 2 * x
    return 3 * x


def nested(i: int, j: int):
    r = 0
    match i:
        case 0:
            match j:
                case 0:
                    r = 1
                case _:
                    r = j
            r += 10
        case 1:
            if j > 1:
                return 99
            r = 7
    return r


@pytest.mark.parametrize("i", [0, 1, -1, 11, 4, 5, 7, 2, 3])
def test_numbers(i):
    check(numbers, i, 1.5)
    check(no_default, i, 1.5)
    for b in (False, True):
        check(guards_keep_names, i, b)
        check(truths, b, i / 2)
        for j in range(3):
            check(tuples, i, j, b)
    for j in range(3):
        check(nested, i, j)


def test_what_is_known_is_decided_while_reading():
    program = read(texts, real=Scalar.F64, rules=RULES)
    assert repr(program.flat[0]) in ("mul(2, x)", "mul(2.0, x)")


def all_members(c: Colour, x: float) -> float:
    match c:
        case Colour.RED:
            return x
        case Colour.GREEN | Colour.BLUE:
            return 2 * x


def members(c: Colour, x: float):
    d = Colour.RED if x > 0 else c
    if d is Colour.BLUE:
        return 5
    return d.value + (c == Colour.GREEN) + (c is not Colour.RED) + 10 * (d in (Colour.RED,))


def chosen_member(c: Colour, x: float):
    return all_members(c if x > 0 else Colour.GREEN, x)


def flags(o: Op, p: Right):
    r = o * 2 + 1
    if Right.WRITE in p:
        r += 100
    if p & Right.RUN:
        r += 1000
    if p & ~Right.READ == Right.WRITE:
        r += 10000
    return r + (o == 1) + Op(o.value) + (Right.READ | Right.RUN in p)


def test_members():
    for c in Colour:
        for x in (-1.0, 1.0):
            check(all_members, c, x)
            check(members, c, x)
            check(chosen_member, c, x)
    for o in Op:
        for p in range(8):
            check(flags, o, Right(p))


def test_members_integers_and_arrays_at_the_call():
    d = egad.derive(all_members)
    want = [1.0, 2.0, 2.0]
    assert [d(c, 3.0, 1.0).x for c in Colour] == want
    assert [d(c.value, 3.0, 1.0).x for c in Colour] == want
    x = np.full(3, 3.0)
    assert d(list(Colour), x, 1.0).x.tolist() == want
    assert d(np.array([0, 1, 5]), x, 1.0).x.tolist() == want
    assert d.reference(list(Colour), x, 1.0).x.tolist() == want


def weighted(i: int, x: float, y: float) -> float:
    match (i, x > y):
        case (0, True):
            r = x * x * y
        case (0 | 1, _):
            r = np.sqrt(x) / y
        case (n, True):
            r = x**3 * n
        case _:
            return x
    return r * y


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize(("x", "y"), [(2.0, 0.5), (0.5, 2.0), (0.0, 1.0)])
def test_the_derivative_is_that_of_the_arm(i, x, y):
    d = egad.derive(weighted, dtype="float64")
    if x == 0 and i < 2:
        return
    h = 1e-6
    slopes = [
        (weighted(i, x + h, y) - weighted(i, x - h, y)) / (2 * h),
        (weighted(i, x, y + h) - weighted(i, x, y - h)) / (2 * h),
    ]
    for found in (d(i, x, y, 1.0), d.reference(i, x, y, 1.0)):
        np.testing.assert_allclose([found.x, found.y], slopes, rtol=1e-6, atol=1e-8)


def curve(c: Colour, x: float) -> float:
    match c:
        case Colour.RED:
            return x * x
        case Colour.GREEN | Colour.BLUE:
            return x * x * x


@egad.custom_bwd_of(curve)
def curve_backward(c: Colour, x: float, dout: float):
    match c:
        case Colour.RED:
            return None, 100 * dout  # wrong on purpose: the rule is seen to be used
        case _:
            return None, 200 * dout


def two_curves(c: Colour, x: float):
    return curve(c, x) + curve(Colour.BLUE, x * 2)


def by_number(i: int, x: float):
    return curve(Colour(i), x)


def inner(c: Colour, x: float) -> float:
    return x * x if c is Colour.RED else x


def inside(c: Colour, x: float):
    return egad.fwd_diff(inner)(c, egad.diff_pair(x, 1.0)).d


def test_rules_and_derivatives_take_members():
    assert egad.derive(two_curves)(Colour.RED, 1.0, 1.0).x == 500
    assert egad.derive(two_curves).reference(Colour.GREEN, 1.0, 1.0).x == 600
    assert [egad.derive(by_number)(i, 1.0, 1.0).x for i in (0, 5)] == [100, 200]
    d = egad.derive(inside, "value_and_grad")
    assert d(Colour.RED, 3.0) == (6.0, (2.0,)) and d(Colour.BLUE, 3.0) == (1.0, (0.0,))


@egad.struct
class Circle:
    r: float
    colour: Colour = Colour.RED

    def grow(self, by: float):
        self.r += by


@egad.struct
class Box:
    a: float
    b: float


def area(shape):
    match shape:
        case Circle(r=r):
            return 3 * r * r
        case Box(a, b):
            return a * b


def known_classes(x: float):
    return area(Circle(x)) + area(Box(x, 2.0))


def either_class(x: float, n: int):
    shape = Circle(x) if n > 0 else Box(x, 3.0)
    match shape:
        case Circle(r) if r > 2:
            return r * x
        case Box(b=3.0, a=a):
            return a * x * x
        case _:
            return -x


def changed_in_cases(x: float, i: int):
    circle = Circle(x, Colour.GREEN)
    match i:
        case 0:
            circle.r = x * x
        case 1 | 2:
            circle.grow(x * 3)
        case k if k > 5:
            circle.colour = Colour.BLUE
        case _:
            return circle.r
    match circle.colour, [circle.r, x]:
        case Colour.GREEN, [r, _]:
            circle.r = r * 2
        case Colour.BLUE, _:
            circle.r += 100 * x
    return circle.r


def machine(x: float, n: int):
    state = Colour.RED
    y = x
    egad.max_iters(10)
    for i in range(n):
        match state:
            case Colour.RED:
                y = y * 2
                state = Colour.GREEN
            case Colour.GREEN:
                y = y + x
                state = Colour.BLUE
            case Colour.BLUE:
                if y > 100:
                    break
                state = Colour.RED
                y += 0.5 * x
        if state is Colour.BLUE and y > 50:
            continue
        y += i
    return y


@dataclass
class Node:
    op: str
    left: object
    right: object


def of_tree(tree, x):
    """Nodes, numbers, names and dictionaries meet the same patterns."""
    match tree:
        case Node("+", left, right):
            return of_tree(left, x) + of_tree(right, x)
        case Node(op="*", left=left, right=right):
            return of_tree(left, x) * of_tree(right, x)
        case {"power": n, "of": base}:
            return of_tree(base, x) ** n
        case "x":
            return x
        case int(n) | float(n):
            return n


def tree(x: float) -> float:
    return of_tree(Node("+", Node("*", "x", 3), Node("*", {"power": 2, "of": "x"}, 4.5)), x)


@pytest.mark.numbers
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (tree, [(1.5,)]),
        (known_classes, [(1.5,)]),
        (either_class, [(1.5, 1), (3.0, 1), (1.5, 0)]),
        (changed_in_cases, [(1.5, i) for i in (0, 1, 2, 3, 6)]),
        (machine, [(1.5, n) for n in range(9)]),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_structs_and_loops(f, points):
    d = egad.derive(f, "value_and_grad", dtype="float64")
    for x, *rest in points:
        h = 1e-6
        slope = (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)
        for value, gradient in (d(x, *rest), d.reference(x, *rest)):
            assert value == f(x, *rest)
            assert abs(gradient.x - slope) < 1e-6 * (1 + abs(slope))
