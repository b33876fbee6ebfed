"""Rule files as users write them: what they say holds, and only that."""

import statistics  # noqa: F401  (aliases name functions of modules that are loaded)

import numpy as np
import pytest

from egad import derive, rules, uint
from egad.rules import loads
from egad.terms.errors import RuleError, TraceError

SEVEN = "@derivative(unchecked='mine')\ndef abs(x) -> y:\n    dy_dx = 7\n"
HALF = "def half_of(n: int) -> y:\n    y = n / 2\n"


def larger(x: float) -> float:
    return max(x, -x)


def root(x: float) -> float:
    return np.sqrt(x * x)


def product(x: float) -> float:
    return abs(x) * abs(2.0 * x)


@pytest.mark.parametrize(("f", "slope"), [(larger, 1.0), (root, 1.0), (product, 7 * 2 + 2 * 7)])
def test_what_somebody_says_of_abs_is_not_brought_in(f, slope):
    """Shipped substitutes write abs for the first two: they do not name it."""
    derived = derive(f, rules=[loads(SEVEN)], dtype="float64")
    assert derived(1.0, 1.0).x == slope


def called(x: float) -> float:
    return pow(x, 2.0) + 0.0 * np.power(x, 3)


def written(x: float) -> float:
    return x**2


@pytest.mark.parametrize(("f", "slopes"), [(called, (-4.0, 0.0)), (written, (-4.0, -4.0))])
def test_what_somebody_says_of_powers_holds_for_whole_exponents(f, slopes):
    """Slang's slope of a power of a negative number is 0; `x**2` is a product."""
    plain, slang = (derive(f, rules=rules, dtype="float64") for rules in ([], ["slang"]))
    assert (plain(-2.0, 1.0).x, slang(-2.0, 1.0).x) == slopes
    assert plain(2.0, 1.0) == slang(2.0, 1.0) == (4.0,)


def large(n: uint) -> float:
    return half_of(n)  # noqa: F821


def small(n: uint) -> float:
    return half_of(n & 1023) + half_of(np.int32(n)) + half_of(7)  # noqa: F821


def test_no_sign_appears_where_an_integer_has_none():
    """4e9 is -294967296 in the bits of a parameter that is an `int`."""
    with pytest.raises(TraceError, match="needs an integer with a sign for 'n', not uint"):
        derive(large, "primal", rules=[loads(HALF)])
    derived = derive(small, "primal", rules=[loads(HALF)], dtype="float64")
    for n in (7, 4_000_000_000):
        assert derived(n) == ((n & 1023) + (n - 2**32 * (n >= 2**31)) + 7) / 2


@pytest.mark.parametrize("given", [HALF, [HALF]])
def test_a_text_is_no_path(given):
    with pytest.raises(RuleError, match="this is the text of a rule file") as caught:
        derive(large, rules=given)
    assert "egad.rules.loads(text)" in caught.value.hint


def test_what_is_no_plain_file(tmp_path):
    with pytest.raises(RuleError, match="is no plain file"):
        rules.load(["/dev/null"])
    with pytest.raises(RuleError, match="is a directory"):
        rules.load([tmp_path])


@pytest.mark.parametrize("name", ["double", "float3", "uint", "len", "copy", "divmod", "bool"])
def test_what_programs_mean_by_a_name_is_taken(name):
    with pytest.raises(RuleError, match=f"the name '{name}' is taken by egad"):
        loads(f"def {name}(x) -> y:\n    y = 2 * x\n")
    rewrites = loads(f"@rewrite(real)\ndef {name}(x):\n    x * 0.25 >> x / 4\n").rewrites
    assert rewrites[-1].name.endswith(name)


def test_an_alias_with_a_typo_is_no_silence():
    text = 'def moved(x) -> y:\n    aliases = "{}"\n    y = 7 * x\n'
    with pytest.raises(RuleError, match=r"has no 'fmeen'; did you mean 'fmean'\?") as caught:
        derive(root, rules=[loads(text.format("statistics.fmeen"), "mine.rules")])
    assert (caught.value.at.file, caught.value.at.line) == ("mine.rules", 1)
    for other in ("not_loaded.fmeen", "statistics.fmeen, statistics.fmean"):
        derive(root, rules=[loads(text.format(other))])
