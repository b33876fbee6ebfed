"""Functions as the reader sees them, and what the names in them mean.

Takes Python functions (or `def` and `lambda` nodes inside one), gives their parameters and a
way to look names up: locals, enclosing functions, closure cells, globals, builtins, and
egad's vocabulary last. Knows nothing of statements and expressions.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType
from typing import Any

from ...terms.errors import Span, TraceError, nearest
from ...terms.program import Note
from ...terms.rule import RuleSet
from ...terms.term import Term
from ...terms.types import Scalar
from ..source import Source, source_of
from .branches import State, Unusable
from .values import normalise
from .words import vocabulary, word


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: its annotation is still syntax."""

    name: str
    annotation: ast.expr | None
    keyword_only: bool
    positional_only: bool
    node: ast.arg


@dataclass(slots=True, eq=False)
class Function:
    """A function that can be read: its source, its defaults, and where its names live."""

    name: str
    source: Source
    defaults: Mapping[str, Any]
    outside: Mapping[str, Any]  # closure cells and globals
    enclosing: Frame | None = None  # the frame of the function that it was defined in
    origin: FunctionType | None = None
    params: tuple[Parameter, ...] = ()

    @property
    def at(self) -> Span:
        """Where the function is defined."""
        return self.source.at

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; of a lambda, the return of its expression."""
        node = self.source.node
        if isinstance(node, ast.FunctionDef):
            return node.body
        return [ast.copy_location(ast.Return(node.body), node.body)]

    def signature(self) -> str:
        """`g(x, y=…)`, for messages."""
        parts = [p.name + ("=…" if p.name in self.defaults else "") for p in self.params]
        return f"{self.name}({', '.join(parts)})"


@dataclass(slots=True, eq=False)
class Session:
    """What one reading shares: precision, rules, and what is being read right now."""

    real: Scalar
    rules: RuleSet
    module: str
    run: Callable[[Frame], Any]  # reads the body of a function and gives its value
    notes: dict[Term, Note] = field(default_factory=dict)
    active: list[Any] = field(default_factory=list)  # functions being inlined, outermost first
    ruled: list[Any] = field(default_factory=list)  # functions whose own rules are being read
    taken: list[str] = field(default_factory=list)  # names of variables of enclosing programs
    functions: dict[int, tuple[FunctionType, Function | None]] = field(default_factory=dict)

    def function(self, origin: FunctionType) -> Function | None:
        """The readable form of a Python function, or None without source."""
        if id(origin) not in self.functions:
            self.functions[id(origin)] = (origin, from_python(origin, self.real))
        return self.functions[id(origin)][1]


@dataclass(slots=True, eq=False)
class Frame:
    """One function being read: its state and its place in the session."""

    session: Session
    function: Function
    state: State

    def span(self, node: ast.AST) -> Span:
        """Where a node of this function stands."""
        return self.function.source.span(node)

    def error(self, node: ast.AST, message: str, hint: str = "") -> TraceError:
        """The error at a node."""
        return TraceError(message, self.span(node), hint)

    def lookup(self, node: ast.Name) -> Any:
        """The value of a name. Raises TraceError where it has none, with the nearest names."""
        name = node.id
        try:
            value = self.state.names.find(name)
        except KeyError:
            if name in assigned(self.function.source.node):
                raise self.error(
                    node,
                    f"{name!r} is used before it gets a value",
                    f"assign {name!r} first; it is a local variable because {self.function.name} "
                    "assigns it further down",
                ) from None
            return self._outside(node)
        if isinstance(value, Unusable):
            raise self.error(node, value.reason, value.hint)
        return value

    def _outside(self, node: ast.Name) -> Any:
        name = node.id
        frame = self.function.enclosing
        while frame is not None:
            try:
                value = frame.state.names.find(name)
            except KeyError:
                frame = frame.function.enclosing
                continue
            if isinstance(value, Unusable):
                raise self.error(node, value.reason, value.hint)
            return value
        if name in self.function.outside:
            return normalise(self.function.outside[name], self.session.real)
        if hasattr(builtins, name):
            return getattr(builtins, name)
        value = word(name, self.session.rules)
        if value is None:
            raise self._unknown(node)
        return value

    def _unknown(self, node: ast.Name) -> TraceError:
        known = [n for n in self.function.outside if not n.startswith("__")]
        locals_ = list(dict.fromkeys(self._visible()))
        everything = [*locals_, *known, *vocabulary(self.session.rules), *dir(builtins)]
        shown = ", ".join(locals_[:12]) or "nothing yet"
        return self.error(
            node,
            f"unknown name {node.id!r}{nearest(node.id, everything)}",
            f"in scope: {shown}; then the globals of the module and egad's vocabulary",
        )

    def _visible(self) -> Iterator[str]:
        frame: Frame | None = self
        while frame is not None:
            yield from frame.state.names
            frame = frame.function.enclosing


class _Outside(Mapping[str, Any]):
    """Closure cells over globals, looked up when asked: functions may be defined later."""

    def __init__(self, function: FunctionType) -> None:
        names = function.__code__.co_freevars
        self.cells = dict(zip(names, function.__closure__ or (), strict=True))
        self.globals = function.__globals__

    def __getitem__(self, name: str) -> Any:
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        return self.globals[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.cells
        yield from self.globals

    def __len__(self) -> int:
        return len(self.cells) + len(self.globals)


def from_python(origin: FunctionType, real: Scalar) -> Function | None:
    """A Python function, ready to be read; None where its source is not available."""
    source = source_of(origin)
    if source is None:
        return None
    outside = _Outside(origin)
    function = Function(origin.__name__, source, {}, outside, None, origin)
    function.params = parameters(source, function.name)
    positional = [p.name for p in function.params if not p.keyword_only]
    given = origin.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    defaults.update(origin.__kwdefaults__ or {})
    function.defaults = {name: normalise(value, real) for name, value in defaults.items()}
    return function


def nested(
    frame: Frame, node: ast.FunctionDef | ast.Lambda, evaluate: Callable[[ast.expr], Any]
) -> Function:
    """A function defined inside the one being read; it sees the variables of `frame`."""
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    outer = frame.function
    source = Source(outer.source.file, outer.source.lines, node)
    function = Function(name, source, {}, outer.outside, frame)
    function.params = parameters(source, name)
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    function.defaults = {a.arg: evaluate(value) for a, value in pairs if value is not None}
    return function


def parameters(source: Source, name: str) -> tuple[Parameter, ...]:
    """The parameters of a definition. Raises TraceError for `*args` and `**kwargs`."""
    args = source.node.args
    for star, extra in (("*", args.vararg), ("**", args.kwarg)):
        if extra is not None:
            raise TraceError(
                f"{name} takes {star}{extra.arg}: its parameters are not known",
                source.span(extra),
                "write every parameter by name",
            )
    return (
        *(Parameter(a.arg, a.annotation, False, True, a) for a in args.posonlyargs),
        *(Parameter(a.arg, a.annotation, False, False, a) for a in args.args),
        *(Parameter(a.arg, a.annotation, True, False, a) for a in args.kwonlyargs),
    )


@lru_cache(maxsize=1024)
def assigned(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function assigns: its local variables."""
    names = set()
    for inner in own_nodes(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            names.add(inner.id)
        elif isinstance(inner, ast.FunctionDef | ast.MatchAs | ast.MatchStar) and inner.name:
            names.add(inner.name)
    return frozenset(names)


def own_nodes(node: ast.FunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions defined inside it."""
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        inner = stack.pop()
        yield inner
        if not isinstance(inner, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(reversed(list(ast.iter_child_nodes(inner))))
