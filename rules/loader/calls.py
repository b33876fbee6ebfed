"""Applying operators inside of rule expressions.

Takes the signatures of operators and typed arguments, checks existence, arity, kinds and
shapes, gives typed terms; knows nothing of how expressions are written down.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...terms.errors import RuleError, Span, nearest
from ...terms.rule import Parameter
from ...terms.term import CONST, Term, const, const_value
from ...terms.types import Scalar
from .parse import SPECIAL_OPS
from .source import MAX_DEPTH, Source

# Axes of a value: () scalar, (n,) vector, (n, m) matrix; 0 = any size; None = a tuple.
Shape = tuple[int, ...] | None
_I32_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class Typed:
    """A term (its type says real, int or bool), its shape, and how deep it is."""

    term: Term
    shape: Shape = ()
    depth: int = 1


@dataclass(slots=True, eq=False)
class Signature:
    """How an operator is called: parameters, and the result's kind ("" until it is known)."""

    name: str
    params: tuple[Parameter, ...]
    result: str
    at: Span
    shape: Shape = ()
    shapes: tuple[Shape, ...] = ()
    scalar: bool = True
    real: bool = True  # takes reals everywhere
    count: int = 0  # of the items, where the result is a tuple that is known
    #: Expressions of the definition, by syntax node: its kind is found before the rest is read.
    memo: dict[int, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shapes = tuple(shape_of_kind(p.kind) for p in self.params)
        self.scalar = not any(self.shapes)
        self.real = all(p.kind in ("real", "number", "any") for p in self.params)

    def __str__(self) -> str:
        shown = (p.name if p.kind == "real" else f"{p.name}: {p.kind}" for p in self.params)
        return f"{self.name}({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Known:
    """An expression that has been read: its value, the names in it, and what it calls."""

    value: Typed
    seen: set[str]
    called: list[Signature]
    node: ast.expr  # kept, so that no other one gets its place in memory


@dataclass(frozen=True, slots=True)
class Local:
    """A local: its value, the names of the block in it, the operators it calls, its place."""

    value: Typed
    free: frozenset[str]
    calls: list[Signature]
    node: ast.AST


class Unresolved(Exception):
    """A call whose result kind is not known yet: read that operator first."""

    def __init__(self, signature: Signature) -> None:
        super().__init__(signature.name)
        self.signature = signature


@dataclass(slots=True)
class Scope:
    """What an expression may use; `seen` and `called` record what it did use."""

    source: Source
    rule: str
    names: dict[str, Typed]
    operators: Mapping[str, Sequence[Signature]]
    hidden: Mapping[str, str] = field(default_factory=dict)  # name -> why it is out of scope
    seen: set[str] = field(default_factory=set)
    called: list[Signature] = field(default_factory=list)

    def error(self, node: ast.AST, message: str, hint: str = "") -> RuleError:
        """The error of this rule at a node."""
        return self.source.error(node, self.rule, message, hint)


_SCALARS = {"int": Scalar.I32, "bool": Scalar.BOOL}


def shape_of_kind(kind: str) -> Shape:
    """The axes of a parameter kind: `vec3` -> (3,), `mat` -> (0, 0), `tuple` -> None."""
    if kind.startswith("vec"):
        return (int(kind[3:] or 0),)
    if kind.startswith("mat"):
        return (int(kind[3:] or 0),) * 2
    return None if kind == "tuple" else ()


def scalar_of_kind(kind: str) -> Scalar:
    """The type of a rule variable of this kind."""
    return _SCALARS.get(kind, Scalar.REAL)


def call(name: str, args: Sequence[Typed], node: ast.expr, scope: Scope) -> Typed:
    """The application of an operator: existence, arity, kinds and shapes are checked."""
    overloads = scope.operators.get(name)
    if overloads is None:
        hint = "define it with a block of its own, or load the file that does"
        if name in SPECIAL_OPS:
            hint = f"{name} has a meaning of its own, which does not fit here"
        at = node.func if isinstance(node, ast.Call) else node
        message = f"unknown operator {name!r}{nearest(name, scope.operators)}"
        raise scope.error(at, message, hint)
    signature = overloads[0]
    shape, terms, together = signature.shape, [arg.term for arg in args], Scalar.REAL
    if not _is_plain(signature, args):
        signature, shape = _choose(overloads, args, node, scope)
        terms, together = _arguments(signature, args, node, scope)
    if signature.result == "":
        raise Unresolved(signature)
    if signature not in scope.called:
        scope.called.append(signature)
    meeting = signature.result in ("number", "any")
    type_ = together if meeting else scalar_of_kind(signature.result)
    return Typed(Term(name, tuple(terms), None, type_), shape, level(args, node, scope))


def _is_plain(signature: Signature, args: Sequence[Typed]) -> bool:
    """Whether an operator of real numbers is called with real numbers: nearly every call."""
    if not (signature.scalar and signature.real) or len(signature.params) != len(args):
        return False
    return all([arg.shape == () and arg.term.type is Scalar.REAL for arg in args])


def level(args: Sequence[Typed], node: ast.expr, scope: Scope) -> int:
    """The depth of a term over `args`, which counts what is in its locals."""
    depth = 1 + max([arg.depth for arg in args], default=0)
    if depth > MAX_DEPTH:
        hint = "make a part of it an operator of its own"
        message = f"with its locals, this is more than {MAX_DEPTH} levels deep"
        raise scope.error(node, message, hint)
    return depth


def _choose(
    overloads: Sequence[Signature], args: Sequence[Typed], node: ast.expr, scope: Scope
) -> tuple[Signature, Shape]:
    """The overload that takes these shapes, and the shape of its result."""
    first, shapes = overloads[0], [arg.shape for arg in args]
    if first.scalar and len(first.params) == len(args) and shapes.count(()) == len(args):
        return first, first.shape
    same_arity = [s for s in overloads if len(s.params) == len(args)]
    for signature in same_arity:
        if all(fits(w, s) for w, s in zip(signature.shapes, shapes, strict=True)):
            return signature, signature.shape
    for signature in same_arity:
        if None not in shapes and signature.scalar:
            return signature, _broadcast([s for s in shapes if s is not None], node, scope)
    wanted = " or ".join(map(str, overloads))
    name = overloads[0].name
    if not same_arity:
        message = f"{name} takes {_counts(overloads)}, not {len(args)}"
    else:
        message = f"{name} does not take {', '.join(map(_shape_name, shapes))}"
    raise scope.error(node, message, f"write {wanted}")


def fits(wanted: Shape, given: Shape) -> bool:
    """Whether a value of one shape may stand where another one is wanted, as far as known."""
    if wanted is None or given is None or len(wanted) != len(given):
        return wanted is given
    return all(w == g or not (w and g) for w, g in zip(wanted, given, strict=True))


def _counts(overloads: Iterable[Signature]) -> str:
    counts = sorted({len(s.params) for s in overloads})
    text = " or ".join(map(str, counts))
    return f"{text} argument{'' if counts == [1] else 's'}"


def _shape_name(shape: Shape) -> str:
    if shape is None:
        return "a tuple"
    return ("a number", "a vector", "a matrix")[len(shape)]


def _broadcast(shapes: Sequence[tuple[int, ...]], node: ast.expr, scope: Scope) -> Shape:
    composite = [shape for shape in shapes if shape]
    result = composite[0] if composite else ()
    for shape in composite[1:]:
        if not fits(result, shape):
            hint = "operands are of one shape, or numbers"
            raise scope.error(node, "the shapes of these values differ", hint)
        result = tuple(a or b for a, b in zip(result, shape, strict=True))
    return result


def _arguments(
    signature: Signature, args: Sequence[Typed], node: ast.expr, scope: Scope
) -> tuple[list[Term], Scalar]:
    """The arguments as the parameters want them, and the common type of `number`/`any`."""
    terms = [arg.term for arg in args]
    if signature.real and all(term.type is Scalar.REAL for term in terms):
        return terms, Scalar.REAL
    meeting = [i for i, p in enumerate(signature.params) if p.kind in ("number", "any")]
    met, together = meet([args[i] for i in meeting], node, scope, signature.name)
    for i, term in zip(meeting, met, strict=True):
        terms[i] = term
    for i, (param, term) in enumerate(zip(signature.params, terms, strict=True)):
        is_bool = term.type is Scalar.BOOL
        if is_bool and param.kind not in ("bool", "any"):
            hint = "choose with `1 if condition else 0`"
            raise scope.error(node, f"{signature.name} takes numbers, not a condition", hint)
        if not is_bool and param.kind == "bool":
            hint = "write a comparison, such as x > 0"
            raise scope.error(node, f"{signature.name} needs a condition for {param.name!r}", hint)
        if param.kind == "int" and term.type is not Scalar.I32:
            whole = _whole(term)
            if whole is None:
                message = f"{signature.name} needs an integer for {param.name!r}"
                raise scope.error(node, message, "declare the parameter as int")
            terms[i] = whole
    return terms, together


def meet(
    args: Sequence[Typed], node: ast.expr, scope: Scope, name: str = "a list"
) -> tuple[list[Term], Scalar]:
    """One type for all: whole literals become int beside ints; bool meets only bool."""
    terms = [arg.term for arg in args]
    types = {term.type for term in terms}
    if len(types) > 1 and Scalar.BOOL in types:
        hint = "choose with `1 if condition else 0`"
        raise scope.error(node, f"{name} mixes conditions and numbers", hint)
    if len(types) > 1:
        ints = [term if term.type is Scalar.I32 else _whole(term) for term in terms]
        if None not in ints:
            return [term for term in ints if term is not None], Scalar.I32
        return terms, Scalar.REAL
    return terms, terms[0].type if terms else Scalar.REAL


def _whole(term: Term) -> Term | None:
    """The integer constant equal to a real constant, or None."""
    if term.op != CONST or term.type is not Scalar.REAL:
        return None
    value = const_value(term)
    if not math.isfinite(value) or value != int(value) or not -_I32_LIMIT <= value < _I32_LIMIT:
        return None
    return const(int(value), Scalar.I32)
