"""Functions of sums of squares, where these are 0: slopes as the limit has them, not 0 * inf."""

import math

import mpmath
import numpy as np
import pytest

from egad import RuleError, derive, diff_pair, float3, length, max_iters
from egad.rewrite.substitutes.roots.squares import of_squares
from egad.rules import loads
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

F = Scalar.F64
X, Y, Z = (var(name, F) for name in "xyz")


def op(name, *args):
    return Term(name, tuple(a if isinstance(a, Term) else const(a, F) for a in args), None, F)


def squared(term):
    return op("mul", term, term)


SUM = op("add", op("add", squared(X), squared(Y)), squared(Z))
OF_SQUARES = {
    "a square": squared(X),
    "a sum": SUM,
    "an even power": op("pow", X, 4.0),
    "a scaled square": op("mul", op("mul", 2.0, X), X),
    "a square in another order": op("mul", op("mul", X, Y), op("mul", Y, X)),
    "a quotient": op("div", squared(X), op("mul", Y, Y)),
    "over a weight": op("add", op("div", squared(X), Z), op("div", squared(Y), op("mul", Z, Z))),
    "times a cosine": op("mul", op("mul", op("cos", Z), op("exp", Y)), squared(X)),
    "a choice": Term("select", (var("c", Scalar.BOOL), SUM, squared(X)), None, F),
}
OTHERS = {
    "a variable": X,
    "a product": op("mul", X, Y),
    "a cube": op("mul", squared(X), X),
    "a difference": op("sub", squared(X), squared(Y)),
    "a negative multiple": op("mul", -2.0, squared(X)),
    "an odd power": op("pow", X, 3.0),
    "a sum with more": op("add", squared(X), Y),
    "a number": op("mul", 2.0, 3.0),
    "a square over a negative number": op("div", squared(X), -2.0),
    "a square over what it is of": op("div", squared(X), X),
    "a square over a square, and more": op("mul", op("div", squared(X), squared(Y)), Y),
    "a square times a variable": op("mul", squared(X), Y),
    "weights without a square": op("mul", op("cos", X), op("exp", Y)),
    "what divides alone": op("div", 1.0, X),
    "weights of some": op("add", op("mul", op("cos", Z), op("exp", Y)), squared(X)),
}


@pytest.mark.parametrize("name", OF_SQUARES)
def test_what_is_a_sum_of_squares(name):
    root = op("sqrt", OF_SQUARES[name])
    assert root in of_squares([root])


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_none(name):
    root = op("sqrt", OTHERS[name])
    assert root not in of_squares([root])


def test_a_sum_that_begins_with_0():
    root = op("sqrt", op("add", op("add", 0.0, squared(X)), squared(Y)))
    assert root in of_squares([root])
    nothing = op("sqrt", op("add", 0.0, 0.0))
    assert nothing not in of_squares([nothing])


def test_a_divisor_has_no_number_at_0_and_needs_no_guard():
    root = op("sqrt", SUM)
    for term in (op("div", X, root), op("div", X, SUM), op("log", root), op("rsqrt", SUM)):
        assert root not in of_squares([root, term])
    guarded = Term("select", (var("c", Scalar.BOOL), op("div", X, root), X), None, F)
    assert root in of_squares([root, guarded])


def test_each_factor_of_a_divisor_needs_no_guard():
    """Where a factor is 0, so is the product; where a summand is 0, the sum need not be."""
    root, other = op("sqrt", SUM), op("exp", Z)
    for divisor in (
        op("mul", root, other),
        op("neg", op("mul", other, root)),
        op("div", op("mul", root, X), other),
        op("sqrt", op("abs", op("mul", op("mul", other, SUM), Y))),
    ):
        for term in (op("div", X, divisor), op("log", divisor)):
            assert root not in of_squares([root, term])
    for divisor in (op("add", root, other), op("max", root, other)):
        assert root in of_squares([root, op("div", X, divisor)])
    guarded = op("div", X, op("mul", root, other))
    guarded = Term("select", (var("c", Scalar.BOOL), guarded, X), None, F)
    assert root in of_squares([root, guarded])


def test_long_sums_and_products_take_linear_time():
    total, product = squared(X), X
    for k in range(30_000):
        total = op("add", total, squared(op("add", X, float(k))))
        product = op("mul", product, op("add", X, float(k)))
    root = op("sqrt", total)
    assert list(of_squares([root, op("sqrt", product)])) == [root]


