"""The outer grammar of rule files.

Takes bytes or text, gives blocks (decorated `def`s with checked heads); nothing is executed.
Knows nothing of operators or expressions.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..terms.errors import RuleError, Span, nearest
from ..terms.rule import Parameter, Tag

MAX_BYTES = 1 << 20
MAX_RULES = 5_000
MAX_DEPTH = 100
VERSION = 1

_VECTORS = ("vec", "vec2", "vec3", "vec4")
_MATRICES = ("mat", "mat2", "mat3", "mat4")
SCALAR_KINDS = ("real", "int", "bool", "number", "any")
KINDS = (*SCALAR_KINDS, *_VECTORS, *_MATRICES)
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
# Names with a meaning of their own in blocks and expressions.
RESERVED = frozenset(
    (*CONSTANTS, "numpy", "mpmath", "opencl", "aliases", "domain", "range", "cost")
    + ("f16", "f32", "f64", "i32", "i64", "bool", "sum", "rows", "columns")
)
# Operators of terms that a rule file cannot define.
SPECIAL_OPS = frozenset(
    ("var", "const", "is_const", "cast", "detach", "call", "proj")
    + ("list", "tuple", "component", "sum", "rows", "columns", "each")
)
_OPTIONS: dict[str, tuple[str, ...]] = {
    "op": ("cost", "unchecked"),
    "nondiff": ("cost", "unchecked"),
    "derivative": ("unchecked",),
    "opencl": (),
    "primal": ("unchecked",),
    "rewrite": ("group", "directed", "unchecked"),
    "fact": (),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A rule file as it was read: its name and its lines."""

    file: str
    lines: tuple[str, ...]

    def span(self, node: ast.AST) -> Span:
        """The place of a syntax node; the compiler's byte offsets become columns."""
        line: int = getattr(node, "lineno", 1)
        start: int = getattr(node, "col_offset", 0)
        end: int = getattr(node, "end_col_offset", None) or start + 1
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if getattr(node, "end_lineno", line) != line:
            end = len(text.encode())
        if not text.isascii():
            data = text.encode()
            start, end = (len(data[:n].decode(errors="replace")) for n in (start, end))
        return Span(self.file, line, start + 1, end + 1, text)

    def error(self, node: ast.AST | Span, rule: str, message: str, hint: str = "") -> RuleError:
        """The error of rule `rule` at a syntax node."""
        at = node if isinstance(node, Span) else self.span(node)
        return RuleError(f"[{rule}] {message}" if rule else message, at, hint)


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

    def error(self, node: ast.AST | Span, message: str, hint: str = "") -> RuleError:
        """The error of this rule at a syntax node."""
        return self.source.error(node, self.name, message, hint)

    @property
    def at(self) -> Span:
        """The place of the `def` line's name."""
        return name_span(self.source, self.node)


def name_span(source: Source, node: ast.FunctionDef) -> Span:
    """Where the name of a `def` stands."""
    text = source.lines[node.lineno - 1]
    start = text.find(node.name, node.col_offset + 3)
    start = max(start, 0)
    return Span(source.file, node.lineno, start + 1, start + 1 + len(node.name), text)


def read_bytes(path: Path) -> bytes:
    """The content of a rule file, at most `MAX_BYTES` and one byte of it."""
    place = Span(str(path), 1)
    try:
        if not path.is_file():
            what = "is a directory" if path.is_dir() else "does not exist"
            hint = "give the path of a .rules file, or the name of a shipped set"
            raise RuleError(f"the rule file {what}", place, hint)
        with path.open("rb") as handle:
            return handle.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RuleError(f"the rule file cannot be read: {error}", place) from error


