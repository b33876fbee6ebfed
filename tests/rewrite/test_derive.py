"""Every mode of derivation against differences with 60 digits, and against each other."""

import math

import numpy as np
import precise
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egad
from egad import bwd_diff, derive, detach, diff_pair, float2, float3, fwd_diff
from egad.rewrite import derive as derive_program
from egad.rules import load
from egad.terms.errors import DeriveError
from egad.terms.program import Program, Slot
from egad.terms.term import SELECT, Term, const, toposort, var
from egad.terms.types import Scalar

F64, BOOL = Scalar.F64, Scalar.BOOL
RULES = load()


def polynomial(x: float, y: float) -> float:
    return 3 * x**3 * y - x * y**2 + 2 * x - 7


def quotient(x: float, y: float) -> float:
    return (x - y) / (x * x + y * y + 1)


def waves(x: float, y: float) -> float:
    return math.sin(x * y) * math.exp(-x * x) + math.atan2(y, x)


def powers(x: float, y: float) -> float:
    return x**y + math.sqrt(x * x + y) + math.log(x) * x**-3


def shared(x: float, y: float) -> float:
    a = math.tanh(x + y)
    b = a * a
    return b * b + a * b


def curve(x: float, y: float):
    return float3(math.cos(x), math.sin(x) * y, x * y * y)


def several(x: float, y: float):
    return x * y, math.exp(x) - y


def norm(v: float3, w: float3) -> float:
    return egad.length(egad.cross(v, w)) + egad.dot(v, w)


def stable(x: float, y: float) -> float:
    return egad.softplus(x) * egad.sigmoid(y) + egad.hypot(x, y)


def edges(x: float, y: float) -> float:
    return max(x, y) * min(x, 2 * y) + abs(x - y) + egad.clamp(x, -1.0, y)


def branching(x: float, y: float) -> float:
    if x > y:
        z = math.sqrt(x - y)
    elif x < -1:
        z = x * y
    else:
        return math.log(y + 3) * x
    return z * z * x + 1


def modulo(x: float, y: float) -> float:
    return (x % y) * x + math.fmod(x, y) * y + x // y


FUNCTIONS = {
    polynomial: [(0.5, -1.25), (0.0, 0.0), (-2.0, 3.0)],
    quotient: [(0.5, -1.25), (0.0, 0.0)],
    waves: [(0.5, -1.25), (-0.75, 0.25)],
    powers: [(1.5, 2.25), (0.5, 0.75)],
    shared: [(0.25, -0.5), (0.0, 0.0)],
    curve: [(0.5, -1.25), (0.0, 2.0)],
    several: [(0.5, -1.25)],
    norm: [((1.0, 2.0, 3.0), (-1.0, 0.5, 0.25))],
    stable: [(0.5, -1.25), (-30.0, 20.0), (20.0, -0.125)],
    edges: [(0.5, 1.25), (3.0, 1.0), (-2.0, 1.5)],
    branching: [(2.0, 0.5), (-1.5, 0.5), (0.25, 1.0)],
    modulo: [(5.5, 2.0), (-5.5, 2.25), (5.5, -2.0)],
}
CASES = [(f, args) for f, points in FUNCTIONS.items() for args in points]


@pytest.fixture(scope="module")
def derived():
    """Derived objects in double precision, each made once."""
    known = {}

    def make(f, mode, math_mode="safe"):
        key = f, mode, math_mode
        if key not in known:
            effort = "fast" if mode in ("hessian", "hvp") else "default"
            known[key] = derive(f, mode, dtype="float64", math=math_mode, optimize=effort)
        return known[key]

    return make


def point_of(program, args):
    paths = [path for slot in program.params for path in slot.paths()]
    return dict(zip(paths, np.ravel(np.hstack(args)).tolist(), strict=True))


def names_of(program):
    return [path for slot in program.params for path in slot.paths()]


def flat_of(d, args):
    """The flat results, before and after algebra."""
    paths = names_of(d.program)
    point = dict(zip(paths, args, strict=True))
    return [precise.numbers(p, d.rules, point) for p in (d.derivative, d.program)]


def near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=2e-11, atol=2e-12)


