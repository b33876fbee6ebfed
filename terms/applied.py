"""Operators over vectors and matrices: what such an operator's terms are applied to.

A term is a scalar over scalars. `length(v)` is one term over the components of v; `reflect(v, n)`,
where it is not replaced by its definition, one term for each component of its result. Takes
such a term, gives its operator and the values of the parameters; knows nothing of definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .rule import Operator, Parameter, RuleSet
from .term import Term
from .types import Mat, Type, Vec, leaf_types
from .value import Value


@dataclass(frozen=True, slots=True)
class Applied:
    """The types of the operands, and which component of the result a term is."""

    types: tuple[Type, ...]
    component: int = 0


def types_of(args: Sequence[Term], attr: object) -> tuple[Type, ...]:
    """The types of an operator's operands, given its flat arguments and its attribute."""
    return attr.types if isinstance(attr, Applied) else tuple([a.type for a in args])


def component_of(attr: object) -> int:
    """Which component of its operator's result a term with this attribute is."""
    return attr.component if isinstance(attr, Applied) else 0


def overload(rules: RuleSet, name: str, types: Sequence[Type]) -> Operator | None:
    """The operator of a name that takes operands of these types."""
    for operator in rules.operators.get(name, ()):
        if len(operator.params) == len(types) and all(map(_takes, operator.params, types)):
            return operator
    return None


def _takes(param: Parameter, type_: Type) -> bool:
    match type_:
        case Vec(size=size):
            return param.kind in ("vec", f"vec{size}")
        case Mat(rows=rows):
            return param.kind in ("mat", f"mat{rows}")
    return param.is_scalar


def environment(
    operator: Operator, types: Sequence[Type], args: Sequence[Term]
) -> dict[str, Value]:
    """The parameters of an operator, over the flat arguments of its term."""
    rest = iter(args)
    values = [Value(t, tuple([next(rest) for _ in leaf_types(t)])) for t in types]
    return {p.name: v for p, v in zip(operator.params, values, strict=True)}
