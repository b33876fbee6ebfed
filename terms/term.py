"""Terms: immutable, interned nodes, and the iterative walks over them.

A term is an operator applied to terms. Equal terms are the same object, so a program is a
graph in which every common subexpression exists once. Nothing here knows what an operator
means; nothing here recurses, because programs are thousands of levels deep.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any, TypeVar
from weakref import ref

from .collecting import uncollected
from .types import Scalar, ScalarType
from .walk import postorder

T = TypeVar("T")

VAR = "var"
CONST = "const"
SELECT = "select"
CAST = "cast"
DETACH = "detach"
CALL = "call"
PROJ = "proj"
LEAVES = frozenset({VAR, CONST})

#: Scopes, what a term depends on: constants only; variables (or results, or elements of
#: memories); and, from 0 on, the newest variable of an open loop, by its serial.
CONSTANT, FREE = -2, -1

_LOCK = RLock()


class BoundName(str):
    """The name of a variable that belongs to a loop while that is open: `name#serial`."""

    __slots__ = ("serial", "stem")
    stem: str
    serial: int

    def __new__(cls, stem: str, serial: int) -> BoundName:
        """The name that no other variable has."""
        found = str.__new__(cls, f"{stem}#{serial}")
        found.stem, found.serial = stem, serial
        return found


class Term:
    """One node: operator name, arguments, attribute and scalar type; equality is identity.

    `attr` is hashable: the name of a variable, the bits of a constant, the `Call` of a call,
    the index of a projection; None for ordinary operators. `scope` says how deep in open
    loops the term stands, so that a walk over what belongs to one loop can stop at the rest.
    """

    __slots__ = ("__weakref__", "args", "attr", "op", "scope", "type")
    op: str
    args: tuple[Term, ...]
    attr: Any
    type: Any  # Scalar, or Memory inside loops
    scope: int

    def __new__(
        cls, op: str, args: tuple[Term, ...] = (), attr: Any = None, type: ScalarType = Scalar.REAL
    ) -> Term:
        """The one node with these parts."""
        key = (op, args, attr, type)
        known = _TERMS.get(key)
        if known is not None and (found := known()) is not None:
            return found
        made = object.__new__(cls)
        put = object.__setattr__
        put(made, "op", op)
        put(made, "args", args)
        put(made, "attr", attr)
        put(made, "type", type)
        put(made, "scope", _scope(op, args, attr, type))
        entry = _Entry(made, _forget)
        entry.key = key
        # Two threads may arrive here with one key: the first to be stored wins.
        with _LOCK:
            known = _TERMS.get(key)
            if known is not None and (found := known()) is not None:
                return found
            _TERMS[key] = entry
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"terms are immutable: cannot set {name!r}")

    def __repr__(self) -> str:
        """The node and its arguments' heads; depth is bounded, so printing never overflows."""
        if self.op == VAR:
            return str(self.attr)
        if self.op == CONST:
            return repr(const_value(self))
        heads = (a.op if a.args else repr(a) if a.op in LEAVES else a.op for a in self.args)
        return f"{self.op}({', '.join(heads)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Deep graphs overflow the pickler: a term travels as a flat table.
        return _from_table, (to_table([self]),)


class _Entry(ref[Term]):
    """A weak reference to a term that is in use, with the term's parts.

    (The standard library's WeakValueDictionary does the same, in three times the time.)
    """

    __slots__ = ("key",)
    key: tuple[object, ...]


_TERMS: dict[tuple[object, ...], _Entry] = {}


def _forget(entry: _Entry) -> None:
    """Drop the entry of a term that nobody holds, unless there is a new term in its place."""
    with _LOCK:
        if _TERMS.get(entry.key) is entry:
            del _TERMS[entry.key]


def _scope(op: str, args: tuple[Term, ...], attr: Any, type: ScalarType) -> int:
    if op == VAR:
        return attr.serial if isinstance(attr, BoundName) else FREE
    if not args:
        return CONSTANT
    inner: int = max([a.scope for a in args])
    return inner if op != PROJ and isinstance(type, Scalar) else max(inner, FREE)


def var(name: str, type: ScalarType = Scalar.REAL) -> Term:
    """The variable `name`."""
    return Term(VAR, (), name, type)


def const(value: float | int | bool, type: Scalar = Scalar.REAL) -> Term:
    """A constant that keeps its bits: -0.0, NaN payloads and infinities stay distinct."""
    if type is Scalar.BOOL:
        return Term(CONST, (), bool(value), type)
    if type is Scalar.I32 or type.is_unsigned:
        return Term(CONST, (), int(value), type)
    bits = struct.unpack("<q", struct.pack("<d", float(value)))[0]
    return Term(CONST, (), bits, type)


def const_value(term: Term) -> float | int | bool:
    """The Python number held by a constant."""
    if term.type in (Scalar.BOOL, Scalar.I32) or term.type.is_unsigned:
        return term.attr  # type: ignore[no-any-return]
    value: float = struct.unpack("<d", struct.pack("<q", term.attr))[0]
    return value


