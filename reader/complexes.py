"""Complex numbers, in Python: they are read as a class of a user is, of two reals.

    z * w = (z.real*w.real - z.imag*w.imag) + 1j*(z.real*w.imag + z.imag*w.real)

The parts are numbers, or arrays of one shape: an array of complex numbers is two of reals. A part
that is known to be 0 stays so, whatever it is multiplied by. Functions are those of `cmath`, and
take numbers and arrays; those of NumPy are in complex_arrays.py.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .collected import stands_for


def is_known_zero(part):
    """Whether a number, or all of an array, is known to be 0 while reading."""
    return bool(np.all(part == 0))


@stands_for(complex, lambda known: (known.real, known.imag))
class _Complex:
    """A complex number, or an array of them."""

    def __init__(self, real=0.0, imag=0.0):
        if isinstance(real, complex) or isinstance(imag, complex):
            whole = real + _Complex(0.0, 1.0) * imag
            real, imag = whole.real, whole.imag
        self.real, self.imag = _part(real, np.shape(imag)), _part(imag, np.shape(real))

    @staticmethod
    def as_python(real: Any, imag: Any) -> Any:
        if not isinstance(real, np.ndarray):  # a number, or an array of a device
            is_number = isinstance(real, float | np.floating)
            return complex(real, imag) if is_number else real + 1j * imag
        found = np.empty(real.shape, np.result_type(real, np.complex64))
        found.real, found.imag = real, imag
        return found

    def __add__(self, other):
        other = _complex(other)
        return _Complex(self.real + other.real, self.imag + other.imag)

    __radd__ = __add__

    def __sub__(self, other):
        other = _complex(other)
        return _Complex(self.real - other.real, self.imag - other.imag)

    def __rsub__(self, other):
        return _complex(other) - self

    def __mul__(self, other):
        other = _complex(other)
        return _Complex(
            _times(self.real, other.real) - _times(self.imag, other.imag),
            _times(self.real, other.imag) + _times(self.imag, other.real),
        )

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = _complex(other)
        if is_known_zero(other.imag):
            return _Complex(self.real / other.real, self.imag / other.real)
        if is_known_zero(other.real):
            return _Complex(self.imag / other.imag, -self.real / other.imag)
        size = other.real * other.real + other.imag * other.imag
        found = self * other.conjugate()
        return _Complex(found.real / size, found.imag / size)

    def __rtruediv__(self, other):
        return _complex(other) / self

    def __pow__(self, n):
        is_known = isinstance(n, int | float) and is_known_zero(0 * n)
        if is_known and n == round(n) and abs(n) <= 100:
            whole = _whole_power(self, abs(round(n)))
            return whole if n >= 0 else 1.0 / whole
        return _exp(_complex(n) * _log(self))

    def __rpow__(self, base):
        return _exp(self * _log(base))

    def __neg__(self):
        return _Complex(-self.real, -self.imag)

    def __pos__(self):
        return _Complex(+self.real, +self.imag)

    def __abs__(self):
        return np.abs(self.real) if is_known_zero(self.imag) else np.hypot(self.real, self.imag)

    def __eq__(self, other):
        other = _complex(other)
        return (self.real == other.real) & (self.imag == other.imag)

    def __bool__(self):
        return self.real != 0 or self.imag != 0

    def conjugate(self):
        return _Complex(+self.real, -self.imag)

    # --- arrays of complex numbers: both parts have the shape ---

    def __iadd__(self, other):
        return self._becomes(self + other)

    def __isub__(self, other):
        return self._becomes(self - other)

    def __imul__(self, other):
        return self._becomes(self * other)

    def __itruediv__(self, other):
        return self._becomes(self / other)

    def _becomes(self, new):
        """An array changes where it is; a number is another one."""
        if np.ndim(self.real) == 0:
            return new
        self[...] = new
        return self

    def __matmul__(self, other):
        other = _complex(other)
        return _Complex(
            self.real @ other.real - self.imag @ other.imag,
            self.real @ other.imag + self.imag @ other.real,
        )

    def __rmatmul__(self, other):
        return _complex(other) @ self

    def __getitem__(self, places):
        return _Complex(self.real[places], self.imag[places])

    def __setitem__(self, places, new):
        new = _complex(new)
        self.real[places], self.imag[places] = new.real, new.imag

    def __len__(self):
        return len(self.real)

    def __iter__(self):
        return iter([self[k] for k in range(len(self))])

    @property
    def shape(self):
        return np.shape(self.real)

    @property
    def ndim(self):
        return np.ndim(self.real)

    @property
    def size(self):
        return np.size(self.real)

    @property
    def T(self):
        return _Complex(self.real.T, self.imag.T)

    def conj(self):
        return self.conjugate()

    def sum(self, axis=None):
        return _Complex(np.sum(self.real, axis=axis), np.sum(self.imag, axis=axis))

    def mean(self, axis=None):
        return _Complex(np.mean(self.real, axis=axis), np.mean(self.imag, axis=axis))

    def copy(self):
        return _Complex(np.array(self.real), np.array(self.imag))

    def reshape(self, *shape):
        return _Complex(self.real.reshape(*shape), self.imag.reshape(*shape))


def _part(part, other):
    """One of the parts, a real, as large as the other one."""
    part = float(part) if isinstance(part, int) else part
    shape = np.broadcast_shapes(np.shape(part), other)
    return part if np.shape(part) == shape else part + np.zeros(shape)


def _complex(z):
    return z if isinstance(z, complex) else _Complex(z, 0.0)


def _times(a, b):
    if is_known_zero(a) or is_known_zero(b):
        shape = np.broadcast_shapes(np.shape(a), np.shape(b))
        return np.zeros(shape) if shape else 0.0
    return a * b


def _whole_power(z, n):
    if n < 2:
        return z if n else _Complex(1.0, 0.0)
    half = _whole_power(z, n // 2)
    return half * half * z if n % 2 else half * half


def _phase(z):
    """Above the cut: whether a 0 has a sign is not kept by real identities."""
    z = _complex(z)
    angle = np.arctan2(z.imag, z.real)
    return np.where((z.imag == 0) & (angle < 0), angle + 2 * math.pi, angle)


def _polar(z):
    return abs(_complex(z)), _phase(z)


def _rect(r, phi):
    return _Complex(r * np.cos(phi), r * np.sin(phi))


def _exp(z):
    z = _complex(z)
    if is_known_zero(z.real):
        return _Complex(np.cos(z.imag), np.sin(z.imag))
    return _rect(np.exp(z.real), z.imag)


def _log(z, base=None):
    z = _complex(z)
    found = _Complex(np.log(abs(z)), _phase(z))
    return found if base is None else found / _log(base)


def _log10(z):
    return _log(z) / math.log(10)


def _sqrt(z):
    """The root right of the imaginary axis, of negative numbers above 0: nothing cancels."""
    z = _complex(z)
    x, y = z.real, z.imag
    if is_known_zero(y):
        root = np.sqrt(np.abs(x))
        return _Complex(np.where(x >= 0, root, 0.0), np.where(x >= 0, 0.0, root))
    s = np.sqrt((np.abs(x) + abs(z)) / 2)
    t = np.where(s > 0, y / np.where(s > 0, 2 * s, 1.0), 0.0)
    return _Complex(np.where(x >= 0, s, np.abs(t)), np.where(x >= 0, t, np.where(y < 0, -s, s)))


def _sin(z):
    z = _complex(z)
    return _Complex(np.sin(z.real) * np.cosh(z.imag), np.cos(z.real) * np.sinh(z.imag))


def _cos(z):
    z = _complex(z)
    return _Complex(np.cos(z.real) * np.cosh(z.imag), -(np.sin(z.real) * np.sinh(z.imag)))


def _tan(z):
    z = _complex(z)
    turned = _tanh(_Complex(-z.imag, z.real))  # tan(z) = -1j*tanh(1j*z)
    return _Complex(turned.imag, -turned.real)


def _sinh(z):
    z = _complex(z)
    return _Complex(np.sinh(z.real) * np.cos(z.imag), np.cosh(z.real) * np.sin(z.imag))


def _cosh(z):
    z = _complex(z)
    return _Complex(np.cosh(z.real) * np.cos(z.imag), np.sinh(z.real) * np.sin(z.imag))


def _tanh(z):
    """By the real t = tanh(x), which does not overflow: the quotient of sinh and cosh."""
    z = _complex(z)
    t, c, s = np.tanh(z.real), np.cos(z.imag), np.sin(z.imag)
    size = c * c + t * t * s * s
    return _Complex(t / size, s * c * (1 - t) * (1 + t) / size)


#: By the name in `cmath`; NumPy's functions of one number have the same names.
OF_CMATH: Mapping[str, Callable[..., Any]] = {
    "phase": _phase,
    "polar": _polar,
    "rect": _rect,
    "exp": _exp,
    "log": _log,
    "log10": _log10,
    "sqrt": _sqrt,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
}