def seeds(count, start=0.5):
    return [start - 0.75 * i for i in range(count)]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_first_order(f, args, derived):
    primal = derived(f, "primal").primal
    point = point_of(primal, args)
    inputs, roots = list(point.values()), primal.flat
    j = np.array(precise.jacobian(roots, point, list(point)))
    v, w = seeds(len(inputs)), seeds(len(roots), 1.5)
    with precise.mp.workdps(precise.DIGITS):
        y = [float(t) for t in precise.values(roots, precise.precise(point))]
    for flat in flat_of(derived(f, "primal"), inputs):
        near(flat, y)
    for flat in flat_of(derived(f, "fwd"), [*inputs, *v]):
        near(flat, [*y, *(j @ v)])
    for flat in flat_of(derived(f, "bwd"), [*inputs, *w]):
        near(flat, w @ j)
    if len(primal.results) == 1:
        blocks = np.split(j, np.cumsum([len(p.paths()) for p in primal.params])[:-1], axis=1)
        for flat in flat_of(derived(f, "jacobian"), inputs):
            near(flat, np.concatenate([b.ravel() for b in blocks]))


SCALAR = [(f, args) for f, args in CASES if f not in (curve, several, modulo)]


@pytest.mark.parametrize(("f", "args"), SCALAR, ids=lambda v: getattr(v, "__name__", None))
def test_second_order(f, args, derived):
    primal = derived(f, "primal").primal
    point = point_of(primal, args)
    inputs, (root,) = list(point.values()), primal.flat
    h = np.array(precise.hessian(root, point, list(point)))
    v = seeds(len(inputs))
    for flat in flat_of(derived(f, "hessian"), inputs):
        near(flat, h[np.triu_indices(len(inputs))])
    for flat in flat_of(derived(f, "hvp"), [*inputs, *v]):
        near(flat, h @ v)
    gradient = precise.jacobian([root], point, list(point))[0]
    for flat in flat_of(derived(f, "value_and_grad"), inputs):
        near(flat[1:], gradient)


@pytest.mark.parametrize("math_mode", ["strict", "fast"])
@pytest.mark.parametrize("f", [polynomial, quotient, waves, shared, branching, stable])
def test_math_modes(f, math_mode, derived):
    d = derived(f, "bwd", math_mode)
    for args in FUNCTIONS[f]:
        point = point_of(d.primal, args)
        gradient = precise.jacobian(d.primal.flat, point, list(point))[0]
        for flat in flat_of(d, [*args, 1.0]):
            np.testing.assert_allclose(flat, gradient, rtol=1e-9, atol=1e-11)


# --- nothing of the arm not taken leaks ----------------------------------------------------


def guarded_root(x: float) -> float:
    return np.where(x > 0, np.sqrt(x), 0)


def guarded_quotient(x: float) -> float:
    return 1 / x if x != 0 else x


def outside(x: float) -> float:
    r = np.sqrt(x)
    q = 1 / x
    return np.where(x > 0, r * q, 3 * x)


def nested(x: float) -> float:
    return np.where(x >= 0, np.where(x > 0, np.log(x), 2 * x), -x)


def early(x: float) -> float:
    if x <= 0:
        return 5 * x
    y = x**0.5
    return y * math.log(x)


def elifs(x: float) -> float:
    if x < 0:
        z = math.sqrt(-x)
    elif x == 0:
        z = 7 * x
    elif x < 1:
        z = math.sqrt(x)
    else:
        z = math.acos(1 / x)
    return z


def both_arms(x: float) -> float:
    s = math.sqrt(x)
    return s * x if x > 0 else 4 * x - 0 * min(x, 0)


def condition_of_a_product(x: float) -> float:
    t = math.log(x)
    return (t if x > 0 else 0.0) * (t if x > 0 else x) + x


def select_call(x: float) -> float:
    return egad.select(x > 0, x * math.log(x), 6 * x)


AT_ZERO = {
    guarded_root: 0,
    guarded_quotient: 1,
    outside: 3,
    nested: 2,
    early: 5,
    elifs: 7,
    both_arms: 4,
    condition_of_a_product: 1,
    select_call: 6,
}
SECOND = {  # at 4
    guarded_root: (1 / 4, -1 / 32),
    guarded_quotient: (-1 / 16, 1 / 32),
    outside: (-1 / 16, 3 / 128),
    nested: (1 / 4, -1 / 16),
    both_arms: (3.0, 3 / 8),
    select_call: (math.log(4) + 1, 1 / 4),
}


