"""Rules for functions of others: whose rule counts, in which order, and what two of them are."""

import functools
import importlib
import linecache

import pytest
from registering import LIBRARY, modules, slope, user

import egad
from egad import (
    DeriveError,
    RuleError,
    custom_bwd,
    custom_bwd_of,
    custom_fwd_of,
    derive,
    diff_pair,
    rules,
    treat_as_differentiable,
)
from egad.rules import loads

assert modules  # a fixture


def times(number):
    """A backward rule: the cotangent times a number."""

    def rule(x, d):
        return number * d

    rule.__qualname__ = f"times_{number}"
    return rule


# --- through modules ------------------------------------------------------------------------


def test_a_rule_counts_for_everyone_who_derives_through_its_module(modules):
    a, b, c = modules(a=LIBRARY, b=user("a", 10.0), c="import b\ndef h(x: float) -> float:\n"
                      "    return b.direct(x) + 100.0 * b.deep(x)\n")  # fmt: skip
    assert slope(derive(b.direct)) == 10.0
    assert slope(derive(b.deep)) == 30.0  # also where the library calls its own function
    assert slope(derive(c.h)) == 10.0 + 3000.0
    assert slope(derive(lambda x: c.h(x) + a.f(x))) == 10.0 + 3000.0 + 2.0
    assert slope(b.grad(a.f)) == slope(b.grad(a.loss)) / 3 == 10.0  # derive() is called in b


def test_it_does_not_count_for_others(modules):
    a, _, d = modules(a=LIBRARY, b=user("a", 10.0), d=user("a", 0.0).replace("@custom", "# @"))
    assert slope(derive(a.f)) == slope(derive(d.direct)) == slope(d.grad(a.f)) == 2.0


def test_a_module_overrides_a_rule_for_itself(modules):
    a, b, c = modules(
        a=LIBRARY,
        b=user("a", 10.0),
        c=user("a", 100.0) + "import b\ndef h(x: float) -> float:\n    return b.direct(x)\n",
    )
    assert slope(derive(c.direct)) == 100.0
    assert slope(derive(c.h)) == 100.0  # and for what it calls
    assert slope(c.grad(b.direct)) == 100.0  # and for what it derives
    assert slope(derive(b.direct)) == 10.0
    assert slope(derive(a.f)) == 2.0


def test_the_module_that_defines_a_function_comes_last(modules):
    own = LIBRARY + ("import egad\n@egad.custom_bwd_of(f)\ndef own(x, d):\n    return 5.0 * d\n")
    a, b, c = modules(
        a=own,
        b=user("a", 10.0),
        c="import a, b\ndef main(x: float) -> float:\n    return a.f(x) + 7.0 * b.direct(x)\n",
    )
    assert slope(derive(a.f)) == 5.0
    assert slope(derive(b.direct)) == 10.0
    assert slope(derive(c.main)) == 5.0 + 70.0


def test_a_rule_counts_forwards_and_backwards_each_on_its_own(modules):
    a, b = modules(
        a=LIBRARY + "import egad\n@egad.custom_fwd_of(f)\ndef fwd(x):\n"
        "    return egad.diff_pair(x.p * x.p, 5.0 * x.d)\n",
        b=user("a", 10.0),
    )
    assert slope(derive(b.direct)) == 10.0
    assert derive(b.direct, "fwd").reference(diff_pair(3.0, 1.0)) == diff_pair(9.0, 5.0)
    assert slope(derive(a.f)) == 5.0


# --- the order ------------------------------------------------------------------------------


def test_the_order_of_all_levels(modules):
    """Each level counts when those above it are gone."""
    a, b, c, d = modules(
        a=LIBRARY + "import egad\n@egad.custom_bwd_of(f)\ndef own(x, d):\n    return 1.0 * d\n",
        b=user("a", 3.0),
        c=user("a", 4.0) + "import b\ndef h(x: float) -> float:\n    return b.direct(x)\n",
        d=user("a", 5.0),
    )
    given, inner, outer = rules(), rules(), rules()
    for value, number in ((given, 8.0), (inner, 7.0), (outer, 6.0)):
        value.custom_bwd_of(a.f)(times(number))
    found = []
    with outer:
        with inner:
            found += [slope(derive(c.h, rules=[given])), slope(d.grad(c.h))]
        found.append(slope(d.grad(c.h)))
    found += [slope(d.grad(c.h)), slope(derive(c.h)), slope(derive(b.direct)), slope(derive(a.f))]
    assert found == [8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 1.0]


def test_shipped_rules_come_last_of_all():
    def f(x: float) -> float:
        return egad.tanh(x)

    assert slope(derive(f), 0.0) == 1.0
    with rules():
        custom_bwd_of(egad.tanh)(times(3.0))
        assert slope(derive(f), 0.0) == 3.0
    assert slope(derive(f), 0.0) == 1.0


ALIAS = """
def meant(x) -> y:
    aliases = "{}"
    y = x * x
    dy_dx = {} * x
"""


