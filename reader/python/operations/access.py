"""Elements: `v[i]`, `m[1][0]`, `m[:, k]`, read and written.

Takes values, gives the part or the value with the part replaced; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....rules.intervals import interval
from ....terms.apply import apply, select_values
from ....terms.errors import Span, TraceError, shown
from ....terms.term import Term
from ....terms.types import Mat, Scalar, Vec, type_name
from ....terms.unsigned import index_of
from ....terms.value import Value, cast, scalar, stack
from ..values.aliases import relate
from ..values.arrays import is_array
from ..values.checking import forbid
from ..values.entries import is_dictionary
from ..values.frozen import refuse_frozen
from ..values.lengths import count_of
from ..values.members import refuse_member
from ..values.objects import Listed, View, first
from ..values.parameters import to_integer
from ..values.resizing import resize
from ..values.scope import Session
from ..values.shelves import inside, is_table, looked_up
from ..values.values import (
    Mismatch,
    as_tuple,
    counted,
    describe,
    is_number,
    lift,
    merged,
    number,
    unless_annotated,
)
from ..values.varying import Outside, Varying
from .dictionaries import entry_of
from .records import (
    Place,
    as_plain_tuple,
    at_position,
    element,
    elements,
    set_element,
)
from .running import is_long
from .slices import known_slice, sliced, transposed
from .wholes import as_integer

_NO_INDEX = "which is no index in Python"


def parts_of(session: Session, new: Any, count: int, what: str, at: Span) -> list[Value]:
    """A value as so many numbers; one number is all of them."""
    new = as_tuple(new)
    if isinstance(new, tuple):
        parts = [lift(item, session.real, at) for item in new]
    else:
        whole = lift(new, session.real, at)
        if isinstance(whole.type, Scalar):
            return [whole] * count  # one number for all components
        parts = whole.items()
    if len(parts) != count or any(not isinstance(p.type, Scalar) for p in parts):
        raise TraceError(f"{what} takes {count} numbers, not {describe(new)}", at)
    return parts


def replaced(session: Session, value: Value, parts: dict[int, Value]) -> Value:
    """The vector or matrix with some of its items replaced (of one width: the widest)."""
    items = [parts.get(i, item) for i, item in enumerate(value.items())]
    elem = value.type.elem  # type: ignore[union-attr]
    if not elem.is_real and any(t.type.is_real for item in items for t in item.leaves):
        # An int vector whose component becomes real: all of it becomes real.
        whole = stack(items)
        assert whole is not None
        return whole
    return Value(value.type, tuple(cast(t, elem) for item in items for t in item.leaves))


def get_item(session: Session, value: Any, index: Any, at: Span) -> Any:
    """`value[index]`; a symbolic index picks by a chain of selects, or looks up in a table."""
    if isinstance(index, tuple) and index and isinstance(index[0], slice):
        return _of_columns(session, value, index, at)
    index = _number_of(value, index)
    if isinstance(first(value), Listed):
        if isinstance(index, slice):
            return Listed(sliced(value, elements(session, value, at), index, at))
        return element(session, value, _places(session, value, index, at), at)
    fields = as_plain_tuple(session, value, at)
    if fields is not None:
        value = fields
    if is_dictionary(value):
        return entry_of(session, value, index, at)
    refuse_member(at, index, why=_NO_INDEX)
    if isinstance(index, tuple):
        for part in index:
            value = get_item(session, value, part, at)
        return value
    items = _items(session, value, at)
    if isinstance(index, slice) and isinstance(value, Value) and isinstance(value.type, Mat):
        return _rows_of(session, value, index, at)
    if isinstance(index, slice):
        return sliced(value, items, index, at)
    if not isinstance(index, Value):
        return items[_position(value, index, len(items), at)]
    if not items:
        raise TraceError(f"{describe(value)} has no elements", at)
    if is_table(items):
        place = _Running(session, index, at)(Listed(items), True)
        return looked_up(items, session.real, place)
    condition = _matches(session, index, len(items), at)
    result = items[-1]
    for k in reversed(range(len(items) - 1)):
        try:
            result = merged(session.rules, condition[k], items[k], result, session.real)
        except Mismatch as error:
            a, b = error.args
            message = f"items of different types ({a}, {b}) need an index known while reading"
            raise Varying(message, at) from None
    return result


def _of_columns(session: Session, value: Any, index: tuple[Any, ...], at: Span) -> Any:
    """`m[:, k]`, `m[:2, 1:]` of a matrix: a column, or some of the columns, in some of the rows."""
    if not isinstance(value, Value) or not isinstance(value.type, Mat) or len(index) != 2:
        hint = "of a list of lists: [row[k] for row in m]"
        raise TraceError(f"{describe(value)} has no columns: m[:, k] is one of a matrix", at, hint)
    rows, columns = index
    found = get_item(session, transposed(value), columns, at)
    if not isinstance(columns, slice):
        found = get_item(session, found, rows, at) if rows != slice(None) else found
    else:
        turned = transposed(found) if isinstance(found.type, Mat) else found
        found = get_item(session, turned, rows, at)
    session.rows.columns |= {id(part): part for part in session.rows.vectors([found])}
    return found


def _rows_of(session: Session, value: Value, index: slice, at: Span) -> Any:
    """`m[a:b]`: in Python the rows in it are those of the matrix."""
    rows = session.rows.of(value)
    found = sliced(value, rows, index, at)
    if isinstance(found.type, Mat):
        why = "the rows of a slice are those of the matrix"
        for one, other in zip(rows[index], session.rows.of(found), strict=True):
            relate(session, one, other, why)
            relate(session, other, one, why)
    return found


def _places(session: Session, value: Any, index: Any, at: Span) -> Place:
    """The position in a list of some length; in a long one, the index itself."""
    refuse_member(at, index, why=_NO_INDEX)
    if isinstance(index, Value):
        return _Running(session, index, at)
    return lambda found, always: _position(found, index, _most(found, index, at), at)


def _most(found: Listed, index: Any, at: Span) -> int:
    """How many elements a list can have; if it is asked for the last ones, has for certain."""
    last = is_number(index) and number(index) < 0
    return count_of(found, at) if last else len(found.items)


@dataclass(frozen=True, slots=True)
class _Running:
    """An index that is known only when the kernel runs."""

    session: Session
    index: Value
    at: Span

    def __call__(self, found: Listed, always: bool) -> Any:
        """The conditions for each position; of a long list, and `always`, the index."""
        count = count_of(found, self.at)
        if not count:
            raise TraceError("a list without elements has no index", self.at)
        if not (always or is_long(found)):
            return _matches(self.session, self.index, count, self.at)
        index = _integer(self.session, self.index, self.at)
        index = _from_the_end(self.session, index, count, self.at)
        low, high = interval(index.term, self.session.ranges)
        known = low >= 0 and high < count
        if not known:
            _watched(self.session, index, count, self.at)
        return 0 if count == 1 else inside(self.session.rules, index.term, count, known)


def put_item(session: Session, value: Any, index: Any, new: Any, at: Span) -> None:
    """`value[index] = new` of a list; a slice takes over the items of a tuple."""
    if isinstance(value, View):
        refuse_frozen(value, at)  # where the array that it is a part of is not
    if isinstance(index, slice):
        places = range(count_of(value, at))[known_slice(index, at)]
        if len(new) != len(places) and index.step is None:
            every = list(elements(session, value, at))
            every[index] = new
            resize(session, value, every, at)
            return
        if len(new) != len(places):
            raise TraceError(f"this slice takes {len(places)} elements, not {len(new)}", at)
        for place, item in zip(places, new, strict=True):
            set_element(session, value, at_position(place), item, at)
        return
    set_element(session, value, _places(session, value, _number_of(value, index), at), new, at)


def _number_of(value: Any, index: Any) -> Any:
    """A truth value is an index in Python, 0 or 1; of an array it is a mask."""
    truth = isinstance(index, Value) and index.type is Scalar.BOOL
    return counted(index) if truth and not (is_array(value) or is_dictionary(value)) else index


def _items(session: Session, value: Any, at: Span) -> Sequence[Any]:
    if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
        return session.rows.of(value) if isinstance(value.type, Mat) else value.items()
    if isinstance(value, tuple | str | range):
        return tuple(value)
    session.present(value, at)
    hint = "vectors, matrices, lists and tuples can be indexed"
    raise TraceError(f"{describe(value)} has no elements", at, unless_annotated(value, hint))


def _position(value: Any, index: Any, count: int, at: Span) -> int:
    if not is_number(index) or not isinstance(number(index), int):
        raise TraceError(
            f"an index must be an integer, not {describe(index)}", at, to_integer(index)
        )
    place = int(number(index))
    if not -count <= place < count:
        name = type_name(value.type) if isinstance(value, Value) else describe(value)
        valid = f"valid are 0 to {count - 1}" if count else "it has no elements"
        raise Outside(f"index {shown(place)} is out of range for {name}", at, valid)
    return place % count


def _watched(session: Session, index: Value, count: int, at: Span) -> None:
    """Say so where an index that is known only when the kernel runs is out of range."""
    low, high = interval(index.term, session.ranges)
    if low >= 0 and high < count:
        return
    outside = [
        apply(session.rules, op, [index, lift(k, session.real)], session.real, at).term
        for op, k in (("lt", 0), ("ge", count))
    ]
    either = Term("logical_or", tuple(outside), None, Scalar.BOOL)
    forbid(session, either, f"an index is out of range: valid are {-count} to {count - 1}", at)


def _from_the_end(session: Session, index: Value, count: int, at: Span) -> Value:
    """A negative index counts from the end."""
    low, high = interval(index.term, session.ranges)
    if low >= 0:
        return index
    rules, real = session.rules, session.real
    shifted = apply(rules, "add", [index, lift(count, real)], real, at)
    if high < 0:
        return shifted
    negative = apply(rules, "lt", [index, lift(0, real)], real, at).term
    found = select_values(rules, negative, shifted, index, real, at)
    assert found is not None
    return found


def _integer(session: Session, index: Value, at: Span) -> Value:
    """The index as an integer with a sign. Raises TraceError where it is none."""
    index = as_integer(session, index, at)
    if isinstance(index.type, Scalar) and index.type.is_unsigned:
        return scalar(index_of(index.term, at))
    if index.type is not Scalar.I32:
        raise TraceError(
            f"an index must be an integer, not {describe(index)}", at, to_integer(index)
        )
    return index


def _matches(session: Session, index: Value, count: int, at: Span) -> list[Any]:
    """For every position, the condition that the index is this one."""
    index = _from_the_end(session, _integer(session, index, at), count, at)
    _watched(session, index, count, at)
    return [
        apply(session.rules, "eq", [index, lift(k, session.real)], session.real, at).term
        for k in range(count)
    ]


def _set_columns(session: Session, value: Any, index: tuple[Any, ...], new: Any, at: Span) -> Any:
    """The matrix after `m[:, k] = column`, also of some of the rows."""
    rows, columns = index
    if not isinstance(value, Value) or not isinstance(value.type, Mat):
        raise TraceError(f"{describe(value)} has no columns: m[:, k] is one of a matrix", at)
    if isinstance(columns, slice):
        hint = "assign row by row, or column by column: m[:, k] = v"
        raise TraceError("a block of a matrix cannot be assigned to at once", at, hint)
    turned = transposed(value)
    column = set_item(session, get_item(session, turned, columns, at), rows, new, at)
    return transposed(set_item(session, turned, columns, column, at))


def set_item(session: Session, value: Any, index: Any, new: Any, at: Span) -> Any:
    """The vector or matrix `value` after `value[index] = new`."""
    if isinstance(index, tuple) and len(index) == 2 and isinstance(index[0], slice):
        return _set_columns(session, value, index, new, at)
    if isinstance(index, tuple) and len(index) == 2:
        row = set_item(session, get_item(session, value, index[0], at), index[1], new, at)
        return set_item(session, value, index[0], row, at)
    if not isinstance(value, Value) or not isinstance(value.type, Vec | Mat):
        hint = (
            "lists, vectors and matrices can be changed: begin with a list, such as [0.0] * n, or "
            "build a new tuple"
        )
        raise TraceError(f"cannot assign to an element of {describe(value)}", at, hint)
    items = value.items()
    if isinstance(index, slice):
        places = range(len(items))[known_slice(index, at)]
        parts = parts_of(session, new, len(places), "this slice", at)
        return replaced(session, value, dict(zip(places, parts, strict=True)))
    if isinstance(value.type, Mat):
        numbers = parts_of(session, new, value.type.cols, "a row of the matrix", at)
        part = stack(numbers)
        assert part is not None
    else:
        (part,) = parts_of(session, new, 1, "an element", at)
    if not isinstance(index, Value):
        place = _position(value, index, len(items), at)
        return replaced(session, value, {place: part})
    parts_by_place = {}
    for k, condition in enumerate(_matches(session, index, len(items), at)):
        chosen = select_values(session.rules, condition, part, items[k], session.real, at)
        assert chosen is not None
        parts_by_place[k] = chosen
    return replaced(session, value, parts_by_place)
