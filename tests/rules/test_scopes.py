"""Rules for a while: blocks, values, threads, tasks, imports; and that nothing of them stays."""

import asyncio
import contextvars
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from types import ModuleType

import numpy as np
import pytest
from registering import LIBRARY, modules, slope, user

import egad
from egad import Array, RuleError, custom_bwd_of, derive, primal_substitute_of, rules
from egad.rules import load, loads, registry, scope

assert modules  # a fixture


def square(x: float) -> float:
    return x * x


def loss(x: float) -> float:
    return 3.0 * square(x)


def tenfold(x, d):
    return 10.0 * d


def hundredfold(x, d):
    return 100.0 * d


@pytest.fixture(autouse=True)
def nothing_stays():
    """The registry is the same before and after every test here."""
    before = everything_registered()
    yield
    assert everything_registered() == before
    assert scope._BLOCKS.get() == ()


def everything_registered():
    table = registry.table_of(globals())
    own = [registry.own_marks(f) for f in (square, loss)]
    return table, own, registry.modules_with_rules(square), registry.modules_with_rules(egad.erf)


# --- blocks ---------------------------------------------------------------------------------


def test_what_is_registered_in_a_block_ends_with_it():
    before = derive(loss)
    with rules():

        @custom_bwd_of(square)
        def rule(x, d):
            return 10.0 * d

        assert slope(derive(loss)) == 30.0
        assert slope(before) == 6.0  # what is derived is derived
    assert slope(derive(loss)) == 6.0
    assert derive(loss) == before


def test_every_kind_of_mark_ends_with_its_block():
    marks = [
        lambda f: egad.custom_fwd(tenfold)(f),
        lambda f: egad.custom_bwd(tenfold)(f),
        lambda f: egad.custom_fwd_of(f)(tenfold),
        lambda f: custom_bwd_of(f)(tenfold),
        lambda f: primal_substitute_of(f)(loss),
        egad.treat_as_differentiable,
        egad.non_differentiable,
    ]
    for mark in marks:
        with rules():
            assert mark(square) in (square, tenfold, loss)
            assert scope._BLOCKS.get()[0].of(square)
        assert not registry.own_marks(square)


