"""Dictionaries that change: names refer to them, keys come and go, as in Python."""

import copy as copies
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypedDict

from egad import detach, float2, max_iters, struct


@struct
class _Point:
    x: float
    y: float


@dataclass
class _Cache:
    store: dict = field(default_factory=dict)

    def get(self, key, value):
        if key not in self.store:
            self.store[key] = value
        return self.store[key]


class _State(TypedDict):
    x: float
    v: float


def names_and_copies(a, b):
    d = {"x": a}
    e = d
    e["x"] = b
    for other in (dict(d), d.copy(), copies.copy(d), copies.deepcopy(d), {**d}, d | {}):
        other["x"] = 9.0
    return d["x"] * a


def branches(a, b):
    d = {"x": a, "y": b}
    e = d
    if a > b:
        d["x"] = b * b
    else:
        e["y"] *= a
    return d["x"] * 3 + e["y"] + d["y"]


def one_or_the_other(a, b):
    d, e = {"x": a, "y": 1.0}, {"y": a * b, "x": b}
    f = d if a > b else e
    d["x"] += 1.0
    f["y"] += 3.0 * a
    return f["x"] * f["y"] + sum(f.values()) + len(f) * a + ("x" in f) + e["y"]


def one_of_three(a, b):
    x, y, z = {"k": a}, {"k": b}, {"k": a * b}
    q = x if a > 1 else (y if b > 1 else z)
    p = q if b < 2 else x
    p["k"] += 10.0
    q["k"] *= 2
    return x["k"] + 3 * y["k"] + 7 * z["k"]


def in_a_loop(a, b):
    d = {"x": a, "v": b}
    e = d
    for _ in range(20):
        d["x"] += 0.05 * d["v"]
        e["v"] -= 0.05 * d["x"]
        if d["x"] > 1.0:
            d["v"] *= 0.9
    return d["x"] * 2 + e["v"]


def a_new_one_in_each_trip(a, b):
    d = {"x": a, "v": b}
    e = d
    for _ in range(20):
        d = {"v": d["v"] - 0.05 * d["x"], "x": d["x"] + 0.05 * d["v"]}
    e["x"] += 10.0
    return d["x"] * 2 + d["v"] + e["x"]


def two_that_change_places(a, b):
    p, q = {"x": a}, {"x": b}
    for _ in range(7):
        p, q = q, p
        p["x"] += 0.5 * q["x"]
    return p["x"] * 2 + q["x"]


def the_best_of_a_loop(a, b):
    ds = [{"x": a}, {"x": b}, {"x": a * b}]
    best = ds[0]
    for i in range(3):
        if ds[i]["x"] > best["x"]:
            best = ds[i]
    best["x"] = 10 * a
    return ds[0]["x"] + 2 * ds[1]["x"] + 3 * ds[2]["x"]


def until_it_ends(a, b):
    max_iters(30)
    d = {"t": 0.0, "x": a}
    while d["t"] < 1.0:
        d["t"] += 0.125
        d["x"] *= 1 + 0.1 * b
        if d["x"] > 3:
            break
    return d["x"] + d["t"]


def _step(s: dict[str, float], k: float) -> None:
    s["x"] += k * s["v"]
    if s["x"] > 1.5:
        return
    s["v"] -= k


def changed_by_calls(a, b):
    d: dict[str, Any] = {"x": a, "v": b}
    _step(d, 0.5)
    _step(d, b)
    return d["x"] * d["v"]


def _advanced(s: _State, k: float) -> _State:
    return {"x": s["x"] + k * s["v"], "v": s["v"]}


def typed_ones(a, b):
    s: _State = _State(x=a, v=b)
    for _ in range(10):
        s = _advanced(s, 0.1)
    return s["x"] * s["v"]


def defaults_are_shared(a, b):
    def f(x, memory={}):  # noqa: B006  # what is tried
        memory["k"] = memory.get("k", 0.0) + x
        return memory["k"]

    return f(a, {"k": 1.0}) * f(b, {})