@pytest.mark.parametrize("math_mode", ["strict", "safe", "fast"])
@pytest.mark.parametrize("f", AT_ZERO)
def test_the_arm_not_taken_does_not_leak(f, math_mode, derived):
    fwd, bwd = derived(f, "fwd", math_mode), derived(f, "bwd", math_mode)
    for flat in (*flat_of(fwd, [0.0, 1.0]), *flat_of(bwd, [0.0, 1.0])):
        assert flat[-1] == AT_ZERO[f]
    second = derived(f, "hessian", math_mode)
    for flat in flat_of(second, [0.0]):
        assert flat[0] == 0


@pytest.mark.parametrize("f", SECOND)
def test_the_arm_taken_counts(f, derived):
    first, second = SECOND[f]
    for flat in flat_of(derived(f, "bwd"), [4.0, 1.0]):
        near(flat, [first])
    for flat in flat_of(derived(f, "hessian"), [4.0]):
        near(flat, [second])


def test_no_leak_on_the_device():
    x = np.array([-1.0, 0.0, 4.0], np.float32)
    d = derive(guarded_root, "bwd")
    for run in (d, d.reference):
        np.testing.assert_array_equal(run(x, 1.0).x, np.array([0, 0, 0.25], np.float32))


def test_the_derivative_of_a_branch_is_a_branch():
    def f(x: float, y: float) -> float:
        return math.sin(x) if x > y else math.exp(y)

    for mode in ("fwd", "bwd"):
        d = derive(f, mode).derivative
        tests = {t.args[0].op for t in d.terms() if t.op == SELECT}
        assert tests == {"gt"}
        for root in d.flat[-1:]:
            assert root.op == SELECT, mode


# --- wrt, detach, modes that cannot be -----------------------------------------------------


def test_wrt_takes_the_named_parameters_only():
    d = derive(polynomial, "bwd", wrt="y", dtype="float64")
    gradient = d.reference(0.5, -1.25, 1.0)
    assert gradient.fields == ("y",)
    near(gradient.y, 3 * 0.5**3 - 2 * 0.5 * -1.25)
    assert derive(polynomial, "jacobian", wrt=["x"]).program.results[0].name == "d_x"


def test_detach_stops_a_derivative_but_not_a_value():
    def f(w: float) -> float:
        return w * w + (w - detach(w)) * 5 + egad.no_diff(w * 100)

    value, gradient = derive(f, "value_and_grad", dtype="float64").reference(3.0)
    assert value == 9 + 0 + 300
    assert gradient.w == 6 + 5
    assert derive(f, "hessian", dtype="float64").reference(3.0).w.w == 2


def test_an_untouched_parameter_has_the_gradient_zero():
    def f(x: float, y: float) -> float:
        return x * 2

    assert tuple(derive(f, "bwd").reference(1.0, 2.0, 3.0)) == (6.0, 0.0)
    assert derive(f, "hessian").reference(1.0, 2.0).y.x == 0


def test_a_result_that_is_a_parameter():
    def f(x: float, y: float):
        return y, x, x

    gradient = derive(f, "bwd").reference(1.0, 2.0, 5.0, 7.0, 11.0)
    assert tuple(gradient) == (18.0, 5.0)
    jac = derive(f, "jacobian").reference(1.0, 2.0)
    assert [tuple(row) for row in jac] == [(0, 1), (1, 0), (1, 0)]


def test_a_constant_result():
    def f(x: float) -> float:
        return 4.0

    assert derive(f, "bwd").reference(1.0, 1.0).x == 0
    assert derive(f, "fwd").reference(diff_pair(1.0, 1.0)) == (4.0, 0.0)


def test_integers_carry_no_derivative():
    def f(x: float, n: int) -> float:
        return x * n + n

    assert derive(f, "bwd").reference(2.0, 3, 1.0).fields == ("x",)
    assert derive(f, "fwd").reference(diff_pair(2.0, 1.0), 3) == (9.0, 3.0)


@pytest.mark.parametrize("mode", ["hessian", "hvp", "value_and_grad"])
def test_modes_for_one_scalar_result_refuse_others(mode):
    with pytest.raises(DeriveError, match="one scalar result"):
        derive(curve, mode)


def test_an_unknown_mode_and_nothing_to_differentiate():
    x = var("x", F64)
    program = Program("f", (Slot("x", F64, diff=False),), (Slot("out", F64),), ((x,),))
    with pytest.raises(DeriveError, match="no mode 'sideways'"):
        derive_program(program, "sideways", RULES, F64)
    with pytest.raises(DeriveError, match="no differentiable parameter"):
        derive_program(program, "bwd", RULES, F64)


