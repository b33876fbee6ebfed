"""Names that get their value before a `break`, or in the `else` of the loop, in plain Python."""

from egad import float2, max_iters


def one_break(x: float):
    for _ in range(3):
        x = x * x
        if x > 10.0:
            r = x * 2.0
            break
    else:
        r = x
    return r


def several_breaks(x: float):
    i = 0
    while i < 5:
        i += 1
        if x < 0.5:
            return x * 7.0
        x = x * 1.5 - 0.1
        if x > 4.0:
            r = x * 2.0
            s = i
            break
        x = x * 1.1
        if x > 3.0:
            r, s = x * x, 2
            break
    else:
        r = x
        s = 7
    return r * s


def written_out(x: float):
    for v in (1.0, 2.0, 3.0):
        x = x * v
        if x > 3.0:
            r = x * v
            break
    else:
        r = x
    max_iters(40)
    while True:
        r = r * 1.5
        if r > 50.0:
            s = r * r
            break
    return r * x + s


def in_loops(x: float):
    t = 0.0
    for j in range(3):
        for _ in range(3):
            t += x
            if t > 4 + j:
                v = float2(t, j)
                break
        else:
            v = float2(x, 1)
        t += v.x * v.y
    return t


POINTS = {
    one_break: [(1.1,), (1.6,), (4.0,)],
    several_breaks: [(0.2,), (0.9,), (2.3,), (2.9,), (0.6,)],
    written_out: [(0.4,), (1.2,), (1.7,), (3.5,)],
    in_loops: [(0.3,), (1.5,)],
}
