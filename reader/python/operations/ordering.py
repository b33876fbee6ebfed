"""What comes first: `<` as `sorted`, `min` and `max` ask it, of tuples, lists and structs.

Tuples and lists compare as Python compares them: the first items that differ decide, else the
lengths. Takes two values, gives a condition; knows nothing of syntax.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Scalar
from ....terms.value import Value
from ...constructors import compared as compared_fields
from ...structs import is_named_tuple
from ..values.arrays import is_array
from ..values.complexes import PARTS, is_complex
from ..values.conditions import Condition, as_term, both, chosen, either
from ..values.objects import Instance, Listed, ends_of, first, is_optional
from ..values.scope import Session
from ..values.values import describe, may_be_none
from .iterating import truth_of
from .library import UNKNOWN
from .operators import Here, comparison
from .overloaded import compared, in_classes
from .records import Invoke, as_plain_tuple, attribute, elements, no_call

#: Of an order: the operator, and what the lengths decide.
_ORDERS: Mapping[str, tuple[ast.cmpop, Callable[[int, int], bool]]] = {
    "lt": (ast.Lt(), operator.lt),
    "le": (ast.LtE(), operator.le),
    "gt": (ast.Gt(), operator.gt),
    "ge": (ast.GtE(), operator.ge),
}
_NODE = ast.Constant(0)  # it stands nowhere: the place of an order is that of the call


def is_sequence(value: Any) -> bool:
    """Whether a value has items that decide about its order: a tuple, also a named one, a list."""
    known = first(value)
    if isinstance(known, Instance):
        return is_named_tuple(known.cls)
    return isinstance(value, tuple) or (isinstance(known, Listed) and not is_array(value))


def in_items(a: Any, b: Any) -> bool:
    """Whether two values compare item by item: sequences, or structs as dataclass orders them."""
    return (is_sequence(a) and is_sequence(b)) or _compared(a, b, "__lt__") is not None


def ordered(session: Session, name: str, a: Any, b: Any, at: Span, invoke: Invoke) -> Condition:
    """`a < b`, also by the other three of such operators. Raises TraceError without an order."""
    op, by_length = _ORDERS[name]
    for value in filter(is_optional, (a, b)):
        raise may_be_none(value, at)
    arms = in_classes(session, a, b, lambda x, y: ordered(session, name, x, y, at, invoke), at)
    if arms is not None:
        return chosen(*arms)
    said = compared(session, name, a, b, at, invoke)
    if said is not UNKNOWN:
        return truth_of(session, said, at, invoke)
    items = _paired(session, f"__{name}__", a, b, at)
    if items is not None:
        return _by_items(session, name, *items, by_length, at, invoke)
    if not (_is_simple(a) and _is_simple(b)):
        raise without_order(a, b, at)
    held = comparison(Here(session, at), _NODE, op, a, b)
    return truth_of(session, held, at, invoke)


def _by_items(
    session: Session,
    name: str,
    left: Sequence[Any],
    right: Sequence[Any],
    by_length: Callable[[int, int], bool],
    at: Span,
    invoke: Invoke,
) -> Condition:
    """The first items that differ decide; where none does, the shorter comes first."""
    steps: list[tuple[Condition, Condition, bool]] = []
    found: Condition = by_length(len(left), len(right))
    for a, b in zip(left, right, strict=False):
        same = equal(session, a, b, at, invoke)
        if same is True:
            continue
        apart = _is_simple(a) and _is_simple(b)  # equal numbers are not in order, too
        steps.append((same, ordered(session, name[0] + "t", a, b, at, invoke), apart))
        if same is False:
            break
    for same, decided, apart in reversed(steps):
        if apart:
            found = either(decided, both(same, found))
        else:
            found = chosen(as_term(same), found, decided) if same is not False else decided
    return found


def equal(session: Session, a: Any, b: Any, at: Span, invoke: Invoke) -> Condition:
    """Whether two items are equal, so that those behind them decide about an order."""
    if a is b:
        return True
    for value in filter(is_optional, (a, b)):
        raise may_be_none(value, at)
    arms = in_classes(session, a, b, lambda x, y: equal(session, x, y, at, invoke), at)
    if arms is not None:
        return chosen(*arms)
    said = compared(session, "eq", a, b, at, invoke)
    if said is not UNKNOWN:
        return truth_of(session, said, at, invoke)
    items = _paired(session, "__eq__", a, b, at)
    if items is not None:
        return _all_equal(session, *items, at, invoke)
    structs = [isinstance(first(v), Instance) or is_sequence(v) for v in (a, b)]
    if any(structs):
        return False
    if not (_is_simple(a) and _is_simple(b)):
        raise without_order(a, b, at)
    held = comparison(Here(session, at), _NODE, ast.Eq(), a, b)
    return truth_of(session, held, at, invoke)


def _all_equal(
    session: Session, left: Sequence[Any], right: Sequence[Any], at: Span, invoke: Invoke
) -> Condition:
    found: Condition = len(left) == len(right)
    for a, b in zip(left, right, strict=False):
        if found is False:
            break
        found = both(found, equal(session, a, b, at, invoke))
    return found


def _paired(
    session: Session, method: str, a: Any, b: Any, at: Span
) -> tuple[Sequence[Any], Sequence[Any]] | None:
    """The items of two tuples or two lists, the fields that dataclass compares; else None."""
    names = _compared(a, b, method)
    if names is not None:
        sides = [[attribute(session, v, n, at, no_call) for n in names] for v in (a, b)]
        return sides[0], sides[1]
    rows = [as_plain_tuple(session, value, at) for value in (a, b)]
    left, right = (v if row is None else row for v, row in zip((a, b), rows, strict=True))
    if isinstance(left, tuple) and isinstance(right, tuple):
        return left, right
    if all(is_sequence(v) and not isinstance(v, tuple) for v in (left, right)):
        return elements(session, left, at), elements(session, right, at)
    return None


def _compared(a: Any, b: Any, method: str) -> Sequence[str] | None:
    """The fields by which a method that dataclass has written compares two of one class."""
    ends = [*ends_of(a), *ends_of(b)]
    if not all(isinstance(end, Instance) and end.cls is ends[0].cls for end in ends):
        return None
    cls = ends[0].cls
    return None if is_named_tuple(cls) else compared_fields(cls, method)


def _is_simple(value: Any) -> bool:
    """Whether a value is compared as a whole, by one truth value."""
    if isinstance(first(value), Instance) or is_sequence(value) or is_array(value):
        return False
    return not isinstance(value, Value) or isinstance(value.type, Scalar)


def without_order(a: Any, b: Any, at: Span) -> TraceError:
    """The error where two values cannot be sorted."""
    hint = "compare a tuple with a tuple, a list with a list, a number with a number"
    ends = [end for value in (a, b) for end in ends_of(value)]
    if any(is_array(end) or (isinstance(end, Value) and not _is_simple(end)) for end in ends):
        hint = "say by which number they are ordered: key=lambda p: p[0]"
    if any(map(is_complex, ends)):
        hint = PARTS
    elif any(isinstance(end, Instance) for end in ends):
        hint = "define __lt__(self, other) in the class, or say by what: key=lambda p: p.x"
    return TraceError(f"{describe(a)} and {describe(b)} have no order", at, hint)
