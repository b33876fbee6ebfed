"""Lists that grow and shrink, and functions that call themselves: two real numbers in, one out."""

# ruff: noqa: B006
import math
from dataclasses import dataclass, field

import numpy as np

from egad import bwd_diff, float2


def program_appends(a: float, b: float):
    xs = []
    for i in range(10):
        xs.append(a * i + b)
    return sum(x * x for x in xs)


def program_names_of_one_list(a: float, b: float):
    xs = [a]
    ys = xs
    xs.append(b)
    xs.extend([a * b, a + b])
    xs.insert(0, b * b)
    y, z = ys.pop(), ys.pop(0)
    return xs[0] * xs[-1] + y * z + len(ys)


def program_stack(a: float, b: float):
    stack, s, n = [a], 0.0, 0
    while stack:
        x = stack.pop()
        s += x * b
        n += 1
        if n < 6:
            stack.append(x * 0.5)
            stack.append(x + 1.0)
    return s + n


def program_queue(a: float, b: float):
    queue, s = [(a, 0)], 0.0
    while len(queue) > 0:
        x, depth = queue.pop(0)
        s += x
        if depth < 3:
            queue.append((x * b, depth + 1))
            queue.append((x + 1.0, depth + 1))
    return s


def push(xs, x):
    xs.append(x)
    return len(xs)


def program_callee(a: float, b: float):
    xs = []
    n = push(xs, a) + push(xs, b)
    return xs[0] * xs[1] * n


def program_closures(a: float, b: float):
    def pair():
        held = []

        def add(x):
            held.append(x)

        return add, lambda: held

    add, get = pair()
    add(a)
    xs = get()
    xs.append(b)
    for k in range(5):
        add(a * k)
    return sum(get()) * len(xs)


def program_default_that_lasts(a: float, b: float):
    def total(x, seen=[]):
        seen.append(x)
        return sum(seen) / len(seen)

    first = total(a)
    return first * total(b)


def program_both_arms(a: float, b: float):
    xs = [a]
    if a > 1.0:
        xs.append(b)
    else:
        xs.append(a * b)
    return xs[1] * xs[0] * len(xs)


def program_what_is_there_for_certain(a: float, b: float):
    xs = [a, b]
    if a > 1.0:
        xs.append(b)
    return xs[0] * xs[1]


def program_window(a: float, b: float):
    xs = [a, b]
    for _ in range(20):
        xs.append(xs[-1] * 0.5 + xs[-2] * a * 0.1)
        xs.pop(0)
    return xs[0] * xs[1]


def program_runs_over_what_it_adds(a: float, b: float):
    xs = [a, b]
    for x in xs:
        if len(xs) < 5:
            xs.append(x + 1.0)
    return sum(xs) * xs[4]


@dataclass
class Tape:
    values: list = field(default_factory=list)
    total: float = 0.0

    def add(self, x):
        self.values.append(x)
        self.total += x
        return self


def program_field(a: float, b: float):
    t = Tape([])
    t.add(a).add(b)
    for k in range(5):
        t.add(a * k)
    return t.total * t.values[3] + len(t.values)


def program_after_a_return(a: float, b: float):
    if a > 1.0:
        return a * b
    xs = []
    xs.append(a)
    xs.append(b)
    return xs[0] / xs[1]


def program_delete(a: float, b: float):
    xs = [a, b, a * b]
    del xs[1]
    xs += [b * b, a]
    del xs[2:]
    ys = [*xs]
    xs.clear()
    return ys[0] * ys[1] + len(xs)


def program_break_and_continue(a: float, b: float):
    xs = []
    for i in range(6):
        if i == 4:
            break
        if i % 2:
            continue
        xs.append(a + i)
    return xs[0] * xs[1] + b


def program_vectors(a: float, b: float):
    vs = []
    for i in range(3):
        vs.append(float2(a * i, b))
    v = vs[2]
    v.y = a
    vs[1].x = b
    return vs[1].x * vs[2].y + vs[2].x


def program_rows(a: float, b: float):
    grid = [[] for _ in range(3)]
    for i in range(3):
        for j in range(i + 1):
            grid[i].append(a * i + b * j)
    return sum(sum(row) for row in grid) * len(grid[2])


def program_functions(a: float, b: float):
    steps = [lambda x: x * a]
    steps.append(lambda x: x + b)
    steps.append(math.sin)
    y = a
    for i in range(3):
        y = steps[i](y)
    return y


def program_new_lists(a: float, b: float):
    xs, t = [a], ()
    for i in range(6):
        xs = [*xs, xs[-1] * b + i]
        t += (xs[i],)
    return sum(xs) + t[3] * len(t)


def program_keys_of_trips(a: float, b: float):
    d = {}
    for i in range(6):
        d = {**d, i: a * i + b}
    return sum(d[i] * d[5 - i] for i in range(6))


def program_slices_of_trips(a: float, b: float):
    u = np.array([a, b, a * b, 1.0, a, b, 2.0])
    s = 0.0
    for i in range(5):
        s += np.sum(u[i : i + 3] ** 2) * (i + 1)
    return s


def program_parts_of_other_types(a: float, b: float):
    ts = [(a, 1), (b, (2, 3)), (a * b, 4.0)]
    s = 0.0
    for i in range(3):
        s += ts[i][0] * (i + 1)
    return s


def program_lengths_of_trips(a: float, b: float):
    s = 0.0
    for i in range(5):
        row = [a * j for j in range(i + 1)]
        s += row[-1] + sum(a * j + b for j in range(i) if j != 2)
    return s


def program_in_a_derivative(a: float, b: float):
    def polynomial(x: float, y: float) -> float:
        xs = [x]
        for _ in range(3):
            xs.append(xs[-1] * y)
        return sum(xs)

    return bwd_diff(polynomial)(a, b, 1.0)[1]


program_in_a_derivative.plain = lambda a, b: a * (1.0 + 2.0 * b + 3.0 * b * b)


def factorial(n, x):
    return 1.0 if n == 0 else x * factorial(n - 1, x + 0.1)


def chebyshev(n, x):
    if n < 2:
        return x if n else 1.0
    return 2.0 * x * chebyshev(n - 1, x) - chebyshev(n - 2, x)


def program_recursion(a: float, b: float):
    return factorial(4, a) + chebyshev(5, b)


def halves(xs):
    if len(xs) == 1:
        return xs[0]
    m = len(xs) // 2
    return halves(xs[:m]) * 1.1 + halves(xs[m:])


def program_divide(a: float, b: float):
    return halves([a, b, a * b, 1.0, a + b])


def even(n, x):
    return x if n == 0 else odd(n - 1, x * 2.0)


def odd(n, x):
    return -x if n == 0 else even(n - 1, x + 1.0)


def program_by_turns(a: float, b: float):
    return even(5, a) * odd(4, b)


def orders(xs):
    if len(xs) <= 1:
        return [xs]
    found = []
    for i in range(len(xs)):
        for rest in orders(xs[:i] + xs[i + 1 :]):
            found.append([xs[i], *rest])
    return found


def program_permutations(a: float, b: float):
    return sum(p[0] * p[1] ** 2 for p in orders([a, b, 1.5]))


def simpson(f, a, b, depth):
    m = 0.5 * (a + b)
    if depth == 0:
        return (b - a) / 6.0 * (f(a) + 4.0 * f(m) + f(b))
    return simpson(f, a, m, depth - 1) + simpson(f, m, b, depth - 1)


def program_quadrature(a: float, b: float):
    return simpson(lambda x: math.exp(-a * x * x), 0.0, b, 2)
