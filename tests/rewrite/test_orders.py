"""Jacobians in every order: the same numbers, fewer products, and the order that is chosen."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from judge import Exact
from random_programs import RULES, build, sample

import egad
from egad import rewrite
from egad.codegen.host.reference import evaluate
from egad.rewrite.derivation import elimination
from egad.rewrite.derivation.derive import Derivation
from egad.rewrite.derivation.orders import Order
from egad.rewrite.egraph.cost import operation_counts
from egad.rewrite.pipeline import stages as pipeline
from egad.rewrite.pipeline.optimize import plain_program
from egad.terms.program import Program, Slot
from egad.terms.rule import MATH_TAGS
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar, leaf_types

F = Scalar.F64
X, Y, Z = [var(name, F) for name in "xyz"]
XYZ = tuple(Slot(name, F) for name in "xyz")


def op(name, *args):
    return Term(name, args, None, F)


def program(*roots, params=XYZ):
    results = tuple(Slot(f"r{i}", F) for i in range(len(roots)))
    return Program("f", params, results, tuple((root,) for root in roots))


def in_order(order, source, mode="jacobian"):
    """The derivative as it is before the search, in one order."""
    built = Derivation.of(source, mode, RULES, F).built(order)
    return plain_program(built, RULES, F, derived=True)


def numbers(source, points):
    with np.errstate(all="ignore"):
        rows = evaluate(source, RULES, points)
    size = np.broadcast_shapes(*(np.shape(v) for v in points.values()))
    return np.array([np.broadcast_to(np.asarray(row, float), size) for row in rows])


def bottleneck():
    """Three variables, one value after another, three results."""
    u = op("exp", op("sin", op("mul", op("mul", X, Y), Z)))
    return program(op("sin", u), op("exp", u), op("cos", u))


def test_a_bottleneck_is_passed_once():
    """Sweeps go through it once for each result or variable, elimination once in all."""
    mixed, *sweeps = (
        operation_counts(RULES, in_order(order, bottleneck()).flat)["mul"]
        for order in (Order.MIXED, Order.REVERSE, Order.FORWARD)
    )
    # The value takes 2. Then du/d(xyz), twice 2 products with the partials of xyz, and 3 x 3.
    assert mixed <= 2 + 1 + 4 + 9 < min(sweeps)


def extended(sketch, rng):
    """A random program with some of its intermediate values as further results."""
    built = build(sketch, F)
    inner = [t for t in built.terms() if t.type is F and t.args and t.op not in ("call", "proj")]
    more = rng.sample(inner, min(3, len(inner)))
    slots = tuple(Slot(f"inner{i}", F) for i in range(len(more)))
    return replace(
        built, results=(*built.results, *slots), roots=(*built.roots, *((t,) for t in more))
    )


def by_differences(source, points):
    """The Jacobian by differences of high precision, at each point."""
    wrt = [
        path
        for slot in source.params
        for path, t in zip(slot.paths(), leaf_types(slot.type), strict=True)
        if t.is_real
    ]
    columns = []
    for point in range(len(next(iter(points.values())))):
        exact = Exact(source, RULES, {k: v[point] for k, v in points.items()}, wrt)
        tangents = [exact.tangent({name: 1}) for name in wrt]
        columns.append([float(tangents[j][i]) for i, j in _places(source)])
    return np.array(columns).T


def _places(source):
    """The places in a Jacobian, row by row of each pair of a result and a parameter."""
    row = 0
    for slot in source.results:
        height, column = len(leaf_types(slot.type)), 0
        for param in source.params:
            width = sum(t.is_real for t in leaf_types(param.type))
            yield from product(range(row, row + height), range(column, column + width))
            column += width
        row += height


def test_random_programs():
    """Every order gives the numbers that differences give, and each gives them equally often."""
    tried = Counter()
    for seed in range(120):
        rng = random.Random(seed)
        drawn = sample(rng, seed)
        if drawn is None:
            continue
        source = extended(drawn.sketch, rng)
        form = rewrite.substitute_primals(source, RULES, MATH_TAGS["safe"], {})
        orders = Derivation.of(form, "jacobian", RULES, F).orders()
        if Order.MIXED not in orders:
            continue
        want = by_differences(source, drawn.inputs)
        for order in orders:
            found = numbers(in_order(order, form), drawn.inputs)
            assert found.shape == want.shape
            close = np.abs(found - want) <= 1e-6 * (1 + np.abs(want))
            close |= ~np.isfinite(want)
            tried[order] += close.size
            tried["off"] += int((~close).sum())
            assert close.all() or np.isclose(found, want, rtol=1e-3).all(), (seed, order)
    assert min(tried[order] for order in Order) > 500, tried
    assert tried["off"] <= 5, tried


def sides(name):
    """Programs in which a choice makes a factor 0 that an infinite one follows, or NaN."""
    half = const(0.5, F)
    match name:
        case "a side of a maximum, used twice":
            m = op("max", op("sqrt", X), const(1.0, F))
            return program(op("mul", op("sin", m), Y), op("add", op("mul", m, m), m))
        case "a clamp of a quotient":
            t = Term("clamp", (op("div", Y, X), const(0.0, F), const(1.0, F)), None, F)
            return program(op("mul", t, op("mul", t, Z)), op("add", t, op("mul", t, Y)))
        case "an arm that is undefined":
            c = Term("gt", (X, half), None, Scalar.BOOL)
            s = Term("select", (c, op("mul", Y, op("log", X)), op("mul", Y, X)), None, F)
            return program(op("mul", s, s), op("add", op("exp", s), op("mul", s, Z)))
        case "arms within arms":
            c = Term("gt", (X, half), None, Scalar.BOOL)
            d = Term("gt", (Y, half), None, Scalar.BOOL)
            inner = Term("select", (d, op("mul", Z, op("sqrt", Y)), op("mul", Y, Z)), None, F)
            outer = Term("select", (c, op("mul", inner, op("rsqrt", X)), inner), None, F)
            return program(op("mul", outer, outer), op("mul", op("sin", outer), Y))
    raise AssertionError(name)


@pytest.mark.parametrize(
    "name",
    [
        "a side of a maximum, used twice",
        "a clamp of a quotient",
        "an arm that is undefined",
        "arms within arms",
    ],
)
@pytest.mark.parametrize("order", [Order.MIXED, Order.FORWARD])
def test_what_a_choice_makes_zero_stays_zero(name, order):
    """0 where the reverse sweep says 0: not 0 * inf, and nothing of an arm not taken."""
    grid = np.array(np.meshgrid([0.0, 0.25, 1.0, -1.0], [0.0, -0.5, 0.75, 2.0], [0.0, 1.5]))
    points = dict(zip("xyz", grid.reshape(3, -1), strict=True))
    want = numbers(in_order(Order.REVERSE, sides(name)), points)
    found = numbers(in_order(order, sides(name)), points)
    known = np.isfinite(want)
    assert known.mean() > 0.8
    np.testing.assert_allclose(found[known], want[known], rtol=1e-12)


def test_the_hessian_is_symmetric_in_mixed_order():
    """The upper triangle in mixed order is that of forward over reverse."""
    source = program(op("mul", op("exp", op("mul", X, Y)), op("sin", op("mul", Y, Z))))
    points = {name: np.linspace(-1, 1, 7) + i for i, name in enumerate("xyz")}
    found, want = (
        numbers(in_order(order, source, "hessian"), points)
        for order in (Order.MIXED, Order.FORWARD)
    )
    np.testing.assert_allclose(found, want, rtol=1e-12)


def test_one_result_or_one_variable_is_one_sweep():
    """A gradient is cheapest in reverse, a tangent in forward order."""
    one = Derivation.of(program(op("mul", X, Y)), "jacobian", RULES, F)
    assert one.orders() == (Order.REVERSE,)
    x = Slot("x", F)
    column = program(op("sin", X), op("cos", X), params=(x,))
    assert Derivation.of(column, "jacobian", RULES, F).orders() == (Order.FORWARD,)


def arm(a: float, b: float, c: float) -> tuple[float, float]:
    x = 0.5 * egad.cos(c)
    y = 0.5 * egad.sin(c)
    x, y = 0.5 * egad.cos(b) + egad.cos(b) * x - egad.sin(b) * y, 0.5 * egad.sin(b) + x + y
    return egad.cos(a) * x - egad.sin(a) * y, egad.sin(a) * x + egad.cos(a) * y


def test_the_order_is_reported():
    """`explain()` says which order was taken, and what each cost after the short search."""
    derived = egad.derive(arm, "jacobian", cache=False)
    report = derived.report
    assert report.order is min(report.orders, key=lambda order: report.orders[order])
    assert set(report.orders) <= set(Order)
    line = next(line for line in derived.explain().splitlines() if line.startswith("  order"))
    each = ", ".join(f"{order.value} {cost:g}" for order, cost in report.orders.items())
    assert line == f"  order       {report.order.value}; costs after a short search: {each}"
    assert derived.source == egad.derive(arm, "jacobian", cache=False).source


def test_what_is_explained_is_in_that_order():
    """Rules are told for the derivative as it was accumulated."""
    derived = egad.derive(arm, "jacobian", cache=False)
    assert derived.report.order is not Order.REVERSE
    assert "sin" in derived.explain(rules=True)


@pytest.mark.parametrize("effort", ["fast", "default", "best"])
def test_every_effort_gives_the_same_jacobian(effort):
    """And none costs more than the first order alone."""
    derived = egad.derive(arm, "jacobian", optimize=effort, dtype="float64", cache=False)
    x = np.linspace(-2, 2, 9)
    found = derived.reference(x, x + 0.3, x * x)
    plain = in_order(Order.REVERSE, derived.primal)
    want = numbers(plain, {"a": x, "b": x + 0.3, "c": x * x})
    np.testing.assert_allclose(np.array(found).reshape(want.shape), want, rtol=1e-12)


def test_an_order_that_loses_a_number_is_out():
    """Whatever it would save: here NaN stands for a mixed order that meets 0 * inf."""
    source = program(op("sin", op("mul", X, Y)), op("cos", op("mul", X, Y)))
    good = Derivation.of(source, "jacobian", RULES, F).built(Order.REVERSE)
    nan = const(float("nan"), F)
    bad = good.with_flat([nan for _ in good.flat])
    orders = {Order.REVERSE: good, Order.MIXED: bad}
    report = rewrite.Report("f", "jacobian", "safe", "float64")
    assert set(pipeline._promises(orders, RULES, F, rewrite.Options(), report)) == {Order.REVERSE}


def test_a_graph_that_fills_up(monkeypatch):
    """Then the sweeps are left, and the Hessian is that of forward over reverse."""
    monkeypatch.setattr(elimination, "_FILL", 0)
    assert Derivation.of(bottleneck(), "jacobian", RULES, F).built(Order.MIXED) is None
    source = program(op("sin", op("mul", op("mul", X, Y), Z)))
    report = rewrite.Report("f", "hessian", "safe", "float64")
    options = rewrite.Options(effort=rewrite.Effort.FAST)
    derived, _ = rewrite.derivative_of(source, "hessian", RULES, F, options, report)
    assert report.order is Order.FORWARD and not report.orders
    forward = rewrite.derive(source, "hessian", RULES, F, order=Order.FORWARD)
    assert derived.flat == forward.flat


def test_large_derivatives_take_one_order(monkeypatch):
    """Without building the others: a sweep for each of many variables may be long."""
    report = rewrite.Report("f", "jacobian", "safe", "float64")
    monkeypatch.setattr(pipeline, "_LARGE", 3 * len(bottleneck().terms()) - 1)
    rewrite.derivative_of(bottleneck(), "jacobian", RULES, F, rewrite.Options(), report)
    assert report.order is Order.REVERSE and not report.orders
    monkeypatch.undo()
    rewrite.derivative_of(bottleneck(), "jacobian", RULES, F, rewrite.Options(), report)
    assert report.order is Order.MIXED and len(report.orders) > 1
