"""Derivatives written by hand: of an equation instead of its solver, and one that is clipped."""

import numpy as np
from differences import check

from egad import clamp, cos, custom_bwd, custom_fwd, derive, diff_pair, force_unroll, sin


def iterate(e: float, m: float) -> float:
    """Kepler's equation x - e sin(x) = m, by five of Newton's steps."""
    x = m + e * sin(m)
    for _ in force_unroll(range(5)):
        x -= (x - e * sin(x) - m) / (1.0 - e * cos(x))
    return x


# Whatever the solver, (1 - e cos x) dx = dm + sin(x) de; the x in it has the same rule in turn.
def kepler_fwd(e, m):
    x = kepler(e.p, m.p)
    return diff_pair(x, (m.d + sin(x) * e.d) / (1.0 - e.p * cos(x)))


def kepler_bwd(e, m, x_bar):
    x = kepler(e, m)
    m_bar = x_bar / (1.0 - e * cos(x))
    return sin(x) * m_bar, m_bar


@custom_fwd(kepler_fwd)
@custom_bwd(kepler_bwd)
def kepler(e: float, m: float) -> float:
    return iterate(e, m)


def clipped_bwd(x, y_bar):  # gradients larger than 1 do not pass
    return (clamp(y_bar, -1.0, 1.0),)


@custom_bwd(clipped_bwd)
def clipped(x: float) -> float:
    return x


at = {"e": np.linspace(0.0, 0.8, 10), "m": np.linspace(0.1, 3.0, 10)}
implicit, unrolled = (derive(f, mode="bwd", dtype="float64") for f in (kepler, iterate))
print(f"through five Newton steps: cost {unrolled.report.cost_after:g}")
print(f"by the implicit function: cost {implicit.report.cost_after:g}")
assert implicit.report.cost_after < unrolled.report.cost_after

check(kepler, at, dict(implicit(**at, out_bar=1.0).items()))
along_m = derive(kepler, "fwd", dtype="float64")(at["e"], diff_pair(at["m"], np.ones(10)))
assert np.allclose(along_m.d, implicit(**at, out_bar=1.0).m, rtol=1e-12)

curvature = derive(kepler, mode="hessian", dtype="float64")(**at).m.m
x = kepler(at["e"], at["m"])
assert np.allclose(curvature, -at["e"] * np.sin(x) / (1.0 - at["e"] * np.cos(x)) ** 3, rtol=1e-9)

steep = derive(lambda x: 100.0 * clipped(x) ** 2, mode="bwd")
print(f"gradient of 100 x², clipped: {steep([-3.0, 0.001, 3.0], 1.0).x}")
