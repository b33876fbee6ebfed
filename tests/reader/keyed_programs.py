"""Decorators that pass arguments on, and dictionaries with known keys, as Python has them."""

import functools

from egad import copy, custom_bwd, custom_fwd, diff_pair, float2, struct

TABLE = {"gain": 2.0, "weights": [1.0, 3.0], 5: 0.25}


def _passing(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)

    return inner


def _times(factor):
    def decorator(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            return factor * f(*args, **kwargs)

        return inner

    return decorator


def _noted(f):
    @functools.wraps(f)
    def inner(first, *rest):
        return first + f(first, *rest)

    return inner


def _defaulted(**defaults):
    def decorator(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            return f(*args, **{**defaults, **kwargs})

        return inner

    return decorator


@_passing
def wrapped(a, b):
    return a * b * b


@_times(3.0)
@_passing
@_noted
def wrapped_thrice(a, b):
    return a * b


@_times(2.0)
def _with_default(x, y=2.0, *, z=1.0):
    return x * y + z


@_defaulted(y=3.0)
def _by_name(x, y, z=1.0):
    return x * y + z


def calls_of_wrappers(a, b):
    return (
        _with_default(a),
        _with_default(a, b),
        _with_default(x=a, z=b, y=a),
        _by_name(a) + _by_name(b, z=a) * _by_name(a, y=b),
    )


def _cubed_fwd(x):
    return diff_pair(x.p**3, 3.0 * x.p * x.p * x.d)


@_passing
@custom_fwd(_cubed_fwd)
@custom_bwd(lambda x, d: 3.0 * x * x * d)
def _cubed(x):
    return x**3


def a_wrapper_around_a_rule(a, b):
    return _cubed(a) + wrapped(_cubed(b), a)


@struct
class _Spring:
    k: float

    @_passing
    def pull(self, x, rest=0.5):
        self.k *= 1.5
        return self.k * (x - rest)


def a_wrapped_method(a, b):
    s = _Spring(a)
    return s.pull(b) + s.pull(b, rest=a) + s.k


def _summed(**parts):
    total = 0.0
    for name, value in parts.items():
        total += value * (2.0 if name == "twice" else 1.0)
    return total + len(parts)


def names_of_all_arguments(a, b):
    return _summed(x=a, twice=b) * _summed() + _summed(**{"twice": a}, y=b)


def entries(a, b):
    d = {"x": a, "y": b, 7: a * b}
    e = {**d, "y": 2.0 * b}
    f = d | {"z": a}
    g = dict(f, w=b)
    return d["x"] * e["y"] + f["z"] * g["w"] + g.get(7) + g.get("none", 5.0) + len(g)


def running_over_entries(a, b):
    d = dict([("x", a), ("y", b)])
    total = 0.0
    for key in d:
        total += d[key] * d[key]
    for i, (key, value) in enumerate(d.items()):
        total += value * i if key in {"y": 1} else 0.5 * value
    x, y = d.values()
    return total + x * y + sum(d.values()) * ("x" in d) + (1.0 if "z" not in d else 0.0)


def a_comprehension_of_entries(a, b):
    powers = {k: a**k for k in range(1, 4) if k != 2}
    named = {name: b * i for i, name in enumerate(("p", "q", "r"))}
    return powers[1] + powers[3] * named["q"] + named["r"] * len(powers)


def entries_in_branches(a, b):
    d = {"x": a, "y": b}
    if a > b:
        d = {**d, "x": a * b}
    e = d if b > 0.0 else {"x": b, "y": a}
    return d["x"] * d["y"] + 3.0 * e["x"]


def entries_in_a_loop(a, b):
    state = {"at": a, "speed": float2(b, 1.0), "steps": 0}
    for i in range(6):
        state = {
            "at": state["at"] + 0.1 * state["speed"].x,
            "speed": state["speed"] * 0.9,
            "steps": state["steps"] + i,
        }
    return state["at"] * state["speed"].y + state["steps"]


def objects_in_entries(a, b):
    """They are the objects themselves, not copies."""
    v, s = float2(a, b), _Spring(b)
    d = {"v": v, "s": s, "own": copy(s)}
    v.x = 3.0 * a
    d["s"].k += a
    for _ in range(3):
        d["s"].k *= b
    d["own"].k += 1.0
    return d["v"].x + s.k * d["own"].k


def equal_entries(a, b):
    d, e = {"x": a, "y": b}, {"y": b, "x": a}
    return a * (d == e) + b * (d != {"x": a}) + 2.0 * (d == {"x": b, "y": a})


def functions_in_entries(a, b):
    ops = {"mul": lambda x, y: x * y, "div": lambda x, y: x / (1.0 + y * y)}
    return sum(op(a, b) for op in ops.values()) + ops["mul"](b, b)


def entries_of_the_module(a, b):
    total = 0.0
    for key, value in TABLE.items():
        total += a * (value[1] if key == "weights" else value)
    return total + b * TABLE.get("gain", 0.0) * TABLE[5] + ("none" in TABLE)


def _polar(a, b):
    return {"r2": a * a + b * b, "tan": b / (1.0 + a * a)}


def a_function_that_gives_entries(a, b):
    p = _polar(a, b)
    return p["r2"] * p["tan"]
