"""Applying an operator to values: overloads, broadcasting, conversions, definitions.

Takes rule values and argument values, gives values; knows nothing of where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .applied import Applied
from .errors import Span, TraceError, nearest
from .rule import Operator, Parameter, RuleSet
from .term import CONST, SELECT, Term, const, const_value, is_const
from .types import Arr, Mat, Scalar, Tup, Type, Vec, leaf_types, type_name
from .unsigned import bits, has_sign, known, operation
from .value import Value, cast, convert, pack, promote, retype, scalar, stack


def apply(
    rules: RuleSet, name: str, args: Sequence[Value], real: Scalar, at: Span | None = None
) -> Value:
    """The value of operator `name` at `args`.

    Scalar operators work on vectors and matrices component by component; a scalar beside a
    composite is broadcast. Functions with a definition and no derivative of their own are
    expanded at once; all others become one opaque term per component.

    Raises TraceError for an unknown operator, a wrong number or wrong types of arguments.
    """
    try:
        return _apply(rules, name, args, real, at)
    except _ShapesDiffer:
        raise TraceError(*_differ(name, args, at)) from None


def _apply(
    rules: RuleSet, name: str, args: Sequence[Value], real: Scalar, at: Span | None
) -> Value:
    if rules.plain.get(name) == len(args):
        meet = args[0].type
        if isinstance(meet, Scalar) and meet.is_real and all(v.type is meet for v in args):
            return Value(meet, (Term(name, tuple([v.leaves[0] for v in args]), None, meet),))
    overloads = rules.operators.get(name)
    if overloads is None:
        raise TraceError(f"there is no operator {name!r}{nearest(name, rules.operators)}", at)
    operator = _choose(overloads, args, at)
    if operator.is_composite:
        return _apply_composite(rules, operator, args, real, at)
    shape = _common_shape(operator, args, at)
    if shape is None:
        return _apply_scalar(rules, operator, [v.term for v in args], real, at)
    parts = [
        _apply_scalar(
            rules, operator, [v.leaves[i if len(v.leaves) > 1 else 0] for v in args], real, at
        )
        for i in range(_size(shape))
    ]
    if isinstance(parts[0].type, Tup):  # (s, c) = sincos(vector): a tuple of vectors
        columns = [Value(retype(shape, t[0].type), t) for t in _transpose(parts)]
        return pack(columns)
    leaves = tuple(p.term for p in parts)
    return Value(retype(shape, leaves[0].type), leaves)


def _transpose(parts: Sequence[Value]) -> list[tuple[Term, ...]]:
    return list(zip(*(p.leaves for p in parts), strict=True))


def _size(shape: Type) -> int:
    return shape.size if isinstance(shape, Vec) else shape.rows * shape.cols  # type: ignore[union-attr]


def signature(operator: Operator) -> str:
    """How the operator is called: `lerp(a, b, t)`, `cross(a: vec3, b: vec3)`."""
    params = (p.name if p.kind == "real" else f"{p.name}: {p.kind}" for p in operator.params)
    return f"{operator.name}({', '.join(params)})"


def _choose(overloads: Sequence[Operator], args: Sequence[Value], at: Span | None) -> Operator:
    for operator in overloads:
        if len(operator.params) == len(args) and all(
            _fits(p, v.type) for p, v in zip(operator.params, args, strict=True)
        ):
            return operator
    given = ", ".join(type_name(v.type) for v in args)
    wanted = " or ".join(signature(o) for o in overloads)
    raise TraceError(f"{overloads[0].name}({given}) does not exist; use {wanted}", at)


def _fits(param: Parameter, type_: Type) -> bool:
    match param.kind:
        case "vec":
            return isinstance(type_, Vec)
        case "vec2" | "vec3" | "vec4":
            return isinstance(type_, Vec) and type_.size == int(param.kind[3])
        case "mat":
            return isinstance(type_, Mat)
        case "mat2" | "mat3" | "mat4":
            return isinstance(type_, Mat) and type_.rows == type_.cols == int(param.kind[3])
    return not isinstance(type_, Tup | Arr)


def _common_shape(operator: Operator, args: Sequence[Value], at: Span | None) -> Type | None:
    shapes = [v.type for v in args if not isinstance(v.type, Scalar)]
    if not shapes:
        return None
    if len({str(retype(s, Scalar.REAL)) for s in shapes}) > 1:
        raise _ShapesDiffer(*_differ(operator.name, args, at))
    return shapes[0]


class _ShapesDiffer(TraceError):
    """Which operator of a definition says so is nobody's business: `apply` names its own."""


def _differ(name: str, args: Sequence[Value], at: Span | None) -> tuple[str, Span | None, str]:
    given = ", ".join(type_name(v.type) for v in args)
    hint = "use vectors or matrices of one shape, or scalars, which are broadcast"
    return f"{name}({given}): the shapes differ", at, hint


