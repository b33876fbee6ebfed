"""Functions that nobody can read: of C libraries, of NumPy and SciPy, of compiled modules.

Takes such a function, gives the function in Python that stands in for it, or the error that says
what to write. Knows nothing of how functions are called.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from ....rules.registry import KINDS, Marks, modules_with_rules
from ....terms.errors import Span, TraceError
from ..operations.library import knows
from ..values.scope import Session
from ..values.values import describe
from ..values.words import NO_COMPLEX, word_name


def has_body(session: Session, callee: Any) -> bool:
    """Whether it is known what a function computes: it can be read, or is an operator."""
    if isinstance(callee, FunctionType) and word_name(callee) is None:
        return session.function(callee) is not None or knows(session, callee)
    return knows(session, callee)


def primal_of(session: Session, callee: Any) -> Any:
    """The function that stands in for one that has no body; None where there is none."""
    found = session.lookup.marks(callee)
    return found.primal.rule if found is not None and found.primal is not None else None


def meaningless(session: Session, callee: Any, at: Span | None) -> TraceError:
    """The error for a function of which nothing says what it computes."""
    name = str(getattr(callee, "__name__", "f"))
    instead = _instead(callee)
    if isinstance(callee, FunctionType) and instead is None:
        hint = "functions defined in exec, in a compiled module or by a decorator have none; "
        return TraceError(f"the source of {name!r} cannot be read", at, hint + "write it in a file")
    found = session.lookup.marks(callee)
    if at is None and found is None and knows(session, callee):
        message = f"{describe(callee)} has no source in Python, only calls of it can be read"
        given = ", ".join(_needed(callee))
        return TraceError(message, at, f"wrap it: lambda {given}: {name}({given})")
    hint = (
        "use functions written in Python, math.*, numpy.* or egad's vocabulary; or say what it "
        f"computes: @egad.primal_substitute_of({name}) above a function with its parameters, or "
        f'aliases = "module.{name}" in the block of an operator in a rule file'
    )
    hint = hint if instead is None else instead
    modules = modules_with_rules(callee) if found is None else []
    if modules:
        hint += f"\n  rules for it are in {', '.join(modules)}: rules=[{modules[0]}]"
    message = f"{describe(callee)} has no source in Python, and nothing says what it computes"
    if has_no_meaning(callee) and _home(callee) != "random":
        message = f"{_home(callee)}.{name}() is not in the language"
    if found is not None and (rule := _derivative(found)) is not None:
        message = f"{message}; there is only its {rule}"
    return TraceError(message, at, hint)


def _needed(callee: Any) -> Sequence[str]:
    """The parameters that a function must be given, as far as it says."""
    try:
        params = inspect.signature(callee).parameters.values()
    except (TypeError, ValueError):
        return ("x", "y")
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in params if p.kind in by_place and p.default is p.empty]


@contextmanager
def legible(session: Session, callee: Any, at: Span) -> Iterator[None]:
    """Inside, a function is read. Errors in the text of a library are said where it is called."""
    try:
        yield
    except TraceError as error:
        around = session.frames[-1].function.variables if session.frames else None
        within = around is not None and _is_of_library(around.get("__name__"))
        if type(error) is not TraceError or within or not _is_of_library(callee.__module__):
            raise
        name = f"{_home(callee)}.{callee.__name__}()"
        reason = f"its text leaves the language: {error.message}"
        raise TraceError(
            f"{name} is not in the language", at, _INSTEAD_OF_LIBRARY + reason
        ) from None


def _is_of_library(module: Any) -> bool:
    return str(module).partition(".")[0] in ("numpy", "scipy")


def has_no_meaning(callee: Any) -> bool:
    """Whether a function is of a module that does what no kernel can, though some of it is read."""
    return _home(callee) in _OF_MODULES


def _instead(callee: Any) -> str | None:
    """What to do where a function computes nothing that a kernel could."""
    owner = type(getattr(callee, "__self__", None)).__module__
    if "random" in f"{getattr(callee, '__module__', '')} {owner}":
        return _OF_MODULES["random"]
    name = str(getattr(callee, "__name__", ""))
    return _OF_MODULES.get(_home(callee)) or _OF_FUNCTIONS.get(name)


def _home(callee: Any) -> str:
    """The module of the library that a function is of: `numpy.fft`, `logging`."""
    parts = str(getattr(callee, "__module__", "")).lstrip("_").split(".")
    return ".".join(parts[:2]) if parts[0] in ("numpy", "scipy") else parts[0]


_INSTEAD_OF_LIBRARY = "write what it computes, or say it with @egad.primal_substitute_of; "
_ONLY_COMPUTES = "a derived function only computes: pass values in, and return what there is to see"
_NO_CLOCK = "a kernel has no clock: pass the time in"
_STEPS = "write its steps out as a loop, or compute it outside and pass it in"
_SYMMETRIC = (
    "of symmetric matrices there is np.linalg.eigh(a), and of all np.linalg.svd(a); else compute "
    "it outside and pass it in"
)
_WITH_DENSITIES = (
    "write its density out; those of norm, lognorm, halfnorm, expon, uniform, logistic, laplace, "
    "cauchy, gumbel_r, rayleigh, weibull_min, pareto, gamma, chi2, beta and t are known, and the "
    "probabilities of poisson and binom"
)
_OF_MODULES = {
    "random": "a kernel has no random numbers: pass them in, or compute them with egad.uint",
    "time": _NO_CLOCK,
    "datetime": _NO_CLOCK,
    **dict.fromkeys(("logging", "warnings", "os", "posix", "sys", "subprocess"), _ONLY_COMPUTES),
    "numpy.fft": "fft, ifft and rfft of one dimension are read; write other sums out",
    "scipy.stats": _WITH_DENSITIES,
    **dict.fromkeys(("scipy.integrate", "scipy.optimize", "scipy.interpolate"), _STEPS),
}
_OF_FUNCTIONS = {
    **dict.fromkeys(("eig", "eigvals"), _SYMMETRIC),
    **dict.fromkeys(
        ("partition", "argpartition"), "np.sort(a) and np.argsort(a) give what it does"
    ),
    **dict.fromkeys(("breakpoint", "save", "savetxt", "load", "loadtxt"), _ONLY_COMPUTES),
}
_NUMBERS = "its numbers are float, int and bool, np.float16 to np.float64, np.int32 and np.uint32"
_QUOTIENTS = "write the quotient: 1 / 3, which is a real"
#: By the name of a class that no kernel has: what to write.
OF_CLASSES = {
    "str": "texts are known while reading, numbers of a kernel are not",
    **dict.fromkeys(("int8", "int16", "uint8", "uint16", "uint64", "longdouble"), _NUMBERS),
    **dict.fromkeys(("complex64", "complex128", "clongdouble"), NO_COMPLEX),
    **dict.fromkeys(("Fraction", "Decimal"), _QUOTIENTS),
    **dict.fromkeys(
        ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "PPoly", "interp1d"),
        "make it before, outside of the function; of points that are known it is read then",
    ),
}


def _derivative(found: Marks) -> str | None:
    mark = found.bwd or found.fwd
    return f"{KINDS[mark.kind]}, given at {mark.at or mark.module}" if mark else None
