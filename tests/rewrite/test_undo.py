"""Updates that are undone instead of stored: by rules alone, and exactly."""

import importlib.util

import numpy as np
import pytest

import egad
from egad import derive, rules, sin
from egad.rewrite.loops.undoing import undone
from egad.rewrite.undo.undoing import Undoing
from egad.terms.loop import Open, State, bound, close
from egad.terms.term import Term, const, substitute, toposort, var
from egad.terms.types import Scalar

INT, REAL, BOOL = Scalar.I32, Scalar.F32, Scalar.BOOL
N, A, N_END = var("n", INT), var("a", INT), var("n_end", INT)
X, Y, X_END = var("x", REAL), var("y", REAL), var("x_end", REAL)
UP, UP_END, C = var("up", BOOL), var("up_end", BOOL), var("c", BOOL)
ONE = const(1, INT)


def op(name, *args):
    return Term(name, args, None, args[-1].type)


def select(then, other):
    return op("select", C, then, other)


def before(update, variable, end):
    """What a loop says that `variable`, which it updates so, was; over `end`, what it is after."""
    carried = bound("n", variable.type)
    (after,) = substitute([update], {variable: carried})
    always, trips = const(True, BOOL), const(9, INT)
    state = State("n", carried, var("first", variable.type), after)
    term = close(Open(bound("k", INT), trips, always, (state,), 9))
    found = undone(term, Undoing(rules.load()))
    (own,) = term.attr.state
    if own not in found.values:
        return None
    back = dict(zip(term.attr.inputs, term.args[2:], strict=True)) | dict.fromkeys(found.ends, end)
    return substitute([found.values[own]], back)[0]


@pytest.mark.parametrize(
    ("update", "variable", "end", "was"),
    [
        (op("add", N, A), N, N_END, op("sub", N_END, A)),
        (op("add", A, N), N, N_END, op("sub", N_END, A)),
        (op("sub", N, A), N, N_END, op("add", N_END, A)),
        (op("sub", A, N), N, N_END, op("sub", A, N_END)),
        (op("bit_xor", A, N), N, N_END, op("bit_xor", N_END, A)),
        (op("neg", X), X, X_END, op("neg", X_END)),
        (op("neg", N), N, N_END, op("neg", N_END)),
        (X, X, X_END, X_END),
        (Term("logical_not", (UP,), None, BOOL), UP, UP_END, op("logical_not", UP_END)),
        (op("ne", UP, C), UP, UP_END, op("ne", UP_END, C)),
        (
            op("select", C, op("add", N, ONE), N),
            N,
            N_END,
            op("select", C, op("sub", N_END, ONE), N_END),
        ),
        (op("add", X, Y), X, X_END, None),  # a sum of reals is rounded
        (op("mul", N, const(5, INT)), N, N_END, op("mul", N_END, const(-858993459, INT))),
        (op("mul", const(-1, INT), N), N, N_END, op("mul", N_END, const(-1, INT))),
        (op("mul", N, const(6, INT)), N, N_END, None),  # its lowest bit says nothing of n
        (op("mul", N, A), N, N_END, None),
        (op("add", N, N), N, N_END, None),
        (
            op("add", N, op("shl", N, const(2, INT))),
            N,
            N_END,
            op("mul", N_END, const(-858993459, INT)),
        ),
        (
            op("bit_xor", N, op("shl", N, const(16, INT))),
            N,
            N_END,
            op("bit_xor", N_END, op("shl", N_END, const(16, INT))),
        ),
        (op("bit_xor", N, op("shl", N, A)), N, N_END, None),  # by how many places is not known
        (op("bit_xor", N, op("shr", N, ONE)), N, N_END, None),  # n and ~n give the same
        (op("bit_xor", N, op("bit_and", op("shr", N, ONE), const(-2, INT))), N, N_END, None),
        (select(A, N), N, N_END, None),  # in one arm it is lost
        (op("select", op("lt", N, A), op("add", N, ONE), N), N, N_END, None),
    ],
    ids=str,
)
def test_what_an_update_was(update, variable, end, was):
    assert before(update, variable, end) is was


