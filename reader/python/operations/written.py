"""Functions of libraries, written in Python: they are read like a function of the user.

Takes a callable, gives the function that says what it computes, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....terms.errors import Span
from ...complex_arrays import OF_FFT
from ...complexes import OF_CMATH
from ...orthogonal import SINGLE, SUMS
from ...polynomials import POLYNOMIALS
from ...scipy_arrays import ARRAYS
from ...scipy_special import SPECIAL
from ..libraries.averages import STATISTICS
from ..libraries.eliminating import LINEAR, polyfit
from ..libraries.exponential import expm
from ..libraries.infix import OPERATORS
from ..libraries.polar import polar
from ..libraries.reflecting import REFLECTED
from ..libraries.rooting import logm, sqrtm
from ..libraries.singular import SINGULAR
from ..libraries.spectra import SPECTRA
from ..libraries.stacks import over_stacks
from ..values.scope import Session
from ..values.words import qualified
from .library import UNKNOWN
from .records import Invoke


def written(callee: Any) -> Callable[..., Any] | None:
    """The function that stands for one of a library."""
    return next((_WRITTEN[name] for name in qualified(callee) if name in _WRITTEN), None)


def call_operator(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """`operator.add(a, b)` is `a + b`, of lists and arrays as of numbers; UNKNOWN for others."""
    function = written(callee)
    if function is None or not any(name.startswith("operator.") for name in qualified(callee)):
        return UNKNOWN
    return invoke(function, args, kwargs, at)


def _modf(x):  # type: ignore[no-untyped-def]
    whole = trunc(x)  # type: ignore[name-defined]  # noqa: F821  # egad's words are known to all
    return x - whole, whole


def _isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):  # type: ignore[no-untyped-def]
    return a == b or abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def _remainder(x, y):  # type: ignore[no-untyped-def]
    rest, step = x - y * round(x / y), abs(y)
    if abs(rest) > step / 2:  # the quotient was rounded to a half, or away from it
        rest = rest - step if rest > 0 else rest + step
    return rest


def _ldexp(x, n):  # type: ignore[no-untyped-def]
    half = n // 2  # 2**n may overflow where the product does not
    return x * 2.0**half * 2.0 ** (n - half)


def _frexp(x):  # type: ignore[no-untyped-def]
    """x = m * 2**n with 1/2 <= |m| < 1; in two steps, as 2**-n may overflow where x is tiny."""
    if x == 0 or not math.isfinite(x):
        return x, 0
    n = math.floor(math.log2(abs(x))) + 1
    half = n // 2
    m = x * 2.0**-half * 2.0 ** (half - n)
    if abs(m) >= 1:  # the logarithm was rounded across a whole number
        return 0.5 * m, n + 1
    if abs(m) < 0.5:
        return 2.0 * m, n - 1
    return m, n


def _heaviside(x, at_zero):  # type: ignore[no-untyped-def]
    return 0.0 if x < 0 else (at_zero if x == 0 else 1.0)


def _mean(values):  # type: ignore[no-untyped-def]
    return sum(values) / len(values)


def _sinc(x):  # type: ignore[no-untyped-def]
    return cardinal_sine(3.141592653589793 * x)  # type: ignore[name-defined]  # noqa: F821


def _trace(m):  # type: ignore[no-untyped-def]
    return sum(row[i] for i, row in enumerate(m))


def _interp(x, xp, fp, left=None, right=None):  # type: ignore[no-untyped-def]
    if left is not None and x < xp[0]:
        return left
    if right is not None and x > xp[-1]:
        return right
    if x <= xp[0]:
        return fp[0]
    for x0, x1, f0, f1 in zip(xp, xp[1:], fp, fp[1:], strict=False):
        if x < x1:
            return f0 + (x - x0) * ((f1 - f0) / (x1 - x0))
    return fp[-1]


def _bisect_left(a, x, lo=0, hi=None):  # type: ignore[no-untyped-def]
    return lo + sum(v < x for v in a[lo:hi])


def _bisect_right(a, x, lo=0, hi=None):  # type: ignore[no-untyped-def]
    return lo + sum(not x < v for v in a[lo:hi])


def _searchsorted(a, v, side="left"):  # type: ignore[no-untyped-def]
    over = {"left": True, "right": False}[side]
    return sum(not (v <= u if over else v < u) for u in a)


def _digitize(x, bins, right=False):  # type: ignore[no-untyped-def]
    if bins[0] <= bins[-1]:
        return sum(not (x <= b if right else x < b) for b in bins)
    return sum(not (b < x if right else b <= x) for b in bins)


def _polynomial(x, c, tensor=True):  # type: ignore[no-untyped-def]
    value = 0.0 * x + c[-1]
    for coefficient in c[-2::-1]:
        value = value * x + coefficient
    return value


def _logaddexp2(a, b):  # type: ignore[no-untyped-def]
    log_2 = 0.6931471805599453
    return logaddexp(a * log_2, b * log_2) / log_2  # type: ignore[name-defined]  # noqa: F821


def _signbit(x):  # type: ignore[no-untyped-def]
    return copysign(1.0, x) < 0  # type: ignore[name-defined]  # noqa: F821


_MATRICES = over_stacks({**LINEAR, **REFLECTED, **SPECTRA, **SINGULAR})
_WRITTEN: Mapping[str, Callable[..., Any]] = {
    **{f"cmath.{name}": function for name, function in OF_CMATH.items()},
    **{f"numpy.fft.{name}": function for name, function in OF_FFT.items()},
    "bisect.bisect_left": _bisect_left,
    "bisect.bisect_right": _bisect_right,
    "math.modf": _modf,
    "math.isclose": _isclose,
    "math.remainder": _remainder,
    "math.ldexp": _ldexp,
    "math.frexp": _frexp,
    "numpy.frexp": _frexp,
    "numpy.ldexp": _ldexp,
    "numpy.heaviside": _heaviside,
    "numpy.isscalar": lambda element: np.ndim(element) == 0,
    "numpy.mean": _mean,
    "numpy.sinc": _sinc,
    "numpy.trace": _trace,
    "numpy.interp": _interp,
    "numpy.logaddexp2": _logaddexp2,
    "numpy.signbit": _signbit,
    "numpy.searchsorted": _searchsorted,
    "numpy.digitize": _digitize,
    "numpy.float_power": lambda a, b: a**b,
    "numpy.polyfit": polyfit,
    "numpy.polynomial.polynomial.polyval": _polynomial,
    **{f"operator.{name}": function for name, function in OPERATORS.items()},
    **{f"numpy.{name}": function for name, function in POLYNOMIALS.items()},
    **{f"numpy.polynomial.{name}": function for name, function in SUMS.items()},
    **{f"numpy.linalg.{name}": function for name, function in _MATRICES.items()},
    "scipy.linalg.polar": polar,
    "scipy.linalg.expm": expm,
    "scipy.linalg.logm": logm,
    "scipy.linalg.sqrtm": sqrtm,
    **{f"scipy.{name}": function for name, function in ARRAYS.items()},
    **{f"scipy.special.{name}": function for name, function in {**SPECIAL, **SINGLE}.items()},
    **{f"statistics.{name}": function for name, function in STATISTICS.items()},
}
for _name, _function in _WRITTEN.items():
    _function.__name__ = _name.rpartition(".")[2]  # as messages call it
