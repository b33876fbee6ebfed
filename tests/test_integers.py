"""Integer programs give the numbers of plain Python: reference, extracted program, kernel."""

import linecache
import math

import integer_programs as programs
import numpy as np
import pytest

import egad
from egad.codegen.host.reference import evaluate

SEEDS = range(24)


def function_of(text, name, **others):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"Colour": programs.Colour, **others}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@pytest.mark.filterwarnings("ignore::egad.EgadWarning")  # cases that never fit
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


def wrap(number):
    """The low 32 bits of a number, as two's complement."""
    return (number + 2**31) % 2**32 - 2**31


def overflowing(i: int, j: int):
    return i * 1103515245 + 12345, i + j, i - j, i * j, i << 7, i << j, i >> 40, -i


def test_results_beyond_32_bits_wrap_around():
    rng = np.random.default_rng(7)
    i, j = rng.integers(-(2**31), 2**31, (2, 200))
    j[:40] = np.arange(40)
    d = egad.derive(overflowing, "primal")
    for found in (d(i, j), d.reference(i, j)):
        for k, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
            wanted = overflowing(a, b if 0 <= b < 64 else 0)
            for place in (0, 4, 6, 7) if not 0 <= b < 64 else range(8):
                assert found[place][k] == wrap(wanted[place]), (place, a, b)
            assert [found[p][k] for p in (1, 2, 3)] == [wrap(a + b), wrap(a - b), wrap(a * b)]


def noise(a: float, b: float, seed: int):
    total = 0.0
    for _ in range(10):
        seed = (1103515245 * seed + 12345) & 0x7FFFFFFF
        u = seed / 0x7FFFFFFF
        total += a * u if u < 0.5 else b * u
    return total


def test_what_leaves_32_bits_in_a_loop_wraps_around():
    """C leaves open what a signed sum is beyond 32 bits, and compilers use that."""
    d = egad.derive(noise, "value_and_grad", dtype="float64")
    for way in (d, d.reference):
        value, gradient = way(1.3, 0.7, 12345)
        assert value == pytest.approx(noise(1.3, 0.7, 12345), rel=1e-12)
        assert gradient.a == pytest.approx(noise(1.0, 0.0, 12345), rel=1e-12)


def counted(n: int):
    return sum(i * 3 + 1 for i in range(5)), n + 1, (n & 255) * 4 - 7


def test_what_stays_within_32_bits_is_computed_with_signs():
    text = egad.derive(counted, "primal").source
    assert "as_int((uint)n + 1u)" in text
    assert text.count("as_int") == 1, text


def shifted(i: int, s: int):
    return i << s, i >> s


def test_a_shift_by_a_negative_number_is_zero():
    d = egad.derive(shifted, "primal")
    assert tuple(d(5, -1)) == tuple(d.reference(5, -1)) == (0, 0)


def test_division_by_zero_stays_in_its_branch():
    def f(i: int, j: int) -> int:
        return i // j + i % j if j else -1

    d = egad.derive(f, "primal")
    i, j = np.array([7, -7, 5, 0]), np.array([2, 2, 0, 0])
    wanted = [f(a, b) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    assert d(i, j).tolist() == d.reference(i, j).tolist() == wanted


def mixed(i: int, x: float):
    return i == x, i < 16777216.5, i <= 16777216.0, i > -0.5, i != 3.0, i * 0.5 == x


def test_integers_and_reals_compare_as_in_python():
    d = egad.derive(mixed, "primal", dtype="float64")
    for i in (16777216, 16777217, 0, 3, -1):
        for x in (3.0, 1.5, 16777217.0, float("nan")):
            assert tuple(d(i, x)) == tuple(d.reference(i, x)) == mixed(i, x)


def small(i: int) -> float:
    return 1.0 if i <= 16777216.0 else 0.0


def test_whole_constants_do_not_round_an_integer():
    d = egad.derive(small, "primal")
    assert d(16777217) == d.reference(16777217) == small(16777217) == 0.0


def vectors(v: egad.int3, w: egad.int3, x: float):
    v += 1
    v.y -= 2
    v.xz = w.zx
    v[0] += 5
    bits = (v & w) | (v ^ 3), (v << 1) >> w.x, ~v
    less = v < w
    picked = egad.select(less, v, w), egad.min(v, w), egad.max(v, 2), abs(-v)
    reals = v * x, v / 2, egad.dot(egad.float3(v), egad.float3(w))
    return v, v // w, v % w, *bits, *picked, *reals, any(less), all(v > 0)


def masks(b: egad.bool3, c: egad.bool3, x: float):
    chosen = egad.select(b, egad.float3(x), egad.float3(1.0))
    return b & c, b | c, ~b, b ^ c, any(b), all(c), chosen, egad.float3(b)


def leaves(value):
    return [float(leaf) for leaf in getattr(value, "leaves", np.ravel(value))]


@pytest.mark.parametrize(
    ("f", "of", "arguments"),
    [
        (vectors, egad.int3, ((1, -5, 7), (2, 3, -4), 1.5)),
        (masks, egad.bool3, ((True, False, True), (True, True, False), 2.0)),
    ],
    ids=["int3", "bool3"],
)
def test_vectors_of_integers_and_truth_values(f, of, arguments):
    d = egad.derive(f, "primal", dtype="float64")
    wanted = f(of(*arguments[0]), of(*arguments[1]), arguments[2])
    flat = [np.array(a) for a in arguments]
    for found in (d(*flat), d.reference(*flat)):
        assert [leaves(part) for part in found] == [leaves(part) for part in wanted]


def logarithms(x: float, y: float):
    return math.log(x, 2), math.log(x, y), math.log(8, 2), *divmod(x, 2.5)


def test_logarithm_to_a_base_and_divmod():
    d = egad.derive(logarithms, "primal", dtype="float64")
    np.testing.assert_allclose(d(7.5, 3.0), logarithms(7.5, 3.0), rtol=1e-15)
    grad = egad.derive(lambda x, b: math.log(x, b), dtype="float64")(7.5, 3.0, 1.0)
    h = 1e-6
    slope = (math.log(7.5, 3 + h) - math.log(7.5, 3 - h)) / (2 * h)
    np.testing.assert_allclose(grad, (1 / (7.5 * math.log(3)), slope), rtol=1e-8)
