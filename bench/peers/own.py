"""egad itself: the device function of its kernel, called with the same inputs and outputs."""

from __future__ import annotations

import re

from ..derivatives import derive
from ..workloads import Workload
from .protocol import Emitted, inputs, outputs, renamed

_TYPES = {"float": "T", "double": "T", "bool": "B"}


def emit(workload: Workload, dtype: str, optimize: str = "default") -> Emitted:
    derived = derive(workload, dtype, optimize)
    before, _, _ = derived.source.partition("__kernel")
    code = re.sub(r"/\*.*?\*/|//[^\n]*|#pragma OPENCL [^\n]*", "", before, flags=re.DOTALL)
    name = re.findall(r"\b(\w+)\s*\(", code[: code.index("{")])[-1]
    given = [*inputs(workload.n_in), *(f"&{out}" for out in outputs(workload.n_results))]
    return Emitted(f"{name}({', '.join(given)});", renamed(code.strip(), _TYPES))
