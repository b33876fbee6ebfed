"""Takes emitted statements, gives whole programs around them: C++, C++ that counts, OpenCL.

All read the inputs into constants first and store the outputs last, so that no compiler has to
ask whether an output overlaps an input.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..peers.protocol import Emitted

HERE = Path(__file__).parent
CTYPES = {"float32": "float", "float64": "double"}


@dataclass(frozen=True)
class Shape:
    """How many numbers go in and come out."""

    n_in: int
    n_out: int

    @property
    def bytes_each(self) -> dict[str, int]:
        return {"float32": 4 * (self.n_in + self.n_out), "float64": 8 * (self.n_in + self.n_out)}


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
    #pragma omp simd
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
{emitted.functions}
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