def _apply_scalar(
    rules: RuleSet, operator: Operator, args: Sequence[Term], real: Scalar, at: Span | None
) -> Value:
    if any([t.type.is_unsigned for t in args]):
        found = _unsigned(rules, operator, args, real, at)
        if found is not None:
            return scalar(found)
    terms, type_ = _unify(operator, args, real, at)
    if operator.is_opaque:
        if operator.name == SELECT and terms[0].op == CONST:
            return scalar(terms[1] if const_value(terms[0]) else terms[2])
        return scalar(Term(operator.name, tuple(terms), None, type_))
    assert operator.definition is not None
    env = {p.name: scalar(t) for p, t in zip(operator.params, terms, strict=True)}
    return instantiate(rules, operator.definition, env, real, at)


def _unsigned(
    rules: RuleSet, operator: Operator, args: Sequence[Term], real: Scalar, at: Span | None
) -> Term | None:
    """The operator at integers without a sign; None where it is one of reals, or is expanded."""

    def plain(name: str, terms: Sequence[Term]) -> Term:
        return apply(rules, name, [scalar(t) for t in terms], real, at).term

    found = operation(operator.name, args, plain, at)
    whole = any(p.kind in ("int", "number") for p in operator.params)
    if found is None and whole and operator.is_primitive and not any(t.type.is_real for t in args):
        what = type_name(next(t.type for t in args if t.type.is_unsigned))
        raise TraceError(f"{operator.name} has no meaning for {what}", at, "convert it: float(n)")
    return found


def _unify(
    operator: Operator, args: Sequence[Term], real: Scalar, at: Span | None
) -> tuple[list[Term], Scalar]:
    """Arguments converted to the parameters' kinds, and the type of the result."""
    together = [t for p, t in zip(operator.params, args, strict=True) if p.kind in _MEETING]
    meet = promote(together, real) if together else real
    if operator.result.kind == "bool" and meet.is_real and _are_whole(together):
        meet = Scalar.I32  # i < 3.0 compares integers: nothing is rounded
    terms = []
    for param, term in zip(operator.params, args, strict=True):
        terms.append(_to_kind(operator, param, term, meet, real, at))
    kind = operator.result.kind
    if kind == "bool":
        return terms, Scalar.BOOL
    if kind == "int":
        return terms, Scalar.I32
    if kind == "number" and meet is Scalar.BOOL:
        return terms, Scalar.I32
    if kind == "real" and not meet.is_real:
        return terms, real
    return terms, meet


def _are_whole(terms: Sequence[Term]) -> bool:
    """Whether these are integers beside constants of 32 bits without a fraction."""
    if not any(t.op != CONST for t in terms):
        return False
    for term in terms:
        if term.op != CONST and term.type is not Scalar.I32:
            return False
        if term.op == CONST and not _fits_integer(const_value(term)):
            return False
    return True


def _fits_integer(number: float) -> bool:
    return -(2**31) <= number < 2**31 and float(number).is_integer()


_MEETING = ("real", "number", "any")


def _to_kind(
    operator: Operator, param: Parameter, term: Term, meet: Scalar, real: Scalar, at: Span | None
) -> Term:
    match param.kind:
        case "bool":
            return truth(term, at)
        case "int":
            if term.type.is_real:
                raise TraceError(
                    f"{signature(operator)} needs an integer for {param.name!r}",
                    at,
                    "convert with int(...), which drops the fraction",
                )
            if term.type.is_unsigned and not has_sign(term):
                raise TraceError(
                    f"{signature(operator)} needs an integer with a sign for {param.name!r}, "
                    f"not {type_name(term.type)}",
                    at,
                    "convert with numpy.int32(...), which keeps the bits",
                )
            return cast(term, Scalar.I32)
        case "any":
            return cast(term, meet)
        case "number":
            return cast(term, Scalar.I32 if meet is Scalar.BOOL else meet)
    return cast(term, meet if meet.is_real else real)


def truth(term: Term, at: Span | None = None) -> Term:
    """The truth value of a scalar: itself, or `term != 0`."""
    if term.type is Scalar.BOOL:
        return term
    if term.op == CONST:
        return const(bool(const_value(term)), Scalar.BOOL)
    if term.type.is_unsigned:
        known(term, at)
        term = bits(term)
    return Term("ne", (term, const(0, term.type)), None, Scalar.BOOL)


def _apply_composite(
    rules: RuleSet, operator: Operator, args: Sequence[Value], real: Scalar, at: Span | None
) -> Value:
    leaves = [t for v in args for t in v.leaves]
    elem = promote(leaves, real)
    elem = elem if elem.is_real else real
    values = [Value(retype(v.type, elem), tuple(cast(t, elem) for t in v.leaves)) for v in args]
    env = {p.name: v for p, v in zip(operator.params, values, strict=True)}
    opaque = operator.is_opaque
    if opaque and (operator.is_primitive or operator.result.is_scalar):
        return _opaque(operator, values, elem)
    assert operator.definition is not None
    result = instantiate(rules, operator.definition, env, real, at)
    return _opaque(operator, values, elem, result.type) if opaque else result


