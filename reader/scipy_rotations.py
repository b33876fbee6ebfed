"""`scipy.spatial.transform.Rotation`, in Python: it is read as a class of a user is.

One rotation, kept as a unit quaternion with its scalar last, as SciPy does. Takes the class of
SciPy by its name, which need not be imported.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821  # egad's words are known to all that is read

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .collected import stands_for

_AXES = "xyz"


@stands_for("scipy.spatial.transform._rotation.Rotation", lambda known: tuple(known.as_quat()))
class _Rotation:
    """A rotation by its quaternion."""

    _x: Any
    _y: Any
    _z: Any
    _w: Any

    def __init__(self, x, y, z, w):
        self._x, self._y, self._z, self._w = x, y, z, w

    @classmethod
    def identity(cls):
        return cls(0.0, 0.0, 0.0, 1.0)

    @classmethod
    def from_quat(cls, quat, scalar_first=False):
        q = np.asarray(quat)
        q = q / np.linalg.norm(q)
        return cls(q[1], q[2], q[3], q[0]) if scalar_first else cls(q[0], q[1], q[2], q[3])

    @classmethod
    def from_rotvec(cls, rotvec, degrees=False):
        x, y, z = np.asarray(rotvec) * (math.pi / 180.0 if degrees else 1.0)
        half = 0.5 * np.sqrt(x * x + y * y + z * z)
        scale = 0.5 * cardinal_sine(half)
        return cls(scale * x, scale * y, scale * z, cos(half))

    @classmethod
    def from_euler(cls, seq, angles, degrees=False):
        """Lower case turns about the axes that stay, upper case about those that turn, too."""
        angles = np.atleast_1d(angles) * (math.pi / 180.0 if degrees else 1.0)
        if len(angles) != len(seq):
            raise ValueError("as many angles are needed as axes")
        turns = [_about(cls, axis, a) for axis, a in zip(seq.lower(), angles, strict=True)]
        whole = turns[0]
        for turn in turns[1:]:
            whole = whole * turn if seq.isupper() else turn * whole
        return whole

    @classmethod
    def from_matrix(cls, matrix):
        """By the largest of four squares, of which one is not small."""
        m = np.asarray(matrix)
        a, b, c = m[0][0], m[1][1], m[2][2]
        trace = a + b + c
        if trace >= max(a, b, c):
            q = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace]
        elif a >= max(b, c):
            q = [1.0 - trace + 2 * a, m[1][0] + m[0][1], m[2][0] + m[0][2], m[2][1] - m[1][2]]
        elif b >= c:
            q = [m[1][0] + m[0][1], 1.0 - trace + 2 * b, m[2][1] + m[1][2], m[0][2] - m[2][0]]
        else:
            q = [m[2][0] + m[0][2], m[2][1] + m[1][2], 1.0 - trace + 2 * c, m[1][0] - m[0][1]]
        return cls.from_quat(q)

    def as_quat(self, canonical=False, *, scalar_first=False):
        x, y, z, w = self._x, self._y, self._z, self._w
        if canonical and w < 0:
            x, y, z, w = -x, -y, -z, -w
        return np.array([w, x, y, z] if scalar_first else [x, y, z, w])

    def as_matrix(self):
        x, y, z, w = self._x, self._y, self._z, self._w
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )

    def as_rotvec(self, degrees=False):
        """The angle over the sine of its half, about the axis: 2 where there is no turn."""
        x, y, z, w = self.as_quat(canonical=True)
        sine = np.sqrt(x * x + y * y + z * z)
        scale = 2.0 if sine == 0 else 2.0 * np.arctan2(sine, w) / sine
        return np.array([x, y, z]) * (scale * (180.0 / math.pi if degrees else 1.0))

    def apply(self, vectors, inverse=False):
        matrix = self.as_matrix()
        return np.asarray(vectors) @ (matrix if inverse else matrix.T)

    def inv(self):
        return _Rotation(-self._x, -self._y, -self._z, self._w)

    def magnitude(self):
        x, y, z, w = self._x, self._y, self._z, self._w
        return 2.0 * np.arctan2(np.sqrt(x * x + y * y + z * z), abs(w))

    def __mul__(self, other):
        a, b, c, d = self._x, self._y, self._z, self._w
        x, y, z, w = other._x, other._y, other._z, other._w
        return _Rotation(
            d * x + a * w + b * z - c * y,
            d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w,
            d * w - a * x - b * y - c * z,
        )


def _about(cls, axis, angle):
    """A turn about one of the axes."""
    if axis not in _AXES:
        raise ValueError("axes are x, y and z")
    parts = [sin(0.5 * angle) if name == axis else 0.0 for name in _AXES]
    return cls(*parts, cos(0.5 * angle))
