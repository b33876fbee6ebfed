"""Blocks of rewrites and facts.

Takes `@rewrite`, `@primal` (without result) and `@fact` blocks and the signatures in scope,
gives `Rewrite` and `Fact` values; knows nothing of files.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from ...terms.conditions import EXCHANGED
from ...terms.rule import Fact, Parameter, Rewrite, Tag
from ...terms.term import CONST, VAR, Term, const, const_value, toposort, var
from ...terms.types import Scalar
from ..show import show_expression
from .calls import Scope, Signature, Typed, scalar_of_kind
from .expressions import read
from .parse import BOUND, SCALAR_KINDS, Block
from .source import describe

# A condition, and where it stands.
_Asked = tuple[Term, ast.expr]
_MAX_CONDITIONS = 100  # of one `if`: every line below it has them all
_CONDITION_HINT = (
    "conditions: x >= 0, a - b != 0 (a number on one side), const(c), exists(a * b), joined by and "
    "(for or, write an if for each)"
)


class _Reader:
    """What the statements of one block share."""

    def __init__(self, block: Block, operators: Mapping[str, Sequence[Signature]]) -> None:
        self.block = block
        self.used: set[str] = set()
        self.known: dict[Term, set[str]] = {}
        names: dict[str, Typed] = {}
        if block.results:
            raise block.error(block.at, f"@{block.kind} has no result", "write def name(x, y):")
        for param in block.params:
            if param.kind not in (*SCALAR_KINDS, BOUND):
                hint = "rules are about components: use real, int, bool or any"
                raise block.error(block.at, f"{param.name!r} is a {param.kind}", hint)
            names[param.name] = Typed(var(param.name, scalar_of_kind(param.kind)))
        self.scope = Scope(block.source, block.name, names, operators)
        self.bounds = {p.name for p in block.params if p.kind == BOUND}

    def expression(self, node: ast.expr) -> Term:
        """A scalar term."""
        found = read(node, self.scope)
        if found.shape != ():
            raise self.block.error(node, "rules are about numbers, not about vectors")
        return found.term

    def names(self, term: Term) -> set[str]:
        """The variables of a term, which count as used."""
        if term not in self.known:
            self.known[term] = _variables(term)
            self.used |= self.known[term]
        return self.known[term]

    def finish(self) -> None:
        """Every parameter has to occur."""
        for arg, param in zip(self.block.node.args.args, self.block.params, strict=True):
            if param.name not in self.used:
                hint = "remove it, or use it"
                raise self.block.error(arg, f"the parameter {param.name!r} is never used", hint)


def _variables(term: Term) -> set[str]:
    """The names of the variables of a term; asked thousands of times, in no order."""
    names, seen, stack = set(), {term}, [term]
    while stack:
        node = stack.pop()
        if node.op == VAR:
            names.add(node.attr)
        for arg in node.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return names


_Group = tuple[ast.expr | None, list[ast.expr]]


def groups(block: Block) -> list[_Group]:
    """The statements of a block in order, together with the condition that they share."""
    found: list[_Group] = []
    for node in block.body:
        match node:
            case ast.Expr(value=value):
                found.append((None, [value]))
            case ast.If(test=test, body=body, orelse=[]):
                inner = [line.value for line in body if isinstance(line, ast.Expr)]
                if len(inner) < len(body):
                    wrong = next(line for line in body if not isinstance(line, ast.Expr))
                    hint = "write lhs >> rhs; join conditions with `and`"
                    message = f"{describe(wrong)} cannot stand inside of an if"
                    raise block.error(wrong, message, hint)
                found.append((test, inner))
            case ast.If():
                hint = "write another block for the other case"
                raise block.error(node.orelse[0], "rules have no else", hint)
            case _:
                hint = "write lhs >> rhs, or if condition: lhs >> rhs"
                raise block.error(node, f"{describe(node)} cannot stand here", hint)
    if not found:
        raise block.error(block.at, "the block says nothing", "write lhs >> rhs")
    return found


def conditions(node: ast.expr | None, reader: _Reader) -> list[_Asked]:
    """The conjuncts of a condition, each as comparison(expression, number), is_const(c), exists(e).

    `exists(a * b)`: the program computes it anyway, so using it costs nothing.
    """
    if node is None:
        return []
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        if len(node.values) > _MAX_CONDITIONS:
            message = f"{len(node.values)} conditions; at most {_MAX_CONDITIONS} are allowed"
            raise reader.block.error(node, message, "split the rule")
        return [pair for part in node.values for pair in conditions_of_one(part, reader)]
    return conditions_of_one(node, reader)


def conditions_of_one(node: ast.expr, reader: _Reader) -> list[_Asked]:
    """One conjunct; a chained comparison gives two."""
    match node:
        case ast.Call(func=ast.Name(id="const"), args=[argument], keywords=[]):
            term = reader.expression(argument)
            if term.op != VAR:
                hint = "name a parameter: const(c)"
                raise reader.block.error(argument, "const() asks about a parameter", hint)
            return [(Term("is_const", (term,), None, Scalar.BOOL), node)]
        case ast.Call(func=ast.Name(id="exists"), args=[argument], keywords=[]):
            return [(Term("exists", (reader.expression(argument),), None, Scalar.BOOL), node)]
        case ast.Compare():
            found = reader.expression(node)
            parts = [t for t in toposort([found]) if t.op in EXCHANGED]
            if len(parts) == len(node.ops):
                return [(_normal(term, node, reader), node) for term in parts]
        case ast.Name() if reader.expression(node).type is Scalar.BOOL:
            return [(reader.expression(node), node)]
    raise reader.block.error(node, "this is not a condition", _CONDITION_HINT)


def _normal(term: Term, node: ast.expr, reader: _Reader) -> Term:
    """The comparison with its number, or its bound, on the right."""
    left, right = term.args
    if _is_bound(left, reader):
        left, right = right, left
        term = Term(EXCHANGED[term.op], (left, right), None, Scalar.BOOL)
    if not _is_bound(right, reader) or _is_bound(left, reader) or _within(left, reader):
        message = "a condition compares an expression with a number"
        raise reader.block.error(node, message, _CONDITION_HINT)
    if left.type is Scalar.BOOL and term.op != "eq":
        raise reader.block.error(node, "truth values have no order", "write c, or c == False")
    if right.op == CONST and not math.isfinite(const_value(right)):
        message = "nothing is known of a comparison with a number that is not finite"
        raise reader.block.error(node, message, "compare with a finite number")
    zero = right.op == CONST and const_value(right) == 0
    if term.op == "ne" and not zero:
        hint = "write x > 1, or x < 1"
        raise reader.block.error(node, "values are known to differ from 0 only", hint)
    if term.op == "eq" and right.op != CONST:
        hint = "write x >= k and x <= k"
        raise reader.block.error(node, "a bound is no value", hint)
    return term


def _is_bound(term: Term, reader: _Reader) -> bool:
    """Whether it is a number, k, or -k, for a parameter k of kind bound."""
    inner = term.args[0] if term.op == "neg" else term
    return term.op == CONST or (inner.op == VAR and inner.attr in reader.bounds)


def _within(term: Term, reader: _Reader) -> bool:
    return any(t.op == VAR and t.attr in reader.bounds for t in toposort([term]))


def build_rewrites(block: Block, operators: Mapping[str, Sequence[Signature]]) -> list[Rewrite]:
    """The rewrites of a block: `name`, `name.2`, ... in order."""
    reader = _Reader(block, operators)
    primal = block.kind == "primal"
    if "beside" in block.options:
        hint = f"patterns ask: if exists(…):; or state what {block.name}(…) -> y: is"
        raise block.error(block.places["beside"], "beside=… is for a function, not a pattern", hint)
    found: list[Rewrite] = []
    for test, nodes in groups(block):
        sides = [_rewrite_sides(node, reader) for node in nodes]
        shared = {name for lhs, _ in sides for name in reader.names(lhs)}
        asked = conditions(test, reader)
        for node, (lhs, rhs) in zip(nodes, sides, strict=True):
            own = _own_conditions(reader, lhs, asked, shared)
            _check_bound(reader, lhs, rhs, own, node)
            _check_bounds(reader, [lhs, rhs], own, node)
            found.append(
                Rewrite(
                    f"{block.name}.{len(found) + 1}" if found else block.name,
                    lhs,
                    rhs,
                    block.options.get("tag", Tag.REAL),
                    block.source.span(node),
                    params=_params_of(reader, lhs, *(term for term, _ in own)),
                    conditions=tuple(term for term, _ in own),
                    directed=primal or block.options.get("directed", False),
                    primal=primal,
                    digits=block.options.get("digits", False),
                    squares=block.options.get("squares", False),
                    last=block.options.get("last", False),
                    group=block.options.get("group", PurePath(block.source.file).stem),
                    rounds=block.options.get("rounds", 0),
                    below=block.options.get("below"),
                    on=block.options.get("on", True),
                    unchecked=block.options.get("unchecked", ""),
                )
            )
    reader.finish()
    return found


def _own_conditions(
    reader: _Reader, lhs: Term, asked: Sequence[_Asked], shared: set[str]
) -> list[_Asked]:
    """The conditions that concern this left side.

    Where lines share an `if`, one about the variables of other lines says nothing here.
    """
    bound = reader.names(lhs)
    elsewhere = shared - bound
    return [(t, node) for t, node in asked if not reader.names(t) <= elsewhere or not elsewhere]


def _params_of(reader: _Reader, *terms: Term) -> tuple[Parameter, ...]:
    names = {name for term in terms for name in reader.names(term)}
    return tuple(p for p in reader.block.params if p.name in names)


def _rewrite_sides(node: ast.expr, reader: _Reader) -> tuple[Term, Term]:
    block = reader.block
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift)):
        hint = "write lhs >> rhs, below `if …:` what does not hold everywhere"
        if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.RShift) for n in _near(node)):
            hint = "`>>` binds tighter than comparisons and `not`: write (a < b) >> (not c)"
        raise block.error(node, "this is not a rewrite", hint)
    lhs, rhs = reader.expression(node.left), reader.expression(node.right)
    if lhs.type is Scalar.I32 and rhs.op == CONST and float(const_value(rhs)).is_integer():
        rhs = const(int(const_value(rhs)), Scalar.I32)  # a number alone is a real at first
    if lhs.op in (VAR, CONST):
        hint = "the left side names an operator: it would match everything otherwise"
        raise block.error(node.left, f"the left side is just {show_expression(lhs)}", hint)
    if lhs is rhs:
        raise block.error(node, "both sides are the same", "remove the rewrite")
    if lhs.type is not rhs.type:
        message = f"the left side is {lhs.type!r}, the right side is {rhs.type!r}"
        raise block.error(node, message, "both sides must be of one type")
    return lhs, rhs


def _near(node: ast.expr) -> list[ast.AST]:
    children = list(ast.iter_child_nodes(node))
    return [*children, *(inner for child in children for inner in ast.iter_child_nodes(child))]


def _check_bound(
    reader: _Reader,
    lhs: Term,
    rhs: Term,
    asked: Sequence[_Asked],
    node: ast.expr,
) -> None:
    bound = reader.names(lhs)
    assert isinstance(node, ast.BinOp)
    hint = f"the left side binds {', '.join(sorted(bound)) or 'nothing'}"
    for term, place in ((rhs, node.right), *asked):
        for name in sorted(reader.names(term) - bound - reader.bounds):
            what = "the right side" if term is rhs else "the condition"
            at = _place_of(name, place)
            raise reader.block.error(at, f"{name!r} in {what} is not in the left side", hint)


def _check_bounds(
    reader: _Reader, sides: Sequence[Term], asked: Sequence[_Asked], node: ast.expr
) -> None:
    """A bound lies between: known from one side only, it says nothing."""
    for name in sorted(reader.bounds):
        if any(name in reader.names(side) for side in sides):
            hint = f"state the values that lie on both sides of {name} as parameters"
            message = f"the bound {name!r} is no value: only comparisons name it"
            raise reader.block.error(_place_of(name, node), message, hint)
        found = {_side(term) for term, _ in asked if name in reader.names(term)}
        if len(found) == 1:
            hint = f"write a >= {name} and b <= {name}"
            message = f"{name!r} is bounded from one side only, which always holds"
            raise reader.block.error(asked[0][1], message, hint)


def _side(comparison: Term) -> bool:
    """Whether a comparison says that its bound is at most something."""
    return (comparison.op in ("ge", "gt")) == (comparison.args[1].op != "neg")


def _place_of(name: str, node: ast.expr) -> ast.AST:
    """Where a name stands in an expression."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id == name:
            return inner
    return node


