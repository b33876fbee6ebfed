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

    def approach(self, start: np.ndarray, factor: float) -> tuple[np.ndarray, int]:
        """Levenberg-Marquardt until the sum of squares stands still; `factor` bounds step one."""
        b, _, info, *_ = leastsq(
            self.residual, start, Dfun=self.jacobian, full_output=True, factor=factor, **TIGHT
        )
        return b, info["nfev"]

    def solve(self, start: np.ndarray) -> tuple[np.ndarray, int]:
        """The best of a bold, a careful and a shy approach, then Gauss-Newton."""
        approaches = [self.approach(start, factor) for factor in (100.0, 1.0, 0.1)]
        evaluations = sum(count for _, count in approaches)
        b = min((b for b, _ in approaches), key=lambda b: (self.residual(b) ** 2).sum())
        last = np.inf
        while True:  # the sum of squares is flat at its minimum: J'r = 0 is sharper
            jacobian = self.jacobian(b)
            scale = np.linalg.norm(jacobian, axis=0)
            scale[scale == 0.0] = 1.0
            step = np.linalg.lstsq(jacobian / scale, -self.residual(b), rcond=None)[0]
            if not np.linalg.norm(step) < last:
                return b, evaluations
            b, last, evaluations = b + step / scale, np.linalg.norm(step), evaluations + 1
