"""Choices that lose numbers are found, and made again."""

import itertools
import math

import numpy as np
import precise
import pytest

import egad
from egad import rewrite
from egad.codegen.host.reference import evaluate
from egad.rewrite.egraph import leaks, numbers
from egad.rewrite.egraph.egraph import Graph
from egad.rewrite.egraph.encode import typed
from egad.rules import load, loads
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, substitute, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64


def guarded_cosine(x: float, k: float) -> float:
    s = 0.0
    if abs(x) < 1:
        t = egad.asin(x)
        s = egad.sin(t) + egad.cos(t) * k
    return s + (1 - x * x) * k


def test_a_square_of_what_is_undefined():
    """cos(asin(x))^2 is 1 - x*x, and cheaper where the cosine is there; but not beyond 1."""
    assert egad.derive(guarded_cosine, "primal")(2.0, 1.0) == -3.0
    derived = egad.derive(guarded_cosine, "bwd")
    assert derived(2.0, 1.0, 1.0) == (-4.0, -3.0)


_LEAKING = """
@rewrite(real)
def cosine_squared(x):
    1 - x * x >> cos(asin(x)) * cos(asin(x))
    cos(asin(x)) * cos(asin(x)) >> 1 - x * x
"""


@pytest.mark.parametrize("mode", ["primal", "bwd"])
def test_a_leaking_choice_is_made_again(mode):
    """The rule is true where both sides are defined; the cheapest choice would be NaN at 2."""
    rules = loads(_LEAKING, "leaking.rules", RULES)
    derived = egad.derive(guarded_cosine, mode, rules=[rules])
    assert "e-nodes that leak" in derived.report.method
    assert "e-nodes that leak" in derived.explain()
    if mode == "primal":
        assert derived(2.0, 1.0) == -3.0
    else:
        assert derived(2.0, 1.0, 1.0) == (-4.0, -3.0)


def _apply(op, *args):
    return Term(op, args, None, REAL)


def _twins(rule, names, scaled):
    """The left side behind a condition that never holds at the points, the right side open."""
    table = {}
    for variable in toposort([rule.lhs, rule.rhs]):
        if variable.op != "var":
            continue
        known = next((c.op for c in rule.conditions if c.args[0] is variable), None)
        table[variable] = _argument(variable, known, var(next(names), REAL))
    sides = [typed(side, REAL) for side in (rule.lhs, rule.rhs)]
    table = {typed(v, REAL): a for v, a in table.items()}
    left, right = substitute(sides, table)
    guard = Term("lt", (var("guard", REAL), const(0.0, REAL)), None, Scalar.BOOL)
    left = _apply("mul", left, var(next(names), REAL)) if scaled else left
    arm = _apply("select", guard, left, const(0.0, REAL))
    return _apply("add", arm, _apply("mul", right, var(next(names), REAL)))


def _argument(variable, known, value):
    if variable.type is Scalar.BOOL:
        return Term("lt", (value, const(0.0, REAL)), None, Scalar.BOOL)
    match known:
        case "is_const":
            return const(0.75, REAL)
        case "ge" | "gt":
            return _apply("exp", value)
        case "le" | "lt":
            return _apply("neg", _apply("exp", value))
    return value


_REAL_RULES = [
    r
    for r in RULES.rewrites
    if not r.primal and r.lhs.type.is_real and all(p.is_scalar for p in r.params)
]
_SIZE = 16


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("start", range(0, len(_REAL_RULES), _SIZE))
def test_no_left_side_leaks_into_its_right_side(start, scaled):
    """Of any shipped rewrite, in values and gradients, special points included."""
    names = (f"x{i}" for i in itertools.count())
    roots = [_twins(rule, names, scaled) for rule in _REAL_RULES[start : start + _SIZE]]
    params = tuple(
        Slot(name, REAL) for name in sorted({t.attr for t in toposort(roots) if t.op == "var"})
    )
    results = tuple(Slot(f"r{i}", REAL) for i in range(len(roots)))
    program = Program("f", params, results, tuple((root,) for root in roots))
    rng = np.random.default_rng(start)
    size = 200
    inputs = {
        name: np.where(
            rng.random(size) < 0.3,
            rng.choice([0.0, 1.0, -1.0, 0.5, 2.0], size),
            rng.uniform(-3, 3, size),
        )
        for name in [p.name for p in params] + [f"r{i}_bar" for i in range(len(roots))]
    }
    inputs["guard"] = np.abs(inputs["guard"]) + 0.5
    options = rewrite.Options(effort=rewrite.Effort.FAST)
    for form in (program, rewrite.derive(program, "bwd", RULES, REAL)):
        report = rewrite.Report("f", "primal", "safe", "float64")
        best = rewrite.optimize(form, RULES, REAL, options, report, True)
        used = {p: inputs[p] for slot in form.params for p in slot.paths()}
        wanted, found = evaluate(form, RULES, used, derived=True), evaluate(best, RULES, used)
        for i, (a, b) in enumerate(zip(wanted, found, strict=True)):
            lost = np.isfinite(a) & ~np.isfinite(b)
            assert not lost.any(), (i, np.flatnonzero(lost))


