"""Parts of arrays of NumPy: `a[1:]`, `m[:, k]`, `a[::-1]`, `a[a > 0] = 0`, read and written.

A part is a view, as in NumPy: its numbers stand in the array that it is a part of. NumPy itself
says which they are, from an array of their places. Takes values, gives the part, or changes it;
knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.term import CONST, const_value
from ....terms.types import Scalar
from ....terms.value import Value
from ..operations.access import get_item, put_item
from ..operations.library import select
from ..operations.making import copied
from ..operations.records import held, of_both
from ..operations.running import Running
from ..operations.slices import known_slice
from ..values.arrays import (
    Spot,
    freeze,
    in_every_order,
    is_array,
    kind_of,
    lay_out,
    layout_of,
    of_vector,
    shape_of,
    view_of,
    without_order,
    words,
)
from ..values.frozen import refuse_frozen
from ..values.objects import Choice, Listed, first, is_tuple
from ..values.picked import Picked
from ..values.scope import Session
from ..values.values import describe, is_number, number
from ..values.varying import Outside, Varying
from .elementwise import as_kind, each, gathered, same_shape
from .gathering import Gather
from .picking import picked, refused, truths_of
from .tricks import is_trick, of_trick

_READ_ONLY = "NumPy gives this view of an array to be read only"
#: What an array of places becomes: a part of it, or the same in another form.
How = Callable[[Any], Any]


def get_part(session: Session, value: Any, index: Any, at: Span) -> Any:
    """`value[index]` of anything."""
    if isinstance(value, Value) and _is_of_arrays(index):
        value = of_vector(value)
    if isinstance(value, Picked):
        raise refused(at)
    if is_trick(value):
        return of_trick(session, value, index, at)
    if not is_array(value):
        return get_item(session, value, index, at)
    parts = _entries(value, index, at)
    if all(map(_is_place, parts)):
        for part in parts:
            value = get_item(session, value, part, at)
        return value
    if is_mask(value, index) and not _is_known(gathered(session, index, at)):
        return picked(session, value, index, at)
    if any(isinstance(first(part), Listed | Value) for part in parts):
        return _by_array(session, value, parts, at)
    known = tuple(_known(session, part, at) for part in parts)
    return arranged(session, value, lambda layout: layout[known], at)


def arranged(session: Session, value: Any, how: How, at: Span) -> Any:
    """An array in another form: a view, where NumPy gives one, else a copy."""
    value = session.present(value, at)
    if isinstance(value, Running):
        rows = [_moved(object_, how, at) for object_ in value.objects]
        return Running(rows, value.index, value.rules, value.real, value.first_index)
    if isinstance(value, Choice):
        return of_both(session, value, lambda v: arranged(session, v, how, at), at)
    return _moved(value, how, at)


def _moved(array: Any, how: How, at: Span) -> Any:
    import numpy

    layout = layout_of(array)
    try:
        found = how(layout)
    except IndexError as error:
        raise Outside(f"this fails in NumPy: {error}", at) from None
    except (ValueError, TypeError) as error:
        raise TraceError(f"this fails in NumPy: {error}", at) from None
    if isinstance(found, list | tuple):
        return tuple(_moved(array, partial(_told, part), at) for part in found)
    if isinstance(found, numpy.ndarray) and not found.ndim:
        found = found[()]  # `a[..., 0]` of one dimension
    if isinstance(found, Spot):
        return held(found.object, found.index, at)
    view = view_of(found, array.kind)
    if array.unordered and how is not _in_a_row:
        return _of_some_order(array, how, view, at)
    if how is _in_a_row or numpy.shares_memory(found, layout):
        return view if found.flags.writeable else freeze(view, _READ_ONLY)
    return lay_out(copied(view), found)


def _of_some_order(array: Any, how: How, view: Any, at: Span) -> Any:
    """As `_moved`, of an array whose order in memory depends on a loop.

    Where that says whether it is a view or a copy, neither can be changed any more: they are equal.
    """
    import numpy

    every = [(places, how(places)) for places in in_every_order(shape_of(array))]
    if not all(numpy.array_equal(found, every[0][1]) for _, found in every):
        raise TraceError(f"{_ORDER}, and so do these numbers", at, "make it one: m = m.copy()")
    shared = {bool(numpy.shares_memory(found, places)) for places, found in every}
    found = view if shared == {True} else copied(view)
    if len(shared) > 1:
        why = f"{_ORDER}: this may be a part of the array, or a copy"
        freeze(array, why)
        freeze(found, why)
    return without_order(found)


_ORDER = "in which order these numbers stand in memory depends on the loop"


def flat(session: Session, value: Any, at: Span) -> Any:
    """`a.flat`: all places one after the other, which are those of the array whatever its steps."""
    return arranged(session, value, _in_a_row, at)


def _in_a_row(layout: Any) -> Any:
    return layout.reshape(-1)


def _told(part: Any, layout: Any) -> Any:
    return part


def _entries(value: Any, index: Any, at: Span) -> tuple[Any, ...]:
    """The parts of an index. Raises TraceError where there are more than dimensions."""
    parts = index if is_tuple(index) else (index,)
    count = sum(part is not None and part is not ... for part in parts)
    axes = len(shape_of(value))
    if count > axes:
        has = f"{axes} dimension{'s' if axes > 1 else ''}"
        raise TraceError(
            f"{describe(value)} has {has}, and this index has {count}",
            at,
            "an index has a place or a slice per dimension; several of one are a list: a[[0, 1]]",
        )
    if count == axes:  # `a[..., 0]` of one dimension is `a[0]`
        parts = tuple(part for part in parts if part is not ...)
    return parts


def _is_of_arrays(index: Any) -> bool:
    """Whether an index is one that only arrays have: with None, `...`, or a list of places."""
    parts = index if is_tuple(index) else (index,)
    return any(p is None or p is ... or isinstance(first(p), Listed) for p in parts)


def _is_place(part: Any) -> bool:
    """Whether a part of an index is one number, known or not."""
    return is_number(part) or (isinstance(part, Value) and isinstance(part.type, Scalar))


def gives_view(index: Any) -> bool:
    """Whether `a[index]` is a view of an array: an index with lists of places gives a copy."""
    parts = index if is_tuple(index) else (index,)
    return all(isinstance(p, slice) or p is None or p is ... or _is_place(p) for p in parts)


def _known(session: Session, part: Any, at: Span) -> Any:
    """A part of an index that is known while reading, as NumPy takes it."""
    import numpy

    if isinstance(part, slice):
        return known_slice(part, at)
    if part is None or part is ...:
        return part
    if is_number(part):
        return number(part)
    numbers = gathered(session, part, at)
    for place, item in enumerate(numbers.flat):
        if isinstance(item, Value) and item.term.op == CONST:
            numbers.flat[place] = const_value(item.term)
    if any(isinstance(item, Value) for item in numbers.flat):
        raise TraceError(
            "which elements these are is known only when the kernel runs",
            at,
            "choose each of them: np.where(c, a, b); or take one by one: [a[i] for i in index]",
        )
    return numpy.array(numbers.tolist() or numpy.empty(0, int))


def _by_array(session: Session, value: Any, parts: Sequence[Any], at: Span) -> Any:
    """A part whose index has numbers, or arrays of them, that are known only at run time."""
    gather = _gather(session, value, parts, at)
    if gather is not None:
        return gather.read()
    running = [k for k, part in enumerate(parts) if isinstance(part, Value) and _is_place(part)]
    if any(part is None or part is ... for part in parts) and running:
        hint = "take the rows first: m[i][None, :]"
        raise Varying("this index is known only when the kernel runs", at, hint)
    known = [_known(session, p, at) for k, p in enumerate(parts) if k not in running]
    if running:
        import numpy

        front = range(len(running))
        value = arranged(session, value, lambda m: numpy.moveaxis(m, running, front), at)
        for k in running:
            value = get_item(session, value, parts[k], at)
    return arranged(session, value, lambda layout: layout[tuple(known)], at)


def _gather(session: Session, value: Any, parts: Sequence[Any], at: Span) -> Gather | None:
    """What an index says that has arrays of places, of which only the kernel knows some."""
    import numpy

    if any(part is None for part in parts):
        return None
    parts = _without_dots(parts, len(shape_of(value)))
    given = [p if isinstance(p, slice) else gathered(session, p, at) for p in parts]
    places = {axis: part for axis, part in enumerate(given) if not isinstance(part, slice)}
    numbers = [item for part in places.values() for item in part.flat]
    if (
        _is_known(numbers)
        or not any(p.ndim for p in places.values())
        or {*map(kind_of, numbers)} != {int}
    ):
        return None
    try:
        indices = numpy.broadcast_arrays(*places.values())
    except ValueError as error:
        raise TraceError(f"this fails in NumPy: {error}", at) from None
    axes, whole = [*places], (slice(None),) * len(places)
    cut = (*whole, *(known_slice(p, at) for p in given if isinstance(p, slice)))
    front = range(len(axes))
    rest = arranged(session, value, lambda m: numpy.moveaxis(m, axes, front)[cut], at)
    together = axes == [axes[0] + k for k in front]
    return Gather(session, rest, indices, axes[0] if together else 0, at)


def _is_known(numbers: Iterable[Any]) -> bool:
    """Whether all numbers are known while reading."""
    items = numbers.flat if hasattr(numbers, "flat") else numbers
    return all(not isinstance(item, Value) or item.term.op == CONST for item in items)


def _without_dots(parts: Sequence[Any], count: int) -> list[Any]:
    """The parts of an index of so many dimensions, with slices for what `...` stands for."""
    dots = next((k for k, part in enumerate(parts) if part is ...), None)
    if dots is None:
        return [*parts]
    every = [slice(None)] * (count - len(parts) + 1)
    return [*parts[:dots], *every, *parts[dots + 1 :]]


# --- written --------------------------------------------------------------------------------


def put_part(session: Session, value: Any, index: Any, new: Any, at: Span) -> None:
    """`value[index] = new` of a list or an array."""
    if not is_array(value):
        put_item(session, value, index, new, at)
        return
    parts = _entries(value, index, at)
    if all(map(_is_place, parts)) and len(parts) == len(shape_of(value)):
        for part in parts[:-1]:
            value = get_item(session, value, part, at)
        put_item(session, value, parts[-1], _fitting(session, value, new, at), at)
        return
    if is_mask(value, index):
        put_where(session, value, index, new, new, at)
        return
    places = [part for part in parts if not (part is ... or isinstance(part, slice))]
    gather = None if all(map(_is_place, places)) else _gather(session, value, parts, at)
    if gather is not None:
        gather.write(new, put_part)
        return
    target = _target(session, value, parts, at)
    put_all(session, target, _spread(session, target, gathered(session, new, at), at), at)


def _target(session: Session, value: Any, parts: Sequence[Any], at: Span) -> Any:
    """The part that is written to, also where reading it would give a copy."""
    if gives_view(tuple(parts)):
        return get_part(session, value, tuple(parts), at)
    value = session.present(value, at)
    if isinstance(value, Choice):
        hint = "assign them one by one: for i in index: a[i] = …"
        raise TraceError("which array this is, is known only when the kernel runs", at, hint)
    refuse_frozen(value, at)
    known = tuple(_known(session, part, at) for part in parts)
    try:
        return view_of(layout_of(value)[known], value.kind)
    except IndexError as error:
        raise TraceError(f"this fails in NumPy: {error}", at) from None


def _spread(session: Session, target: Any, new: Any, at: Span) -> Any:
    """Numbers in the shape of what they are written to."""
    import numpy

    try:
        found = numpy.broadcast_to(new, shape_of(target))
    except ValueError:
        message = f"this is {describe(target)}: it cannot hold an array of {words(new.shape)}"
        raise TraceError(message, at, "give as many numbers, or one for all") from None
    return each(at, lambda item: _fitting(session, target, item, at), [found])


def put_all(session: Session, target: Any, numbers: Any, at: Span) -> None:
    """Every number of an array becomes another: all of them are known before the first changes."""
    target = session.present(target, at)
    if not isinstance(target, Choice):
        refuse_frozen(target, at)
        for spot, item in zip(layout_of(target).flat, numbers.flat, strict=True):
            if spot.object.items[spot.index] is not item:
                session.write(spot.object, spot.index, item, at)
        return
    for k, row in enumerate(numbers):
        if numbers.ndim == 1:
            put_item(session, target, k, row, at)
        else:
            put_all(session, get_item(session, target, k, at), row, at)


def is_mask(value: Any, index: Any) -> bool:
    """Whether `value[index]` are the elements of an array at which something holds."""
    return is_array(value) and is_array(index) and bool(first(index).kind is bool)


def put_where(session: Session, value: Any, mask: Any, given: Any, new: Any, at: Span) -> None:
    """`a[mask] = given`, or `a[mask] += given`, which makes it `new`: each where the mask holds."""
    held_, old = (gathered(session, v, at) for v in (mask, value))
    fits = held_.shape == old.shape[: held_.ndim]
    if isinstance(new, Picked) and new.truths == truths_of(held_):
        given, new = 0.0, new.array
    if isinstance(new, Picked) or gathered(session, given, at).ndim or not fits:
        raise TraceError(
            "how many elements this assigns is known only when the kernel runs",
            at,
            "choose each of them: a[:] = np.where(mask, b, a)",
        )

    held_ = held_.reshape(held_.shape + (1,) * (old.ndim - held_.ndim))

    def chosen(holds: Any, then: Any, other: Any) -> Any:
        return select(session, [holds, _fitting(session, value, then, at), other], at)

    put_all(session, value, each(at, chosen, [held_, gathered(session, new, at), old]), at)


def _fitting(session: Session, array: Any, new: Any, at: Span) -> Any:
    """A number as an array holds it. Raises TraceError where it would lose something."""
    kind = first(array).kind
    if isinstance(first(new), Listed) or not _is_place(new):
        raise TraceError(f"an element of {describe(array)} is a number, not {describe(new)}", at)
    if _RANK[kind_of(new)] > _RANK[kind]:
        wide, narrow = (_WORDS[k] for k in (kind_of(new), kind))
        raise TraceError(
            f"this is an array of {narrow}: it cannot hold {wide}",
            at,
            "NumPy would cut it off; begin with an array of reals: np.zeros(n), a.astype(float)",
        )
    return as_kind(new, kind, session.real)


_RANK = {bool: 0, int: 1, float: 2}
_WORDS = {bool: "truth values", int: "integers", float: "reals"}


def in_place(session: Session, target: Any, found: Any, at: Span) -> Any:
    """The array, all of whose numbers have become what was found."""
    numbers = gathered(session, found, at)
    same_shape(session, target, numbers, at)
    put_all(session, target, _spread(session, target, numbers, at), at)
    return target
