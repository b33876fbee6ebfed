"""Rules registered in Python: what is said about functions, by whom, and where it is kept.

Takes functions and marks, remembers them, and says which of them hold. What a module says
about its own functions stays on these, what it says about others stays in the module: there is
no table of the whole process, and a rule goes when the function or its module goes. Knows
nothing of how a rule is read.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..terms.errors import RuleError, Span, called
from ..terms.program import Differentiable

#: The variables of a module: what `globals()` gives.
Variables = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing said about a function: a rule of some kind, by whom, and where."""

    kind: str  # "fwd" | "bwd" | "substitute" | "differentiable"
    rule: Any
    module: str
    at: Span | None


class Marks(NamedTuple):
    """What holds for a function, where it is called.

    `primal` is the substitute even where a rule of a higher level hides it: of a function that
    nobody can read it is all that says what the function computes.
    """

    fwd: Mark | None = None
    bwd: Mark | None = None
    substitute: Mark | None = None
    differentiable: Mark | None = None
    primal: Mark | None = None

    @property
    def differentiability(self) -> Differentiable:
        """How the function takes part in derivatives."""
        return self.differentiable.rule if self.differentiable else Differentiable.YES


KINDS = {
    "fwd": "forward derivative",
    "bwd": "backward derivative",
    "substitute": "primal substitute",
    "differentiable": "statement about differentiability",
}
#: What a level says of one kind hides what lower levels say of these.
_HIDES = {
    "fwd": ("substitute",),
    "bwd": ("substitute",),
    "differentiable": ("fwd", "bwd", "substitute"),
}
_ON_FUNCTIONS = "__egad_marks__"
_IN_MODULES = "__egad_rules__"
_lock = threading.RLock()
_changes = 0


def changes() -> int:
    """How often anything was registered; what is derived later may depend on it."""
    return _changes


# --- where marks are kept -------------------------------------------------------------------


