"""Types of values: scalars, and the composites that are flattened to scalars."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Any


class Scalar(Enum):
    """A scalar type. `REAL` is the placeholder of rule files: any floating-point type."""

    REAL = "real"
    BOOL = "bool"
    I32 = "int32"
    F16 = "float16"
    F32 = "float32"
    F64 = "float64"
    #: Integers without a sign, while a function is read: what is asked to be one, what is known to
    #: be in 0 .. 2**32 - 1, what is known modulo 2**32 only (unsigned.py). Programs compute with
    #: their bits, in I32.
    UINT = "uint"
    WIDE = "unsigned int"
    LOOSE = "int modulo 2**32"
    #: How all these lie in memory: a type of slots only, whose variables are of type I32.
    U32 = "uint32"

    # Members are compared by identity, and the hash of the name costs a Python call.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return self.value

    def __init__(self, name: str) -> None:
        #: Whether values of this type carry derivatives.
        self.is_real = name.startswith(("real", "float"))
        #: Whether these are integers without a sign, of a function that is being read.
        self.is_unsigned = name in ("uint", "unsigned int", "int modulo 2**32")


@dataclass(frozen=True, slots=True)
class Vec:
    """A vector of `size` (2 to 4) scalars."""

    elem: Scalar
    size: int

    def __str__(self) -> str:
        return f"{_PREFIX[self.elem]}{self.size}"


@dataclass(frozen=True, slots=True)
class Mat:
    """A matrix of `rows` by `cols` (each 2 to 4) scalars, stored row by row."""

    elem: Scalar
    rows: int
    cols: int

    def __str__(self) -> str:
        return f"{_PREFIX[self.elem]}{self.rows}x{self.cols}"


@dataclass(frozen=True, slots=True)
class Tup:
    """A tuple of values; `names` is empty for plain tuples (struct-like ones name fields).

    `struct` is the key of the user's class that a struct is an instance of: `module.Name`,
    with `#2`, `#3`, … for further classes of that name. A `union` is one of several structs:
    its first item, the tag, says which of the others. `form` says what else it is in Python:
    a `"list"` of items of different types, a tuple whose items are `"named"`, a `"dict"`, of which
    `keys` are the keys if they are no names.
    """

    items: tuple[Type, ...]
    names: tuple[str, ...] = ()
    struct: str = ""
    union: bool = False
    form: str = ""
    keys: tuple[Hashable, ...] = ()

    @property
    def entries(self) -> tuple[Hashable, ...]:
        """What the items of a dictionary are asked for by."""
        return self.keys or self.names

    def turns_into(self, other: Tup) -> bool:
        """Whether this is a dictionary of numbers with the keys of another one, in any order.

        What else it holds may be in other places, too, which are known by their order.
        """
        numbers = all(isinstance(item, Scalar) for item in self.items)
        return (
            self.form == other.form == "dict"
            and set(self.entries) == set(other.entries)
            and (numbers or self.entries == other.entries)
        )

    def __str__(self) -> str:
        if self.struct:
            return self.struct.rpartition(".")[2].partition("#")[0]
        items = ", ".join(type_name(item) for item in self.items)
        return f"list[{items}]" if self.form == "list" else f"tuple[{items}]"


@dataclass(frozen=True, slots=True)
class Memory:
    """`size` scalars that are one term, read and written at a running index."""

    elem: Scalar
    size: int

    def __str__(self) -> str:
        return f"{_PREFIX[self.elem]}[{self.size}]"

    @property
    def is_real(self) -> bool:
        """Whether the elements carry derivatives."""
        return self.elem.is_real

    @property
    def value(self) -> str:
        """The name of the type."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Arr:
    """An array of `size` values of one type.

    `numpy`: of numbers, or of such arrays, whose operators work element by element.
    """

    item: Type
    size: int
    numpy: bool = False

    def __str__(self) -> str:
        return f"Array[{type_name(self.item)}, {self.size}]"


Type = Scalar | Vec | Mat | Tup | Arr | Memory
#: What one term can be.
ScalarType = Scalar | Memory

_PREFIX = {
    Scalar.REAL: "float",
    Scalar.F32: "float",
    Scalar.F64: "double",
    Scalar.F16: "half",
    Scalar.I32: "int",
    Scalar.BOOL: "bool",
    Scalar.UINT: "uint",
    Scalar.WIDE: "unsigned int",
    Scalar.LOOSE: "int modulo 2**32",
    Scalar.U32: "uint",
}
COMPONENTS = "xyzw"


