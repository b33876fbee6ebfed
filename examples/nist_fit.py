"""Fits NIST's nonlinear reference problems with Jacobians that egad derives from their models.

python examples/nist_fit.py [FOLDER] writes nist.md and one plot per problem to build/nist.
"""

import sys
from pathlib import Path

import numpy as np
from egad import derive
from nist_data import FOLDER, Problem, digits, read
from nist_plot import plot
from scipy.optimize import least_squares

TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15, "max_nfev": 2000}
HEADER = """| problem | start | digits | evaluations | residual sum of squares | certified |
|---|---|---|---|---|---|"""


class Fit:
    """Residuals and Jacobian of a problem as kernels: each call is one launch over all data."""

    def __init__(self, problem: Problem) -> None:
        options = {"dtype": "float64", "params": [*problem.predictors, *problem.names]}
        self.problem, self.x = problem, list(problem.predictors.values())
        self.model = derive(problem.model, mode="primal", **options)
        self.slopes = derive(problem.model, mode="jacobian", wrt=problem.names, **options)

    def residual(self, b: np.ndarray) -> np.ndarray:
        return self.model(*self.x, *b) - self.problem.response

    def jacobian(self, b: np.ndarray) -> np.ndarray:
        return np.stack(self.slopes(*self.x, *b), axis=-1)

    def solve(self, start: np.ndarray) -> tuple[np.ndarray, int]:
        """Levenberg-Marquardt until the sum of squares stands still, then Gauss-Newton."""
        near = least_squares(
            self.residual, start, self.jacobian, method="lm", x_scale="jac", **TIGHT
        )
        b, evaluations, last = near.x, near.nfev, np.inf
        while True:  # the sum of squares is flat at its minimum: J'r = 0 is sharper
            jacobian = self.jacobian(b)
            scale = np.linalg.norm(jacobian, axis=0)
            step = np.linalg.lstsq(jacobian / scale, -self.residual(b), rcond=None)[0]
            if not np.linalg.norm(step) < last:
                return b, evaluations
            b, last, evaluations = b + step / scale, np.linalg.norm(step), evaluations + 1


def run(folder: Path) -> str:
    """Fit every problem from both starts; returns the table, which is also written."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [HEADER]
    for path in sorted(FOLDER.glob("*.dat")):
        problem = read(path)
        fit = Fit(problem)
        for number, start in enumerate(problem.starts, 1):
            b, evaluations = fit.solve(start)
            lre = digits(b, problem.certified)
            rss = (fit.residual(b) ** 2).sum()
            cells = [problem.name, number, f"{lre:.1f}", evaluations, f"{rss:.10e}"]
            lines.append(" | ".join(["", *map(str, cells), f"{problem.rss:.10e}", ""]).strip())
        plot(problem, fit.residual(b), folder / f"{problem.name}.png")
    table = "\n".join(lines)
    (folder / "nist.md").write_text(table + "\n")
    return table


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else "build/nist")))
