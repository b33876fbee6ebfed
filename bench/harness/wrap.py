"""Takes emitted statements, gives whole programs around them: C++, C++ that counts, OpenCL.

All read the inputs into constants first and store the outputs last, so that no compiler has to
ask whether an output overlaps an input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ..peers.protocol import Emitted
from ..workloads import Workload

HERE = Path(__file__).parent
# A number with a point or an exponent, and no suffix: of type double.
_DOUBLE = re.compile(r"(?<![\w.])((?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.])")
# OpenCL's functions are overloaded: an argument that is an int or another float is ambiguous.
_OVERLOADED = """#define pow(a, b) pow((T)(a), (T)(b))
#define fmax(a, b) fmax((T)(a), (T)(b))
#define fmin(a, b) fmin((T)(a), (T)(b))
#define abs(a) fabs(a)
"""
CTYPES = {"float32": "float", "float64": "double"}


@dataclass(frozen=True)
class Shape:
    """How many numbers go in and come out."""

    n_in: int
    n_out: int

    @staticmethod
    def of(workload: Workload) -> Shape:
        return Shape(workload.n_in, workload.n_results)

    @property
    def bytes_each(self) -> dict[str, int]:
        return {"float32": 4 * (self.n_in + self.n_out), "float64": 8 * (self.n_in + self.n_out)}


def in_dtype(emitted: Emitted, dtype: str) -> Emitted:
    """The same with numbers of the type, whatever suffix the peer forgot.

    >>> in_dtype(Emitted("out_0 = 0.5 * x1 + 2e-3;"), "float32").body
    'out_0 = 0.5f * x1 + 2e-3f;'
    """
    if dtype == "float64":
        return emitted
    body, functions = (_DOUBLE.sub(r"\1f", text) for text in (emitted.body, emitted.functions))
    return replace(emitted, body=body, functions=functions)


def counting(emitted: Emitted, shape: Shape) -> str:
    """A program that evaluates rows of numbers from its input and prints its tallies."""
    return f"""#include "{HERE / "counting.hpp"}"
{emitted.functions}
{_one_row(emitted, shape)}
#include "{HERE / "tally.hpp"}"
int main() {{ return tallies({shape.n_in}, {shape.n_out}, evaluate); }}
"""


def scalar(emitted: Emitted, shape: Shape, dtype: str) -> str:
    """`run(n, in, out)`: one evaluation after the other, each a call, rows in memory."""
    return f"""{_beginning(dtype)}
{emitted.functions}
{_one_row(emitted, shape, "__attribute__((noinline)) ")}
extern "C" void run(long n, const T *in, T *out)
{{
    for (long i = 0; i < n; i++) evaluate(in + i * {shape.n_in}, out + i * {shape.n_out});
}}
"""


def batch(emitted: Emitted, shape: Shape, dtype: str) -> str:
    """`run(n, in, out)`: vectorised over the batch, one array per input and output."""
    loads = _loads(shape, "in[{k} * n + i]")
    stores = _stores(shape, "out[{k} * n + i]")
    return f"""{_beginning(dtype)}
{emitted.functions}
extern "C" void run(long n, const T *__restrict in, T *__restrict out)
{{
    #pragma GCC ivdep
    for (long i = 0; i < n; i++) {{
        {loads}
        {_locals(shape)}
        {{
{emitted.body}
        }}
        {stores}
    }}
}}
"""


def opencl(emitted: Emitted, shape: Shape, dtype: str, name: str) -> str:
    """A kernel with one buffer per input and output, as egad writes its own."""
    params = [f"__global const T *restrict a_{k}" for k in range(shape.n_in)]
    params += [f"__global T *restrict r_{k}" for k in range(shape.n_out)]
    fp64 = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if dtype == "float64" else ""
    return f"""{fp64}#pragma OPENCL FP_CONTRACT OFF
#define T {CTYPES[dtype]}
#define B bool
{_OVERLOADED}{emitted.functions}
__kernel void {name}(
    {", ".join(params)})
{{
    const size_t i = get_global_id(0);
    {_loads(shape, "a_{k}[i]")}
    {_locals(shape)}
    {{
{emitted.body}
    }}
    {_stores(shape, "r_{k}[i]")}
}}
"""


def copying(dtype: str) -> str:
    """`run(n, in, out)`: copies n numbers; what memory allows."""
    return f"""#include <cstring>
extern "C" void run(long n, const {CTYPES[dtype]} *in, {CTYPES[dtype]} *out)
{{
    std::memcpy(out, in, n * sizeof *in);
}}
"""


def _beginning(dtype: str) -> str:
    return f"""typedef {CTYPES[dtype]} T;
typedef bool B;
#include "{HERE / "prelude.hpp"}"
"""


def _one_row(emitted: Emitted, shape: Shape, attributes: str = "") -> str:
    return f"""static {attributes}void evaluate(const T *__restrict in, T *__restrict out)
{{
    {_loads(shape, "in[{k}]")}
    {_locals(shape)}
    {{
{emitted.body}
    }}
    {_stores(shape, "out[{k}]")}
}}"""


def _loads(shape: Shape, place: str) -> str:
    return " ".join(f"const T in_{k} = {place.format(k=k)};" for k in range(shape.n_in))


def _locals(shape: Shape) -> str:
    return "T " + ", ".join(f"out_{k}" for k in range(shape.n_out)) + ";"


def _stores(shape: Shape, place: str) -> str:
    return " ".join(f"{place.format(k=k)} = out_{k};" for k in range(shape.n_out))