def test_rule_files_and_registrations_have_one_order(modules):
    """A file of a higher level hides registrations below it, and the other way round."""
    a, b = modules(a=LIBRARY, b=user("a", 10.0))
    file = loads(ALIAS.format("a.f", 50.0))
    assert slope(derive(b.direct, rules=[file])) == 50.0
    with rules(file):
        assert slope(derive(b.direct)) == 50.0
        with rules():
            custom_bwd_of(a.f)(times(7.0))
            assert slope(derive(b.direct)) == 7.0
        value = rules()
        value.custom_bwd_of(a.f)(times(8.0))
        assert slope(derive(b.direct, rules=[value])) == 8.0
    assert slope(derive(b.direct)) == 10.0


def test_a_changed_derivative_in_a_file_is_a_rule_of_its_level():
    file = loads("@derivative\ndef erf(x) -> y:\n    dy_dx = 20.0\n")
    with rules():
        custom_bwd_of(egad.erf)(times(3.0))

        def f(x: float) -> float:
            return egad.erf(x)

        assert slope(derive(f)) == 3.0
        assert slope(derive(f, rules=[file])) == 20.0
        spelled = loads('@opencl\ndef erf(x):\n    f32 = "erf({x})"\n')
        assert slope(derive(f, rules=[spelled])) == 3.0  # a spelling says nothing of derivatives


def test_files_of_blocks_lie_on_top_of_each_other():
    outer = loads("@derivative\ndef erf(x) -> y:\n    dy_dx = 20.0\n")
    inner = loads("@derivative\ndef erfc(x) -> y:\n    dy_dx = 30.0\n")

    def f(x: float) -> float:
        return egad.erf(x) + 100.0 * egad.erfc(x)

    with rules(outer), rules(inner):
        assert slope(derive(f)) == 20.0 + 3000.0
    assert slope(derive(f, rules=[outer, inner])) == 3020.0


def test_a_definition_in_a_file_and_a_registered_derivative_make_one_function(modules):
    a = modules(a=LIBRARY)
    value = rules(loads('def meant(x) -> y:\n    aliases = "a.f"\n    y = 3.0 * x\n'))
    value.custom_bwd_of(a.f)(times(9.0))
    found = derive(a.loss, "value_and_grad", rules=[value])
    assert found.reference(1.0) == (9.0, (27.0,))


def test_a_level_hides_what_would_undo_it(modules):
    """A derivative hides a substitute below it; a statement hides rules below it."""
    a = modules(
        a=LIBRARY + "import egad\n@egad.primal_substitute_of(f)\ndef soft(x):\n    return 7.0 * x\n"
    )
    assert slope(derive(a.f)) == 7.0
    with rules():
        custom_bwd_of(a.f)(times(10.0))
        assert derive(a.f, "value_and_grad").reference(3.0) == (9.0, (10.0,))
        with rules():
            treat_as_differentiable(a.f)
            assert derive(a.loss, "value_and_grad").reference(3.0) == (27.0, (0.0,))
        with rules() as stopped:
            stopped.non_differentiable(a.f)
            with pytest.raises(DeriveError, match="'f' is not differentiable"):
                derive(a.loss)


def test_rules_inside_of_rules(modules):
    """What a rule calls is looked up from the rule's module, too."""
    a, b = modules(
        a=LIBRARY + "def g(x: float) -> float:\n    return x\n",
        b="import a\nfrom egad import bwd_diff, custom_bwd_of\n"
        "@custom_bwd_of(a.f)\ndef f_bwd(x, d):\n    return 10.0 * d\n"
        "@custom_bwd_of(a.g)\ndef g_bwd(x, d):\n    return bwd_diff(a.f)(x, d)[0]\n"
        "def h(x: float) -> float:\n    return a.g(x)\n",
    )
    assert slope(derive(b.h)) == 10.0
    assert slope(derive(a.g)) == 1.0


# --- two rules ------------------------------------------------------------------------------


def test_two_rules_of_one_level_name_both_places(modules, tmp_path, golden):
    text = "def one(x, d):\n    return d\n\n\ndef two(x, d):\n    return d\n"
    a, r = modules(a=LIBRARY, r=text)
    texts = []

    def refused(what, act):
        with pytest.raises(RuleError) as caught:
            act()
        texts.append(f"{what}\n{caught.value}")

    double = user("a", 10.0) + "\n\n@custom_bwd_of(a.f)\ndef second(x, d):\n    return d\n"
    refused("two of a module", lambda: modules(b=double))
    value, other = rules(), rules()
    value.custom_bwd_of(a.f)(r.one)
    other.custom_bwd_of(a.f)(r.two)
    refused("two of a value", lambda: value.custom_bwd_of(a.f)(r.two))
    with rules():
        custom_bwd_of(a.f)(r.one)
        refused("two of a block", lambda: custom_bwd_of(a.f)(r.two))
    with value:
        refused("a block, and its value", lambda: custom_bwd_of(a.f)(r.two))
    refused("two values given to derive", lambda: derive(a.loss, rules=[value, other]))
    refused("two values in one", lambda: derive(a.loss, rules=[rules(value, other)]))
    first, second = (loads(ALIAS.format("a.f", n), f"{n}.rules") for n in (1, 2))
    refused("two rule sets given to derive", lambda: derive(a.loss, rules=[first, second]))
    refused("two rule sets in a value", lambda: rules(first, second))
    mixed = rules(first)
    mixed.custom_bwd_of(a.f)(r.two)
    refused("a file and a registration", lambda: derive(a.loss, rules=[mixed]))
    golden("registered/two_rules.txt", "\n\n".join(texts).replace(f"{tmp_path}/", "") + "\n")


