"""Complex numbers, functions of `cmath`, and arrays of complex numbers.

Every public function takes two real numbers and gives a real one; Python runs them too.
"""

import cmath
import math
from dataclasses import dataclass

import numpy as np

_J = 1j
_TURNS = np.exp(-2j * np.pi * np.arange(3) / 3)


@dataclass
class _Wave:
    amplitude: complex
    k: float

    def at(self, x):
        return self.amplitude * cmath.exp(1j * self.k * x)


def operators(a, b):
    z, w = a + b * _J, 2 - 3j * a
    u = z / w + w / 2 - 1 / z + z**3 - z**-2 + 2 * z.conjugate() + (-z) * +w
    v = z**0.5 + z**w + 2**z + z**2.0 / 3j
    u += 1j
    u *= 0.5
    return u.real - 2 * u.imag + v.real * v.imag + abs(u - v) + (z == w) + bool(z)


def of_cmath(a, b):
    z, total = complex(a, b), 0.0
    functions = (cmath.exp, cmath.log, cmath.sqrt, cmath.log10, cmath.sin, cmath.cos, cmath.tan)
    for k, f in enumerate((*functions, cmath.sinh, cmath.cosh, cmath.tanh), 1):
        total += f(z).real * k + f(z).imag / k + f(-z).imag
    r, phi = cmath.polar(z)
    return total + r * phi + cmath.phase(z) + cmath.rect(a, b).imag + cmath.log(z, 2).real


def total_reflection(a, b):
    """Fresnel's coefficients of both polarizations, on both sides of the critical angle."""
    total = 0.0
    for n in (1.5, 0.4):
        s = math.sin(0.3 * a + 0.5) / n
        inside, outside = cmath.sqrt(1 - s * s), math.cos(0.3 * a + 0.5)
        r = (outside - n * b * inside) / (outside + n * b * inside)
        total += abs(r) ** 2 + cmath.phase(r)
    return total


def metal(a, b):
    n = complex(0.2 + a, 3.0 * b)
    inside, outside = cmath.sqrt(1 - (math.sin(0.4) / n) ** 2), math.cos(0.4)
    s, p = (outside - n * inside), (n * outside - inside)
    return 0.5 * (abs(s / (outside + n * inside)) ** 2 + abs(p / (n * outside + inside)) ** 2)


def roots_of_a_quadratic(a, b):
    root = cmath.sqrt(a * a - 4 * b)
    first, second = (-a + root) / 2, (-a - root) / 2
    return abs(first) + second.imag * first.real


def characteristic_function(a, b):
    """Heston's, at a few frequencies."""
    kappa, theta, sigma, rho, total = 1.0 + a, 0.04, 0.3, -0.6, 0.0
    for k in range(1, 4):
        iu = 0.7j * k
        d = cmath.sqrt((rho * sigma * iu - kappa) ** 2 + sigma**2 * (iu + (0.7 * k) ** 2))
        low, high = kappa - rho * sigma * iu - d, kappa - rho * sigma * iu + d
        g, e = low / high, cmath.exp(-d)
        c = kappa * theta / sigma**2 * (low - 2 * cmath.log((1 - g * e) / (1 - g)))
        phi = cmath.exp(c + low / sigma**2 * (1 - e) / (1 - g * e) * 0.1 * b + 0.02 * iu)
        total += (cmath.exp(-0.05 * iu) * phi / iu).real
    return total


def in_loops(a, b):
    z = complex(1, 0)
    for _ in range(40):
        z = z * cmath.exp(0.3j * a) * (1 - 0.01 * b)
        if abs(z) < 0.7:
            z += 0.5
    mandel = 0j
    for _ in range(5):
        mandel = mandel * mandel + complex(0.3 * a, 0.2 * b)
    return z.real + z.imag + abs(mandel)


def beside_reals(a, b):
    def root(x) -> complex:
        if x < 0:
            return 1j * math.sqrt(-x)
        return math.sqrt(x)

    z = complex(a, b) if a > b else 0.5
    w = 0.0
    for k in range(3):
        w += cmath.exp(1j * a * k) * b
    return abs(root(a - b) + a) + abs(z) + abs(w) + isinstance(w, complex) * z.real


def in_containers(a, b):
    poles: dict[str, complex] = {"p": complex(-a, b), "q": complex(-a, -b)}
    waves = [_Wave(1.0 + a * 1j, 2.0), _Wave(b, 3.0)]
    h = [1 / math.prod(1j * w - p for p in poles.values()) for w in (0.1, 0.5, 1.0)]
    h.sort(key=abs)
    return abs(sum(w.at(0.7) for w in waves)) ** 2 + abs(h[0]) + cmath.phase(sum(h))


