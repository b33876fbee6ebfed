"""Values: a type and the scalar terms of its components.

Takes types and terms, gives composite values; knows nothing of operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .bits import COUNT
from .term import CAST, CONST, Term, const, const_value
from .types import Arr, Mat, Memory, Scalar, Tup, Type, Vec, leaf_types
from .unsigned import beyond, bits, limit, meeting, of_real, real_of, typed

_RANK = {Scalar.F16: 0, Scalar.F32: 1, Scalar.F64: 2}
_INT_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar, vector, matrix, array or tuple, as the terms of its components in order."""

    type: Type
    leaves: tuple[Term, ...]

    @property
    def term(self) -> Term:
        """The term of a scalar value."""
        (only,) = self.leaves
        return only

    def __len__(self) -> int:
        match self.type:
            case Vec(size=size):
                return size
            case Mat(rows=rows):
                return rows
            case Arr(size=size):
                return size
            case Tup(items=items):
                return len(items)
        return 0

    def item(self, index: int) -> Value:
        """Component `index` of a vector, row of a matrix, item of an array or a tuple."""
        match self.type:
            case Vec(elem=elem):
                return Value(elem, (self.leaves[index],))
            case Mat(elem=elem, cols=cols):
                return Value(Vec(elem, cols), self.leaves[index * cols : (index + 1) * cols])
            case Arr(item=item, size=size):
                width = len(self.leaves) // size
                return Value(item, self.leaves[index * width : (index + 1) * width])
            case Tup(items=items):
                start = sum(len(leaf_types(t)) for t in items[:index])
                stop = start + len(leaf_types(items[index]))
                return Value(items[index], self.leaves[start:stop])
        raise TypeError(f"{self.type} has no items")

    def items(self) -> list[Value]:
        """All items, in order."""
        return [self.item(i) for i in range(len(self))]

    def column(self, index: int) -> Value:
        """Column `index` of a matrix."""
        assert isinstance(self.type, Mat)
        return Value(Vec(self.type.elem, self.type.rows), self.leaves[index :: self.type.cols])


def scalar(term: Term) -> Value:
    """The value of one scalar term."""
    return Value(term.type, (term,))


def literal(number: bool | int | float, real: Scalar) -> Value:
    """The constant for a Python number: an integer stays one, and is a real beside reals.

    Raises OverflowError for one that is no real either.

    >>> literal(2**31, Scalar.F32).type is literal(2**31 - 1, Scalar.F32).type
    False
    """
    if isinstance(number, bool):
        return scalar(const(number, Scalar.BOOL))
    if isinstance(number, int) and -_INT_LIMIT <= number < _INT_LIMIT:
        return scalar(const(number, Scalar.I32))
    if isinstance(number, int) and 0 <= number < COUNT:
        return scalar(const(number, Scalar.WIDE))
    if isinstance(number, int) and float(number):
        return scalar(const(number, Scalar.LOOSE))
    return scalar(const(float(number), real))


def pack(items: Sequence[Value]) -> Value:
    """A tuple of values."""
    return Value(Tup(tuple(v.type for v in items)), tuple(t for v in items for t in v.leaves))


def stack(items: Sequence[Value]) -> Value | None:
    """Scalars to a vector, vectors to the rows of a matrix; None where they do not fit."""
    if not 2 <= len(items) <= 4 or len({_shape(v.type) for v in items}) != 1:
        return None
    leaves = tuple(t for v in items for t in v.leaves)
    elem = promote(leaves, leaves[0].type)
    match items[0].type:
        case Scalar():
            return Value(Vec(elem, len(items)), tuple(cast(t, elem) for t in leaves))
        case Vec(size=size):
            return Value(Mat(elem, len(items), size), tuple(cast(t, elem) for t in leaves))
    return None


def _shape(type_: Type) -> object:
    match type_:
        case Vec(size=size):
            return size
        case Mat(rows=rows, cols=cols):
            return rows, cols
        case Tup() | Arr():
            return type_
    return 0


def promote(terms: Sequence[Term], real: Scalar) -> Scalar:
    """The type in which terms meet: the widest real, else int, else bool.

    Constants adapt to the others: `2.5 * x` has the type of `x`. A constant of another
    precision than `real` was asked for, as in `double(0.1) * x`, and counts.
    """
    adapting = (real, Scalar.REAL)
    kinds: list[Scalar] = [
        t.type for t in terms if t.type.is_real and (t.op != CONST or t.type not in adapting)
    ]
    if kinds:
        return max(kinds, key=lambda k: _RANK.get(k, 1))
    if any(t.type.is_real for t in terms):
        return real
    unsigned = meeting(terms)
    if unsigned is not None:
        return unsigned
    if any(t.type is Scalar.I32 for t in terms):
        return Scalar.I32
    return Scalar.BOOL


def cast(term: Term, type_: Scalar) -> Term:
    """The term converted to a scalar type; constants are converted at once."""
    if term.type is type_:
        return term
    if term.type.is_unsigned or type_.is_unsigned:
        return _without_sign(term, type_)
    if term.op != CONST:
        return Term(CAST, (term,), None, type_)
    value = const_value(term)
    if type_ is Scalar.I32 and not -_INT_LIMIT <= value < _INT_LIMIT:
        return Term(CAST, (term,), None, type_)
    return const(value, type_)


def _without_sign(term: Term, type_: Scalar) -> Term:
    """To or from an integer without a sign."""
    if type_.is_unsigned:
        return of_real(term, type_) if term.type.is_real else typed(term, type_)
    if type_ is Scalar.I32:
        return bits(term)
    if term.op == CONST and (term.type is not Scalar.LOOSE or beyond(term) is not None):
        return const(const_value(term), type_)
    if type_ is Scalar.BOOL:
        return Term(CAST, (bits(term),), None, type_)
    return real_of(term, type_)


def retype(type_: Type, elem: Scalar) -> Type:
    """The same shape over another element type."""
    match type_:
        case Scalar():
            return elem
        case Memory(size=size):
            return Memory(elem, size)
        case Vec(size=size):
            return Vec(elem, size)
        case Mat(rows=rows, cols=cols):
            return Mat(elem, rows, cols)
        case Arr(item=item):
            return replace(type_, item=retype(item, elem))
    assert isinstance(type_, Tup)
    return replace(type_, items=tuple(retype(t, elem) for t in type_.items))


def convert(value: Value, type_: Type) -> Value | None:
    """The value as `type_`, component by component; None where the shapes differ.

    Of integers beyond 31 bits, only an integer without a sign, or a real, holds the number.
    """
    if value.type == type_:
        return value
    targets = leaf_types(type_)
    if outline(value.type) != outline(type_) or len(targets) != len(value.leaves):
        return None
    if any(map(_is_cut, value.leaves, targets)):
        return None
    return Value(type_, tuple(cast(t, k) for t, k in zip(value.leaves, targets, strict=True)))


def _is_cut(term: Term, target: Scalar) -> bool:
    if target is Scalar.WIDE:
        return limit(term) is None
    if target is Scalar.I32 and term.op == CONST and term.type is Scalar.WIDE:
        return int(const_value(term)) >= _INT_LIMIT
    return target is Scalar.I32 and term.type.is_unsigned


def outline(type_: Type) -> object:
    """What two types share of which values have the same components."""
    if isinstance(type_, Tup):
        entries = type_.entries if type_.form == "dict" else ()
        return type_.struct, entries, tuple(outline(t) for t in type_.items)
    if isinstance(type_, Arr):
        return type_.size, outline(type_.item), "array"
    return _shape(type_)