def what_is_inside(a, b):
    d = {"p": {"x": a}, "l": [a, b], "v": float2(a, b), "s": _Point(a, b)}
    d["p"]["x"] += b
    d["l"][0] = 3 * b
    d["v"].x = 7 * a
    w, q, s = d["v"], d["p"], d["s"]
    w.y = a * b
    q["z"] = 2.0
    s.x = 5.0 * b
    d["s"] = _Point(b, b)
    return d["p"]["x"] * d["l"][0] + d["v"].x * d["v"].y + len(d["p"]) + s.x * d["s"].x


def lists_of_them(a, b):
    rows = [{"m": a + i, "x": 0.5 * i * b} for i in range(12)]
    for row in rows:
        row["x"] += a * row["m"]
    total = 0.0
    for i in range(12):
        total += rows[i]["x"] * rows[i]["m"]
    return total


def views_show_what_is_there(a, b):
    d = {"x": a, "y": b, "z": 1.0}
    values, items = d.values(), d.items()
    total = 0.0
    for _, value in items:
        total += value
        d["z"] = value * 2
    d["y"] = 10.0
    return total + sum(values) + len(items) + sum(v for k, v in items if k != "x")


def keys_that_come_and_go(a, b):
    d = {}
    for key, value in (("x", a), ("y", b), ("x", a * b)):
        d[key] = d.get(key, 0.0) + value
    d.update(z=b)
    d.update({"w": 2.0}, y=a)
    d.setdefault("x", 100.0)
    d.setdefault("q", 4.0)
    popped = d.pop("w") + d.pop("nothing", 0.5)
    for key in list(d):
        d[key + "2"] = d.pop(key)
    del d["z2"]
    d["first"], d["x2"] = d["x2"], 3.0 * d["y2"]
    return sum(value * (i + 1) for i, value in enumerate(d.values())) + popped + len(d)


def keys_of_both_arms(a, b):
    d = {"x": a}
    if a > b:
        d["y"] = a
    else:
        d["y"] = 2 * b
    return d["y"] * d["x"]


def keys_of_an_early_return(a, b):
    d = {"x": a}

    def g(e):
        if a > b:
            return e["x"]
        e["x"] = 5.0 * b
        return e["x"] * 2

    return g(d) + d["x"]


def in_a_field(a, b):
    c = _Cache()
    c.get("x", a)
    c.get("x", b)
    c.store["y"] = b
    return c.get("x", 0.0) * c.get("y", 3.0) + len(c.store) + len(_Cache().store)


def around_a_function(a, b):
    d = {"n": 0.0}

    def f(x):
        d["n"] += x
        return x * d["n"]

    return f(a) + f(b) + d["n"]


def equal_and_the_same(a, b):
    d, e = {"x": a, "y": b}, {"y": b, "x": a}
    same = a * (d == e) + b * (d is e)
    e["x"] = 0.0
    return same + (5 if d != e else 6) + (1 if d else 0) + (a if {} else b)


def _of_names(**names):
    names["x"] = names["x"] * 2
    names.setdefault("z", 4.0)
    return sum(names.values())


def what_names_make_is_new(a, b):
    d = {"x": a, "y": b}
    return _of_names(**d) + d["x"]


def patterns(a, b):
    total = 0.0
    for shape in ({"kind": "c", "r": a}, {"kind": "r", "w": a, "h": b}, {"kind": "xy"}, a):
        match shape:
            case {"kind": "c", "r": r}:
                total += r * r
            case {"kind": "r", "w": w, **rest}:
                total += w * rest["h"] * len(rest)
            case {"kind": kind}:
                total += len(kind)
    match {"v": a}:
        case {"v": v} if v > 1:
            total += v
        case {"v": v}:
            total -= v
    return total


def orders(a, b):
    d = {"x": a, "y": b}
    return d["x"] + max(d.values()) + sorted(d.values())[0] + d[max(d, key=len)]


def keys_of_many_kinds(a, b):
    d = {0: a, (1, 2): b, "s": 1.0, None: 2.0}
    d[0] *= b
    d[1, 2] = a
    return d[0] * d[(1, 2)] * d[None]