def test_rule_files_end_with_their_block(tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text("def mine(x) -> y:\n    y = x * x\n    dy_dx = 50.0\n")

    def f(x: float) -> float:
        return mine(x)  # noqa: F821

    with rules(path):
        assert slope(derive(f)) == 50.0
    with rules(str(path)) as value:
        assert value.rules.operator("mine").has_derivative
    with pytest.raises(egad.TraceError, match="unknown name 'mine'"):
        derive(f)


def test_shipped_sets_in_blocks():
    def f(x: float) -> float:
        return np.sqrt(x)

    plain = derive(f).reference(0.0, 1.0)[0]
    with rules("slang"):
        inside = derive(f).reference(0.0, 1.0)[0]
    assert inside == derive(f, rules=["slang"]).reference(0.0, 1.0)[0] != plain
    assert derive(f).reference(0.0, 1.0)[0] == plain


def test_blocks_in_blocks_and_values_that_are_entered_twice():
    outer, inner = rules(), rules()
    outer.custom_bwd_of(square)(tenfold)
    inner.custom_bwd_of(square)(hundredfold)
    found = []
    with outer:
        with inner:
            with outer:
                found.append(slope(derive(square)))
            found.append(slope(derive(square)))
        found.append(slope(derive(square)))
    found.append(slope(derive(square)))
    assert found == [10.0, 100.0, 10.0, 2.0]


def test_an_error_leaves_the_block():
    with pytest.raises(ZeroDivisionError), rules():
        custom_bwd_of(square)(tenfold)
        raise ZeroDivisionError
    assert slope(derive(square)) == 2.0


def test_what_is_registered_in_a_block_is_not_in_its_value():
    with rules() as value:
        custom_bwd_of(square)(tenfold)
        assert slope(derive(square)) == 10.0
    with value:
        assert slope(derive(square)) == 2.0
    assert slope(derive(square, rules=[value])) == 2.0


def test_a_block_is_left_where_it_was_entered():
    value = rules()
    value.__enter__()
    with pytest.raises(RuleError, match="left where it was not entered"):
        contextvars.Context().run(value.__exit__, None, None, None)
    value.__exit__(None, None, None)


def test_blocks_that_are_opened_by_other_means():
    @contextmanager
    def mine():
        with rules():
            yield

    with mine():
        custom_bwd_of(square)(tenfold)
        assert slope(derive(square)) == 10.0
    with ExitStack() as stack:
        stack.enter_context(rules())
        custom_bwd_of(square)(hundredfold)
        assert slope(derive(square)) == 100.0
    assert slope(derive(square)) == 2.0


def test_a_module_imported_in_a_block_registers_for_itself(modules):
    a = modules(a=LIBRARY)
    with rules():
        b = modules(b=user("a", 10.0))
        assert slope(derive(a.f)) == 2.0
        b.install = custom_bwd_of  # a function of b, called in the block, is part of the block
        exec("def later(f, rule):\n    install(f)(rule)", vars(b))
        b.later(a.f, hundredfold)
        assert slope(derive(a.f)) == 100.0
    assert slope(derive(a.f)) == 2.0
    assert slope(derive(b.direct)) == 10.0


def test_a_module_may_open_a_block_while_it_is_imported(modules):
    text = "import egad\nwith egad.rules():\n    @egad.custom_bwd_of(a.f)\n    def rule(x, d):\n"
    a, b = modules(
        a=LIBRARY,
        b=f"import a\n{text}        return 10.0 * d\n    found = egad.derive(a.f)\n",
    )
    assert slope(b.found) == 10.0
    assert slope(b.egad.derive(a.f)) == 2.0
    assert registry.table_of(vars(b)) is None


# --- values ---------------------------------------------------------------------------------


def test_values_for_one_derivation():
    value = rules()

    @value.custom_bwd_of(square)
    def rule(x, d):
        return 10.0 * d

    assert slope(derive(loss, rules=[value])) == slope(derive(loss, rules=value)) == 30.0
    assert slope(derive(loss)) == 6.0
    nested = rules(value, loads("def twice(x) -> y: y = 2 * x"))
    assert slope(derive(loss, rules=[nested])) == 30.0
    assert slope(derive(lambda x: twice(square(x)), rules=[nested])) == 20.0  # noqa: F821
    assert repr(rules("slang", value)) == "egad.rules('slang', <Rules>)"


def test_a_module_is_a_value(modules):
    a, b = modules(a=LIBRARY, b=user("a", 10.0))
    assert slope(derive(a.loss, rules=[b])) == slope(derive(a.loss, rules=b)) == 30.0
    with rules(b):
        assert slope(derive(a.loss)) == 30.0
    assert slope(derive(a.loss)) == 6.0
    assert repr(rules(b)) == "egad.rules(b)"


def test_values_state_what_has_no_derivative():
    value = rules()
    value.treat_as_differentiable(square)
    assert slope(derive(lambda x: square(x) + x, rules=[value])) == 1.0
    stopped = rules()
    assert stopped.non_differentiable(square) is square
    with pytest.raises(egad.DeriveError, match="'square' is not differentiable"):
        derive(loss, rules=[stopped])


def test_wrong_sources_are_refused(tmp_path):
    with pytest.raises(RuleError, match="a rule file is given by its path"):
        rules(3)
    with pytest.raises(RuleError, match="there is no rule set 'slung'; did you mean 'slang'"):
        rules("slung")
    with pytest.raises(RuleError, match="3 is not a function"):
        rules().custom_bwd_of(3)(tenfold)
    with pytest.raises(RuleError, match="custom_bwd_of needs a function, not 3"):
        rules().custom_bwd_of(square)(3)


def test_the_module_is_a_function_and_a_module():
    from egad import rules as imported

    assert imported is rules is egad.rules
    assert isinstance(rules, ModuleType)
    assert rules.load() is load()
    assert rules.load().operator("sin").arity() == 1


# --- derived objects ------------------------------------------------------------------------


def total(xs: list[float]) -> float:
    return square(xs[0]) + square(xs[1])


def summed(derived, n):
    return list(derived.reference([1.0] * n, 1.0).xs)[:2]


def test_a_family_is_derived_by_one_set_of_rules(modules):
    plain = derive(total)
    assert summed(plain, 2) == [2.0, 2.0]
    with rules():
        custom_bwd_of(square)(tenfold)
        assert summed(plain, 2) == summed(plain, 3) == [2.0, 2.0]  # made outside of the block
        scoped = derive(total)
        assert summed(scoped, 2) == [10.0, 10.0]
    assert summed(scoped, 2) == summed(scoped, 3) == [10.0, 10.0]  # made inside of it
    assert summed(plain, 2) == summed(derive(total), 3) == [2.0, 2.0]
    text = (
        "import egad\n"
        "def f(x: float) -> float:\n    return x * x\n"
        "def install():\n    @egad.custom_bwd_of(f)\n    def rule(x, d):\n"
        "        return 10.0 * d\n"
    )
    m = modules(m=text + "def g(xs: list[float]) -> float:\n    return f(xs[0]) + f(xs[1])\n")
    later = derive(m.g)
    assert summed(later, 2) == [2.0, 2.0]
    m.install()
    assert summed(later, 3) == summed(later, 2) == summed(derive(m.g), 2) == [10.0, 10.0]


def test_values_are_the_same_again_after_a_block_also_on_the_device():
    def f(x: float, v: Array[float, 2]) -> float:
        return square(x) * v[0] + egad.erf(v[1])

    plain = derive(f, "value_and_grad")
    for _ in range(2):
        with rules(loads("@derivative\ndef erf(x) -> y:\n    dy_dx = 20.0\n")):
            custom_bwd_of(square)(tenfold)
            inside = derive(f, "value_and_grad")
        assert inside(3.0, [1.0, 0.0])[1].x == 10.0
        assert inside(3.0, [1.0, 0.0])[1].v[1] == 20.0
        again = derive(f, "value_and_grad")
        assert again == plain and again.source == plain.source != inside.source
        assert again(3.0, [1.0, 0.0])[1].x == 6.0


# --- threads and tasks ----------------------------------------------------------------------


def test_threads_do_not_see_each_others_blocks():
    entered, seen = threading.Barrier(2), {}

    def work(number, rule):
        with rules():
            custom_bwd_of(square)(rule)
            entered.wait(10)
            seen[number] = slope(derive(loss))

    with rules():
        custom_bwd_of(square)(lambda x, d: 7.0 * d)
        pair = [threading.Thread(target=work, args=a) for a in ((1, tenfold), (2, hundredfold))]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
        seen[0] = slope(derive(loss))
    assert seen == {0: 21.0, 1: 30.0, 2: 300.0}


def test_tasks_do_not_see_each_others_blocks():
    async def work(rule, ready, other):
        with rules():
            custom_bwd_of(square)(rule)
            ready.set()
            await other.wait()
            return slope(derive(loss))

    async def registered(rule, ready, other):
        """A task that was started in a block registers for itself."""
        assert slope(derive(square)) == 2.0
        custom_bwd_of(square)(rule)
        ready.set()
        await other.wait()
        return slope(derive(loss))

    async def main(task):
        a, b = asyncio.Event(), asyncio.Event()
        pair = asyncio.gather(task(tenfold, a, b), task(hundredfold, b, a))
        return [*await pair, slope(derive(loss))]

    assert asyncio.run(main(work)) == [30.0, 300.0, 6.0]
    with rules():
        assert asyncio.run(main(registered)) == [30.0, 300.0, 6.0]


def test_registering_and_deriving_in_many_threads_at_once(modules):
    """Every thread has the numbers of its own rules, and the same kernel text as alone."""
    a = modules(a=LIBRARY)
    shared = rules()
    functions = vars(
        modules(many="".join(f"def f{i}(x: float) -> float:\n    return x\n" for i in range(64)))
    )

    def rule_of(number):
        def rule(x, d):
            return float(number) * d

        return rule

    def work(number):
        shared.custom_bwd_of(functions[f"f{number}"])(rule_of(number))
        with rules():
            custom_bwd_of(a.f)(rule_of(1000 + number))
            scoped = derive(a.loss)
        given = derive(functions[f"f{number}"], rules=[shared])
        return slope(scoped), slope(given), slope(derive(a.loss)), scoped.source, given.source

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(64)))
    for number, (scoped, given, plain, *_) in enumerate(found):
        assert (scoped, given, plain) == (3.0 * (1000 + number), float(number), 6.0)
    with rules():
        custom_bwd_of(a.f)(rule_of(1007))
        assert derive(a.loss).source == found[7][3]
    assert derive(functions["f7"], rules=[shared]).source == found[7][4]


