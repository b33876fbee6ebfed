"""Structs and arrays as Python objects: `@struct` classes, `Array[T, N]`.

Takes classes and annotations, gives dataclasses that start at zero and a key for each of them;
knows nothing of how they are read.
"""

from __future__ import annotations

import copy as _copy
import dataclasses
import inspect
import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import Annotated, Any, ForwardRef, TypeVar, dataclass_transform, get_args, get_origin

from ..terms.errors import Span, TraceError, called, running_at, shown
from .inferred import ANYTHING, inferred_fields, lists_no_fields
from .marks import NoDiffType, is_non_differentiable

V = TypeVar("V")
LONGEST = 2**24  # elements of an array: what is longer is no list of a kernel


@dataclass(frozen=True, slots=True)
class ArrayType:
    """The annotation `Array[item, size]`; called, it gives a list of that length."""

    item: Any
    size: Any

    def __call__(self, values: Sequence[Any] | None = None) -> list[Any]:
        """The list of `values`; without them, of zeros."""
        if values is None:
            return [zero(self.item) for _ in range(self.size)]
        items = list(values)
        if len(items) != self.size:
            raise TypeError(f"{self!r} holds {self.size} values, not {len(items)}")
        return items

    def __repr__(self) -> str:
        return f"Array[{getattr(self.item, '__name__', self.item)}, {self.size}]"


class Array:
    """`Array[float, 16]`: an array of fixed length; of numbers, it computes as NumPy's do.

    `Array[float, 2, 3]` has two rows of three numbers. Called, it gives a list of Python.

    >>> Array[float, 3]()
    [0.0, 0.0, 0.0]
    """

    def __class_getitem__(cls, params: Any) -> Any:
        where = sys._getframe(1)
        if not isinstance(params, tuple) or len(params) < 2:
            hint = "write Array[float, 16]"
            raise TraceError("Array takes a type and a length", running_at(where), hint)
        found, *sizes = params
        for size in reversed(sizes):
            size = int(size) if hasattr(size, "__index__") and not isinstance(size, bool) else size
            if isinstance(size, int | float) and not (type(size) is int and 0 < size <= LONGEST):
                message = f"an array has 1 to {LONGEST} elements, not {shown(size)}"
                raise TraceError(message, running_at(where))
            found = ArrayType(found, size)
        return found


class Buffer:
    """`Buffer[T]`: an array as long as the argument, as `list[T]`.

    >>> Buffer[float]
    list[float]
    """

    def __class_getitem__(cls, item: Any) -> Any:
        return list[item]


# --- the decorator --------------------------------------------------------------------------

_KEY = "__egad_struct__"
_classes: weakref.WeakValueDictionary[str, type] = weakref.WeakValueDictionary()


@dataclass_transform()
def struct(cls: Any = None, /, **options: Any) -> Any:
    """Decorator: a dataclass whose fields start at zero; egad reads it as a struct.

    Fields are numbers, vectors, matrices, `Array[T, N]`, other structs, or `no_diff[T]` of
    them. Options are those of `dataclasses.dataclass`.

    >>> @struct
    ... class Ray:
    ...     origin: float
    ...     speed: float = 1.0
    >>> Ray()
    Ray(origin=0.0, speed=1.0)
    """
    # Annotations may name classes of the function around this one.
    scope = dict(sys._getframe(1).f_locals)
    if cls is None:
        return lambda inner: _decorated(inner, scope, options)
    return _decorated(cls, scope, options)


def _decorated(cls: type, scope: dict[str, Any], options: dict[str, Any]) -> type:
    if not isinstance(cls, type):
        message = f"struct decorates a class, not {called(cls)}"
        raise TraceError(message, running_at(sys._getframe(2)), "write it above class P: …")
    for name, hint in inspect.get_annotations(cls).items():
        given = cls.__dict__.get(name, dataclasses.MISSING)
        if not (isinstance(given, dataclasses.Field) or _is_no_field(hint)):
            factory = _Zero(cls, name, scope) if given is dataclasses.MISSING else _Copied(given)
            setattr(cls, name, dataclasses.field(default_factory=factory))
    made: type = dataclasses.dataclass(**options)(cls)
    for name in inspect.get_annotations(made):
        if isinstance(made.__dict__.get(name), dataclasses.Field):
            delattr(made, name)
    register(made, scope)
    return made


def _is_no_field(hint: Any) -> bool:
    """Whether an annotation, as an object or as text, says ClassVar, InitVar or KW_ONLY."""
    said = str(hint).partition("[")[0]
    return hint is dataclasses.KW_ONLY or said.endswith(("ClassVar", "InitVar", "KW_ONLY"))


