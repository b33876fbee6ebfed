"""egad itself: the statements of its kernel's device function."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from ..derivatives import derive
from ..workloads import Workload
from .protocol import Emitted, inputs, outputs, renamed

_TYPES = {"float": "T", "double": "T", "bool": "B"}


def emit(
    workload: Workload, dtype: str, optimize: str = "default", order: str = "depth"
) -> Emitted:
    """The statements, in the order of `egad.Derived.export`."""
    derived = derive(workload, dtype, optimize)
    with TemporaryDirectory() as folder:
        text = derived.export(Path(folder) / "it.cl", order=order).read_text(encoding="utf-8")
    before, _, _ = text.partition("__kernel")
    code = re.sub(r"/\*.*?\*/|//[^\n]*|#pragma OPENCL [^\n]*", "", before, flags=re.DOTALL)
    head, functions, body = _parts(code)
    names = re.findall(r"(\w+)\s*[,)]", head)
    given = [*inputs(workload.n_in), *outputs(workload.n_results)]
    body = renamed(body, {**_TYPES, **dict(zip(names, given, strict=True))})
    return Emitted(re.sub(r"\*(out_\d+) =", r"\1 =", body), renamed(functions, _TYPES))


def _parts(code: str) -> tuple[str, str, str]:
    """The parameters of the last function, the functions before it, its statements."""
    start = code.rindex("static inline void")
    open_, close = code.index("{", start), code.rindex("}")
    return code[start:open_], code[:start].strip(), code[open_ + 1 : close].strip()
