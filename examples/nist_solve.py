"""Levenberg-Marquardt over kernels: the model and its Jacobian, derived from the equation."""

import numpy as np
from nist_data import Problem
from scipy.optimize import leastsq

from egad import derive

TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15, "maxfev": 2000}


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

    def squares(self, b: np.ndarray) -> float:
        total = float((self.residual(b) ** 2).sum())
        return total if np.isfinite(total) else np.inf

    def approach(self, start: np.ndarray, factor: float) -> tuple[np.ndarray, int]:
        """Levenberg-Marquardt until the sum of squares stands still; `factor` bounds step one."""
        b, _, info, *_ = leastsq(
            self.residual, start, Dfun=self.jacobian, full_output=True, factor=factor, **TIGHT
        )
        return b, info["nfev"]

    def solve(self, start: np.ndarray) -> tuple[np.ndarray, int]:
        """The best of a bold, a careful and a shy approach, then Gauss-Newton.

        The sum of squares is flat at its minimum, so it leaves half of the digits open; the
        length of the next step does not.
        """
        approaches = [self.approach(start, factor) for factor in (100.0, 1.0, 0.1)]
        evaluations = sum(count for _, count in approaches)
        b = min((b for b, _ in approaches), key=self.squares)
        trail: list[tuple[float, np.ndarray]] = []
        while len(trail) < 5 or trail[-1][0] < trail[-5][0]:  # as long as the steps shrink
            jacobian = self.jacobian(b)
            scale = np.linalg.norm(jacobian, axis=0)
            scale[scale == 0.0] = 1.0
            step = np.linalg.lstsq(jacobian / scale, -self.residual(b), rcond=None)[0]
            trail.append((float(np.linalg.norm(step)), b))
            b = b + step / scale
        return min(trail, key=lambda point: point[0])[1], evaluations + len(trail)
