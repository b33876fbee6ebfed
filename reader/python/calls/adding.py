"""Arrays of a module that a backward rule adds to, `gradient[i] += …`, or stores to.

What a rule adds is the cotangent of the array: it passes through branches, loops and batches
as every cotangent does, and the sum is added to the array when the derivative has run. Of what
a rule stores it is the sum, too, beside how often each element was stored to: once at most.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import FunctionType
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Slot
from ....terms.term import Term
from ....terms.types import Arr, Tup, Type
from ...globals import key_of
from ...source import Definition, assigned, own_nodes
from ...structs import is_struct
from ..values.scope import Frame, Function, Session
from ..values.words import word_name
from .storing import base_of, count_of, counting, stores_to

_SIZE = 4096  # elements: each is a result of the kernel


def arrays_of(session: Session, rule: Any) -> dict[str, Slot]:
    """The arrays of modules that a rule adds or stores to, or what it calls, by their keys.

    The session remembers them. Raises TraceError for one that is used in another way, and for
    one that is no array of reals.
    """
    found: dict[str, Slot] = {}
    names: list[str] = []
    for function in _called(session, rule):
        stored = []
        for name, store in _stores(function.source.node).items():
            array = _outside(function, name)
            if array is None:
                continue
            slot = _slot(session, function, name, array, store)
            if not _only_adds(function, name):
                stored.append(name)
                slot = replace(slot, type=Tup((slot.type, slot.type)))
            known = found.get(slot.array) or session.arrays.get(slot.array)
            if slot.array not in found and (known is None or known.type == slot.type):
                found[slot.array] = replace(slot, name=name + "_" * names.count(name))
                names.append(name)
            elif known is not None and known.type != slot.type:
                raise _mixed(function, name, store)
        if stored and count_of(stored[0]) not in _stores(function.source.node):
            assert isinstance(function.origin, FunctionType)
            session.functions[id(function.origin)] = function.origin, counting(function, stored)
    session.arrays |= found
    return found


def _mixed(function: Function, name: str, node: ast.AST) -> TraceError:
    return TraceError(
        f"{name!r} is both added to and stored to by rules, and {function.name} is part of one",
        function.source.span(node),
        "do one of the two",
    )


def _called(session: Session, rule: Any) -> list[Function]:
    """A rule, and the functions and methods that may run when it does."""
    found: dict[int, Function] = {}
    pending = [rule]
    for origin in pending:
        if not isinstance(origin, FunctionType) or id(origin) in found:
            continue
        function = session.function(origin) if word_name(origin) is None else None
        if function is not None:
            found[id(origin)] = function
            pending += _callees(function)
    return list(found.values())


def _callees(function: Function) -> Iterator[Any]:
    for node in own_nodes(function.source.node):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in function.outside:
                yield function.outside[name]
            case ast.Call(func=ast.Attribute(attr=name)):
                for cls in [c for c in _globals(function).values() if is_struct(c)]:
                    method = inspect.getattr_static(cls, name, None)
                    yield getattr(method, "__func__", method)


def _globals(function: Function) -> dict[str, Any]:
    assert isinstance(function.origin, FunctionType)
    return function.origin.__globals__


def sums_in(frame: Frame) -> dict[str, Any]:
    """In a rule, and in what it calls: what stands for the arrays that a function adds to."""
    totals, function = frame.session.totals, frame.function
    if not totals or not isinstance(function.origin, FunctionType):
        return {}
    keys = {
        name: key_of(function.origin.__globals__, name)
        for name in _stores(function.source.node)
        if _outside(function, name) is not None
    }
    found = {}
    for name, key in keys.items():
        total = totals.get(key)
        if isinstance(total, tuple):  # what is stored, and how often
            found[name], found[count_of(name)] = total
        elif total is not None:
            found[name] = total
    return found


def refuse_stores(frame: Frame) -> None:
    """Only a backward rule may change an array of a module. Raises TraceError."""
    function = frame.function
    for name, store in _stores(function.source.node).items():
        if name not in frame.state.names.local and _outside(function, name) is not None:
            raise frame.error(
                store,
                f"{function.name} changes {name!r}, which is not a variable of it",
                "return the new values; only a backward rule adds to an array of its module",
            )


def refuse_arrays(session: Session, captured: Sequence[Term], name: str, at: Span) -> None:
    """Inside a function, the derivative of another one adds to nothing. Raises TraceError."""
    for slot in session.arrays.values():
        if not set(captured).isdisjoint(slot.leaves()):
            raise TraceError(
                f"{name} would add to {slot.name!r}, by the rule of a function that it calls",
                at,
                "only the derivative as a whole adds to arrays: derive(f, 'bwd')",
            )


@lru_cache(maxsize=1024)
def _stores(node: Definition) -> Mapping[str, ast.Subscript]:
    """The names that a function stores to by index without having assigned them."""
    own = assigned(node) | {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    found: dict[str, ast.Subscript] = {}
    for target in own_nodes(node):
        if isinstance(target, ast.Subscript) and isinstance(target.ctx, ast.Store):
            name = base_of(target)
            if name is not None and name.id not in own:
                found.setdefault(name.id, target)
    return found


def _outside(function: Function, name: str) -> Any:
    """The list or array of numbers that a name outside the function is; else None."""
    inner = function.enclosing
    while inner is not None:
        if name in inner.state.names:
            return None
        inner = inner.function.enclosing
    found = function.outside.get(name)
    return found if isinstance(found, list) or hasattr(found, "__array_interface__") else None


def _slot(
    session: Session, function: Function, name: str, array: Any, store: ast.Subscript
) -> Slot:
    import numpy as np

    at = function.source.span(store)
    try:
        numbers = np.asarray(array)
    except ValueError:  # rows of different lengths
        numbers = np.array(None)
    shape = numbers.shape
    kinds = "fiu" if isinstance(array, list) else "f"
    if not shape or numbers.dtype.kind not in kinds:
        raise TraceError(f"{name!r} is no array of real numbers", at, "a rule adds to these")
    if numbers.size > _SIZE:
        raise TraceError(
            f"{name!r} has {numbers.size} elements, and a rule adds to {_SIZE} at most",
            at,
            "return the cotangent, and add it to the array outside of the kernel",
        )
    type_: Type = session.real
    for size in reversed(shape):
        type_ = Arr(type_, size)
    return Slot(name, type_, True, key_of(_globals(function), name))


def _only_adds(function: Function, name: str) -> bool:
    """Whether a rule adds to the elements of an array; else it stores to them.

    Raises TraceError where it does anything else with the array.
    """
    node = function.source.node
    sums = [inner for part in _sums(node, name) for inner in ast.walk(part)]
    stores = stores_to(node, name)
    for inner in own_nodes(node):
        if isinstance(inner, ast.Name) and inner.id == name and inner not in (sums or stores):
            raise TraceError(
                f"a rule may only add to an array of its module, or only store to it, and "
                f"{function.name} uses {name!r} in another way",
                function.source.span(inner),
                f"{name}[i] += …, or {name}[i] = …",
            )
    return bool(sums)


def _sums(node: Definition, name: str) -> Iterator[ast.expr]:
    """The element on both sides of `a[i] = a[i] + …`, and that of `a[i] += …`."""
    for statement in own_nodes(node):
        match statement:
            case ast.AugAssign(target=ast.Subscript() as target, op=ast.Add() | ast.Sub()):
                yield from _element(target, name)
            case ast.Assign(
                targets=[ast.Subscript() as target],
                value=ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right),
            ):
                sides = [left] if isinstance(op, ast.Sub) else [left, right]
                same = [s for s in sides if ast.unparse(s) == ast.unparse(target)]
                if same:
                    yield from _element(target, name)
                    yield from _element(same[0], name)


def _element(node: ast.expr, name: str) -> Iterator[ast.expr]:
    base = base_of(node)
    if base is not None and base.id == name:
        yield base
