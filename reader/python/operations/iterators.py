"""Iterators of `itertools` that are written in Python, and read like generators of a user.

Takes nothing: a table of functions, by those of Python that they stand for.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....terms.errors import Span
from ..values.scope import Session
from .records import Invoke


def _count(start=0, step=1):
    while True:
        yield start
        start += step


def _cycle(iterable):
    items = list(iterable)
    while items:
        yield from items


def _takewhile(predicate, iterable):
    for x in iterable:
        if not _known(predicate(x)):
            break
        yield x


def _dropwhile(predicate, iterable):
    begun = False
    for x in iterable:
        begun = begun or not _known(predicate(x))
        if begun:
            yield x


def _filterfalse(predicate, iterable):
    for x in iterable:
        if not _known(x if predicate is None else predicate(x)):
            yield x


def _compress(data, selectors):
    for x, wanted in zip(data, selectors, strict=False):
        if _known(wanted):
            yield x


def _batched(iterable, n):
    items = tuple(iterable)
    for i in range(0, len(items), n):
        yield items[i : i + n]


def _groupby(iterable, key=None):
    groups: list[Any] = []
    for x in iterable:
        k = x if key is None else key(x)
        if groups and _known(groups[-1][0] == k):
            groups[-1][1].append(x)
        else:
            groups.append((k, [x]))
    return iter(groups)


def _known(held):
    return len(list(filter(None, [held]))) == 1  # how many there are must not depend on the kernel


def from_iterable(iterables):
    """`itertools.chain.from_iterable`."""
    for items in iterables:
        yield from items


def ndenumerate(arr):
    """`numpy.ndenumerate`."""
    import numpy

    return zip(numpy.ndindex(arr.shape), arr.flat, strict=True)  # each as it is in its turn


def read(function: Callable[..., Any]) -> Any:
    """A handler that reads a function as if the user had called it."""

    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
    ) -> Any:
        return invoke(function, args, kwargs, at)

    return handler


_WRITTEN: Mapping[str, Callable[..., Any]] = {
    "count": _count,
    "cycle": _cycle,
    "takewhile": _takewhile,
    "dropwhile": _dropwhile,
    "filterfalse": _filterfalse,
    "compress": _compress,
    "batched": _batched,  # since Python 3.12
    "groupby": _groupby,
}
#: By the functions of Python.
HANDLERS: Mapping[int, Any] = {
    id(getattr(itertools, name)): read(function)
    for name, function in _WRITTEN.items()
    if hasattr(itertools, name)
}
