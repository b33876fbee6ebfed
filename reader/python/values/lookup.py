"""What holds for a function where it is called: its rules, and the operator that it means.

Takes the levels of a derivation and the modules on the way from `derive` to a call, gives the
marks of the function that is called. The order: rules given to `derive`; blocks of `with
egad.rules(…)`, the inner ones first; the module that calls `derive`; the modules of the
functions on the way, from the outside in; the module that defines the function; shipped rules.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ....rules.loader.load import origin, shipped_rules
from ....rules.registry import (
    KINDS,
    Mark,
    Marks,
    Variables,
    home_of,
    merged,
    own_marks,
    table_of,
)
from ....rules.scope import Scopes
from ....terms.errors import RuleError, nearest
from ....terms.rule import Operator, RuleSet
from .words import WELL_KNOWN, operator_name, qualified, word_name


@dataclass(slots=True, eq=False)
class Lookup:
    """The levels of one derivation, and the way to the call that is being read."""

    scopes: Scopes
    #: The variables of the modules whose functions are being read, outermost first, once each.
    way: list[Variables] = field(default_factory=list)
    #: The aliases that are not shipped, and what those outside of Python, NumPy and SciPy name.
    aliases: dict[str, str] = field(default_factory=dict)
    named: dict[int, tuple[Any, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = shipped_rules().by_alias
        rules = self.scopes.rules.by_alias
        self.aliases = {} if rules is known else {a: n for a, n in rules.items() if a not in known}
        for alias, name in self.aliases.items():
            if alias.rpartition(".")[0] not in WELL_KNOWN and callable(found := _object(alias)):
                self.named.setdefault(id(found), (found, name))
        for alias, name in self.aliases.items():
            _check_alias(alias, self.scopes.rules.operators[name][0])

    @contextmanager
    def through(self, variables: Variables | None) -> Iterator[None]:
        """Inside, a function of a module is being read."""
        new = variables is not None and not any(other is variables for other in self.way)
        if new and variables is not None:
            self.way.append(variables)
        try:
            yield
        finally:
            if new:
                self.way.pop()

    def operator(self, callee: Any) -> str | None:
        """The operator that a function means."""
        return self.stand_in(callee) or operator_name(callee, self.scopes.rules)

    def stand_in(self, callee: Any) -> str | None:
        """The operator that a rule file of the user's says a function is, by its aliases."""
        if not self.aliases or word_name(callee) is not None:
            return None
        if id(callee) in self.named:
            return self.named[id(callee)][1]
        stated = [n for n in (*qualified(callee), *_own_name(callee)) if n in self.aliases]
        return self.aliases[stated[0]] if stated else None

    def marks(self, callee: Any) -> Marks | None:
        """What holds for a function; None where nothing is said about it.

        Raises RuleError where two rules of one level say it.
        """
        levels: list[tuple[Mark, ...]] = []
        name = self.operator(callee) if self.scopes.levels else None
        for level in self.scopes.levels:
            levels.append(level.of(callee))
            operator = level.says(name) if name is not None else None
            if operator is not None:
                _check_one(callee, levels[-1], operator, level.rules)
                return merged(callee, levels)
        said = own_marks(callee)
        tables = [(m, t) for m in (self.scopes.caller, *self.way) if (t := table_of(m)) is not None]
        home = home_of(callee)
        levels += [table.of(callee) for module, table in tables if module is not home]
        own = table_of(home)
        levels.append(said if own is None else (*said, *own.of(callee)))
        return merged(callee, levels) if any(levels) else None


def _check_one(callee: Any, said: tuple[Mark, ...], operator: Operator, rules: RuleSet) -> None:
    """A rule file and a registration of one level do not both state a derivative."""
    for mark in said:
        if mark.kind in ("fwd", "bwd") and operator.has_derivative:
            raise RuleError(
                f"{getattr(callee, '__name__', callee)} has a {KINDS[mark.kind]}, given at "
                f"{mark.at or mark.module}, and the derivative of {operator.name!r}, given at "
                f"{origin(rules, operator.name)}",
                mark.at,
                "keep one of the two",
            )


def _check_alias(alias: str, operator: Operator) -> None:
    """Raise RuleError where the module is loaded, and has nothing that an alias could mean.

    One alias of several may be of another version of the module; those that follow from the name
    of the operator are guesses.
    """
    owner, _, last = alias.rpartition(".")
    module = sys.modules.get(owner)
    guesses = {f"{known}.{operator.name}" for known in WELL_KNOWN}
    given = [a for a in operator.aliases if a not in guesses]
    if module is None or given != [alias] or _object(alias) is not None:
        return
    known = [name for name, value in vars(module).items() if callable(value)]
    if "__getattr__" not in known:
        message = f"[{operator.name}] the alias {alias!r} names nothing: {owner} has no {last!r}"
        hint = "aliases are dotted names of functions in modules that are loaded"
        raise RuleError(f"{message}{nearest(last, known)}", operator.at, hint)


def _own_name(callee: Any) -> list[str]:
    module = getattr(callee, "__module__", None)
    name = getattr(callee, "__qualname__", None)
    return [f"{module}.{name}"] if isinstance(module, str) and isinstance(name, str) else []


def _object(path: str) -> Any:
    """The object at a dotted path, if its module is loaded; nothing is imported or run."""
    parts = path.split(".")
    for i in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:i]))
        if found is None:
            continue
        for part in parts[i:]:
            found = inspect.getattr_static(found, part, None)
        return getattr(found, "__func__", found) if isinstance(found, staticmethod) else found
    return None
