"""Further functions: small programs as they stand in renderers, simulators and solvers.

The first nine were not looked at when rules were written; the others showed which rules were
missing, or, as volume and svensson do, what digits cost that others lose. As functions.py: scalar
Python over a namespace of mathematics `m`, the differentiated inputs `p` and the constants `c`.
"""

from __future__ import annotations

from typing import Any

from .functions import Vector, add, cross, dot, mul, subtract


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


def double_sphere(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A point on the image of a camera with a very wide lens (double sphere model)."""
    x, y, z, fx, fy, cx, cy, xi, alpha = p
    near = m.sqrt(x * x + y * y + z * z)
    w = xi * near + z
    far = m.sqrt(x * x + y * y + w * w)
    depth = alpha * far + (1.0 - alpha) * w
    return [fx * x / depth + cx - c[0], fy * y / depth + cy - c[1]]


def ekf_update(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A place after a Kalman filter has seen it by range and bearing."""
    x, y, p11, p12, p22, r1, r2 = p
    d2 = x * x + y * y
    d = m.sqrt(d2)
    h = [[x / d, y / d], [-y / d2, x / d2]]
    ph = [[p11 * u + p12 * v for u, v in h], [p12 * u + p22 * v for u, v in h]]
    s11, s12 = dot(h[0], [ph[0][0], ph[1][0]]) + r1, dot(h[0], [ph[0][1], ph[1][1]])
    s22 = dot(h[1], [ph[0][1], ph[1][1]]) + r2
    determinant = s11 * s22 - s12 * s12
    inverse = [
        [s22 / determinant, -s12 / determinant],
        [-s12 / determinant, s11 / determinant],
    ]
    seen = [c[0] - d, c[1] - m.atan2(y, x)]
    gain = [[dot(row, column) for column in inverse] for row in ph]
    return [x + dot(gain[0], seen), y + dot(gain[1], seen)]


def stillinger(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Energy of three atoms by pairs and by angles (Stillinger-Weber)."""
    strength, repulsion, stiffness, decay, cutoff = c
    atoms = [p[0:3], p[3:6], p[6:9]]
    away = [[subtract(b, a) for b in atoms] for a in atoms]
    pairs = ((0, 1), (0, 2), (1, 2))
    length = {pair: m.sqrt(dot(away[pair[0]][pair[1]], away[pair[0]][pair[1]])) for pair in pairs}
    total: Any = 0.0
    for r in length.values():
        inverse = 1.0 / (r * r)
        total = add(
            total,
            strength * (repulsion * inverse * inverse - 1.0) * m.exp(1.0 / (r - cutoff)),
        )
    for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
        rj, rk = length[min(i, j), max(i, j)], length[min(i, k), max(i, k)]
        bend = dot(away[i][j], away[i][k]) / (rj * rk) + 1.0 / 3.0
        screen = m.exp(decay / (rj - cutoff) + decay / (rk - cutoff))
        total = add(total, stiffness * screen * bend * bend)
    return [total]


def sabr(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Implied volatility of an option by the SABR model (Hagan's expansion)."""
    forward, alpha, beta, rho, nu = p
    strike, time = c
    moneyness = m.log(forward / strike)
    rest = 1.0 - beta
    middle = m.exp(0.5 * rest * m.log(forward * strike))
    spread = rest * rest * moneyness * moneyness
    below = middle * (1.0 + spread / 24.0 + spread * spread / 1920.0)
    z = nu / alpha * middle * moneyness
    x = m.log((m.sqrt(1.0 - 2.0 * rho * z + z * z) + z - rho) / (1.0 - rho))
    drift = (
        rest * rest / 24.0 * alpha * alpha / (middle * middle)
        + 0.25 * rho * beta * nu * alpha / middle
        + (2.0 - 3.0 * rho * rho) / 24.0 * nu * nu
    )
    return [alpha / below * z / x * (1.0 + time * drift)]


def csg2d(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Distance to the outline of a segment with round ends and a turned box, blended."""
    x, y, sharpness, angle = p
    ax, ay, bx, by, radius, width, height, px, py = c
    toward, along = [x - ax, y - ay], [bx - ax, by - ay]
    h = m.min(m.max(dot(toward, along) / dot(along, along), 0.0), 1.0)
    beside = [toward[i] - along[i] * h for i in range(2)]
    segment = m.sqrt(dot(beside, beside)) - radius
    cosine, sine = m.cos(angle), m.sin(angle)
    u = cosine * (x - px) + sine * (y - py)
    v = cosine * (y - py) - sine * (x - px)
    qx, qy = m.max(u, -u) - width, m.max(v, -v) - height
    ox, oy = m.max(qx, 0.0), m.max(qy, 0.0)
    box = m.sqrt(ox * ox + oy * oy + 1e-6) + m.min(m.max(qx, qy), 0.0)
    union = -m.log(m.exp(-sharpness * segment) + m.exp(-sharpness * box)) / sharpness
    return [m.max(union, -union) - 0.05]


def softmax8(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Cross-entropy of a softmax of eight, with a temperature, as it is computed stably."""
    scores = [x / p[8] for x in p[0:8]]
    top = scores[0]
    for x in scores[1:]:
        top = m.max(top, x)
    total: Any = 0.0
    for x in scores:
        total = add(total, m.exp(x - top))
    return [m.log(total) + top - dot(c, scores)]


def fisheye(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A point on the image of a fisheye camera, by the angle off its axis (Kannala-Brandt)."""
    x, y, z, fx, fy, cx, cy, k1, k2, k3, k4 = p
    beside = m.sqrt(x * x + y * y)
    angle = m.atan2(beside, z)
    a2 = angle * angle
    bent = angle * (1.0 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))))
    return [fx * bent * x / beside + cx - c[0], fy * bent * y / beside + cy - c[1]]


def homography(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Where a homography near the identity puts a point, less where it was seen."""
    h, (x, y) = p[0:8], p[8:10]
    w = h[6] * x + h[7] * y + 1.0
    u = ((1.0 + h[0]) * x + h[1] * y + h[2]) / w
    v = (h[3] * x + (1.0 + h[4]) * y + h[5]) / w
    return [u - c[0], v - c[1]]


def cartpole(m: Any, p: Vector, c: Vector) -> list[Any]:
    """What a cart with a pole on it does next: velocities and accelerations."""
    _, speed, angle, turning, force = p
    cart, pole, length = c
    sine, cosine = m.sin(angle), m.cos(angle)
    both = cart + pole
    pushed = (force + pole * length * turning * turning * sine) / both
    below = length * (4.0 / 3.0 - pole * cosine * cosine / both)
    swing = (9.81 * sine - cosine * pushed) / below
    return [speed, pushed - pole * length * swing * cosine / both, turning, swing]


def torsion(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Energy of four atoms by the angle between the planes of the first and the last three."""
    first, axis, last = (subtract(p[k + 3 : k + 6], p[k : k + 3]) for k in (0, 3, 6))
    one, other = cross(first, axis), cross(axis, last)
    angle = m.atan2(dot(first, other) * m.sqrt(dot(axis, axis)), dot(one, other))
    return [
        c[0] * (1.0 + m.cos(angle))
        + c[1] * (1.0 - m.cos(2.0 * angle))
        + c[2] * (1.0 + m.cos(3.0 * angle - c[3]))
    ]


def volume(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Light along a ray through four samples that absorb and shine."""
    left: Any = 1.0
    colour = [0.0, 0.0, 0.0]
    for k in range(4):
        opaque = 1.0 - m.exp(-p[k] * c[k])
        weight = mul(left, opaque)
        colour = [add(colour[i], weight * p[4 + 3 * k + i]) for i in range(3)]
        left = mul(left, 1.0 - opaque)
    return list(colour)


def svensson(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A yield by Nelson, Siegel and Svensson, of a maturity that is an input, too."""
    level, slope, hump, second, decay, later, maturity = p
    x, y = maturity / decay, maturity / later
    e, f = m.exp(-x), m.exp(-y)
    mean = (1.0 - e) / x
    return [level + slope * mean + hump * (mean - e) + second * ((1.0 - f) / y - f)]


def lab(m: Any, p: Vector, c: Vector) -> list[Any]:
    """How far two colours are apart in CIELAB, by coordinate."""

    def coordinates(r: Any, g: Any, b: Any) -> list[Any]:
        x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
        y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
        fx, fy, fz = (m.exp(m.log(v) / 3.0) for v in (x, y, z))
        return [116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)]

    return subtract(coordinates(*p[0:3]), coordinates(*p[3:6]))


def lstm(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A cell of a recurrent network with gates: its output and its state."""
    state, before = p[16:18]

    def gate(k: int) -> Any:
        return p[k] * c[0] + p[k + 1] * c[1] + p[k + 2] * before + p[k + 3]

    def opened(k: int) -> Any:
        return 1.0 / (1.0 + m.exp(-gate(k)))

    kept = opened(0) * state + opened(4) * m.tanh(gate(8))
    return [opened(12) * m.tanh(kept), kept]


def two_link(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Accelerations of an arm of two links, by the inverse of its matrix of masses."""
    q1, q2, v1, v2, u1, u2 = p
    m1, m2, l1, l2 = c
    cosine, sine, weight = m.cos(q2), m.sin(q2), 9.81 * m2 * l2 * m.cos(q1 + q2)
    a = m1 * l1 * l1 + m2 * (l1 * l1 + 2.0 * l1 * l2 * cosine + l2 * l2)
    b, d = m2 * (l1 * l2 * cosine + l2 * l2), m2 * l2 * l2
    h = m2 * l1 * l2 * sine
    r1 = u1 + h * (2.0 * v1 * v2 + v2 * v2) - 9.81 * (m1 + m2) * l1 * m.cos(q1) - weight
    r2 = u2 - h * v1 * v1 - weight
    determinant = a * d - b * b
    return [(d * r1 - b * r2) / determinant, (a * r2 - b * r1) / determinant]


def mooney(m: Any, p: Vector, c: Vector) -> list[Any]:
    """Energy of a rubber by Mooney and Rivlin, with invariants that no change of volume moves."""
    f = [p[0:3], p[3:6], p[6:9]]
    columns = [[row[j] for row in f] for j in range(3)]
    stretch = [[dot(a, b) for b in columns] for a in columns]
    trace = stretch[0][0] + stretch[1][1] + stretch[2][2]
    squared: Any = 0.0
    for row in stretch:
        squared = add(squared, dot(row, row))
    volume = dot(f[0], cross(f[1], f[2]))
    first = trace * m.exp(-0.6666666666666666 * m.log(volume))
    second = 0.5 * (trace * trace - squared) * m.exp(-1.3333333333333333 * m.log(volume))
    away = volume - 1.0
    return [c[0] * (first - 3.0) + c[1] * (second - 3.0) + c[2] * away * away]


def hodgkin(m: Any, p: Vector, c: Vector) -> list[Any]:
    """A nerve's membrane by Hodgkin and Huxley: how its potential and its gates change."""
    v, x, h, n = p
    sodium, potassium, leak = c
    opening = 0.1 * (v + 40.0) / (1.0 - m.exp(-0.1 * (v + 40.0)))
    rising = 0.01 * (v + 55.0) / (1.0 - m.exp(-0.1 * (v + 55.0)))
    closing = 1.0 / (1.0 + m.exp(-0.1 * (v + 35.0)))
    current = sodium * x * x * x * h * (v - 50.0) + leak * (v + 54.4)
    return [
        -(current + potassium * n * n * n * n * (v + 77.0)),
        opening * (1.0 - x) - 4.0 * m.exp(-(v + 65.0) / 18.0) * x,
        0.07 * m.exp(-0.05 * (v + 65.0)) * (1.0 - h) - closing * h,
        rising * (1.0 - n) - 0.125 * m.exp(-(v + 65.0) / 80.0) * n,
    ]
