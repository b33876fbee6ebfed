"""Functions that return from inside of several loops, some of which are written out.

Every public function takes two real numbers and how often a loop runs; Python runs them too.
"""


def at_a_later_trip(x: float, y: float, n: int):
    for i in range(n):
        for v in (x, y):
            if i >= 1:
                return v * i
    return x + y


def from_a_condition(x: float, y: float, n: int):
    i = 0
    while i < n:
        i += 1
        for v in (x, y):
            if v * i > 1.0:
                return v * i
        x += 0.1
    return x + y


def with_what_was_summed(x: float, y: float, n: int):
    t = 0.0
    for i in range(n):
        for v in (x, y):
            if v * i > 1.0:
                return t + v * i
            t += v
        t *= 1.5
        if t > 4.0:
            return -t
    return t


def three_deep(x: float, y: float, n: int):
    t = 0.0
    for i in range(n):
        for v in (x, y):
            for w in (1.0, 2.0):
                if v * w * i > 1.0:
                    return t + w
                if v * w * i < -1.0:
                    break
                t += v
            else:
                t += 0.25
        else:
            t += 0.5
    return t


def a_counter_between(x: float, y: float, n: int):
    for v in (x, y):
        for i in range(n):
            for w in (1.0, 2.0):
                if v * w * i > 1.0:
                    return w + i
    return x


def _first_above(v, i):
    for w in (1.0, 2.0):
        if v * w * i > 1.0:
            return w
    return 0.5


def of_a_function_inside(x: float, y: float, n: int):
    t = 0.0
    for i in range(n):
        for v in (x, y):
            t += _first_above(v, i)
            if t > 3.0:
                return t * i
    return t


def where_a_list_has_changed(x: float, y: float, n: int):
    xs = [x, y, x * y]
    for k in range(n):
        for j, v in enumerate(xs):
            if v > 1.0:
                xs[j] = 0.3
                if k == 1:
                    return sum(xs)
    return max(xs)


def after_an_early_return(x: float, y: float, n: int):
    if x < 0.0:
        return y
    for i in range(n):
        for v in (x, y):
            if i == 0 and v > 0.6:
                return v + i
            if i == 2:
                return -v
    return 9.0
