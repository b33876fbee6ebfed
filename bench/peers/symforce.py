"""SymForce: its symbolic core, its common subexpressions, its printer for C++."""

from __future__ import annotations

import re
from types import SimpleNamespace

from ..workloads import Workload
from .protocol import Emitted, from_cpp, inputs, outputs
from .symbols import entries

_LAMBDA = re.compile(r"\[&\]\(\) \{ (const Scalar base = [^;]*;) return ([^;]*); \}\(\)")


def load() -> None:
    import symforce.symbolic  # noqa: F401


def emit(workload: Workload, dtype: str) -> Emitted:
    import symforce.symbolic as sf
    from symforce.codegen.backends.cpp.cpp_config import CppConfig
    from symforce.codegen.codegen_util import print_code
    from symforce.values import Values

    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2", "erf")
    functions = {name: getattr(sf, name) for name in names if hasattr(sf, name)}
    m = SimpleNamespace(min=sf.Min, max=sf.Max, **functions)
    given = [sf.Symbol(name) for name in inputs(workload.n_in)]
    results = entries(workload, m, given, lambda f, x: sf.S(f).diff(x))
    found = print_code(
        Values(**{str(x): x for x in given}),
        Values(**dict(zip(outputs(len(results)), results, strict=True))),
        {},
        CppConfig(),
    )
    lines = [f"const T {name} = {text};" for name, text in found.intermediate_terms]
    lines += [f"{name} = {text};" for term in found.dense_terms for name, text in term.terms]
    # Powers are lambdas of C++; g++ and OpenCL compilers know them as statement expressions.
    body = _LAMBDA.sub(r"({ \1 \2; })", "\n".join(lines))
    return Emitted(from_cpp(body))
