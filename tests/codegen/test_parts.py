"""Long functions in parts: the same numbers, whatever is handed from one part to the next."""

import random
import re

import numpy as np
import pytest
from hand_rules import BOOL, F32, F64, I32, select, term

from egad import rules
from egad.codegen.devices import build, device, run
from egad.codegen.host import reference
from egad.codegen.kernel import parted
from egad.codegen.kernel.opencl import emit
from egad.codegen.schedule.parts import in_parts
from egad.codegen.schedule.schedule import schedule
from egad.codegen.schedule.statement import Declare, Define, If
from egad.terms.errors import DeviceError
from egad.terms.program import Program, Slot
from egad.terms.term import Term, var

RULES = rules.load()
INPUTS = [var("x", F32), var("y", F32), var("k", I32), var("b", BOOL), var("d", F64)]
COUNT = 70


def random_program(seed, size):
    """Reals of both precisions, integers, truth values, pairs of sin and cos, costly arms."""
    rng = random.Random(seed)
    x, y, k, b, d = INPUTS
    reals, wide, whole, truths = [x, y], [d], [k], [b, term("lt", x, y)]

    def real():
        return rng.choice([*reals[-12:], rng.choice(reals)])

    for _ in range(size):
        kind = rng.random()
        if kind < 0.1:
            whole.append(term("add", rng.choice(whole[-6:]), rng.choice([3, k])))
        elif kind < 0.2:
            truths.append(term(rng.choice(["gt", "eq"]), rng.choice(whole), 5))
        elif kind < 0.25:
            truths.append(term("logical_not", rng.choice(truths)))
        elif kind < 0.35:
            wide.append(term("mul", term("sin", rng.choice(wide[-5:])), rng.choice([d, 0.75])))
        elif kind < 0.5:
            arm = term("exp", term("neg", term("mul", real(), real())))
            costly = term("sin", term("sin", term("sin", arm)))
            reals.append(select(rng.choice(truths), costly, real()))
        elif kind < 0.7:
            angle = real()
            reals += [term("sin", angle), term("cos", angle)]
        else:
            reals.append(term("sub", term("mul", real(), 0.5), term("mul", real(), 0.45)))
    roots = [reals[-1], *rng.sample(reals, 4), *rng.sample(wide, 2), whole[-1], truths[-1]]
    roots += [term("neg", reals[-2]), x, reals[-1]]
    slots = tuple(Slot(p.attr, p.type) for p in INPUTS)
    results = tuple(Slot(f"r{i}", r.type) for i, r in enumerate(roots))
    return Program("p", slots, results, tuple((r,) for r in roots))


def given():
    rng = np.random.default_rng(0)
    numbers = {"k": rng.integers(-9, 9, COUNT, np.int32), "b": rng.random(COUNT) < 0.5}
    reals = {n: rng.uniform(-2, 2, COUNT).astype(np.float32) for n in "xy"}
    return {**reals, **numbers, "d": rng.uniform(-2, 2, COUNT)}


@pytest.fixture(scope="module")
def target():
    try:
        return device.choose(fp64=True)
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("size", [3, 20, 90])
@pytest.mark.parametrize("seed", range(8))
def test_kernels_in_parts_compute_the_same(seed, size, target, monkeypatch):
    p = random_program(seed, 150)
    wanted = reference.evaluate_packed(p, RULES, given(), COUNT)
    whole = emit(p, RULES, name="p")
    monkeypatch.setattr(parted, "LONG", 10)
    monkeypatch.setattr(parted, "_PART", size)
    kernel = emit(p, RULES, name="p")
    count = kernel.text.count("__attribute__((noinline))")
    assert f"The work in {count} functions" in kernel.text and "noinline" not in whole.text
    assert count > 1 and kernel.text.count("sincos(") == whole.text.count("sincos(")
    assert kernel.text == emit(p, RULES, name="p").text
    got, plain = (run.launch(k, given(), COUNT, target) for k in (kernel, whole))
    for slot in p.results:
        for other in (plain[slot.name], wanted[slot.name]):
            np.testing.assert_allclose(got[slot.name], other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("seed", range(30))
def test_a_place_holds_a_value_until_it_is_read_last(seed, size):
    plan = schedule(random_program(seed, 120), RULES)
    cut = in_parts(plan.statements, plan.roots, plan.inline, plan.fused, size)
    assert tuple(s for part in cut.parts for s in part.statements) == plan.statements
    sizes = {memory.elem: memory.size for memory in cut.kept}
    held: dict[object, Term] = {}
    for part in cut.parts:
        for term_ in part.reads:
            assert held[term_.type, cut.places[term_]] is term_
        for term_ in part.keeps:
            place = term_.type, cut.places[term_]
            assert cut.places[term_] < sizes[term_.type]
            # What lay here is not loaded in this part: it could be stored over before that.
            assert held.get(place) not in part.reads
            held[place] = term_
        blocks = [isinstance(s, If) for s in part.statements].count(True)
        assert blocks or all(isinstance(s, Define | Declare) for s in part.statements)
    for term_ in cut.results:
        assert held[term_.type, cut.places[term_]] is term_


def test_places_are_taken_again():
    """A chain hands on one value, however long it is."""
    x = INPUTS[0]
    for _ in range(300):
        x = term("sin", x)
    plan = schedule(Program("p", (Slot("x", F32),), (Slot("r", F32),), ((x,),)), RULES)
    cut = in_parts(plan.statements, plan.roots, plan.inline, plan.fused, 10)
    assert len(cut.parts) == 30 and [m.size for m in cut.kept] == [2]
    assert [len(part.reads) for part in cut.parts] == [0] + [1] * 29
    assert [part.inputs for part in cut.parts] == [(INPUTS[0],)] + [()] * 29


def test_what_does_not_fit_a_work_item_is_not_cut(monkeypatch):
    """A sum of many, all made before the first is added: 24 KiB are 6,144 numbers."""
    monkeypatch.setattr(parted, "LONG", 100)
    x = INPUTS[0]
    texts = {}
    for count in (6_000, 6_300):
        parts = [term("sin", term("mul", x, float(i))) for i in range(count)]
        total = parts[0]
        for part in parts[1:]:
            total = term("add", total, part)
        roots = (total, *parts)
        slots = tuple(Slot(f"r{i}", F32) for i in range(len(roots)))
        p = Program("p", (Slot("x", F32),), slots, tuple((r,) for r in roots))
        texts[count] = emit(p, RULES, name="p", roll=False).text
    assert re.search(r"float kept\[60\d\d\];", texts[6_000]) and "kept" not in texts[6_300]


def test_only_long_functions_are_built_without_optimization():
    standard, slow = ("-cl-std=CL1.2",), ("-cl-std=CL1.2", "-cl-opt-disable")
    assert build.options_for("x;" * 10_000) == standard
    assert build.options_for("x;" * 10_001) == slow
    part = "x;" * 5_000 + "\n}\n"
    assert build.options_for(part * 10) == standard
    assert build.options_for(part * 11) == slow
