"""Classes that list no fields: their fields are what their methods assign, `self.x = …`.

Takes classes, gives the names of their fields and what is said about the types; knows nothing of
how they are read.
"""

from __future__ import annotations

import ast
import inspect
import sys
from abc import ABC, ABCMeta
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from .source import is_installed, is_of_python, source_of

#: What is said about a field of which nothing is said: any type, the same in all of an instance.
ANYTHING = TypeVar("ANYTHING")
#: Bases without fields.
_BARE = (object, ABC, Generic, Protocol)
#: Methods that make attributes mean something else, or objects otherwise.
ODD = ("__new__", "__setattr__", "__getattr__", "__getattribute__")
#: Flags of a class: that it was made at run time, and that it takes no new attributes.
_OF_PYTHON = 1 << 9
_OF_PYTHON_OR_FIXED = _OF_PYTHON | 1 << 8
_known: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()


def inferred_fields(cls: type) -> dict[str, Any]:
    """The fields of a class that has no list of them, with their annotations, as text or objects.

    In the order in which methods assign them, `__init__` before the others, base classes first.
    """
    if cls not in _known:
        _known[cls] = dict(_fields(cls))
    return _known[cls]


def lists_no_fields(cls: type) -> bool:
    """Whether a class is the user's own and has an `__init__`, or nothing at all to begin with."""
    if type(cls) not in (type, ABCMeta):
        return False
    own = [c for c in cls.__mro__ if c not in _BARE]
    begun = any("__init__" in vars(c) for c in own) or not any(map(inspect.get_annotations, own))
    return bool(own) and begun and all(map(_is_written, own))


def _is_written(cls: type) -> bool:
    """Whether a class stands in a file of the user's, and its attributes are plain ones."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    if cls.__flags__ & _OF_PYTHON_OR_FIXED != _OF_PYTHON:  # of C: it has no source, and stays
        return False
    if is_of_python(file) or is_installed(file):
        return False
    init = vars(cls).get("__init__")
    return not any(name in vars(cls) for name in ODD) and isinstance(
        init, FunctionType | type(None)
    )


def _fields(cls: type) -> Iterator[tuple[str, Any]]:
    """Names with their annotations; the last one of a name counts."""
    found: dict[str, list[Any]] = {}
    for owner in reversed([c for c in cls.__mro__ if c not in _BARE]):
        methods = [m for m in vars(owner).values() if isinstance(m, FunctionType)]
        for method in sorted(methods, key=lambda m: m.__name__ != "__init__"):
            for name, said in _assigned(method):
                found.setdefault(name, []).append(said)
        for name, hint in inspect.get_annotations(owner).items():
            if name in found:
                found[name].append((hint, True))
    for name, hints in found.items():
        held = inspect.getattr_static(cls, name, None)
        if not hasattr(held, "__set__") or inspect.ismemberdescriptor(held):
            yield name, _agreed(hints)


def _agreed(said: Sequence[tuple[Any, bool]]) -> Any:
    """What the class says of a field, or the parameter that alone is assigned to it."""
    hints = [hint for hint, explicit in said if explicit or (hint is not None and len(said) == 1)]
    return hints[-1] if hints else ANYTHING


def _assigned(method: FunctionType) -> list[tuple[str, tuple[str | None, bool]]]:
    """The attributes that a method assigns to its first parameter, in order.

    Each with an annotation, and whether it stands there or at the parameter that is assigned.
    """
    source = source_of(method)
    if source is None or not isinstance(source.node, ast.FunctionDef):
        return []
    args = source.node.args
    params = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    typed = {p.arg: p.annotation for p in params if p.annotation is not None}
    hints: dict[ast.AST, tuple[str, bool]] = {}
    found: list[ast.Attribute] = []
    for node in ast.walk(source.node):
        match node:
            case ast.AnnAssign(target=target, annotation=hint):
                hints[target] = (ast.unparse(hint), True)
            case ast.Assign(targets=[target], value=ast.Name(id=name)) if name in typed:
                hints[target] = (ast.unparse(typed[name]), False)
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
                found += [node] if params and name == params[0].arg else []
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return [(node.attr, hints.get(node, (None, False))) for node in found]
