"""Long programs as loops: the same bits from the program, its loops, and kernels of both."""

import random
import re

import numpy as np
import pytest
from hand_rules import F32, F64, I32, select, term

import egad
from egad import rules
from egad.codegen.host import reference
from egad.codegen.kernel.opencl import emit
from egad.codegen.schedule import rolling
from egad.codegen.schedule.periods import LEAST_TRIPS, Stretch, stretches
from egad.terms.loop import has_loops
from egad.terms.program import Note, Program, Slot
from egad.terms.term import const, toposort, var

RULES = rules.load()
X, Y = var("x", F32), var("y", F32)


@pytest.fixture(autouse=True)
def short_programs_too(monkeypatch):
    monkeypatch.setattr(rolling, "ROLLED_FROM", 40)


def program(*roots, notes=None, params=(X, Y)):
    slots = tuple(Slot(p.attr, p.type) for p in params)
    results = tuple(Slot(f"r{i}", root.type) for i, root in enumerate(roots))
    return Program("p", slots, results, tuple((r,) for r in roots), notes or {})


def inputs(params=(X, Y), n=70, seed=0):
    rng = np.random.default_rng(seed)
    made = {}
    for p in params:
        numbers = rng.uniform(-2, 2, n)
        made[p.attr] = (
            (numbers * 3).astype(np.int32) if p.type is I32 else numbers.astype(p.type.value)
        )
    return made


def numbers(program, given):
    """The results by NumPy, as bits."""
    found = reference.evaluate_packed(program, RULES, given, len(next(iter(given.values()))))
    return [np.asarray(found[slot.name]).tobytes() for slot in program.results]


def check(p, loops=True):
    """The program over loops, which computes the same bits; with `loops`, there are some."""
    params = [var(s.name, s.type) for s in p.params]
    found, about = rolling.rolled(p, RULES)
    assert has_loops(found.flat) == bool(about) == loops
    if loops:
        assert len(toposort(found.flat)) < len(toposort(p.flat))
    given = inputs(params)
    assert numbers(found, given) == numbers(p, given)
    return found


# ------------------------------------------------------------------ repeats in lists


def test_a_period_is_found_between_other_things():
    kinds = [9, 8, 7, *[0, 1, 2] * 20, 6, 5]
    reads = [-1, 0, 1, *[i - 1 for i in range(3, 63)], 62, 0]
    assert stretches(kinds, [reads]) == [Stretch(2, 3, 20)] or stretches(kinds, [reads]) == [
        Stretch(3, 3, 20)
    ]


def test_what_reads_at_another_distance_ends_a_stretch():
    reads = [max(i - 1, -1) for i in range(60)]
    whole = stretches([0] * 60, [reads])
    reads[30] = 5
    first, second = stretches([0] * 60, [reads])
    assert whole == [Stretch(1, 1, 59)] and first.stop <= 30 < second.start


def test_few_repeats_are_none():
    size = 3 * (LEAST_TRIPS - 1)
    assert stretches([0, 1, 2] * (LEAST_TRIPS - 1), [[-1] * size]) == []


def test_a_list_without_repeats_has_none():
    rng = random.Random(0)
    kinds = [rng.randrange(4) for _ in range(2000)]
    assert stretches(kinds, [[rng.randrange(-1, max(i, 1)) for i in range(2000)]]) == []


# ------------------------------------------------------------------ programs


def recurrence(n, step, state):
    states = [state]
    for i in range(n):
        state = step(i, states)
        states.append(state)
    return states


def test_a_chain_is_a_loop():
    last = recurrence(50, lambda i, s: term("add", term("sin", s[-1]), Y), X)[-1]
    found = check(program(last))
    text = emit(program(last), RULES, name="p").text
    assert len(toposort(found.flat)) < 20 and text.count("sin(") < 5 and "for (int " in text
    assert "operations are a loop" in text
    assert "for (int " not in emit(program(last), RULES, name="p", roll=False).text


def test_values_of_several_trips_before():
    def step(i, s):
        far = s[-3] if len(s) > 2 else X
        return term("sub", term("mul", s[-1], term("sin", far)), Y)

    check(program(recurrence(60, step, X)[-1]))


def test_results_from_the_middle():
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    check(program(s[-1], s[-2], s[-4], s[-7], s[30], s[0], s[1]))


def test_what_is_read_backwards_is_kept():
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    back = Y
    for value in reversed(s):
        back = term("mul", term("add", back, term("exp", term("neg", value))), Y)
    text = emit(program(back), RULES, name="p").text
    assert len(re.findall(r"for \(int ", text)) == 2
    check(program(back))


def test_what_is_read_forwards_is_kept():
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    total = Y
    for value in s:
        total = term("add", term("mul", total, value), s[3])
    check(program(total, s[-1]))