def logistic_parts(x: float, y: float) -> float:
    return 1 / (1 + egad.exp(-x)) * egad.tanh(y) + x * x / (1 + egad.exp(x))


def smooth_part(x: float, y: float) -> float:
    return egad.log(1 + egad.exp(x)) * egad.tanh(y)


@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("f", [logistic_parts, smooth_part])
def test_numbers_are_kept_where_the_exponential_of_a_cheaper_form_overflows(f, effort):
    d = egad.derive(f, "bwd", optimize=effort, dtype="float64")
    assert d.report.counts_after["exp"] == 1 and "abs" not in d.report.counts_after
    for x in (-800.0, -30.0, -0.5, 0.0, 30.0, 800.0):
        rows = precise.jacobian(d.primal.flat, {"x": x, "y": 0.25}, ["x", "y"])[0]
        for found in (d.reference(x, 0.25, 1.0), d(x, 0.25, 1.0)):
            assert found == pytest.approx(tuple(map(float, rows)), rel=1e-12, abs=1e-300)


def test_some_points_have_one_number_that_is_large():
    each = [var(name, REAL) for name in "abcd"]
    at = numbers.points(each, special=True)
    large = np.array([np.abs(at[v]) == 1000.0 for v in each])
    for row, v in zip(large, each, strict=True):
        alone = row & (large.sum(axis=0) == 1)
        assert {1000.0, -1000.0} == set(at[v][alone])
    assert not np.any(np.abs(numbers.points(each, special=False)[each[0]]) == 1000.0)


def test_some_points_have_one_number_that_is_tiny_beside_ones_and_zeros():
    each = [var(name, REAL) for name in "wab"]
    at = numbers.points(each, special=True)
    tiny = np.array([at[v] == 1e-20 for v in each])
    for row, v in zip(tiny, each, strict=True):
        beside = [tuple(at[o][row]) for o in each if o is not v]
        assert all(1.0 in found and 0.0 in found for found in beside)
    assert (tiny.sum(axis=0) <= 1).all()


def log_mixture(w: float, a: float, b: float) -> float:
    return egad.log(w * a + (1 - w) * b)


def log_of_lerp(w: float, a: float, b: float) -> float:
    t = egad.clamp(w, 0.0, 1.0)
    return egad.log(a * t + b * (1.0 - t))


def odds_of_mixture(w: float, a: float, b: float) -> float:
    p = w * a + (1.0 - w) * b
    return -((1.0 - p) ** 2) * egad.log(p)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [log_mixture, log_of_lerp, odds_of_mixture])
def test_a_mixture_keeps_what_is_tiny_where_its_weight_is_one(f, dtype):
    """`b + w * (a - b)` has lost a where w is 1, and the logarithm is infinite."""
    d = egad.derive(f, "value_and_grad", dtype=dtype)
    for w, a, b in ((1.0, 1e-20, 1.0), (0.0, 1.0, 1e-20), (1.0, 1e-9, 0.75), (0.0, 0.75, 1e-9)):
        p = a if w else b
        value, slope = math.log(p), 1 / p
        if f is odds_of_mixture:
            value, slope = -((1 - p) ** 2) * value, 2 * (1 - p) * value - (1 - p) ** 2 / p
        for found, gradient in (d.reference(w, a, b), d(w, a, b)):
            assert found == pytest.approx(value, rel=1e-5)
            assert gradient[1:] == pytest.approx((w * slope, (1 - w) * slope), rel=1e-5)
            if f is not log_of_lerp:  # whose slope by w is one of two there
                assert gradient.w == pytest.approx((a - b) * slope, rel=1e-5)


