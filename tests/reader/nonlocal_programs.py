"""Inner functions that change variables of the function around them."""

from egad import struct


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
