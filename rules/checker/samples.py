"""Points at which rules are tried: short decimals and special values, always the same ones.

Takes parameters, gives assignments; knows nothing of rules and their judges.
"""

from __future__ import annotations

import itertools
import math
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...terms.rule import Parameter

# Where rules go wrong: 0, 1 and -1, equal arguments, large and tiny ones.
SPECIAL = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1e-3, -1e-3, 1e3, -1e3, 1e-8, 1e8)
_EDGES = (0.0, 1.0, -1.0, 0.5, 2.0)
_BITS = (0.0, 1.0, 2.0, 0.5, 3.0, 0.1, 0.3, 1e-17, 1.0000001, 7.25, 1e16, float("inf"))
_TROUBLE = (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"))
_ALL = 2500
# Integers; the first ones are tried in all combinations, also of three and more.
_COMBINED = (0, 1, -1, 2, 3, 4, 0x1FFFFFFF, 2**31 - 1, -(2**31))
_WHOLE = (*_COMBINED, 2**31 - 2, 1 - 2**31, -2, 7, 13, 16, 31, 100, -12345, 1 << 16, 0x55555555)
_TINY, _NEARLY = 1e-12, 3
_APART = ((1e3, 1e-3), (1.0, _TINY))  # numbers of different sizes, for two parameters
_LOST = (1e3, _TINY)  # of more parameters
SIZES = (3, 2, 4)  # of vectors and matrices whose kind does not say it; mostly the first
_ELSEWHERE = 8  # random points at the other sizes
_BESIDE = (1.0, -1.0, 0.999, -0.999, 1.001, -1.001)
_INSIDE = 3  # points at a threshold, with the other numbers no larger than it
_BETWEEN = 3  # points between two neighbouring thresholds


def generator(name: str) -> random.Random:
    """Random numbers that depend on the name of the rule alone."""
    return random.Random(zlib.crc32(name.encode()))


def decimal(rng: random.Random) -> float:
    """A short decimal, mostly of ordinary size: easy to read in an error message."""
    match rng.randrange(8):
        case 0:
            return rng.choice(SPECIAL)
        case 1:
            return round(rng.uniform(-40, 40), 1)
        case 2:
            return round(rng.uniform(0, 1), 3)
    return round(rng.uniform(-3, 3), 2)


def points(
    params: Sequence[Parameter], name: str, count: int, near: Sequence[float] = ()
) -> list[dict[str, Any]]:
    """Assignments of numbers, vectors (lists) and matrices (lists of lists) to parameters.

    On both sides of every number in `near`, too: a series is at its worst where it ends.

    >>> points([Parameter("x")], "demo", 2)[0]
    {'x': 0.0}
    """
    rng = generator(name)
    found = [{p.name: filled(p, v) for p in params} for v in SPECIAL]
    for value in SPECIAL[1:] if len(params) > 1 else ():  # opposite arguments
        found.append({p.name: filled(p, -value if i else value) for i, p in enumerate(params)})
    scalars = [p for p in params if p.is_scalar]
    if 1 < len(scalars) == len(params) <= 3:
        for values in itertools.product(_EDGES, repeat=len(params)):
            found.append({p.name: filled(p, v) for p, v in zip(params, values, strict=True)})
    if len(scalars) == len(params) == 2:  # quotients that overflow or cancel
        signs = itertools.product((1, -1), repeat=2)
        for (s, t), (large, small) in itertools.product(signs, _APART):
            for values in ((s * large, t * small), (t * small, s * large)):
                found.append({p.name: filled(p, v) for p, v in zip(params, values, strict=True)})
    if any(p.kind == "bool" for p in params):
        for _ in range(2 * count):
            found.append({p.name: _random(p, rng) for p in params})
    for _ in range(count):
        found.append(_near({p.name: _random(p, rng) for p in params}, rng))
    found.extend(_with_zeros(params, rng))
    for value, param in itertools.product([b * s for b in near for s in _BESIDE], params):
        found.append({p.name: _random(p, rng) for p in params} | {param.name: filled(param, value)})
        for _ in range(_INSIDE if len(scalars) == len(params) > 1 else 0):
            inside = {p.name: convert(p, value * rng.uniform(-1, 1)) for p in params}
            found.append(inside | {param.name: filled(param, value)})
    for value, param in _more_near(params, near, rng):
        found.append({p.name: _random(p, rng) for p in params} | {param.name: filled(param, value)})
    others = params if len(params) > 1 else ()
    for (a, b), param in itertools.product(itertools.pairwise(near), others):
        zeros = {p.name: filled(p, 0.0) for p in params}
        found.append(zeros | {param.name: filled(param, (a + b) / 2)})
    if len(scalars) == len(params) > 2:
        found += _nearly_zero(params, rng)
        found += _far_apart(params, rng)
    return found


def _nearly_zero(params: Sequence[Parameter], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Points at which one number is nearly 0: what cancels there has no digits."""
    for param, value in itertools.product(params, (_TINY, -_TINY) * _NEARLY):
        others = {p.name: filled(p, round(rng.uniform(-3, 3), 2)) for p in params}
        yield others | {param.name: filled(param, value)}


def _far_apart(params: Sequence[Parameter], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Points at which one number is lost beside another one: 1 + (b - a)/a is b/a no more."""
    large, small = _LOST
    for one, other in itertools.permutations(params, 2):
        point = {p.name: _random(p, rng) for p in params}
        yield point | {one.name: filled(one, large), other.name: filled(other, small)}


def _more_near(
    params: Sequence[Parameter], near: Sequence[float], rng: random.Random
) -> Iterator[tuple[float, Parameter]]:
    """Numbers between two neighbouring thresholds; whole ones beside them."""
    for (a, b), sign, param in itertools.product(itertools.pairwise(near), (1, -1), params):
        for _ in range(_BETWEEN):
            yield sign * _between(a, b, rng), param
    for bound, param in itertools.product(near, params):
        if param.kind == "int":
            yield from ((sign * bound + d, param) for sign in (1, -1) for d in (1, -1))


def _between(a: float, b: float, rng: random.Random) -> float:
    """A short decimal between two numbers."""
    digits = 2 - math.floor(math.log10(b - a))
    return min(max(round(rng.uniform(a, b), digits), a), b)


def drawn(
    params: Sequence[Parameter], name: str, near: Sequence[float], count: int
) -> Iterator[dict[str, Any]]:
    """Assignments at random between thresholds: for conditions that few points fulfil."""
    rng = generator(f"{name} drawn")
    bounds = sorted({0.0, *near, *(-b for b in near)})
    pairs = list(itertools.pairwise(bounds))

    def number() -> float:
        return _between(*rng.choice(pairs), rng) if pairs and rng.randrange(4) else decimal(rng)

    for _ in range(count):
        yield {p.name: _each(p, number) for p in params}


def _near(point: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Every eighth point with numbers that nearly agree, up to the sign: what cancels.

    Two of the point, or one and 1.
    """
    names = [n for n, v in point.items() if isinstance(v, float)]
    if names and rng.randrange(8) == 0:
        gap = rng.choice((1e-3, -1e-4, 1e-6))
        one, *others = rng.sample(names, min(len(names), 2))
        like = point[others[0]] if others and rng.randrange(4) else 1.0
        point[one] = rng.choice((1, -1)) * like + gap
    return point


def _with_zeros(params: Sequence[Parameter], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Vectors and matrices with a single component that is 0, each in turn."""
    for param in params:
        for k in range(0 if param.is_scalar else size_of(param)):
            point = {p.name: _random(p, rng) for p in params}
            whole = point[param.name]
            (whole if param.kind.startswith("vec") else whole[k])[k] = 0.0
            yield point


def filled(param: Parameter, value: float) -> Any:
    """A value of the parameter's kind, with one number everywhere."""
    match param.kind[:3]:
        case "vec":
            return [value] * size_of(param)
        case "mat":
            return [[value] * size_of(param) for _ in range(size_of(param))]
    return convert(param, value)


def _random(param: Parameter, rng: random.Random) -> Any:
    if param.kind == "bool":
        return rng.random() < 0.5
    return _each(param, lambda: decimal(rng))


def _each(param: Parameter, number: Callable[[], float]) -> Any:
    """A value of the parameter's kind, of numbers that are asked for one by one."""
    n = size_of(param)
    match param.kind[:3]:
        case "vec":
            return [number() for _ in range(n)]
        case "mat":
            return [[number() for _ in range(n)] for _ in range(n)]
    return convert(param, number())


def convert(param: Parameter, value: float) -> Any:
    """The number as a value of the parameter's kind."""
    if param.kind == "bool":
        return bool(value > 0)
    return int(value) if param.kind == "int" else value


def size_of(param: Parameter) -> int:
    """The number of rows tried for a vector or matrix parameter."""
    return int(param.kind[3:] or SIZES[0]) if not param.is_scalar else 0


def is_open(param: Parameter) -> bool:
    """Whether the parameter is a vector or a matrix of any size."""
    return param.kind in ("vec", "mat")


def open_sizes(params: Sequence[Parameter]) -> tuple[int, ...]:
    """The sizes to try for parameters whose kind does not say it."""
    return SIZES if any(map(is_open, params)) else SIZES[:1]


def sized(params: Sequence[Parameter], size: int) -> list[Parameter]:
    """The parameters, with one size for all that may have any."""
    return [Parameter(p.name, f"{p.kind}{size}") if is_open(p) else p for p in params]


def at_sizes(
    params: Sequence[Parameter], name: str, count: int, near: Sequence[float] = ()
) -> list[dict[str, Any]]:
    """Assignments as of `points`, and some with vectors of the other sizes."""
    first, *others = open_sizes(params)
    found = points(sized(params, first), name, count, near)
    for size in others:
        more = points(sized(params, size), f"{name} {size}", _ELSEWHERE)
        found += [*more[:2], *more[-_ELSEWHERE:]]
    return found


def columns(assignments: Sequence[dict[str, Any]], dtype: type[Any]) -> dict[str, Any]:
    """Assignments as one array per parameter, or per component of it; all of one size."""
    names = assignments[0].keys()
    return {n: _column([point[n] for point in assignments], dtype) for n in names}


def _column(values: Sequence[Any], dtype: type[Any]) -> Any:
    if isinstance(values[0], list):
        return [_column(parts, dtype) for parts in zip(*values, strict=True)]
    kinds: dict[type, type[Any]] = {bool: np.bool_, int: np.int32}
    return np.array(values, dtype=kinds.get(type(values[0]), dtype))


def patterns(
    params: Sequence[Parameter], name: str, dtype: type[Any], near: Sequence[float] = ()
) -> dict[str, Any]:
    """Arrays of every kind of number for each parameter: both zeros, NaN, infinities, subnormals.

    All combinations for one or two parameters. For more: every two numbers in every two places
    together, all combinations of the numbers that make trouble, and a fixed random selection; with
    integers among them, a selection that holds integers of all magnitudes, too, and many of the
    size of the numbers in `near`.
    """
    info = np.finfo(dtype)
    values = [s * dtype(v) for v in _BITS for s in (dtype(1), dtype(-1))]
    values += [s * v for v in (info.smallest_subnormal, info.tiny, info.max) for s in (1, -1)]
    values += [dtype("nan"), info.smallest_subnormal * 3, info.max / 2, 1 - info.epsneg]
    odd = [dtype(v) for v in _TROUBLE] + [info.smallest_subnormal, -info.max]
    whole = np.array(_WHOLE, dtype=np.int32)
    kinds = {"bool": np.array([False, True]), "int": whole}
    pools = [kinds.get(p.kind, np.array(values, dtype=dtype)) for p in params]
    rng = generator(name)
    if np.prod([len(p) for p in pools]) <= _ALL:
        grid = list(itertools.product(*pools))
    else:
        some = {"bool": kinds["bool"], "int": whole[: len(_COMBINED)]}
        few = [some.get(p.kind, odd) for p in params]
        grid = _pairwise(pools)
        grid += list(itertools.islice(itertools.product(*few), 4 * _ALL))
        grid += [tuple(p[rng.randrange(len(p))] for p in pools) for _ in range(_ALL)]
    columns = [np.array([row[i] for row in grid], pool.dtype) for i, pool in enumerate(pools)]
    rng_of_rows = np.random.default_rng(zlib.crc32(name.encode()))
    with np.errstate(over="ignore"):
        more = [_drawn(pool, near, rng_of_rows) for pool in pools]
    columns = [np.concatenate(each) for each in zip(columns, more, strict=True)]
    return {p.name: column for p, column in zip(params, columns, strict=True)}


def _drawn(pool: Any, numbers: Sequence[float], rng: np.random.Generator) -> Any:
    """Some of the pool, mostly others: short decimals, and what is near the numbers.

    Of integers small ones as often as large ones.
    """
    size = 4 * _ALL
    chosen = pool[rng.integers(0, len(pool), size)]
    if pool.dtype.kind == "f":
        return _drawn_reals(chosen, numbers, rng)
    if pool.dtype.kind != "i":
        return chosen
    bounds = [int(v) for v in numbers if v < 2**30] or [1]
    large = rng.integers(-(2**31), 2**31, size) >> rng.integers(0, 31, size)
    bound = np.array(bounds)[rng.integers(0, len(bounds), size)]
    near = rng.integers(-bound - 1, 2 * bound + 2)
    kind = rng.integers(0, 4, size)
    return np.choose(np.minimum(kind, 2), [chosen, large, near]).astype(pool.dtype)


def _drawn_reals(chosen: Any, numbers: Sequence[float], rng: np.random.Generator) -> Any:
    """The chosen numbers, or others: short decimals, and numbers at, beside and between bounds."""
    size = len(chosen)
    short = np.round(rng.uniform(-3, 3, size), 2)
    bounds = np.array(sorted({0.0, *numbers, *(-b for b in numbers)}))
    if len(bounds) < 2:
        return np.where(rng.integers(0, 2, size) == 0, chosen, short).astype(chosen.dtype)
    low = rng.integers(0, len(bounds) - 1, size)
    between = bounds[low] + (bounds[low + 1] - bounds[low]) * np.round(rng.random(size), 3)
    eps = np.finfo(chosen.dtype).eps
    beside = bounds[low] * (1 + rng.choice([0.0, 1e-3, -1e-3, eps, -eps], size))
    kind = rng.integers(0, 4, size)
    return np.choose(kind, [chosen, short, between, beside]).astype(chosen.dtype)


def _pairwise(pools: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows in which every two columns hold every pair of their values.

    An orthogonal array: lines i*m + j over the field of a prime number of elements, of which two
    with different slopes m meet in one point.
    """
    size = max(len(pools), *(len(pool) for pool in pools))
    prime = next(n for n in itertools.count(max(size, 2)) if all(n % k for k in range(2, n)))
    return [
        tuple(pool[(i * m + j) % prime % len(pool)] for m, pool in enumerate(pools))
        for i in range(prime)
        for j in range(prime)
    ]
