"""Takes a program's parameters and results, gives the arguments of its kernel and their text.

Vectors and matrices are packed: component k of element i is `v[3*i + k]`. Tuples become one
argument per item. Knows nothing of the statements that compute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..terms.program import Program, Slot
from ..terms.term import Term, var
from ..terms.types import Scalar, Tup, Type, leaf_paths, leaf_types, type_name
from .memory import Scratch
from .names import Names
from .spell import CTYPES

_STORED = {**CTYPES, Scalar.BOOL: "uchar"}  # bool cannot be an argument of a kernel


@dataclass(frozen=True)
class Port:
    """One argument: its names, and for every component a variable and an identifier.

    `pieces` pair the variable of a component with its identifier in the device function.
    """

    name: str
    type: Type
    role: str
    uniform: bool
    symbol: str
    pieces: tuple[tuple[Term, str], ...]

    @property
    def stored(self) -> str:
        """The C type of the components in memory."""
        return _STORED[leaf_types(self.type)[0]]

    @property
    def by_value(self) -> bool:
        """Whether the argument is a number, not a buffer."""
        return self.uniform and isinstance(self.type, Scalar)

    def element(self, component: int, index: str) -> str:
        """The text of one component of element `index`."""
        size = len(self.pieces)
        if self.by_value:
            return self.symbol
        if self.uniform:
            return f"{self.symbol}[{component}]"
        if size == 1:
            return f"{self.symbol}[{index}]"
        return f"{self.symbol}[{size}*{index} + {component}]"


def ports_of(
    program: Program, uniform: frozenset[str], names: Names
) -> tuple[list[Port], list[Port]]:
    """The input and the output arguments, in order, with identifiers that are all different."""
    inputs = [
        _port(name, type_, "in", slot.name in uniform, names.fresh(name), names)
        for slot in program.params
        for name, type_ in arguments_of(slot)
    ]
    given = {port.name for port in inputs}
    outputs = [
        _port(
            name, type_, "out", False, names.fresh(f"out_{name}" if name in given else name), names
        )
        for slot in program.results
        for name, type_ in arguments_of(slot)
    ]
    return inputs, outputs


def arguments_of(slot: Slot) -> Iterator[tuple[str, Type]]:
    """The kernel arguments of a parameter or result, name and type: several for a tuple.

    >>> list(arguments_of(Slot("t", Tup((Scalar.F32, Scalar.I32)))))
    [('t[0]', float32), ('t[1]', int32)]
    """
    stack: list[tuple[str, Type]] = [(slot.name, slot.type)]
    while stack:
        name, type_ = stack.pop()
        if not isinstance(type_, Tup):
            yield name, type_
            continue
        fields = [f".{n}" for n in type_.names] or [f"[{i}]" for i in range(len(type_.items))]
        pairs = zip(fields, type_.items, strict=True)
        stack.extend(reversed([(name + field, item) for field, item in pairs]))


def _port(name: str, type_: Type, role: str, uniform: bool, symbol: str, names: Names) -> Port:
    pieces = []
    for path, leaf in zip(leaf_paths(type_), leaf_types(type_), strict=True):
        # In the device function a scalar keeps the argument's name; components add theirs.
        piece = symbol if not path else names.fresh(symbol + path)
        pieces.append((var(name + path, leaf), piece))
    return Port(name, type_, role, uniform, symbol, tuple(pieces))


def kernel_text(
    name: str,
    function: str,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    scratch: Sequence[Scratch] = (),
) -> list[str]:
    """The kernel: loads the components of one element, calls the function, stores."""
    names = Names()
    for port in (*inputs, *outputs):
        names.fresh(port.symbol)
        for _, piece in port.pieces:
            names.fresh(piece)
    index = names.fresh("i")
    params = [f"    {_parameter(port)}" for port in (*inputs, *outputs)]
    for part in scratch:
        params.append(f"    __global {CTYPES[part.type.elem]} *restrict {names.fresh(part.symbol)}")
    given = [_load(port, k, index) for port in inputs for k in range(len(port.pieces))]
    locals_: list[str] = []
    stores: list[str] = []
    for port in outputs:
        for k, (leaf, piece) in enumerate(port.pieces):
            local = names.fresh(f"{piece}_value")
            locals_.append(f"    {CTYPES[leaf.type]} {local};")
            given.append(f"&{local}")
            stores.append(f"    {port.element(k, index)} = {local};")
    if scratch:
        lane = names.fresh("lane")
        locals_.append(f"    const size_t {lane} = {index} - get_global_offset(0);")
        given += [f"{part.symbol} + {lane}" for part in scratch]
        given.append("get_global_size(0)")
    return [
        f"__kernel void {name}(",
        *[f"{text}," for text in params[:-1]],
        f"{params[-1]})",
        "{",
        f"    const size_t {index} = get_global_id(0);",
        *locals_,
        *wrapped(f"    {function}(", given, ");", "        "),
        *stores,
        "}",
    ]


def wrapped(start: str, items: Sequence[str], end: str, indent: str) -> list[str]:
    """`start`, the items with commas, `end`: over as many lines of 100 characters as needed."""
    lines = [start]
    for position, item in enumerate(items):
        text = item + (end if position == len(items) - 1 else ",")
        space = "" if lines[-1] in (start, indent) else " "
        if len(lines[-1]) + len(space) + len(text) > 100 and lines[-1] != start:
            lines.append(indent)
            space = ""
        lines[-1] += space + text
    return lines


def _load(port: Port, component: int, index: str) -> str:
    text = port.element(component, index)
    leaf, _ = port.pieces[component]
    return f"{text} != 0" if leaf.type is Scalar.BOOL else text


def _parameter(port: Port) -> str:
    if port.by_value:
        return f"const {port.stored} {port.symbol}"
    const = "const " if port.role == "in" else ""
    return f"__global {const}{port.stored} *restrict {port.symbol}"


def header(
    name: str,
    program: Program,
    ports: Sequence[Port],
    scratch: Sequence[Scratch],
    about: Sequence[str],
) -> list[str]:
    """The comment at the top: what this is, and how to launch it."""
    rows = [("argument", "role", "type", "holds")]
    rows += [(p.symbol, p.role, _c_parameter(p), _holds(p)) for p in ports]
    rows += [
        (s.symbol, "scratch", f"{CTYPES[s.type.elem]} *", f"{s.type.size}*n elements, any content")
        for s in scratch
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    table = [
        "   " + "  ".join([*(row[k].ljust(widths[k]) for k in range(3)), row[3]]) for row in rows
    ]
    text = [
        f"{name}: written by egad (E-Graph Automatic Differentiation).",
        *about,
        "",
        f"Computes {_signature(program)}",
        "",
        "Launch one work-item per element: element i is global id i, and the global size is the",
        "number of elements n. There is no bounds check. The arguments, in order:",
        *table,
        "Build with -cl-std=CL1.2. The function below does the work; it can be called from",
        "other code.",
    ]
    lines = ["/* " + text[0], *[f" * {_comment(line)}".rstrip() for line in text[1:]], " */"]
    return lines


def _signature(program: Program) -> str:
    params = ", ".join(f"{p.name}: {type_name(p.type)}" for p in program.params)
    results = ", ".join(f"{r.name}: {type_name(r.type)}" for r in program.results)
    return _comment(f"{program.name}({params}) -> {results}")


def _comment(text: str) -> str:
    """Text that cannot end the comment, in ASCII."""
    plain = text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")
    return plain.encode("ascii", "replace").decode()


def _c_parameter(port: Port) -> str:
    return port.stored if port.by_value else f"{port.stored} *"


def _holds(port: Port) -> str:
    size = len(port.pieces)
    kind = "parameter" if port.role == "in" else "result"
    named = "" if port.symbol == port.name else f"{kind} {port.name}: "
    if port.by_value:
        return f"{named}one number for all elements"
    if port.uniform:
        return f"{named}one {type_name(port.type)} for all elements, {size} numbers"
    if size == 1:
        return f"{named}{port.symbol}[i]"
    return f"{named}{type_name(port.type)}, packed: {port.symbol}[{size}*i + k], k < {size}"
