"""CasADi: SX expressions, its own C code generator, common subexpressions eliminated."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

from ..workloads import Workload
from .protocol import Emitted, renamed

_IN = re.compile(r"arg\[(\d+)\]\s*\?\s*arg\[\d+\]\[0\]\s*:\s*0")
_OUT = re.compile(r"if \(res\[(\d+)\]!=0\) res\[\d+\]\[0\]=")
_BODY = re.compile(r"static int casadi_f0\([^)]*\) \{\n(.*?)\n  return 0;\n\}", re.DOTALL)
_HELPERS = re.compile(r"^casadi_real casadi_\w+\([^)]*\) \{.*\}$", re.MULTILINE)
_NAMES = {"casadi_real": "T", "casadi_fmax": "fmax", "casadi_fmin": "fmin", "casadi_fabs": "fabs"}


def load() -> None:
    import casadi  # noqa: F401


def emit(workload: Workload, dtype: str) -> Emitted:
    import casadi

    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2", "erf")
    m = SimpleNamespace(
        min=casadi.fmin, max=casadi.fmax, **{name: getattr(casadi, name) for name in names}
    )
    given = [casadi.SX.sym(f"in_{k}") for k in range(workload.n_in)]
    p, c = given[: workload.n_p], given[workload.n_p : workload.n_p + workload.n_c]
    wrt = casadi.vertcat(*p)
    found = casadi.vertcat(*workload.function(m, p, c))
    if workload.kind == "jac":
        results = casadi.jacobian(found, wrt)
        entries = [results[i, j] for i in range(results.size1()) for j in range(len(p))]
    elif workload.kind == "vjp":
        cotangents = casadi.vertcat(*given[workload.n_p + workload.n_c :])
        entries = casadi.vertsplit(casadi.jtimes(found, wrt, cotangents, True))
    elif workload.kind == "gradhess":
        hessian, gradient = casadi.hessian(found, wrt)
        upper = [hessian[i, j] for i in range(len(p)) for j in range(i, len(p))]
        entries = [*casadi.vertsplit(gradient), *upper]
    else:
        entries = casadi.vertsplit(casadi.gradient(found, wrt))
    dense = [casadi.densify(entry) for entry in entries]
    return _text(casadi.Function("f", given, casadi.cse(dense)))


def _text(function: object) -> Emitted:
    """The statements of the generated C function, without its checks for missing arguments."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            code = Path(function.generate("f.c")).read_text()  # type: ignore[attr-defined]
        finally:
            os.chdir(before)
    body = _OUT.sub(r"out_\1=", _IN.sub(r"in_\1", _BODY.findall(code)[0]))
    helpers = "\n".join(f"static inline {line}" for line in _HELPERS.findall(code))
    return Emitted(renamed(body, _NAMES), renamed(helpers, _NAMES))
