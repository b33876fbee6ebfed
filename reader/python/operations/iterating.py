"""What Python's protocols say of a value: what it runs over, and whether it is true.

Takes values and a way to call methods, gives items and conditions; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, Flag
from functools import partial
from typing import Any

from ....terms.apply import truth
from ....terms.errors import Span, TraceError
from ....terms.term import CONST, const_value
from ....terms.types import Mat, Scalar, Vec
from ....terms.value import Value
from ..values.aliases import vectors_within
from ..values.arms import in_arms, under
from ..values.arrays import is_array
from ..values.conditions import Condition, chosen
from ..values.entries import Shown, is_dictionary, row_at, rows_of
from ..values.lengths import count_of
from ..values.members import Member
from ..values.objects import Choice, Instance, Listed, Object, first, is_optional
from ..values.once import Once
from ..values.picked import Picked
from ..values.scope import Session
from ..values.values import describe, unless_annotated
from .records import Invoke, as_plain_tuple, at_position, dunder, element, elements
from .stepping import ITEM, NEXT, is_iterator, stepped

_WRITTEN_OUT = 4096  # items of a range


def items_of(session: Session, value: Any, at: Span, invoke: Invoke) -> Sequence[Any] | None:
    """The items that a value runs over, in order; None where it runs over nothing."""
    if isinstance(first(value), Instance):
        fields = as_plain_tuple(session, value, at)
        if fields is not None:
            return fields
        found = begun(session, value, at, invoke)
        return found.take(at) if isinstance(found, Once) else None
    if isinstance(first(value), Listed):
        return elements(session, value, at)
    if isinstance(value, Once):
        return value.take(at)
    rows = rows_of(session, value, at)
    if rows is not None:
        return rows
    if isinstance(value, type) and issubclass(value, Enum):
        return tuple(value)
    if isinstance(value, range) and len(value) > _WRITTEN_OUT:
        raise TraceError(f"{len(value)} steps are too many to be written out", at)
    if isinstance(value, tuple | range):
        return value
    if isinstance(value, str | bytes):
        return tuple(value)
    if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
        return session.rows.of(value) if isinstance(value.type, Mat) else value.items()
    session.present(value, at)
    return None


@dataclass(frozen=True, slots=True)
class Turns:
    """Item k at the time when it is asked for, and what is held until then."""

    item: Callable[[int], Any]
    held: tuple[Object, ...] = ()

    def __call__(self, k: int) -> Any:
        """Item k, as it is now."""
        return self.item(k)


def turns(session: Session, value: Any, items: Sequence[Any], at: Span) -> Turns:
    """Item k of a value at the time when it is asked for; `items`: what they are now."""
    if isinstance(first(value), Listed):
        return Turns(lambda k: element(session, value, at_position(k), at))
    if isinstance(value, Shown) or is_dictionary(value):
        keys = rows_of(session, getattr(value, "of", value), at) or ()
        whole = getattr(value, "of", value)
        seen = (whole,) if isinstance(whole, Object) else ()
        return Turns(lambda k: row_at(session, value, keys, k, at), seen)
    if isinstance(value, Once):
        return Turns(value.at_turn, value.held)
    if not any(isinstance(item, tuple) or vectors_within(item) for item in items):
        return Turns(items.__getitem__)
    held = Listed(items)  # vectors may change before they are asked for
    return Turns(held.items.__getitem__, (held,))


def begun(session: Session, value: Any, at: Span, invoke: Invoke) -> Any:
    """The iterator of a struct that says what its items are; any other value as it is."""
    method = dunder(value, "__iter__")
    if method is not None:
        return _of_method(session, method, value, at, invoke)
    if isinstance(value, Instance) and dunder(value, "__getitem__") is not None:
        return stepped(session, value, at, invoke, ITEM)
    return value


def _of_method(session: Session, method: Any, value: Any, at: Span, invoke: Invoke) -> Once:
    found = invoke(method, [], {}, at)
    if is_iterator(found):
        return stepped(session, found, at, invoke, NEXT)
    # What Python takes from __iter__ is an iterator: iter((…)), not the list itself.
    if not isinstance(found, Once):
        raise TraceError(
            f"__iter__ of {describe(value)} returns {describe(found)}, which is no iterator",
            at,
            "return iter((…))",
        )
    return found


def spread(session: Session, value: Any, at: Span, invoke: Invoke) -> Sequence[Any]:
    """As `items_of`; raises TraceError where there are none."""
    items = items_of(session, value, at, invoke)
    if items is None:
        hint = "give a vector, a tuple, a list or a range"
        if isinstance(first(value), Instance):
            hint = "define __iter__(self) in the class: return iter((self.x, self.y))"
        raise TraceError(f"{describe(value)} has no items", at, unless_annotated(value, hint))
    return items


def truth_of(session: Session, value: Any, at: Span, invoke: Invoke) -> Condition:
    """The truth of a value that is not a vector or a matrix, by Python's rules."""
    if isinstance(value, Member):
        return _truth_of_member(value, at)
    if isinstance(value, Value):
        if not isinstance(value.type, Scalar):
            message = f"{describe(value)} is not one truth value"
            raise TraceError(message, at, "ask if value is None; or compare its components")
        term = truth(value.term, at)
        return bool(const_value(term)) if term.op == CONST else term
    value = session.settled(value)
    if is_optional(value):
        there = [(value.condition, True)]
        read = partial(truth_of, session, value.then, at, invoke)
        return chosen(value.condition, under(session, there, read, at), False)
    if isinstance(value, Choice) and isinstance(first(value), Instance):
        read = partial(truth_of, session, at=at, invoke=invoke)
        then, other = in_arms(session, value.condition, value.then, value.other, read, at)
        return chosen(value.condition, then, other)
    if isinstance(value, Instance):
        return _truth_of_instance(session, value, at, invoke)
    if is_array(value):
        return _truth_of_array(session, value, at, invoke)
    if isinstance(value, Picked):
        message = f"{describe(value)} is not one truth value"
        raise TraceError(message, at, "ask for np.any(…) or np.all(…) of it, or whether len(…) > 0")
    if isinstance(first(value), Listed):
        return bool(count_of(value, at))
    rows = rows_of(session, value, at, ordered=False)
    return bool(value if rows is None else rows)


