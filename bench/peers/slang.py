"""Slang, by the compiler inside the package slangpy: reverse mode, C++ as its target.

What it writes for the CPU is plain C but for names of structs and of functions of mathematics.
The compiler's C interface is called as the command `slangc -target cpp -O3 -whole-program` does.
"""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import re
from functools import cache
from pathlib import Path
from typing import Any

from ..workloads import Workload
from .protocol import Emitted, Refused
from .trace import name_of, statements, traced

ARGUMENTS = ("-target", "cpp", "-O3", "-whole-program", "-line-directive-mode", "none")
_FUNCTION = re.compile(r"\bF(?:32|64)_(\w+)")
_STRUCT = re.compile(r"^struct (\w+)\n", re.MULTILINE)
_SPELLED = {"max": "fmax", "min": "fmin", "abs": "fabs"}
_PRELUDE_ENDS = "#ifdef SLANG_PRELUDE_NAMESPACE\nusing namespace SLANG_PRELUDE_NAMESPACE;\n#endif\n"
_INLINE = "static inline __attribute__((always_inline)) "
_SUCCESS = 0


def load() -> None:
    _compiler()


def emit(workload: Workload, dtype: str) -> Emitted:
    real, suffix = {"float32": ("float", "f"), "float64": ("double", "lf")}[dtype]
    code = _compiled(_source(workload, real, suffix)).rpartition(_PRELUDE_ENDS)[2]
    code = re.sub(r"\b(float|double)\b", "T", _FUNCTION.sub(_spelled, code))
    code = re.sub(r"\bbool\b", "B", code.replace("SLANG_PRELUDE_EXPORT\n", "static "))
    code = re.sub(r"^static ", _INLINE, code, flags=re.MULTILINE)
    structs = "".join(f"typedef struct {n} {n};\n" for n in _STRUCT.findall(code))
    given = ", ".join(f"in_{k}" for k in range(workload.n_in))
    results = ", ".join(f"&out_{k}" for k in range(workload.n_results))
    return Emitted(f"derivative({given}, {results});", structs + code)


def _spelled(match: re.Match[str]) -> str:
    return _SPELLED.get(match[1], match[1])


def _source(workload: Workload, real: str, suffix: str) -> str:
    """One differentiable function per scalar, and a function that calls their derivatives."""
    graph, given, found = traced(workload)
    if workload.kind == "vjp":
        total = graph.number(0.0)
        for weight, out in zip(given[workload.n_p + workload.n_c :], found, strict=True):
            total = total + weight * out
        found = [total]
    p = [f"in_{k}" for k in range(workload.n_p)]
    rest = [f"in_{k}" for k in range(workload.n_p, workload.n_in)]
    params = ", ".join([f"{real} {x}" for x in p] + [f"no_diff {real} {x}" for x in rest])
    lines = []
    for k, out in enumerate(found):
        lines += ["[Differentiable]", f"{real} primal_{k}({params})", "{"]
        for n, text in statements(graph, [out], lambda value: f"{value!r}{suffix}"):
            text = re.sub(r"\bf(min|max)\(", r"\1(", text)
            lines.append(f"    {real} t{n} = {text};")
        lines += [f"    return {name_of(out)};", "}"]
    results = ", ".join(f"out {real} out_{k}" for k in range(workload.n_results))
    arguments = ", ".join(f"{real} {x}" for x in (*p, *rest))
    body = _gradients(workload, len(found), p, rest, suffix)
    if workload.kind == "gradhess":
        lines += _entries_of_gradient(workload, real, params, p, rest, suffix)
        body += _hessian(workload, p, rest, suffix)
    lines += [f"public __extern_cpp export void derivative({arguments}, {results})", "{"]
    return "\n".join([*lines, *body, "}"])


def _gradients(
    workload: Workload, count: int, p: list[str], rest: list[str], suffix: str
) -> list[str]:
    lines = []
    for k in range(count):
        pairs = [f"d{k}_{j}" for j in range(len(p))]
        lines += [
            f"    var {d} = diffPair({x}, 0.0{suffix});" for d, x in zip(pairs, p, strict=True)
        ]
        lines.append(f"    bwd_diff(primal_{k})({', '.join([*pairs, *rest, f'1.0{suffix}'])});")
        lines += [f"    out_{k * len(p) + j} = {d}.d;" for j, d in enumerate(pairs)]
    return lines


