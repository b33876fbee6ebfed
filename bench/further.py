"""Further functions: small programs as they stand in renderers, simulators and solvers.

None of them was looked at when rules were written. As functions.py: scalar Python over a
namespace of mathematics `m`, the differentiated inputs `p` and the constants `c`.
"""

from __future__ import annotations

from typing import Any

from .functions import Vector, add, cross, dot, subtract


def radtan(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A point on a camera's image, with radial and tangential distortion (Brown-Conrady)."""
    x, y, z, fx, fy, cx, cy, k1, k2, p1, p2, k3 = p
    u, v = x / z, y / z
    r2 = u * u + v * v
    radial = 1.0 + k1 * r2 + k2 * r2 * r2 + k3 * r2 * r2 * r2
    du = 2.0 * p1 * u * v + p2 * (r2 + 2.0 * u * u)
    dv = p1 * (r2 + 2.0 * v * v) + 2.0 * p2 * u * v
    return [fx * (u * radial + du) + cx - c[0], fy * (v * radial + dv) + cy - c[1]]


def quaternion(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Where a rotation by a quaternion that is not of unit length puts a point, less a target."""
    q, point = p[0:4], p[4:7]
    inverse = 1.0 / m.sqrt(dot(q, q))
    w, *axis = (x * inverse for x in q)
    t = [2.0 * x for x in cross(axis, point)]
    turned = [point[i] + w * t[i] + x for i, x in enumerate(cross(axis, t))]
    return subtract(turned, c)


def disney(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Squared error of a specular lobe (anisotropic GTR2), a clear coat and a diffuse term."""
    rough, anisotropic, metal, coat, gloss = p[0:5]
    base, target = p[5:8], c[8:11]
    n_l, n_v, n_h, l_h, h_x, h_y, v_x, v_y = c[0:8]
    aspect = m.sqrt(1.0 - 0.9 * anisotropic)
    ax = m.max(rough * rough / aspect, 1e-3)
    ay = m.max(rough * rough * aspect, 1e-3)
    d = (h_x / ax) * (h_x / ax) + (h_y / ay) * (h_y / ay) + n_h * n_h
    lobe = 1.0 / (3.141592653589793 * ax * ay * d * d)
    shadow = 1.0 / (n_v + m.sqrt(v_x * ax * v_x * ax + v_y * ay * v_y * ay + n_v * n_v))
    f = 1.0 - l_h
    f5 = f * f * f * f * f
    g = 0.1 * (1.0 - gloss) + 0.001 * gloss
    g2 = g * g
    coated = (g2 - 1.0) / (m.log(g2) * 3.141592653589793 * (1.0 + (g2 - 1.0) * n_h * n_h))
    f90 = 0.5 + 2.0 * l_h * l_h * rough
    fl, fv = 1.0 - n_l, 1.0 - n_v
    fl5, fv5 = fl * fl * fl * fl * fl, fv * fv * fv * fv * fv
    diffuse = (1.0 + (f90 - 1.0) * fl5) * (1.0 + (f90 - 1.0) * fv5) / 3.141592653589793
    loss: Any = 0.0
    for k in range(3):
        f0 = 0.08 * (1.0 - metal) + base[k] * metal
        colour = base[k] * diffuse * (1.0 - metal) + lobe * shadow * (f0 + (1.0 - f0) * f5)
        e = colour + 0.25 * coat * coated * (0.04 + 0.96 * f5) - target[k]
        loss = add(loss, e * e)
    return [loss]


def black_scholes(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Price of a call; its derivatives are the Greeks of first and second order."""
    spot, strike, rate, volatility, time = p
    root = m.sqrt(time)
    spread = volatility * root
    d1 = (m.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / spread
    d2 = d1 - spread

    def below(x: Any) -> Any:  # the normal distribution, by the approximation of GELU
        return 0.5 * (1.0 + m.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))

    return [spot * below(d1) - strike * m.exp(-rate * time) * below(d2)]


def springs(m: Any, p: Vector, c: Vector) -> list[Any]:
    """The force of four springs on a particle, with damping along each."""
    here, force = p[0:3], [0.0, 0.0, 0.0]
    for k in range(4):
        there = p[3 + 3 * k : 6 + 3 * k]
        d = subtract(there, here)
        length = m.sqrt(dot(d, d))
        pull = c[0] * (length - c[1 + k]) / length + c[5] * dot(c[6:9], d) / (length * length)
        force = [add(force[i], pull * d[i]) for i in range(3)]
    return list(force)


def harmonics(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Squared error of light from nine spherical harmonics on a normal that has any length."""
    normal, light = p[0:3], p[3:12]
    inverse = 1.0 / m.sqrt(dot(normal, normal))
    x, y, z = (v * inverse for v in normal)
    basis = [
        0.282095,
        0.488603 * y,
        0.488603 * z,
        0.488603 * x,
        1.092548 * x * y,
        1.092548 * y * z,
        0.315392 * (3.0 * z * z - 1.0),
        1.092548 * x * z,
        0.546274 * (x * x - y * y),
    ]
    e = dot(basis, light) - c[0]
    return [e * e]


def pendulum(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Angular accelerations of a double pendulum."""
    a1, a2, w1, w2, m1, m2, l1, l2 = p
    gravity = c[0]
    turn = a1 - a2
    sine, cosine = m.sin(turn), m.cos(turn)
    below = 2.0 * m1 + m2 - m2 * m.cos(2.0 * turn)
    first = (
        -gravity * (2.0 * m1 + m2) * m.sin(a1)
        - m2 * gravity * m.sin(a1 - 2.0 * a2)
        - 2.0 * sine * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * cosine)
    )
    second = (
        2.0
        * sine
        * (w1 * w1 * l1 * (m1 + m2) + gravity * (m1 + m2) * m.cos(a1) + w2 * w2 * l2 * m2 * cosine)
    )
    return [first / (l1 * below), second / (l2 * below)]


def smooth_union(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Distance to a sphere, a box and a torus, blended; its gradient is the surface's normal."""
    x, k = p[0:3], p[3]

    def blended(a: Any, b: Any) -> Any:
        h = m.min(m.max(0.5 + 0.5 * (b - a) / k, 0.0), 1.0)
        return b + (a - b) * h - k * h * (1.0 - h)

    ball = subtract(x, c[0:3])
    sphere = m.sqrt(dot(ball, ball)) - c[3]
    q = [m.max(x[i], -x[i]) - c[4 + i] for i in range(3)]
    out = [m.max(v, 0.0) for v in q]
    inside = m.min(m.max(q[0], m.max(q[1], q[2])), 0.0)
    box = m.sqrt(dot(out, out) + 1e-8) + inside
    ring = m.sqrt(x[0] * x[0] + x[2] * x[2]) - c[7]
    torus = m.sqrt(ring * ring + x[1] * x[1]) - c[8]
    return [blended(blended(sphere, box), torus)]


def polynomials(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Squared error of a polynomial of degree seven at four places that move."""
    coefficients, places = p[0:8], p[8:12]
    loss: Any = 0.0
    for x, wanted in zip(places, c, strict=True):
        power: Any = 1.0
        value: Any = 0.0
        for coefficient in coefficients:
            value = add(value, coefficient * power)
            power = power * x
        e = value - wanted
        loss = add(loss, e * e)
    return [loss]
