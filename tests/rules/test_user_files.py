"""Rule files as users write them: what they say holds, and only that."""

import cmath  # noqa: F401  (aliases name functions of modules that are loaded)

import numpy as np
import pytest

import egad
from egad import derive, rules, uint
from egad.rules import loads
from egad.terms.errors import DeriveError, RuleError, TraceError

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
    with pytest.raises(RuleError, match=r"has no 'phaze'; did you mean 'phase'\?") as caught:
        derive(root, rules=[loads(text.format("cmath.phaze"), "mine.rules")])
    assert (caught.value.at.file, caught.value.at.line) == ("mine.rules", 1)
    for other in ("not_loaded.phaze", "cmath.phaze, cmath.phase"):
        derive(root, rules=[loads(text.format(other))])


WIDE = "def wide(x, n: int) -> y:\n    y = x * {}\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(n + 3000000000)", lambda n: n + 3_000_000_000),
        ("(n - 2147483649)", lambda n: n - 2_147_483_649),
        ("(n * 1e10)", lambda n: n * 10_000_000_000),
        ("(n + 2147483647 if n < 0 else n)", lambda n: n + 2_147_483_647 if n < 0 else n),
        ("(1 if n < 4294967296 else 2)", lambda n: 1),
        ("max(n, 3000000000)", lambda n: max(n, 3_000_000_000)),
    ],
)
def test_numbers_beyond_32_bits_are_no_integers(text, wanted):
    """Beside an int they were converted to one, which no device defines."""

    def scaled(x: float, n: int) -> float:
        return wide(x, n)  # noqa: F821

    derived = derive(scaled, rules=[loads(WIDE.format(text))], dtype="float64")
    for n in (2, -7):
        assert derived(1.5, n, 1.0).x == derived.reference(1.5, n, 1.0).x == wanted(n)


STEPS = "@nondiff\ndef steps({0}) -> y:\n    y = {1}\n"


@pytest.mark.parametrize(("kind", "body"), [("x", "x * x"), ("x: vec2", "dot(x, x)")])
@pytest.mark.parametrize("mode", ["bwd", "fwd", "jacobian"])
def test_a_definition_gives_no_derivative_where_there_is_none(kind, body, mode):
    """`@nondiff` above a definition was passed over, and the definition differentiated."""

    def whole(x: float) -> float:
        return x * steps(x if kind == "x" else egad.float2(x, 0.0))  # noqa: F821

    def behind(x: float) -> float:
        return x * egad.no_diff(steps(x if kind == "x" else egad.float2(x, 0.0)))  # noqa: F821

    given = [loads(STEPS.format(kind, body))]
    with pytest.raises(DeriveError, match="'steps' has no derivative, and the result depends"):
        derive(whole, mode, rules=given)
    assert derive(whole, "primal", rules=given)(3.0) == 27.0
    assert derive(behind, rules=given)(3.0, 1.0).x == 9.0