def test_every_second_value_is_read():
    s = recurrence(80, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    total = Y
    for value in reversed(s[::2]):
        total = term("add", term("cos", total), value)
    check(program(total))


def test_a_loop_reads_what_two_loops_kept():
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    u = recurrence(60, lambda i, u: term("mul", term("cos", u[-1]), s[-1]), s[-1])
    back = Y
    for a, b in zip(reversed(s), reversed(u), strict=True):
        back = term("sub", term("mul", back, a), b)
    check(program(back, u[-1]))


def test_conditions_and_integers():
    n, m = var("n", I32), var("m", I32)

    def step(i, s):
        test = term("lt", s[-1], term("add", n, m))
        return select(test, term("add", s[-1], n), term("sub", s[-1], m))

    states = recurrence(60, step, n)
    check(program(states[-1], params=(n, m)))


def test_conditions_that_are_read_again():
    s = recurrence(60, lambda i, s: term("sin", term("add", s[-1], Y)), X)
    tests = [term("gt", value, 0.1) for value in s]
    total = Y
    for test in reversed(tests):
        total = term("add", term("cos", total), select(test, Y, X))
    check(program(total))


def test_double_precision():
    x = var("x", F64)
    s = recurrence(60, lambda i, s: term("mul", term("sin", s[-1]), const(1.1, F64)), x)
    check(program(s[-1], s[20], params=(x,)))


def test_short_programs_stay(monkeypatch):
    monkeypatch.setattr(rolling, "ROLLED_FROM", 4000)
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    p = program(s[-1])
    assert rolling.rolled(p, RULES) == (p, [])


def test_numbers_that_change_are_no_repeat():
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), float(i)), X)
    check(program(s[-1]), loops=False)


def test_names_of_the_source_stay():
    s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
    notes = {t: Note("height") for t in s[1:]}
    assert "const float height" in emit(program(s[-1], notes=notes), RULES, name="p").text


def test_the_same_text_every_time():
    def text():
        s = recurrence(60, lambda i, s: term("add", term("sin", s[-1]), Y), X)
        return emit(program(s[-1], s[11]), RULES, name="p").text

    assert text() == text()


UNARY, BINARY = ("sin", "cos", "neg", "exp"), ("add", "sub", "mul")


def piecewise(seed):
    """A random program of sweeps; every sweep repeats one random piece."""
    rng = random.Random(seed)
    kept = [[X, Y] * 3]
    for _ in range(rng.randrange(1, 4)):
        trips, width = rng.randrange(9, 40), rng.randrange(1, 4)
        piece = [
            (
                rng.choice(BINARY),
                rng.choice(UNARY),
                rng.randrange(1, 5),
                rng.choice((None, *range(len(kept)))),
                rng.choice((1, -1)),
                rng.randrange(3),
            )
            for _ in range(width)
        ]
        values = [rng.choice(kept[-1]) for _ in range(5)]
        for trip in range(trips):
            for binary, unary, lag, source, way, shift in piece:
                other = values[-rng.randrange(1, 2)]
                if source is not None:
                    place = (trip + shift if way > 0 else -1 - trip - shift) % len(kept[source])
                    other = kept[source][place]
                inner = term("sin", values[-lag]) if unary == "exp" else values[-lag]
                values.append(term(binary, term("sin", term(unary, inner)), other))
        kept.append(values)
    last = [v for values in kept[1:] for v in (values[-1], rng.choice(values))]
    return program(*last)


@pytest.mark.parametrize("seed", range(60))
def test_random_sweeps(seed):
    p = piecewise(seed)
    found, _ = rolling.rolled(p, RULES)
    given = inputs()
    assert numbers(found, given) == numbers(p, given)


def test_most_random_sweeps_have_loops():
    assert sum(has_loops(rolling.rolled(piecewise(seed), RULES)[0].flat) for seed in range(60)) > 40


@pytest.mark.parametrize("seed", [None, *range(8)])
def test_kernels_with_loops_give_the_same_bits(seed):
    from egad.codegen.devices import device, run
    from egad.terms.errors import DeviceError

    try:
        on = device.choose()
    except DeviceError as error:
        pytest.skip(str(error))
    s = recurrence(60, lambda i, s: term("sin", term("add", s[-1], Y)), X)
    p = program(s[-1], s[20]) if seed is None else piecewise(seed)
    given = inputs()
    both = [emit(p, RULES, name="p", roll=roll) for roll in (True, False)]
    with_loops, without = [run.launch(k, given, 70, on) for k in both]
    for name, wanted in without.items():
        np.testing.assert_array_equal(with_loops[name], wanted)


def chained(x: float, y: float) -> float:
    for _ in egad.force_unroll(range(30)):
        x, y = y + 0.1 * egad.sin(x), x - 0.1 * egad.cos(y)
    return x


def test_a_kernel_with_loops_is_explained_line_by_line():
    found = egad.derive(chained, optimize="fast")
    assert "for (int " in found.source and "operations are a loop" in found.source
    told = found.explain(rules=True)
    assert found.account.coverage == 1.0 and "for (int " not in told
    text, number = found.source, 0.3
    assert found == egad.derive(chained, optimize="fast") and found.source == text
    step = 1e-4
    high = found.reference(number + step, 0.5, 1.0).x
    assert found.reference(number, 0.5, 1.0).x == pytest.approx(high, rel=1e-2)
    primal = egad.derive(chained, mode="primal", dtype="float64", optimize="fast").reference
    slope = (primal(number + step, 0.5) - primal(number - step, 0.5)) / (2 * step)
    assert found(number, 0.5, 1.0).x == pytest.approx(slope, rel=1e-4)