def norm(x: float, y: float, z: float) -> float:
    return np.sqrt(x * x + y * y + z * z)


def norm_by_powers(x: float, y: float, z: float) -> float:
    return (x**2 + y**2 + z**2) ** 0.5


def turned(x: float, y: float, z: float) -> float:
    angle = np.sqrt(x * x + y * y + z * z)
    return (1 + 2 * x) * np.sin(angle) / angle + np.cos(angle)


def small_angle(x: float, y: float, z: float) -> float:
    angle = np.sqrt(x * x + y * y + z * z)
    return y + (np.sin(angle) / angle if angle > 1e-6 else 1 - angle * angle / 6)


def plate(x: float, y: float, z: float) -> float:
    r2 = x * x + y * y + z * z
    return r2 * np.log(r2) + 3 * z


def decay(x: float, y: float, z: float) -> float:
    return np.exp(-np.sqrt(2 * x * x + y * y + 0.5 * z * z)) + x


def between(x: float, y: float, z: float) -> float:
    return (x * x + y * y) ** 0.75 + (z * z) ** 0.6 + 2 * y


def in_a_loop(x: float, y: float, z: float) -> float:
    total = 0.0
    for k in range(40):
        total += (k * x) ** 2 + (y - k * z) * (y - k * z)
    return np.sqrt(total) + z


def in_loops(x: float, y: float, z: float) -> float:
    farthest, before = 0.0, 0.0
    for k in range(20):
        total = 0.0
        for i in range(30):
            total += (i * x + k * y) ** 2
        before, farthest = total, farthest + before
    return np.sqrt(farthest) + x + z


def box(x: float, y: float, z: float) -> float:
    dx, dy, dz = max(abs(x) - 1, 0.0), max(abs(y) - 1, 0.0), max(abs(z) - 1, 0.0)
    return np.sqrt(dx * dx + dy * dy + dz * dz) + 3 * x


#: The gradient at the origin: the limit along every direction, or their mean at a tip.
AT_0 = {
    norm: (0, 0, 0),
    norm_by_powers: (0, 0, 0),
    turned: (2, 0, 0),
    small_angle: (0, 1, 0),
    plate: (0, 0, 3),
    decay: (1, 0, 0),
    between: (0, 2, 0),
    in_a_loop: (0, 0, 1),
    in_loops: (1, 0, 1),
    box: (3, 0, 0),
}
BY_MPMATH = {
    norm: lambda x, y, z: mpmath.sqrt(x * x + y * y + z * z),
    turned: lambda x, y, z: (
        (1 + 2 * x) * mpmath.sinc(mpmath.norm([x, y, z])) + mpmath.cos(mpmath.norm([x, y, z]))
    ),
    between: lambda x, y, z: (
        (x * x + y * y) ** mpmath.mpf(0.75) + (z * z) ** mpmath.mpf(0.6) + 2 * y
    ),
    plate: lambda x, y, z: (x * x + y * y + z * z) * mpmath.log(x * x + y * y + z * z) + 3 * z,
}


