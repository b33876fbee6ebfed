"""The functions of the workloads: plain scalar Python over a namespace of mathematics `m`.

Takes `m` (sin, cos, tanh, exp, log, sqrt, atan2, min, max), the differentiated inputs `p` and
the constants `c`, gives a list of outputs. Whoever brings `m` decides what is computed: NumPy
arrays, high-precision numbers, symbolic values. Knows nothing of derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Vector = Sequence[Any]
Matrix = Sequence[Vector]
Function = Callable[[Any, Vector, Vector], list[Any]]


# ---------------------------------------------------------------- small vectors


def mul(a: Any, b: Any) -> Any:
    """The product; literal zeros and ones are folded, so that nobody is charged for them."""
    if _is_literal(a, 0) or _is_literal(b, 0):
        return 0.0
    if _is_literal(a, 1):
        return b
    return a if _is_literal(b, 1) else a * b


def add(a: Any, b: Any) -> Any:
    """The sum; literal zeros are folded."""
    if _is_literal(a, 0):
        return b
    return a if _is_literal(b, 0) else a + b


def _is_literal(value: Any, number: int) -> bool:
    return isinstance(value, int | float) and value == number


def dot(a: Vector, b: Vector) -> Any:
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        total = add(total, mul(x, y))
    return total


def cross(a: Vector, b: Vector) -> list[Any]:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def subtract(a: Vector, b: Vector) -> list[Any]:
    return [x - y for x, y in zip(a, b, strict=True)]


def matmul(a: Matrix, b: Matrix) -> list[list[Any]]:
    columns = list(zip(*b, strict=True))
    return [[dot(row, column) for column in columns] for row in a]


# ---------------------------------------------------------------- rendering


def poly(m: Any, p: Vector, c: Vector) -> list[Any]:
    a, x = p
    return [a * x * x]


def ggx(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Squared error of a colour shaded with the GGX microfacet model."""
    normal, light, view = p[0:3], p[3:6], p[6:9]
    rough, metal, base = p[9], p[10], p[11:14]
    half = [light[i] + view[i] for i in range(3)]
    inverse = 1.0 / m.sqrt(dot(half, half))
    half = [h * inverse for h in half]
    n_l = m.max(dot(normal, light), 1e-4)
    n_v = m.max(dot(normal, view), 1e-4)
    n_h = m.max(dot(normal, half), 1e-4)
    v_h = m.max(dot(view, half), 1e-4)
    a = rough * rough
    a2 = a * a
    d = n_h * n_h * (a2 - 1.0) + 1.0
    distribution = a2 / (math.pi * d * d)
    visibility = 0.5 / (
        n_l * m.sqrt(n_v * n_v * (1.0 - a2) + a2) + n_v * m.sqrt(n_l * n_l * (1.0 - a2) + a2)
    )
    t = 1.0 - v_h
    t2 = t * t
    t5 = t2 * t2 * t
    loss: Any = 0.0
    for k in range(3):
        f0 = 0.04 * (1.0 - metal) + base[k] * metal
        fresnel = f0 + (1.0 - f0) * t5
        diffuse = base[k] * (1.0 - metal) * (1.0 - fresnel) * (1.0 / math.pi)
        colour = (diffuse + distribution * visibility * fresnel) * n_l
        e = colour - c[k]
        loss = add(loss, e * e)
    return [loss]


