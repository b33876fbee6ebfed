"""A rule file of one's own: new operators with derivatives, and a rewrite that saves one."""

from math import pi
from pathlib import Path

import numpy as np

from egad import cos, derive, sin

RULES = Path(__file__).with_name("my_rules.rules")


def standing_wave(a: float, x: float) -> float:
    """A standing wave with the shipped words."""
    return a * (sin(pi * x) * cos(pi * x))


def standing_wave_pi(a: float, x: float) -> float:
    """The same with the operators of the rule file."""
    return a * (sinpi(x) * cospi(x))  # noqa: F821 (egad finds them in the rules)


before = derive(standing_wave, mode="bwd", dtype="float64")
after = derive(standing_wave_pi, mode="bwd", dtype="float64", rules=[RULES])

print(after.explain(), end="\n\n")
print(f"cost with the shipped rules {before.report.cost_after:g}")
print(f"cost with {RULES.name}    {after.report.cost_after:g}")
assert after.report.cost_after < before.report.cost_after

x = np.linspace(-2.0, 2.0, 101)
gradient = after(np.full(101, 1.5), x, 1.0)
h = 1e-5
ahead, behind = (0.75 * np.sin(2 * pi * (x + step)) for step in (h, -h))
error = np.abs(gradient.x - (ahead - behind) / (2 * h)).max()
print(f"derivative differs from central differences by {error:.1e}")
assert error < 1e-8
assert (gradient.a[[0, 25, 50, 75, 100]] == 0.0).all()  # at whole numbers: sin(2 pi x) is not 0

print("\nThe body of the kernel:\n")
print(after.source.partition("{\n")[2].partition("}")[0], end="")
