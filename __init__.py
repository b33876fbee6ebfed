"""egad: E-Graph Automatic Differentiation.

A Python function in, the cheapest derivative code out, as an OpenCL kernel that runs at once.

>>> from egad import derive
>>> def my_func(a: float, x: float) -> float:
...     return a * x * x
>>> derive(my_func, mode="bwd").reference(2.0, 3.0, 1.0)
Gradients(a=9.0, x=12.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rules.package import RulesModule

    rules: RulesModule

__version__ = "0.1.0"

# Names load their module when they are first used: importing egad costs nothing.
_HOMES = {
    "api": ("derive", "Derived"),
    "results": ("Named",),
    "explaining.rule": ("explain_rule",),
    "terms.errors": (
        "EgadError",
        "TraceError",
        "RuleError",
        "DeriveError",
        "ExtractError",
        "EmitError",
        "DeviceError",
        "EgadWarning",
    ),
    "reader.tracing.tracer": ("traced",),
    "codegen.devices.device": ("devices",),
    "reader.passing": ("InOut", "Out"),
    "reader.structs": ("Array", "Buffer", "copy", "struct"),
    "reader.marks": (
        "Const",
        "DifferentialPair",
        "Pair",
        "bwd_diff",
        "custom_bwd",
        "custom_bwd_of",
        "custom_fwd",
        "custom_fwd_of",
        "detach",
        "diff_pair",
        "differentiable",
        "extensible",
        "force_unroll",
        "fwd_diff",
        "max_iters",
        "no_diff",
        "no_diff_this",
        "non_differentiable",
        "prefer_checkpoint",
        "prefer_recompute",
        "primal_substitute_of",
        "treat_as_differentiable",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'egad' has no attribute {name!r}")
    elif _is_module(name):  # `from . import rules` asks here first: do not load the rules for it
        value = import_module(f".{name}", __name__)
    else:
        vocabulary = import_module(".vocabulary", __name__)
        if name == "__all__":
            return [*_HOME, *vocabulary.names()]
        value = vocabulary.get(name)
        if value is None:
            from .terms.errors import nearest

            known = [*_HOME, *vocabulary.names()]
            raise AttributeError(f"module 'egad' has no attribute {name!r}{nearest(name, known)}")
    globals()[name] = value
    return value


def _is_module(name: str) -> bool:
    from importlib.util import find_spec

    spec = find_spec(f".{name}", __name__)
    return spec is not None and spec.origin is not None


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
