"""Lists whose length only the kernel would know, recursion without an end: one error each.

The golden file beside holds the texts.
"""

from egad import Array


def length_of_a_branch(a: float, b: float):
    xs = [a]
    if a > b:
        xs.append(b)
    return sum(xs)


def last_of_a_branch(a: float, b: float):
    xs = [a, b]
    if a > b:
        xs.pop()
    return xs[-1]


def trips_of_the_kernel(a: float, n: int):
    xs = []
    for i in range(n):
        xs.append(a * i)
    return xs[0]


def condition_of_the_kernel(a: float):
    xs = [a]
    while xs[-1] < 100.0:
        xs.append(xs[-1] * 2.0)
    return len(xs) * a


def one_of_two_lists(a: float, b: float):
    xs, ys = [a], [b]
    best = xs if a > b else ys
    best.append(1.0)
    return xs[0]


def kept_beside_another(a: float, b: float):
    xs, ys = [a], [b]
    best = xs if a > b else ys
    ys.append(a)
    return best[0]


def while_it_is_run_over(a: float, b: float):
    xs = [a, b]
    for i, x in enumerate(xs):
        if i < 1:
            xs.append(x)
    return xs[0]


def place_of_the_kernel(a: float, i: int):
    xs = [a, 2.0 * a]
    return xs.pop(i)


def nothing_to_pop(a: float):
    xs = [a]
    xs.pop()
    return xs.pop()


def two_arguments(a: float):
    xs = [a]
    xs.append(a, a)
    return xs[0]


def array_that_would_grow(xs: Array[float, 3]):
    xs.append(1.0)
    return xs[0]


def captured(a: float):
    TABLE.append(a)
    return TABLE[0]


TABLE = [1.0, 2.0]


def halved(x: float) -> float:
    return x if x < 1.0 else halved(x / 2.0)


def counted_down(n: int, x: float) -> float:
    return x if n == 0 else counted_down(n - 1, x * x)


def upwards(n, x):
    return upwards(n + 1, x)


def without_end(x: float) -> float:
    return upwards(0, x)


def trip_as_a_key(x: float, n: int):
    d = {0: x, 1: 2.0 * x}
    s = 0.0
    for i in range(n):
        d[i] = s
    return s