def stopped(a, b):
    d = {"x": a}
    e = detach(d)
    e["x"] += b
    return d["x"] * e["x"]


class _Side(Enum):
    LEFT = 1
    RIGHT = 2


def carried_with_keys_that_are_no_names(a, b):
    counts, grid = {0: a, 1: b}, {(0, 0): a, (0, 1): b, (1, 0): 0.0}
    sides, texts = {_Side.LEFT: a, _Side.RIGHT: b}, {"per cent": a, "p": b, None: 0.5}
    for i in range(5):
        counts[0] += b * counts[1]
        counts[1] = 0.5 * counts[0]
        grid[1, 0] += grid[0, 0] * i
        grid[0, 0], grid[0, 1] = grid[0, 1], grid[0, 0] * 0.75
        for side in sides:
            sides[side] += a * sides[_Side.RIGHT] * 0.1
        texts = {key: value * 0.5 + a for key, value in texts.items()}
    total = sum(grid.values()) + sum(texts.values()) + sides[_Side.LEFT] * sides[_Side.RIGHT]
    return total + counts[0] * counts[1]


def pairs_of_a_dictionary(a, b):
    d = {"p": a, "d": b}
    for _ in range(4):
        d = {"p": d["d"], "d": d["p"] * 0.5}
    return d["p"] * 2 + d["d"]


def keys_in_other_orders(a, b):
    d = {0: a, 1: b} if a > b else {1: a * b, 0: 3.0}
    max_iters(8)
    while d[0] < 4.0:
        d = {1: d[1] + a * 0.1, 0: d[0] + 1.5} if d[1] > 1.0 else {0: d[0] + 1.0, 1: d[1] * 2.0}
    return d[0] * d[1]


def names_in_other_orders(a, b):
    d = {"x": a, "y": b}
    for i in range(4):
        d = (
            {"y": d["y"] + a * i, "x": d["x"] + 1.5}
            if d["y"] > 1.0
            else {"x": a, "y": d["y"] * 2.0}
        )
    return d["x"] + d["y"] * 10.0


def keys_of_a_loop_without_end(a, b):
    """Keys that only the kernel knows, where trips are not known: one of those that are there."""
    d, e, total = {0: a, 1: b, 2: 1.0}, {True: a, False: b}, 0.0
    n = 7 if a > b else 5
    for i in range(n):
        total += d[i % 3] * 0.5
        d[i % 3] += total
        e[a > total] += 0.25 * b
        for j in range(2):
            total += d[j] * 0.1
    return total + sum(d.values()) * 10.0 + e[True] * 100.0 + e[False]


def keys_of_many_trips(a, b):
    d = {0: a, 1: b}
    for i in range(300):
        d[i % 2] += d[1 - i % 2] * 0.01
    return d[0] + 2.0 * d[1]


def lists_of_dictionaries_in_other_orders(a, b):
    rows = [{"x": a, "y": b}, {"y": a * b, "x": 0.5}]
    for i in range(3):
        if i % 2 == 0:
            rows = (
                [{"y": rows[1]["x"], "x": a + i}, rows[0]] if a > b else [rows[1], {"x": b, "y": a}]
            )
    return rows[0]["x"] + rows[0]["y"] * 3.0 + rows[1]["x"] * 10.0 + rows[1]["y"] * 100.0


def values_in_the_order_of_each(a, b):
    d, e = {"x": a, "y": b}, {"y": 0.5 * a, "x": b - 0.25}
    f = e if a > b else d
    first, second = f.values()
    return first + 10.0 * second + f["x"] * 100.0 + len(f)


def the_greatest_of_tuples_by_their_first_items(a, b):
    rows = {"x": (a, 1.0), "y": (b, 2.0), "z": (0.5 * a, 4.0)}
    return max(rows.values())[1] + 10.0 * min(rows.values())[1] + 100.0 * max(*rows.values())[1]


def the_greatest_of_lists_and_the_first_of_items(a, b):
    rows = {"x": [a, 1.0], "y": [b, 2.0]}
    return 10.0 * max(rows.values())[1] + sorted(rows.values())[0][1] + min(rows.items())[1][0]
