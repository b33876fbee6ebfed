"""Takes a device, compiles and runs small kernels on it, says whether the results are right.

It runs alone, as a script in a child process, because compilers can crash: it imports nothing
of egad, and knows nothing of choices or caches.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

VERSION = 1
MARK = "egad-probe:"
SIZE = 65  # one full group of 64 and a rest
_KERNEL = """
{pragma}
__kernel void egad_probe(__global const {T} *restrict x, __global {T} *restrict y)
{{
    size_t i = get_global_id(0);
    {T} a = x[i];
    {T} s = sin(a);
    {T} e = exp(a);
    y[i] = fma(s, e, a);
}}
"""
_TYPES = (
    ("float", "float32", "", 1e-5),
    ("double", "float64", "cl_khr_fp64", 1e-12),
    ("half", "float16", "cl_khr_fp16", 2e-2),
)


def check(device: Any) -> dict[str, Any]:
    """Whether float, double and half kernels compile, run and are right; a verdict for JSON."""
    verdict: dict[str, Any] = {"usable": False, "reason": "", "fp64": False, "fp16": False}
    for name, dtype, extension, tolerance in _TYPES:
        if extension and not (verdict["usable"] and extension in device.extensions.split()):
            continue
        with warnings.catch_warnings():  # about the compiler's log
            warnings.simplefilter("ignore")
            reason = _run(device, name, dtype, extension, tolerance)
        if not extension:
            verdict.update(usable=not reason, reason=reason)
        else:
            verdict["fp64" if name == "double" else "fp16"] = not reason
    return verdict


def _run(device: Any, name: str, dtype: str, extension: str, tolerance: float) -> str:
    """Why the kernel fails for one type; empty when it works."""
    import numpy as np
    import pyopencl as cl

    pragma = f"#pragma OPENCL EXTENSION {extension} : enable" if extension else ""
    x = np.linspace(-3, 3, SIZE).astype(dtype)
    y = np.zeros_like(x)
    no_cache: Any = False  # typed as a path, documented as False
    try:
        context = cl.Context([device])
        queue = cl.CommandQueue(context)
        program = cl.Program(context, _KERNEL.format(T=name, pragma=pragma))
        kernel = cl.Kernel(program.build(["-cl-std=CL1.2"], cache_dir=no_cache), "egad_probe")
        flags = cl.mem_flags
        source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
        target = cl.Buffer(context, flags.WRITE_ONLY, y.nbytes)
        kernel.set_args(source, target)
        cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,))
        cl.enqueue_nd_range_kernel(queue, kernel, (SIZE - 64,), (1,), (64,))
        cl.enqueue_copy(queue, y, target)
        queue.finish()
    except cl.Error as failure:
        return f"a small {name} kernel does not compile or run: {first_complaint(str(failure))}"
    exact = np.sin(x.astype("float64")) * np.exp(x.astype("float64")) + x
    error = float(np.max(np.abs(y - exact) / np.maximum(np.abs(exact), 1)))
    if not error <= tolerance:
        return f"a small {name} kernel computes wrong numbers (error {error:.2g})"
    return ""


def first_complaint(log: str) -> str:
    """The line of a compiler's log that says most: the first with `error`, else the first."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")


def main(platform: str, name: str, version: str) -> int:
    """Probe the first device so named and print the verdict."""
    import pyopencl as cl

    for candidate in cl.get_platforms():
        if candidate.name.strip() != platform:
            continue
        for device in candidate.get_devices():
            if (device.name.strip(), device.driver_version.strip()) == (name, version):
                print(MARK + json.dumps(check(device)), flush=True)
                return 0
    return 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
