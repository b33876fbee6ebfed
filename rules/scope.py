"""What counts for one derivation: `with egad.rules(…)`, rules given to `derive`, modules.

Takes rule files, modules and registrations, gives the rule set of a derivation and the levels
at which something is said about a function. Blocks belong to the thread or task that opened
them; the value of `egad.rules(…)` may be shared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, TypeVar

from ..terms.errors import RuleError, defined_at, running_at
from ..terms.program import Differentiable
from ..terms.rule import Operator, RuleSet
from .loader.load import load, merge
from .registry import (
    Mark,
    Table,
    Variables,
    function_of,
    is_own,
    keep,
    own_marks,
    rule_of,
    table_of,
    target_of,
)

F = TypeVar("F", bound=Callable[..., Any])

_NOWHERE: Variables = {}
_KIND = {"custom_fwd_of": "fwd", "custom_bwd_of": "bwd", "primal_substitute_of": "substitute"}


class Rules:
    """Rule files and rules registered in Python, as a value: what `egad.rules(…)` gives.

    In `with` it is in force inside of the block; in `derive(f, rules=[…])` for that call. Its
    methods register rules in it, and nowhere else.

    >>> import math
    >>> from egad import derive, rules
    >>> steep = rules()
    >>> @steep.custom_bwd_of(math.erf)
    ... def erf_bwd(x, d):
    ...     return 10.0 * d
    >>> derive(lambda x: math.erf(x), rules=[steep]).reference(0.0, 1.0)
    Gradients(x=10.0)
    """

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self.sources = tuple(sources)
        files, self._parts, self._modules = _sorted(self.sources)
        sets = [part.rules for part in self._parts if part.rules is not load()]
        #: The shipped rules, and those of the files and rule sets on top.
        self.rules: RuleSet = load([*sets, *files])
        self._table = Table()

    def __repr__(self) -> str:
        return f"egad.rules({', '.join(map(_shown, self.sources))})"

    def of(self, target: Any) -> tuple[Mark, ...]:
        """What is said about a function here."""
        own = self._table.of(target)
        inner = [mark for part in self._parts for mark in part.of(target)]
        tables = [table_of(vars(module)) for module in self._modules]
        modules = [mark for table in tables if table is not None for mark in table.of(target)]
        return (*own, *inner, *modules)

    # --- registering ---

    def custom_fwd_of(self, function: Callable[..., Any]) -> Callable[[F], F]:
        """Decorator of a rule: it is the forward derivative of `function`; pairs to a pair."""
        return self._decorator("custom_fwd_of", function)

    def custom_bwd_of(self, function: Callable[..., Any]) -> Callable[[F], F]:
        """Decorator of a rule: it is the backward derivative of `function`."""
        return self._decorator("custom_bwd_of", function)

    def primal_substitute_of(self, function: Callable[..., Any]) -> Callable[[F], F]:
        """Decorator of a function that stands in for `function` inside derived programs."""
        return self._decorator("primal_substitute_of", function)

    def treat_as_differentiable(self, function: F) -> F:
        """Say that the value of `function` is kept and its derivative is zero."""
        return self._stated(function, Differentiable.ZERO)

    def non_differentiable(self, function: F) -> F:
        """Say that no derivative may pass through `function`."""
        return self._stated(function, Differentiable.NO)

    def _stated(self, function: F, how: Differentiable) -> F:
        target = function_of(function)
        if isinstance(target, type):
            raise RuleError(f"{target.__name__} is a class: mark it where it is defined")
        self._add(target, Mark("differentiable", how, repr(self), defined_at(target)))
        return function

    def _decorator(self, word: str, function: Callable[..., Any]) -> Callable[[F], F]:
        def mark(rule: F) -> F:
            found = rule_of(rule, word, running_at(sys._getframe(1)))
            self._add(function, Mark(_KIND[word], found, repr(self), defined_at(found)))
            return rule

        return mark

    def _add(self, function: Any, mark: Mark) -> None:
        target = _with_rules(target_of(function, mark.at), mark)
        others = [m for part in self._parts for m in part.of(target)]
        self._table.add(target, mark, others)

    # --- in force ---

    def __enter__(self) -> Rules:
        running = tuple(_bodies(sys._getframe(1)))
        _BLOCKS.set((*_BLOCKS.get(), _Block(self, Table(), running)))
        return self

    def __exit__(self, *error: object) -> None:
        blocks = _BLOCKS.get()
        last = max((i for i, block in enumerate(blocks) if block.value is self), default=None)
        if last is None:
            raise RuleError(
                f"with {self!r} is left where it was not entered",
                hint="enter and leave it in one thread, or in one asyncio task",
            )
        _BLOCKS.set(blocks[:last] + blocks[last + 1 :])


Source = str | Path | RuleSet | Rules | ModuleType


def _sorted(
    sources: Sequence[Source],
) -> tuple[list[str | Path | RuleSet], list[Rules], list[ModuleType]]:
    """What is given: files and rule sets, values of `rules(…)`, and modules."""
    files: list[str | Path | RuleSet] = []
    parts: list[Rules] = []
    modules: list[ModuleType] = []
    for source in sources:
        if isinstance(source, Rules):
            parts.append(source)
        elif isinstance(source, ModuleType):
            modules.append(source)
        else:
            files.append(source)
    return files, parts, modules


def _with_marks(module: ModuleType) -> ModuleType:
    """A module that is given for its rules. Raises RuleError where it says nothing of functions."""
    own = (own_marks(v) for v in vars(module).values() if isinstance(v, FunctionType | type))
    if table_of(vars(module)) is None and not any(own):
        message = f"rules=[{module.__name__}]: no rule is registered in this module"
        raise RuleError(message, hint="@egad.custom_bwd_of(f) and its like register rules")
    return module


def _shown(source: Source) -> str:
    if isinstance(source, str | Path):
        return repr(str(source))
    return source.__name__ if isinstance(source, ModuleType) else f"<{type(source).__name__}>"


# --- blocks ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """A `with egad.rules(…)` that is open: its value, and what was registered inside of it.

    Its table is replaced, never changed: a task that was started inside has its own from then on.
    """

    value: Rules
    table: Table
    running: tuple[Variables, ...]  # the modules whose bodies ran when it was opened

    def of(self, target: Any) -> tuple[Mark, ...]:
        """What is said about a function here."""
        return (*self.table.of(target), *self.value.of(target))


_BLOCKS: ContextVar[tuple[_Block, ...]] = ContextVar("egad.rules", default=())


def _bodies(frame: FrameType | None) -> Iterator[Variables]:
    """The variables of the modules whose bodies are being run."""
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            yield frame.f_globals
        frame = frame.f_back


def module_name(frame: FrameType) -> str:
    """The name of the module whose code a frame runs, for messages."""
    return str(frame.f_globals.get("__name__", "__main__"))


def register(target: Any, mark: Mark, frame: FrameType) -> None:
    """Remember what the code of a frame says: in the innermost open block, else in its module.

    A module that is imported inside of a block registers for itself: its import happens once.
    Raises RuleError for two different rules of one kind, and for what is no function.
    """
    target = _with_rules(target_of(target, mark.at), mark)
    variables = frame.f_globals
    if isinstance(target, type):
        if not is_own(target, variables):
            message = f"{target.__name__} is marked outside of its module {target.__module__}"
            raise RuleError(message, mark.at, "annotate the parameters instead: no_diff[…]")
        keep(target, mark, variables)
        return
    blocks = _BLOCKS.get()
    if not blocks or _imported(blocks[-1], frame):
        keep(target, mark, variables)
        return
    last = blocks[-1]
    table = last.table.with_mark(target, mark, last.value.of(target))
    _BLOCKS.set((*blocks[:-1], replace(last, table=table)))


def _with_rules(target: Any, mark: Mark) -> Any:
    """The function that a mark is about. Raises RuleError for a rule of what is a class."""
    if isinstance(target, type) and mark.kind != "differentiable":
        what = "substitute" if mark.kind == "substitute" else "derivative"
        message = f"{target.__name__} is a class: no {what} can be attached to it"
        hint = "attach it to a function or a method, or to a function of yours that makes one"
        raise RuleError(message, mark.at, hint)
    return target


def _imported(block: _Block, frame: FrameType) -> bool:
    """Whether the module of a frame is being imported inside of a block."""
    running = any(body is frame.f_globals for body in _bodies(frame))
    return running and not any(body is frame.f_globals for body in block.running)


# --- derivations ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Level:
    """Rules that count alike: those given to `derive`, or those of one block."""

    rules: RuleSet
    below: RuleSet
    places: tuple[Rules | _Block | Table, ...] = ()

    def of(self, target: Any) -> tuple[Mark, ...]:
        """What is registered about a function at this level."""
        return tuple(mark for place in self.places for mark in place.of(target))

    def says(self, name: str) -> Operator | None:
        """An operator that rule files of this level define or change: its value or derivative."""
        known = [_meaning(operator) for operator in self.below.operators.get(name, ())]
        overloads = self.rules.operators.get(name, ())
        return next((o for o in overloads if _meaning(o) not in known), None)


def _meaning(operator: Operator) -> tuple[object, ...]:
    return (
        operator.definition,
        operator.primal,
        operator.partials,
        operator.pullbacks,
        operator.pushforward,
        operator.nondiff,
        operator.numpy,
    )


@dataclass(frozen=True, slots=True)
class Scopes:
    """What counts for one derivation: all rule files, the levels, the module that derives."""

    rules: RuleSet
    levels: tuple[Level, ...] = ()  # the highest first
    caller: Variables = field(default_factory=dict)


def in_force(given: Source | Sequence[Source] = (), caller: Variables = _NOWHERE) -> Scopes:
    """What counts for a derivation that is asked for here, with these rules given to it.

    Raises RuleError, and nothing else, whatever is in the files.
    """
    if isinstance(given, str | Path | RuleSet | Rules | ModuleType):
        given = (given,)
    base = shipped = load()
    levels = []
    for block in _BLOCKS.get():
        if block.value.rules is not shipped:
            base = merge(base, block.value.rules)
        levels.append(Level(block.value.rules, shipped, (block,)))
    if given or not isinstance(given, Sequence):
        files, parts, modules = _sorted(given) if isinstance(given, Sequence) else (given, [], [])
        sets = [part.rules for part in parts if part.rules is not shipped]
        total = load([*sets, *files] if sets else files, base)
        tables = [table for m in map(_with_marks, modules) if (table := table_of(vars(m)))]
        levels.append(Level(total, base, (*parts, *tables)))
        base = total
    return Scopes(base, tuple(reversed(levels)), caller)
