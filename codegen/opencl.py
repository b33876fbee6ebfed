"""Takes a program, gives OpenCL C 1.2: a device function over scalars and a kernel around it.

Equal programs give equal text, byte for byte, on every machine. Knows nothing of devices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from ..terms.errors import EmitError, Span
from ..terms.program import Note, Program
from ..terms.rule import RuleSet
from ..terms.term import CONST, VAR, Term
from ..terms.types import Scalar, Type
from .abi import Port, header, kernel_text, ports_of, wrapped
from .names import Names
from .pairs import paired
from .schedule import Schedule, schedule
from .spell import CTYPES, Spelling, constant, unwrapped
from .statement import Assign, Declare, Define, DefinePair, Else, ElseIf, End, If, Statement

_EXTENSIONS = ((Scalar.F64, "cl_khr_fp64"), (Scalar.F16, "cl_khr_fp16"))
_INDENT = "    "
_MATHS = ("strict", "safe", "fast")


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


def emit(
    program: Program,
    rules: RuleSet,
    *,
    name: str,
    math: str = "safe",
    uniform: frozenset[str] = frozenset(),
    about: Sequence[str] = (),
) -> Kernel:
    """The kernel that computes `program` for every element of its arguments.

    `name` is the name of the kernel (a reserved word gets an underscore); parameters in
    `uniform` have one value for all elements; `about` are lines for the header comment.
    Functions with definitions have to be expanded before, calls inlined.
    """
    _check(program, math, uniform)
    plan = schedule(program, rules)
    names = Names()
    kernel_name = names.fresh(name)
    function = names.fresh(f"{kernel_name.rstrip('_')}_item")
    inputs, outputs = ports_of(program, uniform, names)
    body = _body(program, rules, plan, [*inputs, *outputs], names)
    params = [f"{CTYPES[t.type]} {s}" for p in inputs for t, s in p.pieces]
    params += [f"{CTYPES[t.type]} *{s}" for p in outputs for t, s in p.pieces]
    lines = [
        *header(kernel_name, program, [*inputs, *outputs], about),
        *_pragmas(program, plan, math),
        "",
        *wrapped(f"static inline void {function}(", params, ")", "    "),
        "{",
        *body,
        "}",
        "",
        *kernel_text(kernel_name, function, inputs, outputs),
    ]
    args = tuple(
        KernelArg(p.name, p.type, p.role, p.uniform, p.symbol) for p in (*inputs, *outputs)
    )
    return Kernel("\n".join(lines) + "\n", kernel_name, function, args)


def _check(program: Program, math: str, uniform: frozenset[str]) -> None:
    if math not in _MATHS:
        raise EmitError(f"math={math!r} does not exist; use one of {', '.join(_MATHS)}")
    unknown = sorted(uniform - {p.name for p in program.params})
    if unknown:
        known = ", ".join(p.name for p in program.params)
        raise EmitError(f"uniform names {unknown[0]!r}, but the parameters are {known}")
    if not program.flat:
        raise EmitError(f"{program.name!r} has no results, so there is nothing to compute")


def _pragmas(program: Program, plan: Schedule, math: str) -> list[str]:
    leaves = [leaf for p in program.params for leaf in p.leaves()]
    used = {t.type for t in (*leaves, *plan.roots)}
    for statement in plan.statements:
        if isinstance(statement, Define | Declare):
            used.add(statement.term.type)
            used.update([a.type for a in statement.term.args])
    lines = [f"#pragma OPENCL EXTENSION {text} : enable" for t, text in _EXTENSIONS if t in used]
    return lines if math == "fast" else [*lines, "#pragma OPENCL FP_CONTRACT OFF"]


def _body(
    program: Program, rules: RuleSet, plan: Schedule, ports: Sequence[Port], names: Names
) -> list[str]:
    writer = _Writer(rules, plan, ports, names)
    lines = writer.statements(plan.statements)
    stores = [s for p in ports if p.role == "out" for _, s in p.pieces]
    for symbol, root in zip(stores, plan.roots, strict=True):
        lines.append(f"{_INDENT}*{symbol} = {unwrapped(writer.operand(root))};")
    return lines


class _Writer:
    """Writes statements; every term has one name for the whole function."""

    def __init__(self, rules: RuleSet, plan: Schedule, ports: Sequence[Port], names: Names) -> None:
        self.notes: Mapping[Term, Note] = plan.notes
        self.inline = plan.inline
        self.names = names
        self.spelling = Spelling(rules, plan.notes)
        self.named = {t: s for p in ports if p.role == "in" for t, s in p.pieces}
        self.said = ""
        self.levels = 1

    def statements(self, statements: Sequence[Statement]) -> list[str]:
        # Names of the user's source are given before any temporary can take them.
        for statement in statements:
            if isinstance(statement, Define | Declare) and statement.term in self.notes:
                note = self.notes[statement.term]
                if note.name:
                    self.named[statement.term] = self.names.fresh(note.name)
        return [self._line(statement) for statement in paired(statements, self._is_sincos)]

    def _line(self, statement: Statement) -> str:
        match statement:
            case Define(term=term):
                text = f"const {CTYPES[term.type]} {self._name(term)} = {self._value(term)};"
                return self._indented(text) + self._source(term)
            case DefinePair(sine=sine, cosine=cosine):
                declared = self._indented(f"{CTYPES[cosine.type]} {self._name(cosine)};")
                call = f"sincos({unwrapped(self.operand(sine.args[0]))}, &{self._name(cosine)})"
                text = f"const {CTYPES[sine.type]} {self._name(sine)} = {call};"
                return f"{declared}\n{self._indented(text)}{self._source(sine)}"
            case Declare(term=term):
                return self._indented(f"{CTYPES[term.type]} {self._name(term)};")
            case Assign(target=target, value=value, compute=compute):
                text = self._value(value) if compute else unwrapped(self.operand(value))
                return self._indented(f"{self._name(target)} = {text};") + self._source(value)
            case If(condition=condition):
                line = self._indented(f"if ({unwrapped(self.operand(condition))}) {{")
                self.levels += 1
                return line
            case ElseIf(condition=condition):
                text = f"}} else if ({unwrapped(self.operand(condition))}) {{"
                return _INDENT * (self.levels - 1) + text
            case Else():
                return _INDENT * (self.levels - 1) + "} else {"
            case End():
                self.levels -= 1
                return self._indented("}")

    def _is_sincos(self, term: Term) -> bool:
        """Whether a term is OpenCL's own sine or cosine."""
        return self.spelling.operation(term, ["x"] * len(term.args)) == f"{term.op}(x)"

    def _indented(self, text: str) -> str:
        return _INDENT * self.levels + text

    def _value(self, term: Term) -> str:
        operands = [self.operand(a) for a in term.args]
        return unwrapped(self.spelling.operation(term, operands))

    def operand(self, term: Term) -> str:
        """A name, a literal, or the negation of one."""
        if term.op == CONST:
            return constant(term)
        if term in self.inline:
            return self.spelling.operation(term, [self.operand(a) for a in term.args])
        if term.op == VAR and term not in self.named:
            raise EmitError(f"the program uses {term.attr!r}, which is not one of its parameters")
        return self._name(term)

    def _name(self, term: Term) -> str:
        if term not in self.named:
            self.named[term] = self.names.temporary()
        return self.named[term]

    def _source(self, term: Term) -> str:
        """`  // file.py:12` where the source line is another than that of the line before."""
        note = self.notes.get(term)
        if note is None or note.at is None:
            return ""
        place = place_of(note.at)
        if place == self.said:
            return ""
        self.said = place
        return f"  // {place}"


def place_of(at: Span) -> str:
    """`file.py:12`: the base name only, so that the text is the same on every machine."""
    return f"{base_name(at.file)}:{at.line}"


def base_name(file: str) -> str:
    """The last part of a path of any system, fit for a comment."""
    name = PureWindowsPath(PurePosixPath(file).name).name
    return "".join(c if c.isprintable() and c.isascii() and c != "\\" else "?" for c in name)
