"""Arrays as NumPy computes with them: what is said of numbers is done at each element.

NumPy itself says which numbers meet: it is given arrays of the reader's numbers (`gathered`), and
what it gives back becomes an array again (`made`). So shapes broadcast, axes are summed over and
rows are put together as it does that. Takes arrays and what to do with their numbers; knows
nothing of syntax.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Mat, Scalar, Vec
from ....terms.value import Value
from ..operations.arithmetic import operate, stack_of
from ..operations.methods import flattened
from ..operations.operators import Here, binary, comparison, unary
from ..operations.records import elements, plain
from ..values.arrays import (
    arrayed,
    in_order_of,
    is_array,
    is_unordered,
    kind_of,
    lay_out,
    shape_of,
    words,
)
from ..values.objects import Listed, first, is_tuple
from ..values.scope import Session
from ..values.values import cast_to, counted, describe, is_number, is_truth, lift, number

_MOST = 4096  # numbers of an array that is computed with: each is written out
_OPERATIONS = 1 << 16  # that one call writes out
_TRUTHS: Mapping[type, ast.operator] = {ast.Add: ast.BitOr(), ast.Mult: ast.BitAnd()}
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)


def gathered(session: Session, value: Any, at: Span) -> Any:
    """The numbers of an array, a list, a vector or a number, as an array of NumPy."""
    import numpy

    rows = plain(session, value, at)
    shape, numbers = _shape(rows), list(flattened(rows))
    if prod(shape) != len(numbers):
        raise TraceError("rows of different lengths make no array", at)
    if len(numbers) > _MOST:
        raise TraceError(
            f"{len(numbers)} elements are too many to be written out ({_MOST} at most)",
            at,
            "compute with them one by one, in a loop: for i in range(n): …",
        )
    for item in numbers:
        lift(item, session.real, at)
    found = numpy.empty(len(numbers), object)
    for place, item in enumerate(numbers):
        found[place] = item
    return in_order_of(value, found.reshape(shape))


def _shape(rows: Any) -> tuple[int, ...]:
    shape: list[int] = []
    while isinstance(rows, tuple):
        shape.append(len(rows))
        rows = rows[0] if rows else None
    if isinstance(rows, Value):
        kind = rows.type
        inner = (kind.rows, kind.cols) if isinstance(kind, Mat) else ()
        return (*shape, *((kind.size,) if isinstance(kind, Vec) else inner))
    return tuple(shape)


def made(session: Session, found: Any, kind: type | None = None) -> Any:
    """An array of numbers, from one of NumPy; one number stays that."""
    import numpy

    if not isinstance(found, numpy.ndarray):
        return found
    kinds = {kind_of(item): None for item in found.flat}
    kind = kind or next((k for k in (float, int, bool) if k in kinds), float)
    if found.ndim == 0:
        return found[()]
    if found.ndim > 1:
        array = arrayed([made(session, row, kind) for row in found], kind=kind)
        array.unordered = is_unordered(found)
        return array if found.flags.c_contiguous else lay_out(array, found)
    return arrayed([as_kind(item, kind, session.real) for item in found], kind=kind)


def as_kind(value: Any, kind: type, real: Scalar) -> Any:
    """A number as one of a wider kind: a truth as 0 or 1, an integer as a real."""
    if kind is bool or kind_of(value) is kind:
        return value
    value = counted(value) if is_truth(value) else value
    if kind is int or kind_of(value) is float:
        return value
    return cast_to(value, real) if isinstance(value, Value) else float(number(value))


def each(at: Span, compute: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    """What `compute` gives of the numbers of arrays that stand at one place, for every place."""
    import numpy

    try:
        numpy.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = " and ".join(words(array.shape) for array in arrays)
        raise TraceError(
            f"arrays of {shapes} do not fit together",
            at,
            "lengths are compared from the last on: two are equal, or one of them is 1",
        ) from None
    return numpy.frompyfunc(compute, len(arrays), 1)(*arrays)


# --- operators ------------------------------------------------------------------------------


def array_binary(
    session: Session, node: ast.AST, op: ast.operator, left: Any, right: Any, at: Span
) -> Any:
    """`left op right`, where one of them is an array; what meets a vector is one, if it can be."""
    found = made(session, _binary_numbers(session, node, op, left, right, at))
    vector = any(isinstance(getattr(v, "type", None), Vec | Mat) for v in (left, right))
    numbers = plain(session, found, at) if vector else ()
    value = stack_of(session, numbers)
    return value if isinstance(value, Value) else found


def _binary_numbers(
    session: Session, node: ast.AST, op: ast.operator, left: Any, right: Any, at: Span
) -> Any:
    sides = [gathered(session, side, at) for side in (left, right)]
    if isinstance(op, ast.MatMult):
        _check_product(sides[0].shape, sides[1].shape, at)
        return by_numpy(session, operator.matmul, [left, right], {}, at, "@")
    return each(at, partial(number_binary, Here(session, at), node, op), sides)


def _check_product(left: tuple[int, ...], right: tuple[int, ...], at: Span) -> None:
    if not left or not right:
        raise TraceError("a matrix product needs arrays on both sides", at, "use *")
    if left[-1] != right[-2:][0]:
        raise TraceError(
            f"the matrix product of arrays of {words(left)} and {words(right)} does not exist",
            at,
            f"the left side has {left[-1]} columns, the right side {right[-2:][0]} rows",
        )


def number_binary(here: Here, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
    """`left op right` of two numbers in arrays: two truths give one, beside a number they count."""
    if is_truth(left) and is_truth(right):
        op = _TRUTHS.get(type(op), op)
    if not isinstance(op, _BITWISE):
        left, right = (counted(v) if is_truth(v) else v for v in (left, right))
    elif is_truth(left) and is_truth(right) and isinstance(op, ast.BitXor):
        return comparison(here, node, ast.NotEq(), left, right)
    elif is_truth(left) and is_truth(right):
        name = "logical_and" if isinstance(op, ast.BitAnd) else "logical_or"
        return operate(here.session, name, [left, right], here.at)
    return binary(here, node, op, left, right)


def array_unary(session: Session, node: ast.UnaryOp, value: Any, at: Span) -> Any:
    """`-value`, `+value`, `~value` of an array."""
    compute = partial(number_unary, Here(session, at), node)
    return made(session, each(at, compute, [gathered(session, value, at)]))


def number_unary(here: Here, node: ast.UnaryOp, value: Any) -> Any:
    """`-value`, `+value`, `~value` of a number in an array."""
    if isinstance(node.op, ast.Invert) and is_truth(value):
        return not_of(here, value)
    return unary(here, node, value)


def not_of(here: Here, value: Any) -> Any:
    """Whether something does not hold."""
    if is_number(value):
        return not value
    return operate(here.session, "logical_not", [value], here.at)


def array_comparison(
    session: Session, node: ast.AST, op: ast.cmpop, left: Any, right: Any, at: Span
) -> Any:
    """`left op right`, where one of them is an array: an array of truths."""
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        hint = "combine by element: (a < b) & (b < c)"
        raise TraceError("a chain of comparisons needs truth values, not arrays", at, hint)
    sides = [gathered(session, side, at) for side in (left, right)]
    return made(session, each(at, partial(comparison, Here(session, at), node, op), sides), bool)


# --- functions of NumPy ---------------------------------------------------------------------


@dataclass
class _Sheet:
    """Where a function of NumPy computes, and how much it may still write out."""

    here: Here
    left: int = _OPERATIONS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            hint = "write loops: for i in range(n): …"
            message = f"this writes out more than {_OPERATIONS} operations"
            raise TraceError(message, self.here.at, hint)


class Cell:
    """A number in an array that a function of NumPy computes with: its operators write terms."""

    __slots__ = ("sheet", "value")

    def __init__(self, sheet: _Sheet, value: Any) -> None:
        self.sheet, self.value = sheet, value

    def __neg__(self) -> Cell:
        return Cell(self.sheet, number_unary(self.sheet.here, _MINUS, self.value))

    def __bool__(self) -> bool:
        held = self.value
        if is_number(held):
            return bool(held)
        raise TraceError(
            "this function of NumPy asks which of the elements it takes, and that is known only "
            "when the kernel runs",
            self.sheet.here.at,
            "choose each of them: np.where(c, a, b)",
        )

    def conjugate(self) -> Cell:
        """Itself: there are no complex numbers."""
        return self

    def sqrt(self) -> Cell:
        """As the method that NumPy looks for in numbers of others."""
        found = operate(self.sheet.here.session, "sqrt", [self.value], self.sheet.here.at)
        return Cell(self.sheet, found)


_MINUS = ast.UnaryOp(ast.USub(), ast.Constant(0))


def _infix(op: ast.operator, mirrored: bool) -> Callable[[Cell, Any], Cell]:
    def compute(self: Cell, other: Any) -> Cell:
        self.sheet.spend()
        other = other.value if isinstance(other, Cell) else _plain_number(other)
        sides = (other, self.value) if mirrored else (self.value, other)
        left, right = (counted(side) if is_truth(side) else side for side in sides)
        return Cell(self.sheet, binary(self.sheet.here, _MINUS, op, left, right))

    return compute


def _compared(op: ast.cmpop) -> Callable[[Cell, Any], Cell]:
    def compute(self: Cell, other: Any) -> Cell:
        other = other.value if isinstance(other, Cell) else _plain_number(other)
        return Cell(self.sheet, comparison(self.sheet.here, _MINUS, op, self.value, other))

    return compute


def _plain_number(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    return value.item() if hasattr(value, "item") else value


for _name, _op in (
    ("add", ast.Add()),
    ("sub", ast.Sub()),
    ("mul", ast.Mult()),
    ("truediv", ast.Div()),
    ("floordiv", ast.FloorDiv()),
    ("mod", ast.Mod()),
    ("pow", ast.Pow()),
):
    setattr(Cell, f"__{_name}__", _infix(_op, False))
    setattr(Cell, f"__r{_name}__", _infix(_op, True))
for _name, _order in (
    ("lt", ast.Lt()),
    ("le", ast.LtE()),
    ("gt", ast.Gt()),
    ("ge", ast.GtE()),
):
    setattr(Cell, f"__{_name}__", _compared(_order))


def by_numpy(
    session: Session,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    name: str,
) -> Any:
    """What a function of NumPy gives of arrays, computed by it with the reader's numbers."""
    sheet = _Sheet(Here(session, at))
    given = [_to_numpy(session, sheet, arg, at) for arg in args]
    named = {key: _to_numpy(session, sheet, arg, at) for key, arg in kwargs.items()}
    try:
        found = _from_numpy(function(*given, **named))
        arrays = [arg for arg in args if is_tuple(arg) or isinstance(first(arg), Listed)]
        arrays += [kwargs[word] for word in ("prepend", "append") if word in kwargs]
        if name not in (*_PRODUCTS, "diff") or not _are_truths(session, arrays, at):
            return found
        return _truths_of(sheet, found, name)
    except TraceError:
        raise
    except Exception as error:
        reason = str(error).replace(__name__ + ".", "")
        raise TraceError(f"{name} fails in NumPy: {reason}", at) from None


