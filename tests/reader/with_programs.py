"""Programs with `with`: what is entered is left on every way out, as in Python.

Every public function takes two real numbers; Python runs them too.
"""

import warnings

import numpy as np


class _Total:
    def __init__(self, total=0.0):
        self.total = total

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.total *= 2.0


class _Pushed:
    def __init__(self, xs, x):
        self.xs = xs
        self.x = x

    def __enter__(self):
        self.xs.append(self.x)
        return len(self.xs)

    def __exit__(self, kind, value, trace):
        self.xs.pop()


def entered(a, b):
    with _Total(a) as d:
        d.total += b
    return d.total


def left_by_a_return(a, b):
    d = _Total(a)

    def f(x):
        with d:
            if x > 1.0:
                return d.total * x
            d.total += x
        return d.total

    return f(a) + f(b) * d.total


def left_in_a_loop(a, b):
    d = _Total(a)
    s = 0.0
    for i in range(6):
        with d as e:
            e.total = e.total * 0.3 + b
            if s > 3.0:
                break
            if i == 2:
                continue
            s += e.total
    return s * d.total


def several(a, b):
    xs = []
    with _Pushed(xs, a) as n, np.errstate(all="ignore"), _Pushed(xs, b) as m:
        with _Pushed(xs, a * b):
            s = sum(x * k for k, x in enumerate(xs, 1)) + n + m
        s += len(xs)
    return s + len(xs)


def inside_of_try(a, b):
    d = _Total(a)

    def g(x):
        try:
            with d, np.errstate(divide="ignore"):
                if x > b:
                    return x / d.total
                d.total += b
            d.total += 1.0
        finally:
            d.total *= x
        return d.total

    return g(0.5) + g(a) + g(3.0) + d.total


def try_inside(a, b):
    d = _Total(a)
    with d:
        try:
            d.total -= b
        finally:
            d.total *= a
        with _Total(b) as e:
            e.total += d.total
    return d.total + e.total


def nothing_to_a_kernel(a, b):
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        r = a / b
    return r


def name_that_changes(a, b):
    with _Total(a):
        a = a * b
    return a
