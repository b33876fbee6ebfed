"""Variables of modules, by a key that can be pickled: `module:name`."""

from __future__ import annotations

import sys
from typing import Any

#: The variables of modules that `import` does not know: of files that were executed.
_elsewhere: list[dict[str, Any]] = []


def key_of(variables: dict[str, Any], name: str) -> str:
    """The key of a variable, given all variables of its module."""
    module = str(variables.get("__name__", ""))
    if getattr(sys.modules.get(module), "__dict__", None) is variables:
        return f"{module}:{name}"
    known = [i for i, other in enumerate(_elsewhere) if other is variables]
    if not known:
        _elsewhere.append(variables)
    return f"{module}#{known[0] if known else len(_elsewhere) - 1}:{name}"


def value_at(key: str) -> Any:
    """The value that a variable has now; None where there is none."""
    place, _, name = key.partition(":")
    module, _, number = place.partition("#")
    if not number:
        return getattr(sys.modules.get(module), name, None)
    return _elsewhere[int(number)].get(name) if int(number) < len(_elsewhere) else None
