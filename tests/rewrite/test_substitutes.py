"""`@primal` patterns: stable forms put in before a program is differentiated."""

import math

import numpy as np
import precise
import pytest

from egad import RuleError, derive
from egad.rewrite import substitute_primals
from egad.rewrite.egraph.egraph import Graph
from egad.rewrite.factors import ratios
from egad.rewrite.substitutes import substitutes
from egad.rules import load, loads
from egad.terms.program import Note, Program, Slot
from egad.terms.rule import MATH_TAGS
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

F, F32 = Scalar.F64, Scalar.F32
RULES = load()
X = var("x", F)
SAFE = MATH_TAGS["safe"]


def op(name, *args, type=F):
    return Term(name, args, None, type)


def program(*roots, notes=None):
    results = tuple(Slot(f"o{i}", F) for i in range(len(roots)))
    return Program("f", (Slot("x", F),), results, tuple((r,) for r in roots), notes or {})


def naive_softplus(x):
    return op("log", op("add", const(1.0, F), op("exp", x)))


def test_a_pattern_is_replaced_and_counted():
    fired = {}
    found = substitute_primals(program(naive_softplus(X)), RULES, SAFE, fired)
    assert found.flat == [op("softplus", X)]
    (name,) = (name for name in fired if name.endswith(" softplus_form"))
    assert name.startswith("stability.rules:")


def test_strict_mode_changes_no_bit():
    fired = {}
    source = program(naive_softplus(X))
    assert substitute_primals(source, RULES, MATH_TAGS["strict"], fired) is source
    assert not fired


def test_a_program_without_patterns_is_left_alone_and_needs_no_e_graph(monkeypatch):
    opened = []
    monkeypatch.setattr(
        substitutes, "Graph", lambda *args, **more: opened.append(1) or Graph(*args, **more)
    )
    source = program(op("mul", X, op("log", op("sub", const(2.0, F), op("exp", X)))))
    assert substitute_primals(source, RULES, SAFE, {}) is source
    assert not opened
    substitute_primals(program(naive_softplus(X)), RULES, SAFE, {})
    assert opened


@pytest.mark.parametrize(
    ("made", "fits"),
    [
        (lambda x, y: op("sub", op("mul", x, x), op("mul", y, y)), True),
        (lambda x, y: op("sub", op("mul", x, x), op("mul", y, x)), False),
        (lambda x, y: op("sub", op("mul", x, x), op("add", y, y)), False),
        (lambda x, y: op("sub", x, y), False),
    ],
)
def test_whether_a_term_has_the_shape_of_a_pattern(made, fits):
    pattern = made_of_squares(var("a", F), var("b", F))
    assert (ratios.matched(pattern, made(X, var("y", F))) is not None) is fits


def made_of_squares(x, y):
    return op("sub", op("mul", x, x), op("mul", y, y))


def test_a_pattern_inside_of_what_another_one_makes():
    inner = naive_softplus(X)
    (found,) = substitute_primals(program(naive_softplus(inner)), RULES, SAFE, {}).flat
    assert found is op("softplus", op("softplus", X))


def test_all_outputs_and_the_names_of_the_source_are_kept():
    root = naive_softplus(X)
    other = op("sin", root)
    notes = {root: Note("soft"), other: Note("wave")}
    found = substitute_primals(program(other, X, notes=notes), RULES, SAFE, {})
    soft = op("softplus", X)
    assert found.flat == [op("sin", soft), X]
    assert found.notes[soft].name == "soft" and found.notes[found.flat[0]].name == "wave"


def test_odd_constants_keep_their_bits():
    odd = [const(v, F) for v in (-0.0, math.inf, math.nan)]
    rest = [op("copysign", X, c) for c in odd]
    found = substitute_primals(program(naive_softplus(X), *rest), RULES, SAFE, {})
    assert found.flat[1:] == rest


def test_a_pattern_applies_in_every_precision():
    x = var("s", F32)
    single = op("log", op("add", const(1.0, F32), op("exp", x, type=F32), type=F32), type=F32)
    found = substitute_primals(program(naive_softplus(X), single), RULES, SAFE, {})
    assert [t.op for t in found.flat] == ["softplus", "softplus"]
    assert {t.type for t in toposort([found.flat[1]])} == {F32}


def softplus_of(x: float) -> float:
    return math.log(1 + math.exp(x))