def test_names_stay_distinct():
    def f(x: float, d_x: float, x_bar: float) -> float:
        return x * d_x * x_bar

    for mode in ("fwd", "bwd", "hvp", "jacobian", "hessian"):
        program = derive(f, mode).program
        for slots in (program.params, program.results):
            names = [s.name for s in slots]
            assert len(set(names)) == len(names)
    d = derive(f, "bwd")  # its parameter x_bar has the name of a result
    assert tuple(d(2.0, 3.0, 5.0, 1.0)) == tuple(d.reference(2.0, 3.0, 5.0, 1.0)) == (15, 10, 6)


# --- higher order --------------------------------------------------------------------------


def bump(x: float) -> float:
    return math.sin(x) * math.exp(x)  # its derivatives are known in closed form


def bump_derivative(x, order):
    """2^(n/2) exp(x) sin(x + n pi / 4)."""
    return 2 ** (order / 2) * math.exp(x) * math.sin(x + order * math.pi / 4)


ORDERS = [("fwd", "fwd"), ("bwd", "fwd"), ("fwd", "bwd"), ("bwd", "bwd")]


@pytest.mark.parametrize(("inner", "outer"), ORDERS)
def test_derived_functions_are_derived_again(inner, outer):
    once = derive(bump, inner, wrt="x", dtype="float64")
    twice = derive(once, outer, wrt="x", dtype="float64")
    point = dict.fromkeys(names_of(twice.program), 1.0)
    point |= {"x": 0.75}
    flat = precise.numbers(twice.program, twice.rules, point)
    if outer == "bwd" and inner == "fwd":  # cotangents 1 of the value and of the tangent
        near(flat, [bump_derivative(0.75, 1) + bump_derivative(0.75, 2)])
    else:
        near(flat[-1], bump_derivative(0.75, 2))


def test_third_order():
    third = derive(derive(derive(bump, "bwd"), "bwd", wrt="x"), "bwd", wrt="x", dtype="float64")
    assert [s.diff for s in third.program.params]
    d = derive(derive(bump, "hessian", dtype="float64"), "bwd", wrt="x", dtype="float64")
    near(d.reference(0.75, [1.0]).x, bump_derivative(0.75, 3))


def test_requests_inside_functions():
    def slope(x: float) -> float:
        return fwd_diff(bump)(diff_pair(x, 1.0)).d

    def curvature(x: float) -> float:
        return bwd_diff(slope)(x, 1.0)[0]

    def third(x: float) -> float:
        return fwd_diff(curvature)(diff_pair(x, 1.0)).d

    for n, f in enumerate((slope, curvature, third), start=1):
        value, gradient = derive(f, "value_and_grad", dtype="float64").reference(0.75)
        near([value, gradient.x], [bump_derivative(0.75, n), bump_derivative(0.75, n + 1)])


def test_requests_inside_a_branch_do_not_leak():
    def root(x: float) -> float:
        return math.sqrt(x)

    def f(x: float) -> float:
        return bwd_diff(root)(x, 1.0)[0] if x > 0 else x

    d = derive(f, "value_and_grad", dtype="float64")
    assert d.reference(0.0) == (0.0, (1.0,))
    near(np.hstack(d.reference(4.0)), [1 / 4, -1 / 32])


# --- random programs -----------------------------------------------------------------------

UNARY = ("neg", "sin", "cos", "tanh", "atan", "abs")
BINARY = ("add", "sub", "mul", "max", "min")


@st.composite
def programs(draw):
    """A graph of up to 14 operators over three variables, with branches and sharing."""
    terms = [var(n, F64) for n in "xyz"] + [const(0.5, F64), const(-2.0, F64)]
    for _ in range(draw(st.integers(3, 14))):
        op = draw(st.sampled_from((*UNARY, *BINARY, *BINARY, "div", "select", "select")))
        a, b, c, d = (draw(st.sampled_from(terms)) for _ in range(4))
        if op == "select":
            test = Term(draw(st.sampled_from(("lt", "ge"))), (a, b), None, BOOL)
            terms.append(Term(SELECT, (test, c, d), None, F64))
        elif op == "div":
            square = Term("add", (Term("mul", (b, b), None, F64), const(1.0, F64)), None, F64)
            terms.append(Term("div", (a, square), None, F64))
        else:
            terms.append(Term(op, (a, b) if op in BINARY else (a,), None, F64))
    roots = tuple((t,) for t in terms[-2:])
    slots = tuple(Slot(n, F64) for n in "xyz")
    return Program("f", slots, (Slot("u", F64), Slot("v", F64)), roots)


