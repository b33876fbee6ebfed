"""Functions of NumPy at complex numbers and arrays of them, in Python.

What is linear is done to both parts; what is a product of two, to their pairs. Takes the classes of
complexes.py; knows nothing of how they are read.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .complexes import OF_CMATH

_TURNS = ((1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0))


def _linear(function):
    def of_parts(z, *args, **kwargs):
        return complex(function(z.real, *args, **kwargs), function(z.imag, *args, **kwargs))

    return of_parts


def _product(function):
    def of_pairs(a, b, *args, **kwargs):
        a, b = complex(a), complex(b)
        return complex(
            function(a.real, b.real, *args, **kwargs) - function(a.imag, b.imag, *args, **kwargs),
            function(a.real, b.imag, *args, **kwargs) + function(a.imag, b.real, *args, **kwargs),
        )

    return of_pairs


def _joined(function):
    def of_lists(parts, *args, **kwargs):
        real, imag = _reals(parts), _imags(parts)
        return complex(function(real, *args, **kwargs), function(imag, *args, **kwargs))

    return of_lists


def _reals(parts):
    if isinstance(parts, list | tuple):
        return [_reals(part) for part in parts]
    return parts.real if isinstance(parts, complex) else parts


def _imags(parts):
    if isinstance(parts, list | tuple):
        return [_imags(part) for part in parts]
    return parts.imag if isinstance(parts, complex) else np.zeros(np.shape(parts)) + 0.0


def _array(z: Any, dtype: Any = None) -> Any:
    return z.copy() if isinstance(z, complex) else _joined(np.array)(z)  # type: ignore[attr-defined]


def _asarray(z, dtype=None):
    return z if isinstance(z, complex) else _joined(np.array)(z)


def converted(reals):
    """`np.asarray(reals, dtype=complex)`: numbers of its own."""
    return complex(np.array(reals), 0.0)


def _where(condition, a, b):
    a, b = complex(a), complex(b)
    return complex(np.where(condition, a.real, b.real), np.where(condition, a.imag, b.imag))


def _vdot(a, b):
    return np.sum(np.ravel(complex(a).conjugate()) * np.ravel(b))


def _prod(z, axis=None):
    if axis is not None:
        raise ValueError("prod() of complex numbers takes all of them: no axis")
    return math.prod(list(np.ravel(z)))


def _polyval(p, x):
    value = complex(0.0, 0.0)
    for coefficient in p:
        value = value * x + coefficient
    return value


def _norm(z):
    return np.sqrt(np.sum(z.real**2 + z.imag**2))


def _solve(a, b):
    """By the real equations for both parts: (A + 1j*B) @ (x + 1j*y) = p + 1j*q."""
    a, b = complex(np.asarray(a)), complex(np.asarray(b))
    if a.ndim > 2:
        raise ValueError(f"this is a stack of {len(a)} matrices: take one after the other, m[k]")
    whole = np.block([[a.real, -a.imag], [a.imag, a.real]])
    found = np.linalg.solve(whole, np.concatenate([b.real, b.imag]))
    return complex(found[: len(a)], found[len(a) :])


def _inv(a):
    return _solve(a, np.eye(len(a)))


def _turn(k, n):
    """exp(-2j*pi*k/n), exactly at the quarters."""
    if 4 * k % n == 0:
        return _TURNS[4 * k // n % 4]
    return math.cos(2 * math.pi * k / n), -math.sin(2 * math.pi * k / n)


def _turns(count, n, step=1):
    turns = [_turn(k * step % n, n) for k in range(count)]
    return complex(np.array([c for c, _ in turns]), np.array([s for _, s in turns]))


def _fft(a, n=None):
    """Of an even number of elements by those at even and at odd places."""
    a = complex(np.asarray(a))
    if np.ndim(a.real) != 1 or n not in (None, len(a)):
        raise ValueError("fft() takes an array of one dimension here, and all of it")
    count = len(a)
    if count == 1:
        return a
    if count % 2:
        rows = [np.sum(a * _turns(count, count, k)) for k in range(count)]
        return np.array(rows)
    even, odd = _fft(a[::2]), _fft(a[1::2])
    turned = odd * _turns(count // 2, count)
    return np.concatenate([even + turned, even - turned])


def _ifft(a, n=None):
    a = complex(np.asarray(a))
    return _fft(a.conjugate(), n).conjugate() / len(a)


def _rfft(a, n=None):
    return _fft(a, n)[: len(a) // 2 + 1]


#: By the name in `numpy.fft`.
OF_FFT: Mapping[str, Callable[..., Any]] = {"fft": _fft, "ifft": _ifft, "rfft": _rfft}
#: By the name in `numpy`: functions of complex numbers.
OF_NUMPY: Mapping[str, Callable[..., Any]] = {
    **{name: OF_CMATH[name] for name in ("exp", "log", "log10", "sqrt", "sin", "cos", "tan")},
    **{name: OF_CMATH[name] for name in ("sinh", "cosh", "tanh")},
    "angle": OF_CMATH["phase"],
    **dict.fromkeys(("abs", "absolute"), abs),
    "real": lambda z: z.real,
    "imag": lambda z: z.imag,
    **dict.fromkeys(("conj", "conjugate"), lambda z: z.conjugate()),
    "square": lambda z: z * z,
    "negative": operator.neg,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    **dict.fromkeys(("divide", "true_divide"), operator.truediv),
    "power": operator.pow,
    "matmul": operator.matmul,
    **{
        name: _linear(getattr(np, name))
        for name in (
            *("sum", "mean", "cumsum", "diff", "trace", "diag", "diagonal", "ravel", "reshape"),
            *("transpose", "roll", "flip", "squeeze", "tile", "repeat", "expand_dims", "moveaxis"),
            *("swapaxes", "broadcast_to", "atleast_1d", "copy", "triu", "tril", "zeros_like"),
        )
    },
    **{name: _product(getattr(np, name)) for name in ("dot", "outer", "inner", "kron", "convolve")},
    "vdot": _vdot,
    "polyval": _polyval,
    "prod": _prod,
    "where": _where,
    "linalg.norm": _norm,
    "linalg.solve": _solve,
    "linalg.inv": _inv,
    "shape": lambda z: z.shape,
    "ndim": lambda z: z.ndim,
    "size": lambda z: z.size,
    "iscomplexobj": lambda z: True,
    **{f"fft.{name}": function for name, function in OF_FFT.items()},
}
#: By the name in `numpy`: functions of lists in which there are complex numbers.
OF_LISTS: Mapping[str, Callable[..., Any]] = {
    "array": _array,
    "asarray": _asarray,
    **{
        name: _joined(getattr(np, name))
        for name in ("stack", "concatenate", "hstack", "vstack", "column_stack", "block")
    },
}
for _name, _function in {**OF_NUMPY, **OF_LISTS}.items():
    if getattr(_function, "__module__", "") == __name__:
        _function.__name__ = _name.rpartition(".")[2]  # as messages call it
