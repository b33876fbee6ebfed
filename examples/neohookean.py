"""A Neo-Hookean solid from its energy in SymPy: stress and stiffness without a line of calculus."""

import numpy as np
import sympy as sp

from egad import derive

mu, lam = sp.symbols("mu lam", positive=True)
F = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"F{i}{j}", real=True))  # the deformation gradient
log_volume = sp.log(F.det())
energy = mu / 2 * ((F.T * F).trace() - 3) - mu * log_volume + lam / 2 * log_volume**2

ENTRIES = [symbol.name for symbol in F]
options = {"params": [*ENTRIES, "mu", "lam"], "wrt": ENTRIES, "dtype": "float64"}
stress = derive(energy, mode="value_and_grad", **options)
stiffness = derive(energy, mode="hessian", **options)

for derived in (stress, stiffness):
    report = derived.report
    print(f"{derived.mode:<14} cost {report.cost_before:g} -> {report.cost_after:g}")

# A thousand deformations near the identity, of a material with mu = 1 and lambda = 10.
deformed = np.eye(3) + np.random.default_rng(3).uniform(-0.2, 0.2, (1000, 3, 3))
columns = list(deformed.reshape(-1, 9).T)
W, gradient = stress(*columns, 1.0, 10.0)
P = np.stack(gradient, axis=-1).reshape(-1, 3, 3)  # the first Piola-Kirchhoff stress
A = np.stack([np.stack(row, axis=-1) for row in stiffness(*columns, 1.0, 10.0)], axis=-2)
print(f"energies {W.shape}, stresses {P.shape}, stiffness matrices {A.shape}")

# The stress in closed form: P = mu (F - F^-T) + lambda log(det F) F^-T.
inverse = np.linalg.inv(deformed).transpose(0, 2, 1)
logs = np.log(np.linalg.det(deformed))[:, None, None]
error = np.abs(P - (deformed - inverse + 10.0 * logs * inverse)).max()
print(f"stress differs from the closed form by {error:.1e}")
assert error < 1e-12

# Both against central differences, of the energy and of the stress.
worst_P = worst_A = 0.0
h = 1e-5
for i, column in enumerate(columns):
    ahead, behind = ([*columns[:i], column + s * h, *columns[i + 1 :]] for s in (1, -1))
    (W1, g1), (W0, g0) = stress(*ahead, 1.0, 10.0), stress(*behind, 1.0, 10.0)
    worst_P = max(worst_P, np.abs((W1 - W0) / (2 * h) - gradient[i]).max())
    difference = (np.stack(g1, axis=-1) - np.stack(g0, axis=-1)) / (2 * h)
    worst_A = max(worst_A, np.abs(difference - A[:, i]).max())
print(f"stress differs from central differences by {worst_P:.1e}, stiffness by {worst_A:.1e}")
assert worst_P < 1e-7 and worst_A < 1e-6
assert np.array_equal(A, A.transpose(0, 2, 1))