def test_the_points_are_always_the_same():
    x, n = var("x", REAL), var("n", Scalar.I32)
    first, again = (numbers.points([x, n], special=True) for _ in range(2))
    assert all(np.array_equal(first[v], again[v]) for v in (x, n))
    ordinary = first[x][~numbers.with_tiny(first)]
    assert 0.0 in first[x] and 1.0 in first[x] and 0.0 in ordinary
    assert first[n].dtype == np.int32


def test_a_lost_number_is_seen_and_its_node_found():
    x = var("x", REAL)
    root = _apply("sqrt", x)
    plain, chosen = _apply("abs", x), _apply("mul", root, root)
    at = numbers.points([x], special=True)
    places = leaks.Witness(RULES, [plain], at).lost([chosen])
    assert places
    assert all(at[x][i] < 0 for i in places)
    assert not leaks.Witness(RULES, [chosen], at).lost([plain])
    with Graph([plain, chosen]) as graph:
        names = {head[0]: name for name, head in graph.symbols.heads.items()}
        premises = f"(= a ({names['abs']} x)) (= b ({names['sqrt']} x)) (= c ({names['mul']} b b))"
        rule = f"(rule ({premises}) ((union a c)) :ruleset merge)"
        graph.send(["(ruleset merge)", rule])
        graph.run("merge")
        classes = graph.read()
    (node,) = leaks.leaking(RULES, classes, [plain], at, places[:1])
    assert classes.nodes[node].head[0] == "mul"
    top = classes.loaded[plain]
    assert leaks.without(classes, {node}, [top]) is not None
    assert leaks.without(classes, set(range(len(classes.nodes))), [top]) is None


def test_another_number_is_seen_and_rounding_is_not():
    x = var("x", REAL)
    at = numbers.points([x], special=True)
    assert leaks.Witness(RULES, [_apply("sinh", x)], at).lost([x])
    squares = [_apply("mul", t, t) for t in (_apply("cosh", x), _apply("sinh", x))]
    one = _apply("sub", *squares)  # at 20 nothing is left of it but rounding
    assert not leaks.Witness(RULES, [one], at).lost([const(1.0, REAL)])


def arm_with_two_joints(q: float, v: float, m: float, k: float, n: float) -> float:
    """An acceleration; for n = 0 the determinant is 0, and what is computed is its rounding."""
    c = egad.cos(q)
    a = k * n * n + m * (n * n + 2.0 * n * k * c + k * k)
    b = m * (n * k * c + k * k)
    d = m * k * k
    return (a * v - b * q) / (a * d - b * b)


def test_the_reciprocal_of_rounding_is_no_number_to_be_kept():
    """Where a determinant is 0, another order of its products gives any number, or none."""
    report = egad.derive(arm_with_two_joints, "jacobian").report
    assert "exact rewrites only" not in report.ended
    m, k, n, c = [var(name, REAL) for name in "mknc"]
    mixed, square = _apply("mul", n, c), _apply("mul", k, k)
    inner = _apply("add", mixed, square)
    lower, same = _apply("mul", m, inner), _apply("mul", _apply("mul", m, k), k)
    plain = _apply("rcp", _apply("sub", lower, same))
    other = _apply("rcp", _apply("mul", m, _apply("sub", inner, square)))
    at = numbers.points([m, k, n, c], special=True)
    found = numbers.values(RULES, [plain, other], at)
    odd = np.isfinite(found[plain]) & ~np.isfinite(found[other]) & (at[n] == 0)
    assert odd.any()
    assert not leaks.Witness(RULES, [plain], at).lost([other])


def waves(a: float, b: float, c: float, d: float, x: float) -> float:
    """Where b is tiny, the phase has no digit left."""
    return (a / b + c / d) * egad.sin(x / b) * egad.cos(x / d)


def nested_exponentials(a: float, b: float, c: float, x: float) -> float:
    y = egad.exp(-x / a) / a
    y = egad.exp(-y / b) / b
    return egad.sin(y / c) / c


def bond(a: float, b: float, s: float, r: float, t: float) -> float:
    """A bond by Vasicek: where a is tiny, both parts of the exponent are huge."""
    n = (1 - egad.exp(-a * t)) / a
    return egad.exp((n - t) * (a * a * b - s * s / 2) / (a * a) - s * s * n * n / (4 * a) - n * r)


