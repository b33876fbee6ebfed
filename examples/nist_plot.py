"""Plots of a fit: the data with the fitted model, and the residuals below."""

from pathlib import Path

import numpy as np
from nist_data import Problem


def plot(problem: Problem, residual: np.ndarray, path: Path) -> bool:
    """Write the picture; False where matplotlib (the `examples` extra) is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    # Against the predictor; with several of them, in the order of the observations.
    names = list(problem.predictors)
    alone = len(names) == 1
    x = problem.predictors[names[0]] if alone else np.arange(len(residual))
    order = np.argsort(x, kind="stable")
    x, y, off = x[order], problem.response[order], residual[order]

    figure = Figure(figsize=(7, 6), layout="constrained")
    top, bottom = figure.subplots(2, sharex=True, height_ratios=(3, 1))
    top.plot(x, y, "o", markersize=3, label="data")
    top.plot(x, y + off, "-" if alone else ".", color="C1", label="fit")
    top.set_title(f"{problem.name}: {problem.model}", fontsize=8, wrap=True)
    top.set_ylabel("response")
    top.legend()
    bottom.axhline(0.0, color="0.7", linewidth=1)
    bottom.plot(x, off, ".", color="C1")
    bottom.set_ylabel("fit - data")
    bottom.set_xlabel(names[0] if alone else "observation")
    figure.savefig(path, dpi=120)
    return True
