"""Fits NIST's nonlinear reference problems with Jacobians that egad derives from their models.

`python examples/nist_fit.py [FOLDER]` writes nist.md, and a plot for each problem, to the folder
(build/nist). Digits: how many agree with the certified parameters, in the worst one, of 11.
"""

import sys
from pathlib import Path

import numpy as np
from nist_data import FOLDER, read
from nist_plot import plot
from nist_solve import Fit

HEADER = """| problem | start | digits | evaluations | residual sum of squares | certified |
|---|---|---|---|---|---|"""


def digits(found: np.ndarray, certified: np.ndarray) -> float:
    """The correct digits of the worst parameter, at most the 11 that are certified."""
    error = np.max(np.abs(found - certified) / np.abs(certified))
    return 11.0 if error <= 1e-11 else float(-np.log10(error))


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
            cells = f"{problem.name} | {number} | {lre:.1f} | {evaluations}"
            lines.append(f"| {cells} | {fit.squares(b):.10e} | {problem.rss:.10e} |")
        plot(problem, fit.residual(b), folder / f"{problem.name}.png")
    table = "\n".join(lines)
    (folder / "nist.md").write_text(table + "\n")
    return table


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else "build/nist")))