class _Zero:
    """Makes the zero of a field; its annotation is looked up when it is first needed."""

    def __init__(self, owner: type, name: str, scope: dict[str, Any]) -> None:
        self.owner, self.name, self.scope = owner, name, scope

    def __call__(self) -> Any:
        return zero(_resolved(self.owner, self.name, self.owner.__annotations__[self.name]))


class _Copied:
    """Makes a copy of a field's default, which may be a vector or a list."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return copy(self.value)


def register(cls: type, scope: Mapping[str, Any]) -> None:
    """Make a class a struct class; its annotations may name what is in `scope`."""
    key, count = f"{cls.__module__}.{cls.__qualname__}", 1
    first = key
    while key in _classes:
        count += 1
        key = f"{first}#{count}"
    _classes[key] = cls
    setattr(cls, _KEY, (cls, key, scope))
    for value in vars(cls).values():
        held = [getattr(value, name, None) for name in ("__func__", "fget", "fset")]
        functions = [f for f in (value, *held) if hasattr(f, "__code__")]
        _owners.update(dict.fromkeys(functions, cls))


_owners: weakref.WeakKeyDictionary[Any, type] = weakref.WeakKeyDictionary()


def owner_of(function: Any) -> type | None:
    """The struct class whose body defines a function."""
    try:
        found = _owners.get(function)
    except TypeError:
        return None
    if found is None and "." in getattr(function, "__qualname__", ""):
        # A dataclass or a NamedTuple becomes a struct when it is first asked for.
        around = getattr(function, "__globals__", {}).get(function.__qualname__.partition(".")[0])
        return _owners.get(function) if adopted(around) else None
    return found


def class_of_self(function: Any) -> type | None:
    """The class of the first parameter of a method: a struct class, or another one of the module.

    None for functions that are no methods, and for static ones.
    """
    path = getattr(function, "__qualname__", "").split(".")[:-1]
    found: Any = owner_of(function)
    if found is None and path and "<locals>" not in path:
        found = getattr(function, "__globals__", {}).get(path[0])
        for name in path[1:]:
            found = inspect.getattr_static(found, name, None)
    held = inspect.getattr_static(found, function.__name__, None) if path else None
    if not isinstance(found, type) or isinstance(held, staticmethod):
        return None
    return found if owner_of(function) is not None or held is function else None


def is_struct(obj: Any) -> bool:
    """Whether an object is a struct class itself: `@struct`, `@dataclass`, a `NamedTuple`.

    So is a class that is made from a dataclass and adds methods to it.
    """
    if not isinstance(obj, type):
        return False
    if vars(obj).get(_KEY, (None,))[0] is obj:
        return True
    if _is_own(obj) or not (_is_of_dataclass(obj) or _has_named_items(obj)):
        return False
    register(obj, {})
    for base in obj.__mro__[1:]:
        is_struct(base)  # its methods may ask for super()
    return True


def adopted(obj: Any) -> bool:
    """Whether an object is a struct class, or one of the user's that can be: from now on it is."""
    if is_struct(obj):
        return True
    if not isinstance(obj, type) or _is_own(obj) or not lists_no_fields(obj):
        return False
    for cls in obj.__mro__:
        if lists_no_fields(cls) and not is_struct(cls):
            register(cls, {})
    return True


def is_inferred(cls: type) -> bool:
    """Whether a struct class lists no fields: they are what its methods assign."""
    return not (hasattr(cls, "__dataclass_fields__") or is_named_tuple(cls))


def _is_of_dataclass(cls: type) -> bool:
    """Whether a class is a dataclass of the user, or made from one; members of enums are none."""
    base = next((c for c in cls.__mro__ if "__dataclass_fields__" in vars(c)), None)
    return base is not None and not (_is_own(base) or issubclass(cls, Enum))


