"""A rule file of one's own: new operators with derivatives, and a rewrite that saves one."""

from math import pi
from pathlib import Path

import numpy as np
from egad import cos, derive, sin

RULES = Path(__file__).with_name("my_rules.rules")


def fringes(a: float, x: float) -> float:
    """Interference fringes with the shipped words."""
    return a * sin(pi * x) ** 2


def fringes_pi(a: float, x: float) -> float:
    """The same with an operator of the rule file."""
    return a * sinpi(x) ** 2  # noqa: F821 (egad finds it in the rules)


before = derive(fringes, mode="bwd", wrt="x", dtype="float64")
after = derive(fringes_pi, mode="bwd", wrt="x", dtype="float64", rules=[RULES])

print(after.explain(), end="\n\n")
print(f"cost with the shipped rules {before.report.cost_after:g}: sin and cos of pi x")
print(f"cost with {RULES.name}    {after.report.cost_after:g}: one sinpi of 2x")
assert after.report.cost_after < before.report.cost_after / 2
assert after.source.count("= sinpi(") == 1 and "cospi(" not in after.source

x = np.linspace(-2.0, 2.0, 101)
gradient = after(1.5, x, 1.0).x
h = 1e-5
differences = 1.5 * (np.sin(pi * (x + h)) ** 2 - np.sin(pi * (x - h)) ** 2) / (2 * h)
error = np.abs(gradient - differences).max()
print(f"derivative differs from central differences by {error:.1e}")
assert error < 1e-8
whole = x == np.round(x)
assert (gradient[whole] == 0.0).all()  # sin(2 pi x) would not be exactly 0 there

print("\nThe body of the kernel:\n")
print(after.source.partition("{")[2].partition("}")[0])