def decode(data: bytes, file: str) -> str:
    """UTF-8 bytes to text."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        before = data[: error.start].rpartition(b"\n")[2]
        place = Span(file, line, len(before.decode(errors="replace")) + 1)
        hint = "save the file as UTF-8"
        raise RuleError(f"byte 0x{data[error.start]:02x} is not UTF-8", place, hint) from error


def parse(text: str, file: str) -> list[Block]:
    """The blocks of a rule file.

    >>> [block.name for block in parse("def double(x) -> y: y = 2 * x", "demo.rules")]
    ['double']
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    source = Source(file, tuple(text.split("\n")))
    tree = _syntax(text, source)
    if not text.isascii():
        _check_ascii(tree, source)
    statements = _skip_header(tree.body, source)
    blocks = [_block(statement, source) for statement in statements]
    count = sum(max(len(block.body), 1) if _has_rewrites(block) else 1 for block in blocks)
    if count > MAX_RULES:
        raise RuleError(
            f"{count} rules in one file; at most {MAX_RULES} are allowed",
            Span(file, 1),
            "split the file, or generate fewer rules",
        )
    return blocks


def _has_rewrites(block: Block) -> bool:
    return block.kind in ("rewrite", "fact") or (block.kind == "primal" and not block.results)


def _syntax(text: str, source: Source) -> ast.Module:
    start = Span(source.file, 1)
    if len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
        raise RuleError("the rule file is larger than 1 MiB", start, "split it into several")
    for line, content in enumerate(source.lines, 1):
        if "\0" in content:
            at = Span(source.file, line, content.index("\0") + 1)
            raise RuleError("the rule file contains a NUL byte", at, "rule files are plain text")
    try:
        return ast.parse(text)
    except SyntaxError as error:
        line = min(max(error.lineno or 1, 1), len(source.lines))
        column = max(error.offset or 1, 1)
        end = error.end_offset or 0 if error.end_lineno == error.lineno else 0
        at = Span(source.file, line, column, end, source.lines[line - 1])
        raise RuleError(f"this is not Python syntax: {error.msg}", at) from None
    except (MemoryError, RecursionError):
        hint = f"expressions may be {MAX_DEPTH} levels deep; name parts of them in locals"
        raise RuleError("the rule file is nested too deeply to be read", start, hint) from None
    except ValueError as error:
        raise RuleError(f"the rule file cannot be parsed: {error}", start) from None