def bent(ux: float, uy: float, vx: float, vy: float, k: float, rest: float) -> float:
    """An angle, which is pi or -pi by the sign of a zero."""
    angle = egad.atan2(ux * vy - uy * vx, ux * vx + uy * vy)
    return 0.5 * k * (angle - rest) * (angle - rest)


def second_axis(x: float, y: float, z: float, u: float, v: float, w: float) -> float:
    """Of a frame by Gram and Schmidt: what is beside derivatives of 1e20 is their rounding."""
    n = egad.sqrt(x * x + y * y + z * z)
    d = (x * u + y * v + z * w) / n
    p, q, r = u - d * x / n, v - d * y / n, w - d * z / n
    return p / egad.sqrt(p * p + q * q + r * r)


@pytest.mark.parametrize("f", [waves, nested_exponentials, bond, bent, second_axis])
def test_what_rounding_decides_is_no_number_to_be_kept(f):
    """Where a variable is tiny, it decides much; the search goes on with all its rules."""
    for mode in ("bwd", "hessian"):
        report = egad.derive(f, mode, cache=False).report
        assert "exact rewrites only" not in report.ended
        assert report.cost_after < (0.9 if mode == "bwd" else 0.7) * report.cost_before


@pytest.mark.parametrize("mode", ["safe", "fast"])
def test_a_quotient_of_equal_arms_is_not_one_where_they_are_zero(mode):
    def f(x: float, y: float) -> float:
        t = 0.0 if y >= 0.25 else x
        if y <= -0.875:
            return t / t
        return 0.0 if y >= 0.25 else x / t

    primal = egad.derive(f, "primal", math=mode, dtype="float64")
    for y, want in ((0.5, 0.0), (0.0, 1.0), (-1.0, 1.0)):
        assert primal.reference(1.5, y) == primal(1.5, y) == f(1.5, y) == want


def excess(x: float, a: float, b: float, s: float) -> float:
    """Excess energy of two liquids (NRTL): exp(-s*a) overflows where other numbers underflow."""
    y, g, h = 1.0 - x, math.exp(-s * a), math.exp(-s * b)
    return x * y * (b * h / (x + y * h) + a * g / (y + x * g))


def test_what_underflows_is_no_number_to_be_kept():
    found = egad.derive(excess, "hessian").report
    assert "exact rewrites only" not in found.ended
    assert found.cost_after < 0.6 * found.cost_before


def test_what_is_infinite_is_lost_where_another_form_is_undefined():
    """exp(-(x*x + y*y)/0) is 0, and infinite numbers times 0 are none: that e-node goes."""
    x, y, s = (var(name, REAL) for name in "xys")
    r = _apply("rcp", s)
    squares = [_apply("mul", t, t) for t in (x, y)]
    whole = _apply("mul", r, _apply("add", *squares))
    apart = _apply("add", *[_apply("mul", r, square) for square in squares])
    plain, other = (_apply("exp", _apply("neg", t)) for t in (whole, apart))
    at = {x: np.array([1.0]), y: np.array([0.0]), s: np.array([0.0])}
    assert leaks.Witness(RULES, [plain], at).lost([other]) == [0]
    with Graph([plain], equal=[(whole, apart)]) as graph:
        classes = graph.read()
    lost = leaks.leaking(RULES, classes, [plain], at, [0])
    assert {classes.nodes[i].head[0] for i in lost} == {"add"}
    left = leaks.without(classes, lost, [classes.loaded[plain]])
    assert left is not None and len(left.nodes) < len(classes.nodes)


def test_a_quotient_by_a_sum_without_digits_is_no_number_to_be_kept():
    """0/d is 0 for every rounding d of 0, and undefined for 0 itself."""
    a, b, c = (var(name, REAL) for name in "abc")
    one, same = _apply("mul", _apply("mul", a, b), c), _apply("mul", a, _apply("mul", b, c))
    zero = _apply("sub", a, a)
    plain, other = (_apply("div", zero, below) for below in (_apply("sub", one, same), zero))
    at = {a: np.array([0.1]), b: np.array([0.2]), c: np.array([0.3])}
    found = numbers.values(RULES, [plain, other], at)
    assert found[plain] == 0 and np.isnan(found[other])
    assert not leaks.Witness(RULES, [plain], at).lost([other])