def _entries_of_gradient(
    workload: Workload, real: str, params: str, p: list[str], rest: list[str], suffix: str
) -> list[str]:
    """One differentiable function per entry of the gradient, in forward mode.

    The compiler does not differentiate what reverse mode gave: it crashes.
    """
    lines = []
    for k in range(len(p)):
        pairs = _direction(p, k, suffix)
        lines += ["[Differentiable]", f"{real} entry_{k}({params})", "{"]
        lines += [f"    return fwd_diff(primal_0)({', '.join([*pairs, *rest])}).d;", "}"]
    return lines


def _hessian(workload: Workload, p: list[str], rest: list[str], suffix: str) -> list[str]:
    """Reverse mode over each entry of the gradient; the upper triangle."""
    lines, at = [], itertools.count(len(p))
    for i in range(len(p)):
        pairs = [f"h{i}_{j}" for j in range(len(p))]
        lines += [
            f"    var {h} = diffPair({x}, 0.0{suffix});" for h, x in zip(pairs, p, strict=True)
        ]
        lines.append(f"    bwd_diff(entry_{i})({', '.join([*pairs, *rest, f'1.0{suffix}'])});")
        lines += [f"    out_{next(at)} = {pairs[j]}.d;" for j in range(i, len(p))]
    return lines


def _direction(p: list[str], k: int, suffix: str) -> list[str]:
    return [f"diffPair({x}, {float(j == k)}{suffix})" for j, x in enumerate(p)]


# ---------------------------------------------------------------- the compiler


def _compiled(source: str) -> str:
    """The text that the compiler writes for a module."""
    library, session = _compiler()
    request = library.spCreateCompileRequest(session)
    try:
        arguments = (ctypes.c_char_p * len(ARGUMENTS))(*(a.encode() for a in ARGUMENTS))
        library.spProcessCommandLineArguments(request, arguments, len(ARGUMENTS))
        unit = library.spAddTranslationUnit(request, 1, b"m")
        library.spAddTranslationUnitSourceString(request, unit, b"m.slang", source.encode())
        if library.spCompile(request) != _SUCCESS:
            errors = library.spGetDiagnosticOutput(request).decode().strip().splitlines()
            raise Refused(errors[0] if errors else "the compiler fails without a word")
        blob = ctypes.c_void_p()
        if library.spGetTargetCodeBlob(request, 0, ctypes.byref(blob)) != _SUCCESS:
            raise Refused("the compiler gives no code")
        return _text_of(blob)
    finally:
        library.spDestroyCompileRequest(request)


@cache
def _compiler() -> tuple[Any, ctypes.c_void_p]:
    """The library inside the package, and a session of it."""
    found = importlib.util.find_spec("slangpy")
    places = (found.submodule_search_locations if found else None) or ()
    files = [file for place in places for file in Path(place).glob("libslang-compiler.so*")]
    if not files:
        raise Refused("not installed (slangpy)")
    library = ctypes.CDLL(str(files[0]))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    library.spCreateSession.restype = pointer
    library.spCreateCompileRequest.restype = pointer
    library.spCreateCompileRequest.argtypes = [pointer]
    library.spDestroyCompileRequest.argtypes = [pointer]
    library.spProcessCommandLineArguments.argtypes = [pointer, ctypes.POINTER(text), ctypes.c_int]
    library.spAddTranslationUnit.argtypes = [pointer, ctypes.c_int, text]
    library.spAddTranslationUnitSourceString.argtypes = [pointer, ctypes.c_int, text, text]
    library.spCompile.argtypes = [pointer]
    library.spGetDiagnosticOutput.argtypes = [pointer]
    library.spGetDiagnosticOutput.restype = text
    library.spGetTargetCodeBlob.argtypes = [pointer, ctypes.c_int, ctypes.POINTER(pointer)]
    return library, pointer(library.spCreateSession(None))


class _Object(ctypes.Structure):
    """A COM object: a pointer to its methods; the blob's are after the three of IUnknown."""

    _fields_ = [("methods", ctypes.POINTER(ctypes.c_void_p * 5))]


def _text_of(blob: ctypes.c_void_p) -> str:
    methods = ctypes.cast(blob, ctypes.POINTER(_Object)).contents.methods.contents
    release = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(methods[2])
    pointer = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(methods[3])
    size = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)(methods[4])
    try:
        return ctypes.string_at(pointer(blob), size(blob)).decode().rstrip("\0")
    finally:
        release(blob)
