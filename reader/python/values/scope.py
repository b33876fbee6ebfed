"""Functions as the reader sees them, and what the names in them mean.

Takes Python functions (or `def` and `lambda` nodes inside one), gives their parameters and a
way to look names up: locals, enclosing functions, closure cells, globals, builtins, and
egad's vocabulary last. Knows nothing of statements and expressions.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

from ....rules.intervals import Range
from ....terms.conditions import Assumption, facts
from ....terms.errors import Span, TraceError, nearest
from ....terms.program import Note, Slot
from ....terms.rule import RuleSet
from ....terms.term import Term
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ...source import Source, assigned, source_of
from .branches import Branch, Merges, Names, State, Unusable
from .cells import inside
from .conditions import as_term, chosen, resolved
from .lengths import arms_met, unreadable
from .lookup import Lookup
from .objects import Changed, Choice, Journal, Listed, Object, Readable, is_optional, member, now
from .outside import Outside, to_assign_first
from .parameters import Parameter, defaults_of, parameters
from .rows import Rows
from .shelves import joined_items, whole_memories
from .values import Mismatch, may_be_none, merged, normalise
from .varying import Varying
from .words import vocabulary, word

T = TypeVar("T")
_OWN = "give each an object of its own: write copy(…) around what is assigned to one of them"


@dataclass(slots=True, eq=False)
class Function(Readable):
    """A function that can be read: its source, its defaults, and where its names live."""

    name: str
    source: Source
    defaults: Mapping[str, Any]
    outside: Mapping[str, Any]  # closure cells and globals
    enclosing: Frame | None = None  # the frame of the function that it was defined in
    origin: FunctionType | None = None
    params: tuple[Parameter, ...] = ()
    around: tuple[Names, ...] = ()  # of the comprehensions in which it is defined, inner ones first

    def found(self, name: str, names: Names) -> Any:
        """A variable of where it is defined, as it is when it is asked for; KeyError: none."""
        here = next((layer for layer in self.around if name in layer.local), None)
        return inside(names.find(name) if here is None else here.local[name], name)

    @property
    def variables(self) -> Mapping[str, Any] | None:
        """The variables of the module that it was defined in."""
        return self.outside.globals if isinstance(self.outside, Outside) else None

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

    def evaluated(self, annotation: ast.expr) -> Any:
        """What Python made of an annotation when the function was defined; None: not known."""
        hints = self.origin.__annotations__ if self.origin is not None else {}
        names = [p.name for p in self.params if p.annotation is annotation]
        if annotation is getattr(self.source.node, "returns", None):
            names.append("return")
        return hints.get(names[0]) if names else None

    @property
    def only_declared(self) -> bool:
        """Whether the body is `...`: a method of a protocol."""
        values = [s.value for s in self.body if isinstance(s, ast.Expr)]
        constants = [v.value for v in values if isinstance(v, ast.Constant)]
        return len(constants) == len(self.body) and ... in constants

    def signature(self) -> str:
        """`g(x, y=…)`, for messages."""
        parts = [p.star + p.name + ("=…" if p.name in self.defaults else "") for p in self.params]
        named = [k for k, p in enumerate(self.params) if p.keyword_only and not p.star][:1]
        for k in named if not any(p.star == "*" for p in self.params) else ():
            parts.insert(k, "*")
        return f"{self.name}({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Final:
    """A parameter whose final value is a result too: the value at the start and at the end."""

    name: str
    start: Any
    value: Any
    stops: bool = False  # no derivative passes
    in_place: bool = False  # a vector whose components were assigned: the caller sees that


@dataclass(slots=True, eq=False)
class Session:
    """What one reading shares: precision, rules, and what is being read right now."""

    real: Scalar
    rules: RuleSet
    lookup: Lookup  # what holds for the functions that are called
    run: Callable[[Frame], Any]  # reads the body of a function and gives its value
    notes: dict[Term, Note] = field(default_factory=dict)
    active: list[Any] = field(default_factory=list)  # functions being inlined, outermost first
    ruled: list[Any] = field(default_factory=list)  # functions whose own rules are being read
    taken: list[str] = field(default_factory=list)  # names of variables of enclosing programs
    functions: dict[int, tuple[FunctionType, Function | None]] = field(default_factory=dict)
    journal: Journal = field(default_factory=Journal)
    ranges: dict[Term, Range] = field(default_factory=dict)  # of counters, of remainders
    trouble: Listed = field(default_factory=lambda: Listed([0]))  # the number of a failed check
    checks: list[tuple[str, Span]] = field(default_factory=list)
    rows: Rows = field(default_factory=Rows)  # of matrices
    carrying: dict[Term, bool] = field(default_factory=dict)  # see `carries_derivative`
    begun: dict[Term, Term | None] = field(default_factory=dict)
    asked: int = 0  # how often `carries_derivative` was
    wanted: frozenset[str] | None = None  # parameters whose derivatives are asked for; None: all
    assumed: dict[Term, bool] = field(default_factory=dict)  # in the arm that is being read
    finals: tuple[Final, ...] = ()  # of the function that was read last
    kin: dict[int, list[tuple[Value, Value, str]]] = field(default_factory=dict)  # see aliases.py
    frames: list[Frame] = field(default_factory=list)  # of the functions in `active`
    split: dict[int, Object] = field(default_factory=dict)  # see `check_whole` (aliases.py)
    lent: dict[int, list[Any]] = field(default_factory=dict)  # of long lists, see lent.py
    twice: list[Any] = field(default_factory=list)  # vectors with two places in such lists
    changing: bool = False  # see `part_changing` (lent.py)
    arrays: dict[str, Slot] = field(default_factory=dict)  # of modules, that rules add to
    totals: Mapping[str, Any] = field(default_factory=dict)  # what the rule at hand has added
    over: list[Object] = field(default_factory=list)  # lists that are being run over
    rolled: float = 0  # loops around this point, one trip read for all; -inf: keys are chosen there

    def write(self, object_: Object, index: int, value: Any, at: Span, alone: bool = False) -> None:
        """Change a field or an element, where no function around this point has returned yet.

        What may be the same object cannot be read any more, unless this concerns it `alone`.
        """
        object_, index = object_.place(index)
        for frame in reversed(self.frames):
            state = frame.state
            if not isinstance(state.done, bool) and object_.born < state.done_since:
                old = object_.items[index]
                value = merged_or_unusable(self, state.done, old, value, at)
        self.journal.write(object_, index, value, at)
        for twin, why in () if alone else tuple(object_.twins.values()):
            changed = f"{why}, and line {at.line} changes {member(object_, index)} of one of them"
            self.journal.put(twin, index, Unusable(changed, _OWN))

    @contextmanager
    def apart(self) -> Iterator[Session]:
        """Inside, a program of its own is read: it sees objects around it, but changes none."""
        kept = (self.notes, self.journal, self.assumed, self.frames, self.trouble)
        self.notes, self.journal = {}, Journal(since=now())
        self.assumed, self.frames, self.trouble = {}, [], Listed([0])
        try:
            yield self
        finally:
            self.notes, self.journal, self.assumed, self.frames, self.trouble = kept

    @contextmanager
    def assuming(self, *conditions: Assumption) -> Iterator[None]:
        """Inside an arm of a branch: what its conditions are there."""
        outer = self.assumed
        self.assumed = {**outer, **dict(f for c in conditions for f in facts(*c))}
        try:
            yield
        finally:
            self.assumed = outer

    def assume(self, condition: Term, holds: bool) -> None:
        """From here on, in the arm that is being read: Python gets no further where it fails."""
        self.assumed = {**self.assumed, **dict(facts(condition, holds))}

    def everything(self) -> list[Any]:
        """What the variables of all functions that are being read lead to."""
        names = [frame.state.names for frame in self.frames]
        return [known.find(name) for known in names for name in dict.fromkeys(known)]

    def settled(self, value: Any) -> Any:
        """What a reference leads to, as far as the branches around this point say."""
        while isinstance(value, Choice):
            holds = self.assumed.get(value.condition)
            for frame in self.frames:
                if isinstance(frame.state.done, Term):
                    holds = dict(facts(frame.state.done, False)).get(value.condition, holds)
            if holds is None:
                break
            value = value.then if holds else value.other
        return value

    def present(self, value: Any, at: Span) -> Any:
        """What a reference leads to. Raises TraceError where that may be None."""
        value = self.settled(value)
        if is_optional(value):
            raise may_be_none(value, at)
        return value

    def either(self, condition: Term, then: Any, other: Any, at: Span) -> Any:
        """`condition ? then : other`. Raises TraceError where that is not one value."""
        if isinstance(then, bool) and isinstance(other, bool):
            held = chosen(condition, then, other)
            return held if isinstance(held, bool) else scalar(held)
        both = merged_or_unusable(self, condition, then, other, at)
        if isinstance(both, Unusable):
            raise Varying(both.reason, at, both.hint)
        return both

    def function(self, origin: FunctionType) -> Function | None:
        """The readable form of a Python function, or None without source."""
        if id(origin) not in self.functions:
            self.functions[id(origin)] = (origin, from_python(origin, self.real))
        return self.functions[id(origin)][1]


def joined(
    session: Session,
    condition: Term,
    then: Changed,
    other: Changed,
    at: Span,
    merges: Merges | None = None,
) -> Changed:
    """What two arms of a branch changed, merged: `condition ? then : other` at every place.

    `merges`: what the branch has merged already.
    """
    merges = {} if merges is None else merges
    branch = Branch(condition, session.rules, session.real, at, merges=merges)
    merge = partial(merged_or_unusable, session, condition, at=at, merge=branch.merged)
    both = arms_met(then, other, merge, at)
    for keys in whole_memories({key: value for key, (_, value) in both.items()}):
        items = joined_items([both[key][1] for key in keys], session.real)
        both.update((k, (both[k][0], v)) for k, v in zip(keys, items or (), strict=False))
    return both


def merged_or_unusable(
    session: Session,
    condition: Term,
    then: Any,
    other: Any,
    at: Span,
    merge: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """`condition ? then : other` for a field; what cannot be one value is unusable."""
    bad = next((side for side in (then, other) if isinstance(side, Unusable)), None)
    if bad is not None:
        return bad
    try:
        if merge is not None:
            return merge(then, other)
        return merged(session.rules, condition, then, other, session.real)
    except Mismatch as error:
        a, b = error.args
        return Unusable(
            f"this is {a} or {b}, depending on the branch at line {at.line}",
            error.hint or "give it one type in both branches",
        )


@dataclass(slots=True, eq=False)
class Frame:
    """One function being read: its state and its place in the session."""

    session: Session
    function: Function
    state: State
    loops: int = 0  # that are being read in this function, around the current statement
    limit: int | None = None  # what max_iters has said for the next loop
    statement: Any = None  # where variables are written, at the statement that is being read
    passing: dict[str, bool] = field(default_factory=dict)  # InOut[…], Out[…]: whether no_diff
    given: Any = None  # of a generator: what it has given (statements/yielding.py)

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
                problem = f"{name!r} is used before it gets a value"
                hint = to_assign_first(name, self.function)
                raise Varying(problem, self.span(node), hint) from None
            return self._outside(node)
        if isinstance(value, Unusable):
            going = dict(facts(as_term(self.state.done), False))
            value = value.given(going | self.session.assumed)
        if isinstance(value, Unusable):
            raise unreadable(value, self.span(node))
        return self.settled(value)

    def settled(self, value: Any) -> Any:
        """What may be None, as far as the branches around this point say whether it is."""
        if not is_optional(value):
            return value
        going = dict(facts(as_term(self.state.done), False))
        there = resolved(value.condition, going | self.session.assumed)
        if isinstance(there, bool):
            return value.then if there else None
        return Choice(there, value.then, None)

    def _outside(self, node: ast.Name) -> Any:
        name = node.id
        function, frame = self.function, self.function.enclosing
        while frame is not None:
            try:
                value = function.found(name, frame.state.names)
            except KeyError:
                function, frame = frame.function, frame.function.enclosing
                continue
            if isinstance(value, Unusable):
                raise unreadable(value, self.span(node))
            return self.settled(value)
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
        locals_ = [name for name in dict.fromkeys(self._visible()) if name.isidentifier()]
        everything = [*locals_, *known, *vocabulary(self.session.rules), *dir(builtins)]
        shown = ", ".join(locals_[:12]) or "nothing yet"
        message = f"unknown name {node.id!r}{nearest(node.id, everything)}"
        hint = f"in scope: {shown}; then the globals of the module and egad's vocabulary"
        return self.error(node, message, hint)

    def _visible(self) -> Iterator[str]:
        frame: Frame | None = self
        while frame is not None:
            yield from frame.state.names
            frame = frame.function.enclosing


def from_python(origin: FunctionType, real: Scalar) -> Function | None:
    """A Python function, ready to be read; None where its source is not available."""
    source = source_of(origin)
    if source is None:
        return None
    outside = Outside(origin)
    function = Function(origin.__name__, source, {}, outside, None, origin)
    function.params = parameters(source)
    given = defaults_of(origin)
    function.defaults = {name: normalise(value, real) for name, value in given.items()}
    return function


def nested(
    frame: Frame, node: ast.FunctionDef | ast.Lambda, evaluate: Callable[[ast.expr], Any]
) -> Function:
    """A function defined inside the one being read; it sees the variables of `frame`."""
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    outer = frame.function
    source = Source(outer.source.file, outer.source.lines, node)
    function = Function(name, source, {}, outer.outside, frame)
    function.around = tuple(layer for layer in frame.state.names.layers() if layer.own)
    function.params = parameters(source)
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    function.defaults = {a.arg: evaluate(value) for a, value in pairs if value is not None}
    return function