def _truth_of_array(session: Session, value: Any, at: Span, invoke: Invoke) -> Condition:
    """The truth of its only element: of several, Python asks which."""
    if len(first(value).items) != 1:
        raise TraceError(
            f"{describe(value)} is not one truth value",
            at,
            "np.any(a) or np.all(a) is one; combine by element: (a > 0) & (b > 0); choose by "
            "element: np.where(c, a, b)",
        )
    return truth_of(session, element(session, value, at_position(0), at), at, invoke)


def _truth_of_member(value: Member, at: Span) -> Condition:
    """Members that are no integers are true, whatever number stands for them."""
    if issubclass(value.of, int | Flag):
        return truth(value.term)
    if "__bool__" in vars(value.of):
        name = value.of.__name__
        raise TraceError(f"{name}.__bool__ is not called", at, "compare with the members")
    return True


def _truth_of_instance(session: Session, value: Instance, at: Span, invoke: Invoke) -> Condition:
    method = dunder(value, "__bool__")
    if method is not None:
        found = invoke(method, [], {}, at)
        if not isinstance(found, bool) and getattr(found, "type", None) is not Scalar.BOOL:
            raise TraceError(
                f"__bool__ of {describe(value)} returns {describe(found)}, not a truth value",
                at,
                "return a comparison, such as self.n != 0",
            )
        return truth_of(session, found, at, invoke)
    method = dunder(value, "__len__")
    return True if method is None else truth_of(session, invoke(method, [], {}, at), at, invoke)