def _opaque(
    operator: Operator, values: Sequence[Value], elem: Scalar, result: Type = Scalar.REAL
) -> Value:
    """One term for each component of a result of a type."""
    flat = tuple([t for v in values for t in v.leaves])
    types = tuple([v.type for v in values])
    count = len(leaf_types(result))
    terms = [Term(operator.name, flat, Applied(types, k), elem) for k in range(count)]
    return Value(retype(result, elem), tuple(terms))


def instantiate(
    rules: RuleSet,
    expression: Term,
    env: Mapping[str, Value],
    real: Scalar,
    at: Span | None = None,
) -> Value:
    """The value of a rule expression with its variables bound by `env`.

    Recurses over the expression, whose depth the rule loader bounds (100 levels); the terms
    in `env` are never walked. Shared subexpressions are built once.
    """
    memo: dict[Term, Value] = {}

    def build(e: Term) -> Value:
        if e not in memo:
            memo[e] = step(e)
        return memo[e]

    def step(e: Term) -> Value:
        match e.op:
            case "var":
                return env[e.attr]
            case "const":
                return scalar(e) if not e.type.is_real else literal_real(e)
            case "tuple":
                return pack([build(a) for a in e.args])
            case "list":
                return _stacked([build(a) for a in e.args], at)
            case "component":
                return build(e.args[0]).item(e.attr)
            case "rows":
                return build(e.args[0])
            case "columns":
                matrix = build(e.args[0])
                assert isinstance(matrix.type, Mat)
                return pack([matrix.column(j) for j in range(matrix.type.cols)])
            case "sum":
                return _sum(rules, build(e.args[0]).items(), real, at)
            case "each":
                items = build(e.args[0]).items()
                return _stacked(
                    [instantiate(rules, e.args[1], {**env, e.attr: v}, real, at) for v in items],
                    at,
                )
        return _apply(rules, e.op, operands(e), real, at)

    def operands(e: Term) -> list[Value]:
        # A whole number of a rule is an integer beside integers: `m != 0` of an int m.
        values = [build(a) for a in e.args]
        pairs = list(zip(e.args, values, strict=True))
        kinds = {t.type for a, v in pairs if a.op != CONST for t in v.leaves}
        whole = any(kind is Scalar.I32 or kind.is_unsigned for kind in kinds)
        if not whole or any(kind.is_real for kind in kinds):
            return values
        return [_whole(v) if a.op == CONST else v for a, v in pairs]

    def literal_real(e: Term) -> Value:
        return scalar(const(float(const_value(e)), real))

    return build(expression)


def _whole(value: Value) -> Value:
    """A real constant as an integer, where it is one of 32 bits."""
    if value.term.type.is_real and _fits_integer(const_value(value.term)):
        return scalar(cast(value.term, Scalar.I32))
    return value


def _stacked(items: list[Value], at: Span | None) -> Value:
    value = stack(items)
    if value is None:
        raise TraceError("the rows of this list have different shapes", at)
    return value


def _sum(rules: RuleSet, items: Sequence[Value], real: Scalar, at: Span | None) -> Value:
    total = items[0]
    for item in items[1:]:
        total = _apply(rules, "add", [total, item], real, at)
    return total


def select_values(
    rules: RuleSet,
    condition: Term,
    then: Value,
    other: Value,
    real: Scalar,
    at: Span | None = None,
) -> Value | None:
    """`condition ? then : other`, component by component; None where the shapes differ."""
    return select_leaves(condition, then, other, real)


def select_leaves(condition: Term, then: Value, other: Value, real: Scalar) -> Value | None:
    """`condition ? then : other`, component by component; None where the shapes differ."""
    if then is other or then == other:
        return then
    if is_const(condition):
        return then if const_value(condition) else other
    if isinstance(then.type, Tup | Arr) or isinstance(other.type, Tup | Arr):
        if convert(other, then.type) is None:
            return None
    elif str(retype(then.type, Scalar.REAL)) != str(retype(other.type, Scalar.REAL)):
        return None
    leaves = []
    for a, b in zip(then.leaves, other.leaves, strict=True):
        if a is b:
            leaves.append(a)
            continue
        meet = promote([a, b], real)
        if a.type is Scalar.BOOL is not b.type or b.type is Scalar.BOOL is not a.type:
            return None
        leaves.append(Term(SELECT, (condition, cast(a, meet), cast(b, meet)), None, meet))
    return Value(_typed(then.type, [t.type for t in leaves]), tuple(leaves))


def _typed(type_: Type, elems: Sequence[Scalar]) -> Type:
    """The shape of `type_` over the scalar types of its new components."""
    if isinstance(type_, Arr):
        return replace(type_, item=_typed(type_.item, elems))
    if not isinstance(type_, Tup):
        return retype(type_, elems[0])
    items, rest = [], list(elems)
    for item in type_.items:
        count = len(leaf_types(item))
        items.append(_typed(item, rest[:count]))
        rest = rest[count:]
    return replace(type_, items=tuple(items))