def _is_own(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def is_named_tuple(cls: type) -> bool:
    """Whether a struct class is a `NamedTuple`: its instances are tuples, too."""
    return issubclass(cls, tuple)


def _has_named_items(cls: type) -> bool:
    return issubclass(cls, tuple) and bool(vars(cls).get("_fields", ()))


def is_frozen(cls: type) -> bool:
    """Whether no field of a struct can be assigned to."""
    said = getattr(cls, "__dataclass_params__", None)
    return is_named_tuple(cls) or (said is not None and bool(said.frozen))


def made_of(cls: type, values: Mapping[str, Any]) -> Any:
    """The instance of a struct class with these fields, and nothing else done."""
    if (make := cls if is_named_tuple(cls) else vars(cls).get("as_python")) is not None:
        return make(**values)  # of a class that stands for one of Python's, that one's
    made: Any = object.__new__(cls)
    for field, value in values.items():
        object.__setattr__(made, field, value)  # of a frozen dataclass too
    return made


MISSING: Any = dataclasses.MISSING  # there is no default


def default_of(cls: type, name: str) -> Any:
    """A new default of a field; MISSING where a value has to be given."""
    if is_named_tuple(cls):
        return getattr(cls, "_field_defaults").get(name, MISSING)  # noqa: B009
    if is_inferred(cls):
        return MISSING
    field = getattr(cls, "__dataclass_fields__")[name]  # noqa: B009
    made = field.default_factory is not MISSING
    return field.default_factory() if made else field.default


def key_of(cls: type) -> str:
    """The key of a struct class, which types carry."""
    key: str = vars(cls)[_KEY][1]
    return key


def class_of(key: str) -> type | None:
    """The struct class of a key; None where it no longer exists."""
    found = _classes.get(key)
    if found is not None:
        return found
    module, _, name = key.partition("#")[0].rpartition(".")
    try:
        found = getattr(import_module(module), name, None) if module else None
    except ImportError:
        return None
    return found if is_struct(found) and key_of(found) == key else None  # type: ignore[arg-type]


def fields_of(cls: type) -> Iterator[tuple[str, Any]]:
    """The fields of a struct class with their annotations, as Python objects.

    Those of a class that is marked `@non_differentiable` are all `no_diff[…]`.
    """
    for name, said in _said(cls):
        owner = next((c for c in cls.__mro__ if name in inspect.get_annotations(c)), cls)
        hint = _resolved(owner, name, said)
        stops = is_non_differentiable(cls) and not isinstance(hint, NoDiffType)
        yield name, NoDiffType(hint) if stops else hint


def _said(cls: Any) -> Iterator[tuple[str, Any]]:
    if is_named_tuple(cls):
        typed = inspect.get_annotations(cls)
        yield from ((name, typed.get(name, ANYTHING)) for name in cls._fields)
    elif is_inferred(cls):
        yield from inferred_fields(cls).items()
    else:
        yield from ((field.name, field.type) for field in dataclasses.fields(cls))


def _resolved(owner: type, name: str, hint: Any) -> Any:
    """An annotation as an object; those written as text are looked up where they stand."""
    if isinstance(hint, ForwardRef):  # as `NamedTuple` keeps a text
        hint = hint.__forward_arg__
    if not isinstance(hint, str):
        return hint
    from . import marks

    scope = vars(owner).get(_KEY, (None, "", {}))[2]
    module = vars(sys.modules.get(owner.__module__, sys))
    own = {"Array": Array, "no_diff": marks.no_diff, owner.__name__: owner}
    inside = {name: value for name, value in vars(owner).items() if isinstance(value, type)}
    try:
        return eval(hint, {**own, **module}, {**scope, **inside})
    except Exception as error:
        raise TraceError(
            f"field {name!r} of {owner.__name__}: the annotation {hint!r} is not a type ({error})",
            class_at(owner),
        ) from None


def class_at(cls: type) -> Span | None:
    """Where a class is defined; None where its source is not available."""
    try:
        lines, index = inspect.findsource(cls)
    except (OSError, TypeError):
        return None
    text = lines[index].rstrip("\n")
    indent = len(text) - len(text.lstrip())
    return Span(inspect.getsourcefile(cls) or "", index + 1, indent + 1, len(text) + 1, text)


# --- values ---------------------------------------------------------------------------------


def zero(hint: Any) -> Any:
    """The zero of a type: `0.0`, a vector, a struct or a list of zeros."""
    if isinstance(hint, NoDiffType) or get_origin(hint) is Annotated:
        return zero(hint.type if isinstance(hint, NoDiffType) else get_args(hint)[0])
    if isinstance(hint, ArrayType) or hint in (float, int, bool):
        return hint()
    if get_origin(hint) is tuple:
        return tuple(zero(part) for part in get_args(hint))
    if hint is list or get_origin(hint) is list:
        return []
    if isinstance(get_origin(hint), type):
        return get_origin(hint)()
    if isinstance(getattr(hint, "__egad_name__", None), str):
        return hint(0)
    if is_struct(hint):
        starts = {name: default_of(hint, name) for name, _ in fields_of(hint)}
        if MISSING in starts.values() or not _needs_nothing(hint):
            kinds = dict(fields_of(hint))
            starts = {n: zero(kinds[n]) if v is MISSING else v for n, v in starts.items()}
            return made_of(hint, starts)
    if isinstance(hint, type):
        return hint()
    return 0.0


def _needs_nothing(cls: type) -> bool:
    """Whether a class can be called without arguments."""
    try:
        inspect.signature(cls).bind()
    except TypeError:
        return False
    return True


def copy(value: V) -> V:
    """A value of its own: a struct, list or vector with everything in it copied.

    >>> a = [1.0, [2.0]]; b = copy(a); b[1][0] = 5.0; a
    [1.0, [2.0]]
    """
    return _copy.deepcopy(value)
