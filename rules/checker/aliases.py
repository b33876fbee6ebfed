"""Aliases that name a function of a library: it must be there.

Takes the names that a block states, raises RuleError for one that names nothing. Modules of the
user's own may be where only the program finds them: nothing is said of those.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from ...terms.errors import RuleError, Span, nearest
from .compare import Tally

_LIBRARIES = ("builtins", "cmath", "math", "numpy", "operator", "scipy", "statistics")


def check_aliases(name: str, aliases: Sequence[str], at: Span, tally: Tally) -> None:
    """Each alias in a module of a library that is installed is a function there."""
    for alias in aliases:
        path, _, function = alias.rpartition(".")
        if path.partition(".")[0] not in _LIBRARIES:
            continue
        tally.samples += 1
        try:
            module = importlib.import_module(path)
        except ModuleNotFoundError as error:
            if error.name == path.partition(".")[0]:
                continue  # the library is not installed
            raise _missing(name, alias, f"there is no module {path!r}", at) from None
        if not callable(getattr(module, function, None)):
            near = nearest(function, [n for n in dir(module) if n[0] != "_"])
            raise _missing(name, alias, f"{path} has no {function!r}{near}", at)


def _missing(name: str, alias: str, why: str, at: Span) -> RuleError:
    message = f"[{name} aliases] the alias {alias!r} names nothing: {why}"
    return RuleError(message, at, "write the name as Python imports it, or remove it")
