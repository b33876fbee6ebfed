"""Takes a program, gives OpenCL C 1.2: a device function over scalars and a kernel around it.

Equal programs give equal text, byte for byte, on every machine. Knows nothing of devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.errors import EmitError, nearest
from ...terms.loop import TABLE, held, scalar_types
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import Term
from ...terms.types import Scalar, Type
from ..schedule.fusing import Fusing
from ..schedule.orders import ORDERS
from ..schedule.rolling import rolled
from ..schedule.schedule import Schedule, schedule
from ..schedule.statement import Written
from .abi import STORED, Port, header, kernel_text, passed, ports_of, wrapped
from .direct import direct_kernel, is_wide
from .given import read_in_place
from .layout import typedef
from .memory import Arrays, Scratch, arrays, item_parameters
from .names import Names
from .parted import body
from .spell import CTYPES, Spelling, literal, unwrapped
from .writer import INDENT, Writer

_EXTENSIONS = ((Scalar.F64, "cl_khr_fp64"), (Scalar.F16, "cl_khr_fp16"))
# Long functions are not inlined unasked, and then every result goes through memory, lane by lane:
# the gradient of a network of 1,000 statements takes 2.4 times as long with Intel's compiler.
_INLINED = "__attribute__((always_inline))"
_MANY_LINES = 250
_FUSING = {"strict": Fusing.NONE, "safe": Fusing.SOUND, "fast": Fusing.ALL}


@dataclass(frozen=True, slots=True)
class KernelArg:
    """One argument of a kernel: a buffer of packed values, or one value for all elements.

    `name` is the user's (`v`, or `r[0]` for an item of a tuple), `symbol` the identifier in
    the text. A uniform scalar is passed by value (bool as uchar), a uniform vector or matrix
    as a buffer that holds it once.
    """

    name: str
    type: Type
    role: str  # "in" | "out"
    uniform: bool
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """OpenCL C text, the name of its kernel and of its device function, the arguments."""

    text: str
    name: str
    function: str
    args: tuple[KernelArg, ...]
    scratch: tuple[Scratch, ...] = ()  # buffers after the arguments, for what loops keep
    written: tuple[Written, ...] = ()  # which line computes what


def emit(
    program: Program,
    rules: RuleSet,
    *,
    name: str,
    math: str = "safe",
    uniform: frozenset[str] = frozenset(),
    about: Sequence[str] = (),
    roll: bool = True,
    order: str = "depth",
) -> Kernel:
    """The kernel that computes `program` for every element of its arguments.

    `name` is the name of the kernel (a reserved word gets an underscore); parameters in
    `uniform` have one value for all elements; `about` are lines for the header comment.
    Functions with definitions have to be expanded before, calls inlined. With `roll`, long
    programs are written as loops where they repeat themselves. In `order` "depth", result comes
    after result; in "breadth", what does not depend on each other stands side by side; in
    "registers", few values are alive.
    """
    _check(program, math, uniform, order)
    program, told = rolled(program, rules) if roll else (program, [])
    names = Names()
    kernel_name = names.fresh(name)
    function = names.fresh(f"{kernel_name.rstrip('_')}_item")
    inputs, outputs, structs = ports_of(program, uniform, names)
    given = read_in_place(program, inputs)
    inputs = given.inputs
    plan = schedule(given.program, rules, fusing=_FUSING[math], order=order)
    plan = plan.standing_for(given.before)
    found = arrays(plan.roots, names, {p.array: p.symbol for p in inputs if p.array is not None})
    writer = _writer(rules, plan, inputs, found, math)
    parts, inner = body(writer, plan, inputs, function)
    inner += _results(writer, plan.roots, outputs)
    params = [text for p in inputs for text, _ in passed(p, "")]
    params += [f"{CTYPES[t.type]} *{s}" for p in outputs for t, s in p.pieces]
    params += item_parameters(found)
    lines = [
        *header(kernel_name, program, [*inputs, *outputs], found.scratch, [*about, *told]),
        *_pragmas(program, plan, math),
        *[line for kind in structs for line in ("", *typedef(kind, structs, STORED))],
        *[line for term, name in found.fixed.items() for line in _table(term, name)],
        "",
        *parts,
        *([_INLINED] if len(inner) > _MANY_LINES else []),
        *wrapped(f"static inline void {function}(", params, ")", "    "),
        "{",
        *inner,
        "}",
        "",
        *(
            direct_kernel(kernel_name, rules, plan, inputs, outputs)
            if is_wide(plan, [*inputs, *outputs])
            else kernel_text(kernel_name, function, inputs, outputs, found.scratch)
        ),
    ]
    args = tuple(
        KernelArg(p.name, p.type, p.role, p.uniform, p.symbol) for p in (*inputs, *outputs)
    )
    text = "\n".join(lines) + "\n"
    scratch = tuple(found.scratch)
    return Kernel(text, kernel_name, function, args, scratch, _placed(text, writer.written))


def _table(term: Term, name: str) -> list[str]:
    """The lines that declare a table, which all work-items read; none for what is given."""
    if term.op != TABLE:
        return []
    numbers = [literal(x, term.type.elem) for x in held(term)]
    head = f"__constant {CTYPES[term.type.elem]} {name}[{len(numbers)}] = {{"
    return ["", *wrapped(head, numbers, "};", "    ")]


def _check(program: Program, math: str, uniform: frozenset[str], order: str) -> None:
    if math not in _FUSING:
        raise EmitError(f"math={math!r} does not exist; use one of {', '.join(_FUSING)}")
    if not isinstance(order, str) or order not in ORDERS:
        close = nearest(order, ORDERS) if isinstance(order, str) else ""
        known = f"use one of {', '.join(ORDERS)}{close}"
        raise EmitError(f"order={order!r} does not exist; {known}")
    unknown = sorted(uniform - {p.name for p in program.params})
    if unknown:
        known = ", ".join(p.name for p in program.params)
        raise EmitError(f"uniform names {unknown[0]!r}, but the parameters are {known}")
    if not program.flat:
        raise EmitError(f"{program.name!r} has no results, so there is nothing to compute")


def _pragmas(program: Program, plan: Schedule, math: str) -> list[str]:
    leaves = [leaf for p in program.params for leaf in p.leaves()]
    used = scalar_types([*leaves, *plan.roots])
    lines = [f"#pragma OPENCL EXTENSION {text} : enable" for t, text in _EXTENSIONS if t in used]
    return lines if math == "fast" else [*lines, "#pragma OPENCL FP_CONTRACT OFF"]


def _writer(
    rules: RuleSet, plan: Schedule, inputs: Sequence[Port], found: Arrays, math: str
) -> Writer:
    named = {term: symbol for port in inputs for term, symbol in port.pieces}
    writer = Writer(Spelling(rules, plan.notes), plan, named, found)
    writer.reorder, writer.fusing = math == "fast", _FUSING[math]
    return writer


def _results(writer: Writer, roots: Sequence[Term], outputs: Sequence[Port]) -> list[str]:
    """The lines that store the results."""
    lines: list[str] = []
    places = [symbol for port in outputs for _, symbol in port.pieces]
    for i, (symbol, root) in enumerate(zip(places, roots, strict=True)):
        text = f"{INDENT}*{symbol} = {unwrapped(writer.operand(root))};"
        lines += [*writer.loads(), text]
        writer.note(text, [root], result=i)
    return lines


def _placed(text: str, written: Sequence[Written]) -> tuple[Written, ...]:
    """Where in the text the lines stand that were written, in this order."""
    lines = text.split("\n")
    found, at = [], 0
    for line in written:
        while not lines[at].strip().startswith(line.text):
            at += 1
        found.append(Written(line.text, line.terms, line.names, line.body, line.result, at))
        at += 1
    return tuple(found)
