"""Classes that are defined inside of the function that is being read.

Takes the node of a class, gives the class that Python makes of it. Its methods are read like all
others, and see the variables of the function around; only what stands outside of their bodies
(decorators, bases, annotations, defaults) is run.
"""

from __future__ import annotations
import __future__

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ....terms.errors import EgadError, TraceError
from ...inferred import lists_no_fields
from ...marks import NoDiffType
from ...source import assigned
from ...structs import ArrayType, register
from ..values.outside import Outside
from ..values.scope import Frame
from .alike import alike

_REGISTERED = "__egad_struct__"
#: What has been made: a class is the same in every reading, and so is the name of its kernel type.
_made: dict[tuple[str, int, int], tuple[list[type], Any]] = {}


def define_class(frame: Frame, node: ast.ClassDef) -> None:
    """Read a class statement: its name is a variable of the function."""
    run, late = _names(node)
    known = _known(frame)
    values = {name: known[name] for name in sorted(run & known.keys())}
    for name, value in values.items():
        if not _is_plain(value):
            used = next(n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)
            raise frame.error(
                used,
                f"{name!r} is not known while reading, when the class {node.name} is made",
                "use it in a method, pass it where an instance is made, or define it outside of "
                f"{frame.function.name}",
            )
    mine = set(known) | set(_assigned(frame))
    late = {name for name in late & mine if name != node.name}
    fixed = {name for name in late if isinstance(known.get(name), type | ModuleType)}
    values.update((name, known[name]) for name in sorted(fixed))
    frame.state.names.local[node.name] = _class(frame, node, values, late - fixed)


def _class(frame: Frame, node: ast.ClassDef, values: Mapping[str, Any], late: set[str]) -> type:
    """The class: one for all frames, if its methods use no variables (`late`) of one of them.

    The statement is run each time, since what it uses may have changed.
    """
    variables = frame.function.variables or {}
    made, _ = _made.setdefault(
        (frame.function.source.file, node.lineno, id(variables)), ([], variables)
    )
    fresh = _run(frame, node, values, late)
    for cls in [*made, fresh]:
        methods = [frame.session.function(f) for f in _functions(cls)]
        read = [m for m in methods if m is not None]
        free = not late or all(m.enclosing in (None, frame) for m in read)
        if free and (cls is fresh or alike(cls, fresh)):
            break
    if cls is fresh:
        made.append(_registered(frame, cls))
    for method in read:
        method.enclosing = method.enclosing or frame
    return cls


def _run(frame: Frame, node: ast.ClassDef, values: Mapping[str, Any], late: set[str]) -> type:
    """What Python makes of the statement, in a function that has these variables alone."""
    names = [*values, *sorted(late)]
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    end = ast.Return(ast.Name(node.name, ast.Load()))
    around = ast.FunctionDef(frame.function.name, arguments, [node, end], [])
    tree = ast.fix_missing_locations(ast.Module([ast.copy_location(around, node)], []))
    file = frame.function.source.file
    try:
        code = compile(tree, file, "exec", _flags(frame), dont_inherit=True)
        (inner,) = [c for c in code.co_consts if isinstance(c, CodeType)]
        variables: Any = frame.function.variables or {}
        cls = FunctionType(inner, variables)(*values.values(), *[None] * len(late))
    except EgadError as error:
        raise TraceError(error.message, error.at or frame.span(node), error.hint) from None
    except Exception as error:
        what = f"the class {node.name} fails in Python: {type(error).__name__}: {error}"
        raise frame.error(node, what) from None
    if not isinstance(cls, type):
        raise frame.error(node, f"a decorator of {node.name} gives no class")
    return cls


def _registered(frame: Frame, cls: type) -> type:
    """The class, as a struct if it has fields."""
    fields = dataclasses.is_dataclass(cls) or issubclass(cls, tuple) or lists_no_fields(cls)
    if fields and _REGISTERED not in vars(cls):
        register(cls, {name: v for name, v in _known(frame).items() if _is_plain(v)})
    return cls


def _flags(frame: Frame) -> int:
    """Whether annotations stay texts in the file that this frame's function stands in."""
    at: Frame | None = frame
    while at is not None:
        origin = at.function.origin
        if origin is not None:
            return origin.__code__.co_flags & __future__.annotations.compiler_flag
        at = at.function.enclosing
    return 0


def _functions(cls: type) -> Iterator[FunctionType]:
    """The functions that the body of a class defines, those of properties and the like too."""
    for value in vars(cls).values():
        inner = [getattr(value, name, None) for name in ("__func__", "fget", "fset", "func")]
        for function in (value, *inner):
            if isinstance(function, FunctionType) and _is_of(function, cls):
                yield function


def _is_of(function: FunctionType, cls: type) -> bool:
    """Whether a function stands in the class: what `@dataclass` writes itself does not."""
    return function.__code__.co_filename != "<string>" and function.__module__ == cls.__module__


def _known(frame: Frame) -> dict[str, Any]:
    """The variables of the functions around the statement, as they are now."""
    found: dict[str, Any] = {}
    at: Frame | None = frame
    while at is not None:
        names = at.state.names
        found = {**{name: names.find(name) for name in dict.fromkeys(names)}, **found}
        outside = at.function.outside
        at = at.function.enclosing
    if isinstance(outside, Outside):
        found = {**{name: outside[name] for name in outside.cells if name in outside}, **found}
    return found


def _assigned(frame: Frame) -> Iterator[str]:
    at: Frame | None = frame
    while at is not None:
        yield from assigned(at.function.source.node)
        at = at.function.enclosing


def _names(node: ast.ClassDef) -> tuple[set[str], set[str]]:
    """The names that are used while the class is made, and those that its methods use later."""
    run: set[str] = set()
    late: set[str] = set()
    stack: list[tuple[ast.AST, bool]] = [(node, False)]
    while stack:
        inner, inside = stack.pop()
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            (late if inside else run).add(inner.id)
        elif isinstance(inner, ast.Nonlocal):
            late.update(inner.names)
        body: Sequence[ast.AST] = inner.body if isinstance(inner, ast.FunctionDef) else ()
        stack += [(child, inside or child in body) for child in ast.iter_child_nodes(inner)]
    return run, late


def _is_plain(value: Any) -> bool:
    """Whether a variable is an object of Python, and not what only the kernel knows."""
    if isinstance(value, tuple):
        return all(_is_plain(item) for item in value)
    if isinstance(value, type | ArrayType | NoDiffType):
        return True
    return type(value).__module__.partition(".")[0] != __name__.partition(".")[0]