class Table:
    """What one module, one block or one rule set value says about functions, by identity.

    Functions are held weakly where they can be: no entry outlives its function.
    """

    __slots__ = ("__weakref__", "_entries")

    def __init__(self) -> None:
        self._entries: dict[int | str, tuple[Callable[[], Any], tuple[Mark, ...]]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def of(self, target: Any) -> tuple[Mark, ...]:
        """What is said about a function."""
        key = _key(target)
        held, marks = self._entries.get(key, (None, ()))
        same = held is not None and (isinstance(key, str) or held() is target)
        return marks if same else ()

    def add(self, target: Any, mark: Mark, beside: Iterable[Mark] = ()) -> None:
        """Remember a mark; `beside`: what others of the same level say of the function.

        Raises RuleError for a second rule of one kind.
        """
        with _lock:
            for other in beside:
                if other.kind == mark.kind and other.rule is not mark.rule:
                    raise conflict(target, other, mark)
            marks = joined(target, self.of(target), mark)
            self._entries[_key(target)] = self._held(target), marks
            _changed()

    def with_mark(self, target: Any, mark: Mark, beside: Iterable[Mark] = ()) -> Table:
        """Another table: this one, and a mark. Raises RuleError as `add` does."""
        found = Table()
        for held, marks in list(self._entries.values()):
            if (other := held()) is not None:
                found._entries[_key(other)] = found._held(other), marks
        found.add(target, mark, beside)
        return found

    def _held(self, target: Any) -> Callable[[], Any]:
        try:
            return weakref.ref(target, partial(_drop, weakref.ref(self), _key(target)))
        except TypeError:  # a ufunc, for one
            return lambda: target


def _key(target: Any) -> int | str:
    """What finds a function again: itself, or of a word of the vocabulary its name."""
    word = getattr(target, "__egad_name__", None)
    return word if isinstance(word, str) else id(target)


def _drop(table: weakref.ref[Table], key: int | str, _gone: Any) -> None:
    # Runs while garbage is collected, perhaps under the lock: popping needs none.
    found = table()
    if found is not None:
        found._entries.pop(key, None)


def _changed() -> None:
    global _changes
    _changes += 1


def joined(target: Any, marks: tuple[Mark, ...], mark: Mark) -> tuple[Mark, ...]:
    """The marks of one place with one more. Raises RuleError for a second one of its kind."""
    for old in marks:
        if old.kind == mark.kind and not _redefines(old, mark):
            raise conflict(target, old, mark)
    return (*(old for old in marks if old.kind != mark.kind), mark)


def own_marks(target: Any) -> tuple[Mark, ...]:
    """What the module of a function says about it, as far as it is kept on the function."""
    # functools.wraps copies attributes: the marks must belong to this very function.
    owner, marks = getattr(target, _ON_FUNCTIONS, (None, ()))
    return marks if owner is target else ()


def function_of(target: Any, at: Span | None = None) -> Any:
    """The function that a method's decorator holds: marks may stand above `@staticmethod`."""
    if isinstance(target, staticmethod | classmethod | MethodType):
        return target.__func__
    if isinstance(target, property):
        if target.fset is not None:
            hint = "write the mark below @property or @….setter, on the function that it means"
            raise RuleError("this property has two functions: the mark may mean either", at, hint)
        return target.fget
    return target.__wrapped__ if is_compiled_form(target) else target


def is_compiled(target: Any) -> bool:
    """Whether no Python function runs where an object is called."""
    own = inspect.getattr_static(type(target), "__call__", None)
    return not isinstance(target, FunctionType | type) and not isinstance(own, FunctionType)


def is_compiled_form(target: Any) -> bool:
    """Whether an object computes what the Python function does that it wraps.

    As those of functools.cache, numba.jit and jax.jit do. What NumPy's functions wrap is over
    arrays, and says nothing here.
    """
    of_numpy = type(target).__module__.partition(".")[0] == "numpy"
    wraps = isinstance(getattr(target, "__wrapped__", None), FunctionType)
    return wraps and not of_numpy and is_compiled(target)


def target_of(target: Any, at: Span | None) -> Any:
    """The function that a mark means. Raises RuleError for what is none."""
    found = function_of(target, at)
    if not callable(found):
        hint = "name the function itself, without quotes and without calling it"
        message = f"{called(found)} is not a function: no rule can be attached to it"
        raise RuleError(message, at, hint)
    if isinstance(found, partial):
        name = getattr(found.func, "__name__", "its function")
        message = f"a partial of {name} has no rules of its own"
        raise RuleError(message, at, f"attach the rule to {name}, with all its parameters")
    return found


def rule_of(rule: Any, word: str, at: Span | None = None) -> Any:
    """The function of a rule. Raises RuleError for what is none."""
    found = rule.__func__ if isinstance(rule, staticmethod) else rule
    if not callable(found):
        hint = "give it the function itself: neither its name nor what it returns"
        raise RuleError(f"{word} needs a function, not {called(rule)}", at, hint)
    return found


def table_of(variables: Variables | None) -> Table | None:
    """What a module says about functions of others; None where it says nothing."""
    found = variables.get(_IN_MODULES) if variables is not None else None
    return found if isinstance(found, Table) else None


def keep(target: Any, mark: Mark, variables: MutableMapping[str, Any]) -> None:
    """Remember what a module says: on the function if it is its own, else in the module.

    Raises RuleError for a second rule of one kind.
    """
    with _lock:
        if is_own(target, variables):
            marks = joined(target, own_marks(target), mark)
            setattr(target, _ON_FUNCTIONS, (target, marks))
            _changed()
        else:
            variables.setdefault(_IN_MODULES, Table()).add(target, mark)


def is_own(target: Any, variables: Variables) -> bool:
    """Whether a function or a class was defined in a module."""
    if isinstance(target, type):
        return target.__module__ == variables.get("__name__")
    return getattr(target, "__globals__", None) is variables


def home_of(target: Any) -> Variables | None:
    """The variables of the module that defines a function."""
    found = getattr(target, "__globals__", None)
    if isinstance(found, dict):
        return found
    module = sys.modules.get(getattr(target, "__module__", None) or "")
    return vars(module) if isinstance(module, ModuleType) else None


def modules_with_rules(target: Any) -> list[str]:
    """The names of the loaded modules that have a rule for a function of others, sorted."""
    found = []
    for name, module in sorted(list(sys.modules.items())):
        table = table_of(getattr(module, "__dict__", None))
        if table is not None and table.of(target):
            found.append(name)
    return found


# --- which of them hold ---------------------------------------------------------------------


def merged(target: Any, levels: Iterable[Iterable[Mark]]) -> Marks | None:
    """What holds of all that the levels say, the highest first; None where they say nothing.

    Raises RuleError where two rules of one level are of one kind.
    """
    best: dict[str, Mark] = {}
    hidden: set[str] = set()
    primal: Mark | None = None
    for level in levels:
        said: dict[str, Mark] = {}
        for mark in level:
            other = said.setdefault(mark.kind, mark)
            if other.rule is not mark.rule:
                raise conflict(target, other, mark)
        best.update((k, m) for k, m in said.items() if k not in best and k not in hidden)
        primal = primal or said.get("substitute")
        hidden.update(kind for k in said for kind in _HIDES.get(k, ()))
    return Marks(**best, primal=primal) if best or primal else None


def _redefines(old: Mark, new: Mark) -> bool:
    """Whether the new mark is the old one again: a notebook cell or a module run anew."""
    if old.rule is new.rule or isinstance(old.rule, Differentiable):
        return old.rule is new.rule
    if getattr(old.rule, "__qualname__", 0) != getattr(new.rule, "__qualname__", 1):
        return False
    a, b = old.at, new.at
    if a is None or b is None or a.file != b.file or _edited(a):
        return True
    # Of the lambdas of one line only the code tells which is which.
    return a.line == b.line and (
        old.rule.__name__ != "<lambda>" or old.rule.__code__ == new.rule.__code__
    )


def _edited(at: Span) -> bool:
    """Whether a line of a file is no longer what it was: the module was changed and reloaded."""
    linecache.checkcache(at.file)
    return linecache.getline(at.file, at.line).rstrip("\n") != at.text


def conflict(target: Any, old: Mark, new: Mark) -> RuleError:
    """Two rules of one level and kind for one function."""
    name = getattr(target, "__name__", repr(target))
    return RuleError(
        f"{name} already has a {KINDS[old.kind]}, given at {old.at or old.module}",
        new.at,
        "keep one of the two; rules given to derive(), then those of `with egad.rules(…)`, then "
        "those of the module that calls derive() go before others",
    )
