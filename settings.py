"""What `derive` is asked for, checked before anything is read."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from .reader import OpenParameters
from .reader.slots import parameter_slots
from .rewrite import MODES, active
from .rules.costs import CostTable, is_path, priced, read_table, table_named
from .terms.errors import DeriveError, RuleError, TraceError, called, nearest
from .terms.program import Program, Slot
from .terms.rule import MATH_TAGS, RuleSet
from .terms.types import Scalar, leaf_types

REALS = {"float16": Scalar.F16, "float32": Scalar.F32, "float64": Scalar.F64}
DESCRIPTIONS = {
    "primal": "The value of",
    "fwd": "Value and forward derivative (J dx) of",
    "bwd": "Backward derivative (J^T y_bar) of",
    "value_and_grad": "Value and gradient of",
    "jacobian": "Jacobian of",
    "hessian": "Upper triangle of the Hessian of",
    "hvp": "Hessian times a direction (H v) of",
}
_FEW = 4
EFFORTS = ("fast", "default", "best")


def described(mode: str, primal: Program, math: str) -> tuple[str, ...]:
    """What a kernel computes, for its header; of a matrix, which entry stands where."""
    said = f"{DESCRIPTIONS[mode]} {primal.name}; math={math!r}."
    columns = ", ".join(_components(slot) for slot in active(primal))
    if mode == "hessian":
        return said, *wrap(f"Entries: row by row, each from the diagonal on, over {columns}.", 96)
    if mode == "jacobian":
        rows = "a row for each real component of a result, a column for each of a parameter"
        return said, *wrap(f"Entries: row by row; {rows}: {columns}.", 96)
    return (said,)


def _components(slot: Slot) -> str:
    """`v.x, v.y, v.z`; the first and the last alone, where there are many."""
    pairs = zip(slot.paths(), leaf_types(slot.type), strict=True)
    real = [path for path, leaf in pairs if leaf.is_real]
    return ", ".join(real) if len(real) <= _FEW else f"{real[0]} ... {real[-1]}"


#: What settings are called by other tools.
_ELSEWHERE = {
    **dict.fromkeys(("jvp", "forward", "pushforward", "tangent"), "fwd"),
    **dict.fromkeys(("vjp", "grad", "gradient", "backward", "backwards", "reverse"), "bwd"),
    **dict.fromkeys(("value", "eval", "forward_value"), "primal"),
    **{"jac": "jacobian", "jacfwd": "jacobian", "jacrev": "jacobian", "hess": "hessian"},
    **{"half": "float16", "single": "float32", "double": "float64"},
    **{"exact": "strict", "real": "safe", "unsafe": "fast"},
}


def choice(what: str, value: Any, allowed: Any) -> Any:
    """What a setting means; DeriveError, with what is allowed, for anything else."""
    if not isinstance(value, str) or value not in allowed:
        known = ", ".join(repr(a) for a in allowed)
        word = value.casefold() if isinstance(value, str) else ""
        close = nearest(_ELSEWHERE.get(word, word), allowed) if word else ""
        raise DeriveError(f"{what}={called(value)} is not one of {known}{close}")
    return allowed[value] if isinstance(allowed, Mapping) else value


@dataclass(frozen=True)
class Request:
    """What `derive` is asked for, as its user says it; `derive` says what each of them means."""

    mode: str
    wrt: Any
    rules: Any
    math: str
    dtype: Any
    device: Any
    optimize: str
    params: Sequence[Any] | None
    types: Any
    implementations: Any
    check: bool
    groups: Any
    costs: Any
    cache: bool

    def check_words(self) -> None:
        """DeriveError for a mode, a kind of mathematics or an effort that there is not.

        And for a flag that is neither on nor off, such as the text "off".
        """
        choice("mode", self.mode, MODES)
        choice("math", self.math, MATH_TAGS)
        choice("optimize", self.optimize, EFFORTS)
        for what, value in (("check", self.check), ("cache", self.cache)):
            if not isinstance(value, bool):
                raise DeriveError(f"{what}={value!r} is neither True nor False")


#: What options are called by other tools, and what is no option at all.
_OPTIONS = {
    **dict.fromkeys(("argnums", "argnum", "inputs", "with_respect_to", "by"), "wrt"),
    **{"precision": "dtype", "real": "dtype", "rule": "rules", "fastmath": "math"},
    **{"effort": "optimize", "opt": "optimize", "level": "optimize", "backend": "device"},
}
_NO_OPTION = {
    "max_iters": "max_iters(n) is a statement in the function, before the loop that it bounds",
    "order": "derive what derive gives: derive(derive(f)); or mode='hessian'",
    "args": "call what derive gives: derive(f)(x, y, 1.0)",
}


def check_options(unknown: Mapping[str, Any], known: Any) -> None:
    """DeriveError for an option that a function does not have."""
    for name in unknown:
        options = inspect.getfullargspec(known).kwonlyargs
        close = nearest(_OPTIONS.get(name, name), options)
        hint = _NO_OPTION.get(name, f"its options are {', '.join(options)}")
        raise DeriveError(f"{known.__name__} has no option {name!r}{close}", hint=hint)


def precision(dtype: Any) -> str:
    """The name of a precision, also where it is given as NumPy does: `np.float64`, `np.dtype`."""
    named = getattr(dtype, "__name__" if isinstance(dtype, type) else "name", None)
    dtype = named if named in REALS else dtype
    choice("dtype", dtype, REALS)
    return str(dtype)


def types_of(given: Any) -> dict[str, Any]:
    """The types of parameters by name; DeriveError where that is no dictionary."""
    if given is not None and not isinstance(given, Mapping):
        raise DeriveError(
            f"types= takes a dictionary, not {given!r}", hint="write types={'x': Array[float, 3]}"
        )
    return dict(given or {})


def check_types(given: Mapping[str, Any], function: str, names: Sequence[str]) -> None:
    """DeriveError for a type that is given to no parameter."""
    for name in given:
        if name not in names:
            close = nearest(name, names) if isinstance(name, str) else ""
            raise DeriveError(
                f"types= names {name!r}, and {function} has no such parameter{close}",
                hint=f"its parameters are {', '.join(names)}",
            )


def check_named(missing: OpenParameters, types: Mapping[str, Any], wrt: Any) -> None:
    """An error for a name of no parameter, where the types of some depend on the arguments."""
    check_types(types, missing.function, missing.names)
    parameter_slots([(name, Scalar.F32) for name in missing.names], wrt, missing.at)


def names_of(what: str, given: Any) -> Sequence[str] | None:
    """The parameters that a setting names, one or several; None where it is not given."""
    names = [given] if isinstance(given, str) else given
    if names is None or (
        isinstance(names, Collection) and all(isinstance(name, str) for name in names)
    ):
        return None if names is None else list(names)
    hint = f"write {what}=['x'] or {what}='x'"
    raise TraceError(f"{what}={given!r} is not a list of names", hint=hint)


def check_implementations(given: Any) -> None:
    """Protocols and their implementations, as classes."""
    hint = "write {Protocol: [Struct, …]}"
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise DeriveError(
            f"implementations= takes a dictionary, not a {type(given).__name__}", hint=hint
        )
    for protocol, classes in given.items():
        if not isinstance(protocol, type) or not isinstance(classes, Sequence):
            raise DeriveError(
                f"implementations= maps {protocol!r}, which is no protocol", hint=hint
            )


def switches(groups: Any, known: Sequence[str]) -> Mapping[str, bool]:
    """Groups of rewrites that are switched on or off; DeriveError for a name that is none."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping) or not all(isinstance(v, bool) for v in groups.values()):
        raise DeriveError(f"groups={groups!r} is not clear", hint="write groups={'compare': False}")
    for name in groups:
        if name not in known:
            close = nearest(name, known) if isinstance(name, str) else ""
            message = f"there is no group of rewrites {name!r}{close}"
            raise DeriveError(message, hint=f"the groups are {', '.join(known)}")
    return groups


def with_costs(rules: RuleSet, costs: Any, real: Scalar, device: Any) -> RuleSet:
    """The rule set with the costs that `costs` names: None, "measured", a table's name or path."""
    if costs is None:
        return rules
    table = _table(costs, device)
    if real not in table.costs:
        known = ", ".join(kind.value for kind in table.costs)
        raise RuleError(
            f"the table of costs {table.name!r} does not price {real.value}, only {known}",
            hint=f"`egad calibrate --dtype {real.value}` measures it",
        )
    return priced(rules, table)


def _table(costs: Any, device: Any) -> CostTable:
    if isinstance(costs, CostTable):
        return costs
    if not isinstance(costs, str | Path):
        raise DeriveError(
            f"costs={costs!r} names no table of costs",
            hint="give the name of a table, the path of one, or 'measured'",
        )
    if costs == "measured":
        from .codegen.devices.measured import recall

        return recall(device)
    return read_table(costs) if is_path(costs) else table_named(str(costs))
