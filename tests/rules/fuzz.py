"""Random rule files: shipped blocks with tokens and bytes changed.

`python tests/rules/fuzz.py --seconds 600` runs for long; the tests run a short version of it.
"""

import argparse
import io
import random
import time
import tokenize
import warnings
from pathlib import Path

from egad import rules
from egad.rules.loader.canonical import format_text
from egad.terms.errors import RuleError

FOLDER = Path(rules.__file__).parent
TEXTS = [path.read_text("utf-8") for path in sorted(FOLDER.glob("*.rules"))]
BLOCKS = [f"{b}\n" for text in TEXTS for b in text.split("\n\n\n") if "def " in b]
FRESH = """
def f(x) -> y:
    y = x
    dy_dx = 1
---
@rewrite(real)
def r(a, b):
    if a > 0: a * b >> b * a
---
@fact
def q(a):
    if a > 0: a * a >= 0
---
def g(v: vec3, m: mat3) -> w:
    w = matmul(m, v)
    dw = matmul(m, dv)
---
@op(cost=3)
def k(x, n: int) -> y:
    numpy = "x * n"
    opencl = "({x} * {n})"
    domain = x > 0
    dy_dx = n
---
@opencl
def sin(x):
    f32 = "native_sin({x})"
---
@primal
def p(x): exp(log(x)) >> x
---
@derivative(unchecked="why")
def sqrt(x) -> y:
    dy_dx = 1
---
def h(x) -> (s, c):
    s, c = sincos(x)
---
def h(x) -> (s, c):
    s = sin(x)
    c = cos(x)
    ds_dx = c
    dc_dx = -s
""".strip().split("\n---\n")
_STRANGE = r"""
é ѕ 1e999 10**9 -0.0 0x10 1j b'a' u'' '' None True not ... yield
await *x **x := @ -> // << >> & ~ is in [ ] ( ) { } : ; lambda if else include('a.rules')
rules_version=2 vec3 mat int bool any number bound i64 opencl='{x};}' numpy='x.__class__'
numpy='save(x)' mpmath='eval(x)' '{x.__class__}' '{0!r}' sum rows const exists (a,b) [a,b]
__import__('os') unchecked='x' cost=1e-300 rounds=2 below=1 on=False group='a' directed=1 exact dy
x_bar y_bar dx
"""
STRANGE = [*_STRANGE.split(), "\0", "\x1a", "\f", "\u200b", "\u2028", "\ud800", "\\"]


def tokens_of(text):
    try:
        return list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []


SEEN = sorted({(t.type, t.string) for text in TEXTS for t in tokens_of(text) if len(t.string) < 30})
WORDS = [word for _, word in SEEN if word.strip()]
ALIKE = {kind: [word for other, word in SEEN if other == kind] for kind, _ in SEEN}


def mutant(chance):
    """A rule file that may be one, or nearly."""
    if chance.random() < 0.1:
        spaces = ["", " ", " ", "\n", "\n    "]
        words = (chance.choice([*WORDS, *STRANGE]) for _ in range(chance.randrange(40)))
        return "".join(word + chance.choice(spaces) for word in words)
    text = "\n\n".join(
        chance.choice(chance.choice([FRESH, FRESH, BLOCKS])) for _ in range(chance.randint(1, 3))
    )
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5])):
        change = chance.choice([_by_token, _by_token, _by_token, _by_letters, _by_span])
        text = change(text, chance)
    return text


def _by_token(text, chance):
    """A token replaced, left out, doubled or repeated."""
    lines = text.split("\n")
    tokens = [t for t in tokens_of(text) if t.start[0] == t.end[0] <= len(lines) and t.string]
    if not tokens:
        return text
    token = chance.choice(tokens)
    alike = [t.string for t in tokens if t.type == token.type]
    word = chance.choice(
        chance.choice([alike, alike, alike, ALIKE.get(token.type, WORDS), WORDS, STRANGE])
    )
    many = token.string * chance.choice([2, 50, 3000]) if chance.random() < 0.05 else word
    new = chance.choice([word, word, word, many, "", f"{token.string} {word}"])
    row, line = token.start[0] - 1, lines[token.start[0] - 1]
    lines[row] = line[: token.start[1]] + new + line[token.end[1] :]
    return "\n".join(lines)


def _by_letters(text, chance):
    at = chance.randrange(len(text) + 1)
    letter = chr(chance.choice([chance.randrange(32), chance.randrange(32, 127), 0x300]))
    return text[:at] + chance.choice([letter, *STRANGE[:12]]) + text[at + chance.randrange(4) :]


def _by_span(text, chance):
    low, high = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    return chance.choice([text[:low] + text[high:], text[:high] + text[low:]])


def attempt(text):
    """Load and format a text: (loaded, formatted); anything but a RuleError comes out."""
    loaded = formatted = False
    try:
        rules.loads(text, "fuzz.rules")
        loaded = True
    except RuleError as error:
        assert error.at is not None and str(error)
    try:
        once = format_text(text, "fuzz.rules")
        assert format_text(once, "fuzz.rules") == once
        formatted = True
    except RuleError as error:
        assert str(error)
    return loaded, formatted


def run(seed, seconds):
    """Mutants for so long: how many there were, were loaded and formatted."""
    chance, end = random.Random(seed), time.monotonic() + seconds
    counts = [0, 0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's own, about numbers such as 1if
        while time.monotonic() < end:
            text = mutant(chance)
            try:
                results = attempt(text)
            except BaseException:
                print(f"seed {seed}: {text!r}")
                raise
            counts = [c + r for c, r in zip(counts, (True, *results), strict=True)]
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Load and format random rule files.")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tried, loaded, formatted = run(options.seed, options.seconds)
    print(f"{tried} texts: {loaded} loaded, {formatted} formatted, only RuleError came out")