def of_numbers(type_: Type) -> bool:
    """Whether an array of a type is one of NumPy's: of numbers, or of such arrays."""
    return isinstance(type_, Scalar) or (isinstance(type_, Arr) and type_.numpy)


def type_name(type_: Type) -> str:
    """The name that a user writes for a type: `float`, `double3`, `float2x2`."""
    return _PREFIX[type_] if isinstance(type_, Scalar) else str(type_)


def parse_type(name: str, real: Scalar) -> Type | None:
    """The type called `name`, or None; `float…` means `real`, the precision asked for.

    >>> parse_type("float3", Scalar.F32)
    Vec(elem=float32, size=3)
    """
    for prefix, elem in (
        ("float", real),
        ("double", Scalar.F64),
        ("half", Scalar.F16),
        ("int", Scalar.I32),
        ("uint", Scalar.UINT),
        ("bool", Scalar.BOOL),
    ):
        if not name.startswith(prefix):
            continue
        match name[len(prefix) :]:
            case "":
                return elem
            case "2" | "3" | "4" as size:
                return Vec(elem, int(size))
            case shape if len(shape) == 3 and shape[1] == "x" and {shape[0], shape[2]} <= {*"234"}:
                return Mat(elem, int(shape[0]), int(shape[2]))
    return None


def leaf_types(type_: Type) -> tuple[Any, ...]:
    """The types of a value's components, in order: scalars (and memories inside loops)."""
    if isinstance(type_, Scalar):
        return (Scalar.I32,) if type_ is Scalar.U32 else (type_,)
    if isinstance(type_, Memory):
        return (type_,)
    if isinstance(type_, Vec):
        return leaf_types(type_.elem) * type_.size
    if isinstance(type_, Mat):
        return leaf_types(type_.elem) * (type_.rows * type_.cols)
    if isinstance(type_, Arr):
        return leaf_types(type_.item) * type_.size
    return tuple(leaf for item in type_.items for leaf in leaf_types(item))


def leaf_paths(type_: Type) -> tuple[str, ...]:
    """The access paths of a value's components: `('.x', '.y')`, `('[0][0]', …)`, `('',)`."""
    if isinstance(type_, Scalar | Memory):
        return ("",)
    if isinstance(type_, Vec):
        return tuple(f".{COMPONENTS[i]}" for i in range(type_.size))
    if isinstance(type_, Mat):
        return tuple(f"[{i}][{j}]" for i, j in product(range(type_.rows), range(type_.cols)))
    if isinstance(type_, Arr):
        inner = leaf_paths(type_.item)
        return tuple(f"[{i}]{path}" for i in range(type_.size) for path in inner)
    return tuple(
        name + path
        for name, item in zip(item_paths(type_), type_.items, strict=True)
        for path in leaf_paths(item)
    )


def item_paths(type_: Tup) -> list[str]:
    """The access paths of a tuple's items: `['.x', '.y']` of a struct, else `['[0]', …]`."""
    return [f".{n}" for n in type_.names] or [f"[{i}]" for i in range(len(type_.items))]


def stored_as(type_: Type) -> Scalar:
    """How the components of numbers, vectors, matrices or arrays of them lie in memory."""
    while isinstance(type_, Arr):
        type_ = type_.item
    if isinstance(type_, Vec | Mat | Memory):
        return type_.elem
    assert isinstance(type_, Scalar)
    return type_


def shape_of(type_: Type) -> tuple[int, ...]:
    """The trailing array axes that hold one value; a tuple is one axis of all its components."""
    if isinstance(type_, Vec):
        return (type_.size,)
    if isinstance(type_, Mat):
        return (type_.rows, type_.cols)
    if isinstance(type_, Tup) or (isinstance(type_, Arr) and is_record(type_)):
        return (len(leaf_types(type_)),)
    if isinstance(type_, Arr):
        return (type_.size, *shape_of(type_.item))
    return ()


def is_record(type_: Type) -> bool:
    """Whether values of a type are structs, or arrays of structs: C structs in memory."""
    while isinstance(type_, Arr):
        type_ = type_.item
    return isinstance(type_, Tup)


def is_differentiable(type_: Type) -> bool:
    """Whether any component of a value of this type carries a derivative."""
    return any(leaf.is_real for leaf in leaf_types(type_))


def tags_in(type_: Type) -> list[bool]:
    """For each component of a type whether it says which struct of a union is there."""
    if isinstance(type_, Arr):
        return tags_in(type_.item) * type_.size
    if not isinstance(type_, Tup):
        return [False] * len(leaf_types(type_))
    found = [tag for item in type_.items for tag in tags_in(item)]
    return [True, *found[1:]] if type_.union else found
