"""`egad fmt`: the canonical form says the same, and formatting it again changes nothing."""

import io
import random
import re
import tokenize
from dataclasses import replace
from pathlib import Path

import pytest

from egad import rules
from egad.__main__ import main
from egad.rules.loader.canonical import format_text
from egad.terms.rule import RuleSet

FOLDER = Path(rules.__file__).parent
SHIPPED = {name: (FOLDER / f"{name}.rules").read_text("utf-8") for name in rules.shipped()}

MESSY = r"""'''Doc'''
rules_version=1
# about

include('a.rules')
# attached
@op( cost = 3,unchecked='why')
def thrice( x:real,y )->z :
    # first
    '''Doc
    more.'''
    z: bool; numpy='x*3'   #why
    f16=f32=f64="fabs({x})"
    i32 = 'x"y'
    # between
    range=z>=0


    dz_dx=3*x+( -y if x<0 and not(y>0)else -1 )**-2.5 ; dz_d = (1 +
       # inner
       2)*-x
    y_bar=1/2*x**2/3/x
      # deeper comment
# zero comment
    dz = (x
       *
       y)
    t=[ v[0],v . x ];q= [ r for r in rows(m)]
    s = (1/2 + x * (1/3 + x * (1/8 + x * (1/30 + x * (1/144 + x * (1/840
 + x * (1/5760 + x * (1/45360 + x * (1/403200 + x / 3991680)))))))))
    w = call(
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
      ccccccccccccccccccccccccccccccccccc
       )
@nondiff
def argmin(x): ...
@rewrite( real )
def r(a,b,c:bool):
    if a>0 : a*b>>b*a;sin(a)>>a # both
    if not(c): (a if c else b)>>b#one

    if const(c)and a!=0:

        # in if
        1/2*a>>a/2

        # end of if
    # end of def
# end of file
#!x
"""


def test_messy_text(golden):
    formatted = format_text(MESSY, "demo.rules")
    golden("format/messy.rules", formatted)
    assert format_text(formatted, "demo.rules") == formatted


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files_are_canonical(name):
    assert format_text(SHIPPED[name], f"{name}.rules") == SHIPPED[name]


BODIES = {
    name: text.partition("rules_version = 1\n")[2]
    for name, text in SHIPPED.items()
    if name != "slang"
}


def crumpled(text, chance):
    """The same tokens with other spaces, quotes, breaks and comments."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    parts, depth, indents = [], 0, [""]
    for token, after in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        kind, word = token.type, token.string
        if kind in (tokenize.INDENT, tokenize.DEDENT):
            deeper = [*indents, indents[-1] + " " * chance.randint(1, 7)]
            indents = deeper if word else indents[:-1]
        elif kind in (tokenize.NEWLINE, tokenize.NL):
            parts.append("\n" + "\n" * chance.choice([0, 0, 1, 3]))
        elif word:
            if parts and parts[-1].startswith("\n") and not depth:
                parts.append(indents[-1])
            if kind == tokenize.OP:
                depth += (word in ("(", "[")) - (word in (")", "]"))
            if kind == tokenize.STRING and not word.startswith('"""') and "'" not in word:
                word = chance.choice([word, f"'{word[1:-1]}'"])
            tight = "" if tokenize.OP in (kind, after.type) else " "
            wide = "\n" if depth and chance.random() < 0.1 else "   "
            parts += [word, chance.choice([tight, " ", wide])]
    return "".join(parts)


def test_crumpling_changes_the_text():
    text = crumpled(BODIES["trig"], random.Random(1))
    assert text.split() != BODIES["trig"].split() and "\n\n\n\n" in text


def ungrouped(loaded):
    """The rewrites; a group is by default the file, which is another one here."""
    return [replace(rule, group="") for rule in loaded.rewrites]


@pytest.mark.parametrize("seed", range(24))
def test_another_layout_has_the_same_rules(seed):
    name = sorted(BODIES)[seed % len(BODIES)]
    formatted = format_text(crumpled(BODIES[name], random.Random(seed)), "demo.rules")
    assert format_text(formatted, "demo.rules") == formatted
    bodies = [formatted if name == other else body for other, body in BODIES.items()]
    again, loaded = rules.loads("\n".join(bodies), base=RuleSet({})), rules.load()
    assert again.operators == loaded.operators
    assert again.facts == loaded.facts and ungrouped(again) == ungrouped(loaded)
    assert re.sub(r"\s", "", formatted) == re.sub(r"\s", "", BODIES[name])


# ---- The command -------------------------------------------------------------------------


def run(capsys, *argv):
    code = main([str(a) for a in argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_prints_checks_and_writes(tmp_path, capsys):
    messy, neat = tmp_path / "messy.rules", tmp_path / "neat.rules"
    messy.write_bytes("\ufeff@op( cost=3 )\r\ndef f(x)->y: y=3*x\r\n".encode())
    want = "@op(cost=3)\ndef f(x) -> y:\n    y = 3 * x\n"
    neat.write_text(want)
    assert run(capsys, "fmt", messy, neat) == (0, want + want, "")
    assert run(capsys, "fmt", "--check", messy, neat) == (1, f"would change {messy}\n", "")
    assert run(capsys, "fmt", "--check", neat) == (0, "", "")
    assert run(capsys, "fmt", "--write", messy, neat) == (0, f"formatted {messy}\n", "")
    assert messy.read_bytes() == want.encode()
    assert run(capsys, "fmt", "--check", messy) == (0, "", "")


def test_the_command_reads_standard_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"def f(x)->y: y=x")))
    assert run(capsys, "fmt", "-") == (0, "def f(x) -> y:\n    y = x\n", "")
    monkeypatch.setattr("sys.stdin", None)  # as Python has it where it was closed
    message = "RuleError: there is no standard input to read\n"
    assert run(capsys, "fmt", "-") == (1, "", message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x) -> y:\n    y = (x\n", "2:9: this is not Python syntax: '(' was never closed"),
        ("import os\n", "1:1: an import cannot stand here"),
        ("def f(x) -> y:\n    y = f'{x}'\n", "2:9: an f-string is not allowed in a rule file"),
        ("def f(x) -> y:\n    y = ѕin(x)\n", "2:9: the letter 'ѕ' (U+0455) is not ASCII"),
        (
            "def f(x) -> y:\n    y = x\n\\\n    z = 3\n",
            "3:1: egad fmt does not join lines",
        ),
    ],
)
def test_texts_that_are_no_rule_files(text, message, tmp_path, capsys):
    path = tmp_path / "bad.rules"
    path.write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "fmt", "--write", path)
    assert code == 1 and not out and message in err
    assert path.read_text(encoding="utf-8") == text


def test_files_that_are_not_there(tmp_path, capsys):
    code, _, err = run(capsys, "fmt", tmp_path / "absent.rules")
    assert code == 1 and "the rule file does not exist" in err