def is_const(term: Term, value: float | None = None) -> bool:
    """Whether the term is a constant; with `value`, exactly that one (0.0 is not -0.0)."""
    if term.op != CONST:
        return False
    return value is None or term is const(value, term.type)


def is_zero(term: Term) -> bool:
    """Whether the term is the constant 0, of either sign."""
    return term.op == CONST and const_value(term) == 0


def toposort(roots: Iterable[Term], floor: int = CONSTANT) -> list[Term]:
    """Every term reachable from `roots`, arguments before users, in a deterministic order.

    Terms of a scope below `floor` are left out, and with them all that they depend on.
    """
    if floor <= CONSTANT:  # most walks: nothing is left out
        return _whole(tuple(roots))
    return postorder(
        [t for t in roots if t.scope >= floor],
        lambda term: [a for a in term.args if a.scope >= floor],
    )


#: Below this many terms an order is found again sooner than it is looked up.
_LARGE, _KEPT = 100, 8
_orders: ContextVar[dict[tuple[Term, ...], tuple[Term, ...]] | None]
_orders = ContextVar("orders", default=None)


@contextmanager
def large_programs() -> Iterator[None]:
    """Inside, no garbage is collected, and `toposort` remembers the last few orders it gave.

    A derivation asks for the order of one program ten times and more. Outside of it nothing is
    remembered: an order would keep its terms alive.
    """
    token = _orders.set({})
    try:
        with uncollected():
            yield
    finally:
        _orders.reset(token)


def _whole(roots: tuple[Term, ...]) -> list[Term]:
    kept = _orders.get()
    if kept is None:
        return _ordered(roots)
    known = kept.pop(roots, None)
    if known is not None:
        kept[roots] = known  # it is the newest again
        return list(known)
    order = _ordered(roots)
    if len(order) >= _LARGE:
        kept[roots] = tuple(order)
        if len(kept) > _KEPT:
            del kept[next(iter(kept))]
    return order


def _ordered(roots: Iterable[Term]) -> list[Term]:
    """What `postorder` gives, in a third of its time: terms are free of cycles."""
    order: list[Term] = []
    seen: set[Term] = set()
    above: list[tuple[Term, Iterator[Term]]] = []
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        term, left = root, iter(root.args)
        while True:
            for arg in left:
                if arg not in seen:
                    seen.add(arg)
                    if arg.args:
                        above.append((term, left))
                        term, left = arg, iter(arg.args)
                        break
                    order.append(arg)
            else:
                order.append(term)
                if not above:
                    break
                term, left = above.pop()
    return order


def fold(roots: Iterable[Term], step: Callable[[Term, tuple[T, ...]], T]) -> dict[Term, T]:
    """Apply `step(term, values of its arguments)` once to every reachable term."""
    values: dict[Term, T] = {}
    for term in toposort(roots):
        values[term] = step(term, tuple([values[a] for a in term.args]))
    return values


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The same node over other arguments."""
    return term if args == term.args else Term(term.op, args, term.attr, term.type)


def replaced(roots: Iterable[Term], table: Mapping[Term, Term]) -> dict[Term, Term]:
    """What each term below the roots becomes where keys of `table` become their values.

    The walk stops at the keys, and at terms of a scope in which there is none.
    """
    floor = min([key.scope for key in table], default=0)
    done = dict(table)
    stack = list(roots)
    while stack:
        term = stack[-1]
        if term in done or term.scope < floor:
            stack.pop()
            continue
        missing = [a for a in term.args if a not in done and a.scope >= floor]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        done[term] = rebuild(term, tuple([done.get(a, a) for a in term.args]))
    return done


def substitute(roots: Iterable[Term], table: Mapping[Term, Term]) -> list[Term]:
    """The roots with every occurrence of a key of `table` replaced by its value."""
    roots = list(roots)
    done = replaced(roots, table)
    return [done.get(root, root) for root in roots]


def to_table(roots: Iterable[Term]) -> tuple[list[tuple[Any, ...]], list[int]]:
    """A flat, picklable form: one row (op, argument rows, attribute, type) per term."""
    roots = list(roots)
    index: dict[Term, int] = {}
    rows: list[tuple[Any, ...]] = []
    for term in toposort(roots):
        index[term] = len(rows)
        rows.append((term.op, tuple(index[a] for a in term.args), term.attr, term.type))
    return rows, [index[root] for root in roots]


def from_table(table: tuple[list[tuple[Any, ...]], list[int]]) -> list[Term]:
    """The terms that `to_table` wrote down."""
    rows, roots = table
    built: list[Term] = []
    for op, args, attr, type_ in rows:
        built.append(Term(op, tuple([built[i] for i in args]), attr, type_))
    return [built[i] for i in roots]


def _from_table(table: tuple[list[tuple[Any, ...]], list[int]]) -> Term:
    return from_table(table)[0]
