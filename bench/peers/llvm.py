"""Takes LLVM's intermediate code of one function, gives the same statements in C.

Straight-line arithmetic with choices, as derivatives of unrolled programs are: no loops. Every
instruction becomes one statement, so that both count and run the same. What it does not know
is a refusal that shows the instruction.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .protocol import Refused

Pointer = tuple[str, int]  # what it points into, and the number of the element

_LINE = re.compile(r"^\s+(?:(%[\w.$-]+|%\"[^\"]+\") = )?(.*)$")
_FLAGS = (
    r"(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|nuw|nsw|inbounds|tail|notail|musttail) )*"
)
_NAME = r"[%\w.$+-]+"
_ARITHMETIC = re.compile(rf"f(add|sub|mul|div|rem) {_FLAGS}(?:float|double) (\S+), (\S+)$")
_NEGATION = re.compile(rf"fneg {_FLAGS}(?:float|double) (\S+)$")
_COMPARISON = re.compile(rf"fcmp {_FLAGS}(\w+) (?:float|double) (\S+), (\S+)$")
_CHOICE = re.compile(
    rf"select {_FLAGS}i1 (\S+), (?:float|double|i1) (\S+), (?:float|double|i1) (\S+)$"
)
_LOGIC = re.compile(r"(and|or|xor) i1 (\S+), (\S+)$")
_CALL = re.compile(rf"{_FLAGS}call {_FLAGS}(?:noundef )?(.+?) @([\w.]+)\((.*)\)(?: #\d+)?$")
_EXTRACT = re.compile(r"extractvalue \{.*?\} (\S+), (\d)$")
_LOAD = re.compile(r"load (ptr|float|double), ptr (\S+)$")
_STORE = re.compile(r"store (?:float|double) (\S+), ptr (\S+)$")
_ADDRESS = re.compile(rf"getelementptr {_FLAGS}(?:nuw )?(\w+|\[.*?\]), ptr (\S+), i64 (-?\d+)$")
_ARRAY = re.compile(r"alloca \[(\d+) x (?:float|double)\]$")

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
# Comparisons that are false (o…) or true (u…) of what is no number, as in C and negated.
# Equality of what is no number (ueq, one) is taken as C has it: nobody's inputs are NaN here.
COMPARED = {
    "oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "ueq": "==", "one": "!=",
}  # fmt: skip
NEGATED = {"une": "==", "ule": ">", "ult": ">=", "uge": "<", "ugt": "<="}
CALLS = {
    "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "tanh": "tanh", "exp": "exp",
    "log": "log", "fabs": "fabs", "atan2": "atan2", "pow": "pow", "erf": "erf", "fma": "fma",
    "fmuladd": "fma", "maxnum": "fmax", "minnum": "fmin", "maximum": "fmax", "minimum": "fmin",
    "fmax": "fmax", "fmin": "fmin", "powi": "pow",
}  # fmt: skip


@dataclass
class _Function:
    """What is known so far of the values of a function."""

    real: str
    names: dict[str, str] = field(default_factory=dict)
    pointers: dict[str, Pointer] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    @property
    def bytes_each(self) -> int:
        return 8 if self.real == "double" else 4

    def value(self, text: str) -> str:
        """A name, or a literal number."""
        text = text.rstrip(",")
        if text.startswith("%"):
            return self.names[text]
        if text in ("true", "false"):
            return "1" if text == "true" else "0"
        if text in ("poison", "undef"):
            return "0"
        number = _number(text)
        return f"({number})" if number.startswith("-") else number

    def define(self, name: str, expression: str, kind: str = "T") -> None:
        self.names[name] = f"v{len(self.names)}"
        self.lines.append(f"const {kind} {self.names[name]} = {expression};")


def in_c(text: str, real: str) -> str:
    """The statements of `entry(outs, ins)`, which reads `in_k` and assigns `out_k`."""
    function = _Function(real)
    body = re.findall(r"^define [^\n]*@entry\([^\n]*\{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    for line in body[0].splitlines():
        line = re.sub(r"(, align \d+)|(, !\S+ !\d+)|( ?#\d+$)", "", line.split(" ;")[0]).rstrip()
        if not line or line.endswith(":") or line.strip() == "ret void":
            continue
        target, instruction = _LINE.findall(line)[0]
        if not any(rule(function, target, instruction) for rule in RULES):
            raise Refused(
                f"its code has {instruction[:60]!r}, which is not straight-line arithmetic"
            )
    return "\n".join(function.lines)


def operations(body: str) -> Mapping[str, int]:
    """The operators of statements that `in_c` wrote, each one counted where it stands."""
    found: Counter[str] = Counter()
    for line in body.splitlines():
        expression = line.partition(" = ")[2]
        for name in re.findall(r"\b([a-z]\w*)\(", expression):
            found[{"fmax": "max", "fmin": "min", "fabs": "abs"}.get(name, name)] += 1
        found["select"] += expression.count("?")
        for name, sign in SIGNS.items():
            found[name] += expression.count(f" {sign} ")
    return found


def _number(text: str) -> str:
    prefix, hexadecimal, bits = text.partition("0x")
    if hexadecimal and prefix == "f" and len(bits) <= 8:  # the bits of a float
        return repr(struct.unpack(">f", bytes.fromhex(bits.rjust(8, "0")))[0])
    if hexadecimal:  # those of a double, also of a float's value
        return repr(struct.unpack(">d", bytes.fromhex(bits.rjust(16, "0")))[0])
    return repr(float(text))


def _arithmetic(f: _Function, target: str, text: str) -> bool:
    if match := _ARITHMETIC.match(text):
        f.define(target, f"{f.value(match[2])} {SIGNS[match[1]]} {f.value(match[3])}")
    elif match := _NEGATION.match(text):
        f.define(target, f"-{f.value(match[1])}")
    return bool(match)


def _choices(f: _Function, target: str, text: str) -> bool:
    if match := _COMPARISON.match(text):
        a, b = f.value(match[2]), f.value(match[3])
        if match[1] in COMPARED:
            f.define(target, f"{a} {COMPARED[match[1]]} {b}", "B")
        elif match[1] in NEGATED:
            f.define(target, f"!({a} {NEGATED[match[1]]} {b})", "B")
        else:
            return False
    elif match := _CHOICE.match(text):
        kind = "B" if "i1" in text.split(", ", 1)[1] else "T"
        f.define(
            target,
            " ? ".join((f.value(match[1]), " : ".join(map(f.value, match.group(2, 3))))),
            kind,
        )
    elif match := _LOGIC.match(text):
        if match[1] == "xor":
            f.define(target, f"!{f.value(match[2])}", "B")
        else:
            f.define(
                target,
                f"{f.value(match[2])} {'&&' if match[1] == 'and' else '||'} {f.value(match[3])}",
                "B",
            )
    return bool(match)


def _calls(f: _Function, target: str, text: str) -> bool:
    match = _CALL.match(text)
    if not match:
        match = _EXTRACT.match(text)
        if match:
            f.names[target] = f.pairs[match[1].rstrip(",")][int(match[2])]
        return bool(match)
    name = match[2].removeprefix("llvm.").split(".")[0]
    name = name if name in CALLS or not name.endswith("f") else name[:-1]
    if name in ("lifetime", "assume", "experimental"):
        return True
    if name == "memset":
        pointer, byte, size, _ = (part.split()[-1] for part in match[3].split(", "))
        base, element = f.pointers[pointer]
        count = int(size) // f.bytes_each
        f.lines += [f"{base}{element + k} = {byte};" for k in range(count)]
        return byte == "0"
    operands = [f.value(part.split()[-1]) for part in match[3].split(", ")]
    if name == "sincos":
        sine, cosine = f"s{len(f.lines)}", f"c{len(f.lines)}"
        f.lines.append(f"T {cosine}; const T {sine} = sincos({operands[0]}, &{cosine});")
        f.pairs[target] = (sine, cosine)
    elif name in CALLS:
        f.define(target, f"{CALLS[name]}({', '.join(operands)})")
    return name in CALLS or name == "sincos"


def _memory(f: _Function, target: str, text: str) -> bool:
    if match := _LOAD.match(text):
        if match[1] == "ptr":  # the tensors: outs[0] and ins[0]
            f.pointers[target] = ({"%outs": "out_", "%ins": "in_"}[match[2]], 0)
        else:
            base, element = f.pointers[match[2]]
            f.names[target] = f"{base}{element}"
            if base != "in_":  # may be written again: keep what it is now
                f.define(target, f"{base}{element}")
    elif match := _STORE.match(text):
        base, element = f.pointers[match[2]]
        f.lines.append(f"{base}{element} = {f.value(match[1])};")
    elif match := _ADDRESS.match(text):
        base, element = f.pointers[match[2].rstrip(",")]
        size = {"i8": 1, "float": 4, "double": 8}[match[1]]
        f.pointers[target] = (base, element + int(match[3]) * size // f.bytes_each)
    elif match := _ARRAY.match(text):
        base = f"m{len(f.pointers)}_"
        f.lines.append("T " + ", ".join(f"{base}{k}" for k in range(int(match[1]))) + ";")
        f.pointers[target] = (base, 0)
    return bool(match)


RULES: tuple[Callable[[_Function, str, str], bool], ...] = (_arithmetic, _choices, _calls, _memory)
