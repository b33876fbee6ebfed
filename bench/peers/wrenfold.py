"""wrenfold: its symbolic core and its generator of C++."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from ..workloads import Workload
from .protocol import Emitted, from_cpp, inputs
from .symbols import entries

_BODY = re.compile(r"^\{\n(.*)^\}", re.DOTALL | re.MULTILINE)


def load() -> None:
    import wrenfold  # noqa: F401


def emit(workload: Workload, dtype: str) -> Emitted:
    """The text of its C++ function, without the signature."""
    from wrenfold import code_generation, sym, type_info

    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2")
    m = SimpleNamespace(min=sym.min, max=sym.max, **{name: getattr(sym, name) for name in names})
    description = code_generation.FunctionDescription("f")
    scalar = type_info.ScalarType(type_info.NumericType.Float)
    given = [description.add_input_argument(name, scalar) for name in inputs(workload.n_in)]

    def diff(f: Any, x: Any) -> Any:
        return f.diff(x) if isinstance(f, sym.Expr) else sym.zero

    for k, result in enumerate(entries(workload, m, given, diff)):
        description.add_output_argument(f"out_{k}", False, result)
    definition = code_generation.transpile(description)
    code = code_generation.CppGenerator().generate(definition=definition)
    return Emitted(from_cpp(_BODY.findall(code)[0]))
