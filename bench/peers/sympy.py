"""SymPy: every derivative by `diff`, all common subexpressions by `cse`, printed as C."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from ..workloads import Workload
from .protocol import Emitted, inputs
from .symbols import entries


def load() -> None:
    import sympy  # noqa: F401


def emit(workload: Workload, dtype: str) -> Emitted:
    import sympy

    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2", "erf")
    m = SimpleNamespace(
        min=sympy.Min, max=sympy.Max, **{name: getattr(sympy, name) for name in names}
    )
    given = [sympy.Symbol(name, real=True) for name in inputs(workload.n_in)]
    results = entries(workload, m, given, lambda f, x: sympy.sympify(f).diff(x))
    shared, rest = sympy.cse(results, sympy.numbered_symbols("t"))
    return printed(shared, rest)


def printed(shared: Sequence[tuple[Any, Any]], results: Sequence[Any]) -> Emitted:
    """Assignments in C: to the names of what is shared, then to the outputs."""
    printer = _printer()
    lines = [f"const T {name} = {printer.doprint(value)};" for name, value in shared]
    lines += [f"out_{k} = {printer.doprint(value)};" for k, value in enumerate(results)]
    return Emitted("\n".join(lines))


def _printer() -> Any:
    """SymPy's printer for C99, with powers as products and Heaviside's step as a choice."""
    from sympy.codegen.rewriting import create_expand_pow_optimization
    from sympy.printing.c import C99CodePrinter

    products = create_expand_pow_optimization(16)

    class Printer(C99CodePrinter):  # type: ignore[misc]
        def doprint(self, expr: Any, assign_to: Any = None) -> str:
            return str(super().doprint(products(expr), assign_to))

        def _print_Pow(self, expr: Any) -> str:
            base, power = expr.args
            if base.is_Symbol and power.is_Rational and power.q == 2 and 1 < abs(power.p) < 16:
                product = "*".join([f"sqrt({base})", *[str(base)] * (abs(power.p) // 2)])
                return f"({product})" if power.p > 0 else f"(1.0/({product}))"
            return str(super()._print_Pow(expr))

        def _print_Heaviside(self, expr: Any) -> str:
            return f"(({self._print(expr.args[0])}) > 0 ? 1.0 : 0.0)"

        def _print_sign(self, expr: Any) -> str:
            inner = self._print(expr.args[0])
            return f"((({inner}) > 0) - (({inner}) < 0))"

    return Printer({"contract": False})
