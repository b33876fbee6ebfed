"""Integer programs give the numbers of plain Python: reference, extracted program, kernel."""

import linecache

import integer_programs as programs
import numpy as np
import pytest

import egad
from egad.codegen.reference import evaluate

SEEDS = range(24)


def function_of(text, name, **others):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"Colour": programs.Colour, **others}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed):
    text = programs.Writer(seed).function()
    f = function_of(text, f"<integers {seed}>")
    plain = function_of(text, "<plain>", int=programs.counted_int)
    kept = [(s, w) for s in programs.samples(seed, 400) if (w := programs.judged(plain, s))]
    assert len(kept) >= 3, text
    d = egad.derive(f, "primal", dtype="float64")
    columns = [list(column) for column in zip(*(s for s, _ in kept), strict=True)]
    columns[4] = [member.value for member in columns[4]]
    flat = {p.name: np.array(c) for p, c in zip(d.program.params, columns, strict=True)}
    ways = {
        "read": evaluate(d.derivative, d.rules, flat),
        "extracted": evaluate(d.program, d.rules, flat),
        "kernel": list(d(*columns)),
    }
    wanted = np.array([w for _, w in kept], dtype=float).T
    for way, results in ways.items():
        for place, (got, want) in enumerate(zip(results, wanted, strict=True)):
            got = np.broadcast_to(np.asarray(got, dtype=float), want.shape)
            wrong = np.flatnonzero(got != want)
            where = kept[wrong[0]][0] if len(wrong) else None
            numbers = f"{got[wrong[:1]]}, Python {want[wrong[:1]]}"
            assert not len(wrong), f"{way}, result {place} at {where}: {numbers}\n{text}"
