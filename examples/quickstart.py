"""A BRDF's gradient as an OpenCL kernel, run and checked; then ten fits to NIST's digits.

`python examples/quickstart.py [FOLDER]`: the fits write their table and plots to the folder.
"""

import sys
from pathlib import Path

import nist_fit
from differences import check
from microfacet import MATERIAL, loss
from microfacet_points import points

from egad import derive

print("A squared loss through a GGX microfacet BRDF, and its gradient, as one kernel:\n")
gradient = derive(loss, mode="value_and_grad", wrt=MATERIAL)
print(gradient.source)
print(gradient.explain().split("  derivative rules")[0])

print(f"It runs on {gradient.runs_on}\n")
at = points(100_000)
losses, gradients = gradient(**at)
print(f"Gradients at the first of {len(losses):,} points, in float32:")
for name, values in gradients.items():
    print(f"  {name:<12} {values[0]}")

print("\nThe same in float64:")
exact = derive(loss, mode="value_and_grad", wrt=MATERIAL, dtype="float64")
check(loss, at, dict(exact(**at)[1].items()))

print("\nNIST's nonlinear regression problems, fitted with Jacobians derived from their models:\n")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/nist")
print(nist_fit.run(folder))
print(f"\nThe table, and with matplotlib the plots, are in {folder}")