COORDINATES = st.sampled_from([-1.75, -0.875, -0.3125, 0.1875, 0.6875, 1.4375])
POINTS = st.fixed_dictionaries({n: COORDINATES for n in "xyz"})


@settings(max_examples=60, deadline=None, derandomize=True)
@given(programs(), POINTS)
def test_random_programs(program, point):
    """w J v from both sides, and both against differences where there is no kink."""
    point = {n: v + 0.001 * i for i, (n, v) in enumerate(point.items())}  # no ties
    v, w = [0.5, -1.25, 0.75], [1.5, -0.25]
    fwd = derive_program(program, "fwd", RULES, F64)
    bwd = derive_program(program, "bwd", RULES, F64)
    tangents = precise.numbers(fwd, RULES, point | dict(zip(names_of(fwd)[3:], v, strict=True)))[2:]
    gradient = precise.numbers(bwd, RULES, point | dict(zip(names_of(bwd)[3:], w, strict=True)))
    np.testing.assert_allclose(np.dot(w, tangents), np.dot(gradient, v), rtol=1e-9, atol=1e-9)
    if kink(program, point):
        return
    j = np.array(precise.jacobian(program.flat, point, list("xyz")))
    np.testing.assert_allclose(tangents, j @ v, rtol=1e-9, atol=1e-9)


def kink(program, point):
    """Whether a comparison is a tie at the point: then differences say nothing."""
    ties = [t for t in toposort(program.flat) if t.op in ("lt", "ge", "max", "min")]
    pairs = [a for t in ties for a in t.args]
    zeros = [t.args[0] for t in toposort(program.flat) if t.op == "abs"]
    with precise.mp.workdps(precise.DIGITS):
        found = precise.values([*pairs, *zeros], precise.precise(point))
    sides, rest = found[: len(pairs)], found[len(pairs) :]
    gaps = [a - b for a, b in zip(sides[::2], sides[1::2], strict=True)]
    return any(abs(g) < 1e-9 for g in (*gaps, *rest))


def test_float2_is_differentiated_component_by_component():
    def f(v: float2) -> float2:
        return float2(v.x * v.y, v.y / v.x)

    j = derive(f, "jacobian", dtype="float64").reference([2.0, 3.0]).v
    np.testing.assert_allclose(j, [[3, 2], [-3 / 4, 1 / 2]], rtol=1e-15)


GUARDED = {
    "max": lambda x: egad.sqrt(max(x, 0.0)),
    "max_scaled": lambda x: egad.sqrt(2.0 * max(min(x, 1.0), 0.0)),
    "clamp": lambda x: egad.acos(egad.clamp(x, 0.0, 1.0)),
    "clamp_negated": lambda x: egad.acos(-egad.clamp(x, -1.0, 1.0)),
    "choice": lambda x: egad.sqrt(x if x > 0 else 0.0),
}


@pytest.mark.parametrize("math", ["strict", "safe"])
@pytest.mark.parametrize("name", GUARDED)
def test_an_infinite_slope_does_not_leak_past_a_guard(name, math):
    x = 2.0 if name == "clamp_negated" else -1.0
    assert derive(GUARDED[name], "bwd", math=math, dtype="float64").reference(x, 1.0).x == 0
    pair = egad.diff_pair(x, 1.0)
    assert derive(GUARDED[name], "fwd", math=math, dtype="float64").reference(pair).d == 0


@pytest.mark.parametrize(
    ("f", "point", "slope"),
    [
        (lambda x: egad.sqrt(x * x * x * x), 0.0, 0.0),
        (lambda x: egad.log(1 - egad.sigmoid(x)), 800.0, -1.0),
        (lambda x: (x**3 - 1) / (x - 1), 1.0, 3.0),
        (lambda x: (x**3 + 1) / (x + 1), -1.0, -3.0),
    ],
    ids=["root_of_fourth", "log_of_complement", "cubes", "sum_of_cubes"],
)
def test_stable_forms_have_their_derivative(f, point, slope):
    assert derive(f, "bwd", dtype="float64").reference(point, 1.0).x == pytest.approx(slope)
    pair = egad.diff_pair(point, 1.0)
    assert derive(f, "fwd", dtype="float64").reference(pair).d == pytest.approx(slope)


def test_a_square_of_absolute_values_has_a_second_derivative_at_zero():
    assert derive(lambda x: abs(x) * abs(x), "hessian", dtype="float64").reference(0.0).x.x == 2
