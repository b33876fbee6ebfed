"""SymEngine: `diff` and `cse` of its C++ core; SymPy prints what comes out."""

from __future__ import annotations

from types import SimpleNamespace

from ..workloads import Workload
from .protocol import Emitted, inputs
from .symbols import entries
from .sympy import printed


def load() -> None:
    import symengine  # noqa: F401
    import sympy  # noqa: F401


def emit(workload: Workload, dtype: str) -> Emitted:
    import symengine
    import sympy

    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2", "erf")
    m = SimpleNamespace(
        min=symengine.Min, max=symengine.Max, **{name: getattr(symengine, name) for name in names}
    )
    given = [symengine.Symbol(name) for name in inputs(workload.n_in)]
    results = entries(workload, m, given, lambda f, x: symengine.sympify(f).diff(x))
    shared, rest = symengine.cse(results)
    return printed(
        [(name, sympy.sympify(value)) for name, value in shared], [sympy.sympify(r) for r in rest]
    )