def test_an_update_that_forgets_is_that_of_the_trip_before():
    """All trips but the first begin with what the one before ended with, if that is known."""
    found = before(op("add", A, ONE), N, N_END)
    assert found.op == "select" and found.args[2] is op("add", A, ONE)
    assert before(op("add", A, op("mul", N, N)), N, N_END) is None


def test_two_conditions_in_a_row_stay_small():
    """Each choice is undone once, however many there are."""
    value, flags = N, [var(f"c{i}", BOOL) for i in range(40)]
    for flag in flags:
        value = op("select", flag, op("add", value, ONE), value)
    assert len(toposort([before(value, N, N_END)])) <= 4 * len(flags) + 2


def fibonacci(x: float) -> float:
    a, b, s = 1, 2, x
    for _ in range(12):
        s = s * 0.5 + sin(s + b) * (a % 5) * 0.125
        a, b = b, a + b
    return s


def counted(x: float) -> float:
    s, n = x, 3
    for k in range(9):
        if k % 3 == 1:
            n -= 1
        elif k > 5:
            n = 10 - n
        s = s + 0.125 * sin(s * n)
    return s


def alternating(x: float, y: float) -> float:
    a, b, s, up, sign = x, y, 0.0, True, 1.0
    for k in range(7):
        s = s + sin(a * k) * sign * (2.0 if up else y)
        a, b = b, a
        up, sign = not up, -sign
    return s


def noise(x: float, seed: int) -> float:
    s, state = x, seed
    for k in range(9):
        state = (state ^ 1234567) + 164053 - k
        s = s + 0.125 * sin(s * (state & 255) / 64.0)
    return s


def congruential(x: float, seed: int) -> float:
    s, state = x, seed
    for _ in range(9):
        state = 1664525 * state + 1013904223
        s = s + 0.125 * sin(s * (state & 255) / 64.0)
    return s


def secant(x: float, a: float) -> float:
    before = 0.5 * x
    value = before * before - a
    for _ in range(6):
        now = x * x - a
        before, x, value = x, x - now * (x - before) / (now - value + 0.125), now
    return x


def verlet(x: float, h: float) -> float:
    before = x - h
    for _ in range(12):
        x, before = 2.0 * x - before - 0.125 * sin(x), x
    return x


def delayed(x: float, a: float) -> float:
    one, two, three = a, 0.0, 0.0
    for _ in range(9):
        x, one, two, three = sin(x * three) + a * one * two, x, one, two
    return x


def left_early(x: float) -> float:
    s, n, step = x, 0, 1
    egad.max_iters(30)
    while s < 3.0:
        s = s + 0.25 + 0.125 * sin(s * n)
        n, step = n + step, 1 - step
    return s


@pytest.mark.parametrize(
    ("f", "args", "states"),
    [
        (fibonacci, (0.4,), 1),
        (counted, (0.4,), 1),
        (alternating, (0.4, 0.7), 0),
        (noise, (0.4, 99), 1),
        (congruential, (0.4, 99), 1),
        (left_early, (0.4,), 1),
        (secant, (0.4, 0.3), 1),
        (verlet, (0.4, 0.3), 1),
        (delayed, (0.4, 0.3), 1),
    ],
)
def test_only_what_is_rounded_is_kept(f, args, states):
    """One real number per trip at most; the numbers are those of differences."""
    backward = derive(f, "bwd", dtype="float64")
    assert len(backward.report.storage) == states
    assert all(s.type.elem is Scalar.F64 for s in backward.report.storage)
    given = np.linspace(0.2, 1.5, 7)
    rest, h = args[1:], 1e-6
    slope = [(f(x + h, *rest) - f(x - h, *rest)) / (2 * h) for x in given.tolist()]
    found = backward(given, *rest, 1.0).x
    np.testing.assert_allclose(found, slope, rtol=2e-7, atol=2e-7)
    np.testing.assert_allclose(backward.reference(given, *rest, 1.0).x, found, rtol=1e-12)
    second = derive(f, "hvp", dtype="float64")
    more = [
        (backward(x + h, *rest, 1.0).x - backward(x - h, *rest, 1.0).x) / (2 * h) for x in given
    ]
    wrt_x = (1.0, 0.0) if f in (alternating, secant, verlet, delayed) else (1.0,)
    np.testing.assert_allclose(second(given, *rest, *wrt_x)[0], more, rtol=1e-5, atol=1e-5)


