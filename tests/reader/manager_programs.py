"""Generators under `@contextmanager`, and what else `contextlib` gives for a `with`.

Every public function takes two real numbers; Python runs them too.
"""

import contextlib
from contextlib import contextmanager


@contextmanager
def _scaled(state, k):
    old = state["x"]
    state["x"] = old * k
    try:
        yield state
    finally:
        state["x"] = old


class _Moving:
    def __init__(self, x):
        self.x, self.log = x, []

    @contextlib.contextmanager
    def moved(self, dx, *, back=True):
        self.x += dx
        n = 1.0
        yield
        if back:
            self.x -= dx * n
        n = 2.0
        self.log.append(n)

    def close(self):
        self.x *= 3.0


def left_as_it_was(a, b):
    state = {"x": a}
    with _scaled(state, b) as same:
        t = same["x"] ** 2
    return t + state["x"]


def of_a_method(a, b):
    s, t = _Moving(a), 0.0
    for i in range(3):
        with s.moved(b * i):
            t += s.x * a
        with s.moved(b, back=False), s.moved(a) as nothing:
            t += s.x if nothing is None else 1.0
    return t + s.x + sum(s.log)


def left_by_return(a, b):
    def early(k):
        with _scaled(state, k) as s:
            if s["x"] > 0.5:
                return s["x"] ** 2
            s["x"] += 1.0
        return s["x"]

    state = {"x": a}
    return early(b) + 2.0 * early(0.1 * b) + state["x"]


def defined_inside(a, b):
    @contextmanager
    def doubled(x):
        yield 2.0 * x

    with doubled(a) as x, doubled(x * b) as y:
        return x + y


def with_nothing_around(a, b):
    with contextlib.nullcontext(a * b) as x, contextlib.nullcontext():
        return x + a


def closed_after(a, b):
    moving = _Moving(a)
    with contextlib.closing(moving) as same:
        t = same.x * b
    return t + moving.x
