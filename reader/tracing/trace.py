"""One run of a traced function: lifts what it meets to values, and applies operators to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from ...terms import apply as operators
from ...terms.errors import TraceError
from ...terms.operators import bitwise, power
from ...terms.rule import RuleSet
from ...terms.term import Term, const
from ...terms.types import Mat, Scalar, Type, Vec, leaf_types, parse_type, type_name
from ...terms.value import Value, cast, convert, literal, retype, stack
from .positions import Origin, here, user_frame

_PLAIN_NUMBERS = (int, float)
_COMPLEX = (
    "keep the function in a file: then its source is read, and complex numbers with it; or compute "
    "with real and imaginary parts"
)


class Trace:
    """The rules and the precision of a run, and where in the source its terms come from.

    `call_ufunc` and `call_function` say what NumPy's functions do to the symbolic values of
    the run. They are handed in, because they stand on the symbolic values.
    """

    __slots__ = ("call_function", "call_ufunc", "origins", "plain", "real", "rules")

    def __init__(
        self,
        real: Scalar,
        rules: RuleSet,
        call_ufunc: Callable[..., Any],
        call_function: Callable[..., Any],
    ) -> None:
        self.real = real
        self.rules = rules
        self.call_ufunc = call_ufunc
        self.call_function = call_function
        self.plain = rules.plain
        self.origins: dict[Term, Origin] = {}

    # ------------------------------------------------------------ operators

    def apply(self, name: str, args: Sequence[Any]) -> Value | None:
        """The value of an operator; None where an argument is nothing that egad computes with."""
        values = []
        for arg in args:
            value = self.lift(arg)
            if value is None:
                return None
            values.append(value)
        try:
            result = operators.apply(self.rules, name, values, self.real)
        except TraceError as error:
            raise self._placed(error) from None
        return self.noted(result)

    def binary(self, name: str, a: Any, b: Any) -> Value | None:
        """`apply` for two arguments, short for scalars of one real type and Python numbers."""
        if name in self.plain:
            x, y = _scalar_term(a), _scalar_term(b)
            if x is None and y is not None and a.__class__ in _PLAIN_NUMBERS:
                x = self._constant(a, y.type)
            elif y is None and x is not None and b.__class__ in _PLAIN_NUMBERS:
                y = self._constant(b, x.type)
            if x is not None and y is not None and x.type is y.type:
                return self.noted(Value(x.type, (Term(name, (x, y), None, x.type),)))
        return self.apply(name, (a, b))

    def _constant(self, number: int | float, type_: Scalar) -> Term:
        try:
            return const(number, type_)
        except OverflowError:
            return self._number(number).term

    def power(self, base: Any, exponent: Any) -> Value | None:
        """`base ** exponent`."""
        x, n = self.lift(base), self.lift(exponent)
        if x is None or n is None:
            return None
        try:
            return self.noted(power(self.rules, x, n, self.real))
        except TraceError as error:
            raise self._placed(error) from None

    def matmul(self, a: Any, b: Any) -> Value | None:
        """`a @ b`: the product of matrices and vectors, the dot product of two vectors."""
        x, y = self.lift(a), self.lift(b)
        if x is None or y is None:
            return None
        both = isinstance(x.type, Vec) and isinstance(y.type, Vec)
        if isinstance(x.type, Scalar) or isinstance(y.type, Scalar):
            raise TraceError("@ multiplies vectors and matrices; use * for scalars", here())
        return self.apply("dot" if both else "matmul", (a, b))

    def bitwise(self, name: str, args: Sequence[Any]) -> Value | None:
        """`& | ^ ~ << >>` of integers or truth values."""
        values = [v for v in map(self.lift, args) if v is not None]
        if len(values) < len(args):
            return None
        try:
            return self.noted(bitwise(self.rules, name, values, self.real))
        except TraceError as error:
            raise self._placed(error) from None

    def noted(self, value: Value) -> Value:
        """The value, with its new terms tied to the line of the user that is being run."""
        origins = self.origins
        for leaf in value.leaves:
            if leaf not in origins and leaf.args:
                frame = user_frame(2)
                if frame is not None:
                    origins[leaf] = (frame.f_code, frame.f_lasti)
        return value

    def _placed(self, error: TraceError) -> TraceError:
        return error if error.at else TraceError(error.message, here(2), error.hint)

    # ------------------------------------------------------------ values from what users write

    def lift(self, given: Any) -> Value | None:
        """The value of a symbolic value, a number, an array or a vector; None for anything else."""
        if given.__class__ in (float, int, bool):
            return self._number(given)
        value = getattr(given, "egad_value", None)
        if value is not None:
            return value  # type: ignore[no-any-return]
        parts = getattr(given, "egad_parts", None)
        if parts is not None:
            return self._vector(*parts)
        if isinstance(given, complex):
            raise TraceError(f"{given} is complex: a trace has real numbers", here(), _COMPLEX)
        if hasattr(given, "dtype") and hasattr(given, "shape"):
            return self._array(given)
        return self._number(float(given)) if isinstance(given, Real) else None

    def _number(self, number: bool | int | float) -> Value:
        try:
            return literal(number, self.real)
        except OverflowError:
            raise TraceError("this integer is too large for any type", here()) from None

    def _vector(self, spelling: str, leaves: Sequence[Any]) -> Value | None:
        """A vector or matrix of numbers, or of symbolic scalars."""
        type_ = parse_type(spelling, self.real)
        lifted = [self.lift(leaf) for leaf in leaves]
        if type_ is None or not all(v is not None and len(v.leaves) == 1 for v in lifted):
            return None
        terms = [v.leaves[0] for v in lifted if v is not None]
        elems = leaf_types(type_)
        return Value(type_, tuple(cast(t, e) for t, e in zip(terms, elems, strict=True)))

    def _array(self, array: Any) -> Value | None:
        if array.shape == ():
            return self.lift(array.item())
        items = [self.lift(item) for item in array]
        if any(item is None for item in items):
            return None
        return stack([item for item in items if item is not None])

    # ------------------------------------------------------------ components

    def pick(self, items: Sequence[Value], index: Value) -> Value:
        """Item `index`, not known yet; the last item where it is out of range."""
        self._check_index(index)
        found = items[-1]
        for i in range(len(items) - 2, -1, -1):
            found = self._select(self._is(index, i), items[i], found)
        return found

    def replace(self, items: Sequence[Value], index: Value, new: Value) -> list[Value]:
        """The items with item `index`, not known yet, replaced."""
        self._check_index(index)
        return [self._select(self._is(index, i), new, item) for i, item in enumerate(items)]

    def _check_index(self, index: Value) -> None:
        if index.type is not Scalar.I32:
            raise TraceError(f"an index must be an int, not {type_name(index.type)}", here())

    def _is(self, index: Value, i: int) -> Term:
        return Term("eq", (index.term, const(i, Scalar.I32)), None, Scalar.BOOL)

    def _select(self, condition: Term, then: Value, other: Value) -> Value:
        chosen = operators.select_values(self.rules, condition, then, other, self.real)
        assert chosen is not None  # the items of a vector or matrix have one shape
        return self.noted(chosen)

    def fit(self, given: Any, type_: Type) -> Value:
        """What is written to a component: converted to its type, a scalar broadcast."""
        value = self.lift(given)
        fitted = None
        if value is not None:
            count = len(leaf_types(type_))
            if isinstance(value.type, Scalar) and count > 1:
                value = Value(retype(type_, value.type), value.leaves * count)
            fitted = convert(value, type_)
        if fitted is None:
            named = type(given).__name__ if value is None else type_name(value.type)
            raise TraceError(f"{named} does not fit a component of type {type_name(type_)}", here())
        return fitted

    def construct(self, type_: Type, args: Sequence[Any]) -> Value:
        """`float3(x, v2)`: the components of all arguments in order, or one scalar for all."""
        values = [self.lift(a) for a in args]
        leaves = [t for v in values if v is not None for t in v.leaves]
        elems = leaf_types(type_)
        if None in values or not args:
            raise TraceError(f"{type_name(type_)} is made of numbers and vectors", here())
        if len(leaves) == 1:
            leaves = leaves * len(elems)
        only = values[0]
        if isinstance(type_, Mat) and only is not None and isinstance(only.type, Mat):
            leaves = _corner(only, type_) or leaves
        if len(leaves) != len(elems):
            raise TraceError(
                f"{type_name(type_)} has {len(elems)} components, {len(leaves)} are given", here()
            )
        return self.noted(
            Value(type_, tuple(cast(t, e) for t, e in zip(leaves, elems, strict=True)))
        )


def _corner(value: Value, type_: Mat) -> list[Term] | None:
    """The upper left part of a matrix, where it is large enough."""
    source = value.type
    assert isinstance(source, Mat)
    if source.rows < type_.rows or source.cols < type_.cols:
        return None
    rows = value.items()[: type_.rows]
    return [t for row in rows for t in row.leaves[: type_.cols]]


def _scalar_term(given: Any) -> Term | None:
    value = getattr(given, "egad_value", None)
    if value is None:
        return None
    type_ = value.type
    real = type_.__class__ is Scalar and type_.is_real
    return value.leaves[0] if real else None