def build_facts(block: Block, operators: Mapping[str, Sequence[Signature]]) -> list[Fact]:
    """The facts of a block; a conclusion joined by `and` gives several."""
    reader = _Reader(block, operators)
    found: list[Fact] = []
    for test, nodes in groups(block):
        asked = conditions(test, reader)
        for conclusion, place in (pair for node in nodes for pair in conditions(node, reader)):
            subject = _subject(conclusion, place, reader)
            bound = reader.names(subject)
            _check_fact_bounds(reader, conclusion, asked, place)
            for term, where in asked:
                for name in sorted(reader.names(term) - bound - reader.bounds):
                    hint = f"the conclusion binds {', '.join(sorted(bound))}"
                    message = f"{name!r} in the condition is not in the conclusion"
                    raise block.error(_place_of(name, where), message, hint)
            name = f"{block.name}.{len(found) + 1}" if found else block.name
            when = tuple(term for term, _ in asked)
            params = _params_of(reader, conclusion, *when)
            found.append(Fact(name, conclusion, block.source.span(place), params, when))
    reader.finish()
    return found


def _check_fact_bounds(
    reader: _Reader, conclusion: Term, asked: Sequence[_Asked], place: ast.expr
) -> None:
    """A bound of the conclusion comes from conditions, all of them from one side."""
    for name in sorted(reader.bounds & {n for t, _ in asked for n in reader.names(t)}):
        found = {_side(term) for term, _ in asked if name in reader.names(term)}
        if name not in reader.names(conclusion) or found != {_side(conclusion)}:
            hint = f"such as if a >= {name} and b >= {name}: min(a, b) >= {name}"
            message = f"the bound {name!r} of the conditions is not that of the conclusion"
            raise reader.block.error(place, message, hint)
    for name in sorted(reader.bounds & reader.names(conclusion)):
        if not any(name in reader.names(term) for term, _ in asked):
            hint = f"write if a >= {name}: …"
            message = f"no condition says anything about {name!r}"
            raise reader.block.error(place, message, hint)


def _subject(conclusion: Term, place: ast.expr, reader: _Reader) -> Term:
    """The expression that a conclusion is about: an operator's application."""
    subject = conclusion.args[0] if conclusion.args else conclusion
    if subject.op in (VAR, CONST) or conclusion.op == "is_const":
        hint = "a fact is about an operator: x * x >= 0"
        raise reader.block.error(place, "this conclusion is about no operator", hint)
    if conclusion.op not in EXCHANGED or conclusion.op == "eq":
        hint = "conclude with < <= > >= or !=; what is equal is a rewrite: lhs >> rhs"
        raise reader.block.error(place, "a fact says how an expression compares", hint)
    return subject
