"""Functions with several results in rule files: tuples taken apart, and derivatives of each."""

import numpy as np
import pytest

from egad import RuleError, cos, derive, diff_pair, rules, sin
from egad.rules.checker.check import check_rules

WAVE = """
def wave(x, k: int) -> (u, v):
    s, c = sincos(k * x)
    u = s * x
    v = c
    du_dx = s + x * k * c
    dv_dx = -k * s
"""
POLAR = """
def polar(a, b) -> (r, t):
    domain = a * a + b * b > 0
    r = sqrt(a * a + b * b)
    t = atan2(b, a)
    a_bar = a / r * r_bar - b / (r * r) * t_bar
    b_bar = b / r * r_bar + a / (r * r) * t_bar
"""
TURNED = """
def turned(x, y, t) -> (p, q):
    s, c = sincos(t)
    p = c * x - s * y
    q = s * x + c * y
    dp = c * dx - s * dy - q * dt
    dq = s * dx + c * dy + p * dt
"""
PLAIN = """
def halves(x) -> (low, high):
    low, high = spread(x)

def spread(x) -> pair:
    pair = (0.5 * x, 1.5 * x * x)
"""


def waved(x: float) -> float:
    u, v = wave(x, 3)  # noqa: F821
    return u * v


def placed(a: float, b: float) -> float:
    r, t = polar(a, b)  # noqa: F821
    p, q = turned(r, t, a)  # noqa: F821
    return p * q + r


def halved(x: float) -> float:
    low, high = halves(x)  # noqa: F821
    return low * high


@pytest.mark.parametrize(
    ("f", "texts", "args"),
    [(waved, [WAVE], (0.7,)), (placed, [POLAR, TURNED], (0.7, 0.4)), (halved, [PLAIN], (0.7,))],
)
@pytest.mark.parametrize("mode", ["fwd", "bwd"])
def test_derivatives_of_each_result(f, texts, args, mode, tmp_path):
    path = tmp_path / "own.rules"
    path.write_text("".join(texts))
    primal = derive(f, "primal", dtype="float64", rules=[path])
    derived = derive(f, mode, dtype="float64", rules=[path])
    for i in range(len(args)):
        near = [np.array(args, float), np.array(args, float)]
        near[0][i] += 1e-6
        near[1][i] -= 1e-6
        slope = (primal(*near[0]) - primal(*near[1])) / 2e-6
        for run in (derived, derived.reference):
            if mode == "bwd":
                assert run(*args, 1.0)[i] == pytest.approx(slope, rel=1e-8)
            else:
                pairs = [diff_pair(a, float(i == j)) for j, a in enumerate(args)]
                assert run(*pairs).d == pytest.approx(slope, rel=1e-8)


def test_the_check_tries_each_result():
    shipped = rules.loads(WAVE + POLAR + TURNED, "own.rules")
    results = check_rules(shipped, ["own.rules"])
    assert [r.problem for r in results] == [None] * len(results)
    tried = {(r.rule, r.kind) for r in results}
    assert {("wave.u", "derivative"), ("polar.t", "derivative"), ("turned", "definition")} <= tried
    wrong = rules.loads(WAVE.replace("-k * s", "k * s"), "own.rules")
    (problem,) = [r.problem for r in check_rules(wrong, ["own.rules"]) if r.problem]
    assert "[wave.v dv_dx] disagrees" in problem.message


def test_the_sine_is_computed_once():
    source = derive(waved, dtype="float64", rules=[rules.loads(WAVE, "own.rules")]).source
    assert source.count("sincos(") == 1 and "(double)" not in source


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (WAVE.replace("s, c =", "s, c, d ="), "3:15", "there are 2 values for 3 names"),
        (WAVE.replace("s, c = sincos(k * x)", "s, c = k * x"), "3:12", "this is no tuple"),
        (WAVE.replace("s, c =", "s, s ="), "3:8", "'s' is stated twice"),
        (WAVE + "    w = x + 1\n", "8:5", "the local 'w' is never used"),
        (POLAR.replace("/ r * r_bar", "/ r * r_bar * r_bar", 1), "6:13", "is not linear in"),
        (
            TURNED.replace("    dq = s * dx + c * dy + p * dt\n", "    dq_dx = s\n"),
            "2:5",
            "the derivative by 'y' is missing; there is one by x",
        ),
        (
            PLAIN.replace("low, high = spread(x)", "low = spread(x)[2]\n    high = x"),
            "3:21",
            "0, 1",
        ),
    ],
)
def test_mistakes_are_shown_where_they_are(text, place, message):
    with pytest.raises(RuleError, match=r".") as raised:
        rules.loads(text, "own.rules")
    assert str(raised.value).startswith(f"own.rules:{place}:")
    assert message in raised.value.message


def test_a_built_in_with_two_results_computes_its_parts_together():
    shipped = rules.load()
    assert shipped.joints["cos"] is shipped.joints["sin"] and "tan" not in shipped.joints
    report = derive(lambda x: sin(x) * cos(x), "value_and_grad").report
    assert report.counts_after["sincos"] == 1 and "sin" not in report.counts_after
    text = "@op(cost=24)\ndef both(x) -> (s, c):\n    opencl = «»\n    s = sin(x)\n    c = cos(x)\n"
    for spelling, message in (
        ("'sincos({x}, {x})'", "does not give the results s, c"),
        ("'sincos({x}, &{c}); x()'", "does not give the results s, c"),
        ("'sinus({x}, &{c})'", "OpenCL has no built-in 'sinus' of that form"),
    ):
        with pytest.raises(RuleError, match=message):
            rules.loads(text.replace("«»", spelling), "own.rules")


@pytest.mark.parametrize("kind", ["derivative", "primal", "opencl"])
@pytest.mark.parametrize("results", ["(s, c)", "s"])
def test_what_has_several_results_is_not_changed(kind, results):
    line = {"derivative": "ds_dx = 1", "primal": "s = x", "opencl": 'f32 = "sin({x})"'}[kind]
    with pytest.raises(RuleError) as caught:
        rules.loads(f"@{kind}\ndef sincos(x) -> {results}:\n    {line}\n", "m.rules")
    whats = {"derivative": "derivatives", "primal": "definition", "opencl": "spelling"}
    message = f"sincos has several results: @{kind} cannot change its {whats[kind]}"
    assert caught.value.message == f"[sincos] {message}"


def test_what_has_one_result_is_given_one():
    with pytest.raises(RuleError, match=r"\[sin\] sin has one result, not 2"):
        rules.loads("@derivative\ndef sin(x) -> (s, c):\n    ds_dx = 1\n", "m.rules")
