"""Whatever is in a rule file, only RuleError comes out of loading and formatting it."""

import random
import warnings

import fuzz
import pytest

from egad import rules
from egad.rules.loader.spelling import check_meaning, check_spelling
from egad.terms.errors import RuleError


def test_only_rule_errors_come_out_of_mutants():
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(8):
            chance = random.Random(seed)
            results += [fuzz.attempt(fuzz.mutant(chance)) for _ in range(120)]
    loaded, formatted = (sum(column) for column in zip(*results, strict=True))
    assert 8 < loaded < 800 and 80 < formatted < 800  # neither all nonsense nor all right


SPELLINGS = """
sin({x}); while(1);
sin({x})) + (1
}} __kernel void x(){{
{x}
{{x}}
sin({{x}})
sin({x.__class__})
sin({x!r})
sin({x:>99})
sin({0})
sin({})
sin({x}) // c
sin({x}) /* c */
/* */ sin({x})
sin(/**/{x})
#define sin
sin({x})\\
sin("a")
sin('a')
sin({x}, {x})
sin(sin({x}))
sin({x} + 1)
(1, {x})
({x} = 1)
({x} += 1)
({x}++ + 1)
(*{x} + 1)
(&{x} + 1)
({x}[0] + 1)
({x} , {x})
(int){x}
asm({x})
printf({x})
barrier({x})
get_global_id({x})
goto({x})
ѕin({x})
sin（{x}）
sin({х})
sin({x}\u200b)
sin ({x})
SIN({x})
(0x{x} + 1)
({x} + 1e)
({x} + 1.0lf)
({x} ? {x} : while)
""".strip().split("\n")


@pytest.mark.parametrize(
    "spelling", [*SPELLINGS, "sin({x})\n", "\nsin({x})", "sin({x}\0)", "", " "]
)
def test_hostile_spellings_are_refused(spelling):
    assert check_spelling(spelling, ["x"])
    text = f"@opencl\ndef sin(x):\n    f32 = {spelling!r}\n"
    with pytest.raises(RuleError):
        rules.loads(text)


@pytest.mark.parametrize(
    "meaning",
    [
        "x.__class__", "x[0]", "(lambda: x)()", "[x]", "f'{x}'", "'a'", "x if x else x", "x := 1",
        "save(x)", "fromfile(x)", "load(x)", "add(x, x, x)", "sin(x, x)", "sin(x, out=x)",
        "clip(x, 0, 1, x)", "matmul(x, x)", "divmod(x, x)", "sin(*x)", "f2py(x)", "testing(x)",
        "special.erf.__call__(x)", "os.system(x)", "x + 1" + "0" * 400, "x @ x", "x << 9", "ѕin(x)",
    ],
)  # fmt: skip
def test_hostile_meanings_are_refused(meaning):
    assert check_meaning(meaning, ["x"], "NumPy")


@pytest.mark.parametrize("name", ["plot", "quad", "findroot", "eval", "mpf", "runtests", "primepi"])
def test_meanings_use_no_other_part_of_mpmath(name):
    assert check_meaning(f"{name}(x)", ["x"], "mpmath")


def test_limits_of_blocks():
    parts = {
        "101 parameters": f"def f({', '.join(f'x{i}' for i in range(101))}) -> y: y = x0",
        "17 results": f"def f(x) -> ({', '.join(f'y{i}' for i in range(17))}): y0 = x",
        "501 lines": "def f(x) -> y:\n" + "    y = x\n" * 501,
        "101 conditions": "@rewrite\ndef r(x):\n    if x > 0" + " and x > 0" * 100 + ": -(-x) >> x",
        "5001 rules": f"@fact\ndef r(x):\n    {' and '.join(['x * x >= 0'] * 5001)}",
    }
    for message, text in parts.items():
        with pytest.raises(RuleError, match=message):
            rules.loads(text)
