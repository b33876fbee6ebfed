"""The outer grammar of rule files.

Takes text, gives blocks: decorated `def`s with checked heads, their bodies still as syntax.
Knows nothing of operators or expressions.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...terms.errors import RuleError, Span, nearest
from ...terms.rule import Parameter, Tag
from ...terms.types import Scalar, parse_type
from .header import Header, misplaced, read_header
from .source import Source, describe, doc_of, name_span, syntax

MAX_RULES = 5_000
MAX_PARAMS = 100
MAX_RESULTS = 16
MAX_LINES = 500  # of a block that is about one operator

_VECTORS = ("vec", "vec2", "vec3", "vec4")
_MATRICES = ("mat", "mat2", "mat3", "mat4")
SCALAR_KINDS = ("real", "int", "bool", "number", "any")
BOUND = "bound"  # of rules and facts: a number that only comparisons name
KINDS = (*SCALAR_KINDS, *_VECTORS, *_MATRICES, BOUND)
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
# Names with a meaning of their own in blocks and expressions.
STATEMENTS = ("numpy", "mpmath", "opencl", "aliases", "domain", "range", "cost")
_DTYPES = ("f16", "f32", "f64", "i32", "i64", "bool")
#: What programs mean by these and by the names of types, whatever a rule file says.
_READ = frozenset(("all", "any", "copy", "divmod", "len"))
RESERVED = frozenset((*CONSTANTS, *STATEMENTS, *_DTYPES, "sum", "rows", "columns"))
# Operators of terms that a rule file cannot define.
_LEAVES = ("var", "const", "is_const", "exists", "cast", "detach", "call", "proj")
_COMPOSITES = ("list", "tuple", "component", "sum", "rows", "columns", "each")
SPECIAL_OPS = frozenset((*_LEAVES, *_COMPOSITES))
_OPTIONS: dict[str, tuple[str, ...]] = {
    "op": ("cost", "unchecked"),
    "nondiff": ("cost", "unchecked"),
    "derivative": ("unchecked",),
    "opencl": (),
    "primal": ("digits", "last", "squares", "beside", "unchecked"),
    "rewrite": ("group", "on", "directed", "rounds", "below", "unchecked"),
    "fact": (),
}


@dataclass(frozen=True, slots=True)
class Block:
    """One decorated `def`: its head, checked, and its body, still as syntax."""

    kind: str
    name: str
    params: tuple[Parameter, ...]
    annotated: bool  # a parameter states its kind
    results: tuple[str, ...]
    options: dict[str, Any]
    doc: str
    body: tuple[ast.stmt, ...]
    source: Source
    node: ast.FunctionDef
    nondiff: bool = False
    places: dict[str, ast.AST] = field(default_factory=dict)  # of the options
    silent: tuple[str, ...] = ()  # cotangents of other results of the function: `several.py`

    def error(self, node: ast.AST | Span, message: str, hint: str = "") -> RuleError:
        """The error of this rule at a syntax node."""
        return self.source.error(node, self.name, message, hint)

    @property
    def at(self) -> Span:
        """The place of the `def` line's name."""
        return name_span(self.source, self.node)


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One rule file: its head, its blocks, and how many rules it holds."""

    source: Source
    header: Header
    blocks: tuple[Block, ...]
    rules: int
    size: int  # in bytes


def parse(text: str, file: str) -> Document:
    """The head and the blocks of a rule file.

    >>> [block.name for block in parse("def twice(x) -> y: y = 2 * x", "demo.rules").blocks]
    ['twice']
    """
    tree, source = syntax(text, file)
    header, statements = read_header(tree.body, source)
    blocks = tuple([_block(statement, source) for statement in statements])
    count = sum(_rules_in(block) for block in blocks)
    if count > MAX_RULES:
        raise RuleError(
            f"{count} rules in one file; at most {MAX_RULES} are allowed",
            Span(file, 1),
            "split the file, or generate fewer rules",
        )
    return Document(source, header, blocks, count, len(text.encode(errors="replace")))


def _rules_in(block: Block) -> int:
    """How many rules a block holds: a result of an operator, a rewrite, a part of a fact is one."""
    if block.kind != "fact" and not is_rewrite(block):
        return max(len(block.results), 1)
    inner = [n for node in block.body for n in (node.body if isinstance(node, ast.If) else [node])]
    return max(sum(map(_parts_of, inner)), 1)


def _parts_of(node: ast.stmt) -> int:
    """How many statements a line joins: `a >= 0 and b >= 0` are two, 0 <= a <= 1 also."""
    match node:
        case ast.Expr(value=ast.BoolOp(values=values)):
            return sum(len(v.ops) if isinstance(v, ast.Compare) else 1 for v in values)
        case ast.Expr(value=ast.Compare(ops=ops)):
            return len(ops)
    return 1


def is_rewrite(block: Block) -> bool:
    """Whether the block holds rewrites; `@primal` with a result changes an operator."""
    return block.kind == "rewrite" or (block.kind == "primal" and not block.results)


def _block(node: ast.stmt, source: Source) -> Block:
    if not isinstance(node, ast.FunctionDef):
        hint = (
            "a rule file holds a docstring, `rules_version = 1`, include lines and `def` blocks; "
            "it is never executed"
        )
        message = f"{describe(node)} cannot stand here"
        raise misplaced(node, source) or source.error(node, "", message, hint)
    name = node.name
    kind, options, places, nondiff = _decorators(node, source)
    params, annotated = _params(node, source)
    results = _results(node, source)
    _check_size(node, kind, len(params), len(results), source)
    body, doc = list(node.body), ""
    if (text := doc_of(body[0])) is not None:
        body, doc = body[1:], text.strip()
    places["name"] = node
    _check_names(node, kind, results, source)
    rewrites = kind in ("rewrite", "fact") or (kind == "primal" and not results)
    if not rewrites and any(p.kind == BOUND for p in params):
        pairs = zip(node.args.args, params, strict=True)
        arg = next(a for a, p in pairs if p.kind == BOUND)
        raise source.error(arg, name, "bounds are for rewrites and facts", "write a kind of values")
    known = {p.name for p in params}
    for result in results:
        if result in known:
            at = node.returns or node
            raise source.error(at, name, f"the result {result!r} is also a parameter", "rename it")
        known.add(result)
    return Block(
        kind, name, params, annotated, results, options, doc, tuple(body), source, node,
        nondiff, places,
    )  # fmt: skip


def _check_names(node: ast.FunctionDef, kind: str, results: Sequence[str], source: Source) -> None:
    """Names that mean something else already."""
    name = node.name
    type_ = parse_type(name, Scalar.F32) is not None
    if name in SPECIAL_OPS or (kind == "op" and (type_ or name in _READ)):
        message = f"the name {name!r} is taken by egad"
        raise source.error(name_span(source, node), name, message, "choose another name")
    places = [(arg.arg, arg) for arg in node.args.args]
    for free, at in (*places, *((result, node.returns or node) for result in results)):
        if free in RESERVED:
            hint = f"rename it; reserved are {', '.join(sorted(RESERVED))}"
            raise source.error(at, name, f"{free!r} is a reserved name", hint)


def _check_size(
    node: ast.FunctionDef, kind: str, params: int, results: int, source: Source
) -> None:
    """Blocks stay readable; looking up names may take time proportional to lines * lines."""
    lines = 0 if kind in ("rewrite", "fact") else len(node.body)
    for count, limit, what, hint in (
        (params, MAX_PARAMS, "parameters", "use vectors"),
        (results, MAX_RESULTS, "results", "define several operators"),
        (lines, MAX_LINES, "lines", "make parts of it operators of their own"),
    ):
        if count > limit:
            message = f"{count} {what} in one block; at most {limit} are allowed"
            raise source.error(name_span(source, node), node.name, message, hint)


def _params(node: ast.FunctionDef, source: Source) -> tuple[tuple[Parameter, ...], bool]:
    spec = node.args
    for extra in (spec.vararg, spec.kwarg, *spec.kwonlyargs, *spec.posonlyargs):
        if extra is not None:
            hint = "write plain parameters: def f(x, y) -> z"
            raise source.error(extra, node.name, f"{extra.arg!r} is not a plain parameter", hint)
    for default in spec.defaults:
        raise source.error(default, node.name, "parameters have no defaults", "remove it")
    if getattr(node, "type_params", None):
        raise source.error(name_span(source, node), node.name, "rules have no type parameters")
    params: list[Parameter] = []
    seen: set[str] = set()
    for arg in spec.args:
        kind = "real"
        if arg.annotation is not None:
            kind = kind_of(arg.annotation, node.name, source)
        if arg.arg in seen:
            message = f"the parameter {arg.arg!r} is there twice"
            raise source.error(arg, node.name, message, "rename one of the two")
        seen.add(arg.arg)
        params.append(Parameter(arg.arg, kind))
    return tuple(params), any(a.annotation is not None for a in spec.args)


#: What Python, C and shaders call numbers and vectors, and the kind that a parameter then has.
_TYPES = {
    **dict.fromkeys(("float", "double", "half"), "real"),
    "int": "int",
    **{f"float{n}": f"vec{n}" for n in (2, 3, 4)},
    **{f"float{n}x{n}": f"mat{n}" for n in (2, 3, 4)},
}


def kind_of(annotation: ast.expr, rule: str, source: Source) -> str:
    """The kind that an annotation names."""
    name = annotation.id if isinstance(annotation, ast.Name) else ""
    if name not in KINDS:
        shown = name or ast.unparse(annotation)[:40]
        close = f"; write {_TYPES[shown]}" if shown in _TYPES else nearest(shown, KINDS)
        message = f"unknown kind {shown!r}{close}"
        raise source.error(annotation, rule, message, f"kinds are {', '.join(KINDS)}")
    return name


def _results(node: ast.FunctionDef, source: Source) -> tuple[str, ...]:
    match node.returns:
        case None:
            return ()
        case ast.Name(id=name) if name in _TYPES:
            hint = "name it, def f(x) -> y, and state it below: y = …"
            what = f"after -> stands the name of the result, and {name!r} is a type"
            raise source.error(node.returns, node.name, what, hint)
        case ast.Name(id=name):
            return (name,)
        case ast.Tuple(elts=[ast.Name(), ast.Name(), *_] as elts) if all(
            isinstance(e, ast.Name) for e in elts
        ):
            names = tuple(e.id for e in elts if isinstance(e, ast.Name))
            if len(set(names)) == len(names):
                return names
    hint = "name it: def f(x) -> y, or def f(x) -> (s, c)"
    raise source.error(node.returns, node.name, "this does not name the result", hint)


def _decorators(
    node: ast.FunctionDef, source: Source
) -> tuple[str, dict[str, Any], dict[str, ast.AST], bool]:
    kinds: list[str] = []
    options: dict[str, Any] = {}
    places: dict[str, ast.AST] = {}
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        head = call.func if call else decorator
        kind = head.id if isinstance(head, ast.Name) else ""
        if kind not in _OPTIONS:
            shown = kind or ast.unparse(head)[:40]
            message = f"unknown decorator @{shown}{nearest(shown, _OPTIONS)}"
            hint = f"decorators are {', '.join('@' + k for k in _OPTIONS)}"
            raise source.error(decorator, node.name, message, hint)
        if kinds and (kind in kinds or {kind, *kinds} != {"op", "nondiff"}):
            message = f"@{kind} cannot be combined with @{kinds[0]}"
            raise source.error(decorator, node.name, message, "write one block for each")
        kinds.append(kind)
        if call:
            _arguments(kind, call, node.name, source, options, places)
    kind = "op" if "nondiff" in kinds else kinds[0] if kinds else "op"
    return kind, options, places, "nondiff" in kinds


def _arguments(
    kind: str,
    call: ast.Call,
    rule: str,
    source: Source,
    options: dict[str, Any],
    places: dict[str, ast.AST],
) -> None:
    tags = [tag.value for tag in Tag]
    for index, argument in enumerate(call.args):
        name = argument.id if isinstance(argument, ast.Name) else ""
        if kind != "rewrite" or index:
            hint = f"@{kind} takes {', '.join(f'{o}=…' for o in _OPTIONS[kind]) or 'nothing'}"
            raise source.error(argument, rule, f"@{kind} has no such argument", hint)
        if name not in tags:
            shown = name or ast.unparse(argument)[:40]
            hint = f"tags are {', '.join(tags)}: @rewrite(exact)"
            raise source.error(argument, rule, f"unknown tag {shown!r}{nearest(shown, tags)}", hint)
        options["tag"] = Tag(name)
    for keyword in call.keywords:
        name = keyword.arg or "**"
        if name not in _OPTIONS[kind] or name in options:
            what = "given twice" if name in options else "unknown"
            message = f"option {name!r} of @{kind} is {what}{nearest(name, _OPTIONS[kind])}"
            hint = f"@{kind} takes {', '.join(f'{o}=…' for o in _OPTIONS[kind]) or 'nothing'}"
            raise source.error(keyword, rule, message, hint)
        options[name] = option_value(name, keyword.value, rule, source)
        places[name] = keyword.value


def option_value(name: str, node: ast.expr, rule: str, source: Source) -> Any:
    """The literal value of an option: a positive number, a text, True or False."""
    value = literal_value(node)
    if name in ("cost", "below"):
        if type(value) not in (int, float) or not 0 < value <= 1e300:
            hint = f"write a positive, finite number, such as {name}=20"
            raise source.error(node, rule, "a cost must be a positive number", hint)
        return float(value)
    if name == "rounds":
        if type(value) is not int or value < 1:
            hint = "write how often it is applied at most, such as rounds=2"
            raise source.error(node, rule, "rounds must be a positive whole number", hint)
        return value
    if name in ("digits", "last", "squares", "directed", "on"):
        if not isinstance(value, bool):
            hint = f"write {name}={name != 'on'}"
            raise source.error(node, rule, f"{name} is True or False", hint)
        return value
    if not isinstance(value, str) or not value.strip():
        hint = f'write a text: {name}="…"'
        raise source.error(node, rule, f"{name} must be a text that says something", hint)
    return value


def literal_value(node: ast.expr) -> Any:
    """The value of a literal (`3`, `-0.5`, `"text"`, `True`), or None."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None
