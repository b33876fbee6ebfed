"""Enzyme, the compiler plugin, through the C++ front end of the Enzyme-JAX wheel.

The function goes in as C++ statements; Enzyme differentiates LLVM's intermediate code between
two rounds of optimization; what comes out, without vector instructions, is spelled in C
(llvm.py). Of `-O3` and `-O3 -ffast-math`, the one with the cheaper code counts.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from pathlib import Path

from ..costs import WEIGHTS
from ..workloads import Workload
from .llvm import in_c, operations
from .protocol import Emitted
from .trace import name_of, statements, traced

SETTINGS = (("-O3",), ("-O3", "-ffast-math"))
NO_VECTORS = "-no-implicit-float"
FUNCTIONS = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "erf")
_IN = re.compile(r"\bin_(\d+)\b")


def load() -> None:
    import enzyme_ad.jax  # noqa: F401


def emit(workload: Workload, dtype: str) -> Emitted:
    real = {"float32": "float", "float64": "double"}[dtype]
    source = _source(workload, real)
    found = [in_c(_compiled(source, workload, real, flags), real) for flags in SETTINGS]
    return Emitted(min(found, key=_cost))


def _cost(body: str) -> float:
    return sum(WEIGHTS[name] * count for name, count in operations(body).items())


def _compiled(source: str, workload: Workload, real: str, flags: tuple[str, ...]) -> str:
    from enzyme_ad.jax import enzyme_call, primitives

    argv = (*flags, NO_VECTORS, "-resource-dir", primitives.resource_dir())
    shapes = [[(real, [count])] for count in (workload.n_results, workload.n_in)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "out.ll"
        enzyme_call.compile_to_llvm(
            str(file), source, "derivative", *shapes, (*argv, *primitives.cflags()),
            primitives.LANG_CPP, False, "",
        )  # fmt: skip
        return file.read_text()


def _source(workload: Workload, real: str) -> str:
    """C++: the function's outputs one by one, and what calls Enzyme for the derivatives."""
    n_p, n_rest = workload.n_p, workload.n_in - workload.n_p
    suffix = "f" if real == "float" else ""
    lines = [f'extern "C" {real} {name}{suffix}({real});' for name in FUNCTIONS] + [
        f'extern "C" {real} atan2{suffix}({real}, {real});'
    ]
    lines += ["extern int enzyme_dup, enzyme_const;"]
    lines += [f"template<typename... A> {real} __enzyme_{m}(void *, A...);" for m in MODES]
    lines += _primals(workload, real, suffix)
    arguments = f"const {real} *p, const {real} *c"
    lines += _gradients(workload, real, arguments)
    lines += [
        f"void derivative(enzyme::tensor<{real}, {workload.n_results}> &out, "
        f"const enzyme::tensor<{real}, {workload.n_in}> &in)",
        "{",
        f"    {real} p[{n_p}], c[{n_rest + 1}];",
        *(f"    p[{k}] = in[{k}];" for k in range(n_p)),
        *(f"    c[{k}] = in[{n_p + k}];" for k in range(n_rest)),
        *_calls(workload, real),
        "}",
    ]
    return "\n".join(lines)


MODES = ("autodiff", "fwddiff")


def _primals(workload: Workload, real: str, suffix: str) -> list[str]:
    """`primal_k(p, c)` for each scalar that is differentiated."""
    graph, given, found = traced(workload)
    if workload.kind == "vjp":
        weights = given[workload.n_p + workload.n_c :]
        total = graph.number(0.0)
        for weight, out in zip(weights, found, strict=True):
            total = total + weight * out
        found = [total]
    lines = []
    for k, out in enumerate(found):
        body = [
            f"    const {real} t{n} = {text};"
            for n, text in statements(graph, [out], lambda value: f"{value!r}{suffix}")
        ]
        body.append(f"    return {name_of(out)};")
        text = _spelled("\n".join(body), workload.n_p, suffix)
        lines += [
            f"static {real} primal_{k}(const {real} *__restrict p, const {real} *__restrict c)",
            "{", text, "}",
        ]  # fmt: skip
    return lines


def _spelled(text: str, n_p: int, suffix: str) -> str:
    text = _IN.sub(lambda m: f"p[{m[1]}]" if int(m[1]) < n_p else f"c[{int(m[1]) - n_p}]", text)
    text = re.sub(r"\bf(min|max)\(([^,()]+), ([^,()]+)\)", _chosen, text)
    return re.sub(rf"\b({'|'.join(FUNCTIONS)}|atan2)\(", rf"\1{suffix}(", text)


def _chosen(match: re.Match[str]) -> str:
    sign = "<" if match[1] == "min" else ">"
    return f"({match[2]} {sign} {match[3]} ? {match[2]} : {match[3]})"


def _gradients(workload: Workload, real: str, arguments: str) -> list[str]:
    """`gradient_k(p, c, g)` by reverse mode."""
    lines = []
    for k in range(1 if workload.kind == "vjp" else workload.n_out):
        lines += [
            f"static void gradient_{k}({real} *__restrict p, {real} *__restrict c, "
            f"{real} *__restrict g)",
            "{",
            f"    for (int i = 0; i < {workload.n_p}; i++) g[i] = 0;",
            f"    __enzyme_autodiff((void *)primal_{k}, enzyme_dup, p, g, enzyme_const, c);",
            "}",
        ]
    return lines


def _calls(workload: Workload, real: str) -> list[str]:
    n_p = workload.n_p
    lines = []
    for k in range(1 if workload.kind == "vjp" else workload.n_out):
        lines.append(f"    {{ {real} g[{n_p}]; gradient_{k}(p, c, g);")
        lines += [f"      out[{k * n_p + j}] = g[{j}];" for j in range(n_p)]
        lines.append("    }")
    if workload.kind == "gradhess":  # forward over reverse, one direction after the other
        at = itertools.count(n_p)
        for i in range(n_p):
            lines.append(
                f"    {{ {real} d[{n_p}] = {{}}, g[{n_p}] = {{}}, h[{n_p}] = {{}}; d[{i}] = 1;"
            )
            lines.append(
                "      __enzyme_fwddiff((void *)gradient_0, enzyme_dup, p, d, enzyme_const, c, "
                "enzyme_dup, g, h);"
            )
            lines += [f"      out[{next(at)}] = h[{j}];" for j in range(i, n_p)]
            lines.append("    }")
    return lines