#: Statements of a trip, over integers `s` and `t` of any size, `low` of 16 bits, a remainder `r`,
#: `i`, `up`, and an `m` that does not change.
UPDATES = {
    "left": "s ^= s << 13",
    "right": "s ^= (s >> 17) & 0x7FFF",
    "xorshift": "s ^= s << 13\ns ^= (s >> 17) & 0x7FFF\ns ^= s << 5",
    "the other way": "s = (s << 13) ^ s\ns = ((s >> 1) & 0x7FFFFFFF) ^ s\ns = (s << 1) ^ s",
    "shifted sums": "s += s << 3\ns -= s << 4\ns = (s << 5) - s\ns = (s << 1) + s",
    "rotation": "s = (s << 7) | ((s >> 25) & 0x7F)",
    "rotations": "s = ((s >> 25) & 0x7F) ^ (s << 7)\ns = (s << 1) + ((s >> 31) & 1)",
    "signs": "s = -s\nt = ~t\ns = 17 - s\nt = k - t",
    "in a condition": "if k % 3 == 1:\n    s ^= s << 3\nelif k > 5:\n    s += s << 3",
    "feistel": "s ^= (t * t + 3) & 65535\nt ^= (s * s * 7) & 1023\ns += t * 5 * t\nt -= s >> 3",
    "feistel in a condition": "if k & 1:\n    s ^= t * t\n    t ^= s * s",
    "sums of each other": "s += t\nt += s\ns ^= t",
    "exchanged by xor": "s ^= t\nt ^= s\ns ^= t",
    "exchanged in a condition": "if k & 1:\n    s, t = t, s + 1",
    "fibonacci": "s, t = t, s + t",
    "flag": "up = up != (k % 3 == 1)\ns += 1 if up else 2",
    "jenkins": "s += s << 10\ns ^= (s >> 6) & 0x3FFFFFF\ns += t",
    "wang": "s = (s ^ 61) ^ ((s >> 16) & 0xFFFF)\ns *= 9\ns ^= (s >> 4) & 0xFFFFFFF",
    "murmur": "s *= 0x5BD1E995\ns ^= (s >> 24) & 0xFF\ns *= 0x5BD1E995",
    "tempering": "s ^= (s << 7) & 0x1D2C5680\ns ^= (s >> 11) & 0x1FF\ns ^= (s << 4) & 0x6FC60000",
    "masked congruence": "s = (s * 1103515245 + 12345) & 0x7FFFFFFF",
    "masked in arms": "if k % 3 == 1:\n    s = (s * 5 + 1) & 1023\nelse:\n    s = (s + 3) & 1023",
    "an arm masked": "s = ((s * 5 if k % 3 == 1 else s) + 3) & 1023",
    "masked sometimes": "if k % 3 == 1:\n    low = (low - 77) & 0xFFFF",
    "masked xorshift": "s = (s ^ (s << 7)) & 0xFFFF\ns ^= s >> 9\ns = (s ^ (s << 8)) & 0xFFFF",
    "narrow rotation": "low = ((low << 5) | (low >> 11)) & 0xFFFF",
    "remainder": "s = (75 * s + 74) % 65536",
    "ring": "i = (i + 1) % 7",
    "ring in a condition": "if k > 3:\n    i = (i - 2) % 7",
    "reflected in a ring": "i = (3 - i) % 7",
    "mixed under a mask": "s ^= (s << 1) & 0x55555554\ns ^= (s << 3) & 0x1D2C5680",
    "mixed to the right under a mask": "s ^= (s >> 1) & 0x55555555\ns ^= (s >> 3) & 0xF0F0F0F",
    "masked, then moved": "s ^= (s & 0xFFFFFF) << 3\ns ^= (s & 0x7FFFFFFF) >> 2",
    "mersenne twister": "s ^= (s >> 11) & 0x1FFFFF\ns ^= (s << 7) & -1658038656\n"
    "s ^= (s << 15) & -272236544\ns ^= (s >> 18) & 0x3FFF",
    "narrow mixing": "low = (low ^ ((low << 3) & 0x0F0F)) & 0xFFFF\nlow ^= (low >> 3) & 0x1F0F",
    "stays narrow": "low ^= low >> 7\nlow = low ^ (k & 15)",
    "masked pair": "s, t = t & 0xFFFF, (s + t) & 0xFFFF",
    "gray code": "s ^= (s >> 1) & 0x7FFFFFFF",
    "galois register": "out = low & 1\nlow >>= 1\nif out:\n    low ^= 0xB400",
    "galois register, chosen": "low = (low >> 1) ^ (0xB400 if low & 1 else 0)",
    "galois register, masked": "low = (low >> 1) ^ (-(low & 1) & 0xB400)",
    "galois register to the left": "low = ((low << 1) ^ (45 if low & 0x8000 else 0)) & 0xFFFF",
    "32 bits to the right": "s = ((s >> 1) & 0x7FFFFFFF) ^ (-306674912 if s & 1 else 0)",
    "32 bits to the left": "s = (s << 1) ^ (0x04C11DB7 if s < 0 else 0)",
    "fibonacci register": "bit = (low ^ (low >> 2) ^ (low >> 3) ^ (low >> 5)) & 1\n"
    "low = (low >> 1) | (bit << 15)",
    "fibonacci register to the left": "bit = ((s >> 31) ^ (s >> 21)) & 1\ns = (s << 1) | bit",
    "fibonacci register of 15 bits": "i = ((i << 1) | (((i >> 14) ^ (i >> 13)) & 1)) & 0x7FFF\n"
    "i ^= 5",
    "beside temporaries": "s = s * 747796405 - 1403630843\n"
    "word = ((s >> (((s >> 28) & 15) + 4)) ^ s) * 277803737\nt ^= word",
    "xorshift of four": "z = s ^ (s << 11)\n"
    "s, t, low, i = t, low, i, i ^ ((i >> 19) & 8191) ^ z ^ ((z >> 8) & 0xFFFFFF)",
    "xorshift of two": "s, t = t, t ^ s ^ (s << 23)",
    "xoroshiro": "t ^= s\ns = ((s << 26) | ((s >> 6) & 0x3FFFFFF)) ^ t ^ (t << 9)\n"
    "t = (t << 13) | ((t >> 19) & 0x1FFF)",
    "strings": "s = k + (s << 6) + (s << 16) - s\ns = ((s << 5) + s) + k\ns = s * 33 + k",
    "sums of products": "s += s * 4\ns = 6 * s - s\ns += (s << 3) + (s << 7)",
    "tiny encryption": "s += ((t << 4) + 7) ^ (t + k) ^ ((t >> 5) + 3)\n"
    "t += ((s << 4) + 9) ^ (s + k) ^ ((s >> 5) + 1)",
    "chacha": "s += t\nlow ^= s\nlow = (low << 16) | ((low >> 16) & 65535)\n"
    "t ^= low\nt = (t << 12) | ((t >> 20) & 4095)",
    "toggles": "up = not up\nif k % 3 == 1:\n    i = 1 - i\ns = -s\nt ^= 1",
    "set to 0": "i += 1\nif i == 5:\n    i = 0",
    "set to 0 from": "i += 2\nif i >= 6:\n    i = 0",
    "back to 0": "i = 0 if i == 4 else i + 1",
    "down from 4": "i = 4 if i == 0 else i - 1",
    "as long as it is below": "if s & 1:\n    i = i + 1 if i < 4 else 0\ns += 3",
    "less a turn": "i += 3\nif i >= 7:\n    i -= 7",
    "one value": "if s & 1:\n    i = i * 3\ns += 3",
    "affine": "i = (5 * i + 8) % 26",
    "small generator": "i = (i * 17 + 5) % 101",
    "large generator": "i = ((i + 1) * 75) % 65537 - 1",
    "of the trip before": "i = (k * k) % 5 + (s & 7)\ns = s * 5 + 1",
    "turned and shown": "i = s\ns, t, low = t, low, s",
    "lehmer from a seed": "s = s * 75 % 65537",
    "affine from a seed": "s = (s * 17 + 5) % 101",
    "affine from a remainder": "if k % 3 == 1:\n    r = (r * 5 + 3) % 13",
    "back to 0 from a remainder": "r = 0 if r == 12 else r + 1",
    "turn of any start": "s = (s + 5) % 1000",
    "turn around a negative ring": "s = (s + 5) % -1000",
    "masked from a seed": "s = (s & 1023) ^ ((s & 1023) >> 3)",
    "one after the other": "s = (s * 17 + 5) % 101\nt = (t + s) % 101",
    "each other around": "s = (s + t) % 101\nt = (t + s) % 101",
    "ring of any size": "i = (i + 1) % m",
    "ring of any size, down": "i = (i - 1) % m",
    "ring of any size and start": "s = (s + 1) % m",
    "ring of any size in a condition": "if k % 3 == 1:\n    i = (i + 1) % m",
    "ring of a size above 0": "i = (i + 1) % max(m, 1)",
    "larger steps in a small ring": "i = (i + 5) % (m & 255)",
    "turn that changes": "i = (i + (k & 3)) % 7\nr = (r - (other & 3)) % 13",
    "set to 0 at m": "i += 1\nif i == m:\n    i = 0",
    "set to 0 from m": "i += 1\nif i >= m:\n    i = 0",
    "back to 0 after m": "i = 0 if i == m - 1 else i + 1",
    "as long as it is not m": "i = i + 1 if i + 1 != m else 0",
    "as long as it is below m": "i = i + 1 if i + 1 < m else 0",
    "back to 0 below the last": "i = i + 1 if i < m - 1 else 0",
    "back to 0 from the last": "if i >= m - 1:\n    i = 0\nelse:\n    i += 1",
    "set to 0 above m": "i += 1\nif i > m:\n    i = 0",
    "back to 0 below m": "i = i + 1 if i < m else 0",
    "back to 0 in a condition": "if s & 1:\n    i = i + 1 if i < m - 1 else 0\ns += 3",
    "turns by while": "i += 3\nwhile i >= 7:\n    i -= 7",
    "turns up by while": "i -= 3\nwhile i < 0:\n    i += 7",
    "fibonacci around": "i, r = r, (i + r) % 101",
    "lagged around": "i, r = r, (14000 * i + 15000 * r + (s & 7)) % 65537",
    "multiples around": "r = (7 * i + 5 * r + k) % 101\ni = (2 * r - 3 * i) % 101",
    "products around": "r = (r + (s & 7) * (t & 15)) % 101\ns += 3",
    "turn by multiples": "low = (low + 3 * (k & 7)) % 101",
    "up and down": "i = i + 1 if up else i - 1\nif i == 5:\n    up = False\n"
    "if i == 0:\n    up = True",
    "up, else down": "if up:\n    i += 1\n    if i == 3:\n        up = False\n"
    "else:\n    i -= 1\n    if i == 0:\n        up = True",
    "turned at both ends": "i = i + 1 if up else i - 1\nif i >= 5 or i <= 0:\n    up = not up",
    "up and down in a condition": "if s & 1:\n    i = i + 1 if up else i - 1\n"
    "    if i == 3:\n        up = False\n    if i == -2:\n        up = True\ns += 3",
    "up and down by two": "i = i + 2 if up else i - 2\nif i > 5:\n    up = False\n"
    "if i < 0:\n    up = True",
    "a saw": "i = i + 1 if up else i - 3\nif i == 3:\n    up = False\nif i == 0:\n    up = True",
    "three around": "i = (i + r) % 101\nr = (r + low) % 101\nlow = (low + i) % 101",
    "a flag that turns at any place": "i = i + 1 if up else i - 1\nif i == m:\n    up = False\n"
    "if i == 0:\n    up = True",
    "down from the last": "i = m - 1 if i == 0 else i - 1",
    "steps that may not wrap": "i = (i + 5) % m",
}
#: What has no inverse, and what has one that nothing finds: these are kept.
KEPT = {
    "signed shift": "s ^= s >> 5",
    "doubled": "s += s",
    "doubled and odd": "s = 2 * s + 1",
    "mixed with the sign": "s ^= (s & -256) >> 8",
    "stopped": "i = min(i + 1, 5)",
    "set and stays": "i += 1\nif i == 5:\n    i = 3",
    "a ring of any size": "i = (i + t) % 7",
    "gathered": "t |= 1 << k",
    "lost bits": "low = (low >> 1) ^ (0x3400 if low & 1 else 0)",
    "even feedback": "low = ((low << 1) ^ (44 if low & 0x8000 else 0)) & 0xFFFF",
    "condition on itself": "if t & 1:\n    s ^= s << 3\n    t += 5\nt ^= 77",
    "unknown start": "s ^= (s << 3) & 0x7FFFFFFF\ns ^= s >> 3",
    "a constant alone": "t = (t + 12345) % 16\nr, s = s, (r + 5 * s) % 65536",
    "beside large numbers": "up = up != (t < -2147483647)\nif i < 2147483647:\n    i += 1\n"
    "s = s * 2",
    "no way back": "s = (s * 10 + 5) % 100",
    "a start that may stay": "if k % 3 == 1:\n    s = (s + 1) % m",
    "a sum that may wrap": "r = (r + s * s) % 101\ns += 1",
    "a multiple without an inverse": "r = (i + 6 * r) % 12\ni = (i + r) % 12\ns += 1",
    "a flag that falls": "if i == 3:\n    up = False\ni += 1",
    "one way to 0, with a step": "i += s & 7\nif i > m:\n    i = 0\ns += 1",
    "turns by while, by what changes": "r += k & 7\nwhile r >= 13:\n    r -= 13",
    "two ways to 0": "i += 2\nif i >= m:\n    i = 0",
}
FUNCTION = """
def f(x: float, seed: int, other: int, m: int) -> float:
    y, s, t, low, i, r, up = x, seed, other, seed & 0xFFFF, 0, seed % 13, True
    for k in range(9):
        n = (s & 255) + (t & 127) + (low & 63) + (i & 63) + (r & 127) + (1 if up else 0)
        y = y * (1.0 + n / 1024.0)
{body}
    return y
"""


