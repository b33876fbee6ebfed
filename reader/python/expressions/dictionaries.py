"""`{"a": x, **d}` and `{k: f(k) for k in …}`: their keys are known while reading."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..calls.calls import call
from ..operations.dictionaries import made_from
from ..values.entries import ordered_entries
from ..values.objects import Mapped
from ..values.scope import Frame
from ..values.values import describe
from .comprehensions import Evaluate, comprehension
from .waiting import in_order


def display(frame: Frame, node: ast.Dict, evaluate: Evaluate) -> Mapped:
    """The value of `{key: value, …}`."""
    nodes = [
        n for k, v in zip(node.keys, node.values, strict=True) for n in (k, v) if n is not None
    ]
    values = iter(in_order(frame, nodes, evaluate))
    pairs: list[tuple[Any, Any]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            pairs.append((next(values), next(values)))
            continue
        found = next(values)
        entries = ordered_entries(frame.session, found, frame.span(value))
        if entries is None:
            raise frame.error(value, f"after ** stands a dictionary, not {describe(found)}")
        pairs += entries.items()
    return made_from(pairs, frame.span(node))


def of_comprehension(frame: Frame, node: ast.DictComp, evaluate: Evaluate) -> Mapped:
    """The value of `{key: value for … in …}`."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    pairs = ast.copy_location(ast.ListComp(pair, node.generators), node)
    return made_from(comprehension(frame, pairs, evaluate), frame.span(node))


def set_of(frame: Frame, node: ast.expr, items: Sequence[Any]) -> Any:
    """`{a, b}` and `{x for x in xs}`."""
    return call(frame.session, set, [tuple(items)], {}, frame.span(node))