def sigmoid_of(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def tanh_of(x: float) -> float:
    return math.sinh(x) / math.cosh(x)


def swish_of(x: float) -> float:
    return x / (1 + math.exp(-x))


def fermi_of(x: float) -> float:
    return 3 / (math.exp(x) + 1)


def planck_of(x: float) -> float:
    return (x + 1) * x * x / (math.exp(x) - 1)


def bernoulli_of(x: float) -> float:
    return x / (math.exp(x) - 1)


def logistic_density_of(x: float) -> float:
    return math.exp(-x) / (1 + math.exp(-x)) ** 2


def sech_of(x: float) -> float:
    return 2 / (math.exp(x) + math.exp(-x))


def soliton_of(x: float) -> float:
    return 2 / (math.cosh(x) * math.cosh(x))


def logcosh_of(x: float) -> float:
    return math.log(math.cosh(x))


def gumbel_of(x: float) -> float:
    return math.exp(-x - math.exp(-x))


def gompertz_of(x: float) -> float:
    return math.exp(-math.exp(x))


TAME = [
    softplus_of, sigmoid_of, tanh_of, swish_of, fermi_of, planck_of, bernoulli_of, sech_of,
    logistic_density_of, soliton_of, logcosh_of, gumbel_of, gompertz_of,
]  # fmt: skip


@pytest.mark.numbers
@pytest.mark.parametrize("f", TAME)
def test_derivatives_stay_finite_where_the_function_as_written_overflows(f):
    d = derive(f, "bwd")
    x = np.array([-200, -50, -1.5, 0.125, 1.5, 50, 200], np.float32)
    found = d.reference(x, 1.0).x
    for value, slope in zip(x, found, strict=True):
        (wanted,) = precise.jacobian(d.primal.flat, {"x": float(value)}, ["x"])[0]
        assert np.isfinite(slope)
        assert slope == pytest.approx(wanted, rel=2e-5, abs=1e-37)


def test_where_several_patterns_fit_the_lowest_term_stands_for_all():
    below = op("add", const(1.0, F), op("exp", X))
    source = program(op("div", op("exp", X), below), op("div", X, below))
    found = substitute_primals(source, RULES, SAFE, {}).flat
    assert found == [op("sigmoid", X), op("mul", X, op("sigmoid", op("neg", X)))]


def test_a_rule_file_adds_a_pattern():
    rules = loads("@primal\ndef swap(x):\n    sin(cos(x)) >> exp(x)\n", "mine.rules")
    found = substitute_primals(program(op("sin", op("cos", X))), rules, SAFE, fired := {})
    assert found.flat == [op("exp", X)]
    assert list(fired) == ["mine.rules:3:5 swap"]


@pytest.mark.parametrize("pair", ["exp log", "expm1 log1p", "tanh atanh"])
def test_patterns_of_a_function_and_its_inverse_that_meet_in_one_term(pair):
    function, inverse = pair.split()
    over = op(function, op(inverse, op(function, X)))
    assert substitute_primals(program(over), RULES, SAFE, {}).flat == [op(function, X)]
    above = op(inverse, op(function, op(inverse, op(function, op(inverse, X)))))
    (found,) = substitute_primals(program(above), RULES, SAFE, {}).flat
    assert found == op(inverse, X)


def test_a_pattern_that_meets_itself_stays_where_no_other_term_is_left():
    rules = loads("@primal\ndef twice(x):\n    sin(sin(x)) >> x\n", "mine.rules")
    term = X
    for count in range(1, 6):
        term = op("sin", term)
        expected = op("sin", X) if count % 2 else X
        assert substitute_primals(program(term), rules, SAFE, {}).flat == [expected]


def test_patterns_that_lead_to_one_another_are_a_rule_error():
    there = "@primal\ndef there(x):\n    sin(x) >> cos(x)\n\n\n"
    back = "@primal\ndef back(x):\n    cos(x) >> sin(x)\n"
    with pytest.raises(RuleError, match=r"lead back to themselves: mine\.rules:3:5 there, mine"):
        substitute_primals(program(op("sin", X)), loads(there + back, "mine.rules"), SAFE, {})


def test_a_pattern_that_contains_itself_is_a_rule_error():
    text = "@primal\ndef loop(x):\n    sin(x) >> sin(x) + 0 * x\n"
    with pytest.raises(RuleError, match=r"mine\.rules:3:5.*lead back to themselves"):
        derive(lambda x: np.sin(x), rules=[loads(text, "mine.rules")])


ENDLESS = {
    "in itself": ("def f(x): sin(x) >> -sin(-x)", "m.rules:2:11 f"),
    "halving": ("def f(x): sin(x) >> 2 * sin(0.5 * x) * cos(0.5 * x)", "m.rules:2:11 f"),
    "exploding": (
        "def f(x, y): x * y >> 0.25 * ((x + y) * (x + y) - (x - y) * (x - y))",
        "m.rules:2:14 f",
    ),
    "by another one": (
        "def f(x): sin(x) >> cos(x - 1.5)\n@primal\ndef g(x): cos(x) >> sin(x + 1.5)",
        "m.rules:2:11 f, m.rules:4:11 g",
    ),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_patterns_without_an_end_are_a_rule_error(case):
    text, names = ENDLESS[case]
    rules = loads(f"@primal\n{text}\n", "m.rules")
    started = op("mul", op("sin", X), X)
    with pytest.raises(RuleError) as caught:
        substitute_primals(program(started), rules, SAFE, {})
    assert caught.value.message.startswith(f"@primal patterns never come to an end: {names}, ")
    assert str(caught.value.at) == "m.rules:2:" + ("14" if case == "exploding" else "11")
    assert "no @primal pattern matches again" in caught.value.hint


def test_what_has_an_end_may_take_as_many_rounds_as_a_program_has_levels():
    rules = loads("@primal\ndef f(x): sin(cos(x)) >> cos(sin(x))\n", "m.rules")
    levels = 150
    term = X
    for _ in range(levels):
        term = op("cos", term)
    (found,) = substitute_primals(program(op("sin", term)), rules, SAFE, {}).flat
    expected = op("sin", X)
    for _ in range(levels):
        expected = op("cos", expected)
    assert found is expected


def test_nothing_is_known_of_what_a_pattern_makes():
    text = "@primal\ndef f(x):\n    if x > 0: sin(x) >> -sin(-x)\n"
    positive = op("cosh", X)
    (found,) = substitute_primals(
        program(op("sin", positive)), loads(text, "m.rules"), SAFE, {}
    ).flat
    assert found is op("neg", op("sin", op("neg", positive)))


def test_a_substitute_without_a_derivative_is_what_is_differentiated():
    text = (
        "def nearest(u) -> t:\n    t = floor(u)\n\n\n"
        '@primal(unchecked="interpolates")\ndef nearest(u) -> t:\n    t = u * u\n'
    )
    own = loads(text, "own.rules")

    def f(u: float) -> float:
        return 3.0 * nearest(u)  # noqa: F821

    assert derive(f, "primal", rules=[own]).reference(2.5) == 6.0
    assert derive(f, rules=[own]).reference(2.5, 1.0).u == 15.0


@pytest.mark.parametrize(
    "source, expected",
    [
        (op("max", X, op("neg", X)), op("abs", X)),
        (op("max", op("neg", X), X), op("abs", X)),
        (op("min", X, op("neg", X)), op("neg", op("abs", X))),
    ],
)
def test_an_extremum_of_a_value_and_its_negative(source, expected):
    assert substitute_primals(program(source), RULES, SAFE, {}).flat == [expected]


def contact(x: float, y: float) -> float:
    return max(x, 0.0) * max(x, 0.0) + min(y, 0.0) * min(y, 0.0)


def test_the_square_of_a_positive_part_has_a_derivative_without_a_choice():
    derived = derive(contact, dtype="float64")
    assert "select" not in derived.report.counts_after
    for x, y in ((2.0, -3.0), (-2.0, 3.0), (0.0, 0.0), (math.inf, -math.inf)):
        assert tuple(derived(x, y, 1.0)) == (2 * max(x, 0.0), 2 * min(y, 0.0))


def turned(x: float) -> float:
    return (1.0 - np.cos(x)) * np.sin(x) + np.cos(x)


@pytest.mark.parametrize("x", [1e-9, 1e-4, 1.5, 1.5707963267948966, 1.6, 3.14159, -2.0])
def test_1_minus_the_cosine_is_accurate_and_needs_no_other_angle(x):
    derived = derive(turned, mode="value_and_grad", dtype="float64")
    assert derived.report.counts_after["sincos"] == 1
    assert not {"sin", "cos"} & set(derived.report.counts_after)
    slope = math.sin(x) ** 2 + 2 * math.sin(x / 2) ** 2 * math.cos(x) - math.sin(x)
    assert derived(x)[1].x == pytest.approx(slope, rel=1e-12)


#: Slopes from one-sided differences with 700 digits, where the derivative as written is NaN,
#: infinite or has no digits: removable singularities, 0 * inf at roots, overflow.
POINTS = [
    (
        lambda x: (np.exp(x) - 1) / (np.exp(x) + 1),
        [(1000.0, 0.0), (40.0, 8.496708510583178e-18), (1.0, 0.3932238664829637)],
    ),
    (
        lambda x: (1 - np.exp(-x)) / (1 + np.exp(-x)),
        [(-1000.0, 0.0), (40.0, 8.496708510583178e-18)],
    ),
    (
        lambda x: np.sinh(x) / np.cosh(x),
        [(20.0, 1.6993417021166355e-17), (-1.0, 0.4199743416140261)],
    ),
    (lambda x: np.log(2 * np.cosh(x)), [(-1000.0, -1.0), (1.0, 0.7615941559557649)]),
    (lambda x: np.log(np.sinh(x)), [(1000.0, 1.0), (1e-10, 10000000000.0)]),
    (lambda x: np.log(np.exp(x) - 1), [(1000.0, 1.0), (1e-10, 10000000000.5)]),
    (lambda x: x * np.exp(x) / (1 + np.exp(x)), [(1000.0, 1.0), (-40.0, -1.6568581595637197e-16)]),
    (lambda x: np.sqrt(x * x * x), [(0.0, 0.0), (4.0, 3.0)]),
    (lambda x: np.sqrt(x**3), [(0.0, 0.0), (4.0, 3.0)]),
    (lambda x: x * x * np.sqrt(x), [(0.0, 0.0), (4.0, 20.0)]),
    (lambda x: (x * x) ** 0.5, [(-2.0, -1.0), (1e-200, 1.0)]),
    (lambda x: np.cbrt(x * x * x), [(0.0, 1.0), (1e-200, 1.0)]),
    (lambda x: (np.sqrt(1 + x) - 1) / x, [(0.0, -0.125), (1e-10, -0.1249999999875)]),
    (lambda x: (np.sqrt(1 + x * x) - 1) / x, [(0.0, 0.5), (1e-10, 0.5)]),
    (lambda x: (np.sqrt(x) - 1) / (x - 1), [(1.0, -0.125), (4.0, -0.027777777777777776)]),
    (lambda x: x / np.sin(x), [(0.0, 0.0), (1e-08, 3.3333333333333334e-09)]),
    (lambda x: np.tan(x) / x, [(0.0, 0.0), (1e-08, 6.666666666666668e-09)]),
    (lambda x: x / np.tan(x), [(0.0, 0.0), (1e-08, -6.666666666666667e-09)]),
    (lambda x: np.sin(2 * x) / x, [(0.0, 0.0), (1e-09, -2.666666666666667e-09)]),
    (lambda x: 2 * np.sin(x) / x, [(0.0, 0.0), (1e-09, -6.666666666666667e-10)]),
    (lambda x: np.sin(x) / (2 * x), [(0.0, 0.0), (1e-09, -1.6666666666666669e-10)]),
    (lambda x: np.sin(x) ** 2 / x**2, [(0.0, 0.0), (1e-09, -6.666666666666667e-10)]),
    (
        lambda x: np.sinh(x) / x,
        [(0.0, 0.0), (1e-08, 3.3333333333333334e-09), (2.0, 0.974382743580061)],
    ),
    (lambda x: x / np.sinh(x), [(0.0, 0.0), (1e-08, -3.3333333333333334e-09), (800.0, -0.0)]),
    (lambda x: (np.exp(x) - np.exp(-x)) / (2 * x), [(0.0, 0.0), (1e-08, 3.3333333333333334e-09)]),
    (lambda x: (np.cosh(x) - 1) / (x * x), [(0.0, 0.0), (1e-09, 8.333333333333334e-11)]),
    (lambda x: x / np.tanh(x), [(0.0, 0.0), (1e-08, 6.666666666666667e-09), (-800.0, -1.0)]),
    (lambda x: np.tanh(x) / x, [(0.0, 0.0), (1e-08, -6.666666666666666e-09), (800.0, -1.5625e-06)]),
    (lambda x: (1 - np.exp(x)) / x, [(0.0, -0.5), (1e-12, -0.5000000000003333)]),
    (lambda x: x / (1 - np.exp(-x)), [(0.0, 0.5), (-800.0, 0.0)]),
    (lambda x: (np.exp(2.0 * x) - 1) / x, [(0.0, 2.0), (1e-10, 2.0000000002666667)]),
    (lambda x: np.log(1 - x) / x, [(0.0, -0.5), (1e-12, -0.5000000000006667)]),
    (lambda x: np.log(1 + 2 * x) / x, [(0.0, -2.0), (1e-10, -1.9999999994666666)]),
    (lambda x: (np.cos(x) - 1) / x, [(0.0, -0.5), (1e-09, -0.5)]),
    (lambda x: (np.cos(x) - 1) / (x * x), [(0.0, 0.0), (1e-09, 8.333333333333334e-11)]),
    (lambda x: (1 - np.cos(x)) / np.sin(x), [(0.0, 0.5), (1e-09, 0.5)]),
    (
        lambda x: np.log(x + np.sqrt(x * x + 1)),
        [(-100000.0, 9.9999999995e-06), (-10000000000.0, 1e-10)],
    ),
    (lambda x: np.log(x + np.sqrt(x * x - 1)), [(10000000000.0, 1e-10)]),
    (
        lambda x: np.cosh(x) - np.sinh(x),
        [(20.0, -2.061153622438558e-09), (-1.0, -2.718281828459045)],
    ),
    (lambda x: np.exp(np.log(x)), [(0.0, 1.0), (2.0, 1.0)]),
    (lambda x: (1 - x * x) / (1 - x), [(1.0, 1.0)]),
    (lambda x: (x**4 - 1) / (x - 1), [(1.0, 6.0)]),
    (lambda x: (x - 1) / (x * x - 1), [(1.0, -0.25)]),
    (lambda x: (1 - x) / (1 - x * x), [(1.0, -0.25)]),
    (lambda x: (x * x * x - 1) / (x - 1), [(1.0, 3.0)]),
    (lambda x: np.log(x) / (x - 1), [(1.0, -0.5), (1 + 2**-30, -0.4999999993791183)]),
    (lambda x: (x - 1) / np.log(x), [(1.0, 0.5), (1e-8, 294705.71934677876)]),
    (lambda x: np.log(x + 1) - np.log(x), [(1e18, -1e-36), (1e-20, -1e20)]),
    (lambda x: np.log((x + 1) / x), [(1e18, -1e-36), (-2.0, -0.5)]),
    (lambda x: np.arctan(x) / x, [(0.0, 0.0), (1e-8, -6.666666666666667e-09)]),
    (lambda x: np.arcsin(x) / x, [(0.0, 0.0), (1e-8, 3.3333333333333334e-09)]),
    (lambda x: 2 * x * np.sqrt(x), [(0.0, 0.0), (4.0, 6.0)]),
    (lambda x: 2 * np.sqrt(x) * x, [(0.0, 0.0), (4.0, 6.0)]),
    (lambda x: x * x * np.log(x), [(0.0, 0.0), (2.0, 4.772588722239782)]),
    (lambda x: x * x * np.log(abs(x)), [(0.0, 0.0), (-2.0, -4.772588722239782)]),
    (lambda x: x * x * np.log(x * x), [(0.0, 0.0), (-2.0, -9.545177444479563)]),
    (lambda x: np.cos(np.sqrt(x)), [(0.0, -0.5), (1e-9, -0.49999999991666666)]),
    (lambda x: np.cosh(np.sqrt(x)), [(0.0, 0.5), (1e-9, 0.5000000000833333)]),
    (lambda x: np.sqrt(np.exp(x)), [(1000.0, 7.0179610892641871e216)]),
    (lambda x: (np.cosh(x) - 1) / x, [(0.0, 0.5), (1e-9, 0.5)]),
    (lambda x: np.cos(2 * np.arccos(x)), [(1.0, 4.0), (-1.0, -4.0), (0.25, 1.0)]),
    (lambda x: np.cos(3 * np.arccos(x)), [(1.0, 9.0), (-0.5, 0.0)]),
    (lambda x: np.cosh(np.arccosh(x)), [(1.0, 1.0), (2.0, 1.0)]),
    (lambda x: np.arccosh(np.cosh(x)), [(0.0, 0.0), (-2.0, -1.0)]),
    (lambda x: np.sqrt(1 - np.cos(x)), [(0.0, 0.0), (1e-9, 0.7071067811865475)]),
    (lambda x: np.sqrt(1 - np.cos(x) ** 2), [(0.0, 0.0), (1e-9, 1.0)]),
]


@pytest.mark.numbers
@pytest.mark.parametrize("f, points", POINTS)
def test_slopes_where_the_derivative_as_written_has_none(f, points):
    derived = derive(f, "jacobian", dtype="float64")
    for x, slope in points:
        for found in (derived(x), derived.reference(x)):
            assert found.x == pytest.approx(slope, rel=1e-6, abs=1e-300)


def difference(x: float, y: float) -> float:
    return np.log(np.exp(x) - np.exp(y))


@pytest.mark.numbers
@pytest.mark.parametrize("at", [1.0, 1000.0, -1000.0])
def test_the_logarithm_of_a_difference_of_exponentials(at):
    found = derive(difference, dtype="float64").reference(at, at - 1, 1.0)
    slope = 1 / (1 - math.exp(-1))
    assert tuple(found) == pytest.approx((slope, 1 - slope), rel=1e-12)
