"""Programs: slots, inlining, names, pickles."""

import doctest
import pickle
from dataclasses import replace

import pytest

from egad.terms import program as module
from egad.terms.errors import Span
from egad.terms.program import Call, Note, Program, Request, Slot, grouped, renamed
from egad.terms.term import Term, const, var
from egad.terms.types import Mat, Scalar, Tup, Vec

F, I32 = Scalar.F64, Scalar.I32
X, VX, VY = var("x", F), var("v.x", F), var("v.y", F)
SUM = Term("add", (VX, VY), None, F)
ROOTS = ((SUM, Term("mul", (SUM, X), None, F)), (X,))
SLOTS = (Slot("x", F), Slot("v", Vec(F, 2)))
PROGRAM = Program(
    "f",
    SLOTS,
    (Slot("w", Vec(F, 2)), Slot("out", F)),
    ROOTS,
    {SUM: Note("total", Span("f.py", 2, 5))},
    Span("f.py", 1, 1),
)


def test_slots_name_their_components():
    assert Slot("m", Mat(F, 2, 2)).paths() == ["m[0][0]", "m[0][1]", "m[1][0]", "m[1][1]"]
    assert Slot("v", Vec(F, 2)).leaves() == [VX, VY]
    pair = Slot("p", Tup((F, I32), ("a", "n")))
    assert pair.leaves() == [var("p.a", F), var("p.n", I32)]


def test_flat_results_and_back():
    assert PROGRAM.flat == [*ROOTS[0], X]
    moved = PROGRAM.with_flat([X, X, SUM], name="g")
    assert moved.roots == ((X, X), (SUM,)) and moved.name == "g" and moved.params == SLOTS
    assert grouped(PROGRAM.results, PROGRAM.flat) == ROOTS


def test_inlining_puts_arguments_for_parameters():
    a = const(3.0, F)
    assert PROGRAM.leaves() == [X, VX, VY]
    swapped = PROGRAM.inline([a, VY, VX])
    assert swapped[0] is Term("add", (VY, VX), None, F) and swapped[2] is a
    assert swapped[1] is Term("mul", (swapped[0], a), None, F)
    with pytest.raises(ValueError):
        PROGRAM.inline([a])


def test_arguments_without_use_do_not_matter():
    unused = Program("f", (Slot("x", F), Slot("y", F)), (Slot("o", F),), ((X,),))
    assert unused.inline([SUM, X]) == [SUM]


def test_equality_is_about_what_is_computed():
    bare = Program("f", SLOTS, PROGRAM.results, ROOTS)
    assert bare == PROGRAM
    assert PROGRAM.with_flat([X, X, X]) != PROGRAM


def test_pickle():
    twin = pickle.loads(pickle.dumps(PROGRAM))
    assert twin == PROGRAM and twin.roots[0][0] is SUM
    assert dict(twin.notes) == dict(PROGRAM.notes) and twin.at == PROGRAM.at
    call = Call("g", PROGRAM, bwd=PROGRAM, at=Span("f.py", 3))
    outer = Program("h", (Slot("x", F),), (Slot("o", F),), ((Term("call", (X,), call, F),),))
    assert pickle.loads(pickle.dumps(outer)).flat[0] is outer.flat[0]


def test_calls_know_what_carries_a_derivative():
    fixed = Program("f", (Slot("x", F, diff=False), Slot("v", Vec(F, 2)), Slot("n", I32)), (), ())
    assert Call("f", fixed).carries() == [False, True, True, False]
    assert Call("f", Request("fwd", fixed, (True,))).carries() == [False, True, True, False]


def test_derived_names_avoid_what_is_taken():
    slots = [Slot("x", F), Slot("y", F)]
    assert [s.name for s in renamed(slots, "d_{}", [Slot("d_y", F), Slot("d_y_", F)])] == [
        "d_x",
        "d_y__",
    ]
    assert [s.name for s in renamed([Slot("x", F), Slot("x", F)], "{}", ())] == ["x", "x_"]


def test_doctests():
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


def test_equal_programs_have_one_hash_and_pickles_carry_none():
    other = replace(PROGRAM, notes={}, at=None)
    assert other == PROGRAM and hash(other) == hash(PROGRAM)
    again = pickle.loads(pickle.dumps(PROGRAM))
    assert "_hash" in vars(PROGRAM) and "_hash" not in vars(again)
    assert again == PROGRAM and hash(again) == hash(PROGRAM)


def test_who_changes_the_list_of_terms_changes_no_program():
    PROGRAM.terms().clear()
    assert PROGRAM.terms()[-1] in PROGRAM.flat