def _check_ascii(tree: ast.Module, source: Source) -> None:
    """Reject letters beyond ASCII outside of strings and comments: look-alikes hide there."""
    lines = {n: line.encode(errors="replace") for n, line in enumerate(source.lines, 1)}
    wanted = {n for n, line in lines.items() if not line.isascii()}
    for statement in tree.body:
        if wanted.isdisjoint(range(statement.lineno, (statement.end_lineno or 0) + 1)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                _blank(lines, node)
    for number in sorted(wanted):
        code = lines[number].split(b"#")[0]
        if not code.isascii():
            start = next(i for i, byte in enumerate(code) if byte > 127)
            column = len(code[:start].decode(errors="replace"))
            text = source.lines[number - 1]
            at = Span(source.file, number, column + 1, column + 2, text)
            letter = text[column]
            raise RuleError(
                f"the letter {letter!r} (U+{ord(letter):04X}) is not ASCII",
                at,
                "names and operators of rule files are ASCII; look-alike letters would hide",
            )


def _blank(lines: dict[int, bytes], node: ast.Constant) -> None:
    last = node.end_lineno or node.lineno
    for number in range(node.lineno, last + 1):
        line = lines[number]
        start = node.col_offset if number == node.lineno else 0
        end = (node.end_col_offset or 0) if number == last else len(line)
        lines[number] = line[:start] + b" " * (end - start) + line[end:]


def _skip_header(body: list[ast.stmt], source: Source) -> list[ast.stmt]:
    """The statements after the docstring and `rules_version = 1`."""
    rest = list(body)
    if rest and doc_of(rest[0]) is not None:
        rest = rest[1:]
    if rest and isinstance(rest[0], ast.Assign):
        first = rest[0]
        names = [t.id if isinstance(t, ast.Name) else "" for t in first.targets]
        if names == ["rules_version"]:
            value = first.value.value if isinstance(first.value, ast.Constant) else None
            if type(value) is not int or value != VERSION:
                message = f"this egad reads rules_version = {VERSION}"
                raise source.error(first.value, "", message, "update egad, or the rule file")
            rest = rest[1:]
    return rest


def doc_of(statement: ast.stmt) -> str | None:
    """The text of a docstring statement, or None."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return None


def _block(node: ast.stmt, source: Source) -> Block:
    if not isinstance(node, ast.FunctionDef):
        raise source.error(
            node,
            "",
            f"{describe(node)} cannot stand here",
            "a rule file holds a docstring, `rules_version = 1`, and `def` blocks; "
            "it is never executed",
        )
    name = node.name
    kind, options, places, nondiff = _decorators(node, source)
    params, annotated = _params(node, source)
    results = _results(node, source)
    body, doc = list(node.body), ""
    if (text := doc_of(body[0])) is not None:
        body, doc = body[1:], text.strip()
    places["name"] = node
    if name in SPECIAL_OPS:
        raise source.error(name_span(source, node), name, f"the name {name!r} is taken by egad")
    for free in (*(p.name for p in params), *results):
        if free in RESERVED:
            hint = f"rename it; reserved are {', '.join(sorted(RESERVED))}"
            raise source.error(name_span(source, node), name, f"{free!r} is a reserved name", hint)
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


def _params(node: ast.FunctionDef, source: Source) -> tuple[tuple[Parameter, ...], bool]:
    spec = node.args
    for extra in (spec.vararg, spec.kwarg, *spec.kwonlyargs, *spec.posonlyargs):
        if extra is not None:
            hint = "write plain parameters: def f(x, y) -> z"
            raise source.error(extra, node.name, f"{extra.arg!r} is not a plain parameter", hint)
    for default in spec.defaults:
        raise source.error(default, node.name, "parameters have no defaults")
    if getattr(node, "type_params", None):
        raise source.error(name_span(source, node), node.name, "rules have no type parameters")
    params: list[Parameter] = []
    for arg in spec.args:
        kind = "real"
        if arg.annotation is not None:
            kind = kind_of(arg.annotation, node.name, source)
        if any(p.name == arg.arg for p in params):
            raise source.error(arg, node.name, f"the parameter {arg.arg!r} is there twice")
        params.append(Parameter(arg.arg, kind))
    return tuple(params), any(a.annotation is not None for a in spec.args)


def kind_of(annotation: ast.expr, rule: str, source: Source) -> str:
    """The kind that an annotation names."""
    name = annotation.id if isinstance(annotation, ast.Name) else ""
    if name not in KINDS:
        shown = name or ast.unparse(annotation)[:40]
        message = f"unknown kind {shown!r}{nearest(shown, KINDS)}"
        raise source.error(annotation, rule, message, f"kinds are {', '.join(KINDS)}")
    return name


def _results(node: ast.FunctionDef, source: Source) -> tuple[str, ...]:
    match node.returns:
        case None:
            return ()
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
    if name == "cost":
        if type(value) not in (int, float) or not 0 < value <= 1e300:
            hint = "write a positive, finite number, such as cost=20"
            raise source.error(node, rule, "a cost must be a positive number", hint)
        return float(value)
    if name == "directed":
        if not isinstance(value, bool):
            raise source.error(node, rule, "directed must be True or False")
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


def describe(node: ast.AST) -> str:
    """What a syntax node is, in words for an error."""
    return _WORDS.get(type(node).__name__, f"this ({type(node).__name__})")


_WORDS = {
    "Import": "an import", "ImportFrom": "an import", "ClassDef": "a class",
    "AsyncFunctionDef": "an async function", "FunctionDef": "a function", "If": "an if",
    "For": "a loop", "While": "a loop", "With": "a with statement", "Return": "a return",
    "Assign": "an assignment", "AnnAssign": "an annotation", "AugAssign": "an assignment",
    "Expr": "an expression", "Lambda": "a lambda", "JoinedStr": "an f-string",
    "Attribute": "an attribute", "Subscript": "an index", "List": "a list", "Tuple": "a tuple",
    "Dict": "a dict", "Set": "a set", "ListComp": "a comprehension",
    "GeneratorExp": "a generator", "DictComp": "a comprehension", "SetComp": "a comprehension",
    "Starred": "a starred expression", "NamedExpr": "an assignment", "Delete": "a del",
    "Await": "an await", "Yield": "a yield", "YieldFrom": "a yield", "Slice": "a slice",
    "Try": "a try", "Raise": "a raise", "Assert": "an assert", "Global": "a global",
    "Nonlocal": "a nonlocal", "Pass": "a pass", "Match": "a match",
}  # fmt: skip