def test_threads_that_register_in_one_module(modules):
    """Rules for 200 functions, from 8 threads; and the two rules for one are one error."""
    m = modules(m="from egad import custom_bwd_of\ndef install(f, rule):\n"
                "    custom_bwd_of(f)(rule)\n")  # fmt: skip
    others = modules(
        others="".join(f"def f{i}(x: float) -> float:\n    return x\n" for i in range(200))
    )
    functions = [getattr(others, f"f{i}") for i in range(200)]
    start = threading.Barrier(8)
    refused = []

    def work(part):
        start.wait(10)
        for f in functions[part::8]:
            m.install(f, tenfold)
        try:
            m.install(square, [tenfold, hundredfold][part % 2])
        except RuleError as error:
            refused.append(error)

    pool = [threading.Thread(target=work, args=(part,)) for part in range(8)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    table = registry.table_of(vars(m))
    assert len(table) == 201
    assert all(len(table.of(f)) == 1 for f in functions)
    assert len(refused) == 4  # those of the rule that came second
    del m.__egad_rules__


# --- garbage --------------------------------------------------------------------------------


def collected(*references):
    gc.collect()
    return all(reference() is None for reference in references)


def test_functions_and_their_rules_can_be_collected():
    def make():
        def local(x: float) -> float:
            return x

        @custom_bwd_of(local)
        def rule(x, d):
            return 5.0 * local(d)

        assert slope(derive(local)) == 5.0
        return weakref.ref(local), weakref.ref(rule)

    assert collected(*make())


def test_functions_of_others_can_be_collected(modules):
    a, b = modules(a=LIBRARY, b=user("a", 10.0))
    assert len(registry.table_of(vars(b))) == 1
    gone = weakref.ref(a.f)
    del a.f, b.a, a
    modules_of(b)
    assert collected(gone)
    assert len(registry.table_of(vars(b))) == 0


def modules_of(*kept):
    """Forget the modules that were imported, all but these."""
    import sys

    for name in ("a", "b"):
        if sys.modules.get(name) not in kept:
            sys.modules.pop(name, None)


def test_modules_with_rules_can_be_collected(modules):
    a, b = modules(a=LIBRARY, b=user("a", 10.0))
    assert slope(derive(b.direct)) == 10.0
    gone = weakref.ref(b), weakref.ref(b.rule), weakref.ref(b.direct)
    del b
    modules_of(a)
    assert collected(*gone)
    assert slope(derive(a.f)) == 2.0


def test_what_takes_no_attributes_and_no_references_goes_with_its_block():
    ufunc = np.frompyfunc(lambda x: x, 1, 1)

    class Token:
        pass

    token = Token()
    gone = weakref.ref(token)
    with rules():
        custom_bwd_of(ufunc)(lambda x, d, token=token: d)
        del token
        assert not collected(gone)
    assert collected(gone)


def test_values_can_be_collected():
    value = rules()
    value.custom_bwd_of(square)(tenfold)
    slope(derive(square, rules=[value]))
    with value:
        slope(derive(square))
    gone = weakref.ref(value)
    del value
    assert collected(gone)