def written(body, folder):
    """The function with a statement in its loop, from a file of its own."""
    path = folder / "written.py"
    lines = body.splitlines()
    path.write_text(FUNCTION.format(body="\n".join(f"        {line}" for line in lines)))
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


SEEDS = [12345, 0, -5, 2**31 - 1, -(2**31), -123456789, 77777]
SIZES = [1, 2, 3, 7, 100, 2**31 - 1, -1, -3, -(2**31) + 1, -(2**31)]


@pytest.mark.parametrize("name", [*UPDATES, *KEPT])
def test_invertible_updates_cost_no_storage(name, tmp_path):
    """f is linear in x: its gradient is f(1), and reads nothing but the integers."""
    f = written((UPDATES | KEPT)[name], tmp_path)
    backward, primal = derive(f, "bwd", dtype="float64"), derive(f, "primal", dtype="float64")
    assert bool(backward.report.storage) == (name in KEPT)
    sizes, seeds, others = np.meshgrid(SIZES, SEEDS, SEEDS[::-1])
    given = np.full(sizes.size, 0.5), seeds.ravel(), others.ravel(), sizes.ravel()
    want = primal.reference(1.0, *given[1:])
    np.testing.assert_allclose(backward(*given, 1.0).x, want, rtol=1e-13)
    np.testing.assert_allclose(backward.reference(*given, 1.0).x, want, rtol=1e-13)


def test_a_rule_set_is_read_once_and_answers_anew_for_every_program():
    ruleset = rules.load()
    first = Undoing.of(ruleset)
    assert first.ways(op("add", N, A))
    again = Undoing.of(ruleset)
    assert again._table is first._table and again._ways == {} and again.fixed == ()
    other = rules.loads("def twice(x) -> y:\n    y = 2 * x\n", "double.rules")
    assert Undoing.of(other).rules is other