#: Products of truths are truths, and so are sums of such products.
_PRODUCTS = (
    *("@", "dot", "vdot", "inner", "outer", "matmul", "tensordot", "kron", "einsum", "convolve"),
    *("correlate", "linalg.matmul", "linalg.outer", "linalg.tensordot"),
)


def _are_truths(session: Session, arrays: Sequence[Any], at: Span) -> bool:
    numbers = [item for array in arrays for item in gathered(session, array, at).flat]
    return bool(numbers) and all(kind_of(item) is bool for item in numbers)


def _truths_of(sheet: _Sheet, found: Any, name: str) -> Any:
    """Whether each number is another than 0; whether differences are odd."""
    import numpy

    def truth(item: Any) -> Any:
        odd = binary(sheet.here, _MINUS, ast.Mod(), item, 2) if name == "diff" else item
        return comparison(sheet.here, _MINUS, ast.NotEq(), odd, 0)

    return numpy.frompyfunc(truth, 1, 1)(found)


def _to_numpy(session: Session, sheet: _Sheet, value: Any, at: Span) -> Any:
    import numpy

    if is_array(value) or (isinstance(value, Value) and not isinstance(value.type, Scalar)):
        numbers = gathered(session, value, at)
        return numpy.frompyfunc(partial(Cell, sheet), 1, 1)(numbers)
    if isinstance(value, Value):
        return Cell(sheet, value)
    if isinstance(first(value), Listed):
        value = elements(session, value, at)
    if is_tuple(value) and not _is_shape(value):
        return [_to_numpy(session, sheet, item, at) for item in value]
    return value


def _is_shape(value: tuple[Any, ...]) -> bool:
    return all(isinstance(item, int) or item is None for item in value)


def _from_numpy(found: Any) -> Any:
    """The numbers in what a function of NumPy gives, or in each of several."""
    import numpy

    if isinstance(found, numpy.ndarray):
        return numpy.frompyfunc(_from_numpy, 1, 1)(found)
    if isinstance(found, list | tuple):
        return [_from_numpy(item) for item in found]
    return found.value if isinstance(found, Cell) else _plain_number(found)


def same_shape(session: Session, target: Any, found: Any, at: Span) -> None:
    """Raises TraceError where what is computed in place has another shape than the array."""
    if found.shape != shape_of(target):
        raise TraceError(
            f"{describe(target)} cannot become an array of {words(found.shape)} in place",
            at,
            "write a = a + b: a new array",
        )
