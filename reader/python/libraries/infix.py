"""The module `operator`: what Python's operators do, as functions that are read like a user's.

Those in place give what they have changed: a list, or another number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def _iadd(a, b):  # type: ignore[no-untyped-def]
    a += b
    return a


def _isub(a, b):  # type: ignore[no-untyped-def]
    a -= b
    return a


def _imul(a, b):  # type: ignore[no-untyped-def]
    a *= b
    return a


def _itruediv(a, b):  # type: ignore[no-untyped-def]
    a /= b
    return a


def _ifloordiv(a, b):  # type: ignore[no-untyped-def]
    a //= b
    return a


def _imod(a, b):  # type: ignore[no-untyped-def]
    a %= b
    return a


def _ipow(a, b):  # type: ignore[no-untyped-def]
    a **= b
    return a


def _imatmul(a, b):  # type: ignore[no-untyped-def]
    a @= b
    return a


def _iand(a, b):  # type: ignore[no-untyped-def]
    a &= b
    return a


def _ior(a, b):  # type: ignore[no-untyped-def]
    a |= b
    return a


def _ixor(a, b):  # type: ignore[no-untyped-def]
    a ^= b
    return a


def _ilshift(a, b):  # type: ignore[no-untyped-def]
    a <<= b
    return a


def _irshift(a, b):  # type: ignore[no-untyped-def]
    a >>= b
    return a


def _iconcat(a, b):  # type: ignore[no-untyped-def]
    a += b
    return a


def _setitem(a, b, c):  # type: ignore[no-untyped-def]
    a[b] = c


def _delitem(a, b):  # type: ignore[no-untyped-def]
    del a[b]


def _call(obj, /, *args, **kwargs):  # type: ignore[no-untyped-def]
    return obj(*args, **kwargs)


#: By their names in that module.
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "matmul": lambda a, b: a @ b,
    "and_": lambda a, b: a & b,
    "or_": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "neg": lambda a: -a,
    "pos": lambda a: +a,
    "inv": lambda a: ~a,
    "not_": lambda a: not a,
    "truth": lambda a: bool(a),
    "abs": lambda a: abs(a),
    "concat": lambda a, b: a + b,
    "iadd": _iadd,
    "isub": _isub,
    "imul": _imul,
    "itruediv": _itruediv,
    "ifloordiv": _ifloordiv,
    "imod": _imod,
    "ipow": _ipow,
    "imatmul": _imatmul,
    "iand": _iand,
    "ior": _ior,
    "ixor": _ixor,
    "ilshift": _ilshift,
    "irshift": _irshift,
    "iconcat": _iconcat,
    "setitem": _setitem,
    "delitem": _delitem,
    "call": _call,
}