@pytest.mark.parametrize("optimize", ["fast", "default"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", AT_0, ids=lambda f: f.__name__)
def test_gradients_at_the_origin(f, dtype, optimize):
    back = derive(f, dtype=dtype, optimize=optimize)
    forward = derive(f, "fwd", dtype=dtype, optimize=optimize)
    direction = (0.5, -1.0, 2.0)
    for call in (back, back.reference):
        assert tuple(call(0.0, 0.0, 0.0, 1.0)) == pytest.approx(AT_0[f], abs=1e-6)
    for call in (forward, forward.reference):
        along = call(*[diff_pair(0.0, d) for d in direction])
        assert along.d == pytest.approx(np.dot(AT_0[f], direction), abs=1e-6)


@pytest.mark.numbers
@pytest.mark.parametrize("f", BY_MPMATH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("scale", [1e-8, 1.0, 30.0])
def test_gradients_elsewhere(f, scale):
    """By differences with 60 digits; nothing of the guard is seen."""
    back = derive(f, dtype="float64")
    at = [0.3 * scale, -0.7 * scale, 0.2 * scale]
    with mpmath.workdps(60):
        for k, found in enumerate(back.reference(*at, 1.0)):
            order = [int(i == k) for i in range(3)]
            assert found == pytest.approx(float(mpmath.diff(BY_MPMATH[f], at, order)), rel=1e-9)


def not_only_squares(x: float, y: float) -> float:
    total = 0.0
    for k in range(40):
        total += k * x * x + y
    return np.sqrt(total)


def test_a_loop_that_adds_more_than_squares_keeps_its_infinite_slope():
    assert derive(not_only_squares)(0.0, 0.0, 1.0).y == np.inf


def unit(x: float, y: float, z: float) -> float:
    return x / np.sqrt(x * x + y * y + z * z)


def test_a_unit_vector_has_no_guard():
    assert "select" not in derive(unit).report.counts_after


def cosine(x: float, y: float, z: float, u: float, v: float, w: float) -> float:
    dot = x * u + y * v + z * w
    return dot / (np.sqrt(x * x + y * y + z * z) * np.sqrt(u * u + v * v + w * w))


def cosine_below(x: float, y: float, z: float, u: float, v: float, w: float) -> float:
    dot = x * u + y * v + z * w
    norms = np.sqrt(x * x + y * y + z * z) * np.sqrt(u * u + v * v + w * w)
    return dot / np.maximum(norms, 1e-6)


@pytest.mark.parametrize("at", [(0.3, -0.2, 0.9, 1.5, 0.1, -2.0), (3e4, 2e-3, 1.0, 2e-6, 0, 1e-5)])
def test_an_angle_between_vectors_has_no_guard(at):
    back = derive(cosine, dtype="float64")
    assert "select" not in back.report.counts_after

    def by_mpmath(*p):
        a, b = p[:3], p[3:]
        dot = mpmath.fsum(s * t for s, t in zip(a, b, strict=True))
        return dot / (mpmath.norm(a) * mpmath.norm(b))

    with mpmath.workdps(60):
        for k, found in enumerate(back.reference(*at, 1.0)):
            order = [int(i == k) for i in range(6)]
            true = mpmath.diff(by_mpmath, at, order)
            assert found == pytest.approx(float(true), rel=1e-9, abs=1e-13)


def test_an_angle_with_a_least_length_keeps_its_guards():
    found = derive(cosine_below, dtype="float64").reference(0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 1.0)
    assert tuple(found) == pytest.approx((1e6, 2e6, 2e6, 0, 0, 0))


def by_length(x: float, y: float, z: float) -> float:
    return length(float3(x, y, z))


def test_a_root_is_what_length_is():
    for f in (norm, by_length):
        assert tuple(derive(f)(0.0, 0.0, 0.0, 1.0)) == (0, 0, 0)
        assert tuple(derive(f)(0.0, 3.0, 4.0, 1.0)) == pytest.approx((0, 0.6, 0.8))


OWN = "@primal(squares={})\ndef mine(q):\n    cbrt(q) >> cube_norm(q)\n\n{}"
CUBE_NORM = (
    "def cube_norm(q) -> y:\n    y = cbrt(q)\n\n@primal\ndef cube_norm(q) -> y:\n    y = cbrt(q)\n"
)


def test_a_rule_of_its_own_says_so_too():
    found = loads(OWN.format("True", CUBE_NORM)).rewrites[-1]
    assert found.squares and found.primal
    with pytest.raises(RuleError, match=r"1:17: \[mine\] squares is True or False"):
        loads(OWN.format("3", CUBE_NORM))


def test_what_somebody_says_of_the_root_is_not_hidden():
    """A substitute of the shipped rules would hide the derivative that Slang's rules state."""
    flat = derive(norm, rules=["slang"], dtype="float64")
    slope = 1e-5 * (0.5 / np.sqrt(1e-7)) * 2
    assert flat(1e-5, 0.0, 0.0, 1.0).x == pytest.approx(slope, rel=1e-12)
    assert not flat.report.substitutes
    both = loads("@derivative(unchecked='mine')\ndef sqrt(x) -> y:\n    dy_dx = 7\n")
    for rules in ([both], ["slang"]):
        left = derive(norm, rules=rules).rules.rewrites
        assert not [rule for rule in left if rule.primal and rule.lhs.op == "sqrt"]


def great_circle(p, q, a, b):
    """By haversines."""
    h = np.sin(0.5 * (q - p)) ** 2 + np.cos(p) * np.cos(q) * np.sin(0.5 * (b - a)) ** 2
    return 2.0 * np.arctan2(np.sqrt(h), np.sqrt(1.0 - h))


def by_variances(x, y, a, b):
    return np.sqrt(x * x / a + y * y / b)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_distances_with_weights_where_they_are_0(dtype):
    for f, point in ((great_circle, (0.3, 0.3, 1.1, 1.1)), (by_variances, (0.0, 0.0, 2.0, 3.0))):
        d = derive(f, "value_and_grad", dtype=dtype)
        for value, slopes in (d(*point), d.reference(*point)):
            assert (value, *slopes) == (0.0, 0.0, 0.0, 0.0, 0.0)
    d = derive(great_circle, "value_and_grad", dtype=dtype)
    value, slopes = d(0.3, 0.3 + 2.0**-10, 1.1, 1.1)
    assert (value, *slopes) == pytest.approx((2.0**-10, -1.0, 1.0, 0.0, 0.0), rel=1e-3, abs=1e-6)
    d = derive(by_variances, "value_and_grad", dtype=dtype)
    want = (0.5**0.5, 0.5**0.5, 0.0, -(0.5**0.5) / 4.0, 0.0)
    assert [d(1.0, 0.0, 2.0, 3.0)[0], *d(1.0, 0.0, 2.0, 3.0)[1]] == pytest.approx(want, rel=1e-6)


def from_places(x: float, y: float, n: int) -> float:
    """`y * y` is one number for all trips."""
    s = 0.0
    max_iters(10)
    for i in range(n):
        s += math.sqrt((x - i) ** 2 + y * y)
    return s


def from_a_grid(x: float, y: float, n: int) -> float:
    s = 0.0
    max_iters(10)
    for i in range(n):
        max_iters(10)
        for j in range(n):
            s += math.sqrt((x - i) ** 2 + (y - j) ** 2)
    return s


def norms_of_parts(x: float, y: float, n: int) -> float:
    s, square = 0.0, 0.0
    max_iters(10)
    for i in range(n):
        s += math.sqrt(square)
        square += (x * i - y) ** 2
    return s + math.sqrt(square)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", [from_places, from_a_grid, norms_of_parts], ids=lambda f: f.__name__)
def test_roots_in_loops_know_what_they_are_given(f, dtype):
    """At (1, 0) one root of each is 0: all others have the slopes of the sum without it."""
    d = derive(f, "value_and_grad", dtype=dtype)
    with mpmath.workdps(40):
        at, h = (mpmath.mpf(1), mpmath.mpf(0)), mpmath.mpf(10) ** -12
        smooth = [[(f_at(f, at, sign * h, k)) for sign in (1, -1)] for k in (0, 1)]
        slopes = [float((one - other) / (2 * h)) for one, other in smooth]
    for value, found in (d(1.0, 0.0, 3), d.reference(1.0, 0.0, 3)):
        assert value == pytest.approx(f(1.0, 0.0, 3), rel=1e-6)
        assert [*found] == pytest.approx(slopes, rel=1e-6, abs=1e-6)


def f_at(f, point, step, k):
    """The value a step further; central differences of a root that is 0 between them are 0."""
    moved = [x + (step if i == k else 0) for i, x in enumerate(point)]
    return precisely(f, *moved)


def precisely(f, x, y):
    root = mpmath.sqrt
    if f is from_places:
        return sum(root((x - i) ** 2 + y * y) for i in range(3))
    if f is from_a_grid:
        return sum(root((x - i) ** 2 + (y - j) ** 2) for i in range(3) for j in range(3))
    squares = [sum((x * i - y) ** 2 for i in range(n)) for n in range(4)]
    return sum(map(root, squares))


def root_of_what_is_given(x: float, y: float, n: int) -> float:
    s = 0.0
    max_iters(10)
    for i in range(n):
        s += math.sqrt(x) * i + math.sqrt((x - i) ** 2 + y)
    return s


def test_what_is_given_and_no_square_keeps_its_infinite_slope():
    found = derive(root_of_what_is_given, "bwd", dtype="float64")(0.0, 1.0, 3, 1.0)
    assert found.x == np.inf
    assert derive(root_of_what_is_given, "bwd", dtype="float64")(1.0, 0.0, 3, 1.0).y == np.inf
