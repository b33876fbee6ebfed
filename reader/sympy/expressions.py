"""Takes SymPy expressions, matrices and lambdas, gives programs; knows nothing of Python source.

Everything is real: an expression has the value that SymPy gives it over the real numbers, and
NaN where SymPy's value is complex. `x**(1/3)` is the real cube root. A `Piecewise` without a
branch for everything else is NaN outside its conditions. Rational numbers are rounded once.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...terms.errors import TraceError, nearest
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import var
from ...terms.types import Mat, Scalar, Vec, parse_type
from ...terms.value import Value
from ..slots import parameter_slots, program, python_names
from .nodes import EXPLICIT, Builder, Signed, is_number, is_reciprocal, shown, step
from .table import HINTS

Parameters = Sequence[Any]


def is_sympy(given: Any) -> bool:
    """Whether `read_sympy` takes the object; SymPy is not imported to find out."""
    sympy = sys.modules.get("sympy")
    if sympy is None:
        return False
    if isinstance(given, (list, tuple)):
        return any(is_sympy(item) for item in given)
    return isinstance(given, (sympy.Basic, sympy.MatrixBase, sympy.NDimArray))


def read_sympy(
    expr: Any,
    params: Parameters | None = None,
    *,
    real: Scalar,
    rules: RuleSet,
    wrt: Collection[str] | None = None,
    name: str | None = None,
) -> Program:
    """The program of a SymPy expression, Matrix, Lambda, or list of expressions.

    `params` orders the parameters: symbols or names, or pairs of one with a type name; by
    default the free symbols, sorted by name. A matrix of 2 to 4 rows and columns, or a vector
    of 2 to 4, is one result; any other size gives one result per element, row by row.

    Raises TraceError for what has no real value or no operator, naming it.
    """
    import sympy

    if isinstance(expr, sympy.Lambda):
        if params is not None:
            raise TraceError("a Lambda brings its own parameters; leave out params")
        params, expr = list(expr.signature), expr.expr
        if not all(isinstance(p, sympy.Symbol) for p in params):
            raise TraceError("the parameters of a Lambda must be plain symbols")
    nodes, shape = _outline(expr)
    builder = Builder(rules, real)
    order, symbols = _walk(nodes)
    typed = _parameters(symbols, params, real)
    spelled = python_names([symbol.name for symbol, _ in typed])
    leaves = {
        symbol: var(spelling, type_)
        for (symbol, type_), spelling in zip(typed, spelled, strict=True)
    }
    done: dict[int, Signed] = {}
    for node, children in order:
        done[id(node)] = step(builder, leaves, node, [done[id(c)] for c in children])
    values = [builder.plain(done[id(node)]) for node in nodes]
    original = {symbol.name: n for (symbol, _), n in zip(typed, spelled, strict=True)}
    chosen = None if wrt is None else [original.get(str(n), str(n)) for n in wrt]
    slots = parameter_slots([(n, t) for n, (_, t) in zip(spelled, typed, strict=True)], chosen)
    return program(name or "f", slots, _assemble(values, shape), {})


# ---------------------------------------------------------------- the shape of the result


def _outline(expr: Any) -> tuple[list[Any], tuple[int, ...] | None]:
    """The scalar expressions of a root, and the shape of the matrix that they fill."""
    import sympy

    if isinstance(expr, sympy.Poly):
        expr = expr.as_expr()
    if isinstance(expr, (list, tuple, sympy.Tuple)):
        return [_element(e) for e in expr], (len(expr), 0)
    if isinstance(expr, sympy.MatrixBase):
        return list(expr.flat()), expr.shape
    if isinstance(expr, sympy.NDimArray):
        if len(expr.shape) > 2:
            advice = "give its slices, or its elements as a list"
            raise TraceError(f"an array of {len(expr.shape)} axes has no type", hint=advice)
        return list(expr._array), (*expr.shape, 1) if len(expr.shape) == 1 else expr.shape
    return [_element(expr)], None


def _element(expr: Any) -> Any:
    import sympy

    if isinstance(expr, (bool, int, float)):
        return sympy.sympify(expr)
    if isinstance(expr, sympy.Basic) and not isinstance(expr, sympy.MatrixExpr):
        return expr
    kind = type(expr).__name__
    raise TraceError(f"{kind} is not a scalar SymPy expression", hint=HINTS.get(kind, EXPLICIT))


def _assemble(values: list[Value], shape: tuple[int, ...] | None) -> list[Value]:
    if shape is None:
        return values
    leaves = tuple(v.term for v in values)
    elem = leaves[0].type if leaves else Scalar.REAL
    uniform = all(leaf.type is elem for leaf in leaves)
    match shape:
        case (2 | 3 | 4 as size, 1) | (1, 2 | 3 | 4 as size) if uniform:
            return [Value(Vec(elem, size), leaves)]
        case (2 | 3 | 4 as rows, 2 | 3 | 4 as cols) if uniform:
            return [Value(Mat(elem, rows, cols), leaves)]
    if not values:
        raise TraceError("there is nothing to compute: the matrix or list is empty")
    return values


# ---------------------------------------------------------------- parameters


def _parameters(
    symbols: Sequence[Any], params: Parameters | None, real: Scalar
) -> list[tuple[Any, Scalar]]:
    by_name: dict[str, Any] = {}
    for symbol in symbols:
        if by_name.setdefault(symbol.name, symbol) != symbol:
            advice = "give one of them another name, or the same assumptions"
            raise TraceError(f"two different symbols are called {symbol.name!r}", hint=advice)
    if params is None:
        return [(by_name[n], real) for n in sorted(by_name)]
    if isinstance(params, str):
        params = params.replace(",", " ").split()
    typed = [_parameter(entry, by_name, real) for entry in params]
    names = [symbol.name for symbol, _ in typed]
    if twice := [n for i, n in enumerate(names) if n in names[:i]]:
        raise TraceError(f"params names {twice[0]!r} twice")
    given = {symbol for symbol, _ in typed}
    if missing := [n for n in sorted(by_name) if by_name[n] not in given]:
        listed = ", ".join(missing)
        advice = f"params is {', '.join(names) or 'empty'}; add {listed}"
        if same := [n for n in missing if n in names]:
            advice = (
                f"a symbol called {same[0]!r} in params has other assumptions: pass that symbol"
            )
        raise TraceError(f"the expression depends on {listed}, not in params", hint=advice)
    return typed


def _parameter(entry: Any, by_name: Mapping[str, Any], real: Scalar) -> tuple[Any, Scalar]:
    import sympy

    wanted, type_ = entry, "float"
    if isinstance(entry, tuple) and len(entry) == 2:
        wanted, type_ = entry
    scalar_type = parse_type(str(type_), real)
    if not isinstance(scalar_type, Scalar):
        advice = "use 'float', 'double', 'half', 'int' or 'bool'"
        raise TraceError(
            f"{wanted} cannot have the type {type_!r}: symbols are scalars", None, advice
        )
    if isinstance(wanted, sympy.Symbol):
        return wanted, scalar_type
    if isinstance(wanted, str) and wanted in by_name:
        return by_name[wanted], scalar_type
    known = f"its symbols: {', '.join(sorted(by_name)) or 'none'}"
    near = nearest(str(wanted), by_name)
    raise TraceError(f"params names {str(wanted)!r}, not in the expression{near}", hint=known)


# ---------------------------------------------------------------- the walk


def _walk(roots: Sequence[Any]) -> tuple[list[tuple[Any, list[Any]]], list[Any]]:
    """Every distinct node with its children, children first; and the symbols met.

    Nodes are told apart by identity: SymPy compares, and collects free symbols, recursively.
    The answer holds every node, so that no identity is used twice.
    """
    order: list[tuple[Any, list[Any]]] = []
    symbols: dict[Any, None] = {}
    done: set[int] = set()
    stack: list[tuple[Any, list[Any] | None]] = [(root, None) for root in reversed(roots)]
    while stack:
        node, children = stack.pop()
        if id(node) in done:
            continue
        if children is None:
            children = _children(node)
            stack.append((node, children))
            stack.extend((c, None) for c in reversed(children) if id(c) not in done)
            continue
        done.add(id(node))
        order.append((node, children))
        if getattr(node, "is_Symbol", False):
            symbols[node] = None
    return order, list(symbols)


def _children(node: Any) -> list[Any]:
    kind = type(node).__name__
    if kind in HINTS:
        raise TraceError(f"the expression contains {shown(node)} ({kind})", hint=HINTS[kind])
    if kind == "Piecewise":
        return [part for pair in node.args for part in pair.args]
    if kind == "Mul":
        return [a.args[0] if is_reciprocal(a) else a for a in node.args]
    if kind == "Pow":
        base, exponent = node.args
        return [base] if is_number(exponent) else [base, exponent]
    return list(node.args)
