"""Takes a program's parameters and results, gives the arguments of its kernel and their text.

Vectors, matrices and arrays are packed: component k of element i is `v[3*i + k]`. Structs are
C structs: `p[i].mass`. Tuples become one argument per item. Knows nothing of the statements
that compute.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...terms.program import Program, Slot
from ...terms.term import Term, var
from ...terms.types import Scalar, Tup, Type, is_record, leaf_paths, leaf_types, type_name
from .layout import c_paths, element_of, opened, struct_types
from .memory import Scratch
from .names import Names
from .spell import CTYPES

# bool cannot be an argument of a kernel
STORED = {**CTYPES, Scalar.BOOL: "uchar", Scalar.U32: "uint"}


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
    stored: str  # the C type of the elements in memory
    array: Term | None = None  # the memory that it is, where it is read in place, and
    single: frozenset[int] = frozenset()  # the components that are handed on beside it

    @property
    def by_value(self) -> bool:
        """Whether the argument is a number, not a buffer."""
        return self.uniform and isinstance(self.type, Scalar)

    def element(self, component: int, index: str) -> str:
        """The text of one component of element `index`."""
        size = len(self.pieces)
        if self.by_value:
            return self.symbol
        if is_record(self.type):
            return self._field(component, index)
        if self.uniform:
            return f"{self.symbol}[{component}]"
        if size == 1:
            return f"{self.symbol}[{index}]"
        return f"{self.symbol}[{size}*{index} + {component}]"

    def _field(self, component: int, index: str) -> str:
        inner, count = element_of(self.type)
        paths = c_paths(inner)
        place, path = component // len(paths), paths[component % len(paths)]
        if count > 1:
            index = f"{count}*{index} + {place}"
        return f"{self.symbol}[{place if self.uniform else index}]{path}"


def ports_of(
    program: Program, uniform: frozenset[str], names: Names
) -> tuple[list[Port], list[Port], dict[Tup, str]]:
    """The input and the output arguments, in order, and the names of their structs in C.

    All identifiers are different.
    """
    inputs = [
        _port(item, "in", slot.name in uniform, names.fresh(item.name), names)
        for slot in program.params
        for item in opened(slot)
    ]
    given = {port.name for port in inputs}
    outputs = [
        _port(item, "out", False, names.fresh(_distinct(item.name, given)), names)
        for slot in program.results
        for item in opened(slot)
    ]
    kinds = struct_types([port.type for port in (*inputs, *outputs)])
    structs = {kind: names.fresh(str(kind)) for kind in kinds}
    stored = [[_stored(port, structs) for port in ports] for ports in (inputs, outputs)]
    return stored[0], stored[1], structs


def _distinct(name: str, given: Collection[str]) -> str:
    return f"out_{name}" if name in given else name


def _stored(port: Port, structs: Mapping[Tup, str]) -> Port:
    kind, _ = element_of(port.type)
    return replace(port, stored=structs[kind] if isinstance(kind, Tup) else STORED[kind])


def _port(slot: Slot, role: str, uniform: bool, symbol: str, names: Names) -> Port:
    pieces = []
    for path, leaf in zip(leaf_paths(slot.type), leaf_types(slot.type), strict=True):
        # In the device function a scalar keeps the argument's name; components add theirs.
        piece = symbol if not path else names.fresh(symbol + path)
        pieces.append((var(slot.name + path, leaf), piece))
    return Port(slot.name, slot.type, role, uniform, symbol, tuple(pieces), "")


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
        for symbol in dict.fromkeys([port.symbol, *(piece for _, piece in port.pieces)]):
            names.fresh(symbol)
    index = names.fresh("i")
    given = [text for port in inputs for _, text in passed(port, index)]
    shared = [names.fresh(part.symbol) for part in scratch]
    buffers = [
        f"{CTYPES[part.type.elem]} *restrict {symbol}"
        for part, symbol in zip(scratch, shared, strict=True)
    ]
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
        given += [f"{symbol} + {lane}" for symbol in shared]
        given.append("get_global_size(0)")
    lines = [*locals_, *wrapped(f"    {function}(", given, ");", "        "), *stores]
    return around(name, [*inputs, *outputs], index, lines, buffers)


def around(
    name: str, ports: Sequence[Port], index: str, lines: Sequence[str], buffers: Sequence[str] = ()
) -> list[str]:
    """The kernel whose body, for the element at `index`, is `lines`."""
    params = [_parameter(port) for port in ports] + [f"__global {text}" for text in buffers]
    return [
        f"__kernel void {name}(",
        *[f"    {text}," for text in params[:-1]],
        f"    {params[-1]})",
        "{",
        f"    const size_t {index} = get_global_id(0);",
        *lines,
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


def passed(port: Port, index: str) -> list[tuple[str, str]]:
    """The parameters of the device function for an argument, and what the kernel hands on."""
    kept = [k for k in range(len(port.pieces)) if port.array is None or k in port.single]
    names = [f"{CTYPES[leaf.type]} {piece}" for leaf, piece in (port.pieces[k] for k in kept)]
    found = [(name, loaded(port, k, index)) for name, k in zip(names, kept, strict=True)]
    if port.array is None:
        return found
    start = port.symbol if port.uniform else f"{port.symbol} + {len(port.pieces)}*{index}"
    return [(f"__global const {port.stored} *{port.symbol}", start), *found]


def loaded(port: Port, component: int, index: str) -> str:
    """The text that reads one component of element `index`."""
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
    if is_record(port.type):
        _, count = element_of(port.type)
        place = "" if port.uniform else "[i]" if count == 1 else f"[{count}*i + k], k < {count}"
        holds = "one for all elements" if port.uniform else f"{port.symbol}{place}"
        return f"{named}{type_name(port.type)}, {holds}"
    if port.uniform:
        return f"{named}one {type_name(port.type)} for all elements, {size} numbers"
    if size == 1:
        return f"{named}{port.symbol}[i]"
    return f"{named}{type_name(port.type)}, packed: {port.symbol}[{size}*i + k], k < {size}"