def sdf_raymarch(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Distance along a ray after 16 steps towards the smooth union of two spheres."""
    centre1, radius1, centre2, radius2, k = p[0:3], p[3], p[4:7], p[7], p[8]
    origin, direction = c[0:3], c[3:6]
    t: Any = 0.0
    for _ in range(16):
        x = [add(origin[i], mul(t, direction[i])) for i in range(3)]
        u, v = subtract(x, centre1), subtract(x, centre2)
        d1 = m.sqrt(dot(u, u)) - radius1
        d2 = m.sqrt(dot(v, v)) - radius2
        h = m.min(m.max(0.5 + 0.5 * (d2 - d1) / k, 0.0), 1.0)
        distance = d2 + h * (d1 - d2) - k * h * (1.0 - h)
        t = add(t, distance)
    return [t]


def gaussian_splat(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Inverse covariance and centre of a 3D Gaussian on the screen (EWA projection)."""
    mean, scale, quaternion = p[0:3], p[3:6], p[6:10]
    world = [c[0:3], c[3:6], c[6:9]]
    shift = c[9:12]
    fx, fy, cx, cy = c[12:16]
    inverse = 1.0 / m.sqrt(dot(quaternion, quaternion))
    w, x, y, z = [q * inverse for q in quaternion]
    rotation = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    scaled = [[rotation[i][j] * scale[j] for j in range(3)] for i in range(3)]
    t = [dot(world[i], mean) + shift[i] for i in range(3)]
    iz = 1.0 / t[2]
    jacobian = [[fx * iz, 0.0, -fx * t[0] * iz * iz], [0.0, fy * iz, -fy * t[1] * iz * iz]]
    projected = matmul(matmul(jacobian, world), scaled)
    a = dot(projected[0], projected[0]) + 0.3
    b = dot(projected[0], projected[1])
    d = dot(projected[1], projected[1]) + 0.3
    idet = 1.0 / (a * d - b * b)
    return [d * idet, -b * idet, a * idet, fx * t[0] * iz + cx, fy * t[1] * iz + cy]


# ---------------------------------------------------------------- vision and robotics


def ba_reproj(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Reprojection error of bundle adjustment, as in ADBench."""
    rotation, centre, focal = p[0:3], p[3:6], p[6]
    principal, radial, point, weight = p[7:9], p[9:11], p[11:14], p[14]
    y = subtract(point, centre)
    angle = m.sqrt(dot(rotation, rotation))
    cosine, sine = m.cos(angle), m.sin(angle)
    inverse = 1.0 / angle
    axis = [r * inverse for r in rotation]
    turned = cross(axis, y)
    along = dot(axis, y) * (1.0 - cosine)
    r = [y[i] * cosine + turned[i] * sine + axis[i] * along for i in range(3)]
    u, v = r[0] / r[2], r[1] / r[2]
    r2 = u * u + v * v
    distortion = 1.0 + radial[0] * r2 + radial[1] * r2 * r2
    return [
        weight * (u * distortion * focal + principal[0] - c[0]),
        weight * (v * distortion * focal + principal[1] - c[1]),
    ]


def _quaternion_product(a: Vector, b: Vector) -> list[Any]:
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]


def _rotated(q: Vector, v: Vector) -> list[Any]:
    # v + 2 q_v x (q_v x v + w v)
    axis = q[1:4]
    t = cross(axis, v)
    t = [t[i] + q[0] * v[i] for i in range(3)]
    u = cross(axis, t)
    return [v[i] + 2.0 * u[i] for i in range(3)]


def _conjugate(q: Vector) -> list[Any]:
    return [q[0], -q[1], -q[2], -q[3]]


def se3_between(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Error of a measured relative pose; poses are quaternions (w, x, y, z) and translations."""
    rotation_a, shift_a, rotation_b, shift_b = p[0:4], p[4:7], p[7:11], p[11:14]
    measured_rotation, measured_shift = c[0:4], c[4:7]
    between = _quaternion_product(_conjugate(rotation_a), rotation_b)
    e = _quaternion_product(_conjugate(measured_rotation), between)
    n = m.sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    s = 2.0 * m.atan2(n, e[0]) / n
    d = _rotated(_conjugate(rotation_a), subtract(shift_b, shift_a))
    moved = [d[i] - measured_shift[i] for i in range(3)]
    return [e[1] * s, e[2] * s, e[3] * s, *moved]


# Denavit-Hartenberg parameters a, d, cos(alpha), sin(alpha) of a UR5-like arm.
_JOINTS = (
    (0.0, 0.089159, 0, 1),
    (-0.425, 0.0, 1, 0),
    (-0.39225, 0.0, 1, 0),
    (0.0, 0.10915, 0, 1),
    (0.0, 0.09465, 0, -1),
    (0.15, 0.0823, 1, 0),
)


def fk6(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Position of the hand of an arm with six joints."""
    pose: list[list[Any]] = []
    for angle, (a, d, ca, sa) in zip(p, _JOINTS, strict=True):
        cq, sq = m.cos(angle), m.sin(angle)
        link = [
            [cq, mul(-sq, float(ca)), mul(sq, float(sa)), mul(cq, a)],
            [sq, mul(cq, float(ca)), mul(-cq, float(sa)) if sa else 0.0, mul(sq, a)],
            [0.0, float(sa), float(ca), d],
            [0.0, 0.0, 0.0, 1.0],
        ]
        pose = matmul(pose, link) if pose else link[:3]
    return [pose[0][3], pose[1][3], pose[2][3]]


# ---------------------------------------------------------------- learning and physics


def mlp_small(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Squared loss of a network 3-16-16-1 with tanh."""
    weights = iter(p)

    def layer(x: Vector, width: int) -> list[Any]:
        rows = [[next(weights) for _ in x] for _ in range(width)]
        sums = [next(weights) for _ in range(width)]
        for i, row in enumerate(rows):
            for w, v in zip(row, x, strict=True):
                sums[i] = sums[i] + w * v
        return sums

    h = [m.tanh(s) for s in layer(c[0:3], 16)]
    h = [m.tanh(s) for s in layer(h, 16)]
    e = layer(h, 1)[0] - c[3]
    return [e * e]


def lj8(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Lennard-Jones energy of eight atoms."""
    energy: Any = 0.0
    for i in range(8):
        for j in range(i + 1, 8):
            d = [p[3 * i + k] - p[3 * j + k] for k in range(3)]
            i2 = 1.0 / dot(d, d)
            i6 = i2 * i2 * i2
            energy = add(energy, 4.0 * (i6 * i6 - i6))
    return [energy]


def neohookean(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Energy of a neo-Hookean solid at the deformation gradient p, row by row."""
    mu, lam = c
    i1 = dot(p, p)
    j = (
        p[0] * (p[4] * p[8] - p[5] * p[7])
        - p[1] * (p[3] * p[8] - p[5] * p[6])
        + p[2] * (p[3] * p[7] - p[4] * p[6])
    )
    log_j = m.log(j)
    return [0.5 * mu * (i1 - 3.0) - mu * log_j + 0.5 * lam * log_j * log_j]


# ---------------------------------------------------------------- sharing under stress


def chain(links: int) -> Function:
    """A chain of `links` steps of six operations, each of which uses the last one's results."""

    def chained(m: Any, p: Vector, c: Vector) -> list[Any]:
        x, y = p
        for _ in range(links):
            t = m.sin(x) * m.cos(y)
            x, y = y + 0.1 * t, x - 0.1 * t
        return [x]

    return chained
