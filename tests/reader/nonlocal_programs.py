"""Inner functions that change variables of the function around them."""

import math

from egad import max_iters, struct


@struct
class _Count:
    n: float


def a_seed_in_a_loop(a, b):
    seed = a

    def rand():
        nonlocal seed
        if seed > 2.0:
            seed = seed * 0.25
            return seed * 2.0
        seed = seed * 1.5 + b
        return seed

    s = 0.0
    for i in range(4):
        if i != 2:
            s += rand()
        if s > 3.0:
            rand()
    return s + seed


def evaluated_from_the_left(a, b):
    t = a

    def times():
        nonlocal t
        t = t * b
        return t

    s = t * times() + t
    t += times()
    pair = {"now": times(), "then": t}
    return s + t + pair["now"] * pair["then"] + max(times(), t)


def after_an_early_return(a, b):
    t = a

    def less():
        nonlocal t
        if t > 1.0:
            return 0.0
        t = t * b
        return t

    if b > 1.0:
        return less() + t
    s = less()
    return s + t


def two_variables_and_a_loop(a, b):
    t, n = a, 0

    def add(k):
        nonlocal t, n
        for i in range(3):
            t += k * i
            n += 1
        return t

    return add(b) * t + add(t) + n


def one_inside_another(a, b):
    total = 0.0

    def outer(v):
        nonlocal total
        w = v

        def inner(u):
            nonlocal w
            w = w * u
            return w

        total += inner(a) + w
        return total

    return outer(b) + outer(a) + total


def a_struct_is_changed_and_replaced(a, b):
    count = _Count(a)
    kept = count

    def renew():
        nonlocal count
        count.n *= b
        count = _Count(b)

    renew()
    return count.n + 3.0 * kept.n


def the_loop_may_end(a, b):
    t = a

    def shrink():
        nonlocal t
        t = 0.5 * t + b
        return t

    s = 1.0
    for _ in range(5):
        if s > a:
            continue
        s += shrink()
        if s > 2.0 * b:
            break
    return s * t


def two_counters(a, b):
    def counter():
        n = 0.0

        def add(d):
            nonlocal n
            n += d
            return n

        def get():
            return n

        return add, get

    add, get = counter()
    other, got = counter()
    add(a)
    add(b)
    other(2.0)
    return get() * add(1.0) + got() * other(a) + get()


def numbers_at_random(a, b):
    def generator(seed):
        def draw():
            nonlocal seed
            seed = (seed * 1103515245 + 12345) % 2147483648
            return seed / 2147483648

        return draw

    draw, total = generator(42), 0.0
    for i in range(5):
        total += draw() * math.sin(a * (i + draw()) + b)
    return total


def a_counter_in_branches(a, b):
    def counter():
        total = 1.0

        def add(v):
            nonlocal total
            if v > 0:
                total = total * v + a
            else:
                total -= v
            return total

        return add

    add = counter()
    if a > b:
        add(a)
    else:
        add(b)
        add(-2.0)
    last = add(a * b) if b > 0 else add(3.0)
    return last + add(0.5)


def a_filter_in_a_loop(a, b):
    def average(weight):
        state = 0.0

        def step(v):
            nonlocal state
            state = weight * v + (1 - weight) * state
            return state

        return step

    step, total = average(0.3), 0.0
    max_iters(10)
    for i in range(int(3.0 + a * a)):
        total += step(a * i + b) ** 2
    return total + step(1.0)


def _resonator(p, q):
    before = 0.0
    last = 0.0

    def tick(v):
        nonlocal before, last
        out = v + p * last + q * before
        last, before = out, last
        return out

    return tick


def two_filters(a, b):
    f, g = _resonator(a * 0.1, 0.2), _resonator(0.3, b * 0.1)
    return sum(g(f(v)) for v in [1.0, a, b, 0.5])


def a_counter_of_a_kind(a, b):
    def counter(kind):
        n = a

        def add():
            nonlocal n
            n = n * b + 1
            return n

        if kind == "begun":
            add()
            return add
        return add

    first, second = counter("begun"), counter("new")
    return first() + second() * 2


def a_list_that_grows(a, b):
    def stack():
        held = [a]
        n = 0

        def push(v):
            nonlocal n, held
            held = [*held, v]
            n += 1

        def total():
            return sum(held) * n

        return push, total

    push, total = stack()
    for i in range(3):
        push(b * i)
    return total()