def arrays(a, b):
    n = np.arange(5)
    w = np.exp(1j * n * (2.0 * a * np.sin(b) + 0.1))
    frequencies = np.linspace(0.1, 3.0, 6)
    h = (1j * frequencies + a) / ((1j * frequencies) ** 2 + b * 1j * frequencies + 1)
    phases = np.unwrap(np.angle(h))
    turned = _TURNS * np.array([a, b, 1.0])
    return (
        np.abs(np.sum(w)) ** 2
        + np.angle(w.mean())
        + w[2].real
        + np.log10(np.abs(h)).max()
        + phases[-1]
        + np.real(h).mean()
        + abs(turned.sum())
    )


def changed_in_place(a, b):
    z, x = np.zeros(3, dtype=complex), np.array([a, b, 0.3])
    same, before = z, x * 1j
    z[0] = a + 1j * b
    z[1:] += x[1:] * 1j
    z *= 2 - 1j
    z[::2] /= 1 + a * 1j
    part, turned, plus = same[1:], z.conj(), +z
    part -= 0.5
    turned += 1.0
    plus += 1.0
    kept = np.asarray(x, dtype=complex)
    kept += 1.0
    s = 0j
    for k, e in enumerate(same):
        s += e * k + len(z)
    parts = z.real.sum() + same.imag[1] + before.imag @ x + (x.astype(complex) * 1j).imag[2]
    return abs(s) + parts + np.vdot(z, turned).real + np.linalg.norm(kept) + plus[1].real


def shapes(a, b):
    x = np.array([a, b, 0.5])
    z = x + 1j * np.sqrt(x) * a
    m, s = np.outer(z, z.conj()), np.stack([z, x]) @ z
    c, w = np.concatenate([z, [1j, a], x]), np.where(x > 0.6, z, 1j)
    total = np.trace(m).real + abs(s[0]) + c.sum().imag + np.abs(w).max() + np.dot(z, z).imag
    total += m.T[0, 1].imag + np.roll(z, 1)[0].real + np.prod(z).real + (z**2).imag[0]
    total += np.sqrt(z).real.sum() + (1 / z).imag[1] + z[::-1].real[0] + z.reshape(3, 1)[2, 0].imag
    return total + np.array([[complex(a, k * b) for k in range(2)], [1, 2j]]).sum().imag


def matrices_of_layers(a, b):
    whole = np.eye(2, dtype=complex)
    for n, t in ((1.4 + a, 0.1), (2.1, 0.08 * b)):
        delta = 2 * np.pi * n * t / 0.55
        c, s = np.cos(delta), np.sin(delta)
        whole = whole @ np.array([[c, 1j * s / n], [1j * n * s, c]])
    top, bottom = whole @ np.array([1.0, 1.52])
    return np.abs((top - bottom) / (top + bottom)) ** 2


def equations(a, b):
    y = np.array([[1 + 1j * a, -0.5j], [-0.5j, b - 1j / a]])
    v = np.linalg.solve(y, np.array([1.0, 0.0]))
    w = np.linalg.solve(np.array([[a, 1.0], [0.2, b]]), np.array([1j, b]))
    return abs(v[1]) + np.angle(v[0]) + w.imag[0] + w[1].real + np.linalg.inv(y)[1, 1].imag


def caught(a, b):
    total = 0.0
    for x in (0.0, b):
        try:
            total += ((a + 1j) / complex(x, 0.0)).real
        except ZeroDivisionError:
            total += 5.0 * a
    return total


def polynomials(a, b):
    s = 1.5j * b
    h = np.polyval([1.0, a], s) / np.polyval(np.array([1.0, 0.4 * a, b]), s)
    return abs(h) + np.multiply(h, 1j).real + np.square(h).imag


def transforms(a, b):
    x = np.array([0.1, a, -0.2, b, 0.3, 0.0, a * b, -0.6])
    whole, odd = np.fft.fft(x), np.fft.fft(x[:5])
    shifted = np.fft.ifft(whole * np.exp(-0.3j * np.arange(8)))
    half, powers = np.fft.rfft(x[:6]), np.abs(whole) ** 2
    total = powers[1] + 2 * powers[3] + shifted.real[2] + shifted.imag @ x
    return total + half[1].imag + half[3].real + abs(odd[2]) + odd[1].imag