def test_the_same_rule_twice_is_one_rule(modules):
    a = modules(a=LIBRARY)
    value, rule = rules(), times(4.0)
    for _ in range(2):
        value.custom_bwd_of(a.f)(rule)
    assert slope(derive(a.f, rules=[value, value, rules(value)])) == 4.0


def test_a_module_that_is_edited_and_reloaded_replaces_its_rules(modules, tmp_path):
    (b,) = [modules(a=LIBRARY, b=user("a", 10.0))[1]]
    assert slope(derive(b.direct)) == 10.0
    (tmp_path / "b.py").write_text("# one line more\n" * 3 + user("a", 1234.0))
    linecache.checkcache()
    importlib.invalidate_caches()
    importlib.reload(b)
    assert slope(derive(b.direct)) == 1234.0


def test_two_lambdas_of_one_line_are_two_rules(modules):
    a = modules(a=LIBRARY)
    with rules(), pytest.raises(RuleError, match="already has a backward derivative"):
        [custom_bwd_of(a.f)(r) for r in (lambda x, d: d, lambda x, d: 2 * d)]


# --- what a rule may be attached to ---------------------------------------------------------


def test_methods_cached_functions_and_wrappers(modules):
    class Holder:
        def method(self, x):
            return x

        @staticmethod
        def static(x: float) -> float:
            return x

    @functools.cache
    def cached(x: float) -> float:
        return x

    @functools.wraps(Holder.static)
    def wrapper(x: float) -> float:
        return Holder.static(x)

    with rules():
        custom_bwd_of(Holder.static)(times(3.0))
        custom_bwd_of(cached)(times(5.0))
        assert slope(derive(lambda x: Holder.static(x))) == 3.0
        assert slope(derive(lambda x: cached(x))) == 5.0
    custom_bwd(times(4.0))(Holder.static)
    assert slope(derive(lambda x: wrapper(x))) == 4.0  # once, not twice
    with pytest.raises(RuleError, match="a partial of static has no rules of its own"):
        custom_bwd_of(functools.partial(Holder.static, 1.0))(times(1.0))


def test_classes_are_marked_where_they_are_defined(modules):
    a = modules(a="import egad\n@egad.struct\nclass Ray:\n    x: float\n")
    with pytest.raises(RuleError, match="Ray is marked outside of its module a"):
        egad.non_differentiable(a.Ray)
    with pytest.raises(RuleError, match="Ray is a class"):
        rules().non_differentiable(a.Ray)


def test_words_that_are_not_imported_are_the_words_that_have_rules():
    with rules():
        custom_fwd_of(egad.sinh)(lambda x: diff_pair(x.p, 5.0 * x.d))
        assert slope(derive(lambda x: sinh(x))) == 5.0  # noqa: F821


def test_a_substitute_of_another_module(modules):
    a, b = modules(
        a=LIBRARY,
        b="import a\nfrom egad import primal_substitute_of\n"
        "@primal_substitute_of(a.f)\ndef soft(x):\n    return 7.0 * x\n"
        "def h(x: float) -> float:\n    return a.f(x)\n",
    )
    assert derive(b.h, "value_and_grad").reference(3.0) == (21.0, (7.0,))
    assert derive(b.h, "primal").reference(3.0) == 9.0
    assert derive(a.f, "value_and_grad").reference(3.0) == (9.0, (6.0,))


@pytest.mark.parametrize("word", ["custom_fwd_of", "custom_bwd_of", "primal_substitute_of"])
@pytest.mark.parametrize("where", ["a module", "a value"])
def test_a_rule_is_of_a_function_and_of_no_class(word, where):
    class Own:
        pass

    mark = getattr(egad if where == "a module" else egad.rules(), word)
    what = "substitute" if word.startswith("primal") else "derivative"
    for found in (int, Own):
        message = f"^.*{found.__name__} is a class: no {what} can be attached to it"
        with pytest.raises(RuleError, match=message) as caught:
            mark(found)(lambda x, d: d)
        assert "attach it to a function" in caught.value.hint
    with pytest.raises(RuleError, match="3 is not a function"):
        mark(3)(lambda x, d: d)
